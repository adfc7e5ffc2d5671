"""The pages' source holds together beyond what its linter sees."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from service.web.assembled import STATIC

ROOT = Path(__file__).resolve().parents[3]
SHEETS = {path.stem: path.read_text(encoding="utf-8") for path in (STATIC / "css").glob("*.css")}
SCRIPTS = sorted((STATIC / "js").rglob("*.js"))
TEMPLATES = sorted((STATIC.parent / "templates").glob("*.html"))


def test_every_colour_that_a_sheet_uses_is_defined() -> None:
    css = "\n".join(SHEETS.values())
    used = set(re.findall(r"var\((--[\w-]+)\)", css))
    assert used <= set(re.findall(r"^\s*(--[\w-]+):", css, re.MULTILINE))


def test_every_sheet_is_linked() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in TEMPLATES)
    listed = re.findall(r"for sheet in \(([^)]*)\)", text)[0]
    linked = set(re.findall(r'"(\w+)"', listed)) | set(re.findall(r"/css/(\w+)\.css", text))
    assert linked == set(SHEETS)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.relative_to(STATIC).as_posix())
def test_every_exported_function_says_what_it_is_for(path: Path) -> None:
    """A sentence in JSDoc stands before each export."""
    lines = path.read_text(encoding="utf-8").splitlines()
    exports = re.compile(r"export (async function|function|class|const [a-z])")
    for number, line in enumerate(lines):
        if exports.match(line):
            assert lines[number - 1].endswith("*/"), f"{path.name}:{number + 1} {line}"


def test_the_lockfile_names_no_place_that_packages_come_from() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text(encoding="utf-8"))
    manifest = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    pinned = lock["packages"].pop("")["devDependencies"]
    assert pinned == manifest["devDependencies"]
    assert all(re.fullmatch(r"[\d.]+", version) for version in pinned.values())
    for name, package in lock["packages"].items():
        assert "resolved" not in package, name
        assert package["integrity"].startswith("sha512-"), name

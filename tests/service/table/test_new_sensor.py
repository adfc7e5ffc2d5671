"""A new kind of sensor touches at most five files, docs and words included: a committed patch adds
an RFID board as a product sensor, and a turn is played on it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PATCH = ROOT / "tests/data/patches/rfid_board.patch"
COPIED = ("rules", "vision", "firmware_bridge", "service", "docs")


@pytest.fixture(scope="module")
def patched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the product with the patch applied."""
    tree = tmp_path_factory.mktemp("patched")
    for room in COPIED:
        shutil.copytree(ROOT / room, tree / room, ignore=shutil.ignore_patterns("__pycache__"))
    applied = subprocess.run(
        ["git", "apply", str(PATCH)],
        cwd=tree, capture_output=True, text=True, env=_outside_of_git(tree),
    )  # fmt: skip
    assert applied.returncode == 0, applied.stderr
    return tree


def _outside_of_git(tree: Path) -> dict[str, str]:
    return os.environ | {"GIT_CEILING_DIRECTORIES": str(tree.parent), "PYTHONPATH": str(tree)}


def test_it_touches_at_most_five_files() -> None:
    touched = [line[6:] for line in PATCH.read_text().splitlines() if line.startswith("+++ b/")]
    assert len(touched) == len(set(touched)) <= 5
    assert any(name.startswith("docs/") for name in touched)
    assert any(name.endswith(".po") for name in touched)
    assert not any(name.startswith("tests/") for name in touched)


def test_a_play_on_the_new_board_is_entered_and_it_has_its_line_and_its_words(
    patched: Path, tmp_path: Path
) -> None:
    script = ROOT / "tests/service/table/rfid_evening.py"
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)],
        cwd=patched, capture_output=True, text=True, env=_outside_of_git(patched),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "plays": [["8/5 6/5", False, ["rfid"]]],
        "boards without a line": [],
        "words without a language": [],
    }

"""The house stands: contracts hold and break on deliberate sins, packages are ours, nothing grows
past what a reader can hold.
"""

from __future__ import annotations

import ast
import collections
import importlib
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("rules", "vision", "firmware_bridge", "service")
SERVICE = sorted(p.parent.name for p in (ROOT / "service").glob("*/__init__.py"))


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    program = (
        "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports_command as"
        " main; main()"
    )
    return subprocess.run(
        [sys.executable, "-c", program, "--no-cache"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("room", ROOMS)
def test_the_rooms_are_ours(room: str) -> None:
    assert Path(str(importlib.import_module(room).__file__)).parent == ROOT / room


def test_rules_root_is_a_docstring() -> None:
    assert (ROOT / "rules/__init__.py").read_text().strip().strip('"').count("\n") == 0


SINS = {
    "floors": ("vision/sin.py", "import service"),
    "sisters": ("vision/sin.py", "import firmware_bridge"),
    "upwards": ("rules/dice.py", "import vision"),
    "sensors know the board": ("firmware_bridge/sin.py", "from rules import dice"),
    "sensors know the board, by another door": ("vision/sin.py", "import rules.notation"),
    "deaf": ("rules/dice.py", "import rules.observation"),
    "pure": ("rules/dice.py", "import time"),
    "pure reconcile": ("service/reconcile/sin.py", "import sqlite3"),
    "pure journal": ("service/journal/sin.py", "import time"),
    "pure session": ("service/session/sin.py", "import threading"),
    "pure bridge": ("firmware_bridge/sin.py", "import serial"),
    "a room above": ("service/referee/sin.py", "import service.session.core"),
    "a room beside": ("service/web/sin.py", "import service.table.hub"),
    "a room without a floor": ("service/cellar/__init__.py", ""),
    "pure seeing": ("vision/dice/sin.py", "import time"),
    "seeing knows no camera": ("vision/geometry.py", "import vision.camera.camera"),
}


@pytest.mark.parametrize("name", SINS)
def test_each_contract_breaks_on_a_deliberate_sin(name: str, tmp_path: Path) -> None:
    for room in ROOMS:
        shutil.copytree(
            ROOT / room,
            tmp_path / room,
            ignore=shutil.ignore_patterns("__pycache__", "*.onnx", "recordings", "static"),
        )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    where, sin = SINS[name]
    path = tmp_path / where
    path.parent.mkdir(exist_ok=True)
    path.write_text((path.read_text() if path.exists() else "") + f"\n{sin}\n")
    outcome = lint_imports(tmp_path)
    assert outcome.returncode == 1, outcome.stdout + outcome.stderr
    assert "BROKEN" in outcome.stdout


def test_contracts_name_every_module_of_rules() -> None:
    """A new module of rules must not slip past the sensors' contract."""
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    contracts = {c["name"]: c for c in linter["contracts"]}
    here = {f"rules.{p.stem}" for p in (ROOT / "rules").glob("*.py") if p.stem != "__init__"}
    here |= {f"rules.{p.parent.name}" for p in (ROOT / "rules").glob("*/__init__.py")}
    game = here - {"rules.board", "rules.observation"}
    assert set(contracts["sensors know the board, not the game"]["forbidden_modules"]) == game
    assert set(contracts["the game is deaf to sensors"]["source_modules"]) == game | {"rules.board"}


def product() -> list[Path]:
    return [p for p in tracked() if p.suffix == ".py" and p.relative_to(ROOT).parts[0] in ROOMS]


def room_of(path: Path) -> str:
    """The room that a file of the product belongs to: a folder of service, or a top floor."""
    parts = path.relative_to(ROOT).parts
    return f"service.{parts[1]}" if parts[0] == "service" and len(parts) > 2 else parts[0]


TWO_MEANINGS = {
    "main": "every command has one",
    "encode": "each codec's way out; its other half is `decode`",
    "decode": "each codec's way in",
}
"""Public names that may stand in two rooms, and why; at most five."""


def test_one_name_has_one_meaning() -> None:
    """No public class or function of a module is called as another room's is."""
    homes: dict[str, set[str]] = collections.defaultdict(set)
    for path in product():
        for node in ast.parse(path.read_text()).body:
            named = isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            if named and not node.name.startswith("_"):
                homes[node.name].add(room_of(path))
    twice = {name: sorted(rooms) for name, rooms in homes.items() if len(rooms) > 1}
    assert len(TWO_MEANINGS) <= 5
    assert not {name: rooms for name, rooms in twice.items() if name not in TWO_MEANINGS}


MOST_ANY = 60
ANY = re.compile(r"\bAny\b")


def test_seams_are_typed() -> None:
    """Lines of the product that say `Any`, imports aside; each that is left says why beside it."""
    lines = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in product()
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if ANY.search(line) and not re.match(r"\s*(from|import) ", line)
    ]
    assert len(lines) < MOST_ANY, lines


def test_source_fits_its_columns() -> None:
    wide = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in tracked()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if path.suffix in {".py", ".js", ".css", ".ts"} and len(line) > 100
    ]
    assert not wide


README_SAYS = ("for", "may import", "hardest idea", "words")


@pytest.mark.parametrize("room", [*ROOMS, *(f"service/{room}" for room in SERVICE)])
def test_each_room_says_what_it_is(room: str) -> None:
    """A README that says what the room is for, what it may import, its hardest idea, its words."""
    text = (ROOT / room / "README.md").read_text().lower()
    assert not [word for word in README_SAYS if word not in text]


@pytest.mark.parametrize("room", SERVICE)
def test_a_rooms_readme_names_its_modules(room: str) -> None:
    """What lies in a room is told at its door: a new module has its place in the table of files."""
    folder = ROOT / "service" / room
    text = (folder / "README.md").read_text()
    names = {p.stem for p in folder.glob("*.py")} - {"__init__", "__main__"}
    assert not sorted(name for name in names if not re.search(rf"\b{name}\b", text))


def test_tests_mirror_the_rooms() -> None:
    """Every room has its tests where its name says; no test stands where no room is."""
    folders = {p.name for p in (ROOT / "tests/service").iterdir() if p.is_dir()} - {"__pycache__"}
    assert folders == set(SERVICE)
    for room in ("rules", "vision", "firmware_bridge", "hardware"):
        assert list((ROOT / "tests" / room).glob("test_*.py"))


def test_packages_are_named() -> None:
    """A new folder is installed as well: setuptools is told each package by name."""
    given = tomllib.loads((ROOT / "pyproject.toml").read_text())
    here = {
        ".".join(p.parent.relative_to(ROOT).parts)
        for p in tracked()
        if p.name == "__init__.py" and p.relative_to(ROOT).parts[0] in ROOMS
    }
    assert set(given["tool"]["setuptools"]["packages"]) == here


def test_files_stay_small_enough_to_read() -> None:
    long = {
        str(p.relative_to(ROOT)): n
        for p in tracked()
        if p.suffix in {".py", ".c", ".h"} and (n := p.read_text().count("\n")) > 420
    }
    assert not long, f"split these: about 400 lines a file at most: {long}"


def test_no_file_is_heavy() -> None:
    """What a script can make again stays out of the repository."""
    heavy = {
        str(p.relative_to(ROOT)): p.stat().st_size
        for p in tracked()
        if p.stat().st_size > 8_000_000
    }
    assert not heavy

"""The house stands: contracts hold and break on deliberate sins, packages are ours, nothing grows
past what a reader can hold.
"""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("rules", "vision", "firmware_bridge", "service")


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


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
    "pure seeing": ("vision/dice/sin.py", "import time"),
    "seeing knows no camera": ("vision/geometry.py", "import vision.camera.camera"),
}


@pytest.mark.parametrize("name", SINS)
def test_each_contract_breaks_on_a_deliberate_sin(name: str, tmp_path: Path) -> None:
    for room in ROOMS:
        shutil.copytree(
            ROOT / room,
            tmp_path / room,
            ignore=shutil.ignore_patterns("__pycache__", "*.onnx", "demo", "static"),
        )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    where, sin = SINS[name]
    path = tmp_path / where
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


def test_files_stay_small_enough_to_read() -> None:
    long = {
        str(p.relative_to(ROOT)): n
        for p in tracked()
        if p.suffix in {".py", ".c", ".h"} and (n := p.read_text().count("\n")) > 660
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

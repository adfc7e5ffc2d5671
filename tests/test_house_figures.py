"""`scripts/house-figures` counts what it says, on a small house made for it; and figures of this
house that have come down never rise again.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SMALL = {
    "rules/board.py": "class Side: ...\nclass Point: ...\n",
    "vision/eye.py": "from rules.board import Side\nclass Point: ...\n",
    "service/cli.py": "from service.table import process\ndef main() -> None: ...\n",
    "service/table/process.py": (
        "from typing import Any, cast\n"
        "from service.journal import store\n"
        "def main(x: Any) -> Any: return cast(Any, x)\n"
        "def opened(x: dict[str, object]) -> int: return x  # type: ignore[return-value]\n"
    ),
    "service/journal/store.py": (
        "Json = 'dict[str, Json]'\n"
        "Fields = dict[str, Json]\n"
        "def read(found: Fields) -> Json:\n"
        "    from service.table import process\n"
    ),
    "service/journal/lifting.py": (
        "from service.journal import store as kept\n"
        "from service.journal.store import Fields as Row\n"
        "def lift(row: Row) -> kept.Fields: ...\n"
    ),
    "service/web/desk.py": (
        "from service.journal.store import Json\n"
        "Where = Annotated[str, 'a place']\n"
        "class Fields: ...\n"
        "def ask(at: Where) -> Fields: ...\n"
    ),
    "service/web/wall.py": "Cards = list[dict[str, object] | None]\nCARDS: Cards\n",
    "service/web/static/js/long.js": "x" * 101,
    "tests/test_long.py": "# " + "x" * 99 + "\n" * 9,
}
COUNTED = {
    "modules in rules": "1",
    "modules in service": "1",
    "modules in service.table": "1",
    "boxes in service": "4",
    "arrows between them": "4",
    "floors": "2",
    "arrows up": "1",
    "circles of boxes": "1",
    "circles of modules": "1",
    "circles of modules, imports in functions aside": "0",
    "lines that say Any": "1",
    "lines that say cast": "1",
    "lines that say type: ignore": "1",
    "lines that say dict[str, object]": "2",
    "lines that say Json": "6",
    "these four together": "10",
    "public names in two rooms": "2",
    "longest file of the product": "4 service/web/desk.py",
    "longest Python file": "9 tests/test_long.py",
    "Python lines over 100 columns": "1",
    "CSS and JS lines over 100 columns": "1",
}
AT_MOST = {
    "arrows up": 0,
    "circles of boxes": 0,
    "arrows between them": 61,
    "floors": 9,
    "these four together": 132,
}
"""Figures of this house that are where they should be; the four are lines that say `cast`, `type:
ignore`, `dict[str, object]` or a JSON alias.
"""


def figures(*words: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/house-figures", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def small(tmp_path: Path) -> Path:
    for name, text in SMALL.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_a_small_house_is_counted(small: Path) -> None:
    told = {line[:48].strip(): line[48:].strip() for line in figures(str(small))}
    assert {name: told[name] for name in COUNTED} == COUNTED


def test_circles_and_double_names_are_listed(small: Path) -> None:
    told = figures("--list", str(small))
    assert "circle: service.journal.store, service.table.process" in told
    assert "Point: rules, vision" in told
    assert "main: service, service.table" in told


def test_what_has_come_down_does_not_rise() -> None:
    told = {line[:48].strip(): line[48:].strip() for line in figures(str(ROOT))}
    risen = {name: told[name] for name, most in AT_MOST.items() if int(told[name]) > most}
    assert not risen, "scripts/house-figures --list says where"


def test_what_is_no_house_is_refused_in_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/house-figures", tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)

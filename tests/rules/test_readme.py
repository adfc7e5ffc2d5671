"""The room's README: its examples run, and it names every module."""

from __future__ import annotations

import doctest
from pathlib import Path

ROOM = Path(__file__).parents[2] / "rules"


def test_the_examples_of_the_readme() -> None:
    failed, tried = doctest.testfile(str(ROOM / "README.md"), module_relative=False)
    assert tried > 5
    assert failed == 0


def test_the_readme_names_every_module() -> None:
    page = (ROOM / "README.md").read_text()
    for path in ROOM.glob("*.py"):
        if path.stem not in ("__init__", "observation"):
            assert f"`{path.name}`" in page, path.name

"""Every reference case, its other readings included: the results, and judge agreeing with each of
them.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.board import Side
from rules.dice import Roll
from rules.judge import judge
from rules.play import Play, plays
from rules.position import Position
from rules.ruleset import ruleset

CASES = sorted((Path(__file__).parent.parent / "data/cases").glob("*.jsonl.gz"))


def readings(path: Path) -> Iterator[tuple[int, dict[str, Any], str | None, set[tuple[int, ...]]]]:
    with gzip.open(path, "rt") as lines:
        for number, line in enumerate(lines, start=1):
            case = json.loads(line)
            for alt, results in [(None, case["successors"]), *case.get("alt", {}).items()]:
                yield number, case, alt, {tuple(r) for r in results}


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.name.split(".")[0])
def test_the_cases(path: Path) -> None:
    side = Side.WHITE
    for number, case, alt, expected in readings(path):
        rules = ruleset(case["ruleset"], dict([alt.split("=")]) if alt else {})
        view = (*case["pts"], case["bar"], case["off"], case["obar"], case["ooff"])
        position, roll = Position(rules, side, view, case["first_turn"]), Roll.of(*case["dice"])
        found = plays(position, roll)
        assert found.results == expected, (path.name, number, alt)
        assert len(found) == len(expected)
        for play in found:
            assert judge(position, roll, play.placement) == play
            assert isinstance(play, Play)
        side = side.other

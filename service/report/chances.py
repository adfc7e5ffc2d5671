"""Chances of a match at a score: the Kazaross-XG2 table, which most players and programs use;
beyond its 25 points Rick Janowski's formula. Pure but for reading that table once.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rules.board import Side
from rules.match import Match

_TABLE: Final = Path(__file__).parent / "data" / "match_equity.json"


@dataclass(frozen=True, slots=True)
class _Equities:
    before: tuple[tuple[float, ...], ...]
    """By what the sides need, less one, before the Crawford game and in it."""
    after: tuple[float, ...]
    """Of the side behind, by what it needs less one, after the Crawford game."""


@functools.cache
def _equities() -> _Equities:
    said = json.loads(_TABLE.read_text(encoding="utf-8"))
    return _Equities(
        tuple(tuple(map(float, row)) for row in said["before_crawford"]),
        tuple(map(float, said["after_crawford"])),
    )


def chance_of_match(mine: int, theirs: int, *, after_crawford: bool = False) -> float:
    """The chance of a side that needs `mine` points against one that needs `theirs`, a new game
    about to begin; `after_crawford`: the Crawford game has been played.
    """
    if mine <= 0 or theirs <= 0:
        return float(mine <= 0)
    if after_crawford and min(mine, theirs) == 1:
        behind = max(mine, theirs)
        kept = _equities().after
        if mine == theirs:
            return 0.5
        if behind <= len(kept):
            return kept[behind - 1] if mine == behind else 1 - kept[behind - 1]
    table = _equities().before
    if max(mine, theirs) <= len(table):
        return table[mine - 1][theirs - 1]
    lead = 0.5 + 0.85 * abs(theirs - mine) / (max(mine, theirs) + 6)
    return lead if mine <= theirs else 1 - lead


def worth_of_game(match: Match, side: Side) -> tuple[float, float]:
    """A side's chances of the match once it has lost this game at its cube, and once it has won it;
    of a session's game 0 and 1.
    """
    mine, theirs = match.away(side), match.away(side.other)
    if mine is None or theirs is None:
        return 0.0, 1.0
    cube, after = match.game.cube.value, match.is_crawford or match.crawford_played
    return (
        chance_of_match(mine, theirs - cube, after_crawford=after),
        chance_of_match(mine - cube, theirs, after_crawford=after),
    )

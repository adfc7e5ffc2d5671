"""The dice of an evening: of every match that is over and was begun without a long break. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rules.board import Side
from service.report.dice_counts import DiceCounts, dice_counts
from service.report.source import ReportedMatch, Thrown

BREAK: Final = 8 * 3600.0
"""Seconds from one match's beginning to the next's between two evenings."""


@dataclass(frozen=True, slots=True)
class DiceRow:
    """The dice of somebody; `name` "" is everybody together."""

    name: str
    counts: DiceCounts
    guessed: bool


def last_evening(matches: Sequence[ReportedMatch]) -> tuple[ReportedMatch, ...]:
    """The matches of the last evening that are over, oldest first."""
    over = [match for match in matches if not match.running]
    first = len(over) - 1
    while first > 0 and over[first].begun - over[first - 1].begun < BREAK:
        first -= 1
    return tuple(over[max(0, first) :])


def dice_rows(matches: Sequence[ReportedMatch]) -> list[DiceRow]:
    """The dice of each player and of everybody, those that were guessed in rows of their own. Over
    several matches one name is one player, on whichever side.
    """
    one_match = len(matches) == 1
    names: dict[Side | str, str] = {}
    if one_match:
        names |= {side: matches[0].record.names[side] for side in Side}
    thrown: list[tuple[Side | str, Thrown]] = []
    for match in matches:
        for one in match.rolls:
            name = match.record.names[one.side]
            who = one.side if one_match else " ".join(name.split()).casefold()
            names.setdefault(who, name)
            thrown.append((who, one))
    rows = []
    for read in (True, False):
        rolls = [(who, one.roll) for who, one in thrown if one.read is read]
        there = [who for who in names if any(who == thrower for thrower, _ in rolls)]
        for who in there:
            own = dice_counts([roll for thrower, roll in rolls if thrower == who])
            rows.append(DiceRow(names[who], own, not read))
        if len(there) > 1 and read:
            rows.append(DiceRow("", dice_counts([roll for _, roll in rolls]), False))
    return rows

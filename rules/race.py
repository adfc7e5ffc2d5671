"""Races counted: pips, and what players add to them to judge a race that has no more contact.

Everything here is asked of one side's 26 counts by site in its own numbering (0 borne off, 25 the
bar), as `movers_counts` gives them.

- Keith's count: Tom Keith, "Cube Handling in Noncontact Positions" (bkgm.com, 2004).
- Ward's count: Jeff Ward, "The Doubling Cube in Backgammon", volume 1 (1982), pages 74 to 76.
- Effective pips: Walter Trice, "Backgammon Boot Camp" (2004): the mean number of rolls that a side
  needs when it plays to need the fewest, times the 8 1/6 pips of a mean roll. Exact, from a table
  of all home boards that `scripts/bearoff_table.py` makes.
"""

from __future__ import annotations

import functools
import math
import sys
import zlib
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final

from rules.axes import HOME, Facing
from rules.board import BAR, POINTS, Placement, Side
from rules.position import Position, movers_counts

MEAN_ROLL: Final = 49 / 6
"""Pips of a roll on average."""
HOME_POINTS: Final = 6
TABLE_STEPS: Final = 4096
"""The table counts in so many parts of a roll."""
_MOST: Final = 15
_TABLE: Final = Path(__file__).parent / "data" / "bearoff.bin"


def pips(own: Sequence[int]) -> int:
    """How far a side's checkers are from being borne off; one on the bar has 25 to go."""
    return sum(site * count for site, count in enumerate(own))


def pip_count(placement: Placement, facing: Facing, side: Side) -> int:
    """A side's pips on any board, possible or not."""
    return pips(movers_counts(placement, facing, side)[0])


def is_race(position: Position) -> bool:
    """Whether neither side can hit or block the other any more, where both go opposite ways."""
    if position.ruleset.facing is not Facing.MIRROR:
        return False
    own, theirs = movers_counts(position.placement, position.ruleset.facing, position.side)
    rearmost = max((p for p in (*POINTS, BAR) if own[p]), default=0)
    foremost = 0 if theirs[BAR] else min((p for p in POINTS if theirs[p]), default=BAR)
    return rearmost < foremost


def keith_count(own: Sequence[int]) -> int:
    """Keith's count of a side, before the side on roll adds its seventh."""
    return (
        pips(own)
        + 2 * max(0, own[1] - 1)
        + max(0, own[2] - 1)
        + max(0, own[3] - 3)
        + sum(not own[point] for point in (4, 5, 6))
    )


def ward_counts(roller: Sequence[int], other: Sequence[int]) -> tuple[Fraction, Fraction]:
    """Ward's counts of the side on roll and of the other, the roller's tenth added.

    They compare the sides: a checker more on the board, a home point more or fewer.
    """
    counts = []
    for own, against in ((roller, other), (other, roller)):
        points = sum(bool(own[p]) for p in range(1, HOME + 1))
        points_against = sum(bool(against[p]) for p in range(1, HOME + 1))
        counts.append(
            pips(own)
            + 2 * max(0, own[1] - 2)
            + max(0, own[2] - 2)
            - max(0, points - points_against)
            + 2 * max(0, sum(own[1:]) - sum(against[1:]))
            + Fraction(max(0, sum(own[HOME + 1 :]) - sum(against[HOME + 1 :])), 2)
        )
    return Fraction(counts[0]) * Fraction(11, 10), Fraction(counts[1])


@dataclass(frozen=True, slots=True)
class CubeAdvice:
    """What a formula says of the cube in a race, the side on roll before its roll."""

    double: bool
    redouble: bool
    take: bool


def keith_advice(roller: Sequence[int], other: Sequence[int]) -> CubeAdvice:
    """Keith's rule: double up to 4 behind, redouble up to 3; take from 2 behind."""
    counted = keith_count(roller)
    ahead = counted + counted // 7 - keith_count(other)
    return CubeAdvice(ahead <= 4, ahead <= 3, ahead >= -2)


def ward_advice(roller: Sequence[int], other: Sequence[int]) -> CubeAdvice:
    """Ward's rule: double up to 2 behind, redouble up to 1; the other takes up to 4 behind in races
    of 100 pips, 3 of 75, 2 of 50 or fewer, and between them in proportion.
    """
    mine, theirs = ward_counts(roller, other)
    length = Fraction(pips(roller) + pips(other), 2)
    may_trail = min(Fraction(4), max(Fraction(2), 2 + (length - 50) / 25))
    return CubeAdvice(mine <= theirs + 2, mine <= theirs + 1, theirs <= mine + may_trail)


def effective_pips(own: Sequence[int]) -> float | None:
    """A side's effective pip count; None while a checker is not home, or of more than 15."""
    home = tuple(own[1 : HOME + 1])
    if any(own[HOME + 1 :]) or sum(home) > _MOST or min(own) < 0:
        return None
    return _table()[bearoff_index(home)] / TABLE_STEPS * MEAN_ROLL


@functools.cache
def _table() -> array[int]:
    found = array("H", zlib.decompress(_TABLE.read_bytes()))
    if sys.byteorder == "big":
        found.byteswap()
    return found


def bearoff_index(home: Sequence[int]) -> int:
    """The place of a home board (checkers on points 1 to 6, at most 15) in the table: the rank of
    the six walls between its points among 21 places.
    """
    index, wall = 0, -1
    for number, count in enumerate(home, start=1):
        wall += count + 1
        index += math.comb(wall, number)
    return index


def one_die_home(home: Sequence[int], die: int) -> list[tuple[int, ...]]:
    """Every home board after one die with no opponent in the way; itself where it is empty."""
    found = []
    for point in range(1, HOME_POINTS + 1):
        if not home[point - 1] or (die > point and any(home[point:])):
            continue
        after = list(home)
        after[point - 1] -= 1
        if point > die:
            after[point - die - 1] += 1
        found.append(tuple(after))
    return found or [tuple(home)]

"""What a board is told of settled placements, so that it tells tall piles by what changes; the live
table and the simulator alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rules.board import BAR, Placement
from rules.observation import SiteReading
from service.journal.entries import (
    BoardDiffered,
    Body,
    GameStarted,
    PlayCorrected,
    PlayEntered,
    PositionSet,
    SetUpVerified,
    TurnReopened,
)

SETTLES: Final = (PlayEntered, SetUpVerified)
"""Entries after which the sensors saw what stands on the board."""
UNSETTLES: Final = (PlayCorrected, TurnReopened, BoardDiffered, GameStarted, PositionSet)
CONTRADICTS: Final = 0.02
"""A site read as this much less likely than its best contradicts what the record says stands there.
"""
TALL: Final = 5
"""Checkers from which on one reading alone hardly tells two heights apart."""


def to_remember(entries: Sequence[Body], placement: Placement | None) -> Iterator[Placement | None]:
    """For each entry that concerns the sensors' memory: the placement to remember (`placement`, as
    recorded now), or None to forget.
    """
    for body in entries:
        if isinstance(body, SETTLES):
            yield placement
        elif isinstance(body, UNSETTLES):
            yield None


def contradicted(reading: SiteReading, white: int, black: int) -> bool:
    """Whether a reading speaks so much against these counts that a memory of them would be a wrong
    one. Two heights of a tall pile do not contradict each other, nor do two counts of the same
    sides on the bar: a reader that takes five for eight is why there is a memory."""
    best = max(reading.outcomes, key=lambda o: o[2], default=(white, black, 0.0))
    if reading.likelihood(white, black) >= CONTRADICTS * best[2]:
        return False
    same_sides = (best[0] > 0) is (white > 0) and (best[1] > 0) is (black > 0)
    return not (
        same_sides
        and (reading.site == BAR or (_is_tall(best[0], best[1]) and _is_tall(white, black)))
    )


def _is_tall(white: int, black: int) -> bool:
    return max(white, black) >= TALL and min(white, black) == 0

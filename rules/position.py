"""Position: a placement that is legal under a ruleset, with a side on roll, seen by the mover.

This file alone turns White's absolute numbering into the mover's own and back. The mover's view is
28 numbers: `view[0:24]` points 1 to 24 of the mover, who travels 24 -> 1 (+ mover's checkers, -
opponent's), then the mover's bar and off, the opponent's bar and off (all four >= 0).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Final, Self

from rules.axes import Facing, Landing
from rules.board import BAR, OFF, POINTS, Placement, PlacementFault, Side
from rules.ruleset import Ruleset, opposite

View = tuple[int, ...]
BAR_AT: Final = 24
OFF_AT: Final = 25
OBAR_AT: Final = 26
OOFF_AT: Final = 27


class PositionError(ValueError):
    """A placement that no position of this ruleset can be.

    `faults` says all that is wrong; `NONE` when only the bar or the shape is.
    """

    def __init__(self, message: str, faults: PlacementFault = PlacementFault.NONE) -> None:
        super().__init__(message)
        self.faults = faults


@functools.cache
def _whites_sites(facing: Facing, side: Side) -> tuple[int, ...]:
    """White's number of the mover's points 1..24, in that order."""
    return tuple(p if side is Side.WHITE else opposite(facing, p) for p in POINTS)


def absolute_site(facing: Facing, side: Side, site: int) -> int:
    """White's number of a site that the side calls `site`, and the other way round; bar and off are
    the same for both.
    """
    return site if side is Side.WHITE or site in (OFF, BAR) else opposite(facing, site)


def movers_counts(
    placement: Placement, facing: Facing, side: Side
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The mover's and the opponent's 26 counts by site, points in the mover's numbering for both;
    any placement has them.
    """
    own, other = placement.counts(side), placement.counts(side.other)
    sites = _whites_sites(facing, side)
    return (
        (own[OFF], *(own[s] for s in sites), own[BAR]),
        (other[OFF], *(other[s] for s in sites), other[BAR]),
    )


def view_of(placement: Placement, facing: Facing, side: Side) -> View | None:
    """The mover's 28 numbers; None where a point is shared or a count negative."""
    own, other = placement.counts(side), placement.counts(side.other)
    if min(own) < 0 or min(other) < 0:
        return None
    sites = _whites_sites(facing, side)
    pts = [own[s] or -other[s] for s in sites]
    if any(own[s] and other[s] for s in sites):
        return None
    return (*pts, own[BAR], own[OFF], other[BAR], other[OFF])


def placement_of(view: View, facing: Facing, side: Side) -> Placement:
    """The absolute placement of a mover's view."""
    own, other = [0] * 26, [0] * 26
    for site, n in zip(_whites_sites(facing, side), view, strict=False):
        if n > 0:
            own[site] = n
        elif n:
            other[site] = -n
    own[BAR], own[OFF], other[BAR], other[OFF] = view[24:]
    mine, theirs = tuple(own), tuple(other)
    return Placement(mine, theirs) if side is Side.WHITE else Placement(theirs, mine)


def turned_view(view: View, facing: Facing) -> View:
    """The same checkers seen by the other side."""
    pts = tuple(-n for n in (view[23::-1] if facing is Facing.MIRROR else view[12:24] + view[:12]))
    return (*pts, view[OBAR_AT], view[OOFF_AT], view[BAR_AT], view[OFF_AT])


@dataclass(frozen=True)
class Position:
    """A legal placement and the side on roll. Raises PositionError when the view cannot be one of
    the ruleset.

    `first_turn` tells whether the side on roll is on its own first turn of the game; the caller
    keeps it.
    """

    ruleset: Ruleset
    side: Side
    view: View
    first_turn: bool = False

    def __post_init__(self) -> None:
        view = self.view
        if len(view) != 28 or min(view[24:]) < 0:
            raise PositionError(
                "a view is 24 points, then bar, off, opponent's bar and off, all four >= 0; got"
                f" {view}"
            )
        total = self.ruleset.checkers
        mine = theirs = 0
        for n in view[:24]:
            if n > 0:
                mine += n
            else:
                theirs -= n
        mine += view[BAR_AT] + view[OFF_AT]
        theirs += view[OBAR_AT] + view[OOFF_AT]
        if mine != total or theirs != total:
            raise PositionError(
                f"each side has {total} checkers in {self.ruleset.name}; here the mover has {mine},"
                f" the opponent {theirs}"
            )
        if (view[BAR_AT] or view[OBAR_AT]) and self.ruleset.landing is Landing.CLAIM:
            raise PositionError(
                f"nothing is hit in {self.ruleset.name}, so no checker can be on the bar"
            )

    @classmethod
    def start(cls, ruleset: Ruleset, side: Side) -> Self:
        """The first position of a game, `side` on roll for its first turn."""
        pts = [0] * 24
        for point, count in ruleset.start:
            pts[point - 1] = count
            pts[opposite(ruleset.facing, point) - 1] = -count
        return cls(ruleset, side, (*pts, 0, 0, 0, 0), first_turn=True)

    @classmethod
    def of(
        cls, placement: Placement, ruleset: Ruleset, side: Side, first_turn: bool = False
    ) -> Self:
        """Raises PositionError with all faults of a placement impossible under the ruleset."""
        faults = placement.faults(ruleset.checkers, ruleset.checkers)
        view = view_of(placement, ruleset.facing, side)
        if faults or view is None:
            raise PositionError(f"impossible under {ruleset.name}: {faults!r}", faults)
        return cls(ruleset, side, view, first_turn)

    @functools.cached_property
    def placement(self) -> Placement:
        return placement_of(self.view, self.ruleset.facing, self.side)

    def turned(self, first_turn: bool = False) -> Position:
        """The same placement with the other side on roll."""
        return Position(
            self.ruleset, self.side.other, turned_view(self.view, self.ruleset.facing), first_turn
        )

    def after(self, view: View, first_turn: bool = False) -> Position:
        """The opponent on roll after the mover left the board at `view`."""
        return replace(self, view=view).turned(first_turn)

    @property
    def is_over(self) -> bool:
        """Whether a side has borne off all its checkers."""
        return self.ruleset.checkers in (self.view[OFF_AT], self.view[OOFF_AT])

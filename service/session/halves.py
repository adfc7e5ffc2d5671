"""In whose half dice lie: a side throws into the half to its right, and where people keep to that
it tells whose dice they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rules.board import BySide, Side
from rules.event import DiceArea
from service.reconcile import WHOLE_FIELD, Area, Track, right_half
from service.referee.event import seating_of
from service.referee.state import State


def area_of(state: State, side: Side) -> Area:
    """Where a side's dice count, by the event."""
    if is_half_ignored(state):
        return WHOLE_FIELD
    return right_half(seating_of(state), side)


def halves_of(state: State) -> BySide[Area] | None:
    """Where each side's dice lie as a rule, None where people throw where there is room."""
    if is_half_ignored(state):
        return None
    seating = seating_of(state)
    return BySide(right_half(seating, Side.WHITE), right_half(seating, Side.BLACK))


def side_of(state: State, dice: Sequence[Track]) -> Side | None:
    """The side in whose half all these dice lie, None where that tells nothing."""
    halves = halves_of(state)
    if halves is None or not dice:
        return None
    return next((s for s in Side if all(lies_inside(t, halves[s]) for t in dice)), None)


ONE_IN: Final = 4
"""Where a throw in so many lies in the other half and is played, people throw where there is room:
one that lies there speaks for that as much as half a dozen in their own half speak against it, and
most tables keep to halves. Less often it was a slip, and halves still tell whose dice lie there."""


def is_half_ignored(state: State) -> bool:
    """Whether dice count wherever they lie: so the event, or so the people at this table."""
    match = state.match
    if match.event.dice_area is not DiceArea.RIGHT_HALF:
        return True
    return match.dice_elsewhere > 0 and match.dice_elsewhere * ONE_IN >= match.dice_read


def lies_inside(track: Track, area: Area) -> bool:
    """Whether a die lies in an area, by its distance from west to east alone."""
    return area[0] <= track.thrown_to[0] <= area[2]

"""Whether a checker that is gone, though nobody may bear it off, was taken off by the hand that
played, as a slip is made; else it fell, or its pile is misread.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rules.board import BAR, OFF, POINTS, Placement, Side
from rules.dice import ROLLS, Roll
from rules.play import plays
from rules.position import Position
from service.reconcile import hypotheses
from service.reconcile.codes import ONE_CHECKER, Codes, checkers_of, codes_of, placement_from
from service.reconcile.memory import misses_one


def may_be_taken_off(position: Position, codes: Codes, roll: Roll | None) -> bool:
    """Whether what stands there, (26,), is at most the doing of one hand: none is gone that nobody
    may bear off, or one of the side on roll, and the rest is part of its roll and no whole play.
    """
    if not misses_one(position, placement_from(codes)):
        return True
    side, before = position.side, codes_of(position.placement)
    if checkers_of(codes, side.other)[OFF] != checkers_of(before, side.other)[OFF]:
        return False
    if checkers_of(codes, side)[OFF] != checkers_of(before, side)[OFF] + 1:
        return True
    back = []
    for site in (*POINTS, BAR):
        if checkers_of(before, side)[site] > checkers_of(codes, side)[site]:
            each = codes.copy()
            each[site] += ONE_CHECKER[side]
            each[OFF] -= ONE_CHECKER[side]
            back.append(placement_from(each))
    rolls = ROLLS if roll is None else (roll,)
    whole = any(is_whole(position, each, back) for each in rolls)
    return is_begun(position, roll, back) and not whole


def is_whole(position: Position, roll: Roll | None, placements: Sequence[Placement]) -> bool:
    """Whether one of these placements is what a play of the roll leaves that moves a checker."""
    return roll is not None and any(
        each != position.placement and plays(position, roll).find(each) for each in placements
    )


def is_begun(position: Position, roll: Roll | None, placements: Sequence[Placement]) -> bool:
    """Whether nothing but what is gone was moved in one of these placements, or one checker by a
    die of the roll.
    """
    before, side = codes_of(position.placement), position.side
    for each in placements:
        after = codes_of(each)
        then, now = checkers_of(before, side), checkers_of(after, side)
        moved = int(np.maximum(now.astype(np.int16) - then, 0).sum())
        touched = (checkers_of(before, side.other) != checkers_of(after, side.other)).any()
        if moved == 0 and not touched:
            return True
        if moved == 1:
            made = hypotheses.one_move(before, after, side, position.ruleset.facing)
            if made.is_half(roll):
                return True
    return False


def lies_between(position: Position, roll: Roll | None, placement: Placement) -> bool:
    """Whether what stands there is what a whole play of the roll leaves, of any where nobody knows
    it, but for the checker that is gone: laid between two points it reads on neither. Where nothing
    else was moved, it was taken off.
    """
    side = position.side
    then, now = position.placement.counts(side), placement.counts(side)
    if all(now[site] <= then[site] for site in POINTS):
        return False
    free = [site for site in POINTS if not placement.counts(side.other)[site]]
    laid = [placement.moved(side, OFF, site) for site in free]
    return any(is_whole(position, each, laid) for each in (ROLLS if roll is None else (roll,)))


def has_lain_there(began: Placement, recorded: Placement, stood: Codes, side: Side) -> bool:
    """Whether all checkers of a side that are gone by `stood` (26,) lay there when its turn `began`
    already: where it had only just brought one by the record, nobody took it off, and the point
    reads one checker too few.
    """
    now, then = checkers_of(stood, side), checkers_of(codes_of(recorded), side)
    return bool((now < checkers_of(codes_of(began), side))[now < then].all())

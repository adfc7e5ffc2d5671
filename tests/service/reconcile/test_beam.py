"""Several turns at once: what dice that lay there cost the stories that are told of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rules.board import BAR, OFF, Placement, Side
from rules.dice import ROLLS, Roll
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile.beam import LATE_S, Beam
from service.reconcile.codes import CODES, ONE_CHECKER, SITES, codes_of
from service.reconcile.one_turn import LIVE, SURE_TURN
from service.reconcile.reel import Still, Throw

W, B = Side.WHITE, Side.BLACK
DENIED = -8.0
PILE = 23
"""Black's two-point: a camera hardly tells one height of its pile from another."""


def still(at: float, until: float, placement: Placement) -> Still:
    codes = codes_of(placement)
    logs = np.full((SITES, CODES), DENIED, np.float32)
    logs[np.arange(SITES), codes] = 0
    for more in (1, 2):
        logs[PILE, codes[PILE] + more * ONE_CHECKER[B]] = -1.5 * more
    return Still(-1, at, until, logs, np.ones(SITES, np.bool_))


def throw(at: float, until: float, side: Side, *dice: int) -> Throw:
    logs = np.full(len(ROLLS), -12.0)
    logs[ROLLS.index(Roll.of(*dice))] = 0
    return Throw(-1, at, until, logs, 0.98, at, side)


def test_a_turn_is_not_doubted_for_the_dice_that_lay_there_for_it() -> None:
    white = {BAR: 1, 19: 1, 13: 2, 8: 2, 7: 2, 4: 2, 3: 2, 2: 3}
    before = Placement.of(white, {20: 2, 21: 4, 22: 2, PILE: 4, 24: 3})
    after = Placement.of(white, {20: 2, 21: 4, 22: 2, PILE: 2, 24: 3, OFF: 2})
    stills = [still(0, 9, before), still(12, 19, after), still(21, 25, after)]
    throws = [
        throw(1, 9, W, 4, 3),
        throw(10, 11, B, 1, 1),
        throw(12, 19, W, 4, 2),
        throw(21, 25, B, 6, 5),
    ]
    start = Position.of(before, ruleset("nard"), W)
    read = Beam(stills, throws, None, LIVE).read([start])
    assert [(each.turn.side, str(each.turn.roll)) for each in read] == [
        (W, "43"),
        (B, "11"),
        (W, "42"),
    ]
    # Passing over a throw is as rare as it is, whatever it showed.
    assert min(each.gap for each in read) > 0.9 * -math.log(1 - throws[2].valid)


def test_who_could_not_play_has_danced_once_the_other_side_has_thrown() -> None:
    white = {BAR: 1, 13: 5, 8: 3, 6: 5, 2: 1}
    before = Placement.of(white, {20: 2, 21: 3, 22: 3, PILE: 4, 24: 3})
    throws = [throw(1, 9, W, 4, 3), throw(10, 12, B, 6, 1)]
    start = Position.of(before, ruleset("nard"), W)
    stills = [still(0, 9, before), still(10, 12, before)]
    (danced,) = Beam(stills, throws, None, LIVE).read([start])
    assert (danced.turn.side, str(danced.turn.roll)) == (W, "43")
    assert danced.left >= SURE_TURN


def test_what_stood_before_dice_were_thrown_was_not_moved_by_them() -> None:
    """Black moves one of White's checkers by its own die; White's throw of before it is no reason
    to think that White did.
    """
    black = {10: 2, 15: 2, 21: 3, 22: 2, PILE: 5, BAR: 1}
    before = Placement.of({20: 2, 6: 5, 5: 2, 4: 2, 2: 4}, black)
    shifted = before.moved(W, 20, 14)
    stills = [still(0, 5, before), still(6, 9, shifted), still(12, 16, shifted)]
    start = Position.of(before, ruleset("backgammon"), W)

    def turns(began: float) -> list[str]:
        throws = [throw(began, 16, W, 4, 2)]
        read = Beam(stills, throws, [5.5], LIVE).read([start])
        return [str(each.turn.roll) for each in read if each.turn.throw is not None]

    assert turns(5.2) == ["42"]
    assert turns(9 + LATE_S / 2) == ["42"], "pictures may be late"
    assert turns(11.5) == []


@pytest.mark.parametrize("presses", [[0.5], None])
def test_a_play_that_was_tried_may_be_followed_by_one_against_the_rules(
    presses: list[float] | None,
) -> None:
    """White tries one play of its 4-4 and leaves another there, one pip too far: which is likelier
    than a legal one that two points of the board deny, until it enters and afterwards. Where nobody
    presses its dice lie there still (331000 e15 g3: every play after such a turn was wrong).
    """
    white = {20: 1, 6: 2, 5: 3, 4: 2, 3: 2, 2: 4, 1: 1}
    before = Placement.of(white, {BAR: 1, 12: 1, 22: 2, PILE: 7, 24: 4})
    tried = before.moved(W, 20, 12).moved(B, 12, BAR).moved(W, 5, 1).moved(W, 5, 1)
    left = before.moved(W, 6, 2).moved(W, 6, 1).moved(W, 5, 1).moved(W, 5, 1)
    after = left.moved(B, BAR, 9)
    stills = [still(0, 6, before), still(7, 9, tried), still(10, 17, left), still(19, 25, after)]
    throws = [throw(1, 14, W, 4, 4), throw(16, 25, B, 6, 3)]
    start = Position.of(before, ruleset("backgammon"), W)
    read = Beam(stills, throws, presses, LIVE).read([start])
    assert [(each.turn.side, each.turn.placement) for each in read] == [(W, left), (B, after)]

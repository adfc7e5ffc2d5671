"""Whether a checker that nobody may bear off was taken off by the hand that played."""

from __future__ import annotations

import pytest

from rules.board import OFF, Placement, Side
from rules.dice import Roll
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile.codes import codes_of
from service.reconcile.taken_off import may_be_taken_off

START = Position.start(ruleset("backgammon"), Side.WHITE)
STANDS = START.placement


@pytest.mark.parametrize(
    ("left", "taken"),
    [
        (STANDS.moved(Side.WHITE, 8, OFF), True),
        (STANDS.moved(Side.WHITE, 8, OFF).moved(Side.WHITE, 8, 3), True),
        # White has moved one of Black's: a second slip of the same hand (375500 e0 g3, 26 lines).
        (STANDS.moved(Side.WHITE, 8, OFF).moved(Side.BLACK, 17, 18), False),
        (STANDS.moved(Side.WHITE, 8, OFF).moved(Side.BLACK, 17, OFF), False),
        (STANDS.moved(Side.BLACK, 17, OFF), False),
    ],
)
def test_one_slip_a_hand(left: Placement, taken: bool) -> None:
    assert may_be_taken_off(START, codes_of(left), Roll(5, 2)) is taken

"""Which checkers that are gone, though nobody may bear them off, a hand may have taken off."""

from __future__ import annotations

import pytest

from rules.board import OFF, Placement, Side
from rules.dice import Roll
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile.codes import codes_of
from service.reconcile.taken_off import has_lain_there, may_be_taken_off

W = Side.WHITE


def white(**points: int) -> Placement:
    """White's checkers by their points, `p6=5`; Black has none."""
    counts = [0] * 26
    for point, n in points.items():
        counts[int(point[1:])] = n
    return Placement(tuple(counts), (0,) * 26)


def test_a_checker_that_its_turn_only_just_brought_was_not_taken_off() -> None:
    """Three read as two: a game went on for forty turns with a checker too few (280000 e2 g0)."""
    began, recorded = white(p3=2, p8=0, p13=3), white(p3=3, p8=2)
    assert not has_lain_there(began, recorded, codes_of(recorded.moved(W, 3, OFF)), W)


def test_one_that_lay_there_before_may_have_been() -> None:
    began, recorded = white(p3=3, p13=3), white(p3=3, p8=2, p13=1)
    assert has_lain_there(began, recorded, codes_of(recorded.moved(W, 3, OFF)), W)


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

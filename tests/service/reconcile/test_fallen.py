"""Checkers that are gone, where nobody may have borne them off."""

from __future__ import annotations

import pytest

from rules.board import Placement, Side
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile import as_explained

BASE = Placement(
    white=(0, 0, 5, 7, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    black=(2, 3, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 2, 1),
)
HOME = BASE.moved(Side.WHITE, 13, 6)


@pytest.mark.parametrize(
    ("stands", "told"),
    [
        (HOME, HOME),
        # White's 6-1 brought the last checker home; a pile of five reads as four beside it.
        (HOME.moved(Side.WHITE, 2, 0), HOME),
        # A throw that brings the last one home with one die, and takes one off with the other.
        (BASE.moved(Side.WHITE, 13, 7), BASE.moved(Side.WHITE, 13, 7)),
        # Two turns of White's lie between: nothing is known of it.
        (HOME.moved(Side.WHITE, 6, 0).moved(Side.WHITE, 5, 0).moved(Side.WHITE, 5, 0), None),
    ],
)
def test_what_is_gone_is_put_back_where_that_alone_makes_a_turn_of_it(
    stands: Placement, told: Placement | None
) -> None:
    """Both sources had read four of five since before the last checker was home (296000, 2, 3)."""
    position = Position.of(BASE, ruleset("backgammon"), Side.WHITE)
    assert as_explained(position, stands) == told

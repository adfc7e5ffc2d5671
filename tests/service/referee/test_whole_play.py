"""A whole play that stood there before the turn was ended: what says that it stands no more."""

from __future__ import annotations

import pytest

from rules.board import Side
from service.reconcile import Agreed, Differs, Explanation, Pending
from service.referee.inputs import Judged
from tests.service.hands import Hands, begun


def stands_whole(thrown: tuple[int, int] | None) -> tuple[Hands, Agreed]:
    """A table at which White has played 13/11 6/3, with the dice thrown or unseen, and what stands
    there.
    """
    hands = begun(Hands(board=False), Side.WHITE)
    if thrown is not None:
        hands.throw(*thrown)
    hands.move((13, 11), (6, 3))
    hands.wait(2.0)
    stood = hands.state.watch.whole
    assert isinstance(stood, Agreed)
    return hands, stood


@pytest.mark.parametrize(
    ("reason", "elsewhere", "kept"),
    [
        ("hand", None, True),
        ("unsettled", None, True),
        ("unsettled", False, True),
        ("unsettled", True, False),
        ("half_made", None, False),
    ],
)
def test_a_play_that_was_changed_stands_no_more_though_the_new_one_is_not_certain(
    reason: str, elsewhere: bool | None, kept: bool
) -> None:
    hands, stood = stands_whole((3, 2))
    made = stood.play.placement
    other = made.moved(Side.WHITE, 11, 8) if elsewhere else made
    hands.give(Judged(Pending(reason, likeliest=None if elsewhere is None else other)))
    assert (hands.state.watch.whole is not None) is kept


@pytest.mark.parametrize(("elsewhere", "kept"), [(False, True), (True, False)])
def test_a_play_of_dice_that_were_not_read_stands_no_more_once_another_turn_explains_the_board(
    elsewhere: bool, kept: bool
) -> None:
    """It rested on its way, and what is seen before the roll is known is told as what differs."""
    hands, stood = stands_whole(None)
    made = stood.play.placement
    other = made.moved(Side.WHITE, 11, 8) if elsewhere else made
    found = Explanation("turn", other, 0.6, ((stood.roll, stood.play),))
    hands.give(Judged(Differs((found,), (8, 11), {})))
    assert (hands.state.watch.whole is not None) is kept

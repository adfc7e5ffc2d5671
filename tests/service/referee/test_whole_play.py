"""A whole play that stood there before the turn was ended: what says that it stands no more."""

from __future__ import annotations

import pytest

from rules.board import Side
from service.reconcile import Agreed, Pending
from service.referee.inputs import Judged
from tests.service.hands import Hands, begun


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
    hands = begun(Hands(board=False), Side.WHITE)
    hands.throw(3, 2)
    hands.move((13, 11), (6, 3))
    hands.wait(2.0)
    stood = hands.state.watch.whole
    assert isinstance(stood, Agreed)
    made = stood.play.placement
    other = made.moved(Side.WHITE, 11, 8) if elsewhere else made
    hands.give(Judged(Pending(reason, likeliest=None if elsewhere is None else other)))
    assert (hands.state.watch.whole is not None) is kept

"""What was asked and not answered when play went on."""

from __future__ import annotations

import pytest

from rules.board import Side
from rules.dice import Roll
from rules.play import plays
from service.journal import entries as e
from service.reconcile import Ambiguous, Pending
from service.referee.draft import Draft
from service.referee.unanswered import go_on_without_an_answer
from tests.service.hands import Hands, begun


@pytest.mark.parametrize(("elsewhere", "likely"), [((8, 9), True), ((8, 13), False)])
def test_a_checker_between_two_points_is_where_the_likeliest_play_left_it(
    elsewhere: tuple[int, int], likely: bool
) -> None:
    """By itself it is read on the point beside; one that is read farther away stands there."""
    hands = begun(Hands(board=False), Side.WHITE)
    hands.throw(2, 1)
    roll = Roll.of(2, 1)
    made = next(p for p in plays(hands.state.position(), roll) if str(p) == "13/11 8/7")
    state = hands.state
    doubt = Ambiguous(((made, roll, 0.7),), e.Grounds(), legal=0.7)
    draft = Draft(state, state.at, e.TABLE)
    draft.say(e.TurnPressed(Side.WHITE, state.at, "next_roll", None, None))
    draft.watch(
        asked=doubt,
        verdict=Pending("unsettled"),
        stood=made.placement.moved(Side.WHITE, *elsewhere),
        warned=draft.state.watch.warned | {"choose_play"},
    )
    go_on_without_an_answer(draft)
    *_, line = draft.outcome().state.match.plays
    left = made.placement if likely else made.placement.moved(Side.WHITE, *elsewhere)
    assert (line.placement, line.standing) == (left, None if likely else e.Standing.UNRESOLVED)

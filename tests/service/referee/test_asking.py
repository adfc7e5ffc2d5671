"""What is asked of a turn that is not certain, and what the next throw is left to tell."""

from __future__ import annotations

import pytest

from rules.board import Side
from rules.dice import Roll
from rules.play import plays
from service.journal import entries as e
from service.reconcile import Agreed, Ambiguous
from service.referee.asking import next_turn_will_tell
from service.referee.draft import Draft
from tests.service.hands import Hands, begun


@pytest.mark.parametrize(
    ("stood", "share", "waits"),
    [("13/11 8/7", 0.7, True), ("13/11 8/7", 0.4, False), ("13/10", 0.7, False), ("", 0.7, False)],
)
def test_a_play_that_had_stood_whole_before_the_board_was_knocked_is_not_asked_about(
    stood: str, share: float, waits: bool
) -> None:
    hands = begun(Hands(board=False), Side.WHITE)
    hands.throw(2, 1)
    roll, state = Roll.of(2, 1), hands.state
    made = {str(p): p for p in plays(state.position(), roll)}
    draft = Draft(state, state.at, e.TABLE)
    draft.say(e.TurnPressed(Side.WHITE, state.at, "next_roll", None, None))
    if stood:
        whole = Agreed(made[stood], roll, state.match.origin, 0.999, e.Grounds())
        draft.watch(set_down=whole)
    doubt = Ambiguous(((made["13/11 8/7"], roll, share),), e.Grounds(), legal=share)
    assert next_turn_will_tell(draft, doubt) is waits

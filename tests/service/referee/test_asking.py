"""What is asked of a turn that is not certain, and what the next throw is left to tell."""

from __future__ import annotations

import pytest

from rules.board import Side
from rules.dice import Roll
from rules.play import plays
from rules.position import Position
from service.journal import entries as e
from service.reconcile import Agreed, Ambiguous, Recalled, TurnTold
from service.referee.asking import next_turn_will_tell
from service.referee.draft import Draft
from service.referee.inputs import StandingWatched
from service.referee.played_on import OUT_OF_TURN_S, on_standing
from service.referee.recalled_turns import enter_recalled
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
        draft.watch(set_down=(whole, state.at))
    doubt = Ambiguous(((made["13/11 8/7"], roll, share),), e.Grounds(), legal=share)
    assert next_turn_will_tell(draft, doubt) is waits


@pytest.mark.parametrize(("waited", "asks"), [(0.3, False), (OUT_OF_TURN_S + 0.1, True)])
def test_who_has_pressed_over_a_possible_dance_is_not_asked_at_once(
    waited: float, asks: bool
) -> None:
    """Half a second later both turns were told as they were seen (269500 e1 g1)."""
    state, roll = begun(Hands(), Side.WHITE).state, Roll.of(3, 1)
    assert state.match.ruleset is not None and state.game.placement is not None
    start = Position.of(state.game.placement, state.match.ruleset, Side.BLACK)
    made = Agreed(next(iter(plays(start, roll))), roll, e.DiceOrigin.READ, 0.999, e.Grounds())
    draft = Draft(state, state.at, e.TABLE)
    draft.watch(out_of_turn=(made, state.at - 9.0), early_press=(Side.BLACK, state.at - waited))
    on_standing(draft, StandingWatched(made.play.placement, made, certain=False))
    assert [a.matter for a in draft.state.alerts] == (["choose_play"] if asks else [])


def test_what_was_played_perhaps_out_of_turn_is_entered_once() -> None:
    """It was pressed for and thrown over as well, and stood in the record twice (365000 e1 g2)."""
    state, roll = begun(Hands(), Side.WHITE).state, Roll.of(3, 1)
    assert state.match.ruleset is not None and state.game.placement is not None
    start = Position.of(state.game.placement, state.match.ruleset, Side.BLACK)
    made = Agreed(next(iter(plays(start, roll))), roll, e.DiceOrigin.READ, 0.999, e.Grounds())
    draft = Draft(state, state.at, e.TABLE)
    stands, pressed = made.play.placement, (Side.BLACK, state.at - 8.0)
    draft.watch(out_of_turn=(made, state.at - 9.0), early_press=pressed)
    draft.watch(warned=frozenset({"choose_play"}), next_base=(stands, state.at - 8.0))
    on_standing(draft, StandingWatched(stands, made, certain=False, over_at=state.at - 1.0))
    assert len([body for body in draft.outcome().entries if isinstance(body, e.PlayEntered)]) == 1


@pytest.mark.parametrize("unresolved", [True, False])
def test_whose_turn_it_was_is_not_said_of_a_turn_that_nobody_can_explain(
    unresolved: bool,
) -> None:
    """Black's dice were hidden, it moved White's checker, and White was accused of having played
    out of turn (367500 e3 g2).
    """
    state, roll = begun(Hands(), Side.WHITE).state, Roll.of(3, 1)
    assert state.match.ruleset is not None and state.game.placement is not None
    start = Position.of(state.game.placement, state.match.ruleset, Side.BLACK)
    made = next(iter(plays(start, roll)))
    turn = TurnTold(Side.BLACK, made.placement, made, roll, True, state.at, True, unresolved)
    draft = Draft(state, state.at + 1.0, e.TABLE)
    enter_recalled(draft, Recalled((turn,), 0, 0.998, None), e.Grounds())
    assert [a.matter for a in draft.state.alerts] == ["unanswered" if unresolved else "illegal"]
    line = draft.state.match.plays[-1]
    assert (line.infraction == "") is unresolved

"""Turns that are told of while the one after them has been pressed for already."""

from __future__ import annotations

from rules.board import Side
from rules.dice import Roll
from rules.play import plays
from rules.position import Position
from service.journal import entries as e
from service.reconcile import Recalled, TurnTold
from service.referee.draft import Draft
from service.referee.entering import end_turn, enter_play
from service.referee.recalled_turns import enter_recalled
from service.referee.state import Phase, State
from tests.service.story import Story
from tests.service.storyteller import Teller

LINES = """
W turn 31 8/5 6/5
B turn 42 8/4 6/4
W 61
wait 1
"""


def pressed() -> State:
    """The state of a table at which White has just pressed for its second turn."""
    teller = Teller(Story("told_before", "", LINES, clock="ours"), "both")
    teller.tell()
    state = teller.hands.state
    assert (state.phase, state.turn.roll) == (Phase.MOVING, Roll.of(6, 1))
    draft = Draft(state, state.at, e.TABLE)
    end_turn(draft, Side.WHITE, state.at, "button")
    return draft.outcome().state


def told(state: State, ended: float) -> State:
    """The state after it is told that Black had played its last turn otherwise."""
    line = state.match.plays[-1]
    assert state.match.ruleset is not None
    assert line.before is not None
    began = Position.of(line.before, state.match.ruleset, Side.BLACK, line.first_turn)
    other = next(made for made in plays(began, Roll.of(4, 2)) if made.placement != line.placement)
    turn = TurnTold(Side.BLACK, other.placement, other, Roll.of(4, 2), True, ended)
    draft = Draft(state, state.at + 1, e.TABLE)
    enter_recalled(draft, Recalled((turn,), 1, 0.999), e.Grounds())
    return draft.outcome().state


def test_the_turn_in_progress_keeps_its_roll_and_its_press() -> None:
    state = pressed()
    after = told(state, state.turn.began)
    assert after.match.plays[-1].placement != state.match.plays[-1].placement
    assert (after.phase, after.turn.roll) == (Phase.PRESSED, Roll.of(6, 1))
    assert (after.match.pressed_at, after.match.pressed_by) == (state.match.pressed_at, "button")


def test_a_press_that_a_told_turn_may_have_used_is_none_of_the_next() -> None:
    state = pressed()
    assert told(state, state.match.pressed_at).phase is Phase.TO_ROLL


def test_the_turn_after_one_that_somebody_says_begins_when_it_is_said() -> None:
    """The turn before it was told of once it was over; when this one was, nobody has seen."""
    teller = Teller(Story("said_after", "", "W turn 31 8/5 6/5", clock="ours"), "both")
    teller.tell()
    state = teller.hands.state
    made = next(iter(plays(state.position(), Roll.of(4, 2))))
    turn = TurnTold(Side.BLACK, made.placement, made, Roll.of(4, 2), True, state.at)
    draft = Draft(state, state.at + 1, e.TABLE)
    enter_recalled(draft, Recalled((turn,), 0, 0.999), e.Grounds())
    state = draft.outcome().state
    draft = Draft(state, state.at + 20, e.TABLE)
    said = next(iter(plays(state.position(), Roll.of(6, 1))))
    enter_play(draft, said, Roll.of(6, 1), e.DiceOrigin.ENTERED, None, by_hand=True)
    assert draft.outcome().state.turn.began == state.at + 20

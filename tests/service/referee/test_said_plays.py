"""A play that somebody says and the record does not allow, while the board shows just that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.board import OFF, Placement, Side
from rules.dice import Roll
from rules.play import plays
from rules.position import Position
from service.journal import entries as e
from service.journal.codec import encode
from service.journal.entry import Who
from service.reconcile import Differs, Explanation
from service.referee.draft import Draft
from service.referee.inputs import Order
from service.referee.orders import declare_play
from service.referee.refusal import OrderError
from service.referee.state import Phase, PlayLine, State
from tests.service.hands import CONSOLE, Hands, begun, player

ROLL = Roll.of(3, 1)


def pressed(roll: Roll | None = ROLL) -> State:
    """White has thrown, or not, and ended its turn."""
    hands = begun(Hands(board=False), Side.WHITE)
    if roll is not None:
        hands.throw(roll.high, roll.low)
    draft = Draft(hands.state, hands.state.at, e.TABLE)
    draft.say(e.TurnPressed(Side.WHITE, hands.state.at, "button", None, None))
    return draft.outcome().state


def say(state: State, said: Placement, by: Who = CONSOLE, seen: Placement | None = None) -> State:
    """The state after a word, where `seen` stands on the board, what is said unless given."""
    draft = Draft(state, state.at, by)
    draft.watch(stood=said if seen is None else seen)
    declare_play(draft, Order("declare_play", {"placement": encode(said), "roll": [3, 1]}, by))
    return draft.outcome().state


def last(state: State) -> PlayLine:
    return state.match.plays[-1]


def test_what_the_board_shows_is_taken_although_the_record_does_not_allow_it() -> None:
    """A pile of the record is one off; who says what was played is not told that it is illegal."""
    state = pressed()
    stands = state.position().placement.moved(Side.WHITE, 13, 8)
    after = say(state, stands)
    line = last(after)
    assert (line.side, line.roll, line.placement) == (Side.WHITE, ROLL, stands)
    assert (line.infraction, line.standing, line.by_hand) == ("", e.Standing.UNRESOLVED, True)
    assert after.game.on_roll is Side.BLACK


@pytest.mark.parametrize("why", ["not seen", "own word"])
def test_a_word_alone_is_not_enough(why: str) -> None:
    """Where the board shows something else, or a player speaks for himself, it is refused."""
    state = pressed()
    before = state.position().placement
    stands = before.moved(Side.WHITE, 13, 8)
    with pytest.raises(OrderError, match="legal play"):
        if why == "not seen":
            say(state, stands, seen=before)
        else:
            say(state, stands, by=player(Side.WHITE))


def test_the_play_of_the_other_side_is_taken_as_that() -> None:
    """White's turn passed unseen; what is said is Black's play, and White is on roll after it."""
    state = pressed(roll=None)
    before = state.position()
    black = Position.of(before.placement, before.ruleset, Side.BLACK, True)
    stands = black.placement.moved(Side.BLACK, 17, 20).moved(Side.BLACK, 19, 20)
    after = say(state, stands)
    line = last(after)
    assert (line.side, line.roll, line.placement) == (Side.BLACK, ROLL, stands)
    assert line.standing is e.Standing.UNRESOLVED
    assert after.game.on_roll is Side.WHITE


def test_no_game_goes_on_from_two_sides_on_one_point() -> None:
    """What cannot be played on from is refused, seen or not."""
    state = pressed()
    stands = state.position().placement.moved(Side.WHITE, 13, 12)
    with pytest.raises(OrderError):
        say(state, stands)


def test_a_board_that_differs_is_explained_by_what_is_said_and_seen() -> None:
    """What people were asked about stands there, and somebody says how it was played."""
    state = pressed()
    stands = state.position().placement.moved(Side.WHITE, 13, 8)
    draft = Draft(state, state.at, e.TABLE)
    draft.say(e.BoardDiffered("board_and_record_differ", (8, 13), (), e.Grounds(), ()))
    differs = draft.outcome().state
    differs = replace(differs, watch=replace(differs.watch, base=(stands, state.at)))
    after = say(differs, stands)
    assert (last(after).placement, after.turn.difference) == (stands, None)
    assert last(after).roll == ROLL


def test_a_word_tells_which_of_two_explanations_it_was() -> None:
    """White's turn and Black's passed unseen; Black's may have been any of two rolls."""
    state = pressed(roll=None)
    before = state.position()
    one = next(p for p in plays(before, Roll.of(6, 5)) if str(p) == "24/13")
    black = before.after(one.view)
    two = next(p for p in plays(black, ROLL) if str(p) == "8/5 6/5")
    told = tuple(
        Explanation(
            "turns",
            two.placement,
            0.4,
            ((Roll.of(6, 5), one), (roll, two)),
            open_rolls=frozenset({1}),
        )
        for roll in (Roll.of(2, 2), ROLL)
    )
    draft = Draft(state, state.at, e.TABLE)
    draft.say(e.BoardDiffered("board_and_record_differ", (5, 8), (), e.Grounds(), ()))
    differs = draft.outcome().state
    offered = Differs(told, (5, 8))
    watch = replace(differs.watch, base=(two.placement, state.at), offered=offered)
    after = say(replace(differs, watch=watch), two.placement)
    assert [(p.side, p.roll) for p in after.match.plays[-2:]] == [
        (Side.WHITE, Roll.of(6, 5)),
        (Side.BLACK, ROLL),
    ]


def test_who_moves_both_sides_checkers_has_not_played() -> None:
    """Other turns passed: what is said is no play of the side on roll, whatever stands there."""
    state = pressed()
    stands = state.position().placement.moved(Side.WHITE, 13, 8).moved(Side.BLACK, 17, 20)
    with pytest.raises(OrderError, match="legal play") as refused:
        say(state, stands)
    assert "set the position" in refused.value.refusal.next


def test_the_last_checker_off_by_a_word_ends_the_game() -> None:
    """The record has one checker too many of the side that has borne off its last."""
    hands = begun(Hands(board=False), Side.WHITE)
    three = Placement.of({1: 3, OFF: 12}, {24: 2, OFF: 13})
    hands.order("set_position", placement=encode(three), on_roll="white")
    hands.order("declare_roll", roll=[3, 1])
    draft = Draft(hands.state, hands.state.at, e.TABLE)
    draft.say(e.TurnPressed(Side.WHITE, hands.state.at, "button", None, None))
    after = say(draft.outcome().state, Placement.of({OFF: 15}, {24: 2, OFF: 13}))
    assert (after.phase, after.match.finished[-1].winner) == (Phase.GAME_OVER, Side.WHITE)

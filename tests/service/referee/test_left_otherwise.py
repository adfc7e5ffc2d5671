"""A play that was entered as the likeliest, and from which play did not go on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.board import Side
from rules.dice import Roll
from rules.play import plays
from rules.position import Position
from service.journal import entries as e
from service.referee.draft import Draft
from service.referee.entering import enter_played_on, leave_as_it_stands
from service.referee.left_otherwise import PLAYED_ON, say_what_was_left
from service.referee.state import State
from service.referee.unanswered import perhaps_due
from tests.service.story import Story
from tests.service.storyteller import Teller

LINES = """
stand to B | W 3:1 6:5 8:2 13:5 24:2 | B 24:2 13:5 8:3 6:5
B 33
wait 1
B: 13/10 13/10 8/5 8/5
wait 1
B done
W 42
wait 1
"""


def entered_with(probability: float) -> State:
    """The state of a table whose last line was as likely as this when it was entered."""
    teller = Teller(Story("left_otherwise", "", LINES), "camera")
    teller.tell()
    state = teller.hands.state
    *before, last = state.match.plays
    assert last.text == "13/10(2) 8/5(2)"
    lines = (*before, replace(last, probability=probability))
    return replace(state, match=replace(state.match, plays=lines))


@pytest.mark.parametrize(("probability", "kinds"), [(0.7, "corrected"), (0.999, "position_set")])
def test_what_the_next_play_was_made_from_puts_a_likely_play_right(
    probability: float, kinds: str
) -> None:
    state = entered_with(probability)
    stood = state.position().placement.moved(Side.BLACK, 15, 16)
    assert state.match.ruleset is not None
    position = Position.of(stood, state.match.ruleset, Side.WHITE)
    made = next(iter(plays(position, Roll.of(4, 2))))
    draft = Draft(state, state.at, e.TABLE)
    enter_played_on(draft, stood, (Roll.of(4, 2), made), 0.999, e.Grounds())
    outcome = draft.outcome()
    assert outcome.entries[0].kind == kinds
    assert outcome.state.game.placement == made.placement
    *_, line, _ = outcome.state.match.plays
    if kinds == "corrected":
        # Nobody is accused: a checker may have been knocked as well.
        assert (line.placement, line.standing) == (stood, e.Standing.UNRESOLVED)
        assert (line.text, line.infraction, line.roll) == ("13/10 13/9 8/5(2)", "", Roll.of(3, 3))
    else:
        assert line.standing is None


def test_what_a_likely_play_left_is_no_part_of_the_next() -> None:
    """Nobody answers what White has played; it has moved none of Black's checkers."""
    state = entered_with(0.7)
    stood = state.position().placement.moved(Side.BLACK, 15, 16)
    assert state.match.ruleset is not None
    position = Position.of(stood, state.match.ruleset, Side.WHITE)
    made = next(iter(plays(position, Roll.of(4, 2))))
    draft = Draft(state, state.at, e.TABLE)
    leave_as_it_stands(draft, made.placement, 0.9, e.Grounds())
    *_, before, line = draft.outcome().state.match.plays
    assert (before.text, before.placement) == ("13/10 13/9 8/5(2)", stood)
    assert (line.text, line.standing) == (str(made), None)


def test_a_line_is_not_put_right_by_a_board_that_is_read_wrongly() -> None:
    """Two checkers stand elsewhere: no slip does that."""
    state = entered_with(0.7)
    stood = state.position().placement.moved(Side.BLACK, 15, 16).moved(Side.BLACK, 1, 2)
    draft = Draft(state, state.at, e.TABLE)
    assert not say_what_was_left(draft, stood, Side.WHITE)
    assert draft.outcome().entries[0].kind == "position_set"


@pytest.mark.parametrize(
    ("moved", "kind"),
    [(((20, 17), (20, 17), (19, 22), (19, 22)), "corrected"), (((15, 16),), "position_set")],
)
def test_a_changed_play_of_dice_that_nobody_read_is_put_right(
    moved: tuple[tuple[int, int], ...], kind: str
) -> None:
    """The camera was away while White changed its play: the line stayed as it had stood first, and
    a position followed (260000 e2 g2). A checker that was knocked is no play of such a roll.
    """
    state = entered_with(0.999)
    *before, last = state.match.plays
    lines = (*before, replace(last, roll=None, origin=e.DiceOrigin.UNKNOWN))
    state = replace(state, match=replace(state.match, plays=lines))
    stood = state.position().placement
    for here, there in moved:
        stood = stood.moved(Side.BLACK, here, there)
    draft = Draft(state, state.at, e.TABLE)
    assert say_what_was_left(draft, stood, Side.WHITE) is (kind == "corrected")
    outcome = draft.outcome()
    line = outcome.state.match.plays[-1]
    assert outcome.entries[0].kind == kind
    assert (line.text, str(line.roll or "")) == (
        ("13/10(2) 6/3(2)", "33") if kind == "corrected" else (last.text, "")
    )


@pytest.mark.parametrize(("reason", "perhaps"), [(PLAYED_ON, True), ("", False)])
def test_who_left_a_board_that_play_went_on_from_nobody_knows(reason: str, perhaps: bool) -> None:
    """White was told that it had played out of turn; Black had, unseen, in the turn before, and the
    record had only what stood there since (312000 e2 g0). A person says whose turn it is.
    """
    state = entered_with(0.999)
    stood = state.position().placement.moved(Side.WHITE, 8, 4)
    draft = Draft(state, state.at + 9, e.TABLE)
    draft.say(e.PositionSet(stood, Side.BLACK, first_turns=(False, False), reason=reason))
    assert perhaps_due(draft.state) is perhaps
    assert not perhaps_due(state)

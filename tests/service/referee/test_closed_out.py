"""A side that is closed out has a turn without a throw."""

from __future__ import annotations

from rules.dice import Roll
from rules.play import plays
from service.journal import entries as e
from service.reconcile import Agreed
from service.referee.draft import Draft
from service.referee.entering import agree
from tests.service.story import Story
from tests.service.storyteller import Teller

LINES = """
stand to W | W 1:2 2:2 3:2 4:2 5:2 6:2 7:2 8:1 | B bar:1 6:5 8:3 5:3 4:3
wait 1
W turn 31 8/5 7/6
wait 1
"""


def test_dice_that_lie_there_are_no_throw_of_a_side_that_is_closed_out() -> None:
    """The camera sees White's dice again only now."""
    teller = Teller(Story("closed_out", "", LINES, clock="ours"), "both")
    teller.tell()
    state = teller.hands.state
    assert state.turn.stuck
    assert state.turn.roll is None
    danced = next(made for made in plays(state.position(), Roll.of(3, 1)))
    draft = Draft(state, state.at, e.TABLE)
    agree(draft, Agreed(danced, Roll.of(3, 1), e.DiceOrigin.READ, 1.0))
    line = draft.outcome().state.match.plays[-1]
    assert (line.text, line.roll, line.origin) == ("no play", None, e.DiceOrigin.UNKNOWN)

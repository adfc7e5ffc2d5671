"""Turns that no press ended: the opponent threw, moved a checker and took up its dice."""

from __future__ import annotations

import pytest

from rules.board import Side
from rules.dice import Roll
from rules.play import plays
from service.journal import entries as e
from service.journal.entry import DiceOrigin
from service.reconcile import Agreed, NoDice
from service.referee.draft import Draft
from service.referee.inputs import NextRollWatched, PlayedOver
from service.referee.state import Phase, State
from service.referee.unpressed import on_played_over, watch_throw_over
from tests.service.hands import Hands, begun


def thrown_over(moved: bool, thrown_at: float | None) -> tuple[State, Agreed]:
    """The state, and White's whole play in it, once Black has thrown over that, `moved` a checker
    or not, and thrown again; None: has taken up its dice.
    """
    hands = begun(Hands(board=False), Side.WHITE, clock="ours")
    hands.order("start_clocks", side="white")
    roll = Roll.of(3, 1)
    hands.throw(3, 1).wait(1)
    assert hands.state.phase is Phase.MOVING
    made = next(p for p in plays(hands.state.position(), roll) if str(p) == "8/5 6/5")
    stood = Agreed(made, roll, DiceOrigin.READ, 1.0)
    draft = Draft(hands.state, hands.state.at + 9, e.TABLE)
    draft.watch(whole=stood, thrown_over=(stood, hands.state.at + 4, False))
    on_played_over(draft, PlayedOver(None, moved))
    again = None if thrown_at is None else hands.state.at + thrown_at
    watch_throw_over(draft, NextRollWatched(NoDice(), again))
    return draft.outcome().state, stood


@pytest.mark.parametrize(
    ("moved", "thrown_at", "over"),
    [(True, None, True), (True, 8.0, True), (True, 4.0, False), (False, None, False)],
)
def test_who_threw_moved_and_took_up_its_dice_has_played_whichever_play_that_was(
    moved: bool, thrown_at: float | None, over: bool
) -> None:
    """A pile that both sources misread left no play of Black's certain, and the table stopped
    (296000, tavern people, both sensors).
    """
    state, stood = thrown_over(moved, thrown_at)
    lines = [(line.side, line.placement) for line in state.match.plays]
    assert lines == ([(Side.WHITE, stood.play.placement)] if over else [])
    assert (state.game.on_roll is Side.BLACK) is over

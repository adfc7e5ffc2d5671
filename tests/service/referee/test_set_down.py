"""A whole play that was left standing, and over which the other side has played unseen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.board import Side
from service.journal.entries import PlayEntered
from service.referee.inputs import StandingWatched
from service.referee.set_down import LOOKED_S, awaits_what_stands
from service.referee.state import Phase, State
from service.referee.step import step
from tests.service.hands import Hands, begun

W, B = Side.WHITE, Side.BLACK


def ended_by_its_dice(table: Hands) -> State:
    """A turn whose dice were taken up once its whole play stood there no more."""
    table.throw(5, 1).move((13, 8), (6, 5))
    state = table.state
    assert state.watch.whole is not None
    assert state.watch.rest_since is not None
    watch = replace(
        state.watch,
        set_down=(state.watch.whole, state.watch.rest_since),
        whole=None,
        rest_since=None,
    )
    match = replace(state.match, pressed_at=table.now, pressed_by="dice_lifted")
    return replace(state, phase=Phase.PRESSED, match=match, watch=watch)


@pytest.mark.parametrize("answered", [True, False])
def test_what_stands_there_after_a_turn_that_nobody_saw_is_two_turns(answered: bool) -> None:
    """The picture hung, Black had hit meanwhile, and White was asked whether it had thrown another
    roll: one line had what both had played (363500 e0 g2).
    """
    table = begun(Hands(board=False), W)
    state, after = ended_by_its_dice(table), table.placement
    stands = table.moved((13, 9), (24, 23), side=B if answered else W)
    seen = StandingWatched(stands, None, certain=True, over_at=None, unplayed=False)
    outcome = step(state, seen, table.now + 2.0)
    played = [body.placement for body in outcome.entries if isinstance(body, PlayEntered)]
    assert played == ([after] if answered else [])
    if answered:
        assert (outcome.state.phase, outcome.state.game.on_roll) == (Phase.PRESSED, B)
    else:
        assert outcome.state.watch.stood == stands


def test_nobody_is_asked_before_it_is_known_what_stands_there() -> None:
    table = begun(Hands(board=False), W)
    state = ended_by_its_dice(table)
    assert awaits_what_stands(state, table.now + LOOKED_S / 2)
    assert not awaits_what_stands(state, table.now + LOOKED_S)
    pressed = replace(state, match=replace(state.match, pressed_by="button"))
    assert not awaits_what_stands(pressed, table.now + LOOKED_S / 2)

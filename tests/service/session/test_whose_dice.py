"""Whose the dice are that come to lie there: those of this turn, pushed, or the next throw."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.board import Side
from service.reconcile import Pending
from service.reconcile.tracks import Track, follow_dice
from service.session.whose_dice import only_pushed
from tests.service.hands import Hands, begun, die


def lying(east: float, since: float, until: float) -> tuple[Track, ...]:
    """The tracks of a 6 and a 2 that were seen there from `since` to `until`, s."""
    tracks: tuple[Track, ...] = ()
    for at in (since, until):
        seen = (die(6, (east, 0.4)), die(2, (east + 0.12, 0.5)))
        tracks = follow_dice(tracks, seen, at, still=True)
    return tracks


@pytest.mark.parametrize("moved", [False, True])
def test_the_same_roll_over_a_play_that_likely_stands_is_the_next_throw(moved: bool) -> None:
    """The opponent threw what this side had thrown, within 0.6 s, beside a pile that nobody counts:
    two turns were lost, and the table stood still (282000 e0 g0).
    """
    table = begun(Hands(), Side.WHITE)
    table.throw(6, 2)
    state, placement = table.state, table.state.game.placement
    assert placement is not None
    likeliest = placement.moved(Side.WHITE, 24, 16) if moved else placement
    state = replace(
        state, watch=replace(state.watch, verdict=Pending("unsettled", (), {}, likeliest))
    )
    first = tuple(replace(t, gone_at=11.5) for t in lying(0.6, 10.0, 11.0))
    assert only_pushed(state, first, lying(0.1, 11.5, 11.8)) is not moved

"""Whose the dice are that come to lie there: those of this turn, pushed, or the next throw."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.board import Placement, Side
from service.reconcile import Pending
from service.reconcile.tracks import Track, follow_dice
from service.session.whose_dice import only_pushed, split_dice
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


@pytest.mark.parametrize("others", [True, False])
def test_dice_that_come_beside_others_were_thrown_then(others: bool) -> None:
    """0.6 s after a restart Black throws beside White's dice, which lay there without them; they
    were taken for dice that may have lain there, and two turns were lost (362500 e5 g3).
    """
    table = begun(Hands(), Side.WHITE)
    table.throw(6, 2)
    began = table.now
    old = lying(0.7, began, began + 0.9) if others else ()
    new = lying(0.1, began + 0.6, began + 0.9)
    assert split_dice(table.state, old + new, looking_since=began).late == (new if others else ())


@pytest.mark.parametrize(("closed", "played_out"), [((19, 20, 21), False), ((19, 21, 23), True)])
def test_a_roll_that_could_be_played_and_was_lifted_is_thrown_again(
    closed: tuple[int, ...], played_out: bool
) -> None:
    """White threw 6-2 too early, took the dice up, and threw into the other half: a question was
    asked of a dance that was none (385000 e2 g0). Where 6-2 does not come in, the next side throws.
    """
    table = begun(Hands(board=False), Side.WHITE, clock="none")
    stands = Placement.of({25: 1, 13: 9, 6: 5}, {1: 9, **dict.fromkeys(closed, 2)})
    sides = {"white": list(stands.white), "black": list(stands.black)}
    table.put(stands, 1.0).order("set_position", placement=sides, on_roll="white")
    began = table.now
    early = tuple(replace(t, gone_at=began + 2) for t in lying(0.7, began + 0.5, began + 1.5))
    later = lying(0.1, began + 4, began + 5)
    found = split_dice(table.state, early + later, looking_since=-1.0)
    assert found.late == (later if played_out else ())

"""What tells that a turn which nobody pressed for was played."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.board import Side
from rules.dice import Roll
from rules.play import plays
from service.reconcile import Agreed, Differs, Explanation, NoDice, Pending
from service.referee.inputs import RollWatched
from service.referee.step import step
from service.referee.unpressed import LEFT_S, has_moved_before
from tests.service.hands import Hands, begun


@pytest.mark.parametrize(
    ("kind", "touched_s", "moved"),
    [("turn", 2 * LEFT_S, True), ("set", 2 * LEFT_S, False), ("turn", LEFT_S / 2, False)],
)
def test_who_has_played_a_turn_that_explains_the_board_has_not_doubled(
    kind: str, touched_s: float, moved: bool
) -> None:
    """The turn before was told of late, its dice are gone, and the cube is pushed (261000): what
    stands there is that side's play, and no double waits for an answer.
    """
    state = begun(Hands(board=False), Side.WHITE).state
    roll = Roll.of(3, 1)
    made = next(p for p in plays(state.position(), roll) if str(p) == "8/5 6/5")
    told = Explanation(kind, made.placement, 0.7, ((roll, made),))
    since = state.at + 10.0
    verdict = Differs((told,), (5, 6, 8))
    watch = replace(state.watch, touched_since=since - touched_s, verdict=verdict)
    assert has_moved_before(replace(state, watch=watch), since) is moved


@pytest.mark.parametrize("unsettled", [False, True])
def test_a_throw_over_a_play_enters_it_at_once_unless_more_was_moved(unsettled: bool) -> None:
    """Two checkers were borne off with a die that nobody told from the one that lay there: the turn
    was lost, and every play after it stood on a board with two checkers more (280000 e0 g1).
    """
    table = begun(Hands(), clock="none")
    table.throw(3, 1).play_any().wait(3.0)
    state, now = table.state, table.now
    assert isinstance(state.watch.whole, Agreed)
    verdict = Pending("unsettled") if unsettled else state.watch.whole
    watch = replace(state.watch, verdict=verdict, empty_since=now - 1.0)
    given = RollWatched(NoDice(), thrown_over_at=now)
    found = step(replace(state, watch=watch), given, now)
    assert [body.kind for body in found.entries] == ["pressed", "played"][: 2 - unsettled]

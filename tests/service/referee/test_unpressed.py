"""What tells that a turn which nobody pressed for was played."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.board import Placement, Side
from rules.dice import Roll
from rules.play import plays
from rules.position import Position
from service.journal import entries as e
from service.journal.entry import DiceOrigin
from service.reconcile import Agreed, Differs, Explanation, NoDice, Pending, RollRead
from service.referee.draft import Draft
from service.referee.inputs import NextRollWatched, PlayedOver, RollWatched, StandingWatched
from service.referee.state import Phase, State
from service.referee.step import step
from service.referee.unpressed import (
    LEFT_S,
    has_moved_before,
    on_played_over,
    watch_throw_over,
)
from service.referee.waiting import STAYS_S
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


@pytest.mark.parametrize("after_whole", [True, False])
def test_a_whole_play_over_which_the_other_side_has_played_and_pressed_is_entered(
    after_whole: bool,
) -> None:
    """Thrown into the wrong half, the throw over it was taken for its own side's: two turns were
    lost, and people were to compare the board (288000 e1 g2).
    """
    table = begun(Hands(), clock="ours")
    table.order("start_clocks", side="white")
    table.throw(3, 1).move((8, 5), (6, 5)).wait(3.0)
    whole, now = table.state.watch.whole, table.now
    assert isinstance(whole, Agreed)
    from_there = whole.play.placement if after_whole else table.start()
    stands = from_there.moved(Side.BLACK, 1, 7).moved(Side.BLACK, 12, 14)
    state = replace(
        table.state,
        watch=replace(
            table.state.watch,
            whole=None,
            rest_since=None,
            set_down=(whole, now - 3.0),
            early_press=(Side.BLACK, now),
            next_base=(stands, now),
        ),
    )
    found = step(state, StandingWatched(stands), now + STAYS_S)
    kinds = [body.kind for body in found.entries]
    if not after_whole:
        # Black was not due: its play is on record, unresolved, whatever its dice were.
        assert kinds == ["position_set", "pressed", "played", "alert_raised"]
        line = found.state.match.plays[-1]
        assert (line.side, line.text, line.infraction) == (Side.BLACK, "24/18 13/11", "")
        # 6-2 or 2-2.
        assert (line.roll, line.origin) == (None, e.DiceOrigin.UNKNOWN)
        assert line.standing is e.Standing.UNRESOLVED
        assert found.state.game.on_roll is Side.WHITE
        return
    assert kinds == ["pressed", "played", "pressed"]
    assert (found.state.phase, found.state.game.on_roll) == (Phase.PRESSED, Side.BLACK)
    assert found.state.match.plays[-1].placement == whole.play.placement
    assert found.state.match.pressed_at == now
    # What stood there for long is looked at only now: no throw passes over it at once.
    assert found.state.watch.raised_at == found.state.watch.asked_since == now + STAYS_S


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


@pytest.mark.parametrize("faces", [None, Roll.of(6, 4)])
def test_a_turn_that_was_pressed_late_ends_once_and_a_throw_over_it_is_not_called_early(
    faces: Roll | None,
) -> None:
    state, _ = thrown_over(True, 4.0)
    now = state.at + 20
    seen = NoDice() if faces is None else RollRead(faces, 0.99)
    watch = replace(state.watch, next_roll=faces, next_since=now - 5.0)
    again = NextRollWatched(seen, None if faces is None else now - 1.0)
    over = step(replace(state, watch=watch), again, now)
    assert [body.kind for body in over.entries] == ["pressed", "played"]
    pressed = replace(state, phase=Phase.PRESSED)
    assert not step(pressed, NextRollWatched(NoDice()), now).entries


@pytest.mark.parametrize("whose", [Side.WHITE, Side.BLACK])
def test_a_turn_without_a_move_explains_no_board(whose: Side) -> None:
    """White's checker lay between two points while Black danced; White threw and moved it, and the
    record had it where it had seemed to lie, so that White's play was wrong (348500, camera alone).
    """
    table = begun(Hands(board=False), Side.BLACK)
    white = {18: 1, 2: 2, 3: 2, 4: 3, 5: 2, 6: 3, 13: 2}
    black = {25: 1, 19: 2, 20: 2, 21: 3, 23: 2, 16: 3, 12: 2}
    stands = Placement.of(white, black)
    table.placement = stands
    counts = {side.value: list(stands.counts(side)) for side in Side}
    table.order("set_position", placement=counts, on_roll="black")
    table.throw(6, 3).wait(2)
    assert table.last("neshast").side is Side.BLACK
    other = stands.moved(Side.WHITE, 18, 17) if whose is Side.WHITE else stands.moved(whose, 19, 20)
    begun_from = Position.of(other, table.state.position().ruleset, Side.BLACK)
    roll = Roll.of(6, 3)
    (dance,) = plays(begun_from, roll)
    story = Explanation("played_on", other, 0.99, ((roll, dance),), other)
    differs = Differs((story,), (17, 18), certain=story)
    watch = replace(table.state.watch, whole=None, verdict=differs)
    given = NextRollWatched(NoDice(), table.now)
    over = step(replace(table.state, watch=watch), given, table.now + STAYS_S)
    left = [body.placement for body in over.entries if isinstance(body, e.PlayEntered)]
    assert left == [stands if whose is Side.WHITE else other]

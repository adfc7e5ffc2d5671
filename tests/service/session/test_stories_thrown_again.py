"""Stories of dice that were thrown again, out of turn, or after a press."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.board import Side
from rules.dice import Roll
from rules.observation import DieReading, DieStatus
from service.reconcile.tracks import Track
from service.referee.state import Phase, State
from service.session.whose_dice import SplitDice, split_dice
from tests.service.hands import FRAME_S, Hands, begun, die

W, B = Side.WHITE, Side.BLACK


def test_dice_thrown_again_are_the_dice_of_the_turn(table: Hands) -> None:
    """A roll is withdrawn when others lie there: those are this turn's, and the play is judged by
    them, not the last roller's.
    """
    begun(table, clock="ours")
    table.throw(2, 1).wait(1.0)
    table.throw(4, 2).wait(1.0).expect(Phase.MOVING)
    assert table.last("roll_withdrawn").reason == "thrown_again"
    assert table.session.evidence is not None
    lying = [t for t in table.session.evidence.dice if t.gone_at is None]
    assert len(lying) == 2
    assert not any(t.stale for t in lying)


def test_thrown_again_and_played_out_of_turn(table: Hands) -> None:
    """Who plays out of turn, having thrown twice, has played the dice that lay there last."""
    begun(table, clock="ours")
    table.throw(3, 1)
    table.move((8, 5), (6, 5)).press()
    table.throw(4, 1, side=W).wait(1.0)
    table.throw(6, 1, side=W).wait(1.0)
    table.put(table.moved((13, 7), (8, 7), side=W)).press(W, seconds=1.5)
    assert table.state.match.plays[-1].infraction == "out_of_turn"
    assert table.state.match.plays[-1].roll == Roll.of(6, 1)


def test_dice_taken_up_again_at_once_end_no_turn(table: Hands) -> None:
    """Both sides agree to throw once more as soon as the roll counts, before anybody has looked at
    the checkers: nothing was moved, so the turn is not over.
    """
    table.board = False
    begun(table)
    table.wait(3.0)
    table.dice = (die(5, table.where(W)), die(2, table.where(W, 2)))
    while table.state.phase is not Phase.MOVING:
        table.wait(FRAME_S)
    table.dice = ()
    table.wait(0.8)
    table.hand_over = True
    table.wait(0.8)
    table.hand_over = False
    table.dice = (die(4, table.where(W)), die(3, table.where(W, 2)))
    table.wait(1.4).expect(Phase.MOVING)
    assert table.state.game.on_roll is W
    assert table.state.turn.roll == Roll.of(4, 3)


def _track(half: Side, first_at: float, gone_at: float | None = None) -> Track:
    east = 0.6 if half is W else 0.1
    logs = (0.0, -9.0, -9.0, -9.0, -9.0, -9.0)
    last = first_at + 0.2
    flat = {DieStatus.FLAT: 1.0}
    return Track((east, 0.5), logs, flat, 1.0, (0, 0, 0), first_at, last, seen=3, gone_at=gone_at)


def _pressed(table: Hands) -> State:
    """White's play with a roll that was read has just been ended, and is not judged yet."""
    begun(table, clock="ours")
    table.throw(3, 1)
    table.move((8, 5), (6, 5)).press(seconds=0.1).expect(Phase.PRESSED)
    return table.state


def test_dice_thrown_after_a_press_are_the_opponents_in_either_half(table: Hands) -> None:
    """Whoever pressed has played its roll: it throws no other."""
    state = _pressed(table)
    thrown = tuple(_track(W, table.now + 1.0) for _ in range(2))
    assert split_dice(state, thrown, -1.0) == SplitDice((), thrown)


def test_dice_that_come_after_others_were_taken_up_were_thrown_then(table: Hands) -> None:
    """The camera looks again, sees dice taken up, and others come at once: nobody need wait to know
    that these were not lying there.
    """
    state, back = _pressed(table), table.now + 1.0
    lifted = _track(W, back, gone_at=back + 0.4)
    thrown = tuple(_track(B, back + 0.5) for _ in range(2))
    assert split_dice(state, thrown, back).late == ()
    assert split_dice(state, (lifted, *thrown), back).late == thrown


def test_dice_thrown_once_the_other_side_has_thrown_are_none_of_the_turn_before(
    table: Hands,
) -> None:
    """White has played 3-1 and forgot its press; Black throws, and White throws too early for its
    next turn, and takes those up again.
    """
    begun(table, clock="ours")
    table.throw(3, 1)
    table.move((8, 5), (6, 5)).lift().wait(1.0).expect(Phase.MOVING)
    thrown = tuple(_track(B, table.now + 1.0) for _ in range(2))
    early = tuple(_track(W, table.now + 3.0, gone_at=table.now + 4.0) for _ in range(2))
    assert split_dice(table.state, (*thrown, *early), -1.0) == SplitDice((), thrown)


def test_dice_of_a_play_that_nobody_saw_thrown_are_not_the_next_sides(table: Hands) -> None:
    """The picture hung while White threw 1-1 into the other half and played them: they lie there
    when the camera looks again, and are no throw of Black's.
    """
    begun(table, clock="ours")
    table.dice = ()
    table.wait(1.0)
    table.move((8, 7), (8, 7), (6, 5), (6, 5)).press(seconds=2.0).expect(Phase.TO_ROLL)
    assert table.state.match.plays[-1].roll == Roll.of(1, 1)
    lying = tuple(_track(B, table.now + 2.0) for _ in range(2))
    assert split_dice(table.state, lying, table.now + 2.0).mine == ()
    assert split_dice(table.state, lying, -1.0).mine == lying


def test_who_has_thrown_over_a_forgotten_press_hands_nothing_back(table: Hands) -> None:
    """White forgot its press and left its dice lying; Black throws beside them what nobody can
    read, plays, and presses at once: that ends its own turn.
    """
    begun(table, clock="ours")
    table.throw(3, 1)
    table.move((8, 5), (6, 5)).wait(1.0).expect(Phase.MOVING)
    unread = {DieStatus.FLAT: 1.0}
    places = (table.where(B), table.where(B, 2))
    table.dice = (*table.dice, *(DieReading(place, (1.0,) * 6, unread) for place in places))
    table.wait(0.6)
    table.placement = table.moved((8, 4), (6, 4), side=B)
    table.wait(0.1).press(B, seconds=2.0)
    assert "turn_reopened" not in table.kinds
    assert [line.text for line in table.state.match.plays] == ["8/5 6/5", "8/4 6/4"]


@pytest.mark.parametrize(("pressed", "called"), [(False, True), (True, False)])
def test_nothing_is_called_illegal_where_the_other_side_has_pressed(
    table: Hands, pressed: bool, called: bool
) -> None:
    """Black's press was forgotten and its play fell apart; White has no play and presses, which
    ends nothing that the table knows of. What Black leaves after that may be two turns of its own.
    """
    begun(table, clock="ours")
    table.throw(3, 1).move((8, 5), (6, 5)).press(seconds=2.0)
    table.throw(4, 2).wait(3.0)
    if pressed:
        table.press(W, seconds=1.0)
        assert table.last("noted").matter == "press_ignored"
    table.move((8, 4), (6, 4), (24, 20), (13, 9)).press(seconds=2.0)
    assert ("illegal_noticed" in table.kinds) is called


@pytest.mark.parametrize("face", [1, 2])
def test_the_last_roll_that_lies_in_the_wrong_half_after_a_restart_is_not_thrown_again(
    table: Hands, face: int
) -> None:
    """White threw 1-1 into Black's half, and the table was started again: Black had thrown it and
    moved nothing, and its own throw was out of turn (386500 e3 g0). Other dice there are its own.
    """
    begun(table, clock="ours")
    table.throw(1, 1)
    table.move((8, 7), (8, 7), (6, 5), (6, 5)).press(seconds=2.0).expect(Phase.TO_ROLL)
    logs = tuple(0.0 if n + 1 == face else -9.0 for n in range(6))
    lying = tuple(replace(_track(B, table.now), logs=logs) for _ in range(2))
    elsewhere = replace(
        table.state, match=replace(table.state.match, dice_elsewhere=1, dice_read=40)
    )
    found = split_dice(elsewhere, lying, table.now)
    assert found.mine == (() if face == 1 else lying)
    # Where everybody has kept to the own half so far, it is another throw of the same.
    assert split_dice(table.state, lying, table.now).mine == lying

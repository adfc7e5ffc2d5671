"""Stories of dice, clocks and sensors: who rolled when, what was seen of it, and what a table
without one of its eyes does.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.board import Side
from rules.dice import Roll
from rules.observation import DieReading, DieStatus
from service.journal.entries import DiceOrigin
from service.referee.inputs import SourceChanged
from service.referee.state import Phase
from service.referee.step import replay
from service.session.belief import Session
from tests.service.hands import Hands, begun, check, die, player, stand

W, B = Side.WHITE, Side.BLACK


def test_picked_up_the_dice_before_the_clock(table: Hands) -> None:
    """The dice are lifted before the press: noted for the director, once; the play counts."""
    begun(table, clock="ours")
    table.throw(6, 5)
    table.move((24, 13)).press()
    table.throw(3, 1)
    table.move((8, 5), (6, 5))
    table.lift()
    table.wait(1.0)
    assert [n.matter for n in table.bodies("noted")] == ["dice_lifted_early"]
    table.press()
    assert table.last("played").notation == "8/5 6/5"
    assert table.last("played").origin is DiceOrigin.READ


def test_lifting_the_dice_is_the_clock_where_there_is_none(table: Hands) -> None:
    begun(table, clock="external")
    table.throw(3, 1)
    table.move((8, 5), (6, 5))
    table.lift()
    table.wait(1.5).expect(Phase.TO_ROLL)
    assert table.last("pressed").source == "dice_lifted"
    assert table.last("played").notation == "8/5 6/5"


def test_the_opponent_takes_the_dice_and_rolls_where_there_is_no_clock(table: Hands) -> None:
    begun(table, clock="none")
    table.throw(3, 1)
    table.move((8, 5), (6, 5))
    table.throw(6, 4, side=B)
    table.wait(2.0).expect(Phase.MOVING)
    assert table.last("played").notation == "8/5 6/5"
    assert (table.state.game.on_roll, table.state.turn.roll) == (B, table.roll(6, 4))


def test_a_clock_that_nobody_uses_or_whose_cable_is_out_stops_nothing(table: Hands) -> None:
    """A clock is set, but nobody presses it: the opponent's throw ends the turn, as it does when
    the buttons are gone.
    """
    begun(table, clock="ours")
    table.throw(3, 1)
    table.move((8, 5), (6, 5))
    table.throw(6, 4, side=B)
    table.wait(1.0).expect(Phase.MOVING)
    assert (
        table.last("pressed").source,
        table.last("played").notation,
        table.state.game.on_roll,
    ) == (
        "next_roll",
        "8/5 6/5",
        B,
    )
    table.move((24, 18), (13, 9)).press().expect(Phase.TO_ROLL)
    table.lose("board")
    table.throw(6, 5)
    table.move((24, 13)).lift()
    table.wait(1.0).expect(Phase.TO_ROLL)
    assert (table.last("pressed").source, table.last("played").notation) == ("dice_lifted", "24/13")
    assert not {"dice_called", "noted"} & set(table.kinds)


def test_rolled_before_the_clock(table: Hands) -> None:
    """The opponent rolls while the play stands unpressed: called premature, and after the press the
    interrupted side chooses.
    """
    begun(table, clock="ours")
    table.throw(6, 5)
    table.move((24, 13)).press()
    table.throw(3, 1)
    table.move((8, 5), (6, 5))
    mine = table.dice
    table.dice = (*mine, die(6, table.where(W)), die(6, table.where(W, 2)))
    table.wait(2.5)
    called = table.last("dice_called")
    assert (called.problem, called.side, called.roll) == ("premature", W, table.roll(6, 6))
    table.dice = table.dice[2:]
    table.press(B).expect(Phase.TO_ROLL)
    table.order("premature_again", by=player(B))
    assert table.last("roll_withdrawn").reason == "premature"
    table.throw(5, 2)
    assert table.state.turn.roll == table.roll(5, 2)


def test_a_cocked_die_is_called_once_and_never_rolled_for_anybody(table: Hands) -> None:
    begun(table)
    table.dice = (die(4, table.where(W)), die(2, table.where(W, 2), DieStatus.COCKED))
    table.wait(4.0).expect(Phase.TO_ROLL)
    assert [c.problem for c in table.bodies("dice_called")] == ["cocked"]
    table.throw(6, 1)
    assert table.state.turn.roll == table.roll(6, 1)
    assert len(table.bodies("dice_called")) == 1


def test_sensors_only_no_dice_seen(table: Hands) -> None:
    """No camera: the roll is inferred where only one explains the play."""
    table.camera = False
    begun(table)
    table.move((13, 7), (8, 7)).press(seconds=4).expect(Phase.TO_ROLL)
    played = table.last("played")
    assert (played.notation, played.origin, played.roll) == (
        "13/7 8/7",
        DiceOrigin.INFERRED,
        table.roll(6, 1),
    )


def test_the_dice_were_never_read_and_the_clock_forgotten(table: Hands) -> None:
    """No clock, dice under a lamp's glare: the opponent's throw ends the turn, whose roll is what
    the play says.
    """
    begun(table, clock="none")
    glare = DieReading(table.where(W), (1.0,) * 6, {DieStatus.FLAT: 1.0})
    table.dice = (glare, replace(glare, where=table.where(W, 2)))
    table.wait(1.0)
    table.move((13, 7), (8, 7)).wait(1.0).expect(Phase.TO_ROLL)
    table.throw(5, 2, side=B)
    table.wait(2.0).expect(Phase.MOVING)
    played = table.last("played")
    assert (played.notation, played.origin, played.roll) == (
        "13/7 8/7",
        DiceOrigin.INFERRED,
        table.roll(6, 1),
    )
    assert (table.state.game.on_roll, table.state.turn.roll) == (B, table.roll(5, 2))
    assert not {"dice_called", "differs"} & set(table.kinds)


def test_an_opening_die_leans(table: Hands) -> None:
    table.set_up()
    table.dice = (die(6, table.where(W)), die(3, table.where(B), DieStatus.COCKED))
    table.wait(3.0).expect(Phase.OPENING)
    assert [c.problem for c in table.bodies("dice_called")] == ["cocked"]
    table.throw_opening(6, 4).expect(Phase.MOVING)
    table.order("roll_again", reason="both agree")
    table.throw(2, 1).expect(Phase.MOVING)


def test_shish_besh_starts_at_once() -> None:
    hands = Hands()
    hands.set_up(
        ruleset="nard", length=None, options={"opening": "two_dice_each", "shish_besh": "starts"}
    )
    hands.dice = (die(6, hands.where(B)), die(5, hands.where(B, 2)))
    hands.wait(2.0).expect(Phase.TO_ROLL)
    thrown = hands.last("opening_thrown")
    assert (thrown.starter, thrown.plays, thrown.white) == (B, False, ())
    hands.throw(4, 2)
    assert hands.state.turn.roll == hands.roll(4, 2)
    check(hands)


def test_two_dice_each_the_higher_sum_rolls_again() -> None:
    hands = Hands()
    hands.set_up(ruleset="nard", length=None, options={"opening": "two_dice_each"})
    for white, black, phase in (((4, 2), (5, 1), Phase.OPENING), ((4, 4), (6, 1), Phase.TO_ROLL)):
        hands.lift()
        hands.dice = tuple(
            die(f, hands.where(s, n))
            for s, faces in ((W, white), (B, black))
            for n, f in enumerate(faces)
        )
        hands.wait(2.0).expect(phase)
    assert hands.state.game.on_roll is W
    check(hands)


def test_camera_only(table: Hands) -> None:
    table.board = False
    begun(table)
    table.throw(3, 1)
    table.move((8, 5), (6, 5)).press(seconds=4).expect(Phase.TO_ROLL)
    assert table.last("played").notation == "8/5 6/5"


def test_dice_pushed_aside_to_make_room(table: Hands) -> None:
    """Both dice are pushed to other places of the same half during the play: nothing was lifted,
    nobody rolled.
    """
    begun(table, clock="ours")
    table.throw(3, 1)
    table.move((8, 5))
    table.dice = (die(3, table.where(W)), die(1, table.where(W, 2)))
    table.wait(3.0)
    table.move((6, 5)).wait(2.0).expect(Phase.MOVING)
    table.press().expect(Phase.TO_ROLL)
    assert not {"noted", "dice_called"} & set(table.kinds)
    assert (table.last("played").notation, table.last("played").origin) == (
        "8/5 6/5",
        DiceOrigin.READ,
    )


def test_the_opponent_rolls_the_moment_the_clock_is_pressed(table: Hands) -> None:
    """The verdict is not there yet when other dice lie on the board: the play is judged by its own
    dice, and the new roll counts.
    """
    begun(table, clock="ours")
    table.throw(6, 5)
    table.move((24, 13))
    table.hand_over = True
    table.press(W, seconds=0.3)
    table.dice = (die(2, table.where(B)), die(1, table.where(B, 2)))
    table.wait(0.5)
    table.hand_over = False
    table.wait(2.5).expect(Phase.MOVING)
    assert (table.last("played").notation, table.last("played").roll) == ("24/13", table.roll(6, 5))
    assert (table.state.game.on_roll, table.state.turn.roll) == (B, table.roll(2, 1))
    assert "illegal_noticed" not in table.kinds


@pytest.mark.parametrize("area", ["right_half", "board"])
def test_power_cut_with_dice_on_the_board(area: str) -> None:
    """The process dies and comes back: before the roll the last roller's dice are nobody's news,
    during a play they are its own.
    """
    for pressed in (True, False):
        hands = Hands()
        begun(hands, clock="none", event={"dice": {"dice_area": area}})
        hands.throw(3, 1)
        hands.move((8, 5), (6, 5))
        if pressed:
            hands.press()
        phase = hands.state.phase
        hands.session = Session(replay(hands.entries))
        hands.wait(6.0).expect(phase)
        assert not {"dice_called", "noted"} & set(hands.kinds)
        if not pressed:
            hands.press().expect(Phase.TO_ROLL)
        hands.throw(6, 4)
        assert (hands.state.game.on_roll, hands.state.turn.roll) == (B, hands.roll(6, 4))
        check(hands)


def test_the_camera_goes_away_for_a_turn_and_comes_back(table: Hands) -> None:
    begun(table, clock="ours")
    table.throw(3, 1)
    table.lose("camera")
    table.move((8, 5), (6, 5)).press().expect(Phase.TO_ROLL)
    table.move((24, 18), (13, 11), side=B).press(B, seconds=3).expect(Phase.TO_ROLL)
    assert table.last("played").roll == table.roll(6, 2)
    table.camera = True
    table.give(SourceChanged("camera", True))
    table.wait(5.0).expect(Phase.TO_ROLL)
    assert "dice_called" not in table.kinds
    table.throw(5, 2)
    assert (table.state.game.on_roll, table.state.turn.roll) == (W, table.roll(5, 2))
    assert not table.state.alerts


@pytest.mark.parametrize("home", ["south-east", "south-west", "north-west", "north-east"])
@pytest.mark.parametrize("ruleset", ["backgammon", "narde"])
def test_either_seat_and_corner(home: str, ruleset: str) -> None:
    """Wherever sides sit, the opening is read from both halves, a roll from the roller's right."""
    hands = Hands()
    hands.set_up(
        ruleset=ruleset, length=None, clock="none", seating={"white": "dark", "home": home}
    )
    hands.throw_opening(5, 2)
    if hands.state.phase is Phase.TO_ROLL:
        hands.throw(4, 1)
    assert hands.state.game.on_roll is W and hands.state.turn.roll is not None
    hands.play_any().press()
    hands.throw(6, 3)
    assert (hands.state.game.on_roll, hands.state.turn.roll) == (B, hands.roll(6, 3))
    hands.play_any().press().expect(Phase.TO_ROLL)
    check(hands)


def test_a_throw_that_did_not_count_is_thrown_again(table: Hands) -> None:
    """A die leaned and nobody at the table took it for a roll, but the camera did: both are picked
    up and thrown once more.
    """
    begun(table, clock="ours")
    table.throw(6, 5)
    table.wait(1.0)
    assert table.last("rolled").roll == Roll(6, 5)
    table.lift()
    table.wait(1.0)
    table.throw(3, 1)
    table.wait(1.0)
    assert table.last("roll_withdrawn").reason == "thrown_again"
    table.move((8, 5), (6, 5)).press()
    played = table.last("played")
    assert (played.notation, played.roll, played.origin) == ("8/5 6/5", Roll(3, 1), DiceOrigin.READ)


def test_dice_thrown_again_after_a_checker_was_moved_change_no_roll(table: Hands) -> None:
    begun(table, clock="ours")
    table.throw(3, 1)
    table.move((8, 5), (6, 5))
    table.lift()
    table.wait(1.0)
    table.throw(6, 5, side=W)
    table.wait(1.0)
    assert not table.bodies("roll_withdrawn")
    assert table.press().last("played").roll == Roll(3, 1)


def test_a_play_set_down_and_changed_is_told_where_release_is_final(table: Hands) -> None:
    begun(table, clock="ours", event={"play": {"release_is_final": True}})
    table.throw(3, 1)
    table.move((8, 5), (6, 5))
    table.wait(2.0)
    table.move((5, 8), (5, 6), (24, 20))
    table.wait(2.0)
    noted = [n for n in table.bodies("noted") if n.matter == "release_is_final"]
    assert [n.text for n in noted] == ["8/5 6/5; 24/20"]
    assert table.press().last("played").notation == "24/20"
    assert not table.bodies("illegal_noticed")


def test_dice_taken_up_by_the_opponent_and_thrown_at_once_are_the_opponents(table: Hands) -> None:
    """Without a clock: of the new dice one is seen before the old are known to be gone, its fellow
    only when an arm goes away. They were not lying there when the turn began.
    """
    begun(table, clock="none")
    table.throw(3, 1).move((8, 5), (6, 5)).wait(2.0)
    table.hand_over = True
    table.wait(0.6)
    table.hand_over = False
    both = (die(4, table.where(B)), die(2, table.where(B, 2)))
    table.dice = both[:1]
    table.wait(1.5)
    table.dice = both
    table.wait(2.0).expect(Phase.MOVING)
    assert (table.state.game.on_roll, table.state.turn.roll) == (B, table.roll(4, 2))
    assert not table.state.alerts


@pytest.mark.parametrize("clock", ["none", "ours"])
def test_the_opponent_may_throw_the_same_roll(table: Hands, clock: str) -> None:
    """Taken up and thrown in half a second, after a whole play: it was not pushed there."""
    begun(table, clock=clock)
    table.throw(3, 1).move((8, 5), (6, 5)).wait(2.0)
    if clock == "ours":
        table.press(W)
    table.hand_over = True
    table.dice = ()
    table.wait(0.5)
    table.hand_over = False
    table.dice = (die(3, table.where(B)), die(1, table.where(B, 2)))
    table.wait(2.5).expect(Phase.MOVING)
    assert (table.state.game.on_roll, table.state.turn.roll) == (B, table.roll(3, 1))


def test_a_press_at_the_heels_of_a_hand_ends_the_turn(table: Hands) -> None:
    """Nobody saw the dice, and the table has not looked at the board yet."""
    begun(table, clock="ours")
    table.wait(3.0)
    table.hand_over = True
    table.wait(0.6)
    table.placement = table.moved((8, 5), (6, 5), side=W)
    table.hand_over = False
    table.wait(0.1)
    table.press(W, seconds=3.0).expect(Phase.TO_ROLL)
    assert table.last("played").notation == "8/5 6/5"
    assert not table.bodies("noted")


def test_the_next_throw_shows_what_the_illegal_play_was_thrown_with(table: Hands) -> None:
    """Black takes up the dice of White's illegal play and throws the same in half a second: its
    throw was not pushed there, and the play stands.
    """
    begun(table, clock="ours")
    table.throw(4, 3)
    table.move((13, 16), (8, 4)).press()
    table.expect(Phase.ILLEGAL)
    table.dice = ()
    table.wait(0.4)
    table.dice = tuple(die(face, table.where(B, 2 * n)) for n, face in enumerate((4, 3)))
    table.wait(2.0).expect(Phase.MOVING)
    assert (table.state.game.on_roll, table.state.turn.roll) == (B, table.roll(4, 3))
    assert "handed_back" not in table.kinds


def test_an_illegal_play_that_was_let_stand_is_put_right_after_all(table: Hands) -> None:
    """Black bears off with checkers on the bar, and White lets it stand; then Black takes it back,
    plays its roll and presses once more.
    """
    begun(table, clock="ours", first=B)
    white, black = {2: 6, 3: 2, 5: 1, 6: 3, 10: 1, 20: 1, 22: 1}, {25: 3, 24: 2, 7: 2, 6: 5, 2: 2}
    stand(table, white, black, B)
    before = table.placement
    table.throw(6, 1)
    table.put(before.moved(B, 19, 0)).press(B)
    placement = {"white": list(table.placement.white), "black": list(table.placement.black)}
    table.order("let_stand", by=player(W), placement=placement, roll=[6, 1])
    assert table.last("played").infraction
    table.wait(1.0)
    table.put(before.moved(B, 25, 1)).press(B)
    table.wait(3.0)
    assert table.state.match.plays[-1].text == "bar/24"
    assert table.state.game.placement == table.placement

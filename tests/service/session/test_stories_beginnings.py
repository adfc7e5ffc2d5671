"""Stories of cubes and of games that begin: what was turned counts, not what lies there, and the
first play tells whose game it is where no opening throw was seen.
"""

from __future__ import annotations

import pytest

from rules.board import Side
from rules.observation import CubeOwner, DieReading, DieStatus
from rules.position import Position
from service.referee.inputs import OpeningWatched
from service.referee.state import Phase
from service.session.opening import opening
from service.show.prompt import waits_for
from tests.service.hands import Hands, begun, die, player, stand

W, B = Side.WHITE, Side.BLACK


def test_a_cube_left_over_from_the_last_game_offers_nothing(table: Hands) -> None:
    table.show_cube(2, CubeOwner.BLACK)
    begun(table)
    table.wait(4.0).expect(Phase.TO_ROLL)
    table.throw(3, 1)
    table.move((8, 5), (6, 5)).press()
    table.wait(4.0).expect(Phase.TO_ROLL)
    assert not [k for k in table.kinds if k.startswith("cube")]
    assert table.state.game.cube == 1


def test_a_cube_laid_before_the_opponent_is_not_taken_by_lying_there(table: Hands) -> None:
    begun(table)
    table.show_cube(64, CubeOwner.CENTRE)
    table.show_cube(2, CubeOwner.BLACK, seconds=8.0).expect(Phase.DOUBLED)
    table.order("drop")
    assert table.last("game_ended").reason == "dropped"


def test_the_doubler_throws_so_it_was_taken(table: Hands) -> None:
    begun(table)
    table.show_cube(64, CubeOwner.CENTRE)
    table.show_cube(2, CubeOwner.BLACK, seconds=4.0).expect(Phase.DOUBLED)
    table.throw(6, 5).expect(Phase.MOVING)
    assert (table.last("cube_taken").source, table.state.game.cube) == ("dice", 2)
    assert (table.state.game.on_roll, table.state.turn.roll) == (W, table.roll(6, 5))


def test_who_plays_on_after_a_double_has_taken_it_whatever_stands_there(table: Hands) -> None:
    """The record was wrong before: the table waited for a word to the end of the game, and then
    took the swept board for a drop (372500, evening 5, camera alone).
    """
    begun(table)
    table.show_cube(64, CubeOwner.CENTRE)
    table.placement = table.placement.moved(W, 24, 17).moved(B, 1, 7).moved(B, 12, 15)
    table.show_cube(2, CubeOwner.BLACK, seconds=4.0).expect(Phase.DOUBLED)
    table.throw(3, 1, side=W).wait(1.0)
    assert "cube_taken" not in table.kinds
    table.throw(4, 2, side=B).wait(2.0)
    assert (table.last("cube_taken").source, table.state.game.cube) == ("dice", 2)


def test_dice_that_lay_there_before_the_word_take_no_double(table: Hands) -> None:
    """White throws and doubles at once: its dice are read when the double is on."""
    begun(table)
    table.dice = (die(6, table.where(W)), die(5, table.where(W, 2)))
    table.wait(0.4)
    table.order("offer", by=player(W))
    table.wait(4.0).expect(Phase.DOUBLED)
    assert "cube_taken" not in table.kinds


def test_dice_that_lie_ready_before_the_first_game_are_no_opening(table: Hands) -> None:
    """They were laid there while the start stood and the game waited for both players' word."""
    table.set_up(event={"match": {"confirm": True}})
    table.dice = (die(6, table.where(W)), die(3, table.where(B)))
    table.wait(3.0).expect(Phase.SETTING_UP)
    for side in Side:
        table.order("confirm", by=player(side))
    table.wait(4.0)
    assert "game_started" in table.kinds
    assert "opening_thrown" not in table.kinds


def test_the_checkers_set_up_anew_over_a_double_are_a_drop(table: Hands) -> None:
    begun(table)
    table.throw(3, 1)
    table.move((8, 5), (6, 5)).press()
    table.show_cube(64, CubeOwner.CENTRE)
    table.show_cube(2, CubeOwner.WHITE, seconds=4.0).expect(Phase.DOUBLED)
    assert table.state.match.ruleset is not None
    table.cube = None
    table.put(Position.start(table.state.match.ruleset, W).placement, 6.0)
    ended = table.last("game_ended")
    assert (ended.winner, ended.points, ended.reason) == (B, 1, "dropped")
    table.expect(Phase.OPENING)


@pytest.mark.parametrize("area", ["right_half", "board"])
@pytest.mark.parametrize("first", [W, B])
def test_who_plays_first_has_the_first_turn(table: Hands, first: Side, area: str) -> None:
    """Both dice of the first roll lie in one half; nobody says a word."""
    table.set_up(event={"dice": {"dice_area": area}})
    table.dice = (die(6, table.where(W)), die(1, table.where(W, 2)))
    table.wait(2.0).expect(Phase.OPENING)
    table.put(table.moved((13, 7), (8, 7), side=first)).wait(1.0).expect(Phase.MOVING)
    assert (table.state.game.on_roll, table.state.turn.roll) == (first, table.roll(6, 1))
    table.dice = ()
    table.wait(1.5).expect(Phase.TO_ROLL)
    table.dice = (die(4, table.where(B)), die(2, table.where(B, 2)))
    table.wait(2.0)
    table.put(table.moved((8, 4), (6, 4), side=first.other)).wait(1.0)
    table.lift().wait(1.5)
    played = [(b.side, b.notation, b.roll) for b in table.bodies("played")]
    assert played == [
        (first, "13/7 8/7", table.roll(6, 1)),
        (first.other, "8/4 6/4", table.roll(4, 2)),
    ]


def seen_as(
    face: int, where: tuple[float, float], *, other: int, p: float, flat: float = 0.98
) -> DieReading:
    """A die that shows a face with this probability, and else the other, as real readers say."""
    values = [1e-4] * 6
    values[face - 1], values[other - 1] = p, 1 - p
    return DieReading(where, (*values,), {DieStatus.FLAT: flat, DieStatus.COCKED: 1 - flat})


def test_an_opening_throw_is_read_as_sure_as_any_other(table: Hands) -> None:
    """Dice as a real reader gives them, flat at 0.98, one of them a 4 at 0.94."""
    table.set_up()
    table.dice = (
        seen_as(4, table.where(W), other=6, p=0.94),
        seen_as(2, table.where(B), other=1, p=0.99),
    )
    table.wait(2.0).expect(Phase.MOVING)
    thrown = table.last("opening_thrown")
    assert (thrown.white, thrown.black, thrown.origin.value) == ((4,), (2,), "read")


def test_an_opening_die_that_may_lean_a_little_is_read_like_any_other(table: Hands) -> None:
    """6-3 of 369500, evening 0: White's six "flat with 0.78"; the table asked what was thrown."""
    table.set_up(clock="ours")
    table.dice = (
        seen_as(6, table.where(W), other=5, p=0.97, flat=0.78),
        seen_as(3, table.where(B), other=2, p=0.98, flat=0.9),
    )
    table.wait(2.0).expect(Phase.MOVING)
    assert (table.state.game.on_roll, table.state.turn.roll) == (W, table.roll(6, 3))
    table.wait(10.0)
    assert not table.state.alerts


def unread_opening(table: Hands) -> Hands:
    table.set_up(clock="ours")
    table.dice = (
        seen_as(5, table.where(W), other=6, p=0.55),
        seen_as(2, table.where(B), other=1, p=0.99),
    )
    return table.wait(2.5)


def test_an_opening_throw_that_cannot_be_read_is_asked_about(table: Hands) -> None:
    unread_opening(table).expect(Phase.OPENING)
    table.wait(5.0)
    assert not table.state.alerts, "the first play may tell"
    table.wait(5.0)
    assert [a.matter for a in table.state.alerts] == ["say_roll"]
    waits = waits_for(table.state)
    assert (waits["code"], waits["args"]["likely"][0]) == (
        "say_opening",
        {"white": [5], "black": [2]},
    )
    table.order("declare_roll", white=[6], black=[2])
    table.expect(Phase.MOVING)
    assert (table.state.game.on_roll, table.state.turn.roll) == (W, table.roll(6, 2))
    assert not table.state.alerts


def test_whoever_plays_and_presses_answers_it_as_well(table: Hands) -> None:
    """The press comes before the table has told whose play it was."""
    unread_opening(table).wait(2.0)
    table.hand_over = True
    table.wait(0.5)
    table.placement, table.hand_over = table.moved((13, 8), (13, 11), side=W), False
    table.wait(0.3)
    table.press(W, seconds=1.5).expect(Phase.TO_ROLL)
    played = table.last("played")
    assert (played.side, played.roll, played.notation) == (W, table.roll(5, 2), "13/8 13/11")
    clock = table.state.match.clock
    assert table.state.game.on_roll is B and clock is not None and clock.running is B
    assert not table.state.alerts


def test_equal_dice_that_lie_there_are_not_asked_about(table: Hands) -> None:
    table.set_up().throw_opening(4, 4)
    assert table.state.turn.opening == (4, 4)
    table.dice = tuple(seen_as(4, d.where, other=6, p=0.6) for d in table.dice)
    table.wait(6.0)
    assert not table.state.alerts
    table.throw_opening(6, 4).expect(Phase.MOVING)


def test_an_opening_die_that_nobody_sees_is_asked_about_or_played(table: Hands) -> None:
    table.set_up(clock="ours")
    table.dice = (die(5, table.where(W)),)
    table.wait(9.0)
    assert not table.state.alerts, "the first play may tell"
    table.wait(10.0)
    assert [a.matter for a in table.state.alerts] == ["say_roll"]
    table.put(table.moved((13, 8), (13, 11), side=W), seconds=0.3)
    table.press(W, seconds=1.5).expect(Phase.TO_ROLL)
    played = table.last("played")
    assert (played.side, played.roll, played.notation) == (W, table.roll(5, 2), "13/8 13/11")
    assert not table.state.alerts


@pytest.mark.parametrize("moves", [((24, 18), (13, 11)), ((8, 4), (6, 4))])
@pytest.mark.parametrize("rest", [0.4, 5.0])
def test_dice_thrown_over_a_first_play_whose_dice_nobody_saw_are_the_next_roll(
    table: Hands, moves: tuple[tuple[int, int], ...], rest: float
) -> None:
    """They were called an opening throw in the wrong half, or White's in the other one."""
    table.set_up().wait(2.0)
    table.put(table.moved(*moves, side=W), seconds=rest)
    table.throw(6, 4, side=B).wait(3.0).expect(Phase.MOVING)
    assert "dice_called" not in table.kinds
    played = table.last("played")
    assert (played.side, played.placement) == (W, table.placement)
    assert (table.state.game.on_roll, table.state.turn.roll) == (B, table.roll(6, 4))


@pytest.mark.parametrize("equal", [0, 3])
@pytest.mark.parametrize("rest", [0.4, 5.0])
def test_a_double_thrown_over_the_first_play_is_the_other_sides(
    table: Hands, equal: int, rest: float
) -> None:
    """8/5 6/5 can be played with 1-1 as well, which no opening throw is, nor 3-3, which was equal
    and thrown again unseen.
    """
    table.set_up().wait(2.0)
    if equal:
        table.throw_opening(equal, equal).lift()
    table.put(table.moved((8, 5), (6, 5), side=W), seconds=rest)
    table.throw(1, 1, side=B).wait(3.0).expect(Phase.MOVING)
    played = table.last("played")
    assert (played.side, played.roll, played.infraction) == (W, None, "")
    assert played.notation == "8/5 6/5"
    assert (table.state.game.on_roll, table.state.turn.roll) == (B, table.roll(1, 1))


def test_who_was_said_to_begin_may_throw_a_double(table: Hands) -> None:
    """No opening was thrown: its 3-3 was taken for equal dice, and never announced."""
    table.order("set_match", ruleset="backgammon", length=5, clock="none")
    table.placement = table.start()
    table.wait(0.4).order("start_game", starter="white")
    table.wait(1.0).throw(3, 3).wait(1.0).expect(Phase.MOVING)
    assert table.state.turn.roll == table.roll(3, 3)


def test_dice_over_a_play_are_no_opening_throw_that_lies_wrongly(table: Hands) -> None:
    """Before anybody has told whose play it is."""
    table.set_up().wait(2.0)
    table.put(table.moved((24, 18), (13, 11), side=W), seconds=0.4)
    table.dice = (die(6, table.where(B)), die(4, table.where(B, 2)))
    table.wait(0.4).expect(Phase.OPENING)
    seen = table.session
    looks = opening(seen.state, seen.evidence, seen.looking_since, table.now)
    assert [look.problem for look in looks if isinstance(look, OpeningWatched)] != ["wrong_half"]


def unread(table: Hands, side: Side) -> tuple[DieReading, ...]:
    flat = {DieStatus.FLAT: 1.0}
    return tuple(DieReading(table.where(side, n), (1.0,) * 6, flat) for n in (0, 2))


def quickly(table: Hands, side: Side, *moves: tuple[int, int]) -> None:
    """A turn of a blitz without a clock: the last dice taken up, others thrown, played."""
    for seconds in (0.4, 0.4):
        table.hand_over = True
        table.wait(seconds)
        table.hand_over, table.dice = False, ()
        table.wait(0.2)
    table.dice = unread(table, side)
    table.wait(0.5)
    table.put(table.moved(*moves, side=side), seconds=0.4)


@pytest.mark.parametrize("first", [W, B])
def test_a_blitz_whose_opening_nobody_read_is_on_record_turn_by_turn(
    table: Hands, first: Side
) -> None:
    """The opening throw lies in one half, unread; no play rests for longer than half a second."""
    table.set_up()
    turns = [(first, (24, 23), (13, 8)), (first.other, (8, 3), (6, 3)), (first, (8, 4), (6, 4))]
    for number, (side, *moves) in enumerate(turns):
        quickly(table, side, *moves)
        assert len(table.bodies("played")) >= number - 1
    table.lift().wait(3.0)
    assert [(b.side, b.notation) for b in table.bodies("played")] == [
        (first, "24/23 13/8"),
        (first.other, "8/3 6/3"),
        (first, "8/4 6/4"),
    ]


def test_a_beaver_leaves_the_double_open_wherever_the_cube_is_put(table: Hands) -> None:
    begun(table, length=None, event={"match": {"beavers": True}})
    table.show_cube(None, CubeOwner.CENTRE)
    table.show_cube(None, CubeOwner.FIELD).expect(Phase.DOUBLED)
    table.order("beaver")
    table.show_cube(None, CubeOwner.BLACK, seconds=6.0).expect(Phase.DOUBLED)
    assert not table.bodies("cube_withdrawn")


def test_a_game_set_up_anew_after_a_take_is_no_drop_of_a_double_that_was_none(
    table: Hands,
) -> None:
    """The cube was pushed in the same turn and laid back before it was offered and taken."""
    begun(table)
    stand(table, {1: 5, 2: 5, 3: 5}, {1: 5, 2: 5, 3: 5})
    table.show_cube(None, CubeOwner.CENTRE)
    table.show_cube(None, CubeOwner.FIELD)
    table.show_cube(None, CubeOwner.CENTRE, seconds=5.0).expect(Phase.TO_ROLL)
    table.show_cube(None, CubeOwner.FIELD).expect(Phase.DOUBLED)
    table.show_cube(None, CubeOwner.BLACK, seconds=3.0).expect(Phase.TO_ROLL)
    assert table.state.match.ruleset is not None
    table.put(Position.start(table.state.match.ruleset, W).placement, 8.0)
    assert not table.bodies("cube_dropped")


@pytest.mark.parametrize("cleared", [W, B])
@pytest.mark.parametrize("seconds", [10.0, 3.0])
def test_who_was_seen_to_clear_the_board_first_has_won_the_game_that_is_set_up_anew(
    cleared: Side, seconds: float
) -> None:
    """White bears off its last four with a double behind a cup; either side may have been first.
    Where it lay so for a moment only, a side that gave up has swept its own checkers off.
    """
    table = begun(Hands(board=False))
    stand(table, {1: 4}, {1: 1})
    table.put(table.placement.borne_off(cleared), seconds)
    assert table.state.match.ruleset is not None
    table.put(Position.start(table.state.match.ruleset, W).placement, 8.0)
    won = [body.winner for body in table.bodies("game_ended")]
    assert won == ([cleared] if seconds > 8.0 else [])

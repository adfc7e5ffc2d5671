"""Doubles that nobody saw as they were offered: where the cube lies once play has gone on tells
them, and the record has them in the turn in which they were made.
"""

from __future__ import annotations

import pytest

from rules import game as do
from rules.board import Side
from rules.observation import CubeOwner
from service.journal.entries import DiceOrigin, OpeningThrown
from service.record.match_record import match_records
from service.referee.state import Phase
from service.session.belief import Session
from tests.service.hands import Hands, begun, die, player

W, B = Side.WHITE, Side.BLACK
PLACES = {W: CubeOwner.WHITE, B: CubeOwner.BLACK}
QUIET_S = 32.0
"""After so long without a touch a board that differs is asked about, s."""


@pytest.fixture
def table() -> Hands:
    return Hands()


def a_turn(table: Hands) -> None:
    """A roll, a play and a press of whoever is on roll."""
    table.throw(3, 1).play_any().press().expect(Phase.TO_ROLL)


def doubled_unseen(table: Hands) -> Side:
    """A double by hand while board and record differ, put right by a person; returns who."""
    begun(table)
    table.show_cube(None, CubeOwner.CENTRE)
    a_turn(table)
    # Nobody reads the dice of this one: nothing says when it was rolled.
    table.move((8, 5), (6, 5)).press().expect(Phase.TO_ROLL)
    doubler, stood = table.state.game.on_roll, table.state.game.placement
    assert stood is not None
    knocked = stood.moved(B, table.site(B, 6), 3).moved(W, 6, 18).moved(W, 8, 2)
    table.put(knocked, QUIET_S).expect(Phase.DIFFERS)
    table.show_cube(None, CubeOwner.BLACK if doubler is W else CubeOwner.WHITE)
    table.wait(4.0)
    sides = {"white": list(knocked.white), "black": list(knocked.black)}
    table.order("set_position", placement=sides, on_roll=doubler.value)
    table.wait(0.5).expect(Phase.TO_ROLL)
    assert "cube_offered" not in table.kinds
    return doubler


def test_a_double_while_board_and_record_differed_is_told_with_the_next_roll(table: Hands) -> None:
    doubler = doubled_unseen(table)
    a_turn(table)
    assert [(b.side, b.value, b.source) for b in table.bodies("cube_offered")] == [
        (doubler, 2, "seen_later")
    ]
    assert (table.state.game.cube, table.state.game.cube_owner) == (2, doubler.other)


def test_it_stands_in_the_match_file_before_the_roll_of_its_turn(table: Hands) -> None:
    doubler = doubled_unseen(table)
    a_turn(table)
    a_turn(table)
    (record,) = match_records(table.entries)
    at = next(n for n, action in enumerate(record.actions) if isinstance(action, do.Offered))
    offered, taken, rolled = record.actions[at : at + 3]
    assert isinstance(offered, do.Offered) and offered.side is doubler
    assert isinstance(taken, do.Taken)
    assert isinstance(rolled, do.Rolled) and rolled.side is doubler


def test_a_cube_that_lies_so_from_the_last_game_is_no_double_of_this_one(table: Hands) -> None:
    begun(table)
    table.show_cube(None, CubeOwner.CENTRE)
    a_turn(table)
    table.order("resign", by=player(table.state.game.on_roll), level=1)
    table.show_cube(None, CubeOwner.BLACK)
    table.order("accept_resignation", by=player(table.state.game.on_roll.other))
    table.expect(Phase.GAME_OVER).put(table.start(), 6.0).expect(Phase.OPENING)
    table.order("declare_roll", white=3, black=1)
    table.play_any().press()
    for _ in range(4):
        a_turn(table)
    assert not table.bodies("cube_taken")


@pytest.mark.parametrize("side", [W, B])
def test_a_cube_moved_before_the_opening_is_left_over(table: Hands, side: Side) -> None:
    """Somebody put it out of the way while the checkers were set up; its number tells nothing."""
    begun(table)
    table.show_cube(2, PLACES[side.other])
    a_turn(table)
    table.order("resign", by=player(table.state.game.on_roll), level=1)
    table.order("accept_resignation", by=player(table.state.game.on_roll.other))
    table.expect(Phase.GAME_OVER).put(table.start(), 6.0).expect(Phase.OPENING)
    table.show_cube(2, PLACES[side], seconds=4.0)
    table.order("declare_roll", white=3, black=1)
    table.play_any().press()
    for _ in range(3):
        a_turn(table)
    assert not table.bodies("cube_offered")


def test_a_cube_left_lying_at_a_side_and_pushed_there_is_no_double(table: Hands) -> None:
    """It lies at White's from the last game and comes back there from the field, Black to roll."""
    begun(table)
    table.show_cube(None, CubeOwner.WHITE)
    a_turn(table)
    table.show_cube(None, CubeOwner.FIELD, seconds=4.0)
    table.show_cube(None, CubeOwner.WHITE, seconds=4.0)
    for _ in range(4):
        a_turn(table)
    assert not table.bodies("cube_offered")
    assert table.state.game.cube == 1


def test_a_double_over_a_play_that_is_put_right_is_told_once_that_turn_is_over(
    table: Hands,
) -> None:
    """Nobody has lifted the dice or pressed; the play that stands there is none yet."""
    begun(table)
    table.show_cube(None, CubeOwner.CENTRE)
    a_turn(table)
    side, stood = table.state.game.on_roll, table.placement
    table.throw(3, 1).put(stood.moved(side, table.site(side, 8), table.site(side, 2)), 3.0)
    laid_at = {W: CubeOwner.WHITE, B: CubeOwner.BLACK}[side]
    table.show_cube(None, laid_at, seconds=4.0)
    assert "cube_offered" not in table.kinds
    table.play_any().press().expect(Phase.DOUBLED)
    assert table.last("cube_offered").side is side.other


def test_a_cube_that_shows_the_next_value_after_the_roll_was_doubled_before(table: Hands) -> None:
    """The number is read for once: nobody puts a cube out of the way so."""
    begun(table)
    table.show_cube(64, CubeOwner.CENTRE)
    a_turn(table)
    table.throw(3, 1)
    doubler = table.state.game.on_roll.other
    table.show_cube(2, CubeOwner.BLACK if doubler is W else CubeOwner.WHITE, seconds=4.0)
    table.play_any().press()
    a_turn(table)
    assert (table.state.game.cube, table.state.game.cube_owner) == (2, doubler.other)


def test_dice_over_a_cube_that_is_on_its_way_back_take_no_double(table: Hands) -> None:
    begun(table)
    table.show_cube(None, CubeOwner.CENTRE)
    a_turn(table)
    table.show_cube(None, CubeOwner.FIELD).expect(Phase.DOUBLED)
    side = table.lift().state.game.on_roll
    table.dice = (die(3, table.where(side, 0)), die(1, table.where(side, 2)))
    table.wait(0.3).show_cube(None, CubeOwner.CENTRE)
    assert (table.state.phase, table.state.game.cube) == (Phase.MOVING, 1)
    assert "cube_withdrawn" in table.kinds


def test_who_plays_an_opening_that_nobody_read_cannot_double(table: Hands) -> None:
    table.set_up()
    table.show_cube(None, CubeOwner.CENTRE).expect(Phase.OPENING)
    table.table_says(OpeningThrown((), (), B, False, DiceOrigin.INFERRED))
    table.show_cube(None, CubeOwner.FIELD, seconds=4.0).expect(Phase.TO_ROLL)
    assert "cube_offered" not in table.kinds


def test_a_cube_left_lying_at_one_side_and_laid_before_the_other_was_doubled(table: Hands) -> None:
    begun(table)
    table.show_cube(None, CubeOwner.WHITE)
    a_turn(table)
    a_turn(table)
    table.show_cube(None, CubeOwner.BLACK).expect(Phase.DOUBLED)
    assert table.last("cube_offered").side is W


@pytest.mark.parametrize("number", [None, 2])
def test_what_a_person_says_of_the_cube_is_not_overruled_by_where_it_lies(
    table: Hands, number: int | None
) -> None:
    """It was no double; the cube is left lying where it was put."""
    doubler = doubled_unseen(table)
    if number is not None:
        table.show_cube(number, CubeOwner.BLACK if doubler is W else CubeOwner.WHITE)
    table.throw(3, 1).play_any().press().expect(Phase.TO_ROLL)
    assert table.state.game.cube == 2
    stood = table.placement
    sides = {"white": list(stood.white), "black": list(stood.black)}
    table.order("set_position", placement=sides, on_roll=doubler.other.value, cube=1)
    for _ in range(3):
        table.wait(2.0)
        a_turn(table)
    assert (table.state.game.cube, table.state.game.cube_owner) == (1, None)


def doubled(table: Hands) -> Side:
    """A double by hand, seen and taken; who has the cube, which shows 2."""
    begun(table)
    table.show_cube(64, CubeOwner.CENTRE)
    a_turn(table)
    taker = table.state.game.on_roll.other
    table.show_cube(2, CubeOwner.FIELD).expect(Phase.DOUBLED)
    table.show_cube(2, PLACES[taker]).expect(Phase.TO_ROLL)
    assert (table.state.game.cube, table.state.game.cube_owner) == (2, taker)
    return taker


def test_a_double_while_the_camera_was_away_is_told_once_it_is_back(table: Hands) -> None:
    taker = doubled(table)
    a_turn(table)
    assert table.state.game.on_roll is taker
    table.camera = False
    table.wait(6.0)
    table.camera = True
    table.show_cube(4, PLACES[taker.other])
    a_turn(table)
    a_turn(table)
    assert (table.state.game.cube, table.state.game.cube_owner) == (4, taker.other)
    assert [b.side for b in table.bodies("cube_offered")] == [taker.other, taker]


def test_a_double_over_a_restart_is_told_with_the_next_roll(table: Hands) -> None:
    """The table was opened again meanwhile, and has forgotten how the cube lay."""
    taker = doubled(table)
    a_turn(table)
    table.session = Session(state=table.state)
    table.show_cube(4, PLACES[taker.other])
    assert table.state.game.on_roll is taker
    table.throw(3, 1)
    assert (table.state.game.cube, table.state.game.cube_owner) == (4, taker.other)
    assert table.last("cube_offered").source == "seen_later"


def test_a_cube_left_over_is_no_double_though_the_table_was_opened_again(table: Hands) -> None:
    """Nobody has doubled in this game yet: it lies as it lay when the last game was over."""
    begun(table)
    table.show_cube(2, CubeOwner.BLACK)
    a_turn(table)
    table.session = Session(state=table.state)
    table.wait(2.0)
    for _ in range(4):
        a_turn(table)
    assert not table.bodies("cube_offered")


def test_a_cube_unmoved_while_the_camera_was_away_is_known_as_before(table: Hands) -> None:
    begun(table)
    table.show_cube(64, CubeOwner.CENTRE)
    a_turn(table)
    table.camera = False
    table.wait(6.0)
    table.camera = True
    a_turn(table)
    table.show_cube(2, CubeOwner.FIELD).expect(Phase.DOUBLED)


def test_a_cube_left_over_that_a_sleeve_takes_onto_the_field_is_no_double(table: Hands) -> None:
    """It showed a 2 before and shows it still: nobody has turned it."""
    begun(table)
    table.show_cube(2, CubeOwner.BLACK)
    a_turn(table)
    table.show_cube(2, CubeOwner.FIELD, seconds=4.0)
    table.show_cube(2, CubeOwner.BLACK, seconds=4.0)
    a_turn(table)
    assert not table.bodies("cube_offered")


def test_a_cube_that_shows_another_number_again_was_not_offered(table: Hands) -> None:
    """Left on the field with a 4 by the last game, it was knocked over and is laid back there."""
    begun(table)
    table.show_cube(4, CubeOwner.FIELD)
    a_turn(table)
    table.show_cube(2, CubeOwner.FIELD).expect(Phase.DOUBLED)
    table.show_cube(4, CubeOwner.FIELD, seconds=4.0).expect(Phase.TO_ROLL)
    a_turn(table)
    assert table.state.game.cube == 1
    assert "cube_withdrawn" in table.kinds


@pytest.mark.parametrize("back", [CubeOwner.CENTRE, None])
def test_a_cube_left_over_that_lies_back_when_the_doubler_throws_was_not_offered(
    table: Hands, back: CubeOwner | None
) -> None:
    """Left in the middle with a 2, a sleeve took it along and somebody laid it back: the throw was
    a take, and the game two points for one (383500 e0 g1). On the field it was offered.
    """
    begun(table)
    table.show_cube(2, CubeOwner.CENTRE)
    a_turn(table)
    table.show_cube(2, CubeOwner.FIELD, seconds=1.2).expect(Phase.DOUBLED)
    table.show_cube(2, back or CubeOwner.FIELD, seconds=1.0)
    table.throw(3, 1).wait(1.0)
    assert table.state.game.cube == (1 if back else 2)

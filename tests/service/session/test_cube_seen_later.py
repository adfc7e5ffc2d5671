"""Doubles that nobody saw as they were offered: where the cube lies once play has gone on tells
them, and the record has them in the turn in which they were made.
"""

from __future__ import annotations

import pytest

from rules import game as do
from rules.board import Side
from rules.observation import CubeOwner
from service.record.match_record import match_records
from service.referee.state import Phase
from tests.service.hands import Hands, begun, player

W, B = Side.WHITE, Side.BLACK
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
    for _ in range(2):
        a_turn(table)
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
    assert not record.remarks


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

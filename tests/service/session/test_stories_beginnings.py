"""Stories of cubes and of games that begin: what was turned counts, not what lies there, and the
first play tells whose game it is where no opening throw was seen.
"""

from __future__ import annotations

import pytest

from rules.board import Side
from rules.observation import CubeOwner
from rules.position import Position
from service.referee.state import Phase
from tests.service.hands import Hands, begun, die

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

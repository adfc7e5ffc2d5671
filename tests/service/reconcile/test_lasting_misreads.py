"""What is known for a misread, what a play that is under way makes of it, and what it is not."""

from __future__ import annotations

import numpy as np
import pytest

from rules.board import Placement, Side
from rules.dice import Roll
from rules.observation import Source
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile import Evidence, played_already, standing
from service.reconcile.codes import code_of
from tests.service.tables import Table, play_of

W, B = Side.WHITE, Side.BLACK
CAMERA, SENSORS = Source.CAMERA, Source.SENSORS
STOOD = Placement.of(
    {1: 4, 2: 6, 3: 2, 9: 1, 21: 2}, {12: 2, 15: 1, 17: 2, 19: 2, 20: 2, 22: 2, 23: 4}
)


def settled(misread: dict[tuple[Source, int], tuple[int, int]]) -> Table:
    """Black to play from a placement that both sources have read so when it was settled."""
    table = Table(Position.of(STOOD, ruleset("backgammon"), B), None, misread=misread).rest()
    table.evidence = Evidence.fresh(STOOD, table.now, table.evidence)
    return table


@pytest.mark.parametrize(("camera", "board"), [((5, 0), (7, 0)), ((5, 0), (4, 0))])
def test_a_pile_that_each_source_misread_before_stands_as_recorded_after_the_others_play(
    camera: tuple[int, int], board: tuple[int, int]
) -> None:
    """It had been taken as it is read, a checker of the pile beside it with it, and eight turns
    were played from a board that never stood there.
    """
    table = settled({(CAMERA, 1): camera, (SENSORS, 1): board})
    after = STOOD.moved(B, 20, 24)
    table.play(after, dice=())
    assert standing(table.evidence, table.position, table.now) == after


def test_what_is_read_otherwise_since_is_no_misread_of_before() -> None:
    table = settled({(CAMERA, 3): (3, 0)})
    after = STOOD.moved(B, 20, 24).moved(W, 9, 5)
    table.play(after, dice=())
    assert standing(table.evidence, table.position, table.now) == after


def test_handed_back_only_what_was_played_is_no_misread_any_more() -> None:
    """A pile that the board counts one short had read so for long: it was no part of the play."""
    table = settled({(SENSORS, 23): (0, 3)})
    board = next(w for w in table.evidence.witnesses if w.source is SENSORS)
    trusted = board.trusted(STOOD.moved(B, 20, 24), STOOD)
    assert board.read_as[23] == trusted.read_as[23] == code_of(0, 3)
    assert trusted.bias[23] == board.bias[23] > 0
    assert board.read_as[20] == code_of(0, 2)
    assert np.flatnonzero(trusted.read_as != board.read_as).tolist() == [20, 24]


RACE = Placement.of({1: 4, 2: 3, 0: 8}, {19: 2, 22: 1, 23: 4, 24: 6, 0: 2})


def test_a_play_that_all_read_while_the_turn_before_was_judged_was_made_already() -> None:
    """Learned as a misread of both places it hid the turn, and the next was called out of turn."""
    position = Position.of(RACE, ruleset("backgammon"), W)
    table = Table(position, None)
    after = play_of(position, Roll(2, 1), "2/off 1/off")
    table.play(after, dice=())
    assert played_already(table.evidence, position) == after


@pytest.mark.parametrize(
    "misread",
    [
        {},
        {(CAMERA, 1): (3, 0)},
        {(CAMERA, 1): (3, 0), (SENSORS, 1): (3, 0)},
        {(CAMERA, 2): (4, 0), (SENSORS, 2): (4, 0)},
    ],
)
def test_what_no_whole_play_leaves_or_one_source_alone_reads_was_not_played(
    misread: dict[tuple[Source, int], tuple[int, int]],
) -> None:
    position = Position.of(RACE, ruleset("backgammon"), W)
    table = Table(position, None, misread=misread).rest()
    assert played_already(table.evidence, position) is None

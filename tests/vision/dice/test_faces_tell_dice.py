"""Dice that finder and reader doubt, or take for a cube, and whose upper face is a die's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from rules.board import Side
from rules.observation import DieReading
from rules.position import Position
from rules.ruleset import ruleset
from vision.arrays import F32
from vision.dice.dice import find_dice, look_for_dice
from vision.dice.find import Candidate
from vision.dice.pips import (
    BOUND,
    OTHER,
    VALUES,
    PipNetwork,
    certainties,
    odds_by_face,
    surest_faces,
)
from vision.dice.upper import face_crop, face_in_four, face_input
from vision.network import OnnxNetwork
from vision.networks import Networks
from vision.prepared import PreparedMap
from vision.train.film import PaintedBoard, PaintedShot

NETWORKS = Networks()


def thrown(seed: int, dice: tuple[int, int], *, east: bool) -> tuple[DieReading, ...]:
    """What is read of two dice on one of the boards of films, the start position around them."""
    board = PaintedBoard.of(seed, oblique=False)
    start = Position.start(ruleset("backgammon"), Side.WHITE).placement
    counts = {p: (start.counts(Side.WHITE)[p], start.counts(Side.BLACK)[p]) for p in range(1, 25)}
    shown = PaintedShot(0.0, {p: n for p, n in counts.items() if any(n)}, dice=dice, east=east)
    pixels, prepared = board.shoot(shown, 1).pixels, PreparedMap(board.board)
    finder, reader = NETWORKS.dice_finder, NETWORKS.dice_reader
    return find_dice(look_for_dice(pixels, prepared, finder, reader), board.board)


@pytest.mark.parametrize(
    ("seed", "dice", "east"),
    [
        pytest.param(84, (2, 1), True, id="small"),
        pytest.param(84, (5, 3), True, id="small too"),
        pytest.param(87, (3, 1), True, id="one large pip in a dim picture"),
        pytest.param(87, (6, 1), False, id="one large pip too"),
        pytest.param(88, (5, 2), False, id="green on blue"),
        pytest.param(88, (6, 1), False, id="green on blue too"),
    ],
)
def test_a_die_is_told_by_its_face(seed: int, dice: tuple[int, int], east: bool) -> None:
    """One die of each was missing or read wrongly: one large pip is a cube to the reader."""
    found = thrown(seed, dice, east=east)
    assert sorted(1 + int(np.argmax(each.values)) for each in found) == sorted(dice)
    assert all(each.certainty > 0.5 for each in found)


def test_what_shows_no_face_is_less_of_a_die() -> None:
    """The surer the face, the surer the die; and one look at a face says only so much."""
    numbers, said = NETWORKS.dice_reader.shows.numbers, np.zeros((3, 2))
    faces = np.zeros((3, len(VALUES) + 1), np.float32)
    faces[:, -1] = (4.0, 0.0, -40.0)
    none, doubtful, sure = certainties(said, faces, numbers).tolist()
    assert none < doubtful < sure
    assert math.isclose(odds_by_face(faces)[2], BOUND)
    assert numbers.columns["shown"][-1] == OTHER


PLACE = Candidate((60.0, 60.0), 20.0, 0.5, (0.0, 0.0), 0.0, 0.0, np.eye(2) * 40.0, 0.1)
TABLE = np.random.default_rng(3).integers(0, 256, (120, 120, 3), np.uint8)


class Told(OnnxNetwork):
    """A network that says of one face after the other what it was told to: five pips, with log odds
    that it is a face.
    """

    def __init__(self, odds: Sequence[float]) -> None:
        self.odds, self.looks = list(odds), 0

    def run(self, inputs: Mapping[str, F32], outputs: Sequence[str]) -> list[F32]:
        number = len(inputs["x"])
        answers = np.full((number, len(VALUES) + 1), -30.0, np.float32)
        answers[:, 4] = self.odds[self.looks : self.looks + number]
        answers[:, -1] = 0
        self.looks += number
        return [answers]


@pytest.mark.parametrize(
    ("odds", "looks", "aside"),
    [
        pytest.param([5.0], 1, (0, 0), id="sure at the first look"),
        pytest.param([-4.0], 1, (0, 0), id="hardly a face"),
        pytest.param([0.5, 1, 1, 1, -3, 4, -3, -3], 8, (-6, 0), id="surer at its left"),
        pytest.param([0.5, 2, 2, 2, -3, 0, -3, -3], 8, (0, 0), id="surest where it is"),
        pytest.param([2.6, 4, 4, 4], 4, (0, 0), id="sure once it is turned"),
    ],
)
def test_a_face_in_doubt_is_looked_for_on_all_sides(
    odds: list[float], looks: int, aside: tuple[int, int]
) -> None:
    net, numbers = Told(odds), NETWORKS.dice_reader.shows.numbers
    (best,), _ = surest_faces(TABLE, [PLACE], PipNetwork(net, numbers), np.ones(1, np.bool_))
    assert net.looks == looks
    assert np.allclose(np.array(best.pixel) - PLACE.pixel, aside)


def test_a_fourth_channel_says_nothing_to_the_networks_of_faces() -> None:
    """It only makes a crop quicker to take."""
    where = (PLACE.pixel, PLACE.axes, PLACE.edge, PLACE.slant)
    three, four = face_crop(TABLE, *where)[None], face_in_four(TABLE, *where)[None]
    assert four.shape == (*three.shape[:3], 4)
    assert np.array_equal(face_input(four), face_input(three))

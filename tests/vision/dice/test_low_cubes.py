"""Cubes seen from a low stand: their sides bear numbers as large as the one that is up."""

from __future__ import annotations

import numpy as np
import pytest

from rules.observation import CubeReading
from vision.dice.cube import find_cube
from vision.dice.dice import look_for_dice
from vision.dice.number import FACES
from vision.networks import Networks
from vision.prepared import PreparedMap
from vision.train.dice import scenes as data
from vision.train.dice.full import exposed
from vision.train.dice.placing import add_cube
from vision.train.dice.tracing import random_lighting

NETWORKS = Networks()
ANYWHERE = (0.5, 0.1, 0.1, 0.3)


def cube_of(seed: int) -> tuple[int, CubeReading | None]:
    """The number of a cube traced onto a painted board seen from a low stand, and its reading."""
    rng = np.random.default_rng((99, seed))
    ground = data.painted_ground(rng, 1.0)
    add_cube(rng, ground, random_lighting(rng, 0.9), ANYWHERE, None)
    pixels = exposed(rng, ground)
    number = next(FACES[t.value] for t in ground.things if t.kind == data.CUBE)
    finder, reader = NETWORKS.dice_finder, NETWORKS.dice_reader
    things = look_for_dice(pixels, PreparedMap(ground.board), finder, reader)
    return number, find_cube(pixels, things, ground.board, NETWORKS.cube)


@pytest.mark.parametrize("seed", [6, 39, 49, 88, 95])
def test_the_number_that_is_up_is_read_and_none_of_a_side(seed: int) -> None:
    """Two of them were read by a side, three not at all."""
    number, cube = cube_of(seed)
    assert cube is not None
    assert max(cube.shown, key=lambda face: cube.shown[face]) == number


def test_a_side_alone_is_no_cube() -> None:
    """Its top stands too steep to be read: a side had been, 16 for 8."""
    number, cube = cube_of(111)
    assert cube is None or cube.shown[number] > 0.5

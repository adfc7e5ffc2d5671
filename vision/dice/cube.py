"""The doubling cube: what it shows and whose side it lies on.

Found and read by the networks that find and read dice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rules.board import Seating, Side
from rules.observation import CubeOwner, CubeReading
from vision.dice.dice import CandidateReading
from vision.settings import DEFAULT, Thresholds


def find_cube(
    readings: Sequence[CandidateReading],
    settings: Thresholds = DEFAULT,
    *,
    seating: Seating | None = None,
) -> CubeReading | None:
    """The likeliest cube among what `dice.look_for_dice` gave, None when none is in view. Its owner
    is the side at whose end of the board it lies.

    White sits where White bears off: `seating.home` (default `Seating()`).
    """
    cubes = [one for one in readings if one.cube >= settings.cube.found]
    if not cubes:
        return None
    cube = max(cubes, key=lambda one: one.cube)
    south = (seating or Seating()).south
    nearer = south if cube.y < 0 else south.other
    # Centre cubes lie at the middle of the bar or in the middle pocket; owned ones at the player's
    # end or beyond.
    owned = 1 / (1 + math.exp(-(abs(cube.y) - settings.cube.owned) / settings.cube.owned_blur))
    owner = {
        CubeOwner.CENTRE: 1 - owned,
        _owner(nearer): owned * 0.995,
        _owner(nearer.other): owned * 0.005,
    }
    return CubeReading(dict(cube.shown), owner, cube.pixel)


def _owner(side: Side) -> CubeOwner:
    return CubeOwner.WHITE if side is Side.WHITE else CubeOwner.BLACK

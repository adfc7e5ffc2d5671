"""The doubling cube: what it shows and whose side it lies on.

Found and read by the networks that find and read dice.
"""

from __future__ import annotations

import math

from rules.board import Corner, Seating, Side
from rules.observation import CubeOwner, CubeReading
from vision.arrays import Pixels
from vision.dice.dice import look
from vision.geometry import BoardMap
from vision.settings import DEFAULT, Settings

SHOWN = (2, 4, 8, 16, 32, 64)


def find_cube(
    pixels: Pixels,
    board_map: BoardMap,
    settings: Settings = DEFAULT,
    *,
    seating: Seating | None = None,
) -> CubeReading | None:
    """The likeliest cube in the picture, None when none is in view. Its owner is the side at whose
    end of the board it lies.

    White sits where White bears off: `seating.home` (default `Seating()`).
    """
    cubes = [
        seen for seen in look(pixels, board_map, settings) if seen.kinds[2] >= settings.cube.found
    ]
    if not cubes:
        return None
    cube = max(cubes, key=lambda seen: seen.kinds[2])
    seating = seating or Seating()
    south = Side.WHITE if seating.home in (Corner.SOUTH_EAST, Corner.SOUTH_WEST) else Side.BLACK
    nearer = south if cube.y < 0 else south.other
    # Centre cubes lie at the middle of the bar or in the middle pocket; owned ones at the player's
    # end or beyond.
    owned = 1 / (1 + math.exp(-(abs(cube.y) - settings.cube.owned) / settings.cube.owned_blur))
    owner = {
        CubeOwner.CENTRE: 1 - owned,
        _owner(nearer): owned * 0.995,
        _owner(nearer.other): owned * 0.005,
    }
    return CubeReading(dict(zip(SHOWN, cube.shown, strict=True)), owner, cube.pixel)


def _owner(side: Side) -> CubeOwner:
    return CubeOwner.WHITE if side is Side.WHITE else CubeOwner.BLACK

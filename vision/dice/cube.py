"""The doubling cube: what it shows and whose side it lies on.

Found and read by the networks that find and read dice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rules.board import Seating, Side
from rules.observation import CubeOwner, CubeReading
from vision.dice.dice import CandidateReading
from vision.geometry import BoardMap
from vision.settings import DEFAULT, CubeSettings, Thresholds


def find_cube(
    readings: Sequence[CandidateReading],
    board_map: BoardMap,
    settings: Thresholds = DEFAULT,
    *,
    seating: Seating | None = None,
) -> CubeReading | None:
    """The likeliest cube among what `dice.look_for_dice` gave, None when none is in view. Its owner
    is the side at whose end of the board it lies, unless it lies on the field.

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
    field = _on_field(cube, board_map, settings.cube)
    owner = {
        CubeOwner.CENTRE: (1 - owned) * (1 - field),
        _owner(nearer): owned * 0.995 * (1 - field),
        _owner(nearer.other): owned * 0.005 * (1 - field),
        CubeOwner.FIELD: field,
    }
    return CubeReading(dict(cube.shown), owner, cube.pixel)


def _on_field(cube: CandidateReading, board_map: BoardMap, settings: CubeSettings) -> float:
    """Probability that it lies on the field: beside the bar and within the rails."""
    inside = (
        abs(cube.x) - board_map.bar / 2 - settings.beside_bar,
        board_map.width / 2 - abs(cube.x),
        board_map.height / 2 - abs(cube.y),
    )
    # What looks like a cube near the horizon lies thousands of points away.
    return math.prod(1 / (1 + math.exp(min(-d / settings.field_blur, 40.0))) for d in inside)


def _owner(side: Side) -> CubeOwner:
    return CubeOwner.WHITE if side is Side.WHITE else CubeOwner.BLACK

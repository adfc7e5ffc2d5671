"""The doubling cube: what it shows and whose side it lies on.

Found by the networks that find and read dice; its number is read by a network of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rules.board import Seating, Side
from rules.observation import CubeOwner, CubeReading
from vision.arrays import Pixels
from vision.dice.dice import CandidateReading
from vision.dice.number import CubeNetwork, CubeNumbers, FaceReading, read_number
from vision.geometry import BoardMap
from vision.settings import DEFAULT, CubeSettings, Thresholds


def find_cube(
    pixels: Pixels,
    readings: Sequence[CandidateReading],
    board_map: BoardMap,
    network: CubeNetwork,
    settings: Thresholds = DEFAULT,
    *,
    seating: Seating | None = None,
) -> CubeReading | None:
    """The likeliest cube among what `dice.look_for_dice` gave of a picture, None when none is in
    view. Its owner is the side at whose end of the board it lies, unless it lies on the field.

    White sits where White bears off: `seating.home` (default `Seating()`).
    """
    found = _surest(pixels, readings, network, settings.cube)
    if found is None:
        return None
    cube, face = found
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
    return CubeReading(dict(face.shown), owner, cube.pixel)


def _surest(
    pixels: Pixels,
    readings: Sequence[CandidateReading],
    network: CubeNetwork,
    settings: CubeSettings,
) -> tuple[CandidateReading, FaceReading] | None:
    """The likeliest place to finder and reader at which the cube's own network sees one too: a
    cube's side bears a number as well, but is hardly a cube to them.
    """
    asked = [one for one in readings if one.cube >= settings.asked]
    for one in sorted(asked, key=lambda one: -one.cube):
        face = read_number(pixels, one.pixel, one.axes, one.edge, one.slant, network)
        if certainty(one, face, network.numbers) >= settings.found:
            return one, face
    return None


def certainty(one: CandidateReading, face: FaceReading, numbers: CubeNumbers) -> float:
    """Probability that a cube lies there, by finder, reader and its own network together."""
    fitted = numbers.certainty
    odds = (
        fitted["bias"] + fitted["reader"] * odds_of(one.cube) + fitted["face"] * odds_of(face.there)
    )
    return 1 / (1 + math.exp(-odds))


def odds_of(likely: float) -> float:
    """Log odds, those of what is all but sure held in bounds."""
    p = min(max(likely, 1e-4), 1 - 1e-4)
    return math.log(p / (1 - p))


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

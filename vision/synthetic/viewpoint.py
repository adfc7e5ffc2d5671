"""A camera somewhere above a painted board."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from vision.geometry import BoardMap
from vision.synthetic.look import Look


def random_camera(
    rng: np.random.Generator, look: Look, size: tuple[int, int], orientation: int, *, oblique: bool
) -> BoardMap:
    """A camera above the board, like a phone on an arm (or held, `oblique`), the whole board in
    view.
    """
    tilt = math.radians(rng.uniform(22, 47) if oblique else rng.uniform(0, 15))
    azimuth = math.radians(-90 + rng.normal(0, 18)) if oblique else rng.uniform(0, 2 * math.pi)
    distance = rng.uniform(18, 32) if oblique else rng.uniform(14, 23)
    return _aimed(rng, look, size, orientation, _Stand(tilt, azimuth, distance, 0.0, 0.72))


TURNED: Final = 40.0
"""Degrees by which a board may lie turned in the picture; beyond 45 another side is the bottom."""


def low_camera(
    rng: np.random.Generator, look: Look, size: tuple[int, int], orientation: int
) -> BoardMap:
    """A camera on a low stand, 14 to 45 degrees above the table, half of them over a corner of the
    board; a quarter hang above a board that lies turned.
    """
    aside = float(rng.uniform(-TURNED, TURNED) if rng.random() < 0.5 else rng.normal(0, 9))
    aside = math.radians(max(-TURNED, min(TURNED, aside)))
    if rng.random() < 0.25:
        tilt, distance = math.radians(rng.uniform(0, 16)), rng.uniform(14, 23)
        stand = _Stand(tilt, rng.uniform(0, 2 * math.pi), distance, aside, 0.62)
    else:
        tilt, distance = math.radians(rng.uniform(45, 76)), rng.uniform(15, 32)
        stand = _Stand(tilt, aside - math.pi / 2, distance, 0.0, 0.62)
        # A camera on a stand keeps its upper edge level.
        stand = replace(stand, roll=aside)
    return _aimed(rng, look, size, orientation, stand)


@dataclass(frozen=True, slots=True)
class _Stand:
    """Where a camera stands: radians from straight above and around the board, distance in point
    widths; by how much its picture is turned, and how much of it the board fills at the least.
    """

    tilt: float
    azimuth: float
    distance: float
    roll: float
    fill: float


def _aimed(
    rng: np.random.Generator,
    look: Look,
    size: tuple[int, int],
    orientation: int,
    stand: _Stand,
) -> BoardMap:
    """The camera that stands there, the whole board in view."""
    tilt, azimuth, distance = stand.tilt, stand.azimuth, stand.distance
    width, length = 12 + look.bar, look.height
    east = width / 2 + look.east
    west = width / 2 + look.west
    north = length / 2 + look.rail
    turn = math.radians(orientation)
    azimuth += turn
    away = np.array(
        [math.sin(tilt) * math.cos(azimuth), math.sin(tilt) * math.sin(azimuth), math.cos(tilt)]
    )
    middle = np.array([(east - west) / 2, 0, 0])
    eye = middle + distance * away
    roll = turn + stand.roll + math.radians(rng.normal(0, 2.5))
    z = -away
    x = np.cross(z, np.array([-math.sin(roll), math.cos(roll), 0]))
    x /= np.linalg.norm(x)
    rotation = np.stack([x, np.cross(z, x), z])
    box = np.array(
        [(a, b, c) for a in (-west, east) for b in (-north, north) for c in (0, look.rail_height)]
    )
    q = (box - eye) @ rotation.T
    q = q[:, :2] / q[:, 2:]
    low, high = q.min(0), q.max(0)
    fill = rng.uniform(stand.fill, 0.97)
    focal = fill * min(size[0] / (high[0] - low[0]), size[1] / (high[1] - low[1]))
    room = (np.array(size) - (high - low) * focal) / 2 * 0.8
    shift = -(low + high) / 2 * focal + rng.uniform(-1, 1, 2) * np.maximum(room, 0)
    centre = ((size[0] - 1) / 2, (size[1] - 1) / 2)
    # Off-axis aim is drawn as a shift of the lens-free picture; the lens then bends about the
    # picture's middle.
    k = np.array([[focal, 0, centre[0] + shift[0]], [0, focal, centre[1] + shift[1]], [0, 0, 1]])
    matrix = k @ np.concatenate([rotation, (-rotation @ eye)[:, None]], 1)
    k1 = rng.uniform(-0.1, 0.04) if rng.random() < 0.8 else 0.0
    lens = (k1, rng.uniform(-0.02, 0.02) if k1 else 0.0, 0.0, 0.0, 0.0)
    camera = tuple(float(v) for v in (matrix / matrix[2, 3]).ravel())
    return BoardMap(
        size,
        camera,
        float(focal),
        centre,
        lens,
        look.bar,
        length,
        look.checker,
        look.thickness,
        orientation,
    )

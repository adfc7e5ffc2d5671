"""Where the eight corners of a board's halves lie, by one look at the whole straightened field.

A corner seen in a patch of its own is seen exactly, but not where a near wall, a cup or an arm
hides it. The rest of the field still tells where it is: points, rails, the bar and the other
corners. So this network looks at all of it at once, a little coarser.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import cv2
import numpy as np

from vision.arrays import F64, Pixels
from vision.corners import heat_peak
from vision.finder import FINDER_SIZE, HEAT, BoardFinderNumbers
from vision.geometry import BoardMap
from vision.network import SHIPPED, OnnxNetwork, load_network, load_numbers, picture_input, softmax
from vision.tables import dense_tables

FIELD_SIZE: Final = FINDER_SIZE
FIELD_SCALE: Final = 12.0
"""Pixels of the view to a point width: four points beside the field are seen, two beyond it."""
_FINEST: Final = 1.5
"""A picture so many times finer than the view is shrunk first, or it would alias into moire."""


@dataclass(frozen=True, slots=True, eq=False)
class FieldNetwork:
    """The network that sees all eight corners in a straightened field."""

    net: OnnxNetwork

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> Self:
        """From a folder of weights. Raises WeightsError."""
        net = load_network("field", folder)
        columns = load_numbers(BoardFinderNumbers, "field", folder).columns
        heat, there = (len(columns[name]) for name in ("heat", "there"))
        net.check(
            {"x": (1, 3, FIELD_SIZE[1], FIELD_SIZE[0])},
            {"heat": (1, heat, HEAT[1], HEAT[0]), "there": (1, there)},
        )
        return cls(net)


def field_view(pixels: Pixels, board_map: BoardMap) -> Pixels:
    """The field as a map has it, straightened, with what lies around it: 192 x 256 x 3."""
    upright = board_map.facing(0)
    finer = upright.unit_pixels / FIELD_SCALE
    if finer > _FINEST:
        factor = 1 / finer
        small = cv2.resize(pixels, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
        pixels = np.asarray(small, np.uint8)
        upright = upright.scaled(factor)
    wide, high = (np.arange(n, dtype=np.float64) - (n - 1) / 2 for n in FIELD_SIZE)
    xs, ys = wide / FIELD_SCALE, -high / FIELD_SCALE
    look_x, look_y = dense_tables(upright, xs, ys, 0.0)
    view = cv2.remap(pixels, look_x, look_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return np.asarray(view, np.uint8)


def view_places(board: F64) -> F64:
    """Board points (N x 2, an upright map's) as pixels of the view (column, row)."""
    middle = (np.array(FIELD_SIZE, np.float64) - 1) / 2
    return np.asarray(board[:, :2] * (1.0, -1.0) * FIELD_SCALE + middle, np.float64)


def see_field(pixels: Pixels, board_map: BoardMap, field: FieldNetwork) -> tuple[F64, F64, float]:
    """Where all eight corners are (8 x 2, board units of an upright map), how sure each is (8,
    0-1), and how likely a board lies there at all.
    """
    view = field_view(pixels, board_map)
    x = picture_input(view, 1 / 64)
    heat, there = field.net.run({"x": x}, ["heat", "there"])
    at = np.array([heat_peak(h) for h in heat[0]]) * 4 + 1.5
    likely = softmax(heat[0].reshape(len(at), -1)).reshape(heat[0].shape)
    # Sure is what lies within half a point or so of the top.
    near = [cv2.boxFilter(one, -1, (3, 3), normalize=False).max() for one in likely]
    middle = (np.array(FIELD_SIZE, np.float64) - 1) / 2
    places = (at - middle) / FIELD_SCALE * (1.0, -1.0)
    sure = np.clip(np.array(near, np.float64), 0, 1)
    return places, sure, float(1 / (1 + math.exp(-float(there.ravel()[0]))))

"""The eight corners of a board's two halves, each looked for in a patch of its own around where a
map has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import cv2
import numpy as np

from vision.arrays import F32, F64, Pixels
from vision.geometry import BoardMap
from vision.network import SHIPPED, Columns, OnnxNetwork, load_network, load_numbers, softmax
from vision.tables import dense_tables

PATCH: Final = 56
PATCH_SCALE: Final = 14.0
"""Pixels of a corner's patch to a point width: two points each way are seen."""
_FLOOR: Final = ((1, -1), (-1, -1), (-1, 1), (1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1))


@dataclass(frozen=True, slots=True)
class CornerNumbers:
    """How far the corners seen lie from the true ones in the mean, patch pixels (x, y): of outer
    corners and of the bar's ends.
    """

    columns: Columns
    bias: tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, slots=True, eq=False)
class CornerNetwork:
    """The network that sees one corner in its patch, with its numbers."""

    net: OnnxNetwork
    numbers: CornerNumbers

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> Self:
        """From a folder of weights. Raises WeightsError."""
        net, numbers = (
            load_network("corners", folder),
            load_numbers(CornerNumbers, "corners", folder),
        )
        net.check({"x": (8, 3, PATCH, PATCH)}, {"out": (8, (PATCH // 2) ** 2 + 1)})
        return cls(net, numbers)


def heat_peak(heat: F32) -> tuple[float, float]:
    """The place (x, y in cells) of a corner map's top, weighed with its surroundings."""
    y, x = (int(v) for v in np.unravel_index(int(heat.argmax()), heat.shape))
    y0, x0 = max(0, y - 2), max(0, x - 2)
    near = heat[y0 : y + 3, x0 : x + 3]
    w = np.exp(near - near.max())
    gy, gx = np.mgrid[y0 : y0 + near.shape[0], x0 : x0 + near.shape[1]]
    return float((w * gx).sum() / w.sum()), float((w * gy).sum() / w.sum())


def half_corners(board_map: BoardMap) -> F64:
    """The eight corners of the two halves on the field (8 x 3), in the frame of a map that faces 0:
    outer ones first, TL TR BR BL, then the bar's ends in the same order."""
    x, y, b = board_map.width / 2, board_map.height / 2, board_map.bar / 2
    outer = [(-x, y, 0.0), (x, y, 0.0), (x, -y, 0.0), (-x, -y, 0.0)]
    return np.array([*outer, (b, y, 0.0), (-b, y, 0.0), (-b, -y, 0.0), (b, -y, 0.0)])


def corner_patches(pixels: Pixels, board_map: BoardMap) -> tuple[Pixels, F64]:
    """What the picture shows around each of `half_corners`, mirrored so that the half's own floor
    is always south-east of the corner.

    Returns 8 x PATCH x PATCH x 3 pixels, and for each patch (8 x 4) its middle on the board and the
    direction of its columns and rows.
    """
    upright = board_map.facing(0)
    # Left and right bar ends belong to the other half than their side of the board says: floor lies
    # away from the bar.
    frames = np.array(
        [(x, y, sx, sy) for (x, y, _), (sx, sy) in zip(half_corners(upright), _FLOOR, strict=True)]
    )
    steps = (np.arange(PATCH) - (PATCH - 1) / 2) / PATCH_SCALE
    patches = np.empty((8, PATCH, PATCH, 3), np.uint8)
    for k, (x, y, sx, sy) in enumerate(frames):
        look_x, look_y = dense_tables(upright, x + sx * steps, y + sy * steps, 0.0, step=11)
        patches[k] = cv2.remap(
            pixels, look_x, look_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
    return patches, frames


def patch_places(board: F64, frames: F64) -> F64:
    """Board points (8 x 2), one for each patch, as patch pixels (column, row)."""
    return (board[:, :2] - frames[:, :2]) * frames[:, 2:] * PATCH_SCALE + (PATCH - 1) / 2


def see_corners(pixels: Pixels, board_map: BoardMap, corners: CornerNetwork) -> tuple[F64, F64]:
    """Where each half's corner truly is (8 x 2, board units of an upright map) and how sure that is
    (8, 0-1).
    """
    patches, frames = corner_patches(pixels, board_map)
    x = cv2.dnn.blobFromImages(list(patches), 1 / 64, mean=(127.5, 127.5, 127.5)).astype(
        np.float32, copy=False
    )
    likely = softmax(corners.net.run({"x": x}, ["out"])[0])
    side = PATCH // 2
    at = (
        np.array(
            [heat_peak(np.log(np.maximum(row[:-1], 1e-12)).reshape(side, side)) for row in likely]
        )
        * 2
        + 0.5
    )
    # Sure is what lies within two pixels or so of the top; a flat map is sure of nothing.
    near = np.array(
        [
            cv2.boxFilter(row[:-1].reshape(side, side), -1, (5, 5), normalize=False).max()
            for row in likely
        ]
    )
    at -= np.array(corners.numbers.bias)[[0, 0, 0, 0, 1, 1, 1, 1]]
    return (at - (PATCH - 1) / 2) / PATCH_SCALE * frames[:, 2:] + frames[:, :2], np.clip(
        near.astype(np.float64), 0, 1
    )

"""The shrunk picture in which frames are compared: where the board's parts are in it, and where two
of them differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from rules.board import BAR, OFF
from vision.arrays import F32, F64, Mask, Pixels
from vision.geometry import BoardMap
from vision.settings import SteadySettings

ELSEWHERE: Final = 255
PIECE: Final = 56
"""Edge of the pieces around the board's corners, in shrunk pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Where things are in the shrunk picture (`size`) of one map."""

    board_map: BoardMap
    size: tuple[int, int]
    shrink: int

    unit: float
    """Pixels of one point width, in the middle of the field."""
    field: Mask
    near: Mask
    """The field and its rails."""
    beyond: Mask
    """Past the inner edge of the rails: no checker on a point reaches here."""
    far: Mask
    """Past rails and trays, or at the picture's edge: what reaches from here into the field is an
    arm, or what an arm left behind."""
    sites: Pixels
    corners: tuple[tuple[int, int], ...]
    rails: tuple[Pixels, ...]
    """For each corner, 255 where rail and table are, 0 on the field."""


def shrink_of(size: tuple[int, int], s: SteadySettings) -> int:
    """By which whole number pictures of a size (width, height) are shrunk."""
    return max(1, round(size[0] / s.thumb_width))


def shrink_picture(pixels: Pixels, shrink: int) -> Pixels:
    """The picture by a whole factor smaller, each pixel a mean (what does not divide is cut off at
    the right and the bottom).

    Every other row is enough to average noise away where four or more are one, and takes half the
    time.
    """
    height, width = pixels.shape[0] // shrink, pixels.shape[1] // shrink
    whole = pixels[: height * shrink : 2 if shrink % 4 == 0 else 1, : width * shrink]
    return np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def brightness_gain(now: Pixels, then: Pixels) -> F32:
    """How much brighter each channel is, as the median over the picture: a hand or a sleeve does
    not move it.
    """
    a, b = (
        now[::8, ::8].reshape(-1, 3).astype(np.float32),
        then[::8, ::8].reshape(-1, 3).astype(np.float32),
    )
    good = (np.maximum(np.maximum(a[:, 0], a[:, 1]), a[:, 2]) < 250) & (
        np.minimum(np.minimum(b[:, 0], b[:, 1]), b[:, 2]) > 12
    )
    if int(good.sum()) < 50:
        return np.ones(3, np.float32)
    return np.asarray(np.clip(np.median(a[good] / b[good], 0), 0.25, 4.0), np.float32)


def differs(now: Pixels, then: Pixels, gain: F32, s: SteadySettings) -> Mask:
    """Where two shrunk pictures differ by more than noise, the overall brightness set aside."""
    expected = (
        cv2.multiply(then, np.array([*gain, 1.0])) if np.abs(gain - 1).max() > 0.004 else then
    )
    difference = brightest(np.asarray(cv2.absdiff(now, np.asarray(expected, np.uint8)), np.uint8))
    tolerated = cv2.convertScaleAbs(brightest(now), alpha=s.slope, beta=s.level)
    return np.asarray(difference > tolerated, np.bool_)


def brightest(picture: Pixels) -> Pixels:
    """The largest channel of each pixel; numpy's max over three is ten times slower."""
    blue, green, red = cv2.split(picture)
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def places_of(board_map: BoardMap, size: tuple[int, int], shrink: int) -> Places:
    """Where the parts of a board lie in its picture of `size` shrunk by `shrink`."""
    width, height = size
    column, row = np.meshgrid(np.arange(width), np.arange(height))
    pixels = np.stack([column.ravel(), row.ravel()], 1) * float(shrink) + (shrink - 1) / 2
    # Half a checker up: what stands on the field is seen a little farther out than the field
    # itself.
    board = board_map.unproject(pixels, board_map.thickness / 2)
    x, y = board[:, 0].reshape(height, width), board[:, 1].reshape(height, width)
    out = np.maximum(np.abs(x) - board_map.width / 2, np.abs(y) - board_map.height / 2)
    middle = board_map.project([(-0.5, 0, 0), (0.5, 0, 0), (0, -0.5, 0), (0, 0.5, 0)]) / shrink
    unit = float(
        (np.linalg.norm(middle[1] - middle[0]) + np.linalg.norm(middle[3] - middle[2])) / 2
    )
    half = PIECE // 2
    far = out > 3.0
    far[[0, -1]] = far[:, [0, -1]] = True
    corners, rails = [], []
    for cx, cy in board_map.corners() / shrink:
        left, top = (
            int(np.clip(cx - half, 0, max(0, width - PIECE))),
            int(np.clip(cy - half, 0, max(0, height - PIECE))),
        )
        corners.append((left, top))
        rails.append(
            np.where(out[top : top + PIECE, left : left + PIECE] > 0.12, 255, 0).astype(np.uint8)
        )
    return Places(
        board_map,
        size,
        shrink,
        unit,
        out < 0.1,
        out < 0.6,
        out > 0.45,
        far,
        _site_image(board_map, x, y, out),
        tuple(corners),
        tuple(rails),
    )


def _site_image(
    board_map: BoardMap,
    x: F64,
    y: F64,
    out: F64,
) -> Pixels:
    """The site that each shrunk pixel belongs to."""
    column = np.where(
        x > 0, 5 - np.floor(x - board_map.bar / 2), 5 - np.floor(x + board_map.bar / 2)
    )
    column = np.clip(column, np.where(x > 0, 0, 6), np.where(x > 0, 5, 11)).astype(np.int64)
    sites = np.where(y < 0, column + 1, 24 - column)
    sites = np.where(np.abs(x) < board_map.bar / 2, BAR, sites)
    sites = np.where(out > 0.3, OFF, sites)
    return np.where(out > 6, ELSEWHERE, sites).astype(np.uint8)

"""The painter's brushes: filled shapes on a picture, and where the camera's eye is."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from vision.arrays import F32, F64, Pixels
from vision.geometry import BoardMap

CIRCLE: Final = np.stack(
    [
        np.cos(np.linspace(0, 2 * np.pi, 28, endpoint=False)),
        np.sin(np.linspace(0, 2 * np.pi, 28, endpoint=False)),
    ],
    1,
)
"""Unit circle, 28 x 2."""


SHIFT: Final = 4
"""Binary places of a pixel in what cv2 is told."""


def fill_polygon(
    image: F32 | Pixels, points: F64, colour: float | tuple[float, float, float]
) -> None:
    """Nothing; `points` (N x 2, pixels, convex) are filled into `image`, smoothly where it has
    colours.
    """
    fixed = np.round(np.clip(points, -4000, 8000) * (1 << SHIFT)).astype(np.int32)
    cv2.fillConvexPoly(image, fixed, colour, cv2.LINE_AA if image.ndim == 3 else cv2.LINE_8, SHIFT)


def tone(colour: tuple[float, ...] | F32, factor: float) -> tuple[float, float, float]:
    """The colour (BGR 0-255) so many times as bright."""
    c = np.clip(np.asarray(colour, np.float32) * factor, 0, 255)
    return float(c[0]), float(c[1]), float(c[2])


def hull(points: F64) -> F64:
    """The convex outline of pixels (N x 2), M x 2."""
    return cv2.convexHull(points.astype(np.float32)).reshape(-1, 2).astype(np.float64)


def camera_eye(board: BoardMap) -> F64:
    """Where the camera stands (x, y, z) in board units."""
    m = board.matrix
    return np.asarray(-np.linalg.solve(m[:, :3], m[:, 3]), np.float64)

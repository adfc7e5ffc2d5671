"""Surfaces of a painted board: grain, and the field from above with its triangles."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.arrays import F32
from vision.geometry import BoardMap
from vision.synthetic.look import Look, colour_near


def fractal(
    rng: np.random.Generator,
    height: int,
    width: int,
    size_x: float,
    size_y: float,
    octaves: int = 2,
) -> F32:
    """Value noise of about unit size with features of the given size in pixels."""
    out = np.zeros((height, width), np.float32)
    strength = 1.0
    for _ in range(octaves):
        small = rng.standard_normal(
            (max(2, int(height / size_y) + 2), max(2, int(width / size_x) + 2))
        ).astype(np.float32)
        out += strength * cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
        strength, size_x, size_y = strength / 2, max(1.0, size_x / 2), max(1.0, size_y / 2)
    return out


_SCALE: Final = 28.0
"""Pixels a unit of the field's texture."""
_MARGIN: Final = 0.5
"""Units around the field that it shows too."""


def field_texture(
    rng: np.random.Generator, board: BoardMap, look: Look
) -> tuple[F32, float, float]:
    """The flat field from above with its 24 triangles:

    (picture north up, pixels a unit, margin around the field in units).
    """
    height = int((board.height + 2 * _MARGIN) * _SCALE)
    width = int((board.width + 2 * _MARGIN) * _SCALE)
    noise = fractal(rng, height, width, 2.5, 2.5, 1) * look.grain + 0.05 * fractal(
        rng, height, width, 120, 120
    )
    if look.wood:
        along = (90, 5) if rng.random() < 0.5 else (5, 90)
        noise = noise + look.wood * 0.6 * fractal(rng, height, width, *along)
    image = np.empty((height, width, 3), np.float32)
    image[:] = look.field
    for point in range(1, 25):
        _paint_point(image, board, look, point)
    if look.inlay in (3, 4):
        _paint_rounds(rng, image, board, look)
    elif look.inlay == 5:
        _paint_letters(rng, image, board, look)
    image *= (1 + noise)[..., None]
    return image, _SCALE, _MARGIN


def _sixteenths(board: BoardMap, points: list[tuple[float, float]]) -> npt.NDArray[np.int32]:
    """Board x, y as pixels of the texture, in sixteenths."""
    shifted = np.asarray(points) * (1, -1) + (board.width / 2 + _MARGIN, board.height / 2 + _MARGIN)
    return np.round(shifted * _SCALE * 16).astype(np.int32)


def _paint_point(image: F32, board: BoardMap, look: Look, point: int) -> None:
    reach = look.triangle * board.height
    x, s = board.point_x(point), -1 if point <= 12 else 1
    y0, y1 = s * board.height / 2, s * (board.height / 2 - reach)
    b = look.blunt * 0.49
    shape = _sixteenths(board, [(x - 0.49, y0), (x + 0.49, y0), (x + b, y1), (x - b, y1)])
    cv2.fillPoly(image, [shape], look.points[point % 2], cv2.LINE_AA, 4)
    if look.inlay == 1:
        y2 = s * (board.height / 2 - reach * 0.8)
        inner = _sixteenths(board, [(x - 0.28, y0), (x + 0.28, y0), (x, y2)])
        cv2.fillPoly(image, [inner], look.points[(point + 1) % 2], cv2.LINE_AA, 4)
    elif look.inlay == 2:
        cv2.polylines(image, [shape], True, look.emblem, 1, cv2.LINE_AA, 4)


def _paint_rounds(rng: np.random.Generator, image: F32, board: BoardMap, look: Look) -> None:
    for side in (-1, 1):
        at = _sixteenths(board, [(side * (board.bar / 2 + 3), 0)])[0] // 16
        for f in (1.0, 0.75, 0.5) if look.inlay == 3 else (1.0,):
            radius = int(rng.uniform(0.4, 1.4) * f * _SCALE) + 2
            colour = colour_near(rng, look.emblem, 60)
            cv2.circle(image, (int(at[0]), int(at[1])), radius, colour, -1, cv2.LINE_AA)


def _paint_letters(rng: np.random.Generator, image: F32, board: BoardMap, look: Look) -> None:
    for side in (-1, 1):
        at = _sixteenths(board, [(side * (board.bar / 2 + 3) - 1.5, -0.2)])[0] // 16
        text, place = str(rng.choice(["Tavla", "NARD", "BG 24", "club"])), (int(at[0]), int(at[1]))
        stamp = np.zeros(image.shape[:2], np.uint8)
        cv2.putText(stamp, text, place, cv2.FONT_HERSHEY_TRIPLEX, 1.1, 255, 2, cv2.LINE_AA)
        image[stamp > 127] = look.emblem

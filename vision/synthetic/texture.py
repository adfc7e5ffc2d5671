"""Surfaces of a painted board: grain, and the field from above with its triangles."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from vision.arrays import F32
from vision.geometry import BoardMap
from vision.synthetic.look import Look, _near


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


def field_texture(
    rng: np.random.Generator, board: BoardMap, look: Look
) -> tuple[F32, float, float]:
    """The flat field from above with its 24 triangles:

    (picture north up, pixels a unit, margin around the field in units).
    """
    scale, margin = 28.0, 0.5
    height, width = (
        int((board.height + 2 * margin) * scale),
        int((board.width + 2 * margin) * scale),
    )
    noise = fractal(rng, height, width, 2.5, 2.5, 1) * look.grain + 0.05 * fractal(
        rng, height, width, 120, 120
    )
    if look.wood:
        along = (
            fractal(rng, height, width, 90, 5)
            if rng.random() < 0.5
            else fractal(rng, height, width, 5, 90)
        )
        noise = noise + look.wood * 0.6 * along
    image = np.empty((height, width, 3), np.float32)
    image[:] = look.field

    def to_px(points: list[tuple[float, float]]) -> npt.NDArray[np.int32]:
        shifted = np.asarray(points) * (1, -1) + (
            board.width / 2 + margin,
            board.height / 2 + margin,
        )
        return np.round(shifted * scale * 16).astype(np.int32)

    reach = look.triangle * board.height
    for point in range(1, 25):
        x, s = board.point_x(point), -1 if point <= 12 else 1
        y0, y1 = s * board.height / 2, s * (board.height / 2 - reach)
        b = look.blunt * 0.49
        cv2.fillPoly(
            image,
            [to_px([(x - 0.49, y0), (x + 0.49, y0), (x + b, y1), (x - b, y1)])],
            look.points[point % 2],
            cv2.LINE_AA,
            4,
        )
        if look.inlay == 1:
            y2 = s * (board.height / 2 - reach * 0.8)
            cv2.fillPoly(
                image,
                [to_px([(x - 0.28, y0), (x + 0.28, y0), (x, y2)])],
                look.points[(point + 1) % 2],
                cv2.LINE_AA,
                4,
            )
        elif look.inlay == 2:
            cv2.polylines(
                image,
                [to_px([(x - 0.49, y0), (x + 0.49, y0), (x + b, y1), (x - b, y1)])],
                True,
                look.emblem,
                1,
                cv2.LINE_AA,
                4,
            )
    if look.inlay in (3, 4):
        for side in (-1, 1):
            at = to_px([(side * (board.bar / 2 + 3), 0)])[0] // 16
            for f in (1.0, 0.75, 0.5) if look.inlay == 3 else (1.0,):
                cv2.circle(
                    image,
                    (int(at[0]), int(at[1])),
                    int(rng.uniform(0.4, 1.4) * f * scale) + 2,
                    _near(rng, look.emblem, 60),
                    -1,
                    cv2.LINE_AA,
                )
    elif look.inlay == 5:
        for side in (-1, 1):
            at = to_px([(side * (board.bar / 2 + 3) - 1.5, -0.2)])[0] // 16
            text = str(rng.choice(["Tavla", "NARD", "BG 24", "club"]))
            stamp = np.zeros((height, width), np.uint8)
            cv2.putText(
                stamp,
                text,
                (int(at[0]), int(at[1])),
                cv2.FONT_HERSHEY_TRIPLEX,
                1.1,
                255,
                2,
                cv2.LINE_AA,
            )
            image[stamp > 127] = look.emblem
    image *= (1 + noise)[..., None]
    return image, scale, margin

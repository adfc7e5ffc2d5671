"""A drawn board for tests of steady, dice and camera: a map of a known camera, a felt with points,
checkers, a hand, dice.
"""

from __future__ import annotations

import cv2
import numpy as np

from vision.arrays import Pixels
from vision.frame import Frame
from vision.geometry import BoardMap, from_corners

SIZE = (640, 480)
CORNERS = [(90.0, 70.0), (552.0, 66.0), (560.0, 414.0), (84.0, 420.0)]


def board_map() -> BoardMap:
    return from_corners(CORNERS, SIZE)


def empty_board(seed: int = 0, felt: tuple[int, int, int] = (60, 110, 50)) -> Pixels:
    """Rails, felt and points; noise as a sensor has, different with each seed."""
    rng = np.random.default_rng(7)
    table = np.full((SIZE[1], SIZE[0], 3), (90, 120, 140), np.uint8)
    table = np.clip(table + rng.normal(0, 6, table.shape), 0, 255).astype(np.uint8)
    m = board_map()
    cv2.fillConvexPoly(
        table,
        np.array(
            m.project([(x, y, 0) for x, y in ((-7.2, 6.2), (7.2, 6.2), (7.2, -6.2), (-7.2, -6.2))]),
            np.int32,
        ),
        (30, 50, 90),
    )
    cv2.fillConvexPoly(table, np.array(m.corners(), np.int32), felt)
    for point in range(1, 25):
        x, y = m.point_x(point), m.height / 2 * (-1 if point <= 12 else 1)
        colour = (170, 190, 200) if point % 2 else (50, 40, 90)
        cv2.fillConvexPoly(
            table,
            np.array(m.project([(x - 0.45, y, 0), (x + 0.45, y, 0), (x, y * 0.2, 0)]), np.int32),
            colour,
        )
    return noisy(table, seed)


def noisy(picture: Pixels, seed: int) -> Pixels:
    return np.clip(
        picture + np.random.default_rng(seed).normal(0, 2, picture.shape), 0, 255
    ).astype(np.uint8)


def checker(
    picture: Pixels, x: float, y: float, colour: tuple[int, int, int] = (220, 230, 235)
) -> None:
    m = board_map()
    (cx, cy), (ex, _) = m.project([(x, y, 0.2), (x + 0.46, y, 0.2)])
    cv2.circle(picture, (round(cx), round(cy)), round(ex - cx), colour, -1, cv2.LINE_AA)


def hand(picture: Pixels, at: tuple[int, int] = (300, 300)) -> None:
    """An arm from the lower edge of the picture."""
    cv2.line(picture, (at[0] - 20, SIZE[1] + 20), at, (120, 150, 200), 60, cv2.LINE_AA)


def frames(pictures: list[Pixels], step: float = 0.1, start: float = 100.0) -> list[Frame]:
    return [Frame(p, start + step * i, i) for i, p in enumerate(pictures)]

"""Trays beside a painted field: their floors and walls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.arrays import F32, F64
from vision.geometry import BoardMap
from vision.synthetic.brush import camera_eye, fill_polygon, tone
from vision.synthetic.look import Look


@dataclass(frozen=True, slots=True)
class Tray:
    """A tray's floor in board units, and the height of its walls."""

    side: int
    inner: float
    outer: float
    end: float
    pocket: float
    wall: float


def trays_of(board: BoardMap, look: Look, divider: float) -> list[Tray]:
    """The trays of a board, west first; `divider`: width of the wall between field and tray."""
    found = []
    for side, room in ((-1, look.west), (1, look.east)):
        if room > look.rail + 0.3:
            x = board.width / 2
            found.append(
                Tray(
                    side, x + divider, x + room - look.rail, board.height / 2, 0.6, look.rail_height
                )
            )
    return found


def _wall(
    image: F32,
    board: BoardMap,
    look: Look,
    a: F64,
    b: F64,
    height: float,
    thick: F64,
    shade: float,
) -> None:
    """A wall from a to b on the floor, `thick` (x, y) wide: side and top."""
    low = np.array([[*a, 0.0], [*b, 0.0]])
    up, out = np.array([0, 0, height]), np.array([*thick, 0.0])
    high = low + up
    fill_polygon(
        image,
        board.project(np.concatenate([low, high[::-1]])),
        tone(look.frame, shade * 0.7),
    )
    fill_polygon(
        image,
        board.project(np.concatenate([high, (high + out)[::-1]])),
        tone(look.frame, shade),
    )


def paint_tray_floor(
    image: F32, board: BoardMap, look: Look, tray: Tray, rng: np.random.Generator
) -> None:
    """Nothing; a tray's floor is painted into `image`."""
    colour = np.asarray(look.field if rng.random() < 0.7 else look.frame, np.float32) * rng.uniform(
        0.6, 1.15
    )
    corners = [
        (tray.side * x, y, 0.0)
        for x, y in (
            (tray.inner, tray.end),
            (tray.outer, tray.end),
            (tray.outer, -tray.end),
            (tray.inner, -tray.end),
        )
    ]
    fill_polygon(image, board.project(corners), tone(colour, 1.0))


def paint_tray_walls(
    image: F32,
    board: BoardMap,
    look: Look,
    tray: Tray,
    *,
    behind: bool,
    rng: np.random.Generator,
) -> None:
    """The walls of a tray that its contents hide (`behind`), or those that hide its contents."""
    eye = camera_eye(board)
    s, thin = tray.side, 0.18
    # From the middle of the tray's floor, a wall is in front when the camera is beyond its inner
    # face.
    for x, out in ((s * tray.inner, -s), (s * tray.outer, s)):
        if ((eye[0] - x) * out < 0) is behind:
            width = np.array(
                [out * (tray.inner - board.width / 2 if out == -s else look.rail), 0.0]
            )
            _wall(
                image,
                board,
                look,
                np.array([x, tray.end]),
                np.array([x, -tray.end]),
                tray.wall,
                width,
                1.0,
            )
    for end in (-1, 1):
        y = end * tray.end
        if ((eye[1] - y) * end < 0) is behind:
            a, b = np.array([s * tray.inner, y]), np.array([s * tray.outer, y])
            _wall(image, board, look, a, b, tray.wall, np.array([0.0, end * look.rail]), 1.0)
        if behind:
            inner = end * tray.pocket
            near = inner if (eye[1] - inner) * end > 0 else inner - end * thin
            a, b = np.array([s * tray.inner, near]), np.array([s * tray.outer, near])
            _wall(
                image,
                board,
                look,
                a,
                b,
                tray.wall * 0.8,
                np.array([0.0, -end * thin if near == inner else end * thin]),
                1.05,
            )

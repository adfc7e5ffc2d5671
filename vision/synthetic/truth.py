"""What is true of a painted picture: who stands where, which pixels show what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from vision.arrays import Pixels
from vision.frame import Frame
from vision.geometry import BoardMap
from vision.synthetic.look import Look

PointCounts = Mapping[int, tuple[int, int]]
"""Geometric point -> (light, dark) checkers; points not named are empty."""


BACKGROUND, LIGHT, DARK, OCCLUDER, DICE = range(5)
"""Classes of `Scene.classes`."""


@dataclass(frozen=True, slots=True)
class PaintedScene:
    """A painted picture and all that is true of it.

    `classes` is HxW uint8; `visible`: share of each point 1-24 not covered; `on_bar`: board
    x and y, height of the foot and set of each checker there.
    """

    frame: Frame
    board_map: BoardMap
    counts: PointCounts
    bar: tuple[int, int]
    off: tuple[int, int]
    look: Look
    classes: Pixels = field(repr=False)
    visible: tuple[float, ...] = ()
    trays: tuple[bool, bool] = (False, False)
    on_bar: tuple[tuple[float, float, float, int], ...] = ()


WALL: Final = 0.7
"""Share of a checker's place that a wall may hide before nobody can say whether one is there."""
UNSEEN: Final = 0.2
"""Share in view that is said of a point of which nobody can see what stands there."""


def telling_place(count: int) -> int:
    """Which place of a point's row, counted from the rail, tells how many checkers stand there:
    where the last of them is seen the wall hides only others before it, and where none stands the
    first place must be seen to be empty.
    """
    return min(max(count, 1), 5)


def foot_hidden(point: int, board: BoardMap, walls: Pixels, place: int = 1) -> float:
    """Share (0-1) of where the top of a point's first checker is or would be, or of the one at
    another `place` of its row, that a wall or the bar (not 0 in `walls`) hides from the camera: the
    walls of a case hide the nearest row from one that stands low.
    """
    x, y = point_foot(point, board)
    y += (place - 1) * board.checker * (1 if point <= 12 else -1)
    turn = np.linspace(0, 2 * np.pi, 9)[:-1]
    rings = [(0.0, 0.0)] + [
        (r * board.checker * np.cos(a), r * board.checker * np.sin(a))
        for r in (0.22, 0.4)
        for a in turn
    ]
    px = np.round(board.project([(x + a, y + b, board.thickness) for a, b in rings])).astype(int)
    height, width = walls.shape
    inside = (px >= 0).all(1) & (px[:, 0] < width) & (px[:, 1] < height)
    return float((walls[px[inside, 1], px[inside, 0]] > 0).sum() / len(px))


def point_foot(point: int, board: BoardMap) -> tuple[float, float]:
    """Board place of the middle of a point's first checker."""
    y = board.height / 2 - board.checker / 2
    return board.point_x(point), -y if point <= 12 else y


def visible_shares(
    board: BoardMap, classes: Pixels, look: Look, walls: Pixels, counts: PointCounts
) -> tuple[float, ...]:
    """Share (24, 0-1) of each geometric point that nothing covers; `UNSEEN` at most where a wall
    hides the last of the checkers (`counts`) that stand on it, or where the first would.
    """
    shares = []
    height, width = classes.shape
    for point in range(1, 25):
        s = -1 if point <= 12 else 1
        gx, gy = np.meshgrid(
            board.point_x(point) + np.linspace(-0.42, 0.42, 5),
            s * (board.height / 2 - np.linspace(0.05, 5 * look.checker, 12)),
        )
        px = (
            board.project(
                np.stack([gx.ravel(), gy.ravel(), np.full(gx.size, look.thickness / 2)], 1)
            )
            .round()
            .astype(int)
        )
        inside = (px[:, 0] >= 0) & (px[:, 0] < width) & (px[:, 1] >= 0) & (px[:, 1] < height)
        px = px[inside]
        share = float((classes[px[:, 1], px[:, 0]] != OCCLUDER).sum() / len(inside))
        place = telling_place(sum(counts.get(point, (0, 0))))
        behind = foot_hidden(point, board, walls, place) > WALL
        shares.append(min(share, UNSEEN) if behind else share)
    return tuple(shares)

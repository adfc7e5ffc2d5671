"""What is true of a painted picture: who stands where, which pixels show what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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

    `classes` is HxW uint8; `visible`: share of each point 1-24 not covered.
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


def visible_shares(board: BoardMap, classes: Pixels, look: Look) -> tuple[float, ...]:
    """Share (24, 0-1) of each geometric point that nothing covers."""
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
        shares.append(float((classes[px[:, 1], px[:, 0]] != OCCLUDER).sum() / len(inside)))
    return tuple(shares)

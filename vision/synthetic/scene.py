"""Boards painted by numpy and OpenCV in tens of milliseconds: scenes for tests, an eye for the
simulator and quantity for training.

True in perspective, lens, the height of stacks, occlusion order and cast shadows; painted, not
traced: no reflections of one thing in another. Everything is drawn from one
`numpy.random.Generator`, so that a seed is a scene.
"""

from __future__ import annotations

import numpy as np

from vision.arrays import Pixels
from vision.frame import Frame
from vision.geometry import BoardMap
from vision.synthetic.clutter import paint_cover, paint_dice
from vision.synthetic.discs import Sideways, paint_shadows, stand_checkers
from vision.synthetic.exposure import expose
from vision.synthetic.ground import paint_ground
from vision.synthetic.look import Look, random_look
from vision.synthetic.standing import paint_near_walls, paint_standing, random_things
from vision.synthetic.truth import PaintedScene, PointCounts, visible_shares
from vision.synthetic.viewpoint import random_camera


def paint(
    rng: np.random.Generator,
    counts: PointCounts,
    *,
    bar: tuple[int, int] = (0, 0),
    off: tuple[int, int] = (0, 0),
    look: Look | None = None,
    board_map: BoardMap | None = None,
    size: tuple[int, int] = (640, 480),
    orientation: int = 0,
    oblique: bool = False,
    covered: bool = False,
    dice: int = 2,
    things: int = 0,
    plain_light: bool = False,
    bar_anywhere: bool = False,
    sideways: Sideways | None = None,
) -> PaintedScene:
    """One picture of checkers standing as `counts` says. With `look` and `board_map` given, the
    same board and camera again.

    `things`: so many cups and boxes stand on the field. `plain_light` leaves noise, glare and
    uneven lamps out; `bar_anywhere` and `sideways`: see `stand_checkers`. Orders of magnitude:
    640x480 in 30 ms on one core.
    """
    look = look or random_look(rng)
    board = board_map or random_camera(rng, look, size, orientation, oblique=oblique)
    image = paint_ground(rng, board, look)
    classes: Pixels = np.zeros(image.shape[:2], np.uint8)
    walls: Pixels = np.zeros(image.shape[:2], np.uint8)
    discs = stand_checkers(
        rng, board, counts, bar, off, look, bar_anywhere=bar_anywhere, sideways=sideways
    )
    paint_shadows(image, board, discs, look)
    left_lying = random_things(rng, board, things)
    paint_standing(image, classes, board, discs, look, left_lying, walls)
    paint_dice(image, classes, board, rng, dice)
    paint_near_walls(image, classes, board, look, walls)
    if covered:
        paint_cover(image, classes, board, rng)
    pixels = np.clip(image, 0, 255).astype(np.uint8) if plain_light else expose(image, rng, look)
    shown_off = off if look.tray and look.flat_off else (0, 0)
    trays = (look.west > look.rail + 0.3, look.east > look.rail + 0.3)
    return PaintedScene(
        Frame(pixels),
        board,
        dict(counts),
        bar,
        shown_off,
        look,
        classes,
        visible_shares(board, classes, look, walls, counts),
        trays,
        tuple((d.x, d.y, d.z, d.colour) for d in discs if abs(d.x) < look.bar / 2),
    )


def random_counts(
    rng: np.random.Generator,
) -> tuple[dict[int, tuple[int, int]], tuple[int, int], tuple[int, int]]:
    """A position as matches, nard and mischief make them: (points, bar, off)."""
    counts: dict[int, tuple[int, int]] = {}
    free = [int(p) for p in rng.permutation(24) + 1]
    kind = rng.random()
    bar, off = [0, 0], [0, 0]
    for colour in (0, 1):
        left = 15
        if kind < 0.12:
            left = int(rng.integers(0, 6))
        elif kind < 0.35:
            left = int(rng.integers(4, 16))
        if rng.random() < 0.15:
            bar[colour] = min(left, int(rng.choice([1, 1, 1, 2, 2, 3, 4])))
            left -= bar[colour]
        off[colour] = 15 - left - bar[colour] if rng.random() < 0.6 else 0
        while left > 0:
            if kind > 0.75:
                pile = int(rng.choice([1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 15]))
            else:
                pile = int(rng.choice([1, 1, 2, 2, 2, 3, 3, 4, 5, 5, 6, 7]))
            pile = min(left, pile)
            counts[free.pop()] = (pile, 0) if colour == 0 else (0, pile)
            left -= pile
    return counts, (bar[0], bar[1]), (off[0], off[1])

"""What lies beside a painted board and is no checker."""

from __future__ import annotations

import math

import cv2
import numpy as np

from vision.arrays import F32, F64, Pixels
from vision.geometry import BoardMap
from vision.synthetic.brush import CIRCLE, fill_polygon, hull, tone
from vision.synthetic.look import Look
from vision.synthetic.truth import OCCLUDER


def paint_decoys(
    image: F32,
    classes: Pixels,
    board: BoardMap,
    look: Look,
    rng: np.random.Generator,
    number: int,
    free: list[F64],
) -> None:
    """Nothing; dice, cubes, cups, coins, cards and pens are painted beside the field: no checkers.

    `free`: spots (x, y) where one may lie.
    """
    if rng.random() < 0.15:
        _paint_cloth(rng, image, board, look)
    for _ in range(number):
        if not free:
            return
        at = free.pop(int(rng.integers(len(free))))
        ink = rng.uniform(10, 245, 3).astype(np.float32)
        kind = str(rng.choice(["cube", "cube", "cup", "coin", "card", "pen"]))
        if kind == "cube":
            _paint_cube(rng, image, board, at, ink)
        elif kind == "cup":
            _paint_cup(rng, image, classes, board, at, ink)
        elif kind == "coin":
            ring = board.project(np.c_[CIRCLE * rng.uniform(0.2, 0.33) + at, np.zeros(28)])
            fill_polygon(image, ring, tone(ink, 1.0))
        else:
            _paint_card(rng, image, board, at, ink, pen=kind == "pen")


def _paint_cloth(rng: np.random.Generator, image: F32, board: BoardMap, look: Look) -> None:
    """A cloth with a pattern."""
    inks = rng.uniform(10, 245, (3, 3)).astype(np.float32)
    for _ in range(40):
        x = (1 if rng.random() < 0.5 else -1) * (
            board.width / 2 + max(look.east, look.west) + rng.uniform(0.3, 2.5)
        )
        ring = np.c_[CIRCLE * rng.uniform(0.08, 0.4) + (x, rng.uniform(-6, 6)), np.full(28, -0.3)]
        fill_polygon(image, board.project(ring), tone(inks[rng.integers(3)], 1.0))


def _paint_cube(rng: np.random.Generator, image: F32, board: BoardMap, at: F64, ink: F32) -> None:
    size, turn = rng.uniform(0.3, 0.95), rng.uniform(0, math.pi)
    square = (np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * size / 2) @ np.array(
        [(math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))]
    ) + at
    low, high = np.c_[square, np.zeros(4)], np.c_[square, np.full(4, size)]
    fill_polygon(image, hull(board.project(np.concatenate([low, high]))), tone(ink, 0.6))
    fill_polygon(image, board.project(high), tone(ink, 1.0))
    for _ in range(int(rng.integers(0, 6))):
        spot = at + rng.choice([-1, 0, 1], 2) * size * 0.28
        pip = board.project(np.c_[CIRCLE[::3] * size * 0.1 + spot, np.full(10, size)])
        fill_polygon(image, pip, tone(255 - ink, 1.0))


def _paint_cup(
    rng: np.random.Generator, image: F32, classes: Pixels, board: BoardMap, at: F64, ink: F32
) -> None:
    r, high = rng.uniform(0.6, 1.1), rng.uniform(1.0, 2.2)
    rings = [
        board.project(np.c_[CIRCLE * r * f + at, np.full(28, h)])
        for f, h in ((1.0, 0), (1.1, high), (0.95, high))
    ]
    outline = hull(np.concatenate(rings[:2]))
    fill_polygon(image, outline, tone(ink, 0.7))
    fill_polygon(image, rings[1], tone(ink, 1.0))
    fill_polygon(image, rings[2], tone(ink, 0.35))
    fill_polygon(classes, outline, float(OCCLUDER))


def _paint_card(
    rng: np.random.Generator, image: F32, board: BoardMap, at: F64, ink: F32, *, pen: bool
) -> None:
    long, wide = (
        (rng.uniform(1.5, 3.2), 0.14) if pen else (rng.uniform(0.8, 2.4), rng.uniform(0.7, 1.6))
    )
    turn = rng.normal(0, 0.2)
    axis = np.array((math.sin(turn), math.cos(turn)))
    across = np.array((axis[1], -axis[0]))
    quad = [
        at + a * axis * long / 2 + b * across * wide / 2
        for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
    ]
    fill_polygon(image, board.project([(*q, 0.0) for q in quad]), tone(ink, 1.0))


def paint_sleeve(rng: np.random.Generator, image: F32, classes: Pixels, board: BoardMap) -> None:
    """A sleeve or hand over one side of the board."""
    side, end = (1 if rng.random() < 0.5 else -1), (1 if rng.random() < 0.5 else -1)
    x = side * (board.width / 2 + rng.uniform(0, 2.2))
    tip = board.project([(x, end * rng.uniform(0.5, 4.5), 0.8)])[0]
    back = board.project([(x + rng.normal(0, 2), end * (board.height / 2 + 8), 2.0)])[0]
    scale = float(np.linalg.norm(np.diff(board.project([(0, 0, 0.4), (1, 0, 0.4)]), axis=0)))
    ink = rng.uniform(20, 235, 3).astype(np.float32)
    a, b = (tuple(int(v) for v in np.clip(p, -3000, 6000)) for p in (tip, back))
    width = scale * rng.uniform(0.9, 2.0)
    for k, f in ((1.0, 0.7), (0.75, 0.95), (0.4, 1.1)):
        cv2.line(image, a, b, tone(ink, f), max(1, int(width * k)), cv2.LINE_AA)
    cv2.line(classes, a, b, OCCLUDER, max(1, int(width)))

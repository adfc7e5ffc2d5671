"""What is taken for dice and is none."""

from __future__ import annotations

import cv2
import numpy as np

from vision.arrays import F32, F64
from vision.dice.crops import local_frame
from vision.synthetic.look import Bgr
from vision.train.dice import solids as paint
from vision.train.dice.placing import is_free
from vision.train.dice.scenes import DiceScene


def clutter(rng: np.random.Generator, scene: DiceScene) -> None:
    """What is taken for dice: glints, studs, groups of dots, blank tiles, letters, coins."""
    b = scene.board
    for _ in range(rng.integers(0, 10)):
        x, y = rng.uniform(-1, 1) * (b.width / 2 + 1.5), rng.uniform(-1, 1) * (b.height / 2 + 1.5)
        if not is_free(DiceScene(scene.picture, b, [], 0, 0, scene.things), x, y, 0.6):
            continue
        centre, axes, _ = local_frame(b, x, y, 0.0)
        unit = float(np.linalg.norm(axes[:, 0]))
        colour, kind = paint.random_colour(rng), rng.integers(5)
        if kind == 0:
            _glint(rng, scene.picture, centre, unit)
        else:
            (_dots, _coin, _letters, _tile)[kind - 1](rng, scene.picture, centre, unit, colour)


def _glint(rng: np.random.Generator, picture: F32, centre: F64, unit: float) -> None:
    radius = (
        max(1, int(rng.uniform(0.02, 0.2) * unit)),
        max(1, int(rng.uniform(0.02, 0.2) * unit)),
    )
    layer, at = np.zeros(picture.shape[:2], np.float32), (int(centre[0]), int(centre[1]))
    turn, bright = rng.uniform(0, 180), rng.uniform(60, 220)
    cv2.ellipse(layer, at, radius, turn, 0, 360, bright, -1, cv2.LINE_AA)
    picture += cv2.GaussianBlur(layer, (0, 0), rng.uniform(0.5, 3))[..., None]


def _dots(rng: np.random.Generator, picture: F32, centre: F64, unit: float, colour: Bgr) -> None:
    n = int(rng.integers(2, 6))
    pitch, size = rng.uniform(0.08, 0.25) * unit, rng.uniform(0.02, 0.06) * unit
    for i in range(n):
        for j in range(n):
            dot = (
                int((centre[0] + i * pitch + (j % 2) * pitch / 2) * 16),
                int((centre[1] + j * pitch) * 16),
            )
            cv2.circle(picture, dot, max(8, int(size * 16)), colour, -1, cv2.LINE_AA, 4)


def _coin(rng: np.random.Generator, picture: F32, centre: F64, unit: float, colour: Bgr) -> None:
    at = (int(centre[0] * 16), int(centre[1] * 16))
    for low, high, ink in ((0.1, 0.4, colour), (0.02, 0.1, None)):
        radius = int(rng.uniform(low, high) * unit * 16)
        fill = paint.random_colour(rng) if ink is None else ink
        cv2.circle(picture, at, radius, fill, -1, cv2.LINE_AA, 4)


def _letters(rng: np.random.Generator, picture: F32, centre: F64, unit: float, colour: Bgr) -> None:
    ink = np.zeros(picture.shape[:2], np.uint8)
    text = str(rng.choice(["8:32", "BG", "R", "Nard", "2026", "oo", ":::", "XXII"]))
    at, font = (int(centre[0]), int(centre[1])), int(rng.integers(0, 5))
    cv2.putText(ink, text, at, font, rng.uniform(0.006, 0.02) * unit, 255, 2, cv2.LINE_AA)
    picture[ink > 100] = colour


def _tile(rng: np.random.Generator, picture: F32, centre: F64, unit: float, colour: Bgr) -> None:
    size = rng.uniform(0.2, 0.9)
    edges = (size * unit, size * unit * rng.uniform(0.3, 1))
    quad = cv2.boxPoints(((float(centre[0]), float(centre[1])), edges, rng.uniform(0, 90)))
    cv2.fillConvexPoly(picture, np.round(quad * 16).astype(np.int32), colour, cv2.LINE_AA, 4)

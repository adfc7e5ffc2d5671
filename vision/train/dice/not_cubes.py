"""What bears numbers and is no doubling cube: cards of a score, cubes with other numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from vision.arrays import F32, F64
from vision.dice.number import FACES
from vision.train.dice import solids as paint
from vision.train.dice.digits import SHEET
from vision.train.dice.placing import is_free
from vision.train.dice.scenes import DiceScene

WORDS: Final = (
    *(str(n) for n in (0, 3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 17, 19, 21, 25, 28, 46, 128)),
    *("A", "B", "E", "H", "K", "N", "R", "S", "W", "x2", "BG", "TV", "?", "+", "GO"),
)
"""What stands on no doubling cube. A 1 is left out: on some cubes it stands for 64."""


def odd_cube(rng: np.random.Generator) -> paint.Solid:
    """A cube with other words than a doubling cube has, or with none."""
    cube = paint.random_cube(rng, wider=True)
    write = paint.hershey(rng, wider=True)
    faces = np.zeros_like(cube.faces)
    for k in range(len(faces) if rng.random() < 0.85 else 0):
        small = cv2.resize(
            write(str(rng.choice(WORDS))), (paint.FACE, paint.FACE), interpolation=cv2.INTER_AREA
        )
        faces[k] = np.rot90(small, int(rng.integers(4)))
    return replace(cube, faces=faces, values=(0,) * 6)


Place = tuple[float, float, float, float]
"""x, y, height and edge (point widths) of what a finder might take for a cube."""


def put_card(rng: np.random.Generator, scene: DiceScene) -> Place | None:
    """Where a card of a score was painted into the scene, beside the board or on it, and what of
    it a finder might take for a cube; None where there was no room.
    """
    b = scene.board
    x, y = rng.uniform(-1, 1) * (b.width / 2 + 2), rng.uniform(-1, 1) * (b.height / 2 + 1.5)
    if not is_free(scene, x, y, 0.6):
        return None
    word = str(rng.choice(FACES)) if rng.random() < 0.5 else str(rng.choice(WORDS))
    letters = paint.random_pen(rng)(word)
    high, broad = rng.uniform(0.8, 2.6), rng.uniform(0.8, 2.6)
    size = rng.uniform(0.5, 1.0) * min(high, broad)
    # A card is larger than its number, or it would look like the top of a cube.
    high, broad = max(high, 1.25 * size), max(broad, 1.25 * size)
    yaw = int(rng.integers(4)) * np.pi / 2 + rng.normal(0, 0.2)
    a = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    corners = np.array([(-1, 1), (1, 1), (1, -1), (-1, -1)], np.float64)
    where = np.array([x, y])
    paper, ink = _paper(rng)
    _fill(scene.picture, _projected(scene, where + corners * (broad / 2, high / 2) @ a.T), paper)
    sheet = _projected(scene, where + corners * size / 2 @ a.T)
    flat = np.array([(0, 0), (SHEET, 0), (SHEET, SHEET), (0, SHEET)], np.float32)
    turned = cv2.getPerspectiveTransform(flat, sheet.astype(np.float32))
    shape = scene.picture.shape[1], scene.picture.shape[0]
    covered = cv2.warpPerspective(letters, turned, shape, flags=cv2.INTER_AREA)[..., None]
    scene.picture += covered * (np.array(ink, np.float32) - scene.picture)
    return x, y, 0.0, float(size * rng.uniform(0.55, 1.1))


def _projected(scene: DiceScene, places: F64) -> F64:
    return scene.board.project([(float(px), float(py), 0.0) for px, py in places])


def _paper(
    rng: np.random.Generator,
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """The colours of a card and of what stands on it."""
    grey = float(rng.uniform(205, 250))
    paper = (grey, grey, grey) if rng.random() < 0.6 else paint.random_colour(rng)
    while True:
        ink = (25.0, 25.0, 25.0) if rng.random() < 0.4 else paint.random_colour(rng)
        if np.abs(np.subtract(ink, paper)).max() > 70:
            return paper, ink


def _fill(picture: F32, quad: F64, colour: tuple[float, float, float]) -> None:
    cv2.fillConvexPoly(picture, np.round(quad * 16).astype(np.int32), colour, cv2.LINE_AA, 4)

"""Whole scenes: a ground with things put on it, as a camera gives it."""

from __future__ import annotations

import cv2
import numpy as np

from vision.arrays import Pixels
from vision.synthetic.exposure import expose
from vision.train.dice import solids as paint
from vision.train.dice.clutter import clutter
from vision.train.dice.placing import add_cube, add_die
from vision.train.dice.scenes import CUBE, DiceScene
from vision.train.dice.tracing import random_lighting


def exposed(rng: np.random.Generator, scene: DiceScene) -> Pixels:
    """The picture as a camera gives it."""
    image = scene.picture
    if scene.look is not None:
        return expose(image, rng, scene.look)
    image = image * rng.uniform(0.8, 1.2) * rng.uniform(0.94, 1.06, 3).astype(np.float32)
    if rng.random() < 0.4:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), rng.uniform(0.3, 0.9)), np.float32)
    image = image + rng.standard_normal(image.shape, dtype=np.float32) * rng.uniform(0, 5)
    _, packed = cv2.imencode(
        ".jpg",
        np.clip(image, 0, 255).astype(np.uint8),
        [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 96))],
    )
    decoded = cv2.imdecode(packed, cv2.IMREAD_COLOR)
    assert decoded is not None
    return np.asarray(decoded, np.uint8)


def full_scene(rng: np.random.Generator, ground: DiceScene, dice: int, cubes: int = 0) -> Pixels:
    """Things put on a ground; the picture.

    `cubes` more of them than boards have: their numbers are learnt from few scenes.
    """
    top = float(np.percentile(ground.picture[::8, ::8].max(2), 96)) / 255
    lamp = random_lighting(rng, float(np.clip(top * rng.uniform(0.8, 1.25), 0.2, 1.15)))
    clutter(rng, ground)
    if rng.random() < 0.6 and not any(t.kind == CUBE for t in ground.things):
        add_cube(rng, ground, lamp)
    for _ in range(cubes):
        add_cube(rng, ground, lamp, (0.1, 0.1, 0.2, 0.6))
    sorts = [paint.random_die(rng, wider=True) for _ in range(2 + dice // 3)]
    for _ in range(dice):
        add_die(rng, ground, sorts[rng.integers(len(sorts))], lamp)
    return exposed(rng, ground)

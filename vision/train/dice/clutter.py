"""What is taken for dice and is none."""

from __future__ import annotations

import cv2
import numpy as np

from vision.dice.crops import local_frame
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
        at = (int(centre[0] * 16), int(centre[1] * 16))
        if kind == 0:
            radius = (
                max(1, int(rng.uniform(0.02, 0.2) * unit)),
                max(1, int(rng.uniform(0.02, 0.2) * unit)),
            )
            layer = np.zeros(scene.picture.shape[:2], np.float32)
            cv2.ellipse(
                layer,
                (int(centre[0]), int(centre[1])),
                radius,
                rng.uniform(0, 180),
                0,
                360,
                rng.uniform(60, 220),
                -1,
                cv2.LINE_AA,
            )
            scene.picture += cv2.GaussianBlur(layer, (0, 0), rng.uniform(0.5, 3))[..., None]
        elif kind == 1:
            n, pitch, size = (
                rng.integers(2, 6),
                rng.uniform(0.08, 0.25) * unit,
                rng.uniform(0.02, 0.06) * unit,
            )
            for i in range(n):
                for j in range(n):
                    dot = (
                        int((centre[0] + i * pitch + (j % 2) * pitch / 2) * 16),
                        int((centre[1] + j * pitch) * 16),
                    )
                    cv2.circle(
                        scene.picture, dot, max(8, int(size * 16)), colour, -1, cv2.LINE_AA, 4
                    )
        elif kind == 2:
            cv2.circle(
                scene.picture,
                at,
                int(rng.uniform(0.1, 0.4) * unit * 16),
                colour,
                -1,
                cv2.LINE_AA,
                4,
            )
            cv2.circle(
                scene.picture,
                at,
                int(rng.uniform(0.02, 0.1) * unit * 16),
                paint.random_colour(rng),
                -1,
                cv2.LINE_AA,
                4,
            )
        elif kind == 3:
            ink = np.zeros(scene.picture.shape[:2], np.uint8)
            text = str(rng.choice(["8:32", "BG", "R", "Nard", "2026", "oo", ":::", "XXII"]))
            cv2.putText(
                ink,
                text,
                (int(centre[0]), int(centre[1])),
                int(rng.integers(0, 5)),
                rng.uniform(0.006, 0.02) * unit,
                255,
                2,
                cv2.LINE_AA,
            )
            scene.picture[ink > 100] = colour
        else:
            size = rng.uniform(0.2, 0.9)
            quad = cv2.boxPoints(
                (
                    (float(centre[0]), float(centre[1])),
                    (size * unit, size * unit * rng.uniform(0.3, 1)),
                    rng.uniform(0, 90),
                )
            )
            cv2.fillConvexPoly(
                scene.picture, np.round(quad * 16).astype(np.int32), colour, cv2.LINE_AA, 4
            )

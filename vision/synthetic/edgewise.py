"""Checkers that stand on their edges in a painted tray."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from vision.arrays import F32, F64, Pixels
from vision.geometry import BoardMap
from vision.synthetic.brush import CIRCLE, camera_eye, fill_polygon, hull, tone
from vision.synthetic.look import Look
from vision.synthetic.truth import LIGHT


@dataclass(frozen=True, slots=True)
class BorneOff:
    """One checker off the board: set (LIGHT or DARK), its middle in board units, and whether it
    stands on its edge.
    """

    colour: int
    x: float
    y: float
    z: float
    on_edge: bool = False
    tilt: float = 0.0


def paint_edgewise(
    image: F32,
    classes: Pixels,
    board: BoardMap,
    those: list[BorneOff],
    look: Look,
    rng: np.random.Generator,
) -> None:
    """Checkers on their edges: the rim from above, a bright ridge along it, and the face that is
    turned to the camera.
    """
    eye = camera_eye(board)
    r, t = look.checker / 2, look.thickness
    rim, ridge, face = rng.uniform(0.6, 1.05), rng.uniform(0.95, 1.35), rng.uniform(0.5, 1.1)
    bevel, groove = t * rng.uniform(0.1, 0.3), rng.uniform(0.55, 0.8)
    for one in sorted(those, key=lambda q: -abs(q.y - eye[1])):
        base: F32 = np.asarray(look.light if one.colour == LIGHT else look.dark, np.float32) * (
            1 + rng.normal(0, 0.035)
        )
        near = 1 if eye[1] > one.y else -1

        def ring(shift: float, size: float, spot: BorneOff = one) -> F64:
            upright = CIRCLE * r * size
            lean = math.tan(spot.tilt)
            y = spot.y + shift + lean * upright[:, 1]
            return board.project(
                np.stack(
                    [spot.x + upright[:, 0], y, np.maximum(spot.z + upright[:, 1], spot.z - r)], 1
                )
            )

        low, high = ring(-t / 2, 0.93), ring(t / 2, 0.93)
        body = [ring(-t / 2 + bevel, 1.0), ring(t / 2 - bevel, 1.0)]
        outline = hull(np.concatenate([low, high, *body]))
        fill_polygon(image, outline, tone(base, rim * 0.7))
        middle = hull(np.concatenate(body))
        fill_polygon(image, middle, tone(base, rim))
        top = slice(4, 11)
        fill_polygon(
            image,
            np.concatenate([body[0][top], body[1][top][::-1]]),
            tone(base, rim * ridge),
        )
        if look.gloss > 0.2:
            glint = slice(6, 9)
            fill_polygon(
                image,
                np.concatenate([body[0][glint], body[1][glint][::-1]]),
                tone(base + (255 - base) * look.gloss, 1.0),
            )
        if abs(eye[1] - one.y) > 0.1 * eye[2]:
            fill_polygon(image, high if near > 0 else low, tone(base, face))
            if look.relief:
                fill_polygon(image, ring(near * t / 2, groove), tone(base, face * 0.85))
        fill_polygon(classes, outline, float(one.colour))

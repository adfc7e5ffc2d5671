"""What a checker reader must not take for checkers: painted dice, hands, sleeves, cups."""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np

from vision.arrays import F32, F64, Pixels
from vision.geometry import BoardMap
from vision.synthetic.brush import CIRCLE, camera_eye, fill_polygon, tone
from vision.synthetic.truth import DICE, OCCLUDER


def paint_dice(
    image: F32, classes: Pixels, board: BoardMap, rng: np.random.Generator, number: int
) -> None:
    """Cubes of a checker's third with pips; enough to teach a checker reader what is no checker
    (the dice reader has its own data).
    """
    eye = camera_eye(board)
    ink = np.array([rng.uniform(0, 255, 3), rng.uniform(0, 255, 3)], np.float32)
    for _ in range(number):
        s = rng.uniform(0.32, 0.62) if rng.random() < 0.8 else rng.uniform(0.55, 0.75)
        x, y, a = (
            rng.uniform(-6, 6),
            rng.uniform(-5, 5) * (0.4 if rng.random() < 0.7 else 1),
            rng.uniform(0, math.pi),
        )
        square = (
            np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
            * s
            / 2
            @ np.array([(math.cos(a), math.sin(a)), (-math.sin(a), math.cos(a))])
        )
        z = 0.25 if rng.random() < 0.15 else 0.0
        low, high = (
            np.c_[square + np.array((x, y)), np.full(4, z)],
            np.c_[square + np.array((x, y)), np.full(4, z + s)],
        )
        faces = [
            (np.stack([low[i], low[(i + 1) % 4], high[(i + 1) % 4], high[i]]), 0.55 + 0.12 * i)
            for i in range(4)
        ]
        faces.sort(key=lambda f: -float(np.linalg.norm(f[0].mean(0) - eye)))
        for face, light in faces:
            fill_polygon(image, board.project(face), tone(ink[0], light))
            fill_polygon(classes, board.project(face), float(DICE))
        fill_polygon(image, board.project(high), tone(ink[0], 1.0))
        fill_polygon(classes, board.project(high), float(DICE))
        for _pip in range(int(rng.integers(1, 7))):
            c = np.array((x, y)) + rng.choice([-1, 0, 1], 2) @ (square[:2] * 0.5)
            fill_polygon(
                image,
                board.project(np.c_[CIRCLE[::3] * s * 0.1 + c, np.full(10, z + s)]),
                tone(ink[1], 1.0),
            )


_SKINS: Final = (
    (165, 190, 232),
    (140, 172, 222),
    (112, 146, 198),
    (78, 108, 160),
    (52, 72, 112),
    (40, 54, 84),
)


def paint_cover(image: F32, classes: Pixels, board: BoardMap, rng: np.random.Generator) -> None:
    """A hand with its sleeve, or a cup or a phone, over some of the board."""
    skin = np.array(_SKINS[rng.integers(6)], np.float32)
    if rng.random() < 0.3:
        skin = rng.uniform(10, 240, 3).astype(np.float32)
    scale = float(np.linalg.norm(np.diff(board.project([(0, 0, 0.4), (1, 0, 0.4)]), axis=0)))
    tip = board.project([(rng.uniform(-6.5, 6.5), rng.uniform(-6, 6), 0.5)])[0]
    toward = math.radians((90 if rng.random() < 0.5 else -90) + rng.normal(0, 30))
    if rng.random() < 0.1:
        toward = rng.uniform(0, 2 * math.pi)
    back = np.array([math.cos(toward), math.sin(toward)])
    layer, where = image.copy(), np.zeros(image.shape[:2], np.uint8)
    if rng.random() < 0.15:
        _paint_cup(layer, where, tip, scale * rng.uniform(0.8, 1.7), skin)
    else:
        _paint_hand(layer, where, tip, back, scale, skin, rng)
    shade = cv2.GaussianBlur(
        np.roll(where, (int(scale * 0.3), int(scale * 0.3)), (0, 1)).astype(np.float32) / 255,
        (0, 0),
        scale * 0.25 + 0.5,
    )
    image *= (1 - 0.4 * shade)[..., None]
    over = cv2.GaussianBlur(where, (3, 3), 0).astype(np.float32)[..., None] / 255
    image[:] = image * (1 - over) + layer * over
    classes[where > 0] = OCCLUDER


def _paint_cup(layer: F32, where: Pixels, middle: F64, radius: float, colour: F32) -> None:
    """A cup or a phone put down on the board."""
    at = (int(middle[0]), int(middle[1]))
    cv2.circle(layer, at, int(radius), tone(colour, 1.0), -1, cv2.LINE_AA)
    cv2.circle(layer, at, int(radius * 0.85), tone(colour, 0.4), -1, cv2.LINE_AA)
    cv2.circle(where, at, int(radius), 255, -1)


def _paint_hand(
    layer: F32,
    where: Pixels,
    tip: F64,
    back: F64,
    scale: float,
    skin: F32,
    rng: np.random.Generator,
) -> None:
    """Four fingers and a thumb that reach for `tip`, palm, wrist and sleeve, which lead `back`."""

    def limb(a: F64, b: F64, width: float, colour: F32) -> None:
        pa, pb = (tuple(int(v) for v in np.clip(q, -3000, 6000)) for q in (a, b))
        for k, f in ((1.0, 0.7), (0.75, 0.95), (0.4, 1.1)):
            cv2.line(layer, pa, pb, tone(colour, f), max(1, int(width * k)), cv2.LINE_AA)
        cv2.line(where, pa, pb, 255, max(1, int(width)))

    palm = tip + back * scale * 2.3
    across = np.array([-back[1], back[0]])
    for k in range(4):
        knuckle = palm + across * scale * (k - 1.5) * 0.55
        end = (
            tip
            + across * scale * (k - 1.5) * rng.uniform(0.15, 0.55)
            + back * scale * rng.uniform(0, 0.9)
        )
        limb(knuckle, end, scale * rng.uniform(0.4, 0.55), skin)
    thumb = tip + across * scale * 0.4 + back * scale * 0.5
    limb(palm + across * scale, thumb, scale * 0.55, skin)
    wrist = palm + back * scale * 1.6
    limb(palm, wrist, scale * 1.9, skin)
    limb(wrist, wrist + back * scale * 9, scale * 1.3, skin)
    cuff = wrist + back * scale * rng.uniform(0, 3)
    width, cloth = scale * rng.uniform(1.7, 2.6), rng.uniform(15, 230, 3).astype(np.float32)
    limb(cuff, cuff + back * scale * 14, width, cloth)

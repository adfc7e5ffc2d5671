"""Dice and doubling cubes traced into a picture, in the true perspective of its map: training data
for `vision.dice.dice` and `vision.dice.cube`.

A die is a rounded box, met ray by ray (distance field, nine rays a pixel), lit by one lamp and the
sky, with a highlight, pips or numbers inked on its faces, and a shadow on what it lies on. Lengths
in point widths, colours BGR 0-255.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.arrays import F32, F64
from vision.train.dice.digits import DIGITS, SHEET, Pen

FACE: Final = 64
"""Texels along the edge of an inked face."""

PIPS: Final = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (1, -1), (1, 1), (0, 0)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
# Faces in the order +x -x +y -y +z -z; opposite faces add to seven, and makers use both hands of
# the rest.
_RIGHT_HANDED: Final = (1, 6, 2, 5, 3, 4)
_LEFT_HANDED: Final = (1, 6, 2, 5, 4, 3)


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """What a die or a cube is made of.

    `faces`: ink of the six faces, 6 x 64 x 64, 0-1; `values` their numbers.
    """

    edge: float
    round: float
    """Radius of the rounded edges, half edges."""
    ball: float
    """Radius of the ball that cuts the corners, half edges; 1.8 cuts nothing."""
    body: tuple[float, float, float]
    ink: tuple[float, float, float]
    faces: F32
    values: tuple[int, ...]
    gloss: float
    clear: float
    """Share of the ground seen through it."""


def random_colour(rng: np.random.Generator) -> tuple[float, float, float]:
    """Any colour, BGR 0-255."""
    hue, saturation, value = rng.uniform(0, 180), rng.uniform(0, 1), rng.uniform(0.08, 1)
    pixel = cv2.cvtColor(
        np.array([[[hue, saturation * 255, value * 255]]], np.uint8), cv2.COLOR_HSV2BGR
    )[0, 0]
    return float(pixel[0]), float(pixel[1]), float(pixel[2])


_BODIES: Final = (
    (238, 240, 242),
    (232, 238, 240),
    (200, 222, 236),
    (24, 24, 26),
    (40, 38, 40),
    (30, 28, 175),
    (150, 60, 28),
    (60, 115, 26),
    (22, 100, 180),
    (120, 40, 92),
)


def random_die(rng: np.random.Generator, *, wider: bool = False) -> Solid:
    """One of every sort sold: white, ivory, black, clear, any colour; sharp casino dice and round
    ones; small and large pips. `wider`: with the smallest pips too, and inks hardly told from the
    body: what a reader is taught with is more than what films are painted with.
    """
    body = (
        tuple(
            np.clip(np.array(_BODIES[rng.integers(len(_BODIES))]) + rng.uniform(-22, 22, 3), 4, 252)
        )
        if rng.random() < 0.7
        else random_colour(rng)
    )
    least = 55 if wider and rng.random() >= 0.7 else 95
    while True:
        ink = (
            tuple((240, 244, 246) if rng.random() < 0.5 else (22, 20, 22))
            if rng.random() < (0.8 if least > 60 else 0.3)
            else random_colour(rng)
        )
        if np.abs(np.array(ink) - body).max() > least:
            break
    values = _RIGHT_HANDED if rng.random() < 0.8 else _LEFT_HANDED
    radius, reach = rng.uniform(0.075, 0.125), rng.uniform(0.22, 0.29)
    faces = np.zeros((6, FACE, FACE), np.float32)
    tall = rng.uniform(0.85, 1.0)
    if rng.random() < 0.45:
        radius, reach = rng.uniform(0.1, 0.14), rng.uniform(0.2, 0.31)
    elif wider and rng.random() < 0.4:
        radius, reach = rng.uniform(0.05, 0.085), rng.uniform(0.18, 0.3)
    # Many makers push a six's rows together and pull each apart.
    narrow = 1.0
    if rng.random() < 0.5:
        narrow, tall = rng.uniform(0.5, 0.95), rng.uniform(0.95, 1.45)
    tall = min(tall, (0.48 - radius) / reach)
    # However large pips are, the three of a row never touch: a six with joined pips is no six.
    radius = min(radius, 0.4 * reach * tall, 0.8 * reach * narrow)
    large_one = rng.uniform(1.3, 1.9) if rng.random() < 0.12 else 1.0
    for k, value in enumerate(values):
        turned = rng.random() < 0.5
        wide, high = (reach * narrow, reach * tall) if value == 6 else (reach, reach)
        for a, b in PIPS[value]:
            u, v = (b * high, a * wide) if turned else (a * wide, b * high)
            at = (np.array([0.5 + u, 0.5 + v]) * FACE * 16).astype(int)
            size = radius * (large_one if value == 1 else 1)
            cv2.circle(
                faces[k], (int(at[0]), int(at[1])), int(size * FACE * 16), 1.0, -1, cv2.LINE_AA, 4
            )
    sharp = rng.random() < 0.3
    clear = rng.uniform(0.15, 0.6) if rng.random() < 0.18 else 0.0
    return Solid(
        float(np.clip(rng.normal(0.36, 0.06), 0.24, 0.54)),
        rng.uniform(0.04, 0.12) if sharp else rng.uniform(0.12, 0.4),
        rng.uniform(1.28, 1.6) if rng.random() < 0.35 else 1.8,
        (body[0], body[1], body[2]),
        (ink[0], ink[1], ink[2]),
        faces,
        values,
        rng.uniform(0, 1) ** 1.5,
        clear,
    )


_FONTS: Final = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_PLAIN,
)


def random_pen(rng: np.random.Generator, *, wider: bool = True) -> Callable[[str], F32]:
    """Writes words on sheets, in one of the letters that OpenCV has; `wider`: numbers of cubes in
    those of a pen too.
    """
    letters = hershey(rng, wider=wider)
    if not wider or rng.random() < 0.4:
        return letters
    pen = Pen(rng)
    return lambda word: pen.write(word) if set(word) <= DIGITS else letters(word)


def hershey(rng: np.random.Generator, *, wider: bool) -> Callable[[str], F32]:
    """Writes words on sheets in one of the letters that OpenCV has."""
    font, thick = _FONTS[rng.integers(len(_FONTS))], rng.uniform(0.06, 0.17 if wider else 0.13)
    height = rng.uniform(0.4, 0.7 if wider else 0.66)
    squeezed = rng.uniform(0.65, 1.1) if wider else 1.0

    def write(text: str) -> F32:
        line = max(1, int(thick * SHEET * (0.7 if len(text) > 1 else 1)))
        (w, h), _ = cv2.getTextSize(text, font, 4.0, line)
        # Letters are drawn as wide as they come and squeezed afterwards.
        scale = 4.0 * min(height * SHEET / h, 0.8 * SHEET / (w * squeezed))
        (w, h), _ = cv2.getTextSize(text, font, scale, line)
        sheet = np.zeros((SHEET, math.ceil(SHEET / min(1.0, squeezed))), np.uint8)
        middle = sheet.shape[1] // 2
        at = (middle - w // 2, SHEET // 2 + h // 2)
        cv2.putText(sheet, text, at, font, scale, 255, line, cv2.LINE_AA)
        shift = np.array([(squeezed, 0.0, SHEET // 2 - squeezed * middle), (0.0, 1.0, 0.0)])
        return np.asarray(cv2.warpAffine(sheet, shift, (SHEET, SHEET)) / 255, np.float32)

    return write


def random_cube(rng: np.random.Generator, *, wider: bool = False) -> Solid:
    """A doubling cube: 2 to 64 in some letter, upright or not. `wider`: bolder letters too, narrow
    and broad ones, those of a pen, and inks nearer to the body.
    """
    body = (
        tuple(np.clip(np.array(_BODIES[rng.integers(4)]) + rng.uniform(-22, 22, 3), 4, 252))
        if rng.random() < 0.75
        else random_colour(rng)
    )
    while True:
        ink = (
            tuple((236, 240, 242) if rng.random() < 0.4 else (24, 22, 24))
            if rng.random() < 0.75
            else random_colour(rng)
        )
        if np.abs(np.array(ink) - body).max() > (60 if wider else 95):
            break
    values = tuple(int(v) for v in rng.permutation([2, 4, 8, 16, 32, 64]))
    write = random_pen(rng, wider=wider)
    faces = np.zeros((6, FACE, FACE), np.float32)
    for k, value in enumerate(values):
        small = cv2.resize(write(str(value)), (FACE, FACE), interpolation=cv2.INTER_AREA)
        # The face's rows must run so that the text is not mirrored when seen from outside: see
        # `_ink_at`.
        faces[k] = np.rot90(small, int(rng.integers(4)))
        if rng.random() < 0.15:
            cv2.rectangle(faces[k], (6, 6), (57, 57), 1.0, 1)
    edge = float(np.clip(rng.normal(0.62, 0.08), 0.42, 0.85))
    body, ink = (body[0], body[1], body[2]), (ink[0], ink[1], ink[2])
    return Solid(
        edge, rng.uniform(0.06, 0.35), 1.8, body, ink, faces, values, rng.uniform(0, 0.7), 0.0
    )


def _cube_turns() -> list[F64]:
    """The 24 rotations that bring a cube onto itself."""
    found = []
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1, -1), repeat=3):
            m = np.zeros((3, 3))
            m[range(3), order] = signs
            if np.linalg.det(m) > 0:
                found.append(m)
    return found


TURNS: Final = _cube_turns()


def rotation_about(axis: npt.ArrayLike, angle: float) -> F64:
    """Rotation about a unit axis, radians (Rodrigues)."""
    x, y, z = np.asarray(axis, np.float64)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turned: F64 = np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k)
    return turned


def lying(rng: np.random.Generator) -> F64:
    """A solid with a random face up, turned anyhow."""
    return rotation_about((0, 0, 1), rng.uniform(0, 2 * math.pi)) @ TURNS[rng.integers(24)]


def up_face(solid: Solid, rotation: F64) -> tuple[int, float]:
    """The number most upwards and how far its face leans, degrees."""
    tops = np.concatenate([rotation[2], -rotation[2]])  # +x +y +z -x -y -z
    best = int(tops.argmax())
    face = (best % 3) * 2 + (best >= 3)
    return solid.values[face], math.degrees(math.acos(min(1.0, float(tops[best]))))


def lowest(solid: Solid, rotation: F64) -> float:
    """How far the lowest corner is below the centre, the rounding left out."""
    inner = solid.edge / 2 * (1 - solid.round)
    return float(np.abs(rotation[2]).sum()) * inner + solid.edge / 2 * solid.round

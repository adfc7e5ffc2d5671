"""Numbers as they stand on doubling cubes, drawn by strokes: no letter of any maker, but as many as
a pen has.
"""

from __future__ import annotations

import itertools
import math
from typing import Final

import cv2
import numpy as np

from vision.arrays import F32, F64, Pixels

SHEET: Final = 256
"""Pixels along the edge of the sheet that numbers are drawn on."""

Strokes = list[F64]
"""Lines of N x 2 points; a digit is 1 wide and 1.5 high, rows downwards."""


def _arc(x: float, y: float, wide: float, high: float, first: float, last: float) -> F64:
    """Points of an ellipse from one angle to another, degrees; 0 is to the right, 90 is below."""
    a = np.radians(np.linspace(first, last, 24))
    return np.stack([x + wide * np.cos(a), y + high * np.sin(a)], 1)


def _line(*points: tuple[float, float]) -> F64:
    return np.array(points, np.float64)


def _one(rng: np.random.Generator) -> Strokes:
    flag = rng.uniform(0.15, 0.45)
    drawn = [_line((0.5, 0.0), (0.5, 1.5))]
    if rng.random() < 0.85:
        drawn.append(_line((0.5 - flag, rng.uniform(0.15, 0.5)), (0.5, 0.0)))
    if rng.random() < 0.3:
        drawn.append(_line((0.15, 1.5), (0.85, 1.5)))
    return drawn


def _two(rng: np.random.Generator) -> Strokes:
    high, turn = rng.uniform(0.38, 0.5), rng.uniform(10, 50)
    head = _arc(0.5, high, 0.5, high, rng.uniform(-200, -150), turn)
    if rng.random() < 0.5:  # Its neck is bowed.
        neck = np.stack([np.linspace(head[-1, 0], 0.0, 24), np.linspace(head[-1, 1], 1.5, 24)], 1)
        neck[:, 0] -= rng.uniform(0, 0.12) * np.sin(np.linspace(0, math.pi, 24))
    else:
        neck = _line(tuple(head[-1]), (0.0, 1.5))
    return [np.concatenate([head, neck]), _line((0.0, 1.5), (1.0, 1.5))]


def _three(rng: np.random.Generator) -> Strokes:
    middle = rng.uniform(0.6, 0.75)
    open_at, end = rng.uniform(-200, -150), rng.uniform(150, 200)
    lower = _arc(0.5, (1.5 + middle) / 2, 0.5, (1.5 - middle) / 2, -90, end)
    if rng.random() < 0.25:  # A flat head.
        return [np.concatenate([_line((0.0, 0.0), (0.95, 0.0), (0.45, middle)), lower])]
    upper = _arc(0.48, middle / 2, rng.uniform(0.38, 0.48), middle / 2, open_at, 90)
    waist = [] if rng.random() < 0.5 else [_line((0.28, middle), (0.5, middle))]
    return [upper, lower, *waist]


def _four(rng: np.random.Generator) -> Strokes:
    post, bar = rng.uniform(0.62, 0.82), rng.uniform(0.95, 1.2)
    beam = _line((0.0, bar), (1.0, bar))
    if rng.random() < 0.2:  # Open above.
        lean = rng.uniform(0.0, 0.35)
        top = rng.uniform(0.2, 0.6)
        return [_line((lean, 0.0), (0.0, bar)), beam, _line((post, top), (post, 1.5))]
    return [_line((post, 0.0), (0.0, bar)), beam, _line((post, 0.0), (post, 1.5))]


def _six(rng: np.random.Generator) -> Strokes:
    high = rng.uniform(0.42, 0.52)
    bowl = _arc(0.5, 1.5 - high, 0.5, high, 0, 360)
    if rng.random() < 0.3:  # A straight back.
        return [bowl, _line((rng.uniform(0.6, 0.85), 0.0), (0.06, 1.5 - high - 0.1))]
    back = _arc(rng.uniform(0.5, 0.62), 0.75, 0.55, 0.75, -180, rng.uniform(-75, -35))
    back[:, 0] = np.maximum(back[:, 0], 0.0)
    return [bowl, np.concatenate([_line((0.0, 1.5 - high)), back])]


def _eight(rng: np.random.Generator) -> Strokes:
    middle, slim = rng.uniform(0.6, 0.75), rng.uniform(0.36, 0.5)
    upper = _arc(0.5, middle / 2, slim, middle / 2, 0, 360)
    return [upper, _arc(0.5, (1.5 + middle) / 2, 0.5, (1.5 - middle) / 2, 0, 360)]


_STROKES: Final = {"1": _one, "2": _two, "3": _three, "4": _four, "6": _six, "8": _eight}
DIGITS: Final = frozenset(_STROKES)
"""What a pen can write: the digits of a doubling cube."""


class Pen:
    """How a maker writes: one for all six numbers of a cube."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._shape = int(rng.integers(1 << 31))
        self.high = float(rng.uniform(0.4, 0.72))
        """Of the edge; two digits are smaller where they would not fit."""
        self.wide = float(rng.uniform(0.6, 1.05))
        self.slant = float(rng.normal(0, 0.12)) if rng.random() < 0.4 else 0.0
        self.thick = float(rng.uniform(0.07, 0.3))
        """Of two thirds of a digit's height."""
        self.flat = float(rng.uniform(0.45, 1.0)) if rng.random() < 0.4 else 1.0
        """How thick level strokes are beside upright ones."""
        self.gap = float(rng.uniform(0.12, 0.4))
        self.round = bool(rng.random() < 0.5)

    def write(self, text: str) -> F32:
        """A number of DIGITS upright in the middle of a sheet (SHEET x SHEET, 0-1)."""
        # The same digit has the same shape wherever it stands on a cube.
        strokes = [_STROKES[d](np.random.default_rng((self._shape, int(d)))) for d in text]
        width = len(text) * self.wide + (len(text) - 1) * self.gap
        unit = min(self.high * SHEET / 1.5, 0.84 * SHEET / (width + self.thick * 1.5))
        sheet = np.zeros((SHEET, SHEET), np.uint8)
        line = max(2.0, self.thick * unit)
        left = (SHEET - width * unit) / 2
        for digit in strokes:
            for stroke in digit:
                x = left + (stroke[:, 0] * self.wide - self.slant * (stroke[:, 1] - 0.75)) * unit
                y = SHEET / 2 + (stroke[:, 1] - 0.75) * unit
                _draw(sheet, np.stack([x, y], 1), line, line * self.flat, round_ends=self.round)
            left += (self.wide + self.gap) * unit
        return np.asarray(sheet / 255, np.float32)


def _draw(sheet: Pixels, line: F64, upright: float, level: float, *, round_ends: bool) -> None:
    """A stroke as a pen draws it whose tip is so wide and so high."""
    tip = _tip(upright, level, round_ends=round_ends)
    for first, last in itertools.pairwise(line):
        hull = cv2.convexHull(np.concatenate([tip + first, tip + last]).astype(np.float32))
        cv2.fillConvexPoly(sheet, (hull * 16).astype(np.int32), 255, cv2.LINE_AA, 4)


def _tip(wide: float, high: float, *, round_ends: bool) -> F64:
    if round_ends:
        return _arc(0.0, 0.0, wide / 2, high / 2, 0, 345)
    w, h = wide / 2, high / 2
    return _line((-w, -h), (w, -h), (w, h), (-w, h))

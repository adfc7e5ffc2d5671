"""What makers put on a field that is no checker and no die, painted over the scene generator's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from vision.train.generator import Geometry, PaintField, Picture, Theme


def adorned(paint: PaintField) -> PaintField:
    """The generator's painter of fields, two fields in three with something on them that is no
    checker and no die.
    """

    def painted(
        theme: Theme,
        g: Geometry,
        rng: np.random.Generator,
        ppc: int = 26,
        shape: str = "triangle",
    ) -> Picture:
        image = np.ascontiguousarray(paint(theme, g, rng, ppc=ppc, shape=shape))
        for mark in (glitter, tips, rosettes, frieze, letters, bands):
            if rng.random() < 0.2:
                mark(image, g, rng, ppc)
        return image

    return painted


def ink(rng: np.random.Generator) -> tuple[int, int, int]:
    """Any colour, mostly dark or light."""
    base = (
        rng.choice([20, 235]) + rng.integers(-15, 15, 3)
        if rng.random() < 0.4
        else rng.integers(10, 245, 3)
    )
    r, g, b = (int(v) for v in base)
    return r, g, b


def glitter(image: Picture, g: Geometry, rng: np.random.Generator, ppc: int) -> None:
    """Sequins or inlaid chips, on all of the field."""
    height, width = image.shape[:2]
    inks = [ink(rng) for _ in range(3)]
    for _ in range(int(rng.integers(800, 9000))):
        at = (int(rng.integers(width)), int(rng.integers(height)))
        cv2.circle(
            image,
            at,
            int(rng.integers(1, max(2, ppc // 8) + 1)),
            inks[int(rng.integers(3))],
            -1,
            cv2.LINE_AA,
        )


def tips(image: Picture, g: Geometry, rng: np.random.Generator, ppc: int) -> None:
    """A disc, a ring or a drop on each point: at its tip, its middle or its foot."""
    height = image.shape[0]
    where, radius = rng.choice([0.12, 0.5, 1.0, 1.06]), rng.uniform(0.12, 0.46) * g.w * ppc
    inks, thick = (ink(rng), ink(rng)), -1 if rng.random() < 0.6 else max(1, int(radius * 0.25))
    for point in range(1, 25):
        up = where * g.tri_len * ppc
        y = height - 1 - up if point <= 12 else up
        at = (int((g.pt_x(point) + g.W / 2) * ppc), int(y))
        cv2.circle(image, at, int(radius), inks[point % 2], thick, cv2.LINE_AA)
        if thick < 0 and radius > 6:
            cv2.circle(image, at, int(radius * 0.6), inks[1 - point % 2], 2, cv2.LINE_AA)


def halves(g: Geometry, ppc: int) -> list[tuple[float, float]]:
    """Left and right end of each half, pixels."""
    a, b = (g.W / 2 - g.bar_w / 2) * ppc, (g.W / 2 + g.bar_w / 2) * ppc
    return [(0.0, a), (b, g.W * ppc)]


def rosettes(image: Picture, g: Geometry, rng: np.random.Generator, ppc: int) -> None:
    """A round ornament in the middle of each half."""
    petals, radius, inks = (
        int(rng.integers(5, 17)),
        rng.uniform(0.05, 0.16) * g.H * ppc,
        [ink(rng) for _ in range(3)],
    )
    for a, b in halves(g, ppc):
        cx, cy = (a + b) / 2, image.shape[0] / 2
        cv2.circle(image, (int(cx), int(cy)), int(radius), inks[0], -1, cv2.LINE_AA)
        for k in range(petals):
            t = 2 * math.pi * k / petals
            at = (int(cx + 0.6 * radius * math.cos(t)), int(cy + 0.6 * radius * math.sin(t)))
            size = (int(radius * 0.35), max(1, int(radius * 0.12)))
            cv2.ellipse(image, at, size, math.degrees(t), 0, 360, inks[1 + k % 2], -1, cv2.LINE_AA)
        cv2.circle(image, (int(cx), int(cy)), max(1, int(radius * 0.2)), inks[2], -1, cv2.LINE_AA)


def frieze(image: Picture, g: Geometry, rng: np.random.Generator, ppc: int) -> None:
    """Tiles of two colours along the middle, or along rails and bar."""
    n, inks = max(3, int(rng.uniform(0.25, 0.9) * ppc)), (ink(rng), ink(rng))
    height = image.shape[0]
    rows = [height // 2 - n] if rng.random() < 0.5 else [0, height - 2 * n]
    for a, b in halves(g, ppc):
        for row in rows:
            for k, x in enumerate(range(int(a), int(b), n)):
                for j in range(2):
                    cv2.rectangle(
                        image,
                        (x, row + j * n),
                        (min(int(b), x + n), row + (j + 1) * n),
                        inks[(k + j) % 2],
                        -1,
                    )


def letters(image: Picture, g: Geometry, rng: np.random.Generator, ppc: int) -> None:
    """A maker's name."""
    word = "".join(chr(65 + int(k)) for k in rng.integers(0, 26, int(rng.integers(3, 10))))
    a, _ = halves(g, ppc)[int(rng.integers(2))]
    at = (int(a + rng.uniform(0.1, 2) * ppc * g.w), int(image.shape[0] * rng.uniform(0.45, 0.56)))
    cv2.putText(
        image,
        word,
        at,
        int(rng.integers(0, 8)),
        ppc * rng.uniform(0.03, 0.14),
        ink(rng),
        int(rng.integers(1, 6)),
        cv2.LINE_AA,
    )


def bands(image: Picture, g: Geometry, rng: np.random.Generator, ppc: int) -> None:
    """Lines across the points, as of veneers."""
    count, thick, inks = int(rng.integers(1, 5)), int(rng.integers(1, 7)), (ink(rng), ink(rng))
    height = image.shape[0]
    for k in range(count):
        up = int(rng.uniform(0.05, 0.42) * height)
        for y in (up, height - up):
            cv2.line(image, (0, y), (image.shape[1], y), inks[k % 2], thick, cv2.LINE_AA)

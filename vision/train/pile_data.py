"""Strips of piles with their heights, of traced and of painted boards."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import F64, I64, Pixels
from vision.geometry import GeometryError, from_corners, unit_between
from vision.piles import LEAST, pile_strips
from vision.prepared import PreparedMap
from vision.synthetic import scene as synthetic
from vision.train.data import Labelled, from_scene


@dataclass(frozen=True, slots=True)
class Piles:
    """Strips N x 224 x 48 x 9 with the number of checkers on each."""

    strips: Pixels
    counts: I64

    @property
    def often(self) -> F64:
        """How often each strip is drawn (N, sum 1): heights that are rare more often than they
        come, by the root of their rarity.
        """
        number = np.minimum(self.counts, 15)
        often = 1 / np.sqrt(np.bincount(number, minlength=16)[number])
        often *= np.where(number < LEAST, 0.5, 1.0)
        return np.asarray(often / often.sum(), np.float64)


def piles_of(item: Labelled, rng: np.random.Generator, times: int) -> list[tuple[Pixels, int]]:
    """`times` strips of every pile of a scene that is in full view: the first from true corners,
    the others from shaken ones.
    """
    number = np.where(item.points > 15, item.points - 15, item.points)
    clear = item.visible >= 0.9
    piles = [int(i) for i in np.flatnonzero(clear & (number >= LEAST - 1))]
    low = np.flatnonzero(clear & (number < LEAST - 1))
    piles += [int(i) for i in rng.permutation(low)[:1]]
    size = (item.pixels.shape[1], item.pixels.shape[0])
    unit = unit_between(item.corners, item.bar_width)
    found = []
    for time_ in range(times):
        corners = item.corners + (
            rng.normal(0, unit * float(rng.choice([0.01, 0.03, 0.06])), (4, 2)) if time_ else 0
        )
        try:
            board = from_corners(
                corners, size, bar=item.bar_width * (float(rng.normal(1, 0.02)) if time_ else 1.0)
            )
        except GeometryError:
            continue
        if piles:
            found += list(
                zip(
                    pile_strips(item.pixels, PreparedMap(board), piles).transpose(0, 2, 3, 1),
                    (int(number[i]) for i in piles),
                    strict=True,
                )
            )
    return found


def painted_piles(rng: np.random.Generator) -> Labelled:
    """A painted board with a high pile or two, large enough for a strip to be sharp."""
    while True:
        counts, bar, off = synthetic.random_counts(rng)
        if any(max(both) > 4 for both in counts.values()):
            break
    size = [(960, 720), (1280, 720), (1024, 768)][rng.integers(3)]
    scene = synthetic.paint(
        rng,
        counts,
        bar=bar,
        off=off,
        size=size,
        orientation=int(rng.choice([0, 180])),
        oblique=rng.random() < 0.3,
        covered=False,
    )
    return from_scene(scene)


def pile_training(items: list[Labelled], rng: np.random.Generator, times: int) -> Piles:
    """`times` strips of every pile of these scenes."""
    found = [pile for item in items for pile in piles_of(item, rng, times)]
    return Piles(np.stack([s for s, _ in found]), np.array([n for _, n in found], np.int64))


def shaken_pile(strip: Pixels, rng: np.random.Generator) -> Pixels:
    """Mirrored, shifted, under another lamp and another lens."""
    if rng.random() < 0.5:
        strip = strip[:, ::-1]
    shift = (int(rng.integers(-3, 4)), int(rng.integers(-2, 3)))
    out = np.roll(strip, shift, (0, 1))
    order = rng.permutation(3) if rng.random() < 0.3 else np.arange(3)
    out = out[..., np.concatenate([order, 3 + order, 6 + order])]
    level = 255 * (np.arange(256) / 255) ** rng.uniform(0.7, 1.4) * rng.uniform(0.6, 1.35)
    curves = [
        np.clip(level * rng.uniform(0.85, 1.15) + rng.uniform(-12, 12), 0, 255).astype(np.uint8)
        for _ in range(3)
    ]
    if rng.random() < 0.08:
        curves = [255 - c for c in curves]
    out = np.stack([curves[c % 3][out[..., c]] for c in range(9)], 2)
    if rng.random() < 0.2:
        out = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.4, 1.1)).astype(np.uint8, copy=False)
    if rng.random() < 0.3:
        out = np.clip(
            out + rng.standard_normal(out.shape, dtype=np.float32) * rng.uniform(1, 8), 0, 255
        ).astype(np.uint8)
    return out

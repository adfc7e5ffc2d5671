"""Teaches the network that finds dice: batches, loss, figures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from vision.arrays import F32, Pixels
from vision.dice.find import EDGE, STRIDE, peaks
from vision.train.dice import cuts
from vision.train.dice.pool import ShardPool

FinderBatch = tuple[Tensor, Tensor, Tensor]


def finder_targets(marks: F32, size: int) -> tuple[F32, F32]:
    """Heat (2 channels) with its weights, and log edge (2 channels) with its weights, for the marks
    of one tile: two arrays of 4.
    """
    n = round(size / STRIDE)
    want, weight = np.zeros((4, n, n), np.float32), np.ones((4, n, n), np.float32)
    weight[2:] = 0
    line = np.arange(n, dtype=np.float32) * STRIDE + (STRIDE - 1) / 2
    for kind, column, row, edge, clear in marks:
        k = int(kind) - 1
        d2 = ((line - column) ** 2)[None] + ((line - row) ** 2)[:, None]
        if not clear:
            weight[:2][:, d2 < (0.9 * edge) ** 2] = 0
            continue
        heat = np.exp(-d2 / (2 * (0.17 * edge) ** 2))
        # The cell nearest the centre is the centre, or small dice would have none; where in the
        # middle it is nobody can tell to a cell.
        heat[(d2 == d2.min()) | (d2 < (0.2 * edge) ** 2)] = 1
        want[k] = np.maximum(want[k], heat)
        near = d2 < (0.35 * edge) ** 2
        want[2 + k][near], weight[2 + k][near] = np.log(edge / EDGE), 1
    return want, weight


def _curve(rng: np.random.Generator) -> F32:
    """A camera's mood: brightness, tint and gamma as a table for each channel; 0-1 less a half, as
    the finder takes it.
    """
    level = (
        np.arange(256, dtype=np.float64)[:, None]
        / 255
        * rng.uniform(0.6, 1.4)
        * rng.uniform(0.92, 1.08, 3)
    )
    table = np.clip(level, 0, 1) ** rng.uniform(0.8, 1.25) - 0.5
    return np.asarray(table.astype(np.float32)[:, None], np.float32)


SIZE: Final = 144
"""Edge of a tile as the finder is shown it:

`dice_cuts.UNIT` pixels of a point become `DiceSettings.unit`.
"""


def at_finder_scale(tile: Pixels, places: F32, how: int = cv2.INTER_AREA) -> tuple[Pixels, F32]:
    """A tile of a shard at the finder's scale, and its column, row, edge (N x 3)."""
    factor = SIZE / cuts.TILE
    small = np.asarray(
        cv2.resize(np.ascontiguousarray(tile), (SIZE, SIZE), interpolation=how), np.uint8
    )
    return small, np.concatenate([(places[:, :2] + 0.5) * factor - 0.5, places[:, 2:] * factor], 1)


def finder_batch(rng: np.random.Generator, pool: ShardPool, count: int) -> FinderBatch:
    """Tiles turned and tinted, what the network should say of each cell, and how much it counts."""
    pictures, wants, weights = [], [], []
    for _ in range(count):
        shard = pool.pick(rng)
        k = int(rng.integers(len(shard.tiles)))
        tile, marks = shard.tiles[k], shard.marks[shard.marks[:, 0] == k][:, 1:].copy()
        last = tile.shape[0] - 1
        if rng.random() < 0.5:
            tile, marks[:, 1] = tile[:, ::-1], last - marks[:, 1]
        if rng.random() < 0.5:
            tile, marks[:, 2] = tile[::-1], last - marks[:, 2]
        if rng.random() < 0.5:
            tile, marks[:, [1, 2]] = tile.transpose(1, 0, 2), marks[:, [2, 1]]
        # The finder's picture is shrunk by whatever factor the camera's asks for: sharper and
        # softer ones are the same to it.
        how = (cv2.INTER_AREA, cv2.INTER_AREA, cv2.INTER_LINEAR)[rng.integers(3)]
        tile, marks[:, 1:4] = at_finder_scale(tile, marks[:, 1:4], how)
        order = rng.permutation(3) if rng.random() < 0.2 else np.arange(3)
        tile = cv2.LUT(np.ascontiguousarray(tile[:, :, order]), _curve(rng))
        want, weight = finder_targets(marks, tile.shape[0])
        pictures.append(tile.transpose(2, 0, 1))
        wants.append(want)
        weights.append(weight)
    return (
        torch.from_numpy(np.stack(pictures)),
        torch.from_numpy(np.stack(wants)),
        torch.from_numpy(np.stack(weights)),
    )


def dice_finder_loss(said: Tensor, want: Tensor, weight: Tensor) -> Tensor:
    """Focal loss of the heat (Zhou et al.

    2019, eq. 1, alpha 2, beta 4) and the absolute error of the log edge.
    """
    p = torch.sigmoid(said[:, :2]).clamp(1e-5, 1 - 1e-5)
    heat, w = want[:, :2], weight[:, :2]
    centre = (heat > 0.999).float()
    positive = -centre * (1 - p) ** 2 * torch.log(p) * w
    negative = -(1 - centre) * (1 - heat) ** 4 * p**2 * torch.log(1 - p) * w
    edge = ((said[:, 2:] - want[:, 2:]).abs() * weight[:, 2:]).sum() / weight[:, 2:].sum().clamp(
        min=1
    )
    return (positive.sum() + negative.sum()) / centre.sum().clamp(min=1) + 0.5 * edge


def print_finder_figures(net: nn.Module, pool: ShardPool) -> None:
    """Prints recall and precision of the finder's peaks on held-out tiles, by kind and score.

    Peaks at a tile's rim are not judged.
    """
    net.eval()
    scores: dict[int, list[tuple[float, bool]]] = {0: [], 1: []}
    missed = {0: 0, 1: 0}
    for shard in pool.shards:
        for k in range(len(shard.tiles)):
            marks = shard.marks[shard.marks[:, 0] == k][:, 1:].copy()
            tile, marks[:, 1:4] = at_finder_scale(shard.tiles[k], marks[:, 1:4])
            x = torch.from_numpy(tile.transpose(2, 0, 1)[None].astype(np.float32) / 255 - 0.5)
            with torch.no_grad():
                said = net(x)[0].numpy()
            for kind in (0, 1):
                found, lost = _judged(peaks(said, kind, 0.05), marks[marks[:, 0] == kind + 1])
                scores[kind] += found
                missed[kind] += lost
    for kind, name in enumerate(("die", "cube")):
        total = sum(ok for _, ok in scores[kind]) + missed[kind]
        for least in (0.1, 0.2, 0.3, 0.5):
            right = sum(ok for s, ok in scores[kind] if s >= least)
            wrong = sum(not ok for s, ok in scores[kind] if s >= least)
            recall, precision = right / max(1, total), right / max(1, right + wrong)
            print(
                f"finder {name} at {least}: recall {recall:.4f} precision {precision:.4f} of"
                f" {total}"
            )


def _judged(
    got: Iterable[tuple[float, float, float, float]], truth: F32
) -> tuple[list[tuple[float, bool]], int]:
    """(score, right) of each peak, and how many clear things no peak met."""

    def inside(c: float, r: float) -> bool:
        return 6 < c < SIZE - 6 and 6 < r < SIZE - 6

    used: set[int] = set()
    found = []
    for score, column, row, _ in got:
        near = [
            i
            for i, m in enumerate(truth)
            if np.hypot(m[1] - column, m[2] - row) < max(3.0, 0.6 * m[3]) and i not in used
        ]
        if inside(column, row) and not (near and not truth[near[0], 4]):
            found.append((score, bool(near)))
        used.update(near[:1])
    return found, sum(
        bool(m[4]) and inside(m[1], m[2]) and i not in used for i, m in enumerate(truth)
    )

"""Teaches the network that reads dice: batches, loss, temperatures."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from vision.arrays import Pixels
from vision.dice.crops import CROP, NEAR, TALLEST, WIDE
from vision.dice.dice import DiceColumns
from vision.train.dice import scenes as data
from vision.train.dice.cuts import taken_out
from vision.train.dice.pool import ShardPool


def _normal(near: Tensor, wide: Tensor, slant: Tensor) -> Tensor:
    """`dice.crops.network_input` for a batch."""
    a, b = near.permute(0, 3, 1, 2).float(), wide.permute(0, 3, 1, 2).float()
    level = ((a.mean((1, 2, 3)) + b.mean((1, 2, 3))) / 2).view(-1, 1, 1, 1)
    spread = (
        (a.var((2, 3), unbiased=False).mean(1) / 2 + b.var((2, 3), unbiased=False).mean(1) / 2)
        .sqrt()
        .clamp(min=12)
        .view(-1, 1, 1, 1)
    )
    plane = slant.clamp(max=TALLEST).view(-1, 1, 1, 1).expand(-1, 1, a.shape[2], a.shape[3])
    return torch.cat([(a - level) / spread, (b - level) / spread, plane], 1)


def middle_of(stored: Pixels) -> Pixels:
    """The crop (CROP x CROP) in the middle of what is stored with its surroundings."""
    out = (stored.shape[-2] - CROP) // 2
    return stored[..., out : stored.shape[-3] - out, out : stored.shape[-2] - out, :]


def as_found(
    rng: np.random.Generator, near: Pixels, wide: Pixels, slant: float
) -> tuple[Pixels, Pixels]:
    """Both crops as a finder that errs a little would have had them cut: moved, scaled and turned
    alike; where the camera hangs straight above, up is any way.
    """
    shift = rng.normal(0, 0.06, 2)  # edges
    scale = float(np.clip(rng.normal(1, 0.09), 0.8, 1.25))
    turn = rng.uniform(0, 2 * np.pi) if slant < 0.12 else rng.normal(0, 0.06)
    turned = scale * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    if rng.random() < 0.25:
        # Without a board nobody knows how the camera leans: tops are cut too tall or too flat.
        turned = np.diag((1.0, float(rng.uniform(0.75, 1.3)))) @ turned
    return (
        taken_out(near, turned, shift * (CROP / NEAR), CROP),
        taken_out(wide, turned, shift * (CROP / WIDE), CROP),
    )


def as_filmed(rng: np.random.Generator, near: Pixels, wide: Pixels) -> tuple[Pixels, Pixels]:
    """Both crops as cameras give them: out of focus, moved, from fewer pixels, sharpened."""
    kind = rng.random()
    if kind < 0.25:  # Out of focus, alike in both.
        blur = float(rng.uniform(0.5, 2.2))
        return _soft(near, blur), _soft(wide, blur * NEAR / WIDE)
    if kind < 0.5:  # A small or distant die.
        width = int(rng.integers(13, 34))
        small = cv2.resize(near, (width, width), interpolation=cv2.INTER_AREA)
        how = cv2.INTER_LINEAR if rng.random() < 0.7 else cv2.INTER_CUBIC
        fewer = np.asarray(cv2.resize(small, (CROP, CROP), interpolation=how), np.uint8)
        return fewer, _soft(wide, 0.3 * CROP / width * NEAR / WIDE)
    if kind < 0.6:  # The camera's own sharpening.
        strength = float(rng.uniform(0.3, 1.5))
        return (
            np.asarray(
                cv2.addWeighted(near, 1 + strength, _soft(near, 1.4), -strength, 0), np.uint8
            ),
            wide,
        )
    if kind < 0.68:  # A short motion.
        length = int(rng.integers(2, 6))
        kernel = np.zeros((length, length), np.float32)
        kernel[length // 2] = 1 / length
        kernel = kernel if rng.random() < 0.5 else kernel.T
        return np.asarray(cv2.filter2D(near, -1, kernel), np.uint8), wide
    return near, wide


def _soft(crop: Pixels, sigma: float) -> Pixels:
    return crop if sigma < 0.2 else np.asarray(cv2.GaussianBlur(crop, (0, 0), sigma), np.uint8)


def reader_batch(rng: np.random.Generator, pool: ShardPool, count: int) -> tuple[Tensor, Tensor]:
    """Crops moved, blurred, mirrored and tinted, and their labels (count x 3)."""
    near, wide, slant, labels = [], [], [], []
    for _ in range(count):
        shard = pool.pick(rng)
        k = int(rng.integers(len(shard.near)))
        a, b = as_found(rng, shard.near[k], shard.wide[k], float(shard.slant[k]))
        a, b = as_filmed(rng, a, b)
        # A mirrored die is a die; a mirrored 2 is no number.
        if shard.labels[k, 0] != data.CUBE and rng.random() < 0.5:
            a, b = a[:, ::-1], b[:, ::-1]
        if rng.random() < 0.25:
            order = rng.permutation(3)
            a, b = a[:, :, order], b[:, :, order]
        if rng.random() < 0.1:
            a, b = 255 - a, 255 - b
        near.append(a)
        wide.append(b)
        slant.append(shard.slant[k])
        labels.append(shard.labels[k])
    x = _normal(
        torch.from_numpy(np.stack(near)),
        torch.from_numpy(np.stack(wide)),
        torch.from_numpy(np.array(slant, np.float32)),
    )
    x[:, :6] += torch.from_numpy(rng.normal(0, 0.08, (count, 6, 1, 1)).astype(np.float32))
    x[:, :6] += torch.randn(x[:, :6].shape) * float(rng.uniform(0, 0.15))
    return x, torch.from_numpy(np.stack(labels).astype(np.int64))


def _wanted(labels: Tensor) -> dict[str, Tensor]:
    """For each part of the answer its column that is right, -1 where nobody knows."""
    kind, status, value = labels[:, 0], labels[:, 1], labels[:, 2]
    return {
        "kind": kind,
        "status": torch.where(kind == data.DIE, status, -1),
        "value": torch.where(kind == data.DIE, value, -1),
    }


def dice_reader_loss(said: Tensor, labels: Tensor, columns: DiceColumns) -> Tensor:
    """Cross entropy of kind, status and value, each where it is known."""
    entropy, wanted = nn.functional.cross_entropy, _wanted(labels)
    total = entropy(said[:, columns.kind.columns], wanted["kind"], label_smoothing=0.01)
    for part, want in (
        (columns.status, wanted["status"]),
        (columns.value, wanted["value"]),
    ):
        known = (want >= 0).float().mean()
        if known > 0:
            here = said[:, part.columns]
            total = total + entropy(here, want, ignore_index=-1, label_smoothing=0.01) * known
    return total


_HELD: Final = 0.05
"""Weight of a squared logit by which a reader departs from the one that it goes on from."""


def forgotten(said: Tensor, before: Tensor, columns: DiceColumns) -> Tensor:
    """How far a reader has gone from what it said before of what each thing is: few pictures teach
    a new face, and what many others taught of the rest must stay.
    """
    apart = (said - before)[:, columns.kind.columns]
    # Only what the logits say against each other counts.
    return (apart - apart.mean(1, keepdim=True)).square().sum() * (_HELD / len(said))


def reader_outputs(net: nn.Module, pool: ShardPool) -> tuple[Tensor, Tensor]:
    """Logits and labels of every crop of a pool."""
    net.eval()
    said, labels = [], []
    with torch.no_grad():
        for shard in pool.shards:
            x = _normal(
                torch.from_numpy(middle_of(shard.near)),
                torch.from_numpy(middle_of(shard.wide)),
                torch.from_numpy(shard.slant),
            )
            said.append(net(x))
            labels.append(torch.from_numpy(shard.labels.astype(np.int64)))
    return torch.cat(said), torch.cat(labels)


def best_temperatures(said: Tensor, labels: Tensor, columns: DiceColumns) -> dict[str, float]:
    """For each part the temperature under which held-out truth is likeliest (a search over a grid);
    the share that is right is printed.
    """
    wanted, found = _wanted(labels), {}
    for name, place in columns.by_name.items():
        known = wanted[name] >= 0
        part, want = said[known][:, place.columns], wanted[name][known]
        grid = np.geomspace(0.4, 4, 60)
        costs = [float(nn.functional.cross_entropy(part / t, want)) for t in grid]
        found[name] = round(float(grid[int(np.argmin(costs))]), 3)
        print(
            f"held out {name}: right {float((part.argmax(1) == want).float().mean()):.4f} of"
            f" {len(want)}, temperature {found[name]}"
        )
    return found

"""Training of the networks that find a board:

`finder` (corners in a whole picture), `field` (all corners on a field that is nearly straight) and
`corners` (each corner nearby, exactly).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from vision.arrays import F64, Pixels
from vision.corners import PATCH
from vision.finder import HEAT
from vision.network import SHIPPED
from vision.train.board_nets import BoardFinderNet, CornerNet
from vision.train.board_views import Patches, nothing, off_field, off_patches, taken_anew
from vision.train.data import Labelled, Traced, painted_labelled
from vision.train.fit import Plan, cosine, fit
from vision.train.learner import TorchLearner, begin_from, halved, one_core
from vision.train.shipped import shipped


def heat_target(corners: F64) -> tuple[Tensor, Tensor]:
    """Gaussians of one cell about each corner (N,48,64), summing to one, and which corners are in
    the picture.
    """
    gx, gy = np.meshgrid(np.arange(HEAT[0]) * 4 + 1.5, np.arange(HEAT[1]) * 4 + 1.5)
    d = (gx[None] - corners[:, 0, None, None]) ** 2 + (gy[None] - corners[:, 1, None, None]) ** 2
    t = np.exp(-d / (2 * 4.0**2))
    total = t.sum((1, 2), keepdims=True)
    return torch.as_tensor((t / np.maximum(total, 1e-6)).astype(np.float32)), torch.as_tensor(
        (total[:, 0, 0] > 3).astype(np.float32)
    )


def patch_batch(pictures: list[Pixels]) -> Tensor:
    """Pictures as both networks take them: N x 3 x height x width."""
    x = torch.as_tensor(np.stack(pictures)).permute(0, 3, 1, 2).float()
    return ((x - 127.5) / 64).contiguous(memory_format=torch.channels_last)


FinderExample = tuple[Pixels, F64 | None]
"""A picture, and the four corners in it; None for a picture without a board."""
E = TypeVar("E")


class Again(Generic[E]):
    """Made examples, each used about three times, far apart: making one costs as much as learning
    from it.
    """

    def __init__(self, make: Callable[[Labelled, np.random.Generator], E]) -> None:
        self.make = make
        self.made: list[E] = []

    def draw(self, items: list[Labelled], rng: np.random.Generator) -> list[E]:
        """As many examples as items, some of them made before."""
        again = min(2 * len(items) // 3, len(self.made) // 20)
        fresh = [self.make(item, rng) for item in items[again:]]
        old = [self.made[int(i)] for i in rng.integers(0, len(self.made), again)] if again else []
        self.made = (self.made + fresh)[-600:]
        return fresh + old


class BoardLessons(Generic[E]):
    """Examples of traced boards and of painted ones, which are slowly renewed."""

    def __init__(
        self, store: Traced, rng: np.random.Generator, number: int, examples: Again[E]
    ) -> None:
        self._store, self._rng, self._number, self._examples = store, rng, number, examples
        self._pool: list[Labelled] = []

    def batch(self) -> list[E]:
        """So many examples."""
        return self._examples.draw([self._one() for _ in range(self._number)], self._rng)

    def _one(self) -> Labelled:
        rng, store, pool = self._rng, self._store, self._pool
        if store.training and rng.random() < 0.6:
            return store.training[rng.integers(len(store.training))]
        if len(pool) < 64 or rng.random() < 0.1:
            item = painted_labelled(rng)
            self._pool = [*pool[-700:], item]
            return item
        return pool[rng.integers(len(pool))]

    def refresh(self) -> None:
        """Traced boards that have come."""
        self._store.refresh()

    def words(self) -> str:
        """How many boards there are to draw from."""
        return f"{len(self._store.training)} traced, {len(self._pool)} painted"

    def figures(self) -> str:
        """Nothing: boards found are measured by python -m vision evaluate."""
        return ""


def train_finder(
    folders: list[Path],
    out: Path,
    minutes: float,
    seed: int,
    say: Callable[[str], None],
    *,
    resume: bool = False,
) -> None:
    """Nothing; averaged weights are kept as finder.pt in `out`."""
    one_core(seed)
    path, rng, net = out / "finder.pt", np.random.default_rng(seed), BoardFinderNet()
    lessons = BoardLessons(Traced(folders), rng, 16, Again(_finder_example))
    if resume and path.exists():
        begin_from(net, path)
    elif resume:
        batches = [patch_batch([p for p, _ in lessons.batch()]) for _ in range(8)]
        shipped(net, SHIPPED / "finder.onnx", [(x,) for x in batches])
    learner = TorchLearner(net, _finder_loss, path, memory=0.99)
    fit(lessons, learner, _plan(minutes), time.monotonic, say)


def train_field(
    folders: list[Path],
    out: Path,
    minutes: float,
    seed: int,
    say: Callable[[str], None],
    *,
    resume: bool = False,
) -> None:
    """Nothing; averaged weights are kept as field.pt in `out`. It begins as the shipped finder
    where there is none yet: both look for corners.
    """
    one_core(seed)
    path, rng, net = out / "field.pt", np.random.default_rng(seed), BoardFinderNet(8)
    lessons = BoardLessons(Traced(folders), rng, 16, Again(off_field))
    if resume and path.exists():
        begin_from(net, path)
    elif resume:
        batches = [patch_batch([p for p, _ in lessons.batch()]) for _ in range(8)]
        finder = shipped(BoardFinderNet(), SHIPPED / "finder.onnx", [(x,) for x in batches])
        own = net.state_dict()
        alike = {k: v for k, v in finder.state_dict().items() if own[k].shape == v.shape}
        net.load_state_dict(own | alike)
    learner = TorchLearner(net, _finder_loss, path, memory=0.99)
    fit(lessons, learner, _plan(minutes), time.monotonic, say)


def train_corners(
    folders: list[Path],
    out: Path,
    minutes: float,
    seed: int,
    say: Callable[[str], None],
    *,
    resume: bool = False,
) -> None:
    """Nothing; averaged weights are kept as corners.pt in `out`."""
    one_core(seed)
    path, rng, net = out / "corners.pt", np.random.default_rng(seed), CornerNet()
    lessons = BoardLessons(Traced(folders), rng, 8, Again(off_patches))
    if resume and path.exists():
        begin_from(net, path)
    elif resume:
        batches = [patch_batch([p for one, _ in lessons.batch() for p in one]) for _ in range(8)]
        shipped(net, SHIPPED / "corners.onnx", [(x,) for x in batches])
    learner = TorchLearner(net, _corner_loss, path, memory=0.99)
    fit(lessons, learner, _plan(minutes), time.monotonic, say)


def _plan(minutes: float) -> Plan:
    return Plan(cosine(2e-3, 60), minutes, say_every=50, look_seconds=180)


def _finder_example(item: Labelled, rng: np.random.Generator) -> tuple[Pixels, F64 | None]:
    return (nothing(item, rng), None) if rng.random() < 0.12 else taken_anew(item, rng)


def _finder_loss(net: nn.Module, examples: list[FinderExample]) -> Tensor:
    maps = next((len(c) for _, c in examples if c is not None), 4)
    pictures, targets, there, inside = [], [], [], []
    for seen, corners in examples:
        pictures.append(seen)
        if corners is None:
            targets.append(torch.zeros(maps, HEAT[1], HEAT[0]))
            inside.append(torch.zeros(maps))
            there.append(0.0)
        else:
            target, within = heat_target(corners)
            targets.append(target)
            inside.append(within)
            there.append(1.0)
    with halved():
        heat, is_there = net(patch_batch(pictures))
    logs = torch.log_softmax(heat.float().flatten(2), -1)
    ce = -(torch.stack(targets).flatten(2) * logs).sum(-1)
    mask = torch.stack(inside)
    bce = nn.functional.binary_cross_entropy_with_logits(
        is_there.float()[:, 0], torch.tensor(there)
    )
    return (ce * mask).sum() / mask.sum() + 0.3 * bce


def _corner_loss(net: nn.Module, examples: list[Patches]) -> Tensor:
    x = np.concatenate([p for p, _ in examples])
    at = np.concatenate([a for _, a in examples])
    inside = np.asarray((np.abs(at - PATCH / 2 + 0.5) < PATCH / 2 - 1).all(1))
    gx, gy = np.meshgrid(np.arange(PATCH // 2) * 2 + 0.5, np.arange(PATCH // 2) * 2 + 0.5)
    d = (gx.ravel()[None] - at[:, :1]) ** 2 + (gy.ravel()[None] - at[:, 1:]) ** 2
    t = np.exp(-d / (2 * 2.0**2))
    t = np.where(inside[:, None], t / np.maximum(t.sum(1, keepdims=True), 1e-9), 0)
    target = torch.as_tensor(np.concatenate([t, ~inside[:, None]], 1).astype(np.float32))
    with halved():
        out = net(patch_batch(list(x)))
    return -(target * torch.log_softmax(out.float(), 1)).sum(1).mean()

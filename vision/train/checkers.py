"""Teaches the checker network: painted and traced boards mixed, each shaken a little every time."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from vision.arrays import Pixels
from vision.checkers import KINDS
from vision.network import SHIPPED
from vision.train.canvas_data import BAR_KINDS, CanvasExample, canvas_example, straight
from vision.train.data import Labelled, Traced, painted_labelled, stamped
from vision.train.fit import Plan, cosine, fit
from vision.train.learner import TorchLearner, begin_from, halved, one_core
from vision.train.nets import CheckerNet
from vision.train.shipped import shipped


def canvas_batch(samples: list[CanvasExample]) -> dict[str, Tensor]:
    """Samples stacked as the network and the losses want them."""
    t = torch.as_tensor
    return {
        "x": (t(np.stack([s.canvas for s in samples])).permute(0, 3, 1, 2).float() - 127.5) / 64,
        "palette": t(np.stack([s.palette for s in samples]))[:, :, None, None],
        "points": t(np.stack([s.points for s in samples])),
        "visible": t(np.stack([s.visible for s in samples])),
        "bar": t(np.array([[min(n, BAR_KINDS - 1) for n in s.bar] for s in samples])),
        "sides": t(np.array([[s.east_right, s.sided] for s in samples], np.float32)),
        "cells": t(np.stack([s.classes[4::8, 4::8] for s in samples])).long(),
    }


def checker_loss(out: tuple[Tensor, ...], b: dict[str, Tensor]) -> Tensor:
    """Counts of points that can be seen, covered or not, the bar, the sides, and what each cell
    shows.
    """
    points, bar, sides, cells = out
    f = nn.functional
    seen = (b["visible"] - 0.4).clamp(0, 0.5) * 2
    per_point = f.cross_entropy(
        points[..., :KINDS].reshape(-1, KINDS), b["points"].reshape(-1), reduction="none"
    ).reshape(seen.shape)
    # Three points in four are empty and soon easy: let the others count for more.
    weight = seen * torch.where(b["points"] > 0, 1.5, 0.7)
    total = (per_point * weight).sum() / weight.sum()
    total = total + at_least(points[..., :KINDS], b["points"], seen)
    total = total + 0.3 * f.binary_cross_entropy_with_logits(
        points[..., KINDS], (b["visible"] < 0.88).float()
    )
    total = total + 0.3 * f.cross_entropy(bar.reshape(-1, BAR_KINDS), b["bar"].reshape(-1))
    sided = b["sides"][:, 1]
    side = f.binary_cross_entropy_with_logits(sides[:, 0], b["sides"][:, 0], reduction="none")
    total = (
        total
        + 0.3 * (side * sided).sum() / (sided.sum() + 1)
        + 0.15 * f.binary_cross_entropy_with_logits(sides[:, 1], sided)
    )
    classes = torch.tensor([0.4, 1.0, 1.0, 0.6, 1.0])
    return total + 0.5 * f.cross_entropy(cells, b["cells"], weight=classes)


CanvasBatch = dict[str, Tensor]
Ready = tuple[Labelled, tuple[Pixels, Pixels]]


def at_least(logits: Tensor, kinds: Tensor, seen: Tensor) -> Tensor:
    """Cross entropy of "at least k checkers" for k = 1-15: to a softmax seven and eight are as
    strange to each other as seven and none.
    """
    p = torch.softmax(logits, -1)
    count = p[..., 1:16] + p[..., 16:31]
    more = count.flip(-1).cumsum(-1).flip(-1).clamp(1e-5, 1 - 1e-5)
    number = torch.where(kinds > 15, kinds - 15, kinds)
    truth = (number[..., None] >= torch.arange(1, 16)).float()
    each = nn.functional.binary_cross_entropy(more, truth, reduction="none").mean(-1)
    weight = seen * (kinds > 0)
    return 2 * (each * weight).sum() / (weight.sum() + 1)


def worth(item: Labelled) -> float:
    """How much more often than a plain board this one is drawn: high piles are rare and hard."""
    number = np.where(item.points > 15, item.points - 15, item.points)
    return 1.0 + min(3, int((number > 5).sum()))


class Mixture:
    """Endless samples: a pool of painted boards that is slowly renewed, and the traced ones, taken
    in as their folder grows.

    Canvases are made once and then only shaken; some painted ones come from slightly wrong corners,
    which shaking does not teach.
    """

    def __init__(self, folders: list[Path], rng: np.random.Generator, pool: int) -> None:
        self.rng, self.size = rng, pool
        self.pool: list[Ready] = []
        self.traced: list[Ready] = []
        self.held_out: list[CanvasExample] = []
        self.store = Traced(folders)
        self.refresh()

    def refresh(self) -> None:
        """Nothing; traced boards that have come are taken in."""
        self.store.refresh()
        # Every traced board comes twice: as it was, and with something stamped on its checkers.
        for item in self.store.training[len(self.traced) // 2 :]:
            self.traced += [(one, straight(one)) for one in (item, stamped(item, self.rng))]
        self.held_out += [
            canvas_example(item, None) for item in self.store.held_out[len(self.held_out) :]
        ]

    def _one_of(self, ready: list[Ready]) -> Ready:
        """By `worth`: of two drawn at random the worthier more often."""
        a, b = ready[self.rng.integers(len(ready))], ready[self.rng.integers(len(ready))]
        return a if self.rng.random() * (worth(a[0]) + worth(b[0])) < worth(a[0]) else b

    def draw(self, number: int, share: float) -> list[CanvasExample]:
        """`number` samples, `share` of them traced; a twelfth of the painted ones are new."""
        rng = self.rng
        chosen = []
        for _ in range(number):
            if self.traced and rng.random() < share:
                chosen.append(self._one_of(self.traced))
                continue
            if len(self.pool) < 64 or rng.random() < 1 / 12:
                item = painted_labelled(rng)
                ready = (item, straight(item))
                if len(self.pool) < self.size:
                    self.pool.append(ready)
                else:
                    self.pool[rng.integers(self.size)] = ready
                chosen.append(ready)
            else:
                chosen.append(self._one_of(self.pool))
        return [canvas_example(item, rng, ready) for item, ready in chosen]


def checker_figures(net: nn.Module, samples: list[CanvasExample]) -> str:
    """Points wrong among those in full view, bars wrong, boards wholly right, on samples as they
    are.
    """
    net.eval()
    wrong = total = occupied = occupied_wrong = bars = boards = 0
    with torch.no_grad():
        for i in range(0, len(samples), 16):
            b = canvas_batch(samples[i : i + 16])
            points, bar, _, _ = net(b["x"], b["palette"])
            bad = (points[..., :KINDS].argmax(-1) != b["points"]) & (b["visible"] > 0.9)
            bad_bar = (bar.argmax(-1) != b["bar"]).any(1)
            wrong, total = wrong + int(bad.sum()), total + int((b["visible"] > 0.9).sum())
            full = (b["points"] > 0) & (b["visible"] > 0.9)
            occupied, occupied_wrong = (
                occupied + int(full.sum()),
                occupied_wrong + int((bad & full).sum()),
            )
            bars, boards = bars + int(bad_bar.sum()), boards + int((~(bad.any(1) | bad_bar)).sum())
    net.train()
    n = max(1, len(samples))
    shares = (wrong / max(1, total), occupied_wrong / max(1, occupied), bars / n, boards / n)
    return "points wrong {:.4f} occupied wrong {:.4f} bars wrong {:.3f} boards right {:.3f}".format(
        *shares
    )


class CheckerLessons:
    """Batches of a mixture, more of them traced the more traced boards there are."""

    def __init__(self, mixture: Mixture, learner: TorchLearner[CanvasBatch]) -> None:
        self._mixture, self._learner = mixture, learner

    def batch(self) -> CanvasBatch:
        """24 canvases."""
        traced = len(self._mixture.traced)
        return canvas_batch(self._mixture.draw(24, 0.3 + 0.35 * min(1.0, traced / 600)))

    def refresh(self) -> None:
        """Traced boards that have come."""
        self._mixture.refresh()

    def words(self) -> str:
        """How many boards there are to draw from."""
        return f"{len(self._mixture.traced)} traced, {len(self._mixture.pool)} painted"

    def figures(self) -> str:
        """Shares wrong on held-out palettes."""
        held_out = self._mixture.held_out
        return f"{len(held_out)} boards, {checker_figures(self._learner.best, held_out)}"


def _loss_of(net: nn.Module, b: CanvasBatch) -> Tensor:
    with halved():
        out = net(b["x"].contiguous(memory_format=torch.channels_last), b["palette"])
    return checker_loss(tuple(o.float() for o in out), b)


def train_checkers(
    folders: list[Path],
    checkpoint: Path,
    minutes: float,
    seed: int,
    say: Callable[[str], None],
    *,
    rate: float = 2e-3,
    resume: bool = False,
    slowest: float = 0.998,
) -> None:
    """Nothing; averaged weights go to `checkpoint` every few minutes. The learning rate falls with
    the time.
    """
    one_core(seed)
    rng = np.random.default_rng(seed)
    lessons, net = Mixture(folders, rng, 2000), CheckerNet()
    if resume and checkpoint.exists():
        begin_from(net, checkpoint)
    elif resume:
        batches = [canvas_batch(lessons.draw(24, 0.5)) for _ in range(6)]
        shipped(net, SHIPPED / "checkers.onnx", [(b["x"], b["palette"]) for b in batches])
    learner = TorchLearner(net, _loss_of, checkpoint, memory=slowest)
    plan = Plan(cosine(rate, 100), minutes, say_every=50, look_seconds=240)
    fit(CheckerLessons(lessons, learner), learner, plan, time.monotonic, say)

"""The small judge of which way round a position stands: fifty numbers in, one logit out."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from vision.train.fit import Plan, fit, linear
from vision.train.learner import TorchLearner, one_core
from vision.train.positions import features


def turned(x: Tensor, y: Tensor, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """The same positions, or all of them turned by 180 degrees and the answer with them."""
    if rng.random() < 0.5:
        return x, y
    points = x[:, :48].reshape(-1, 2, 2, 12).flip(2)
    return torch.cat([points.reshape(-1, 48), x[:, 48:]], 1), 1 - y


Positions = tuple[Tensor, Tensor]


def judge_net() -> nn.Sequential:
    """Fifty numbers of `positions.features` to one logit."""
    return nn.Sequential(
        nn.Linear(50, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1)
    )


class PositionLessons:
    """All positions, 256 at a time, in a new order every round."""

    def __init__(
        self, number: int, seed: int, learner: TorchLearner[Positions], rng: np.random.Generator
    ) -> None:
        self._all = self._as_tensors(number, seed)
        self._held = self._as_tensors(4000, seed + 1)
        self._learner, self._rng = learner, rng
        self._order: list[Tensor] = []

    @staticmethod
    def _as_tensors(number: int, seed: int) -> Positions:
        x, y = features(number, seed)
        return torch.as_tensor(x), torch.as_tensor(y)

    def batch(self) -> Positions:
        """The next positions, turned or not."""
        x, y = self._all
        if not self._order:
            self._order = list(torch.randperm(len(x)).split(256))[::-1]
        chosen = self._order.pop()
        a, b = turned(x[chosen], y[chosen], self._rng)
        # A reader sees positions with mistakes in them.
        return a + torch.randn_like(a) * 0.02, b

    def refresh(self) -> None:
        """Nothing more comes."""

    def words(self) -> str:
        """Nothing beside the loss."""
        return ""

    def figures(self) -> str:
        """Share right of positions that were not learned."""
        x, y = self._held
        with torch.no_grad():
            out = self._learner.best(x)[:, 0]
        right = float(((out > 0) == (y > 0.5)).float().mean())
        return f"right {right:.3f}, loss {float(_bce(out, y)):.3f}"


def _bce(out: Tensor, y: Tensor) -> Tensor:
    return nn.functional.binary_cross_entropy_with_logits(out, y)


def _loss_of(net: nn.Module, batch: Positions) -> Tensor:
    return _bce(net(batch[0])[:, 0], batch[1])


def train_orientation(
    seed: int, path: Path, say: Callable[[str], None], *, number: int = 60_000, rounds: int = 50
) -> None:
    """Nothing; the weights are kept at `path`. About a minute and a half on one core."""
    one_core(seed)
    rng, net = np.random.default_rng(seed), judge_net()
    learner = TorchLearner(net, _loss_of, path, decay=1e-2, memory=None)
    each = -(-number // 256)
    plan = Plan(
        linear(2e-3, rounds * each, rounds),
        steps=rounds * each,
        say_every=each,
        look_every=15 * each,
    )
    fit(PositionLessons(number, seed, learner, rng), learner, plan, time.monotonic, say)

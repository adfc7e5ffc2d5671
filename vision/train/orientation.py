"""The small judge of which way round a position stands: fifty numbers in, one logarithm out."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import torch
from torch import Tensor, nn

from vision.orientation import SEATED
from vision.train.fit import Plan, fit, one_cycle
from vision.train.learner import TorchLearner, one_core
from vision.train.positions import positions

_SEATED: Final = torch.as_tensor(SEATED)
_BATCH: Final = 256


def judge_net() -> nn.Sequential:
    """Fifty numbers of `positions` to one logarithm."""
    return nn.Sequential(
        nn.Linear(50, 96), nn.ReLU(), nn.Linear(96, 48), nn.ReLU(), nn.Linear(48, 1)
    )


def misread(x: Tensor) -> Tensor:
    """The positions as a reader sees them: a hand over some points, piles one off, nothing quite
    certain.
    """
    x, points = x.clone(), x[:, :24].shape
    hidden = (torch.rand(len(x), 1) < 0.2) & (torch.rand(points) < 0.2)
    x[:, :48][torch.cat([hidden, hidden], 1)] = 0
    off = (torch.rand(len(x), 48) < 0.02) & (x[:, :48] > 1)
    x[:, :48][off] += torch.randint(0, 2, (int(off.sum()),)) * 2.0 - 1
    return x + torch.randn_like(x) * 0.08


class PositionLessons:
    """All positions, 256 at a time, in a new order every round."""

    def __init__(self, number: int, seed: int, learner: TorchLearner[Tensor]) -> None:
        self._all = torch.as_tensor(positions(number, seed))
        self._held = misread(torch.as_tensor(positions(4000, seed + 1)))
        self._learner = learner
        self._order: list[Tensor] = []

    def batch(self) -> Tensor:
        """The next positions, misread anew."""
        if not self._order:
            self._order = list(torch.randperm(len(self._all)).split(_BATCH))[::-1]
        return misread(self._all[self._order.pop()])

    def refresh(self) -> None:
        """Nothing more comes."""

    def words(self) -> str:
        """Nothing beside the loss."""
        return ""

    def figures(self) -> str:
        """Share right and surely wrong of positions that were not learned."""
        with torch.no_grad():
            likely = seatings(self._learner.best, self._held).softmax(1)
        best, which = likely.max(1)
        right, bold = (which == 0).float().mean(), ((which != 0) & (best > 0.99)).float().mean()
        return f"right {float(right):.3f}, above 0.99 and wrong {float(bold):.4f}"


def seatings(net: nn.Module, x: Tensor) -> Tensor:
    """Logits (N x 4) of the four seatings for positions (N x 50)."""
    seen: Tensor = net(x[:, _SEATED].reshape(-1, 50) / 5)
    return seen.reshape(-1, 4)


def _loss_of(net: nn.Module, batch: Tensor) -> Tensor:
    return -seatings(net, batch).log_softmax(1)[:, 0].mean()


def train_orientation(
    seed: int, path: Path, say: Callable[[str], None], *, number: int = 110_000, rounds: int = 12
) -> None:
    """Nothing; the weights are kept at `path`. About a minute on one core."""
    one_core(seed)
    learner = TorchLearner(judge_net(), _loss_of, path, decay=1e-2, memory=None)
    each = -(-number // _BATCH)
    plan = Plan(
        one_cycle(4e-3, rounds * each),
        steps=rounds * each,
        say_every=each,
        look_every=4 * each,
    )
    fit(PositionLessons(number, seed, learner), learner, plan, time.monotonic, say)

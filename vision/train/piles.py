"""Trains the network that counts piles: `python -m vision.train.piles --scenes FOLDER… --out OUT
--minutes N`.

Strips of every point with three checkers or more, and a few others, from traced scenes and painted
ones; each scene is taken several times with corners a little wrong. Ends with the temperature, the
doubt and the prior fitted on held-out palettes, and with the figures there.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import math
import time
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from vision.arrays import I64, Pixels
from vision.canvas import canvas, image_index
from vision.geometry import from_corners, unit_between
from vision.network import load_numbers, numbers_json
from vision.networks import Networks
from vision.piles import (
    COUNTS,
    LAYERS,
    LEAST,
    LONG,
    WIDE,
    PileNumbers,
    pile_likelihoods,
    shared_out,
)
from vision.prepared import PreparedMap
from vision.train.data import Labelled, Traced
from vision.train.export import export_network
from vision.train.fit import Plan, cosine, fit
from vision.train.learner import TorchLearner, begin_from, half_precision, one_core
from vision.train.nets import Net, Residual, conv
from vision.train.pile_data import Piles, painted_piles, pile_training, shaken_pile
from vision.train.weights_folder import made_in


class PileNet(Net):
    """Strips (N,9,224,48) to logits (N,13): fewer than four, four ... fifteen."""

    def __init__(self) -> None:
        super().__init__()
        self.see = nn.Sequential(
            conv(9, 24, 3, 2),
            conv(24, 32, 3, 2),
            Residual(32),
            conv(32, 48, 3, 2),
            Residual(48),
            conv(48, 64, (3, 6), 1, 0),
            Along(64),
        )
        self.say = nn.Sequential(
            nn.Flatten(),
            nn.Dropout(0.1),
            nn.Linear(26 * 24, 96),
            nn.ReLU(),
            nn.Linear(96, 1 + COUNTS),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.say(self.see(x))


class Along(Net):
    """The strip's length as one line of features (N,n,26,1), each seeing its neighbours, narrowed
    to 24.
    """

    def __init__(self, n: int) -> None:
        super().__init__()
        self.a = nn.Sequential(nn.Conv2d(n, n, (5, 1), 1, (2, 0)), nn.ReLU())
        self.b = nn.Sequential(nn.Conv2d(n, 24, 1), nn.ReLU())

    def forward(self, x: Tensor) -> Tensor:
        return self.b(x + self.a(x))


PileBatch = tuple[Tensor, Tensor]


def _as_input(strips: Pixels) -> Tensor:
    """Strips as the network takes them, N x 9 x LONG x WIDE."""
    return (torch.from_numpy(strips).permute(0, 3, 1, 2).float() - 127.5) / 64


def pile_targets(counts: I64) -> I64:
    """The column (0 fewer, else height) of each number of checkers, N."""
    return np.where(counts < LEAST, 0, np.minimum(counts, 15) - LEAST + 1)


def pile_loss(said: Tensor, want: Tensor) -> Tensor:
    """Cross entropy, and that of "at least k": six is nearer to five than fifteen is."""
    plain = nn.functional.cross_entropy(said, want, label_smoothing=0.01)
    p = torch.softmax(said, 1)
    more = p.flip(1).cumsum(1).flip(1)[:, 1:].clamp(1e-5, 1 - 1e-5)
    truth = (want[:, None] >= torch.arange(1, 1 + COUNTS)).float()
    return plain + 2 * nn.functional.binary_cross_entropy(more, truth)


def pile_logits(net: nn.Module, piles: Piles) -> Tensor:
    """Logits of all strips, N x 13."""
    net.eval()
    with torch.no_grad():
        parts = [net(_as_input(piles.strips[i : i + 64])) for i in range(0, len(piles.counts), 64)]
    net.train()
    return torch.cat(parts)


def pile_figures(net: nn.Module, piles: Piles) -> str:
    """Shares of piles counted rightly, in words."""
    said, want = pile_logits(net, piles), torch.from_numpy(pile_targets(piles.counts))
    good = said[:, 1:].argmax(1) + 1 == want

    def share(of: Tensor) -> str:
        return f"{float(good[of].float().mean()):.3f} of {int(of.sum())}"

    return f"right {share(want > 0)} piles, {share(want > 2)} over five"


class PileLessons:
    """Strips of several pools, each drawn in its share."""

    def __init__(
        self,
        pool: list[Piles],
        share: list[float],
        held: Piles,
        rng: np.random.Generator,
        learner: TorchLearner[PileBatch],
    ) -> None:
        self._pool, self._share, self._held = pool, share, held
        self._often = [piles.often for piles in pool]
        self._rng, self._learner = rng, learner

    def batch(self) -> PileBatch:
        """48 strips with what they hold."""
        found, counts = [], []
        for which in self._rng.choice(len(self._pool), 48, p=self._share):
            piles = self._pool[which]
            k = int(self._rng.choice(len(piles.counts), p=self._often[which]))
            found.append(shaken_pile(piles.strips[k], self._rng))
            counts.append(piles.counts[k])
        return _as_input(np.stack(found)), torch.from_numpy(pile_targets(np.array(counts)))

    def refresh(self) -> None:
        """Nothing more comes."""

    def words(self) -> str:
        """Nothing beside the loss."""
        return ""

    def figures(self) -> str:
        """Shares right of held-out piles."""
        return pile_figures(self._learner.best, self._held)


def _loss_of(net: nn.Module, batch: PileBatch) -> Tensor:
    return pile_loss(half_precision(net, batch[0]).float(), batch[1])


def train_piles(
    pool: list[Piles],
    share: list[float],
    held: Piles,
    minutes: float,
    seed: int,
    rate: float,
    path: Path,
    *,
    resume: bool = False,
) -> nn.Module:
    """The network with averaged weights, which are kept at `path` too."""
    one_core(seed)
    net = begin_from(PileNet(), path if resume else None)
    learner = TorchLearner(net, _loss_of, path, decay=1e-3)
    lessons = PileLessons(pool, share, held, np.random.default_rng(seed), learner)
    plan = Plan(cosine(rate, 100), minutes, look_every=500)
    fit(lessons, learner, plan, time.monotonic, functools.partial(print, flush=True))
    return learner.best


def fit_pile_numbers(
    net: nn.Module, pool: list[Piles], share: list[float], held: Piles
) -> PileNumbers:
    """Prior of what was drawn in training; temperature and doubt (a share spread by the prior)
    under which held-out truth is likeliest.
    """
    prior = np.full(COUNTS, 1e-3)
    for piles, part in zip(pool, share, strict=True):
        count = np.bincount(pile_targets(piles.counts), piles.often, 1 + COUNTS)[1:]
        prior += part * count / count.sum()
    prior /= prior.sum()
    said, want = pile_logits(net, held).double().numpy()[:, 1:], pile_targets(held.counts)
    said, want = said[want > 0], want[want > 0] - 1
    best = (math.inf, 1.0, 0.01)
    for t in np.geomspace(0.5, 4, 40):
        e = np.exp((said - said.max(1, keepdims=True)) / t)
        p = e / e.sum(1, keepdims=True)
        for doubt in (0.01, 0.02, 0.04, 0.08):
            cost = -float(
                np.log(((1 - doubt) * p + doubt * prior)[np.arange(len(want)), want]).mean()
            )
            best = min(best, (cost, float(t), doubt))
    stored = load_numbers(PileNumbers, "piles")
    return replace(
        stored,
        temperature=round(best[1], 3),
        doubt=best[2],
        prior=tuple(round(float(v), 5) for v in prior),
        blend=(0.0, 1.0),
    )


def fit_blend(items: list[Labelled], networks: Networks) -> tuple[float, float]:
    """Exponents of both networks' looks under which the held-out heights are likeliest, by the
    exported weights, corners a little wrong.
    """
    rng = np.random.default_rng(7)
    prior = networks.checkers.numbers.usual
    seen = []
    for item in items * 3:
        size = (item.pixels.shape[1], item.pixels.shape[0])
        unit = unit_between(item.corners, item.bar_width)
        board = from_corners(
            item.corners + rng.normal(0, 0.03 * unit, (4, 2)), size, bar=item.bar_width
        )
        prepared = PreparedMap(board)
        reading = networks.checkers.read(canvas(item.pixels, prepared), 0)
        number = np.where(item.points > 15, item.points - 15, item.points)
        high = [int(i) for i in np.flatnonzero((number >= LEAST) & (item.visible >= 0.9))]
        if high:
            rows = [reading.points[point_at(i)] for i in high]
            seen += list(
                zip(
                    rows,
                    pile_likelihoods(item.pixels, prepared, high, networks.piles),
                    (int(item.points[i]) for i in high),
                    strict=True,
                )
            )

    def cost(blend: tuple[float, float]) -> float:
        return -float(
            np.mean(
                [
                    np.log(shared_out(row, likely, prior, blend)[kind] + 1e-4)
                    for row, likely, kind in seen
                ]
            )
        )

    best = min(
        itertools.product((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), (0.2, 0.4, 0.6, 0.8, 1.0)), key=cost
    )
    print(
        f"blend {best} of {len(seen)} piles: cost {cost(best):.3f}; finer look alone"
        f" {cost((0.0, 1.0)):.3f}, coarser {cost((1.0, 0.0)):.3f}"
    )
    return best


def point_at(index: int) -> int:
    """Place among 24 readings of a map facing 0 of a point numbered as the picture shows it."""
    return next(p for p in range(24) if image_index(p + 1, 0) == index)


def main() -> None:
    p = argparse.ArgumentParser("python -m vision.train.piles", description=__doc__)
    p.add_argument("--scenes", type=Path, nargs="*", default=[])
    p.add_argument("--out", type=Path, default=Path("train-out"))
    p.add_argument("--painted", type=int, default=700, help="painted scenes")
    p.add_argument("--minutes", type=float, default=40)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--rate", type=float, default=2e-3)
    p.add_argument("--resume", action="store_true")
    a = p.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(a.seed)
    a.out.mkdir(parents=True, exist_ok=True)
    store = Traced(a.scenes)
    pool = [pile_training([painted_piles(rng) for _ in range(a.painted)], rng, 1)]
    if store.training:
        pool.append(pile_training(store.training, rng, 4))
    share = [1.0] if len(pool) == 1 else [0.4, 0.6]
    held = pile_training(store.held_out, rng, 1) if store.held_out else pool[0]
    print(
        f"strips: {[len(piles.counts) for piles in pool]}, held out {len(held.counts)}", flush=True
    )
    path = a.out / "piles.pt"
    resume = a.resume and path.exists()
    net = train_piles(pool, share, held, a.minutes, a.seed, a.rate, path, resume=resume)
    print("held out:", pile_figures(net, held))
    numbers = fit_pile_numbers(net, pool, share, held)
    weights = made_in(a.out)
    (weights / "piles.json").write_text(numbers_json(numbers))
    x = torch.zeros(2, 3 * len(LAYERS), LONG, WIDE)
    print(export_network(net, weights / "piles.onnx", {"x": x}, ["y"], any_number=True))
    blend = fit_blend(store.held_out or [painted_piles(rng) for _ in range(30)], Networks(weights))
    (weights / "piles.json").write_text(numbers_json(replace(numbers, blend=blend)))


if __name__ == "__main__":
    main()

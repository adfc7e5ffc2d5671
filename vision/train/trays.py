"""Trains the network that counts borne-off checkers.

    python -m vision.train.trays --scenes FOLDER… --out OUT --minutes N

Strips beside the field (`tray_data`) of traced scenes and of painted ones; each scene is taken
several times with corners a little wrong. Which set is called light is drawn anew for every strip,
so that only the board's own colours tell them apart. Ends with temperatures, doubt and prior fitted
on held-out palettes, and with the figures there.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from vision.network import load_numbers, numbers_json
from vision.train.export import export_network
from vision.train.fit import Plan, cosine, fit
from vision.train.learner import TorchLearner, begin_from, half_precision, one_core
from vision.train.nets import Net, Residual, conv
from vision.train.tray_data import (
    Strip,
    StripBatch,
    painted_trays,
    shaken_strip,
    strip_batch,
    strips_of,
    tray_training,
)
from vision.train.weights_folder import made_in
from vision.trays import (
    ANSWERS,
    CELLS,
    CHANNELS,
    COUNTS,
    LONG,
    WIDE,
    TrayNumbers,
    signs,
    tray_likelihoods,
    usual_counts,
)


class TrayNet(Net):
    """Strips (N,8,176,48) to counts (N,4: how many light, how many dark, how sure of either:
    `trays.bells`), logit of being seen (N,1) and checkers by cell (N,2,44). The counts are sums
    over the cells, so that a strip is counted alike wherever its checkers lie.
    """

    def __init__(self) -> None:
        super().__init__()
        self.see = nn.Sequential(
            conv(CHANNELS, 12, 3, 2), Narrow(12, 16), conv(16, 24, 3, 2), Residual(24)
        )
        # What each cell shows: asked in training alone, so that features come to know checkers
        # before they count them.
        self.shows = nn.Conv2d(24, 4, 1)
        self.across = conv(24, 40, (3, 6), 1, (1, 0))
        self.along = nn.Sequential(nn.Conv2d(40, 40, (7, 1), 1, (3, 0)), nn.ReLU())
        # No rectifier: one that dies at the start takes the counting with it.
        self.dense = nn.Conv2d(40, 2, 1)
        self.sure = nn.Sequential(nn.Linear(42, 32), nn.ReLU(), nn.Linear(32, 3))

    def tell(self, f: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Counts, seen and checkers by cell from features: sums of many cells, which half precision
        would spoil.
        """
        f = self.across(f)
        f = f + self.along(f)
        cells = self.dense(f)[..., 0]
        number = cells.sum(2)
        sure = self.sure(torch.cat([f.mean((2, 3)), number / 15], 1))
        return torch.cat([number, sure[:, :2]], 1), sure[:, 2:], cells

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.tell(self.see(x))


class Narrow(Net):
    """Half as wide, as long as before."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__()
        self.a = nn.Sequential(
            nn.Conv2d(a, b, 3, (1, 2), 1, bias=False), nn.BatchNorm2d(b), nn.ReLU()
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.a(x)


def bell_logits(counts: Tensor) -> Tensor:
    """`trays.bells` in torch, none included: N x 2 x COUNTS."""
    k = torch.arange(COUNTS, dtype=counts.dtype)
    return -torch.exp(counts[:, 2:, None].clamp(-4, 3)) * (counts[:, :2, None] - k) ** 2


def tray_loss(out: tuple[Tensor, Tensor, Tensor], shows: Tensor, b: dict[str, Tensor]) -> Tensor:
    """Counts of places in view, also as "at least k", where along the strip the checkers lie, what
    cells show, and seen or not.
    """
    counts, seen, cells = out
    f = nn.functional
    logits, want = bell_logits(counts), b["counts"]
    known = (b["seen"] == 1).float() + 0.2 * (b["seen"] == -1).float()
    # A hundredth of doubt: a bell has no fat tails of its own, and some piles nobody can count.
    p = 0.99 * torch.softmax(logits, -1) + 0.01 / COUNTS
    plain = -torch.log(p.gather(2, want[..., None]))[..., 0].mean(1)
    more = p.flip(-1).cumsum(-1).flip(-1)[..., 1:].clamp(1e-5, 1 - 1e-5)
    truth = (want[..., None] >= torch.arange(1, COUNTS)).float()
    ordinal = f.binary_cross_entropy(more, truth, reduction="none").mean((1, 2))
    smooth = torch.tensor([0.25, 0.5, 0.25]).reshape(1, 1, 3)
    near = f.conv1d((cells - b["cells"]).flatten(0, 1)[:, None], smooth, padding=1).reshape(
        -1, 2, CELLS
    )
    where = (near**2).mean((1, 2)) * 40 + 0.1 * (cells.sum(2) - want).abs().mean(1)
    total = ((plain + 2 * ordinal + where) * known).sum() / known.sum()
    told = (b["seen"] >= 0).float()
    shown = f.binary_cross_entropy_with_logits(
        seen[:, 0], (b["seen"] == 1).float(), reduction="none"
    )
    return (
        total
        + 0.5 * (shown * told).sum() / told.sum()
        + f.cross_entropy(shows, b["shows"], weight=torch.tensor([0.6, 1.0, 1.0, 0.6]))
    )


def tray_answers(net: nn.Module, found: list[Strip]) -> tuple[Tensor, Tensor, Tensor]:
    """The network's answers for all strips: counts, seen and cells."""
    net.eval()
    with torch.no_grad():
        parts = [net(strip_batch(found[i : i + 64])["x"]) for i in range(0, len(found), 64)]
    net.train()
    counts, seen, cells = (torch.cat(p) for p in zip(*parts, strict=True))
    return counts, seen[:, 0], cells


def tray_figures(net: nn.Module, found: list[Strip]) -> str:
    """Strips with checkers all counted rightly, empty ones said to be so, and seen or not told
    rightly.
    """
    counts, seen, _ = tray_answers(net, found)
    counts = bell_logits(counts)
    want = torch.tensor([[min(n, COUNTS - 1) for n in s.counts] for s in found])
    state = torch.tensor([s.seen for s in found])
    right = (counts.argmax(2) == want).all(1)
    near = ((counts.argmax(2) - want).abs() <= 1).all(1)
    some, none = (want.sum(1) > 0) & (state == 1), (want.sum(1) == 0) & (state == 1)

    def share(good: Tensor, of: Tensor) -> str:
        return f"{float(good[of].float().mean()):.3f}" if of.any() else "-"

    told = (seen > 0) == (state == 1)
    return (
        f"filled {share(right, some)} (within one {share(near, some)}) of {int(some.sum())}, empty"
        f" {share(right, none)} of {int(none.sum())}, seen {share(told, state == 1)}, hidden"
        f" {share(told, state == 0)} of {int((state == 0).sum())}"
    )


class StripPool:
    """Strips by kind, so that filled, empty and hidden ones are drawn in the shares that are
    wanted, whatever their number.
    """

    def __init__(self, found: Iterable[Strip]) -> None:
        self.kinds: list[list[Strip]] = [[], [], []]
        for strip in found:
            self.kinds[2 if strip.seen == 0 else 0 if len(strip.rows) else 1].append(strip)

    def draw(self, rng: np.random.Generator) -> Strip:
        """A strip of any kind."""
        share = np.array([0.62, 0.28, 0.1]) * [bool(k) for k in self.kinds]
        kind = self.kinds[rng.choice(3, p=share / share.sum())]
        return kind[int(rng.integers(len(kind)))]


class TrayLessons:
    """Strips of several pools, each drawn in its share."""

    def __init__(
        self,
        pools: list[StripPool],
        share: list[float],
        held: list[Strip],
        rng: np.random.Generator,
        learner: TorchLearner[StripBatch],
    ) -> None:
        self._pools, self._share, self._held = pools, share, held
        self._rng, self._learner = rng, learner

    def batch(self) -> StripBatch:
        """48 strips with their truths."""
        return strip_batch([self._one() for _ in range(48)])

    def _one(self) -> Strip:
        pool = self._pools[self._rng.choice(len(self._pools), p=self._share)]
        return shaken_strip(pool.draw(self._rng), self._rng)

    def refresh(self) -> None:
        """Nothing more comes."""

    def words(self) -> str:
        """Nothing beside the loss."""
        return ""

    def figures(self) -> str:
        """Shares right of held-out strips."""
        return tray_figures(self._learner.best, self._held)


def _loss_of(net: nn.Module, b: StripBatch) -> Tensor:
    f = half_precision(net.see, b["x"])
    return tray_loss(net.tell(f.float()), net.shows(f.float()), b)


def train_trays(
    pools: list[StripPool],
    share: list[float],
    held: list[Strip],
    minutes: float,
    seed: int,
    rate: float,
    path: Path,
    *,
    resume: bool = False,
) -> nn.Module:
    """The network with averaged weights, which are kept at `path` too."""
    one_core(seed)
    net = begin_from(TrayNet(), path if resume else None, strict=False)
    learner = TorchLearner(net, _loss_of, path, decay=1e-3)
    lessons = TrayLessons(pools, share, held, np.random.default_rng(seed), learner)
    plan = Plan(cosine(rate, 100), minutes, look_every=500)
    fit(lessons, learner, plan, time.monotonic, functools.partial(print, flush=True))
    return learner.best


def fit_tray_numbers(net: nn.Module, unseen: list[Strip]) -> TrayNumbers:
    """What makes the answers honest on strips that were not trained on: how to tell any from none,
    temperatures, and doubt.
    """
    counts, seen, cells = tray_answers(net, unseen)
    said, state = counts.numpy(), np.array([s.seen for s in unseen])
    clear = state == 1
    want = np.minimum([s.counts for s in unseen], COUNTS - 1)[clear]
    sign, there = (
        torch.from_numpy(signs(said, cells.numpy())[clear].reshape(-1, 4)),
        torch.from_numpy((want > 0).ravel()).double(),
    )
    weights = torch.zeros(4, dtype=torch.double, requires_grad=True)
    binary = nn.functional.binary_cross_entropy_with_logits
    best = torch.optim.LBFGS([weights], max_iter=200)

    def cost() -> Tensor:
        best.zero_grad()
        value = binary(sign @ weights, there) + 1e-3 * (weights[1:] ** 2).mean()
        value.backward()
        return value

    best.step(cost)
    numbers = replace(
        load_numbers(TrayNumbers, "trays"),
        some=tuple(round(float(w), 3) for w in weights),
        none=round(float((want == 0).mean()), 4),
    )
    prior = usual_counts(numbers.none)

    def unlikely(temperature: float, doubt: float) -> float:
        p = (
            tray_likelihoods(
                said[clear],
                cells.numpy()[clear],
                replace(numbers, temperature=temperature, doubt=doubt),
            )
            * prior
        )
        p /= p.sum(2, keepdims=True)
        return -float(np.log(np.take_along_axis(p, want[..., None], 2)).mean())

    tried = itertools.product(np.geomspace(0.4, 8, 40), (0.002, 0.005, 0.01, 0.02, 0.04, 0.08))
    temperature, doubt = min(tried, key=lambda pair: unlikely(float(pair[0]), pair[1]))
    told, shown = torch.from_numpy(clear[state >= 0]).float(), seen[torch.from_numpy(state >= 0)]
    cool = min(np.geomspace(0.5, 6, 50), key=lambda t: float(binary(shown / float(t), told)))
    return replace(
        numbers,
        temperature=round(float(temperature), 3),
        doubt=doubt,
        seen_temperature=round(float(cool), 3),
    )


def main() -> None:
    p = argparse.ArgumentParser("python -m vision.train.trays", description=__doc__)
    p.add_argument("--scenes", type=Path, nargs="*", default=[])
    p.add_argument("--out", type=Path, default=Path("train-out"))
    p.add_argument("--painted", type=int, default=700, help="painted scenes")
    p.add_argument(
        "--minutes",
        type=float,
        default=25,
        help="0: only fit the numbers and export what is in OUT",
    )
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--rate", type=float, default=2e-3)
    p.add_argument("--resume", action="store_true")
    a = p.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(a.seed)
    a.out.mkdir(parents=True, exist_ok=True)
    training, held = tray_training(a.scenes, rng, only_held=not a.minutes)
    unseen = [s for _ in range(a.painted // 10 + 10) for s in strips_of(painted_trays(rng), rng, 1)]
    path = a.out / "trays.pt"
    if a.minutes:
        painted = (s for _ in range(a.painted) for s in strips_of(painted_trays(rng), rng, 1))
        pools = [StripPool(painted)]
        if training:
            pools.append(StripPool(training))
        share = [1.0] if len(pools) == 1 else [0.45, 0.55]
        print(
            f"strips (filled, empty, hidden): {[[len(k) for k in pool.kinds] for pool in pools]},"
            f" held out {len(held)}",
            flush=True,
        )
        resume = a.resume and path.exists()
        net = train_trays(
            pools, share, held or unseen, a.minutes, a.seed, a.rate, path, resume=resume
        )
    else:
        net = begin_from(TrayNet(), path)
    print("held out:", tray_figures(net, held or unseen))
    print("painted, unseen:", tray_figures(net, unseen))
    numbers = fit_tray_numbers(net, held + unseen)
    (made_in(a.out) / "trays.json").write_text(numbers_json(numbers))
    x = torch.zeros(4, CHANNELS, LONG, WIDE)
    print(export_network(net, made_in(a.out) / "trays.onnx", {"x": x}, ANSWERS, any_number=True))


if __name__ == "__main__":
    main()

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
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn

from vision.arrays import F64, I64, Pixels
from vision.canvas import canvas, image_index
from vision.checkers import evaluate, interpret
from vision.geometry import GeometryError, from_corners
from vision.network import fitted
from vision.piles import COUNTS, LEAST, likelihoods, shared_out, strips
from vision.synthetic import scene as synthetic
from vision.train.data import Labelled, Traced, from_scene
from vision.train.nets import Residual, conv, running_mean

Tensor = Any
WEIGHTS = Path(__file__).resolve().parent.parent / "weights"


class PileNet(nn.Module):  # type: ignore[misc]
    """Strips (N,9,224,48) to logits (N,13): fewer than four, four ... fifteen."""

    def __init__(self) -> None:
        super().__init__()
        self.see = nn.Sequential(
            conv(9, 24, 3, 2), conv(24, 32, 3, 2), Residual(32), conv(32, 48, 3, 2), Residual(48), conv(48, 64, (3, 6), 1, 0), Along(64)
        )  # fmt: skip
        self.say = nn.Sequential(
            nn.Flatten(),
            nn.Dropout(0.1),
            nn.Linear(26 * 24, 96),
            nn.ReLU(),
            nn.Linear(96, 1 + COUNTS),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.say(self.see(x))


class Along(nn.Module):  # type: ignore[misc]
    """The strip's length as one line of features (N,n,26,1), each seeing its neighbours, narrowed
    to 24.
    """

    def __init__(self, n: int) -> None:
        super().__init__()
        self.a = nn.Sequential(nn.Conv2d(n, n, (5, 1), 1, (2, 0)), nn.ReLU())
        self.b = nn.Sequential(nn.Conv2d(n, 24, 1), nn.ReLU())

    def forward(self, x: Tensor) -> Tensor:
        return self.b(x + self.a(x))


@dataclass(frozen=True, slots=True)
class Piles:
    """Strips N x 224 x 48 x 9 with the number of checkers on each."""

    strips: Pixels
    counts: I64


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
    unit = float(np.linalg.norm(item.corners[1] - item.corners[0])) / 13
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
                zip(strips(item.pixels, board, piles), (int(number[i]) for i in piles), strict=True)
            )
    return found


def painted(rng: np.random.Generator) -> Labelled:
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


def gather(items: list[Labelled], rng: np.random.Generator, times: int) -> Piles:
    found = [pile for item in items for pile in piles_of(item, rng, times)]
    return Piles(np.stack([s for s, _ in found]), np.array([n for _, n in found], np.int64))


def shaken(strip: Pixels, rng: np.random.Generator) -> Pixels:
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


def targets(counts: I64) -> I64:
    return np.where(counts < LEAST, 0, np.minimum(counts, 15) - LEAST + 1)


def loss(said: Tensor, want: Tensor) -> Tensor:
    """Cross entropy, and that of "at least k": six is nearer to five than fifteen is."""
    plain = nn.functional.cross_entropy(said, want, label_smoothing=0.01)
    p = torch.softmax(said, 1)
    more = p.flip(1).cumsum(1).flip(1)[:, 1:].clamp(1e-5, 1 - 1e-5)
    truth = (want[:, None] >= torch.arange(1, 1 + COUNTS)).float()
    return plain + 2 * nn.functional.binary_cross_entropy(more, truth)


@functools.lru_cache(maxsize=4)
def _drawn(counts: bytes) -> F64:
    number = np.minimum(np.frombuffer(counts, np.int64), 15)
    often = 1 / np.sqrt(np.bincount(number, minlength=16)[number])
    often *= np.where(number < LEAST, 0.5, 1.0)
    return np.asarray(often / often.sum(), np.float64)


def drawn(counts: I64) -> F64:
    """How often each strip is drawn: heights that are rare more often than they come, by the root
    of their rarity.
    """
    return _drawn(counts.tobytes())


def batch(
    pool: list[Piles], share: list[float], rng: np.random.Generator, size: int
) -> tuple[Tensor, Tensor]:
    found, counts = [], []
    for which in rng.choice(len(pool), size, p=share):
        piles = pool[which]
        k = int(rng.choice(len(piles.counts), p=drawn(piles.counts)))
        found.append(shaken(piles.strips[k], rng))
        counts.append(piles.counts[k])
    x = (torch.from_numpy(np.stack(found)).permute(0, 3, 1, 2).float() - 127.5) / 64
    return x, torch.from_numpy(targets(np.array(counts)))


def answers(net: Any, piles: Piles) -> Tensor:
    net.eval()
    with torch.no_grad():
        parts = [
            net(
                (torch.from_numpy(piles.strips[i : i + 64]).permute(0, 3, 1, 2).float() - 127.5)
                / 64
            )
            for i in range(0, len(piles.counts), 64)
        ]
    net.train()
    return torch.cat(parts)


def figures(net: Any, piles: Piles) -> str:
    said, want = answers(net, piles), torch.from_numpy(targets(piles.counts))
    good = said[:, 1:].argmax(1) + 1 == want

    def share(of: Tensor) -> str:
        return f"{float(good[of].float().mean()):.3f} of {int(of.sum())}"

    return f"right {share(want > 0)} piles, {share(want > 2)} over five"


def train(
    pool: list[Piles],
    share: list[float],
    held: Piles,
    minutes: float,
    seed: int,
    rate: float,
    out: Path,
    resume: bool,
) -> Any:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = PileNet()
    if resume:
        net.load_state_dict(torch.load(out / "piles.pt"))
    net = net.to(memory_format=torch.channels_last)
    mean = running_mean(net)
    best = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-3)
    began, step, running = time.monotonic(), 0, 0.0
    while (passed := (time.monotonic() - began) / 60 / minutes) < 1:
        for group in best.param_groups:
            group["lr"] = (
                rate
                * min(1, (step + 1) / 100)
                * (0.5 * (1 + math.cos(math.pi * passed)) * 0.98 + 0.02)
            )
        x, want = batch(pool, share, rng, 48)
        with torch.autocast("cpu", torch.bfloat16):
            said = net(x.contiguous(memory_format=torch.channels_last))
        value = loss(said.float(), want)
        best.zero_grad()
        value.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        best.step()
        mean.update_parameters(net)
        running = 0.98 * running + 0.02 * float(value.detach()) if step else float(value.detach())
        step += 1
        if step % 100 == 0:
            print(
                f"{(time.monotonic() - began) / 60:.1f} min, step {step}, loss {running:.3f}",
                flush=True,
            )
        if step % 500 == 0:
            print("held out:", figures(mean.module, held), flush=True)
            torch.save(mean.module.state_dict(), out / "piles.pt")
    torch.save(mean.module.state_dict(), out / "piles.pt")
    return mean.module


def fit_numbers(net: Any, pool: list[Piles], share: list[float], held: Piles) -> dict[str, Any]:
    """Prior of what was drawn in training; temperature and doubt (a share spread by the prior)
    under which held-out truth is likeliest.
    """
    prior = np.full(COUNTS, 1e-3)
    for piles, part in zip(pool, share, strict=True):
        count = np.bincount(targets(piles.counts), drawn(piles.counts), 1 + COUNTS)[1:]
        prior += part * count / count.sum()
    prior /= prior.sum()
    said, want = answers(net, held).double().numpy()[:, 1:], targets(held.counts)
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
    return {
        "temperature": round(best[1], 3),
        "doubt": best[2],
        "prior": [round(float(v), 5) for v in prior],
    }


def fit_blend(items: list[Labelled]) -> tuple[float, float]:
    """Exponents of both networks' looks under which the held-out heights are likeliest, by the
    exported weights, corners a little wrong.
    """
    rng = np.random.default_rng(7)
    prior = np.array(fitted("checkers")["prior"], np.float64)
    seen = []
    for item in items * 3:
        size = (item.pixels.shape[1], item.pixels.shape[0])
        unit = float(np.linalg.norm(item.corners[1] - item.corners[0])) / 13
        board = from_corners(
            item.corners + rng.normal(0, 0.03 * unit, (4, 2)), size, bar=item.bar_width
        )
        reading = interpret(evaluate(canvas(item.pixels, board)), 0)
        number = np.where(item.points > 15, item.points - 15, item.points)
        high = [int(i) for i in np.flatnonzero((number >= LEAST) & (item.visible >= 0.9))]
        if high:
            rows = [reading.points[point_at(i)] for i in high]
            seen += list(
                zip(
                    rows,
                    likelihoods(item.pixels, board, high),
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


def export(net: Any, path: Path) -> None:
    net.eval().to(memory_format=torch.contiguous_format)
    x = torch.zeros(2, 9, 224, 48)
    axes = {"x": {0: "n"}, "y": {0: "n"}}
    torch.onnx.export(
        net,
        x,
        str(path),
        input_names=["x"],
        output_names=["y"],
        opset_version=13,
        dynamo=False,
        dynamic_axes=axes,
    )
    print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")


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
    pool = [gather([painted(rng) for _ in range(a.painted)], rng, 1)]
    if store.training:
        pool.append(gather(store.training, rng, 4))
    share = [1.0] if len(pool) == 1 else [0.4, 0.6]
    held = gather(store.held_out, rng, 1) if store.held_out else pool[0]
    print(
        f"strips: {[len(piles.counts) for piles in pool]}, held out {len(held.counts)}", flush=True
    )
    net = train(pool, share, held, a.minutes, a.seed, a.rate, a.out, a.resume)
    print("held out:", figures(net, held))
    numbers = fit_numbers(net, pool, share, held) | {"blend": [0.0, 1.0]}
    (WEIGHTS / "piles.json").write_text(json.dumps(numbers, indent=1) + "\n")
    export(net, WEIGHTS / "piles.onnx")
    numbers["blend"] = list(fit_blend(store.held_out or [painted(rng) for _ in range(30)]))
    (WEIGHTS / "piles.json").write_text(json.dumps(numbers, indent=1) + "\n")


if __name__ == "__main__":
    main()

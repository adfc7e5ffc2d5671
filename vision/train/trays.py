"""Trains the network that counts borne-off checkers: `python -m vision.train.trays --scenes FOLDER…
--out OUT --minutes N`.

Strips beside the field (`tray_data`) of traced scenes and of painted ones; each scene is taken
several times with corners a little wrong. Which set is called light is drawn anew for every strip,
so that only the board's own colours tell them apart. Ends with temperatures, doubt and prior fitted
on held-out palettes, and with the figures there.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn

from vision.train.nets import Residual, conv, running_mean
from vision.train.tray_data import ROWS, Pool, Strip, batch, gather, painted, shaken, strips_of
from vision.trays import CHANNELS, COUNTS, LONG, WIDE, likelihoods, signs, usual

Tensor = Any
WEIGHTS = Path(__file__).resolve().parent.parent / "weights"


class TrayNet(nn.Module):  # type: ignore[misc]
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
        self.across = conv(24, 40, (3, 6), 1, (1, 0))  # type: ignore[arg-type]
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


class Narrow(nn.Module):  # type: ignore[misc]
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


def loss(out: tuple[Tensor, Tensor, Tensor], shows: Tensor, b: dict[str, Tensor]) -> Tensor:
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
        -1, 2, ROWS
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


def answers(net: Any, found: list[Strip]) -> tuple[Tensor, Tensor, Tensor]:
    net.eval()
    with torch.no_grad():
        parts = [net(batch(found[i : i + 64])["x"]) for i in range(0, len(found), 64)]
    net.train()
    counts, seen, cells = (torch.cat(p) for p in zip(*parts, strict=True))
    return counts, seen[:, 0], cells


def figures(net: Any, found: list[Strip]) -> str:
    """Strips with checkers all counted rightly, empty ones said to be so, and seen or not told
    rightly.
    """
    counts, seen, _ = answers(net, found)
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


def train(
    pools: list[Pool],
    share: list[float],
    held: list[Strip],
    minutes: float,
    seed: int,
    rate: float,
    out: Path,
    resume: bool,
) -> Any:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = TrayNet()
    if resume:
        net.load_state_dict(torch.load(out / "trays.pt"), strict=False)
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
        b = batch(
            [shaken(pools[rng.choice(len(pools), p=share)].draw(rng), rng) for _ in range(48)]
        )
        with torch.autocast("cpu", torch.bfloat16):
            f = net.see(b["x"].contiguous(memory_format=torch.channels_last))
        value = loss(net.tell(f.float()), net.shows(f.float()), b)
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
            torch.save(mean.module.state_dict(), out / "trays.pt")
    torch.save(mean.module.state_dict(), out / "trays.pt")
    return mean.module


def fit_numbers(net: Any, unseen: list[Strip]) -> dict[str, Any]:
    """What makes the answers honest on strips that were not trained on: how to tell any from none,
    temperatures, and doubt.
    """
    counts, seen, cells = answers(net, unseen)
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
    numbers: dict[str, Any] = {
        "some": [round(float(w), 3) for w in weights],
        "none": round(float((want == 0).mean()), 4),
    }
    prior = usual(numbers)

    def unlikely(temperature: float, doubt: float) -> float:
        p = (
            likelihoods(
                said[clear],
                cells.numpy()[clear],
                numbers | {"temperature": temperature, "doubt": doubt},
            )
            * prior
        )
        p /= p.sum(2, keepdims=True)
        return -float(np.log(np.take_along_axis(p, want[..., None], 2)).mean())

    tried = itertools.product(np.geomspace(0.4, 8, 40), (0.002, 0.005, 0.01, 0.02, 0.04, 0.08))
    temperature, doubt = min(tried, key=lambda pair: unlikely(float(pair[0]), pair[1]))
    told, shown = torch.from_numpy(clear[state >= 0]).float(), seen[torch.from_numpy(state >= 0)]
    cool = min(np.geomspace(0.5, 6, 50), key=lambda t: float(binary(shown / float(t), told)))
    return numbers | {
        "temperature": round(float(temperature), 3),
        "doubt": doubt,
        "seen_temperature": round(float(cool), 3),
    }


def export(net: Any, path: Path) -> None:
    net.eval().to(memory_format=torch.contiguous_format)
    x, outputs = torch.zeros(4, CHANNELS, LONG, WIDE), ["counts", "seen", "cells"]
    axes = {name: {0: "n"} for name in ("x", *outputs)}
    torch.onnx.export(
        net,
        x,
        str(path),
        input_names=["x"],
        output_names=outputs,
        opset_version=13,
        dynamo=False,
        dynamic_axes=axes,
    )
    print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")


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
    training, held = gather(a.scenes, rng, only_held=not a.minutes)
    unseen = [s for _ in range(a.painted // 10 + 10) for s in strips_of(painted(rng), rng, 1)]
    if a.minutes:
        pools = [Pool(s for _ in range(a.painted) for s in strips_of(painted(rng), rng, 1))]
        if training:
            pools.append(Pool(training))
        share = [1.0] if len(pools) == 1 else [0.45, 0.55]
        print(
            f"strips (filled, empty, hidden): {[[len(k) for k in pool.kinds] for pool in pools]},"
            f" held out {len(held)}",
            flush=True,
        )
        net = train(pools, share, held or unseen, a.minutes, a.seed, a.rate, a.out, a.resume)
    else:
        net = TrayNet()
        net.load_state_dict(torch.load(a.out / "trays.pt"))
    print("held out:", figures(net, held or unseen))
    print("painted, unseen:", figures(net, unseen))
    (WEIGHTS / "trays.json").write_text(
        json.dumps(fit_numbers(net, held + unseen), indent=1) + "\n"
    )
    export(net, WEIGHTS / "trays.onnx")


if __name__ == "__main__":
    main()

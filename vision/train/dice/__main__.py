"""Trains the two networks that find and read dice: `python -m vision.train.dice DATA [--out
vision/weights]`.

DATA is a folder of shards written by `vision.train.dice.shards` (it may still be growing). Seeds
are fixed; the same shards and steps give the same weights up to the order of sums. Ends with the
temperatures fitted on the held-out palettes, and the figures there.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import torch
from torch import nn

from vision.arrays import F32, Pixels
from vision.dice.find import EDGE, FOLD, STRIDE, peaks
from vision.train.dice import cuts
from vision.train.dice import scenes as data
from vision.train.dice.nets import FinderNet, ReaderNet
from vision.train.dice.shards import Shard, load

Tensor = Any


class Pool:
    """Shards of a folder in memory, read again when new ones have come."""

    def __init__(self, folder: Path, name: str, most: int = 400) -> None:
        self.folder, self.name, self.most = folder, name, most
        self.shards: list[Shard] = []
        self.mined: list[Shard] = []
        self.real: list[Shard] = []
        self._seen: set[Path] = set()
        self.refresh()

    def refresh(self) -> None:
        for path in sorted(self.folder.glob(f"{self.name}_*.npz")):
            if path not in self._seen and len(self.shards) < self.most:
                self._seen.add(path)
                self.shards.append(load(path))
                if "real" in path.name:
                    self.real.append(self.shards[-1])
                elif "mined" in path.name:
                    self.mined.append(self.shards[-1])

    def pick(self, rng: np.random.Generator) -> Shard:
        """Any shard; four picks in ten are of rendered dice and two of mined crops, where there are
        some.
        """
        which = rng.random()
        some = (
            self.real
            if self.real and which < 0.4
            else self.mined
            if self.mined and which > 0.8
            else self.shards
        )
        return some[rng.integers(len(some))]


def targets(marks: F32, size: int) -> tuple[F32, F32]:
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


def shrunk(tile: Pixels, places: F32, how: int = cv2.INTER_AREA) -> tuple[Pixels, F32]:
    """A tile of a shard at the finder's scale, and its column, row, edge (N x 3)."""
    factor = SIZE / cuts.TILE
    small = np.asarray(
        cv2.resize(np.ascontiguousarray(tile), (SIZE, SIZE), interpolation=how), np.uint8
    )
    return small, np.concatenate([(places[:, :2] + 0.5) * factor - 0.5, places[:, 2:] * factor], 1)


def finder_batch(rng: np.random.Generator, pool: Pool, count: int) -> tuple[Tensor, Tensor, Tensor]:
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
        tile, marks[:, 1:4] = shrunk(tile, marks[:, 1:4], how)
        order = rng.permutation(3) if rng.random() < 0.2 else np.arange(3)
        tile = cv2.LUT(np.ascontiguousarray(tile[:, :, order]), _curve(rng))
        want, weight = targets(marks, tile.shape[0])
        pictures.append(tile.transpose(2, 0, 1))
        wants.append(want)
        weights.append(weight)
    return (
        torch.from_numpy(np.stack(pictures)),
        torch.from_numpy(np.stack(wants)),
        torch.from_numpy(np.stack(weights)),
    )


def finder_loss(said: Tensor, want: Tensor, weight: Tensor) -> Tensor:
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


def _normal(near: Tensor, wide: Tensor, slant: Tensor) -> Tensor:
    """`dice_crops.network_input` for a batch."""
    a, b = near.permute(0, 3, 1, 2).float(), wide.permute(0, 3, 1, 2).float()
    level = ((a.mean((1, 2, 3)) + b.mean((1, 2, 3))) / 2).view(-1, 1, 1, 1)
    spread = (
        (a.var((2, 3), unbiased=False).mean(1) / 2 + b.var((2, 3), unbiased=False).mean(1) / 2)
        .sqrt()
        .clamp(min=12)
        .view(-1, 1, 1, 1)
    )
    plane = slant.clamp(max=2).view(-1, 1, 1, 1).expand(-1, 1, a.shape[2], a.shape[3])
    return torch.cat([(a - level) / spread, (b - level) / spread, plane], 1)


def reader_batch(rng: np.random.Generator, pool: Pool, count: int) -> tuple[Tensor, Tensor]:
    near, wide, slant, labels = [], [], [], []
    for _ in range(count):
        shard = pool.pick(rng)
        k = int(rng.integers(len(shard.near)))
        a, b = shard.near[k], shard.wide[k]
        # A mirrored die is a die; a mirrored 2 is no number.
        if shard.labels[k, 0] != data.CUBE and rng.random() < 0.5:
            a, b = a[:, ::-1], b[:, ::-1]
        if rng.random() < 0.25:
            order = rng.permutation(3)
            a, b = a[:, :, order], b[:, :, order]
        if rng.random() < 0.1:
            a, b = 255 - a, 255 - b
        if rng.random() < 0.5:
            dx, dy = rng.integers(-1, 2, 2)
            a = np.roll(a, (dy, dx), (0, 1))
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


def reader_losses(said: Tensor, labels: Tensor) -> Tensor:
    """Cross entropy of kind, status, value and the cube's number, each where it is known."""
    kind, status, value = labels[:, 0], labels[:, 1], labels[:, 2]
    entropy = nn.functional.cross_entropy
    total = entropy(said[:, :3], kind, label_smoothing=0.01)
    for part, want in (
        (said[:, 3:7], torch.where(kind == data.DIE, status, -1)),
        (said[:, 7:13], torch.where(kind == data.DIE, value, -1)),
        (said[:, 13:19], torch.where(kind == data.CUBE, value, -1)),
    ):
        known = (want >= 0).float().mean()
        if known > 0:
            total = total + entropy(part, want, ignore_index=-1, label_smoothing=0.01) * known
    return total


def fit(
    net: nn.Module, batch: Any, loss: Any, steps: int, rate: float, seed: int, pool: Pool, name: str
) -> None:
    """One-cycle Adam; prints the running loss."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    optimiser = torch.optim.AdamW(net.parameters(), rate, weight_decay=1e-4)
    cycle = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=steps, pct_start=0.15)
    net.train().to(memory_format=torch.channels_last)
    running, begun = 0.0, time.monotonic()
    for step in range(steps):
        if step % 100 == 99:
            pool.refresh()
        x, *truth = batch(rng, pool)
        optimiser.zero_grad()
        # Half the time on one core; losses and weights stay in full precision.
        with torch.autocast("cpu", torch.bfloat16):
            said = net(x.contiguous(memory_format=torch.channels_last))
        value = loss(said.float(), *truth)
        value.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimiser.step()
        cycle.step()
        running = 0.98 * running + 0.02 * float(value.detach()) if step else float(value.detach())
        if step % 200 == 199:
            print(
                f"{name} step {step + 1} loss {running:.4f} shards {len(pool.shards)}"
                f" {time.monotonic() - begun:.0f} s",
                flush=True,
            )


def reader_outputs(net: nn.Module, pool: Pool) -> tuple[Tensor, Tensor]:
    """Logits and labels of every crop of a pool."""
    net.eval()
    said, labels = [], []
    with torch.no_grad():
        for shard in pool.shards:
            x = _normal(
                torch.from_numpy(shard.near),
                torch.from_numpy(shard.wide),
                torch.from_numpy(shard.slant),
            )
            said.append(net(x))
            labels.append(torch.from_numpy(shard.labels.astype(np.int64)))
    return torch.cat(said), torch.cat(labels)


PARTS: Final = {"kind": (0, 3), "status": (3, 7), "value": (7, 13), "shown": (13, 19)}


def temperatures(said: Tensor, labels: Tensor) -> dict[str, float]:
    """For each part the temperature under which held-out truth is likeliest (a search over a grid),
    and the share that is right.
    """
    kind, status, value = labels[:, 0], labels[:, 1], labels[:, 2]
    wants = {
        "kind": kind,
        "status": torch.where(kind == data.DIE, status, -1),
        "value": torch.where(kind == data.DIE, value, -1),
        "shown": torch.where(kind == data.CUBE, value, -1),
    }
    fitted = {}
    for name, (a, b) in PARTS.items():
        known = wants[name] >= 0
        part, want = said[known, a:b], wants[name][known]
        grid = np.geomspace(0.4, 4, 60)
        costs = [float(nn.functional.cross_entropy(part / t, want)) for t in grid]
        fitted[name] = round(float(grid[int(np.argmin(costs))]), 3)
        print(
            f"held out {name}: right {float((part.argmax(1) == want).float().mean()):.4f} of"
            f" {len(want)}, temperature {fitted[name]}"
        )
    return fitted


def finder_figures(net: nn.Module, pool: Pool) -> None:
    """Prints recall and precision of the finder's peaks on held-out tiles, by kind and score.

    Peaks at a tile's rim are not judged.
    """
    net.eval()
    scores: dict[int, list[tuple[float, bool]]] = {0: [], 1: []}
    missed = {0: 0, 1: 0}
    for shard in pool.shards:
        for k in range(len(shard.tiles)):
            marks = shard.marks[shard.marks[:, 0] == k][:, 1:].copy()
            tile, marks[:, 1:4] = shrunk(shard.tiles[k], marks[:, 1:4])
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


def export(net: Any, x: Tensor, path: Path, axes: dict[int, str]) -> None:
    net.eval().to(memory_format=torch.contiguous_format)
    torch.onnx.export(
        net,
        x,
        str(path),
        input_names=["x"],
        output_names=["y"],
        opset_version=13,
        dynamo=False,
        dynamic_axes={"x": axes, "y": axes},
    )
    print(f"{path.name}: {path.stat().st_size / 1e3:.0f} kB")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="vision.train.dice", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=Path("vision/weights"))
    parser.add_argument("--finder-steps", type=int, default=3500)
    parser.add_argument("--reader-steps", type=int, default=6000)
    parser.add_argument("--only", choices=("finder", "reader"))
    parser.add_argument(
        "--resume", type=Path, help="folder with dice_find.pt and dice_read.pt to go on from"
    )
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args(arguments)
    torch.set_num_threads(asked.threads)
    asked.out.mkdir(parents=True, exist_ok=True)
    pool, held = Pool(asked.data, "learn"), Pool(asked.data, "held")
    torch.manual_seed(asked.seed)
    if asked.only != "reader":
        finder = FinderNet()
        nn.init.constant_(finder.see[-1].bias[: 2 * FOLD * FOLD], -4.0)
        if asked.resume:
            finder.load_state_dict(torch.load(asked.resume / "dice_find.pt"))
        fit(
            finder,
            lambda r, p: finder_batch(r, p, 16),
            finder_loss,
            asked.finder_steps,
            asked.rate,
            asked.seed,
            pool,
            "finder",
        )
        torch.save(finder.state_dict(), asked.out / "dice_find.pt")
        export(
            finder.see, torch.zeros(1, 3, 480, 640), asked.out / "dice_find.onnx", {2: "h", 3: "w"}
        )
        finder_figures(finder, held)
    if asked.only != "finder":
        reader = ReaderNet()
        if asked.resume:
            reader.load_state_dict(torch.load(asked.resume / "dice_read.pt"))
        fit(
            reader,
            lambda r, p: reader_batch(r, p, 64),
            reader_losses,
            asked.reader_steps,
            asked.rate,
            asked.seed,
            pool,
            "reader",
        )
        torch.save(reader.state_dict(), asked.out / "dice_read.pt")
        export(reader, torch.zeros(4, 7, 40, 40), asked.out / "dice_read.onnx", {0: "n"})
        fitted = temperatures(*reader_outputs(reader, held))
        (asked.out / "dice_read.json").write_text(
            json.dumps({"temperatures": fitted}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()

"""Trains the two networks that find and read dice: `python -m vision.train.dice DATA [--out
train-out]`.

DATA is a folder of shards written by `vision.train.dice.shards` (it may still be growing). Seeds
are fixed; the same shards and steps give the same weights up to the order of sums. Ends with the
temperatures fitted on the held-out palettes, and the figures there.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from vision.dice.crops import CHANNELS, CROP
from vision.dice.dice import DiceColumns, DiceNumbers
from vision.dice.find import FOLD
from vision.network import SHIPPED, load_network, load_numbers, numbers_json
from vision.train.dice.finder import (
    FinderBatch,
    dice_finder_loss,
    finder_batch,
    print_finder_figures,
)
from vision.train.dice.nets import DiceFinderNet, DiceReaderNet
from vision.train.dice.pool import ShardPool
from vision.train.dice.reader import (
    best_temperatures,
    dice_reader_loss,
    forgotten,
    reader_batch,
    reader_outputs,
)
from vision.train.dice.two_columns import in_one_column, in_two_columns
from vision.train.export import export_network
from vision.train.fit import Plan, cosine, fit, one_cycle
from vision.train.learner import TorchLearner, begin_from, half_precision
from vision.train.shipped import shipped
from vision.train.weights_folder import made_in

B = TypeVar("B")


class ShardLessons(Generic[B]):
    """Batches made of the shards of a pool."""

    def __init__(
        self,
        make: Callable[[np.random.Generator, ShardPool, int], B],
        rng: np.random.Generator,
        pool: ShardPool,
        size: int,
    ) -> None:
        self._make, self._rng, self._pool, self._size = make, rng, pool, size

    def batch(self) -> B:
        """So many examples."""
        return self._make(self._rng, self._pool, self._size)

    def refresh(self) -> None:
        """Shards that have come."""
        self._pool.refresh()

    def words(self) -> str:
        """How many shards there are to draw from."""
        return f"{len(self._pool.shards)} shards"

    def figures(self) -> str:
        """Nothing: they are printed at the end."""
        return ""


def _finder_loss_of(net: nn.Module, batch: FinderBatch) -> Tensor:
    x, want, weight = batch
    return dice_finder_loss(half_precision(net, x).float(), want, weight)


def train_dice_finder(asked: argparse.Namespace, pool: ShardPool) -> nn.Module:
    """The network that finds, its weights kept as dice_find.pt."""
    net, rng = DiceFinderNet(), np.random.default_rng(asked.seed)
    nn.init.constant_(net.see[-1].bias[: 2 * FOLD * FOLD], -4.0)
    checkpoint = _checkpoint(asked, "dice_find.pt")
    begin_from(net, checkpoint)
    if asked.resume and checkpoint is None:
        batches = [finder_batch(rng, pool, 16)[0] for _ in range(8)]
        before = in_one_column(SHIPPED / "dice_find.onnx", asked.out / "dice_find_before.onnx")
        shipped(net.see, before, [(x,) for x in batches])
    torch.manual_seed(asked.seed)
    path = asked.out / "dice_find.pt"
    learner = TorchLearner(net.train(), _finder_loss_of, path, memory=None)
    lessons = ShardLessons(finder_batch, rng, pool, 16)
    fit(lessons, learner, _plan(asked, asked.finder_steps), time.monotonic, _print)
    return learner.best


def train_dice_reader(
    asked: argparse.Namespace, pool: ShardPool, columns: DiceColumns
) -> nn.Module:
    """The network that reads, its weights kept as dice_read.pt."""

    teacher = load_network("dice_read", asked.keeping) if asked.keeping else None

    def loss(net: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
        x, labels = batch
        said = half_precision(net, x).float()
        total = dice_reader_loss(said, labels, columns)
        if teacher is None:
            return total
        before = torch.from_numpy(teacher.run({"x": x.numpy()}, ["y"])[0])
        return total + forgotten(said, before, columns)

    checkpoint, rng = _checkpoint(asked, "dice_read.pt"), np.random.default_rng(asked.seed)
    net = begin_from(DiceReaderNet(columns.total), checkpoint)
    if asked.resume and checkpoint is None:
        batches = [reader_batch(rng, pool, 64)[0] for _ in range(12)]
        shipped(net, SHIPPED / "dice_read.onnx", [(x,) for x in batches])
    torch.manual_seed(asked.seed)
    learner = TorchLearner(net.train(), loss, asked.out / "dice_read.pt", memory=0.995)
    lessons = ShardLessons(reader_batch, rng, pool, 64)
    fit(lessons, learner, _plan(asked, asked.reader_steps), time.monotonic, _print)
    return learner.best


def _checkpoint(asked: argparse.Namespace, name: str) -> Path | None:
    """Where to go on from, None to begin anew."""
    path = None if asked.resume is None else Path(asked.resume) / name
    return path if path is not None and path.exists() else None


def _plan(asked: argparse.Namespace, steps: int) -> Plan:
    if asked.minutes:
        return Plan(cosine(asked.rate, 200), asked.minutes, say_every=200, look_every=400)
    return Plan(one_cycle(asked.rate, steps), steps=steps, say_every=200, look_every=400)


def _print(line: str) -> None:
    print(line, flush=True)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="vision.train.dice", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=Path("train-out"))
    parser.add_argument("--finder-steps", type=int, default=3500)
    parser.add_argument("--reader-steps", type=int, default=6000)
    parser.add_argument("--minutes", type=float, help="for each network, in place of the steps")
    parser.add_argument("--only", choices=("finder", "reader"))
    parser.add_argument(
        "--resume",
        type=Path,
        help="folder of dice_find.pt and dice_read.pt to go on from; without them from the shipped"
        " weights",
    )
    parser.add_argument("--rendered", type=float, default=0.4, help="share of rendered dice")
    parser.add_argument("--mined", type=float, default=0.2, help="share of mined crops, and cubes")
    parser.add_argument(
        "--keeping",
        type=Path,
        help="folder of weights whose reader's word on kinds is held on to while it learns",
    )
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    asked = parser.parse_args(arguments)
    torch.set_num_threads(asked.threads)
    asked.out.mkdir(parents=True, exist_ok=True)
    weights = made_in(asked.out)
    tiles = asked.only != "reader"
    pool, held = (
        ShardPool(asked.data, name, tiles=tiles, rendered=asked.rendered, mined=asked.mined)
        for name in ("learn", "held")
    )
    torch.manual_seed(asked.seed)
    if asked.only != "reader":
        finder, x = train_dice_finder(asked, pool), torch.zeros(1, 3, 480, 640)
        path = weights / "dice_find.onnx"
        print(export_network(finder.see, path, {"x": x}, ["y"], any_size=True))
        print(in_two_columns(path))
        print_finder_figures(finder, held)
    if asked.only != "finder":
        numbers = load_numbers(DiceNumbers, "dice_read")
        columns = DiceColumns.of(numbers)
        reader, x = train_dice_reader(asked, pool, columns), torch.zeros(4, CHANNELS, CROP, CROP)
        path = weights / "dice_read.onnx"
        print(export_network(reader, path, {"x": x}, ["y"], any_number=True))
        temperatures = best_temperatures(*reader_outputs(reader, held), columns)
        text = numbers_json(replace(numbers, temperatures=temperatures))
        (weights / "dice_read.json").write_text(text)


if __name__ == "__main__":
    main()

"""How a network of one face is taught: what all three have in common."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import torch
from torch import Tensor, nn

from vision.train.dice.shards import training_stills
from vision.train.export import export_network
from vision.train.fit import Plan, cosine, fit
from vision.train.learner import TorchLearner, begin_from, half_precision, one_core
from vision.train.weights_folder import made_in

BATCH: Final = 64
Batch = tuple[Tensor, Tensor]
"""What the network is shown of `BATCH` faces, and which column each is."""


class FaceLessons:
    """Batches that are drawn one by one."""

    def __init__(self, draw: Callable[[], Batch], faces: int) -> None:
        self._draw, self._faces = draw, faces

    def batch(self) -> Batch:
        """The next one."""
        return self._draw()

    def refresh(self) -> None:
        """Nothing comes while the network learns."""

    def words(self) -> str:
        """How many faces there are to draw from."""
        return f"{self._faces} faces"

    def figures(self) -> str:
        """Nothing: they are said at the end."""
        return ""


def face_arguments(
    name: str, about: str | None, boards: int, minutes: float
) -> argparse.ArgumentParser:
    """What may be asked of the training of this network."""
    parser = argparse.ArgumentParser(prog=f"vision.train.dice.{name}", description=about)
    parser.add_argument("data", type=Path)
    parser.add_argument("--scenes", type=int, default=boards, help="boards full of things to cut")
    parser.add_argument("--stills", type=Path, nargs="*", default=[])
    parser.add_argument("--minutes", type=float, default=minutes)
    parser.add_argument("--resume", type=Path, help="folder of its .pt to go on from")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("train-out"))
    return parser


def begun(asked: argparse.Namespace) -> tuple[list[Path], Path]:
    """The stills that teach, and the folder of weights of this training, both made ready."""
    one_core(asked.seed)
    asked.out.mkdir(parents=True, exist_ok=True)
    stills = [still for folder in asked.stills for still in training_stills(folder, held_out=False)]
    return stills, made_in(asked.out)


def teach(
    name: str, asked: argparse.Namespace, net: nn.Module, lessons: FaceLessons, smoothing: float
) -> nn.Module:
    """The network as it was taught and written to the weights as `name`; `smoothing` is the share
    of each label that is spread over all of them.
    """

    def loss(learner: nn.Module, batch: Batch) -> Tensor:
        said = half_precision(learner, batch[0]).float()
        return nn.functional.cross_entropy(said, batch[1], label_smoothing=smoothing)

    began = begin_from(net, asked.resume and asked.resume / f"{name}.pt").train()
    learner = TorchLearner(began, loss, asked.out / f"{name}.pt", memory=0.998)
    plan = Plan(cosine(asked.rate, 200), asked.minutes, say_every=200, look_every=1000)
    x = torch.zeros_like(lessons.batch()[0][:4])
    fit(lessons, learner, plan, time.monotonic, lambda line: print(line, flush=True))
    path = made_in(asked.out) / f"{name}.onnx"
    print(export_network(learner.best, path, {"x": x}, ["y"], any_number=True))
    return learner.best


def noisy(x: Tensor, most: float) -> Tensor:
    """The same with a sensor's noise of up to so many spreads of the picture on its colours."""
    x[:, :3] += torch.randn(x[:, :3].shape) * most
    return x

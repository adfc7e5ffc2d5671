"""Teaches the network that says how a die lies:
`python -m vision.train.dice.lies DATA [--stills DIR…] --out OUT`.

DATA keeps the faces that were cut, the same as for `vision.train.dice.pips`: where there are some,
no more are. How much it weighs
beside the dice reader is fitted afterwards: `vision.train.dice.die_weights`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from vision.dice.lies import COLUMNS, CROP, LIES, LieNumbers, lie_input
from vision.network import numbers_json
from vision.train.dice.die_faces import DieFaces, cut_die_faces, kept_die_faces, lie_as_seen
from vision.train.dice.faces import SCENES
from vision.train.dice.nets import FaceNet
from vision.train.dice.shards import training_stills
from vision.train.export import export_network
from vision.train.fit import Plan, cosine, fit
from vision.train.learner import TorchLearner, begin_from, half_precision, one_core
from vision.train.weights_folder import made_in

_SHARES: Final = (0.5, 0.32, 0.18)
"""Share of each way of lying in a batch."""
_BATCH: Final = 64


def lie_net() -> FaceNet:
    """The network, untaught: three colours and the slant."""
    return FaceNet(len(LIES), planes=4, size=CROP)


class LieLessons:
    """Batches of faces as they are seen, and how each die lies."""

    def __init__(self, rng: np.random.Generator, faces: DieFaces) -> None:
        self._rng, self._faces = rng, faces
        self._by_lie = [np.flatnonzero(faces.statuses == k) for k in range(len(LIES))]

    def batch(self) -> tuple[Tensor, Tensor]:
        """64 of them."""
        rng, faces = self._rng, self._faces
        ways = rng.choice(len(LIES), _BATCH, p=_SHARES)
        chosen = [int(self._by_lie[way][rng.integers(len(self._by_lie[way]))]) for way in ways]
        crops = np.stack([lie_as_seen(rng, faces.crops[k]) for k in chosen])
        x = torch.from_numpy(lie_input(crops, faces.slants[chosen].tolist()))
        x[:, :3] += torch.randn(x[:, :3].shape) * float(rng.uniform(0, 0.2))
        return x, torch.from_numpy(ways)

    def refresh(self) -> None:
        """Nothing comes while the network learns."""

    def words(self) -> str:
        """How many faces there are to draw from."""
        return f"{len(self._faces.statuses)} faces"

    def figures(self) -> str:
        """Nothing: they are said at the end."""
        return ""


def _loss(net: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    x, ways = batch
    said = half_precision(net, x).float()
    return nn.functional.cross_entropy(said, ways, label_smoothing=0.01)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="vision.train.dice.lies", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--scenes", type=int, default=1800, help="boards full of dice to cut")
    parser.add_argument("--stills", type=Path, nargs="*", default=[])
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--resume", type=Path, help="folder of lies.pt to go on from")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("train-out"))
    asked = parser.parse_args(arguments)
    one_core(asked.seed)
    stills = [still for folder in asked.stills for still in training_stills(folder, held_out=False)]
    if not any(asked.data.glob("learn*.npz")):
        cut_die_faces(asked.data, "learn", asked.seed, max(SCENES, asked.scenes), stills)
    asked.out.mkdir(parents=True, exist_ok=True)
    weights = made_in(asked.out)
    lessons = LieLessons(np.random.default_rng(asked.seed), kept_die_faces(asked.data, "learn"))
    net = begin_from(lie_net(), asked.resume and asked.resume / "lies.pt").train()
    learner = TorchLearner(net, _loss, asked.out / "lies.pt", memory=0.998)
    plan = Plan(cosine(asked.rate, 200), asked.minutes, say_every=200, look_every=1000)
    fit(lessons, learner, plan, time.monotonic, lambda line: print(line, flush=True))
    x = torch.zeros(4, 4, CROP, CROP)
    print(export_network(learner.best, weights / "lies.onnx", {"x": x}, ["y"], any_number=True))
    numbers = LieNumbers(COLUMNS, {"reader": 0.5, "face": 1.0, "odd": -1.0})
    (weights / "lies.json").write_text(numbers_json(numbers))


if __name__ == "__main__":
    main()

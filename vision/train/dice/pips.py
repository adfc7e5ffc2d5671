"""Teaches the network that reads a die's upper face:
`python -m vision.train.dice.pips DATA [--stills DIR…] --out OUT`.

DATA keeps the faces that were cut; a second run goes on with them. How much it weighs beside the
dice reader is fitted afterwards: `vision.train.dice.die_weights`.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from vision.dice.pips import COLUMNS, VALUES, PipNumbers
from vision.dice.upper import CROP, face_input
from vision.network import numbers_json
from vision.train.dice.die_faces import DieFaces, cut_die_faces, die_as_seen, kept_die_faces
from vision.train.dice.faces import SCENES
from vision.train.dice.nets import FaceNet
from vision.train.dice.shards import training_stills
from vision.train.export import export_network
from vision.train.fit import Plan, cosine, fit
from vision.train.learner import TorchLearner, begin_from, half_precision, one_core
from vision.train.weights_folder import made_in

_SHARES: Final = (0.1, 0.1, 0.13, 0.2, 0.22, 0.25)
"""Share of each value in a batch: what is hard to tell apart comes more often."""
_BATCH: Final = 64


class PipLessons:
    """Batches of upper faces as they are seen, and what each shows less one."""

    def __init__(self, rng: np.random.Generator, faces: DieFaces) -> None:
        self._rng, self._faces = rng, faces
        self._by_value = [np.flatnonzero(faces.values == k) for k in range(len(VALUES))]

    def batch(self) -> tuple[Tensor, Tensor]:
        """64 of them."""
        rng, crops = self._rng, self._faces.crops
        values = rng.choice(len(VALUES), _BATCH, p=_SHARES)
        chosen = [int(self._by_value[v][rng.integers(len(self._by_value[v]))]) for v in values]
        x = torch.from_numpy(face_input(np.stack([die_as_seen(rng, crops[k]) for k in chosen])))
        x += torch.randn(x.shape) * float(rng.uniform(0, 0.2))
        return x, torch.from_numpy(values)

    def refresh(self) -> None:
        """Nothing comes while the network learns."""

    def words(self) -> str:
        """How many faces there are to draw from."""
        return f"{len(self._faces.values)} faces"

    def figures(self) -> str:
        """Nothing: they are said at the end."""
        return ""


def _loss(net: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    x, values = batch
    said = half_precision(net, x).float()
    return nn.functional.cross_entropy(said, values, label_smoothing=0.02)


def share_right(net: nn.Module, held: DieFaces, seed: int) -> float:
    """The share read rightly of faces that were not taught, as they are seen."""
    rng, up = np.random.default_rng(seed), held.values >= 0
    x = torch.from_numpy(face_input(np.stack([die_as_seen(rng, crop) for crop in held.crops[up]])))
    net.eval()
    with torch.no_grad():
        said = torch.cat([net(part) for part in x.split(256)])
    return float((said.argmax(1) == torch.from_numpy(held.values[up])).float().mean())


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="vision.train.dice.pips", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--scenes", type=int, default=1800, help="boards full of dice to cut")
    parser.add_argument("--stills", type=Path, nargs="*", default=[])
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--resume", type=Path, help="folder of pips.pt to go on from")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("train-out"))
    asked = parser.parse_args(arguments)
    one_core(asked.seed)
    stills = [still for folder in asked.stills for still in training_stills(folder, held_out=False)]
    held = max(SCENES, asked.scenes // 20)
    cut_die_faces(asked.data, "learn", asked.seed, asked.scenes, stills)
    cut_die_faces(asked.data, "held", asked.seed + 1, held, [])
    asked.out.mkdir(parents=True, exist_ok=True)
    weights = made_in(asked.out)
    lessons = PipLessons(np.random.default_rng(asked.seed), kept_die_faces(asked.data, "learn"))
    net = begin_from(FaceNet(len(VALUES)), asked.resume and asked.resume / "pips.pt").train()
    learner = TorchLearner(net, _loss, asked.out / "pips.pt", memory=0.998)
    plan = Plan(cosine(asked.rate, 200), asked.minutes, say_every=200, look_every=1000)
    fit(lessons, learner, plan, time.monotonic, lambda line: print(line, flush=True))
    x = torch.zeros(4, 3, CROP, CROP)
    print(export_network(learner.best, weights / "pips.onnx", {"x": x}, ["y"], any_number=True))
    right = share_right(learner.best, kept_die_faces(asked.data, "held"), asked.seed)
    print(f"faces that were not taught: right {right:.4f}")
    numbers = PipNumbers(COLUMNS, {"reader": 0.3, "face": 0.7})
    (weights / "pips.json").write_text(numbers_json(numbers))


if __name__ == "__main__":
    main()

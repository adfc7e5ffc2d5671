"""Teaches the network that reads a cube's number:
`python -m vision.train.dice.cube DATA [--stills DIR…] --out OUT`.

DATA keeps the faces that were cut; a second run goes on with them. The rendered cubes of `--stills`
are cut out too, each shown many times a little otherwise.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch import Tensor, nn

from vision.arrays import I64
from vision.dice.number import COLUMNS, FACES, CubeNumbers
from vision.dice.upper import CROP, face_input
from vision.network import numbers_json
from vision.train.dice.faces import (
    NONE,
    SCENES,
    Faces,
    as_seen,
    cut_faces,
    kept_faces,
    rendered_faces,
)
from vision.train.dice.nets import FaceNet
from vision.train.dice.shards import training_stills
from vision.train.export import export_network
from vision.train.fit import Plan, cosine, fit
from vision.train.learner import TorchLearner, begin_from, half_precision, one_core
from vision.train.weights_folder import made_in

_RENDERED: Final = 0.12
"""Share of a batch that comes from rendered stills, where there are some."""

_OTHERS: Final = 0.3
"""Share of what is no cube."""


class FaceLessons:
    """Batches of faces as they are seen, and their numbers."""

    def __init__(self, rng: np.random.Generator, painted: Faces, rendered: Faces | None) -> None:
        self._rng, self._painted = rng, (painted, _by_label(painted))
        self._rendered = None if rendered is None else (rendered, _by_label(rendered))

    def batch(self) -> tuple[Tensor, Tensor]:
        """64 of them."""
        rng, crops, numbers = self._rng, [], []
        for _ in range(64):
            of_stills = self._rendered is not None and rng.random() < _RENDERED
            (faces, labels), (cubes, others) = (
                self._rendered if of_stills and self._rendered is not None else self._painted
            )
            some = others if rng.random() < _OTHERS else cubes
            k = int(some[rng.integers(len(some))])
            crops.append(as_seen(rng, faces[k]))
            numbers.append(int(labels[k]))
        x = torch.from_numpy(face_input(np.stack(crops)))
        x += torch.randn(x.shape) * float(rng.uniform(0, 0.2))
        return x, torch.tensor(numbers)

    def refresh(self) -> None:
        """Nothing comes while the network learns."""

    def words(self) -> str:
        """How many faces there are to draw from."""
        return f"{len(self._painted[0][1])} faces"

    def figures(self) -> str:
        """Nothing: they are said at the end."""
        return ""


def _by_label(faces: Faces) -> tuple[I64, I64]:
    """Which are cubes and which are none."""
    return np.flatnonzero(faces[1] != NONE), np.flatnonzero(faces[1] == NONE)


def _loss(net: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    x, numbers = batch
    said = half_precision(net, x).float()
    return nn.functional.cross_entropy(said, numbers, label_smoothing=0.01)


def best_temperature(net: nn.Module, held: Faces, seed: int) -> tuple[float, float]:
    """The temperature under which faces that were not taught are likeliest, and the share read
    rightly of them.
    """
    rng = np.random.default_rng(seed)
    x = torch.from_numpy(face_input(np.stack([as_seen(rng, crop) for crop in held[0]])))
    want = torch.from_numpy(held[1])
    net.eval()
    with torch.no_grad():
        said = torch.cat([net(part) for part in x.split(256)])
    grid = np.geomspace(0.4, 4, 60)
    costs = [float(nn.functional.cross_entropy(said / t, want)) for t in grid]
    right = float((said.argmax(1) == want).float().mean())
    return round(float(grid[int(np.argmin(costs))]), 3), right


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="vision.train.dice.cube", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--scenes", type=int, default=1000, help="boards full of cubes to cut")
    parser.add_argument("--stills", type=Path, nargs="*", default=[])
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--resume", type=Path, help="folder of cube.pt to go on from")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("train-out"))
    asked = parser.parse_args(arguments)
    one_core(asked.seed)
    stills = [still for folder in asked.stills for still in training_stills(folder, held_out=False)]
    cut_faces(asked.data, "learn", asked.seed, asked.scenes, stills)
    cut_faces(asked.data, "held", asked.seed + 1, max(SCENES, asked.scenes // 20), [])
    asked.out.mkdir(parents=True, exist_ok=True)
    weights = made_in(asked.out)
    rng = np.random.default_rng(asked.seed)
    lessons = FaceLessons(rng, kept_faces(asked.data, "learn"), rendered_faces(stills))
    net = begin_from(FaceNet(len(FACES) + 1), asked.resume and asked.resume / "cube.pt").train()
    learner = TorchLearner(net, _loss, asked.out / "cube.pt", memory=0.998)
    plan = Plan(cosine(asked.rate, 200), asked.minutes, say_every=200, look_every=1000)
    fit(lessons, learner, plan, time.monotonic, lambda line: print(line, flush=True))
    x = torch.zeros(4, 3, CROP, CROP)
    print(export_network(learner.best, weights / "cube.onnx", {"x": x}, ["y"], any_number=True))
    temperature, right = best_temperature(learner.best, kept_faces(asked.data, "held"), asked.seed)
    print(f"faces that were not taught: right {right:.4f}, temperature {temperature}")
    numbers = CubeNumbers(COLUMNS, temperature, {"bias": 0.0, "reader": 0.5, "face": 0.5})
    (weights / "cube.json").write_text(numbers_json(numbers))


if __name__ == "__main__":
    main()

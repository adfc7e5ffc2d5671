"""Teaches the network that reads a cube's number:
`python -m vision.train.dice.cube DATA [--stills DIR…] --out OUT`.

DATA keeps the faces that were cut; a second run goes on with them. The rendered cubes of `--stills`
are cut out too, each shown many times a little otherwise.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from torch import nn

from vision.arrays import I64
from vision.dice.number import COLUMNS, FACES, CubeNumbers
from vision.dice.upper import face_input
from vision.network import numbers_json
from vision.train.dice.face_files import SCENES
from vision.train.dice.faces import (
    NONE,
    Faces,
    as_seen,
    cut_faces,
    kept_faces,
    rendered_faces,
)
from vision.train.dice.nets import FaceNet
from vision.train.dice.teach import BATCH, Batch, FaceLessons, begun, face_arguments, noisy, teach

_RENDERED: Final = 0.12
"""Share of a batch that comes from rendered stills, where there are some."""

_OTHERS: Final = 0.3
"""Share of what is no cube."""


def lessons_of(rng: np.random.Generator, painted: Faces, rendered: Faces | None) -> FaceLessons:
    """Batches of faces as they are seen, and their numbers."""
    by_painter = (painted, _by_label(painted))
    of_stills = None if rendered is None else (rendered, _by_label(rendered))

    def draw() -> Batch:
        crops, numbers = [], []
        for _ in range(BATCH):
            chosen = by_painter if of_stills is None or rng.random() >= _RENDERED else of_stills
            (faces, labels), (cubes, others) = chosen
            some = others if rng.random() < _OTHERS else cubes
            k = int(some[rng.integers(len(some))])
            crops.append(as_seen(rng, faces[k]))
            numbers.append(int(labels[k]))
        x = torch.from_numpy(face_input(np.stack(crops)))
        return noisy(x, float(rng.uniform(0, 0.2))), torch.tensor(numbers)

    return FaceLessons(draw, len(painted[1]))


def _by_label(faces: Faces) -> tuple[I64, I64]:
    """Which are cubes and which are none."""
    return np.flatnonzero(faces[1] != NONE), np.flatnonzero(faces[1] == NONE)


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
    asked = face_arguments("cube", __doc__, 1000, 20).parse_args(arguments)
    stills, weights = begun(asked)
    cut_faces(asked.data, "learn", asked.seed, asked.scenes, stills)
    cut_faces(asked.data, "held", asked.seed + 1, max(SCENES, asked.scenes // 20), [])
    rng = np.random.default_rng(asked.seed)
    lessons = lessons_of(rng, kept_faces(asked.data, "learn"), rendered_faces(stills))
    net = teach("cube", asked, FaceNet(len(FACES) + 1), lessons, 0.01)
    temperature, right = best_temperature(net, kept_faces(asked.data, "held"), asked.seed)
    print(f"faces that were not taught: right {right:.4f}, temperature {temperature}")
    numbers = CubeNumbers(COLUMNS, temperature, {"bias": 0.0, "reader": 0.5, "face": 0.5})
    (weights / "cube.json").write_text(numbers_json(numbers))


if __name__ == "__main__":
    main()

"""Teaches the network that reads a die's upper face:
`python -m vision.train.dice.pips DATA [--stills DIR…] --out OUT`.

DATA keeps the faces that were cut; a second run goes on with them. How much it weighs beside the
dice reader is fitted afterwards: `vision.train.dice.die_weights`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from torch import nn

from vision.dice.pips import COLUMNS, VALUES, PipNumbers
from vision.dice.upper import face_input
from vision.network import numbers_json
from vision.train.dice.die_faces import DieFaces, cut_die_faces, die_as_seen, kept_die_faces
from vision.train.dice.face_files import SCENES
from vision.train.dice.nets import FaceNet
from vision.train.dice.teach import BATCH, Batch, FaceLessons, begun, face_arguments, noisy, teach

_SHARES: Final = (0.1, 0.1, 0.13, 0.2, 0.22, 0.25)
"""Share of each value in a batch: what is hard to tell apart comes more often."""


def lessons_of(rng: np.random.Generator, faces: DieFaces) -> FaceLessons:
    """Batches of upper faces as they are seen, and what each shows less one."""
    by_value = [np.flatnonzero(faces.values == k) for k in range(len(VALUES))]

    def draw() -> Batch:
        values = rng.choice(len(VALUES), BATCH, p=_SHARES)
        chosen = [int(by_value[v][rng.integers(len(by_value[v]))]) for v in values]
        crops = np.stack([die_as_seen(rng, faces.crops[k]) for k in chosen])
        x = torch.from_numpy(face_input(crops))
        return noisy(x, float(rng.uniform(0, 0.2))), torch.from_numpy(values)

    return FaceLessons(draw, len(faces.values))


def share_right(net: nn.Module, held: DieFaces, seed: int) -> float:
    """The share read rightly of faces that were not taught, as they are seen."""
    rng, up = np.random.default_rng(seed), held.values >= 0
    x = torch.from_numpy(face_input(np.stack([die_as_seen(rng, crop) for crop in held.crops[up]])))
    net.eval()
    with torch.no_grad():
        said = torch.cat([net(part) for part in x.split(256)])
    return float((said.argmax(1) == torch.from_numpy(held.values[up])).float().mean())


def main(arguments: list[str] | None = None) -> None:
    asked = face_arguments("pips", __doc__, 1800, 25).parse_args(arguments)
    stills, weights = begun(asked)
    cut_die_faces(asked.data, "learn", asked.seed, asked.scenes, stills)
    cut_die_faces(asked.data, "held", asked.seed + 1, max(SCENES, asked.scenes // 20), [])
    rng = np.random.default_rng(asked.seed)
    lessons = lessons_of(rng, kept_die_faces(asked.data, "learn"))
    net = teach("pips", asked, FaceNet(len(VALUES)), lessons, 0.02)
    right = share_right(net, kept_die_faces(asked.data, "held"), asked.seed)
    print(f"faces that were not taught: right {right:.4f}")
    numbers = PipNumbers(COLUMNS, {"reader": 0.3, "face": 0.7})
    (weights / "pips.json").write_text(numbers_json(numbers))


if __name__ == "__main__":
    main()

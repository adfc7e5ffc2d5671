"""Teaches the network that says how a die lies:
`python -m vision.train.dice.lies DATA [--stills DIR…] --out OUT`.

DATA keeps the faces that were cut, the same as for `vision.train.dice.pips`: where there are some,
no more are. How much it weighs
beside the dice reader is fitted afterwards: `vision.train.dice.die_weights`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import torch

from vision.dice.lies import COLUMNS, CROP, LIES, LieNumbers, lie_input
from vision.network import numbers_json
from vision.train.dice.die_faces import DieFaces, cut_die_faces, kept_die_faces, lie_as_seen
from vision.train.dice.nets import FaceNet
from vision.train.dice.teach import BATCH, Batch, FaceLessons, begun, face_arguments, noisy, teach

_SHARES: Final = (0.5, 0.32, 0.18)
"""Share of each way of lying in a batch."""


def lie_net() -> FaceNet:
    """The network, untaught: three colours and the slant."""
    return FaceNet(len(LIES), planes=4, size=CROP)


def lessons_of(rng: np.random.Generator, faces: DieFaces) -> FaceLessons:
    """Batches of faces as they are seen, and how each die lies."""
    by_lie = [np.flatnonzero(faces.statuses == k) for k in range(len(LIES))]

    def draw() -> Batch:
        ways = rng.choice(len(LIES), BATCH, p=_SHARES)
        chosen = [int(by_lie[way][rng.integers(len(by_lie[way]))]) for way in ways]
        crops = np.stack([lie_as_seen(rng, faces.crops[k]) for k in chosen])
        x = torch.from_numpy(lie_input(crops, faces.slants[chosen].tolist()))
        return noisy(x, float(rng.uniform(0, 0.2))), torch.from_numpy(ways)

    return FaceLessons(draw, len(faces.statuses))


def main(arguments: list[str] | None = None) -> None:
    asked = face_arguments("lies", __doc__, 1800, 25).parse_args(arguments)
    stills, weights = begun(asked)
    if not any(asked.data.glob("learn*.npz")):
        cut_die_faces(asked.data, "learn", asked.seed, asked.scenes, stills)
    rng = np.random.default_rng(asked.seed)
    teach("lies", asked, lie_net(), lessons_of(rng, kept_die_faces(asked.data, "learn")), 0.01)
    numbers = LieNumbers(COLUMNS, {"reader": 0.5, "face": 1.0, "odd": -1.0})
    (weights / "lies.json").write_text(numbers_json(numbers))


if __name__ == "__main__":
    main()

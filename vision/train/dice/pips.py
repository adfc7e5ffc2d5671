"""Teaches the network that reads a die's upper face:
`python -m vision.train.dice.pips DATA [--stills DIR…] --out OUT`.

DATA keeps the faces that were cut; a second run goes on with them. The rendered dice of `--stills`
are cut out too, each shown many times a little otherwise. How much it weighs beside the dice reader
is fitted afterwards: `vision.train.dice.die_weights` of what a die shows, then
`vision.train.dice.die_certainty` of whether it is one.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from torch import nn

from vision.arrays import I64
from vision.dice.pips import COLUMNS, VALUES, PipNumbers
from vision.dice.upper import face_input
from vision.network import numbers_json
from vision.train.dice.die_faces import (
    NO_DIE,
    NOT_UP,
    DieFaces,
    cut_die_faces,
    die_as_seen,
    kept_die_faces,
    rendered_die_faces,
)
from vision.train.dice.face_files import SCENES
from vision.train.dice.nets import FaceNet
from vision.train.dice.teach import BATCH, Batch, FaceLessons, begun, face_arguments, noisy, teach

_SHARES: Final = (0.1, 0.1, 0.13, 0.2, 0.22, 0.25)
"""Share of each value among the dice of a batch: what is hard to tell apart comes more often."""
_RENDERED: Final = 0.1
"""Share of a batch that comes from rendered stills, where there are some."""
_OTHERS: Final = 0.25
"""Share of what is no die."""
_NOT_UP: Final = 0.04
"""Share of dice of which no face is up: they are dice, and their value nobody can tell."""

_KINDS: Final = (*range(len(VALUES)), NOT_UP, NO_DIE)
_DRAWN: Final = (*((1 - _OTHERS - _NOT_UP) * s for s in _SHARES), _NOT_UP, _OTHERS)


def lessons_of(
    rng: np.random.Generator, traced: DieFaces, rendered: DieFaces | None
) -> FaceLessons:
    """Batches of faces as they are seen, and how likely each column is of each."""
    by_tracer = (traced, _by_kind(traced))
    of_stills = None if rendered is None else (rendered, _by_kind(rendered))

    def draw() -> Batch:
        crops, labels = [], []
        for kind in rng.choice(len(_KINDS), BATCH, p=_DRAWN):
            faces, rows = by_tracer
            if of_stills is not None and rng.random() < _RENDERED and len(of_stills[1][kind]):
                faces, rows = of_stills
            k = int(rows[kind][rng.integers(len(rows[kind]))])
            crops.append(die_as_seen(rng, faces.crops[k]))
            labels.append(_label(_KINDS[kind]))
        x = torch.from_numpy(face_input(np.stack(crops)))
        return noisy(x, float(rng.uniform(0, 0.2))), torch.tensor(labels)

    return FaceLessons(draw, len(traced.values))


def _by_kind(faces: DieFaces) -> list[I64]:
    return [np.flatnonzero(faces.values == kind) for kind in _KINDS]


def _label(value: int) -> list[float]:
    """How likely each column is: of a die whose value nobody can tell, each value alike."""
    if value == NOT_UP:
        return [1 / len(VALUES)] * len(VALUES) + [0.0]
    shown = len(VALUES) if value == NO_DIE else value
    return [float(k == shown) for k in range(len(VALUES) + 1)]


def share_right(net: nn.Module, held: DieFaces, seed: int) -> tuple[float, float]:
    """The share of values read rightly of faces that were not taught, as they are seen; and that of
    faces and others told rightly from each other.
    """
    rng = np.random.default_rng(seed)
    x = torch.from_numpy(face_input(np.stack([die_as_seen(rng, crop) for crop in held.crops])))
    net.eval()
    with torch.no_grad():
        said = torch.cat([net(part) for part in x.split(256)])
    values, up = torch.from_numpy(held.values), held.values >= 0
    right = said[:, : len(VALUES)].argmax(1) == values
    told = (said[:, :-1].logsumexp(1) > said[:, -1]) == (values != NO_DIE)
    return float(right[up].float().mean()), float(told.float().mean())


def main(arguments: list[str] | None = None) -> None:
    asked = face_arguments("pips", __doc__, 1800, 25).parse_args(arguments)
    stills, weights = begun(asked)
    cut_die_faces(asked.data, "learn", asked.seed, asked.scenes, stills)
    cut_die_faces(asked.data, "held", asked.seed + 1, max(SCENES, asked.scenes // 20), [])
    rng = np.random.default_rng(asked.seed)
    lessons = lessons_of(rng, kept_die_faces(asked.data, "learn"), rendered_die_faces(stills))
    net = teach("pips", asked, FaceNet(len(VALUES) + 1), lessons, 0.02)
    right, told = share_right(net, kept_die_faces(asked.data, "held"), asked.seed)
    print(f"faces that were not taught: right {right:.4f}; told from others {told:.4f}")
    # Until they are fitted.
    certainty = {"bias": 0.0, "finder": 0.5, "reader": 0.3, "face": 0.5}
    numbers = PipNumbers(COLUMNS, {"reader": 0.3, "face": 0.7}, certainty)
    (weights / "pips.json").write_text(numbers_json(numbers))


if __name__ == "__main__":
    main()

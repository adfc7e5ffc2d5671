"""How a die lies, flat, leaning or on a checker, by a network of its own that sees its upper face
and what is right around it.

The dice reader says so too; its face is 20 pixels wide, this one's 30. The face of a die that leans
is no square where a flat one's is, and the shadow under it is a wedge; how slanted the camera looks
is told, since from aside a flat die shows its sides as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np

from rules.observation import DieStatus
from vision.arrays import F32, Pixels
from vision.dice.find import Candidate
from vision.dice.upper import CROP as FACE
from vision.dice.upper import face_in_four, face_input
from vision.network import SHIPPED, OnnxNetwork, WeightsError, load_network, load_numbers, softmax

AROUND: Final = 8
"""Pixels around the crop of the face that are seen too."""
CROP: Final = FACE + 2 * AROUND
LIES: Final = (DieStatus.FLAT, DieStatus.COCKED, DieStatus.ON_CHECKER)
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {"lies": tuple(way.value for way in LIES)}

_WEIGHTS: Final = ("reader", "face", "odd")


@dataclass(frozen=True, slots=True)
class LieNumbers:
    """What was fitted beside the network: what its columns stand for, how much the log
    probabilities of the dice `reader` and of its own `face` weigh, and the log odds of an `odd` one
    (leaning, on a checker) on top.
    """

    columns: Mapping[str, tuple[str, ...]]
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class LieNetwork:
    """The network that says how a die lies."""

    net: OnnxNetwork
    numbers: LieNumbers

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> Self:
        """From a folder of weights. Raises WeightsError."""
        net = load_network("lies", folder)
        numbers = load_numbers(LieNumbers, "lies", folder)
        if dict(numbers.columns) != COLUMNS:
            raise WeightsError(
                f"vision/weights/lies.json names columns {dict(numbers.columns)}; this program"
                f" reads {COLUMNS}"
            )
        if set(numbers.weights) != set(_WEIGHTS):
            raise WeightsError(
                f"vision/weights/lies.json has weights of {', '.join(numbers.weights)}; this"
                f" program needs {', '.join(_WEIGHTS)}: run python -m vision.train.dice.die_weights"
            )
        net.check({"x": (1, 4, CROP, CROP)}, {"y": (1, len(LIES))})
        return cls(net, numbers)


def lie_input(crops: Pixels, slants: Sequence[float]) -> F32:
    """What the network is shown of N crops (N x CROP x CROP x 3) and their slants (1 at 45
    degrees): N x 4 x CROP x CROP.
    """
    slant = np.asarray(slants, np.float32)[:, None, None, None]
    return np.concatenate(
        [face_input(crops), np.broadcast_to(slant, (len(crops), 1, CROP, CROP))], 1
    )


def lie_logits(pixels: Pixels, places: Sequence[Candidate], network: LieNetwork) -> F32:
    """What the network says alone of each place: N x 3 logits, the mean of a look and its mirror
    image.
    """
    crops = np.stack(
        [face_in_four(pixels, c.pixel, c.axes, c.edge, c.slant, more=AROUND) for c in places]
    )
    both = np.concatenate([crops, crops[:, :, ::-1]])
    slants = [c.slant for c in places] * 2
    said = network.net.run({"x": lie_input(both, slants)}, ["y"])[0]
    return np.asarray(said.reshape(2, len(places), -1).mean(0), np.float32)


def together(said: F32, faces: F32, numbers: LieNumbers) -> F32:
    """The probabilities of flat, leaning, on a checker and rolling (N x 4), of what the dice reader
    said of them and this network's logits of the first three. Whether it rolls the reader alone
    says.
    """
    by_reader, by_face, odd = (np.float32(numbers.weights[name]) for name in _WEIGHTS)
    calm = np.log(np.maximum(said[:, :-1], np.float32(1e-9)))
    each = by_reader * calm + by_face * np.log(np.maximum(softmax(faces), np.float32(1e-9)))
    each[:, 1:] += odd
    rolling = said[:, -1:]
    return np.concatenate([softmax(np.asarray(each, np.float32)) * (1 - rolling), rolling], 1)

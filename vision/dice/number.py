"""The number that a doubling cube shows, read by a network of its own from its upper face alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np

from vision.arrays import F64, Pixels
from vision.dice.upper import CROP, face_in_four, look
from vision.network import SHIPPED, OnnxNetwork, WeightsError, load_network, load_numbers, softmax

FACES: Final = (2, 4, 8, 16, 32, 64)
OTHER: Final = "none"
"""The last column: no doubling cube lies there. Cards of a score and logos bear numbers too."""

_SURE: Final = 5.0
"""Margin of logits above which one look is enough."""
_WIDER: Final = (1.0, 1.25)
"""How much wider than it seems an edge is taken, one look after another: of a dark cube, seen from
a low stand, the finder sees an edge a fifth shorter than it is.
"""
_THERE: Final = 0.8
"""So likely a cube, no other look is wanted."""
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {"shown": (*(str(face) for face in FACES), OTHER)}

_CERTAINTY: Final = ("bias", "reader", "face")


@dataclass(frozen=True, slots=True)
class CubeNumbers:
    """What was fitted beside the network: what its columns stand for, and by how much its logits
    are divided.
    """

    columns: Mapping[str, tuple[str, ...]]
    temperature: float
    certainty: Mapping[str, float]
    """How log odds make one that a cube lies there: `bias`, and the weights of what finder and
    `reader` say together and of what its `face` says.
    """


@dataclass(frozen=True, slots=True)
class FaceReading:
    """What the upper face of a cube shows: how likely it is that one lies there, and how likely
    each number is if one does.
    """

    there: float
    shown: Mapping[int, float]


@dataclass(frozen=True, slots=True, eq=False)
class CubeNetwork:
    """The network that reads a cube's upper face."""

    net: OnnxNetwork
    numbers: CubeNumbers

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> Self:
        """From a folder of weights. Raises WeightsError."""
        net = load_network("cube", folder)
        numbers = load_numbers(CubeNumbers, "cube", folder)
        if dict(numbers.columns) != COLUMNS:
            raise WeightsError(
                f"vision/weights/cube.json names columns {dict(numbers.columns)}; this program"
                f" reads {COLUMNS}"
            )
        if set(numbers.certainty) != set(_CERTAINTY):
            raise WeightsError(
                f"vision/weights/cube.json has a certainty of {', '.join(numbers.certainty)}; this"
                f" program needs {', '.join(_CERTAINTY)}: run python -m"
                " vision.train.dice.cube_certainty"
            )
        net.check({"x": (1, 3, CROP, CROP)}, {"y": (1, len(FACES) + 1)})
        return cls(net, numbers)


def read_number(
    pixels: Pixels,
    centre: tuple[float, float],
    axes: F64,
    edge: float,
    slant: float,
    network: CubeNetwork,
) -> FaceReading:
    """What a cube at that place shows, by the look that is surest that one lies there."""
    best = FaceReading(-1.0, {})
    for wider in _WIDER:
        crop = face_in_four(pixels, centre, axes, edge * wider, slant)
        logits = look(network.net, [crop], _SURE)
        likely = softmax(logits / np.float32(network.numbers.temperature))[0]
        there = float(likely[:-1].sum())
        if there > best.there:
            shown = (likely[:-1] / max(there, 1e-9)).tolist()
            best = FaceReading(there, dict(zip(FACES, shown, strict=True)))
        if there >= _THERE:
            break
    return best

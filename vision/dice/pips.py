"""What a die shows, read by a network of its own from its upper face alone.

The dice reader says so too, beside all else that it says of a place; its face is 20 pixels wide,
this one's 30, and nothing else is asked of it. Both together are surer than either: a six of small
pips, or of rows pushed together, is a five to the reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np

from vision.arrays import F32, Pixels
from vision.dice.find import Candidate
from vision.dice.upper import CROP, face_crop, look
from vision.network import SHIPPED, OnnxNetwork, WeightsError, load_network, load_numbers, softmax

VALUES: Final = (1, 2, 3, 4, 5, 6)
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {"value": tuple(str(v) for v in VALUES)}

_SURE: Final = 3.0
"""Margin of logits above which one look is enough."""
_WEIGHTS: Final = ("reader", "face")


@dataclass(frozen=True, slots=True)
class PipNumbers:
    """What was fitted beside the network: what its columns stand for, and how much the log
    probabilities of the dice `reader` and of its own `face` weigh.
    """

    columns: Mapping[str, tuple[str, ...]]
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class PipNetwork:
    """The network that reads a die's upper face."""

    net: OnnxNetwork
    numbers: PipNumbers

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> Self:
        """From a folder of weights. Raises WeightsError."""
        net = load_network("pips", folder)
        numbers = load_numbers(PipNumbers, "pips", folder)
        if dict(numbers.columns) != COLUMNS:
            raise WeightsError(
                f"vision/weights/pips.json names columns {dict(numbers.columns)}; this program"
                f" reads {COLUMNS}"
            )
        if set(numbers.weights) != set(_WEIGHTS):
            raise WeightsError(
                f"vision/weights/pips.json has weights of {', '.join(numbers.weights)}; this"
                f" program needs {', '.join(_WEIGHTS)}: run python -m vision.train.dice.die_weights"
            )
        net.check({"x": (1, 3, CROP, CROP)}, {"y": (1, len(VALUES))})
        return cls(net, numbers)


def face_logits(pixels: Pixels, places: Sequence[Candidate], network: PipNetwork) -> F32:
    """What the upper faces say alone: the network's logits of each place (N x 6)."""
    crops = [face_crop(pixels, c.pixel, c.axes, c.edge, c.slant) for c in places]
    return look(network.net, crops, _SURE)


def together(said: F32, faces: F32, numbers: PipNumbers) -> F32:
    """The probabilities of the values 1 to 6 (N x 6), of what the dice reader said (`said`,
    probabilities) and the logits of the upper faces.
    """
    by_reader, by_face = (np.float32(numbers.weights[name]) for name in _WEIGHTS)
    return softmax(by_reader * np.log(np.maximum(said, np.float32(1e-9))) + by_face * faces)

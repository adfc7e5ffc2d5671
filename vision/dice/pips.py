"""What a die shows, and whether it is one, read by a network of its own from its upper face alone.

The dice reader says so too, beside all else that it says of a place; its face is 20 pixels wide,
this one's 30, and nothing else is asked of it. Both together are surer than either: a six of small
pips, or of rows pushed together, is a five to the reader, and a die in a dim corner is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

import numpy as np

from vision.arrays import F32, F64, Mask, Pixels
from vision.dice.find import Candidate
from vision.dice.upper import CROP, face_in_four, glance, look
from vision.network import SHIPPED, OnnxNetwork, WeightsError, load_network, load_numbers, softmax

VALUES: Final = (1, 2, 3, 4, 5, 6)
OTHER: Final = "none"
"""The last column: no upper face of a die."""
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {"shown": (*(str(v) for v in VALUES), OTHER)}

_SURE: Final = 3.0
"""Margin of logits above which one look is enough."""
_NOT_THERE: Final = -1.5
_THERE: Final = 2.5
"""Log odds of a face between which it is looked for on all sides, and below which it is none …"""
_STEPS: Final = ((0.3, 0.0), (-0.3, 0.0), (0.0, 0.3), (0.0, -0.3))
"""… so many edges across and up: dark dice were marked 0.2 to 0.5 edges aside."""
BOUND: Final = 6.0
"""Log odds beyond which one look at a face says no more: it has learned from traced dice."""
_WEIGHTS: Final = ("reader", "face")
CERTAINTY: Final = ("bias", "finder", "reader", "face")


@dataclass(frozen=True, slots=True)
class PipNumbers:
    """What was fitted beside the network: what its columns stand for, and how much the log
    probabilities of the dice `reader` and of its own `face` weigh.
    """

    columns: Mapping[str, tuple[str, ...]]
    weights: Mapping[str, float]
    certainty: Mapping[str, float]
    """How log odds make one that a die lies there: `bias`, and the weights of the `finder`'s, of
    the dice `reader`'s against nothing and of its own `face`'s, which knows cubes as well.
    """


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
        for name, fitted, needed, by in (
            ("weights", numbers.weights, _WEIGHTS, "die_weights"),
            ("a certainty", numbers.certainty, CERTAINTY, "die_certainty"),
        ):
            if set(fitted) != set(needed):
                raise WeightsError(
                    f"vision/weights/pips.json has {name} of {', '.join(fitted)}; this program"
                    f" needs {', '.join(needed)}: run python -m vision.train.dice.{by}"
                )
        net.check({"x": (1, 3, CROP, CROP)}, {"y": (1, len(VALUES) + 1)})
        return cls(net, numbers)


def face_logits(pixels: Pixels, places: Sequence[Candidate], network: PipNetwork) -> F32:
    """What the upper faces say alone: the network's logits of each place (N x 7, as COLUMNS). What
    is hardly a face is looked at once.
    """
    crops = _crops(pixels, places)
    logits = glance(network.net, crops)
    rows = np.flatnonzero(odds_by_face(logits) > _NOT_THERE)
    if len(rows):
        faces = [crops[k] for k in rows.tolist()]
        logits[rows] = look(network.net, faces, _SURE, logits[rows])
    return logits


def _crops(pixels: Pixels, places: Sequence[Candidate]) -> list[Pixels]:
    return [face_in_four(pixels, c.pixel, c.axes, c.edge, c.slant) for c in places]


def surest_faces(
    pixels: Pixels, places: Sequence[Candidate], network: PipNetwork, around: Mask
) -> tuple[list[Candidate], F32]:
    """Each place where its face is surest one, and the network's logits there (N x 7): of those
    `around` which it may be (N), what is in doubt is looked at on all four sides too, since a hard
    shadow beside a dark die is a part of it to the finder.
    """
    logits, best = face_logits(pixels, places, network), list(places)
    odds = odds_by_face(logits)
    rows = np.flatnonzero(around & (odds > _NOT_THERE) & (odds < _THERE)).tolist()
    if rows:
        # All sides of all places in one pass.
        moved = [_moved(places[k], *step) for k in rows for step in _STEPS]
        looks = glance(network.net, _crops(pixels, moved))
        there = odds_by_face(looks).reshape(len(rows), len(_STEPS))
        surest = there.argmax(1) + np.arange(len(rows)) * len(_STEPS)
        for k, n, surer in zip(rows, surest.tolist(), there.max(1) > odds[rows], strict=True):
            if surer:
                best[k], logits[k] = moved[n], looks[n]
    return best, logits


def _moved(place: Candidate, across: float, up: float) -> Candidate:
    """A place so many edges aside in the picture."""
    x, y = (place.axes @ np.array([across, up]) * place.edge).tolist()
    return replace(place, pixel=(place.pixel[0] + x, place.pixel[1] + y))


def together(said: F32, faces: F32, numbers: PipNumbers) -> F32:
    """The probabilities of the values 1 to 6 (N x 6), of what the dice reader said (`said`,
    probabilities) and the logits of the upper faces.
    """
    by_reader, by_face = (np.float32(numbers.weights[name]) for name in _WEIGHTS)
    shown = faces[:, : len(VALUES)]
    return softmax(by_reader * np.log(np.maximum(said, np.float32(1e-9))) + by_face * shown)


def odds_by_face(faces: F32) -> F32:
    """Log odds that each is a die's upper face (N), of the logits of the upper faces."""
    shown = np.logaddexp.reduce(faces[:, : len(VALUES)], 1)
    return np.asarray(np.clip(shown - faces[:, -1], -BOUND, BOUND), np.float32)


def certainties(said: F64, faces: F32, numbers: PipNumbers) -> F64:
    """The probability that a die lies at each place (N), of what is said of it before (`said`: N x
    2 log odds, the finder's and the dice reader's against nothing) and the logits of the upper
    faces.
    """
    bias, *weights = (numbers.certainty[name] for name in CERTAINTY)
    odds = bias + np.c_[said, odds_by_face(faces)] @ np.array(weights)
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -30, 30))), np.float64)

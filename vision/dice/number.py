"""The number that a doubling cube shows, read by a network of its own from its upper face alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import cv2
import numpy as np
from cv2.typing import MatLike

from vision.arrays import F32, F64, Pixels
from vision.dice.crops import square_crop
from vision.network import SHIPPED, OnnxNetwork, WeightsError, load_network, load_numbers, softmax

CROP: Final = 48
"""Edge of the crop, pixels."""
SPAN: Final = 1.6
"""Its width in edges of the cube: the face is 30 pixels wide, where the dice reader has 20."""
RAISED: Final = 0.3
"""How far above the cube's middle the crop is taken, in edges for a slant of 1. The top of a cube
lies half an edge above it; the finder's middle lies nearer to the top than the true one does.
"""
FACES: Final = (2, 4, 8, 16, 32, 64)
OTHER: Final = "none"
"""The last column: no doubling cube lies there. Cards of a score and logos bear numbers too."""

_QUARTERS: Final = (cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_COUNTERCLOCKWISE)
_SURE: Final = 5.0
"""Margin of logits above which one look is enough."""
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


def face_crop(
    pixels: Pixels,
    centre: tuple[float, float],
    axes: F64,
    edge: float,
    slant: float,
    *,
    more: int = 0,
) -> Pixels:
    """The upper face of a cube, straightened on the board's plane (CROP x CROP x 3): `centre` in
    pixels, `axes` and `slant` as `crops.local_frame` gives them there, `edge` in board units.
    `more`: so many pixels around it too, as training wants them.
    """
    up = RAISED * edge * slant
    at = centre[0] + float(axes[0, 1]) * up, centre[1] + float(axes[1, 1]) * up
    size = CROP + 2 * more
    return square_crop(pixels, at, axes, edge * SPAN * size / CROP, size)


def face_input(crops: Pixels) -> F32:
    """What the network is shown of N crops (N x CROP x CROP x 3): N x 3 x CROP x CROP, brightness
    and contrast of each taken out.
    """
    x = np.moveaxis(crops, 3, 1).astype(np.float32)
    x -= x.mean((1, 2, 3), keepdims=True)
    spread = x.std((1, 2, 3), keepdims=True)
    return np.asarray(x / np.maximum(spread, np.float32(12)), np.float32)


def read_number(
    pixels: Pixels,
    centre: tuple[float, float],
    axes: F64,
    edge: float,
    slant: float,
    network: CubeNetwork,
) -> FaceReading:
    """What a cube at that place shows."""
    crop = face_crop(pixels, centre, axes, edge, slant)
    logits = _logits([crop], network)
    first, second = np.sort(logits[0])[:-3:-1]
    if first - second < _SURE:
        # Turned by a quarter it is the same number: each look errs in other ways.
        logits = np.concatenate(
            [logits, _logits([cv2.rotate(crop, w) for w in _QUARTERS], network)]
        )
    mean = logits.mean(0, keepdims=True) / np.float32(network.numbers.temperature)
    likely = softmax(mean)[0]
    there = float(likely[:-1].sum())
    shown = (likely[:-1] / max(there, 1e-9)).tolist()
    return FaceReading(there, dict(zip(FACES, shown, strict=True)))


def _logits(crops: Sequence[MatLike], network: CubeNetwork) -> F32:
    return network.net.run({"x": face_input(np.asarray(np.stack(crops), np.uint8))}, ["y"])[0]

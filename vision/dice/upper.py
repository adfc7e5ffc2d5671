"""The upper face of a die or a cube, straightened by itself: what the networks are shown that read
one face alone (`pips`, `lies`, `number`), in training and at the table alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from cv2.typing import MatLike

from vision.arrays import F32, F64, Pixels
from vision.dice.crops import square_crop
from vision.network import OnnxNetwork
from vision.tables import three_channels

CROP: Final = 48
"""Edge of the crop, pixels."""
SPAN: Final = 1.6
"""Its width in edges: the face is 30 pixels wide, where the dice reader has 20."""
RAISED: Final = 0.3
"""How far above the middle the crop is taken, in edges for a slant of 1. The top lies half an edge
above it; the finder's middle lies nearer to the top than the true one does.
"""
STEEPEST: Final = 1.8
"""Slant (1 at 45 degrees) beyond which nobody reads an upper face."""

_QUARTERS: Final = (cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_COUNTERCLOCKWISE)


def face_crop(
    pixels: Pixels,
    centre: tuple[float, float],
    axes: F64,
    edge: float,
    slant: float,
    *,
    more: int = 0,
) -> Pixels:
    """The upper face, straightened on the board's plane (CROP x CROP x 3): `centre` in pixels,
    `axes` and `slant` as `crops.local_frame` gives them there, `edge` in board units. `more`: so
    many pixels around it too, as training wants them.
    """
    return three_channels(face_in_four(pixels, centre, axes, edge, slant, more=more))


def face_in_four(
    pixels: Pixels,
    centre: tuple[float, float],
    axes: F64,
    edge: float,
    slant: float,
    *,
    more: int = 0,
) -> Pixels:
    """`face_crop` with a fourth channel that says nothing, as the crop is taken."""
    up = RAISED * edge * slant
    at = centre[0] + float(axes[0, 1]) * up, centre[1] + float(axes[1, 1]) * up
    size = CROP + 2 * more
    return square_crop(pixels, at, axes, edge * SPAN * size / CROP, size)


def face_input(crops: Pixels) -> F32:
    """What a network is shown of N crops (N x CROP x CROP x 3, or 4): N x 3 x CROP x CROP,
    brightness and contrast of each taken out.
    """
    number, rows, columns = crops.shape[:3]
    x = np.empty((number, 3, rows, columns), np.float32)
    for colour, plane in enumerate(cv2.split(crops.reshape(number * rows, columns, -1))[:3]):
        x[:, colour] = plane.reshape(number, rows, columns)
    flat = x.reshape(number, -1)
    flat -= flat.mean(1)[:, None]
    spread = np.sqrt(np.einsum("ni,ni->n", flat, flat) / np.float32(flat.shape[1]))
    flat /= np.maximum(spread, np.float32(12))[:, None]
    return x


def look(net: OnnxNetwork, crops: Sequence[Pixels], sure: float, seen: F32 | None = None) -> F32:
    """The logits of each face (N x columns), the first look at them being `seen` where there was
    one. Where the first two lie nearer than `sure` the face is turned by a quarter, thrice, and the
    mean is taken: it shows the same, and each look errs in other ways.
    """
    logits = glance(net, crops) if seen is None else seen.copy()
    best = np.sort(logits, 1)
    doubtful = np.flatnonzero(best[:, -1] - best[:, -2] < sure).tolist()
    if doubtful:
        turned = [cv2.rotate(crops[k], way) for k in doubtful for way in _QUARTERS]
        more = glance(net, turned).reshape(len(doubtful), len(_QUARTERS), -1)
        logits[doubtful] = (logits[doubtful] + more.sum(1)) / (1 + len(_QUARTERS))
    return logits


def glance(net: OnnxNetwork, crops: Sequence[MatLike]) -> F32:
    """The logits of each face (N x columns) as it lies, whatever the doubt."""
    return net.run({"x": face_input(np.asarray(np.stack(crops), np.uint8))}, ["y"])[0]

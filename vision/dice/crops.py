"""Small straightened pictures around a spot of the board: what the dice reader is shown, in
training and at the table alike.

Each crop is taken twice, near (two edges wide) and wide (4.6 edges), straightened on the board's
plane so that the top of a flat die is a square, and turned so that height points upwards: side
faces of a flat die always lie below its top, however the camera stands. From a low camera the top
lies far above the die's middle and would leave the near crop: then both crops are taken so much
higher that it lies where a camera at `TALLEST` sees it, and the reader is told that slant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from vision.arrays import F32, F64, Pixels
from vision.geometry import BoardMap
from vision.tables import four_channels, three_channels

CROP: Final = 40
"""Edge of a crop, pixels."""
NEAR: Final = 2.0
WIDE: Final = 4.6
"""Widths of the two crops in edges of the die."""
CHANNELS: Final = 7
TALLEST: Final = 0.9
"""Slant (1 at 45 degrees) to which crops are taken around a die's middle: its top then lies 0.45
edges above, and all of it but a corner within the near crop, which ends one edge above.
"""


def local_frame(board: BoardMap, x: float, y: float, z: float) -> tuple[F64, F64, float]:
    """The picture around a board point: its pixel; the pixels of one unit right and one up in a
    crop (2 x 2, columns); how slanted.

    `slant` = length of the shift, in board units, that one unit of height makes in the picture: 0
    straight from above, 1 at 45 degrees.
    """
    centres, axes, slants = local_frames(board, np.array([(x, y, z)]))
    return centres[0], axes[0], float(slants[0])


def local_frames(board: BoardMap, points: F64) -> tuple[F64, F64, F64]:
    """`local_frame` of N board points (N x 3) at once: N x 2, N x 2 x 2, N."""
    h = 0.05
    steps = np.array([(0, 0, 0), (h, 0, 0), (0, h, 0), (0, 0, h)])
    p = board.project((points[:, None] + steps).reshape(-1, 3)).reshape(-1, 4, 2)
    j = np.stack([p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]], 2) / h
    lean = np.linalg.solve(j, (p[:, 3] - p[:, 0])[..., None] / h)[..., 0]
    slant = np.sqrt((lean * lean).sum(1))
    up = np.where(slant[:, None] > 1e-6, lean / np.maximum(slant, 1e-6)[:, None], (0.0, 1.0))
    right = np.stack([up[:, 1], -up[:, 0]], 1)
    return p[:, 0], j @ np.stack([right, up], 2), slant


def crop_pair(
    pixels: Pixels,
    centre: F64 | tuple[float, float],
    axes: F64,
    edge: float,
    slant: float,
    *,
    more: tuple[int, int] = (0, 0),
) -> tuple[Pixels, Pixels]:
    """The near and the wide crop (CROP x CROP x 3) of a spot; `centre` in pixels, `axes` and
    `slant` as from `local_frame`, `edge` in board units. `more`: so many pixels around each crop
    too, as training wants them.
    """
    near, wide = pair_in_four(pixels, centre, axes, edge, slant, more=more)
    return three_channels(near), three_channels(wide)


def pair_in_four(
    pixels: Pixels,
    centre: F64 | tuple[float, float],
    axes: F64,
    edge: float,
    slant: float,
    *,
    more: tuple[int, int] = (0, 0),
) -> tuple[Pixels, Pixels]:
    """`crop_pair` with a fourth channel that says nothing, as the crops are taken: `network_input`
    does without turning each back.
    """
    up = edge * max(0.0, slant - TALLEST) / 2
    a, b, c, d = there = tuple(axes.ravel().tolist())
    x, y = float(centre[0]) + b * up, float(centre[1]) + d * up
    near, wide = (CROP + 2 * n for n in more)
    spans = edge * NEAR * (near / CROP), edge * WIDE * (wide / CROP)
    reach = max(spans) / 2
    left, right = _around(x, (abs(a) + abs(b)) * reach, pixels.shape[1])
    top, bottom = _around(y, (abs(c) + abs(d)) * reach, pixels.shape[0])
    here = four_channels(pixels[top:bottom, left:right])
    return (
        _crop(here, (x - left, y - top), there, spans[0], near),
        _crop(here, (x - left, y - top), there, spans[1], wide),
    )


def square_crop(
    pixels: Pixels, centre: tuple[float, float], axes: F64, span: float, size: int
) -> Pixels:
    """One crop (size x size x 4, the last channel says nothing) around a pixel, `span` board units
    wide; `axes` as from `local_frame`.
    """
    there = a, b, c, d = tuple(axes.ravel().tolist())
    left, right = _around(centre[0], (abs(a) + abs(b)) * span / 2, pixels.shape[1])
    top, bottom = _around(centre[1], (abs(c) + abs(d)) * span / 2, pixels.shape[0])
    here = four_channels(pixels[top:bottom, left:right])
    return _crop(here, (centre[0] - left, centre[1] - top), there, span, size)


def _around(middle: float, reach: float, count: int) -> tuple[int, int]:
    """The first of `count` pixels that lie so near, and the one after the last."""
    first = min(max(math.floor(middle - reach), 0), count - 1)
    return first, max(math.floor(middle + reach) + 2, first + 1)


def _crop(
    pixels: Pixels,
    centre: tuple[float, float],
    axes: tuple[float, ...],
    span: float,
    size: int,
) -> Pixels:
    a, b, c, d = axes
    # One crop pixel may cover several of a sharp picture: take more and average.
    fine = max(1, min(4, math.ceil(max(math.hypot(a, c), math.hypot(b, d)) * span / size - 0.35)))
    n = size * fine
    step, middle = span / n, (n - 1) / 2
    a, b, c, d = a * step, -b * step, c * step, -d * step
    m = np.array([(a, b, centre[0] - (a + b) * middle), (c, d, centre[1] - (c + d) * middle)])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    taken = cv2.warpAffine(pixels, m, (n, n), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    if fine > 1:
        taken = cv2.resize(taken, (size, size), interpolation=cv2.INTER_AREA)
    return np.asarray(taken, np.uint8)


def network_input(near: Sequence[Pixels], wide: Sequence[Pixels], slants: Sequence[float]) -> F32:
    """N x CHANNELS x CROP x CROP:

    N pairs of crops (of three channels or four) with each pair's brightness and contrast taken
    out, and the slants.
    """
    number = len(near)
    out = np.empty((number, CHANNELS, CROP, CROP), np.float32)
    crops = np.concatenate([*near, *wide])
    for colour, plane in enumerate(cv2.split(crops)[:3]):
        out[:, colour], out[:, 3 + colour] = plane.reshape(2, number, CROP, CROP)
    flat = out[:, :6].reshape(number, 6, -1)
    means = flat.mean(2)
    variances = np.einsum("nci,nci->nc", flat, flat) / np.float32(flat.shape[2]) - means**2
    spread = np.maximum(12.0, np.sqrt(np.maximum(0, variances).mean(1)))
    flat -= means.mean(1)[:, None, None]
    flat /= spread[:, None, None]
    out[:, 6] = np.minimum(np.asarray(slants, np.float32), TALLEST)[:, None, None]
    return out

"""A scene with its truth cut into what the two networks of the dice reader learn from: tiles for
the finder, crops for the reader.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from vision.arrays import F64, Pixels
from vision.dice.crops import crop_pair, local_frame
from vision.dice.find import DiceFinder, find_candidates
from vision.geometry import BoardMap
from vision.prepared import PreparedMap
from vision.settings import DEFAULT
from vision.train.dice.scenes import NONE, DiceScene

UNIT: Final = 32.0
"""Pixels of a point width in a tile: finer than the finder sees, so that it may be shrunk in
several ways.
"""
TILE: Final = 192
MORE: Final = (8, 4)
"""Pixels around a near and a wide crop that are kept beside it, so that a batch may turn, move and
scale it.
"""


def small(pixels: Pixels, board: BoardMap, unit: float = UNIT) -> tuple[Pixels, float]:
    """The picture as the finder sees it and the factor it was resized by."""
    middle = board.project([(-0.5, 0, 0), (0.5, 0, 0), (0, -0.5, 0), (0, 0.5, 0)])
    here = float(
        np.sqrt(np.linalg.norm(middle[1] - middle[0]) * np.linalg.norm(middle[3] - middle[2]))
    )
    factor = unit / here
    size = (round(pixels.shape[1] * factor), round(pixels.shape[0] * factor))
    return np.asarray(
        cv2.resize(pixels, size, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR),
        np.uint8,
    ), factor


def tiles(
    rng: np.random.Generator, pixels: Pixels, scene: DiceScene, number: int
) -> Iterator[tuple[Pixels, list[tuple[int, float, float, float, bool]]]]:
    """Tiles of what the finder sees, most of them around things, each with (kind, column, row, edge
    in pixels, clear) of its things.
    """
    picture, factor = small(
        pixels, scene.board, UNIT * float(np.clip(rng.normal(1, 0.12), 0.75, 1.35))
    )
    marks = []
    for t in scene.things:
        _, axes, _ = local_frame(scene.board, t.x, t.y, t.z)
        marks.append(
            (
                t.kind,
                (t.pixel[0] + 0.5) * factor - 0.5,
                (t.pixel[1] + 0.5) * factor - 0.5,
                t.edge * float(np.linalg.norm(axes[:, 0])) * factor,
                t.clear,
            )
        )
    wide = cv2.copyMakeBorder(
        picture,
        0,
        max(0, TILE - picture.shape[0]),
        0,
        max(0, TILE - picture.shape[1]),
        cv2.BORDER_REPLICATE,
    )
    picture = np.asarray(wide, np.uint8)
    height, width = picture.shape[:2]
    for _ in range(number):
        if marks and rng.random() < 0.75:
            m = marks[rng.integers(len(marks))]
            x, y = m[1] - rng.uniform(0.15, 0.85) * TILE, m[2] - rng.uniform(0.15, 0.85) * TILE
        else:
            x, y = rng.uniform(0, width - TILE + 1), rng.uniform(0, height - TILE + 1)
        x0, y0 = int(np.clip(x, 0, width - TILE)), int(np.clip(y, 0, height - TILE))
        tile = np.asarray(picture[y0 : y0 + TILE, x0 : x0 + TILE], np.uint8)
        yield (
            tile,
            [
                (k, c - x0, r - y0, e, clear)
                for k, c, r, e, clear in marks
                if -8 < c - x0 < TILE + 8 and -8 < r - y0 < TILE + 8
            ],
        )


def crops(
    rng: np.random.Generator, pixels: Pixels, scene: DiceScene, empty: int
) -> Iterator[tuple[Pixels, Pixels, float, int, int, int]]:
    """Near crop, wide crop, slant, kind, status, value: around each thing, a little off as a finder
    is, and where nothing is.
    """
    b = scene.board
    for t in scene.things:
        if not t.clear:
            continue
        dx, dy = rng.normal(0, 0.03 * t.edge, 2)
        centre, axes, slant = local_frame(b, t.x + dx, t.y + dy, t.z)
        if 0 < centre[0] < b.size[0] and 0 < centre[1] < b.size[1]:
            near, wide = crop_pair(
                pixels,
                centre,
                axes,
                t.edge * float(np.clip(rng.normal(1.03, 0.05), 0.85, 1.2)),
                slant,
                more=MORE,
            )
            yield near, wide, slant, t.kind, t.status, t.value
    for _ in range(empty):
        x, y, e = (
            rng.uniform(-1, 1) * (b.width / 2 + 2),
            rng.uniform(-1, 1) * (b.height / 2 + 1.5),
            float(np.clip(rng.normal(0.37, 0.08), 0.2, 0.8)),
        )
        centre, axes, slant = local_frame(b, x, y, 0.2)
        near_thing = any(
            math.hypot(t.pixel[0] - centre[0], t.pixel[1] - centre[1])
            < 0.75 * t.edge * np.linalg.norm(axes[:, 0])
            for t in scene.things
        )
        if not near_thing and 0 < centre[0] < b.size[0] and 0 < centre[1] < b.size[1]:
            yield *crop_pair(pixels, centre, axes, e, slant, more=MORE), slant, NONE, -1, -1


def found_crops(
    pixels: Pixels, scene: DiceScene, finder: DiceFinder
) -> Iterator[tuple[Pixels, Pixels, float, int, int, int]]:
    """As `crops`, but where the finder of vision/weights looks: its own small errors, and what it
    takes for dice.
    """
    b = scene.board
    settings = replace(DEFAULT.dice, candidate=0.05, candidates=24)
    for candidate in find_candidates(pixels, PreparedMap(b), finder, settings):
        near, wide = crop_pair(
            pixels,
            np.array(candidate.pixel),
            candidate.axes,
            candidate.edge,
            candidate.slant,
            more=MORE,
        )
        close = [
            t
            for t in scene.things
            if math.dist(t.pixel, candidate.pixel) < max(4.0, 0.55 * candidate.edge_pixels)
        ]
        if not close:
            yield near, wide, candidate.slant, NONE, -1, -1
        elif close[0].clear:
            yield near, wide, candidate.slant, close[0].kind, close[0].status, close[0].value


def taken_out(stored: Pixels, turned: F64, shift: F64, size: int) -> Pixels:
    """A crop (size x size) out of what is stored around it: `turned` (2 x 2) turns and scales a
    crop's pixel into a stored one, `shift` (stored pixels) moves its middle.
    """
    centre = (stored.shape[0] - 1) / 2 + shift
    matrix = np.c_[turned, centre - turned @ np.full(2, (size - 1) / 2)]
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    mode = cv2.BORDER_REPLICATE
    return np.asarray(
        cv2.warpAffine(stored, matrix, (size, size), flags=flags, borderMode=mode), np.uint8
    )

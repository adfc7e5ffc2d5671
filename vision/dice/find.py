"""Where dice and cubes may be: a small network over the whole picture, scaled so that a point is 24
pixels wide.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import cv2
import numpy as np

from vision.arrays import F32, F64, Pixels
from vision.dice.crops import local_frames
from vision.geometry import BoardMap
from vision.network import (
    SHIPPED,
    Columns,
    OnnxNetwork,
    load_network,
    load_numbers,
    picture_input,
)
from vision.prepared import PreparedMap
from vision.settings import DiceSettings

FOLD: Final = 3
"""The network thinks on every eighth pixel and answers for FOLD x FOLD cells there."""
STRIDE: Final = 8 / FOLD
"""Pixels of the network's picture to a cell."""
EDGE: Final = 9.0
"""Pixels of an edge whose logarithm the network calls zero."""
HEIGHT: Final = 0.18
"""Height above the field, point widths, at which candidates are placed on the board: the middle of
a die.
"""


def cells(answer: F32) -> F32:
    """What the network says (36,h,w) as (4,3h,3w): die, cube, log edge of each for every cell."""
    _, h, w = answer.shape
    folded = answer.reshape(4, FOLD, FOLD, h, w).transpose(0, 3, 1, 4, 2)
    return np.ascontiguousarray(folded.reshape(4, FOLD * h, FOLD * w))


def peaks(
    answer: F32, kind: int, least: float, most: int | None = None
) -> list[tuple[float, float, float, float]]:
    """(score 0-1, column, row, edge), pixels of the network's picture, of each local maximum of a
    kind (0 die, 1 cube) above `least`: at most so many, the highest first.
    """
    heat = answer[kind]
    logit = float(np.log(least / (1 - least)))
    top = cv2.dilate(heat, np.ones((3, 3), np.uint8))
    found = np.flatnonzero((heat >= top) & (heat > logit))
    highest = found[np.argsort(-heat.ravel()[found], kind="stable")[:most]]
    rows, columns = np.divmod(highest, heat.shape[1])
    # The centre lies between cells: the mean of the neighbourhood weighted by how sure each cell
    # is.
    framed = np.full((heat.shape[0] + 2, heat.shape[1] + 2), -np.inf, np.float32)
    framed[1:-1, 1:-1] = heat
    near = framed[rows[:, None] + _NEXT[:, 1] + 1, columns[:, None] + _NEXT[:, 0] + 1]
    sure = 1 / (1 + np.exp(-near.astype(np.float64)))
    middle = np.stack([columns, rows], 1) + sure @ _NEXT / sure.sum(1, keepdims=True)
    across, down = (middle * STRIDE + (STRIDE - 1) / 2).T.tolist()
    edges = EDGE * np.exp(np.clip(answer[2 + kind, rows, columns], -1.5, 2.5).astype(np.float64))
    scores = sure[:, len(_NEXT) // 2].tolist()
    return list(zip(scores, across, down, edges.tolist(), strict=True))


_NEXT: Final = np.array([(c, r) for r in (-1, 0, 1) for c in (-1, 0, 1)])
"""Column and row of a cell's neighbourhood from that cell."""
_TURNS: Final = np.arange(16) * np.pi / 8
_AROUND: Final = np.outer((0.95, 1.1), np.stack([np.cos(_TURNS), np.sin(_TURNS)], 1)).reshape(-1, 2)
"""Where a twin's centre may be, in edges: on two rings."""


def twin(heat: F32, column: float, row: float, edge: float) -> tuple[float, float, float]:
    """(score, column, row) of the likeliest centre one edge away from a die: of two that touch the
    heat often has but one maximum.
    """
    spots = (column, row) + _AROUND * edge
    cells_ = np.round((spots - (STRIDE - 1) / 2) / STRIDE).astype(int)
    c, r = cells_.clip(0, (heat.shape[1] - 1, heat.shape[0] - 1)).T
    here = heat[r, c]
    best = int(here.argmax())
    return 1 / (1 + math.exp(-float(here[best]))), float(spots[best, 0]), float(spots[best, 1])


def _with_twins(
    answer: F32, kind: int, settings: DiceSettings
) -> Iterator[tuple[float, float, float, float, float, int]]:
    """Rank, then as `peaks`, then the kind: the peaks, and the place beside each of the likeliest
    dice where a twin may be.

    A twin without a maximum of its own ranks as its twin does.
    """
    highest = peaks(answer, kind, settings.candidate, settings.candidates + 4)
    for number, (score, column, row, edge) in enumerate(highest):
        yield score, score, column, row, edge, kind
        if kind == 0 and number < settings.twins and score > settings.twin_of:
            beside, x, y = twin(answer[0], column, row, edge)
            if beside > settings.twin and all(
                math.hypot(x - c, y - r) > 0.6 * edge for _, c, r, _ in highest
            ):
                yield score, beside, x, y, edge, kind


@dataclass(frozen=True, slots=True)
class DiceFinderNumbers:
    """What stands beside the finder's weights: its columns alone."""

    columns: Columns


@dataclass(frozen=True, slots=True, eq=False)
class DiceFinder:
    """The network that says where dice and cubes may be."""

    net: OnnxNetwork

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> Self:
        """From a folder of weights. Raises WeightsError."""
        net = load_network("dice_find", folder)
        columns = load_numbers(DiceFinderNumbers, "dice_find", folder).columns["y"]
        net.check({"x": (1, 3, 96, 96)}, {"y": (1, len(columns) * FOLD * FOLD, 12, 12)})
        return cls(net)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A place that looks like a die or a cube. `pixel`, `edge_pixels`: in the picture; `edge`:
    point widths; `logits`: die, cube.

    `x`, `y`: on the board, at `HEIGHT`; `axes`, `slant`: the picture there, see
    `dice_crops.local_frame`.
    """

    pixel: tuple[float, float]
    edge_pixels: float
    edge: float
    logits: tuple[float, float]
    x: float
    y: float
    axes: F64
    slant: float


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the picture: pixel, edge in pixels, logits of a die's and of a cube's centre."""

    pixel: tuple[float, float]
    edge: float
    logits: tuple[float, float]


def find_candidates(
    pixels: Pixels, board: PreparedMap, finder: DiceFinder, settings: DiceSettings
) -> tuple[Candidate, ...]:
    """The likeliest places of dice and cubes on and around the board, the likeliest first."""
    x0, y0, x1, y1 = board.once(_surroundings, settings.margin)
    if x1 - x0 < 16 or y1 - y0 < 16:
        return ()
    middle = board.board_map.project([(-0.5, 0, 0), (0.5, 0, 0), (0, -0.5, 0), (0, 0.5, 0)])
    here = float(
        np.sqrt(np.linalg.norm(middle[1] - middle[0]) * np.linalg.norm(middle[3] - middle[2]))
    )
    factor = min(settings.unit / here, settings.largest / max(x1 - x0, y1 - y0))
    return _placed(board.board_map, spots_in(pixels, (x0, y0, x1, y1), factor, finder, settings))


def spots_in(
    pixels: Pixels,
    box: tuple[int, int, int, int],
    factor: float,
    finder: DiceFinder,
    settings: DiceSettings,
) -> list[Spot]:
    """The likeliest places of dice and cubes in a box (left, top, right, bottom) of the picture,
    which the network is shown `factor` times as large, the likeliest first.
    """
    x0, y0, x1, y1 = box
    width, height = (max(8, round(n * factor / 8) * 8) for n in (x1 - x0, y1 - y0))
    x = _finder_input(pixels[y0:y1, x0:x1], (width, height), factor)
    answer = cells(finder.net.run({"x": x}, ["y"])[0][0])
    fx, fy = (x1 - x0) / width, (y1 - y0) / height
    kept: list[Spot] = []
    dice, cubes = (_with_twins(answer, kind, settings) for kind in (0, 1))
    for _, score, column, row, edge, kind in heapq.merge(
        dice, cubes, key=lambda place: place[0], reverse=True
    ):
        pixel = ((column + 0.5) * fx - 0.5 + x0, (row + 0.5) * fy - 0.5 + y0)
        edge *= (fx + fy) / 2
        if any(math.dist(pixel, one.pixel) < 0.55 * min(edge, one.edge) for one in kept):
            continue
        logit = math.log(score / (1 - score + 1e-9))
        r, c = (
            min(n - 1, max(0, round((v - (STRIDE - 1) / 2) / STRIDE)))
            for n, v in ((answer.shape[1], row), (answer.shape[2], column))
        )
        other = float(answer[1 - kind, r, c])
        kept.append(Spot(pixel, edge, (logit, other) if kind == 0 else (other, logit)))
        if len(kept) == settings.candidates:
            break
    return kept


def _finder_input(piece: Pixels, size: tuple[int, int], factor: float) -> F32:
    """A piece of the picture `factor` times as large, as the network takes it: 1 x 3 x height x
    width.
    """
    if factor < 0.6:
        # By two exactly is twenty times quicker than by any other factor that averages; what is
        # left is nearly one.
        even = piece[: piece.shape[0] // 2 * 2, : piece.shape[1] // 2 * 2]
        half = cv2.resize(even, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        piece = np.asarray(half, np.uint8)
    how = cv2.INTER_LINEAR if factor > 0.3 else cv2.INTER_AREA
    small = cv2.resize(piece, size, interpolation=how)
    return picture_input(np.asarray(small, np.uint8), 1 / 255)


def _placed(board_map: BoardMap, kept: Sequence[Spot]) -> tuple[Candidate, ...]:
    if not kept:
        return ()
    at = board_map.unproject([one.pixel for one in kept], HEIGHT)
    _, axes, slants = local_frames(board_map, np.c_[at, np.full(len(at), HEIGHT)])
    units = np.sqrt((axes[:, :, 0] ** 2).sum(1))
    return tuple(
        Candidate(
            one.pixel,
            one.edge,
            one.edge / float(units[k]),
            one.logits,
            float(at[k, 0]),
            float(at[k, 1]),
            axes[k],
            float(slants[k]),
        )
        for k, one in enumerate(kept)
    )


def _surroundings(board_map: BoardMap, margin: float) -> tuple[int, int, int, int]:
    """The rectangle of the picture that holds the board and so much around it."""
    x, y = board_map.width / 2 + margin, board_map.height / 2 + margin
    px = board_map.project([(-x, y, 0), (x, y, 0), (x, -y, 0), (-x, -y, 0)])
    width, height = board_map.size
    (x0, y0), (x1, y1) = px.min(0), px.max(0)
    return max(0, int(x0)), max(0, int(y0)), min(width, int(x1) + 1), min(height, int(y1) + 1)

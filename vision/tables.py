"""Where in a picture each pixel of a straightened one comes from, and the straightening itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import cv2
import numpy as np

from vision.arrays import F32, F64, I64, Pixels
from vision.geometry import BoardMap


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The columns and rows of a straightened picture that are projected (`knots`), and where among
    them, counted in knots, each of its pixels lies: columns and rows, a picture each.
    """

    knots: tuple[I64, I64]
    among: tuple[F32, F32]

    @classmethod
    def of(cls, columns: int, rows: int, step: int, pictures: int = 1) -> Self:
        """Of so many columns and rows each `step`-th is projected, and the last; for so many
        pictures of that size, one below the other.
        """
        across, down = (
            np.unique(np.append(np.arange(0, count, step), count - 1)) for count in (columns, rows)
        )
        x, y = (
            np.interp(np.arange(count), knots, np.arange(len(knots)))
            for count, knots in ((columns, across), (rows, down))
        )
        ys = (np.arange(pictures)[:, None] * len(down) + y).ravel()
        among_x, among_y = np.meshgrid(x.astype(np.float32), ys.astype(np.float32))
        return cls((across, down), (among_x, among_y))

    def places(self, board_map: BoardMap, xs: F64, ys: F64, heights: Sequence[float]) -> F32:
        """Column and row in the picture (knots downwards x knots across x 2) of the knots of board
        columns `xs` and rows `ys` at each height.
        """
        across, down = self.knots
        at = np.empty((len(heights), len(down), len(across), 3))
        at[..., 0], at[..., 1] = xs[across], ys[down][:, None]
        at[..., 2] = np.asarray(heights)[:, None, None]
        seen = board_map.project(at.reshape(-1, 3)).astype(np.float32)
        return seen.reshape(-1, len(across), 2)

    def filled(self, places: F32) -> F32:
        """Column and row for every pixel (rows x columns x 2): straight lines from knot to knot."""
        return np.asarray(cv2.remap(places, *self.among, cv2.INTER_LINEAR), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Straightening:
    """Column and row (`at`, rows x columns x 2) within a part of the picture (`left`, `top`,
    `right`, `bottom`) that each pixel of a straightened one shows.
    """

    at: F32
    left: int
    top: int
    right: int
    bottom: int

    @classmethod
    def of(
        cls, board_map: BoardMap, xs: F64, ys: F64, heights: Sequence[float], grid: Grid
    ) -> Self:
        """For board columns `xs` and rows `ys` at each height, one below the other."""
        places = grid.places(board_map, xs, ys, heights)
        (left, right), (top, bottom) = (
            _looked_at(places[..., k], count) for k, count in enumerate(board_map.size)
        )
        at = cv2.subtract(grid.filled(places), np.array((left, top, 0, 0), np.float64))
        return cls(np.asarray(at, np.float32), left, top, right, bottom)

    def straightened(self, pixels: Pixels, border: int, halvings: int = 0) -> Pixels:
        """What a picture shows there (rows x columns x 3), halved so often before; `border`:
        OpenCV's name for what lies beyond its edge.
        """
        return three_channels(self.in_four(pixels, border, halvings))

    def in_four(self, pixels: Pixels, border: int, halvings: int = 0) -> Pixels:
        """The same with a fourth channel that says nothing."""
        fine = 2**halvings
        rows, columns = (
            slice(fine * first, fine * last)
            for first, last in ((self.top, self.bottom), (self.left, self.right))
        )
        part = pixels[rows, columns]
        for _ in range(halvings):
            part = halved(part)
        # Without a second table: one of both, column and row.
        seen = cv2.remap(
            four_channels(part), self.at, _NO_TABLE, cv2.INTER_LINEAR, borderMode=border
        )
        return np.asarray(seen, np.uint8)


_NO_TABLE: Final[Any] = None
"""OpenCV takes it; its annotations do not know."""


def dense_tables(board_map: BoardMap, xs: F64, ys: F64, z: float, step: int = 8) -> tuple[F32, F32]:
    """Maps for cv2.remap for board columns `xs` and rows `ys` at height z: every `step`-th is
    projected, the rest interpolated.
    """
    grid = Grid.of(len(xs), len(ys), step)
    x, y = cv2.split(grid.filled(grid.places(board_map, xs, ys, (z,))))
    return np.asarray(x, np.float32), np.asarray(y, np.float32)


def _looked_at(at: F32, count: int) -> tuple[int, int]:
    """The first of so many columns (or rows) of a picture that such places need, and the one after
    the last.
    """
    first = int(min(max(float(at.min()) - 1, 0), count - 1))
    return first, int(min(max(float(at.max()) + 3, first + 1), count))


def halved(pixels: Pixels) -> Pixels:
    """A picture of half the size."""
    small = cv2.resize(pixels, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def four_channels(pixels: Pixels) -> Pixels:
    """The same with a fourth channel that says nothing: OpenCV takes what lies between pixels from
    four in half the time of three, to the same bits.
    """
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGR2BGRA), np.uint8)


def three_channels(pixels: Pixels) -> Pixels:
    """The same without the fourth channel."""
    return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGRA2BGR), np.uint8)

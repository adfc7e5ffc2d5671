"""Borne-off checkers: in a tray, standing on edge or in piles, or put down on the table beside the
board.

Four strips lie beside the field, one at each end of its left and right sides. Each is straightened
at the height of a standing checker's middle and mirrored so that all four look alike: the outer end
at the top, the field's edge at the left. A small network counts each set's checkers in a strip by
how many stand at each height of it, and says whether the place can be seen at all. Which set is
which it is told by the colours that the checker network found on the board: a strip alone does not
show which of two sets is the lighter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

import cv2
import numpy as np
import numpy.typing as npt

from rules.board import OFF, Colour, Seating
from rules.observation import SiteReading
from vision import canvas as grid
from vision.arrays import F32, F64, Mask, Pixels
from vision.checkers import CheckerReading
from vision.geometry import BoardMap
from vision.network import SHIPPED, Columns, OnnxNetwork, load_network, load_numbers, softmax
from vision.prepared import PreparedMap
from vision.settings import TraySettings
from vision.tables import dense_tables

LENGTHWISE: Final = 32
"""Strip pixels to a point's width along the strip; a standing checker is a quarter of a point
thick.
"""
ACROSS: Final = 16
"""The same across it."""
LONG: Final = 176
WIDE: Final = 48
HEIGHT: Final = 0.45
"""Point widths above the field at which a strip is straightened."""
BEYOND: Final = 0.35
"""Point widths beyond the field's end that a strip begins with."""
INSIDE: Final = 0.1
"""Point widths of the field that a strip shows at its left."""
PLACES: Final = ((-1, 1), (1, 1), (-1, -1), (1, -1))
"""(right, up) of the four strips as the picture shows them."""
CHANNELS: Final = 8
CELLS: Final = 44
"""Cells of a strip's length in which the network says how many checkers lie."""
ANSWERS: Final = ("counts", "seen", "cells")
COUNTS: Final = 16

FIELD: Final = np.pad(
    np.ones((grid.ROWS // grid.CELL, (grid.COLUMNS - 2 * grid.MARGIN) // grid.CELL), np.bool_),
    ((0, 0), (grid.MARGIN // grid.CELL,) * 2),
)
"""Cells of the canvas that show the field."""


@dataclass(frozen=True, slots=True, eq=False)
class TrayReading:
    """The four places in the order of PLACES: `seen` (4,) probability 0-1 that the place can be
    judged, `light` and `dark` (4, 16) likelihood of each count, the best 1."""

    seen: F64
    light: F64
    dark: F64


@dataclass(frozen=True, slots=True)
class TrayNumbers:
    """What was fitted beside the tray network. `some`: weights of `signs` (4); `none`: share of
    empty strips; temperatures of the counts and of being seen; a share of doubt.
    """

    columns: Columns
    some: tuple[float, ...]
    none: float
    temperature: float
    doubt: float
    seen_temperature: float


@dataclass(frozen=True, slots=True, eq=False)
class TrayNetwork:
    """The network that counts checkers in a strip, with its numbers."""

    net: OnnxNetwork
    numbers: TrayNumbers

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> Self:
        """From a folder of weights. Raises WeightsError."""
        net, numbers = load_network("trays", folder), load_numbers(TrayNumbers, "trays", folder)
        counts, seen, cells = (len(numbers.columns[name]) for name in ANSWERS)
        net.check(
            {"x": (1, CHANNELS, LONG, WIDE)},
            {"counts": (1, counts), "seen": (1, seen), "cells": (1, cells, CELLS)},
        )
        return cls(net, numbers)


def tray_strips(pixels: Pixels, board: PreparedMap) -> tuple[Pixels, Mask]:
    """The four strips, 4 x LONG x WIDE x 3, and which of their pixels lie in the picture, 4 x LONG
    x WIDE.
    """
    # A strip of a picture much finer than itself would be made of every third pixel.
    while board.board_map.unit_pixels > 2.2 * LENGTHWISE:
        pixels = cv2.resize(pixels, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA).astype(
            np.uint8, copy=False
        )
        board = board.half()
    places = range(len(PLACES))
    found = [_strip(pixels, *board.once(strip_tables, place)) for place in places]
    return np.stack(found), np.stack([board.once(_within, place) for place in places])


def _strip(pixels: Pixels, x: F32, y: F32) -> Pixels:
    wide = cv2.remap(pixels, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    return cv2.resize(wide, (WIDE, LONG), interpolation=cv2.INTER_AREA).astype(np.uint8, copy=False)


def strip_tables(board_map: BoardMap, place: int) -> tuple[F32, F32]:
    """Where each pixel comes from of a strip twice as wide as WIDE: halving it afterwards keeps
    thin edges from flickering.
    """
    upright = board_map.facing(0)
    right, up = PLACES[place]
    xs = right * (upright.width / 2 - INSIDE + (np.arange(2 * WIDE) + 0.5) / (2 * ACROSS))
    ys = up * (upright.height / 2 + BEYOND - (np.arange(LONG) + 0.5) / LENGTHWISE)
    return dense_tables(upright, xs, ys, HEIGHT, 16)


def _within(board_map: BoardMap, place: int) -> Mask:
    x, y = (table[:, ::2] for table in strip_tables(board_map, place))
    width, height = board_map.size
    return np.asarray((x >= 0) & (y >= 0) & (x <= width - 1) & (y <= height - 1))


def strip_lean(board_map: BoardMap, place: int) -> tuple[float, float]:
    """How far a thing one point high is seen shifted on the strip, point widths outwards and
    towards the strip's outer end.
    """
    upright = board_map.facing(0)
    right, up = PLACES[place]
    middle = np.array([[right * (upright.width / 2 + 1), up * upright.height / 4, 1.0]])
    there = upright.unproject(upright.project(middle), 0.0)[0]
    return float(right * (there[0] - middle[0, 0])), float(up * (there[1] - middle[0, 1]))


def spot(board_map: BoardMap, place: int, pixel: npt.ArrayLike) -> tuple[float, float]:
    """Row and column (strip pixels) where a strip shows what the picture shows at `pixel`."""
    upright = board_map.facing(0)
    right, up = PLACES[place]
    x, y = upright.unproject(pixel, HEIGHT)[0]
    return (upright.height / 2 + BEYOND - up * y) * LENGTHWISE, (
        right * x - upright.width / 2 + INSIDE
    ) * ACROSS


def set_colours(board: Pixels, reading: CheckerReading) -> F32:
    """The mean colours of light and dark (2 x 4: blue, green, red 0-255, and 1 where known, else 0)
    on a canvas, from the cells that show them: of the field, else beside it.
    """
    small = cv2.resize(
        board, (reading.cells.shape[2], reading.cells.shape[1]), interpolation=cv2.INTER_AREA
    ).astype(np.float32)
    return colours_of(small, reading.cells[1] > 0.7, reading.cells[2] > 0.7)


def colours_of(small: F32, light: Mask, dark: Mask) -> F32:
    """Mean colours of the cells of each set; fewer than two cells tell nothing."""
    out = np.zeros((2, 4), np.float32)
    for row, shown in zip(out, (light, dark), strict=True):
        cells = next((c for c in (shown & FIELD, shown) if int(c.sum()) >= 2), None)
        if cells is not None:
            row[:3], row[3] = small[cells].mean(0), 1
    return out


def tray_input(found: Pixels, within: Mask, colours: F32, lean: F32) -> F32:
    """Strips as the network takes them, N x CHANNELS x LONG x WIDE: blue, green, red, in the
    picture or not, how far each pixel's colour is from either set's (3 where the set's is not
    known), and the lean (N x 2)."""
    x = np.ascontiguousarray(found.transpose(0, 3, 1, 2)).astype(np.float32)
    out = np.empty((len(found), CHANNELS, LONG, WIDE), np.float32)
    np.multiply(x, 1 / 64, out=out[:, :3])
    out[:, :3] -= 127.5 / 64
    out[:, 3] = within
    for k in range(2):
        if not colours[k, 3]:
            out[:, 4 + k] = 3.0
            continue
        away = [np.abs(x[:, c] - colours[k, c]) for c in range(3)]
        np.multiply(away[0] + away[1] + away[2], 1 / 96, out=out[:, 4 + k])
    out[:, 6:] = lean[:, :, None, None]
    return out


def bells(said: F32) -> F32:
    """Logits (N, 2, 15) of one to fifteen checkers of each set from what the network says (N x 4):
    a bell about the number that it adds up to, as narrow as it is sure (logarithm of the precision,
    -4 to 3)."""
    away = said[:, :2, None] - np.arange(1, COUNTS, dtype=np.float32)
    return np.asarray(-np.exp(np.clip(said[:, 2:, None], -4, 3)) * away**2, np.float32)


def signs(said: F32, cells: F32) -> F64:
    """What tells whether a set has any checker in a strip at all, N x 2 x 4: one, the sum, the most
    in five cells that lie together, how sure the sum is. Checkers lie somewhere; a doubtful floor
    is a little like checkers everywhere."""
    together = sum(cells[:, :, k : cells.shape[2] - 4 + k] for k in range(5))
    most = np.clip(np.asarray(together).max(2), -1, 3)
    return np.stack(
        [np.ones_like(most), np.clip(said[:, :2], -1, 3), most, np.clip(said[:, 2:], -4, 3)], 2
    ).astype(np.float64)


def tray_likelihoods(answers: F32, cells: F32, numbers: TrayNumbers) -> F64:
    """How well each count explains the answers for N strips, N x 2 x COUNTS, the best 1."""
    some = 1 / (1 + np.exp(-signs(answers, cells) @ np.array(numbers.some, np.float64)))
    how_many = softmax(bells(answers) / numbers.temperature).astype(np.float64)
    doubt, none = numbers.doubt, numbers.none
    some = (1 - doubt) * some + doubt * (1 - none)
    how_many = (1 - doubt) * how_many + doubt / (COUNTS - 1)
    likely = np.concatenate(
        [((1 - some) / none)[..., None], (some / (1 - none))[..., None] * how_many * (COUNTS - 1)],
        2,
    )
    return np.asarray(likely / likely.max(-1, keepdims=True), np.float64)


def usual_counts(none: float) -> F64:
    """How common each count (16,) was in what was fitted, with so many strips empty."""
    return np.array([none] + [(1 - none) / (COUNTS - 1)] * (COUNTS - 1))


def read_trays(pixels: Pixels, board: PreparedMap, colours: F32, trays: TrayNetwork) -> TrayReading:
    """What lies beside the board.

    `colours`: see `set_colours`; a set of which no checker is on the board leaves every count open.
    """
    found, within = tray_strips(pixels, board)
    reading = TrayReading(np.zeros(4), np.ones((4, COUNTS)), np.ones((4, COUNTS)))
    # A place of which next to nothing is in the picture needs no network.
    chosen = [place for place in range(len(PLACES)) if within[place].mean() >= 0.2]
    if not chosen:
        return reading
    lean = np.array([board.once(strip_lean, place) for place in chosen], np.float32)
    x = tray_input(found[chosen], within[chosen], colours, lean)
    counts, shown, cells = trays.net.run({"x": x}, ANSWERS)
    likely = tray_likelihoods(counts, cells, trays.numbers)
    reading.seen[chosen] = 1 / (
        1 + np.exp(-shown[:, 0].astype(np.float64) / trays.numbers.seen_temperature)
    )
    reading.light[chosen], reading.dark[chosen] = likely[:, 0], likely[:, 1]
    return reading


def look_beside(
    pixels: Pixels,
    board: PreparedMap,
    straight: Pixels,
    reading: CheckerReading,
    trays: TrayNetwork,
    settings: TraySettings,
) -> TrayReading:
    """`read_trays` with what the checker network saw on the canvas `straight`: the sets' colours,
    and hands or things over a place.
    """
    found = read_trays(pixels, board, set_colours(straight, reading), trays)
    return replace(found, seen=np.where(covered(reading) > settings.covered, 0.0, found.seen))


def covered(reading: CheckerReading) -> F64:
    """Share (4,) of each place's inner one and a half points that a hand or thing lies over."""
    rows, near = reading.cells.shape[1] // 2, 3
    first = grid.MARGIN // grid.CELL
    over = reading.cells[3] > 0.5
    sides = {-1: over[:, first - near : first], 1: over[:, -first : -first + near]}
    halves = [sides[right][1:rows] if up > 0 else sides[right][rows:-1] for right, up in PLACES]
    return np.array([half.mean() for half in halves])


def in_view(reading: TrayReading, orientation: int, sure: float, settings: TraySettings) -> bool:
    """Whether both players' places are seen: the two at the board's east; all four while it is not
    certain which side that is.
    """
    east = 1 if orientation == 0 else -1
    asked = [right == east or sure < settings.sure_way for right, _ in PLACES]
    return bool((reading.seen[asked] >= settings.seen).all())


def borne_off(reading: TrayReading, none: float, settings: TraySettings) -> tuple[F64, F64]:
    """Likelihood (16,) of each number of light and of dark checkers off the board, the best 1: the
    sum over all places that are seen. `none`: see `TrayNumbers`.
    """
    prior = usual_counts(none)
    totals = []
    for likely in (reading.light, reading.dark):
        shares, before = np.eye(1, COUNTS)[0], np.eye(1, COUNTS)[0]
        for row in likely[reading.seen >= settings.seen]:
            shares, before = _sum(shares, row * prior / (row * prior).sum()), _sum(before, prior)
        ratio = shares / np.maximum(before, 1e-9)
        totals.append(ratio / ratio.max())
    return totals[0], totals[1]


def _sum(a: F64, b: F64) -> F64:
    """Distribution of the sum of two counts, given that no set has more than fifteen checkers."""
    both = np.convolve(a, b)[:COUNTS]
    return np.asarray(both / both.sum(), np.float64)


def on_board(reading: CheckerReading) -> tuple[F64, F64]:
    """Distribution (16,) of the number of light and of dark checkers on points and bar, each site
    by itself.
    """
    totals = []
    for first, bar in ((0, reading.bar[0]), (15, reading.bar[1])):
        total = np.pad(bar, (0, COUNTS - len(bar)))
        for row in reading.points:
            here = row[first : first + COUNTS].copy()
            here[0] = 1 - here[1:].sum()
            total = _sum(total, here)
        totals.append(total)
    return totals[0], totals[1]


def believed(
    likely: tuple[F64, F64],
    board: tuple[F64, F64],
    hidden: bool,
    settings: TraySettings,
) -> tuple[F64, F64]:
    """Probability (16,) of each number off, of games with fifteen a side: what is not on the board
    (`on_board`) is most likely off it.

    `hidden`: some points were not seen, so that hardly anything is known of the rest.
    """
    keep = settings.fifteen_hidden if hidden else settings.fifteen
    often = np.full(COUNTS, (1 - settings.none_off) / (COUNTS - 1))
    often[0] = settings.none_off
    found = []
    for row, there in zip(likely, board, strict=True):
        p = row * often * (keep * there[::-1] + (1 - keep) / COUNTS)
        found.append(p / p.sum())
    return found[0], found[1]


def off_reading(likely: tuple[F64, F64], seating: Seating, settings: TraySettings) -> SiteReading:
    """The site OFF of an Observation. What is not in its place may still be off the board, in a
    hand or in a box: more than was seen is never very unlikely, and nothing costs more than
    `settings.floor`, so that trays alone outweigh no point."""
    perhaps = []
    for row in likely:
        best_below = np.concatenate([[0.0], np.maximum.accumulate(row)[:-1]])
        perhaps.append(np.maximum(row, settings.elsewhere * best_below))
    white, black = perhaps if seating.white is Colour.LIGHT else perhaps[::-1]
    both = np.outer(white, black)
    both /= both.max()
    outcomes = tuple(
        (int(w), int(b), float(both[w, b])) for w, b in np.argwhere(both > settings.floor)
    )
    return SiteReading(OFF, outcomes, settings.floor)

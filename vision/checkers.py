"""How many checkers of which colour stand on each point and on the bar: the checker network's
answers as probabilities.

One pass reads the whole board (`canvas`): neighbouring points, both sets and the light of the whole
picture help each other, and which set is the lighter is decided for the board, not point by point.
What stands on a point is one of 31 *kinds*: nothing, 1-15 light, 1-15 dark.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

import cv2
import numpy as np

from vision.arrays import F32, F64, Mask, Pixels
from vision.canvas import CELL, COLUMNS, FIRST_CELLS, POINT_ORDER, ROWS, canvas, image_index
from vision.geometry import BoardMap
from vision.network import (
    SHIPPED,
    Columns,
    OnnxNetwork,
    load_network,
    load_numbers,
    picture_input,
    softmax,
)
from vision.piles import LEAST, PileNetwork, pile_likelihoods, shared_out
from vision.prepared import PreparedMap
from vision.sets import Palette, told_apart
from vision.settings import DEFAULT, CheckerSettings

KINDS: Final = 31
ANSWERS: Final = ("points", "bar", "sides", "cells")
COVER: Final = 3
"""The network's kind of cell that shows a hand or a thing."""
_FOOT_FREE: Final = 5
_FOOT_SURE: Final = 0.98


def kind_counts(kind: int) -> tuple[int, int]:
    """(light, dark) of a kind 0-30."""
    return (kind, 0) if kind <= 15 else (0, kind - 15)


_COUNT: Final = np.array([sum(kind_counts(kind)) for kind in range(KINDS)])


def point_kind(light: int, dark: int) -> int:
    """The kind of a point; of both colours only the more numerous can be said."""
    return min(light, 15) if light >= dark else 15 + min(dark, 15)


@dataclass(frozen=True, slots=True)
class CheckerNumbers:
    """What was fitted beside the checker network: temperatures of its logits, how common each of 31
    kinds and of 0-5 on the bar was in training, and the prior log odds of light being south.
    """

    columns: Columns
    temperature: float
    pile_doubt: float
    bar_temperature: float
    side_temperature: float
    prior: tuple[float, ...]
    bar_prior: tuple[float, ...]
    upright_prior: float

    @property
    def usual(self) -> F64:
        """`prior` as an array (31,)."""
        return np.array(self.prior, np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class CheckerNetwork:
    """The network that reads a canvas, with its numbers."""

    net: OnnxNetwork
    numbers: CheckerNumbers

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> Self:
        """From a folder of weights. Raises WeightsError."""
        net, numbers = (
            load_network("checkers", folder),
            load_numbers(CheckerNumbers, "checkers", folder),
        )
        points, bar, sides, cells = (len(numbers.columns[name]) for name in ANSWERS)
        inner = (ROWS // CELL, COLUMNS // CELL)
        net.check(
            {"x": (1, 3, ROWS, COLUMNS), "palette": (1, 7, 1, 1)},
            {
                "points": (1, 24, points),
                "bar": (1, 2, bar),
                "sides": (1, sides),
                "cells": (1, cells, *inner),
            },
        )
        return cls(net, numbers)

    def read(
        self, straight: Pixels, orientation: int, palette: Palette | None = None
    ) -> CheckerReading:
        """Calibrated probabilities in geometric numbering for a canvas of a map so oriented."""
        reading = interpret(self.answers(straight, palette), orientation, self.numbers)
        points, bar = told_apart(straight, reading, orientation, palette)
        return replace(reading, points=points, bar=bar)

    def answers(
        self, straight: Pixels, palette: Palette | None = None
    ) -> tuple[F32, F32, F32, F32]:
        """The raw answers (points 24x32, bar 2x6, sides 2, cells 5x24x36) for a canvas."""
        x = picture_input(straight, 1 / 64)
        known = palette.vector() if palette is not None else np.zeros((1, 7, 1, 1), np.float32)
        points, bar, sides, cells = self.net.run({"x": x, "palette": known}, ANSWERS)
        return points[0], bar[0], sides[0], cells[0]


@dataclass(frozen=True, slots=True, eq=False)
class CheckerReading:
    """`points` 24 x 31: probability of each kind on each geometric point; `covered` 24: probability
    that something hides the point.

    `bar` 2 x 6: probability of 0-5 light and 0-5 dark. `east_right`: probability that the board's
    east (trays, borne-off checkers) is at the picture's right, judged by what stands beside the
    field. `cells` 5 x 24 x 36: background, light, dark, cover, dice, on the canvas by 8.
    """

    points: F64
    covered: F64
    bar: F64
    east_right: float
    cells: F32


def read_checkers(
    pixels: Pixels,
    board: PreparedMap,
    checkers: CheckerNetwork,
    piles: PileNetwork,
    palette: Palette | None = None,
    settings: CheckerSettings = DEFAULT.checkers,
) -> CheckerReading:
    """Probabilities for every point and the bar of the board that `board` places in the picture."""
    reading = checkers.read(canvas(pixels, board), board.board_map.orientation, palette)
    return completed(reading, pixels, board, checkers.numbers, piles, settings)


def completed(
    reading: CheckerReading,
    pixels: Pixels,
    board: PreparedMap,
    numbers: CheckerNumbers,
    piles: PileNetwork,
    settings: CheckerSettings = DEFAULT.checkers,
) -> CheckerReading:
    """What the canvas does not tell: points that lie beyond the picture's edge are not seen, and
    piles are counted by a finer look.
    """
    turned = board.board_map.orientation
    low = board.once(slants) >= settings.low
    told = feet_in_view(reading, turned, low)
    covered = np.maximum(np.where(told, 0.0, reading.covered), board.once(_beyond))
    reading = replace(reading, covered=covered)
    reading = with_piles(reading, pixels, board, numbers, piles, settings)
    points = not_seen_not_empty(reading.points, np.where(low, covered, 0.0), numbers.usual)
    return replace(reading, points=points)


def if_elsewhere(points: F64, board_map: BoardMap, usual: F64) -> F64:
    """Probabilities (24 x 31) of what stands on each point, with the doubt whether the board lies
    where the map says: if not, each point holds what points usually (31) do.
    """
    unsure = 1 - board_map.sure_of_place
    return np.asarray((1 - unsure) * points + unsure * usual, np.float64)


def slants(board_map: BoardMap) -> F64:
    """How slantingly each geometric point is seen (24): the shift, in board units, that one unit of
    height makes there; 0 from straight above, 1 at 45 degrees.
    """
    number = np.arange(1, 25)
    side = np.where(number <= 12, -1.0, 1.0)
    across = np.array([board_map.point_x(int(p)) for p in number])
    middle = np.stack([across, side * (board_map.height / 2 - 2.5)], 1)
    top = np.c_[middle, np.full(24, board_map.thickness)]
    shifted = board_map.unproject(board_map.project(top), 0.0) - middle
    return np.asarray(np.linalg.norm(shifted, axis=1) / board_map.thickness, np.float64)


def not_seen_not_empty(points: F64, covered: F64, prior: F64) -> F64:
    """The same probabilities (24 x 31), of each point that may be covered (24, 0-1) so much of what
    stands for an empty point spread over what boards usually hold.

    The wall of a case hides a checker at a point's foot from a low camera, which then shows the
    bare point behind it. Of 4,111 points of hard boards in view at a slant of 0.8 and more 1,724
    are said with 0.99, two of them wrongly; without this 2,267, and 20 wrongly, most of them such
    checkers.
    """
    hidden = points[:, 0] * covered
    out = points + hidden[:, None] * prior
    out[:, 0] -= hidden
    return np.asarray(out, np.float64)


def feet_in_view(reading: CheckerReading, orientation: int, low: Mask) -> Mask:
    """Which geometric points tell what stands on them although something lies over their end.

    Checkers stand in a row from the rail: where those that are seen and a good place more are in
    view, a cup behind them hides nothing. An arm may: what reaches in from outside moves. And the
    foot of a point that looks empty may be behind a wall where it is seen as `low` (24) says.
    """
    over = reading.cells[COVER] > 0.5
    _, pieces = cv2.connectedComponents(over.astype(np.uint8))
    rim = np.concatenate([pieces[[0, -1]].ravel(), pieces[:, [0, -1]].ravel()])
    arms = np.isin(pieces, rim[rim > 0])
    order = POINT_ORDER[orientation]
    columns, lower = FIRST_CELLS[order % 12], order >= 12
    reached = (arms[:, columns] | arms[:, columns + 1]).any(0)
    strips = over[1:-1, columns] | over[1:-1, columns + 1]
    strips[:, lower] = strips[::-1, lower]
    half = strips[: len(strips) // 2 + 1]
    free = np.where(half.any(0), half.argmax(0), len(half))
    count, sure = _COUNT[reading.points.argmax(1)], reading.points.max(1)
    # Two cells a checker; a cell's own blur and a place left free.
    told = (sure > _FOOT_SURE) & (free >= 2 * count + _FOOT_FREE)
    return np.asarray(told & ~reached & ~(low & (count == 0)))


def _beyond(board_map: BoardMap) -> F64:
    """1 for each geometric point of which a fifth or more is outside the picture, else 0."""
    width, height = board_map.size
    across = np.array([board_map.point_x(p) for p in range(1, 25)])[:, None, None]
    side = np.where(np.arange(24) < 12, -1.0, 1.0)[:, None, None]
    x = across + np.array([-0.4, 0.0, 0.4])[:, None]
    y = side * (board_map.height / 2 - np.arange(0.2, 5, 0.6))
    x, y = np.broadcast_arrays(x, y)
    spots = board_map.project(
        np.stack([x.ravel(), y.ravel(), np.full(x.size, board_map.thickness)], 1)
    )
    inside = (spots >= 0).all(1) & (spots[:, 0] < width) & (spots[:, 1] < height)
    return np.asarray(inside.reshape(24, -1).mean(1) < 0.8, np.float64)


def with_piles(
    reading: CheckerReading,
    pixels: Pixels,
    board: PreparedMap,
    numbers: CheckerNumbers,
    piles: PileNetwork,
    settings: CheckerSettings = DEFAULT.checkers,
) -> CheckerReading:
    """The same reading with the height of each pile in view that is in doubt taken from the finer
    look of `vision.piles`.
    """
    chosen = doubtful_piles(reading, numbers, settings)
    if not chosen:
        return reading
    places = [image_index(p + 1, board.board_map.orientation) for p in chosen]
    likely = pile_likelihoods(pixels, board, places, piles)
    points = reading.points.copy()
    points[chosen] = shared_out(points[chosen], likely, numbers.usual, piles.numbers.blend)
    return replace(reading, points=points)


def doubtful_piles(
    reading: CheckerReading,
    numbers: CheckerNumbers,
    settings: CheckerSettings = DEFAULT.checkers,
) -> list[int]:
    """Points in view, counted from 0, that may hold a pile whose height the network is not sure of.

    `pile_doubt` keeps every pile below certainty, so it is taken off before a pile counts as
    counted.
    """
    high = reading.points[:, LEAST:16].sum(1) + reading.points[:, 15 + LEAST :].sum(1)
    counted = settings.counted * (1 - numbers.pile_doubt)
    doubtful = (high > settings.pile) & (reading.points.max(1) < counted)
    return [int(p) for p in np.flatnonzero(doubtful & points_in_view(reading, settings))]


def interpret(
    answers: tuple[F32, F32, F32, F32], orientation: int, numbers: CheckerNumbers
) -> CheckerReading:
    """Raw answers as calibrated probabilities in geometric numbering."""
    points, bar, sides, cells = answers
    order = POINT_ORDER[orientation]
    likely = softmax(points[order, :KINDS].astype(np.float32) / numbers.temperature).astype(
        np.float64
    )
    likely = doubt_piles(likely, numbers.pile_doubt, numbers.usual)
    covered = 1 / (1 + np.exp(-points[order, KINDS].astype(np.float64)))
    return CheckerReading(
        likely,
        covered,
        softmax(bar / numbers.bar_temperature).astype(np.float64),
        _east_right(sides, numbers),
        softmax(cells, 0),
    )


def _east_right(sides: F32, numbers: CheckerNumbers) -> float:
    """Probability that the board's east is on the right; half where nothing lies beside it that
    could tell.
    """
    east, told = 1 / (1 + np.exp(-sides.astype(np.float64) / (numbers.side_temperature, 1.0)))
    return float(told * east + (1 - told) / 2)


def doubt_piles(likely: F64, doubt: float, prior: F64) -> F64:
    """The same probabilities with a share `doubt` of what each set has on five and more spread over
    five to fifteen.

    Of a pile with a second layer the network often sees the five below and is too sure of them; the
    share is fitted on held-out boards.
    """
    out = likely.copy()
    for block in (slice(5, 16), slice(20, 31)):
        mass = likely[..., block].sum(-1, keepdims=True)
        out[..., block] = (1 - doubt) * likely[..., block] + doubt * mass * prior[block] / prior[
            block
        ].sum()
    return out


def points_in_view(reading: CheckerReading, settings: CheckerSettings = DEFAULT.checkers) -> Mask:
    """Which of the 24 geometric points may be spoken of: no hand, cup or sleeve covers them."""
    return np.asarray(reading.covered < settings.covered)


def most_likely_board(
    reading: CheckerReading, settings: CheckerSettings = DEFAULT.checkers
) -> tuple[F64, F64]:
    """The same probabilities after counting: no set has more than fifteen checkers, and most boards
    show all of them.

    Sums over all boards (forward and backward over points and bar), so confidences stay
    probabilities. For `takhte read` only: an Observation speaks of each site alone. Returns (24 x
    31 points, 2 x 6 bar).
    """
    sites = [_options(row) for row in reading.points]
    bar = [
        (light, dark, float(reading.bar[0, light] * reading.bar[1, dark]))
        for light in range(6)
        for dark in range(6)
    ]
    sites.append([o for o in bar if o[2] > 1e-6])
    forward = [np.zeros((16, 16))]
    forward[0][0, 0] = 1
    for options in sites:
        forward.append(_spread(forward[-1], options))
    totals = np.full(16, settings.any_total)
    totals[15] = 1.0
    hidden = bool((~points_in_view(reading, settings)).any())
    if hidden:
        totals[:] = np.maximum(totals, 0.2)
    backward = np.outer(totals, totals)
    points, bars = np.zeros((24, KINDS)), np.zeros((2, 6))
    for i in range(24, -1, -1):
        before = forward[i]
        fresh = np.zeros((16, 16))
        for light, dark, p in sites[i]:
            if light > 15 or dark > 15:
                continue
            part = backward[light:, dark:]
            weight = p * float((before[: 16 - light, : 16 - dark] * part).sum())
            fresh[: 16 - light, : 16 - dark] += p * part
            if i == 24:
                bars[0, light] += weight
                bars[1, dark] += weight
            else:
                points[i, point_kind(light, dark)] = weight
        backward = fresh / max(float(fresh.max()), 1e-300)
    total = points.sum(1, keepdims=True)
    if not (total > 0).all() or not (bars.sum(1) > 0).all():
        # No board of at most fifteen a side is thinkable: let each site speak alone.
        return reading.points, reading.bar
    return points / total, bars / bars.sum(1, keepdims=True)


def _options(row: F64) -> list[tuple[int, int, float]]:
    return [(*kind_counts(int(k)), float(row[k])) for k in np.flatnonzero(row > 1e-5)]


def _spread(before: F64, options: list[tuple[int, int, float]]) -> F64:
    after = np.zeros((16, 16))
    for light, dark, p in options:
        after[light:, dark:] += p * before[: 16 - light, : 16 - dark]
    return after / max(float(after.sum()), 1e-300)

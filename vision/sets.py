"""Which of a board's two sets each checker belongs to, told by colour over the whole board.

The checker network names light and dark point by point, by lightness. Where two sets are nearly
equally light (red and azure) it counts well and names badly. So there all points are laid into two
sets by their colour at once, hue too, and the two are named together: by which is the lighter, by
what the network says of all of them, or by the colours learned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

import cv2
import numpy as np

from vision.arrays import F32, F64, Pixels
from vision.canvas import BAR, CELL, FIRST_CELLS, MARGIN, POINT, POINT_ORDER, image_index
from vision.settings import DEFAULT, SetSettings

_EXCHANGED: Final = np.r_[0, np.arange(16, 31), np.arange(1, 16)]
"""The kinds of a point with light and dark exchanged."""
_FIRST: Final = MARGIN // CELL
_WIDE: Final = POINT // CELL
_BAR: Final = slice(_FIRST + 6 * _WIDE, _FIRST + 6 * _WIDE + BAR // CELL)
_COLUMNS: Final = np.r_[_FIRST : _BAR.start, _BAR.stop : _BAR.stop + 6 * _WIDE]
_LUMA: Final = np.array([0.114, 0.587, 0.299])
_STARTS: Final = 2
"""Directions of colour along which the points are first split, beside the network's own split."""


@dataclass(frozen=True, slots=True)
class Palette:
    """Mean BGR of the two sets of checkers as this camera sees them under this light, learned from
    a known position.
    """

    light: tuple[float, float, float]
    dark: tuple[float, float, float]

    def vector(self) -> F32:
        """The palette as the network takes it, 1 x 7 x 1 x 1."""
        return np.array(
            [*((c - 127.5) / 64 for c in (*self.light, *self.dark)), 1.0], np.float32
        ).reshape(1, 7, 1, 1)


class Named(Protocol):
    """What the checker network says of a canvas, as `checkers.CheckerReading` has it."""

    @property
    def points(self) -> F64:
        """Probabilities of 31 kinds on 24 geometric points."""

    @property
    def bar(self) -> F64:
        """Of 0-5 light and 0-5 dark on the bar."""

    @property
    def covered(self) -> F64:
        """Of a hand or thing over each point."""

    @property
    def cells(self) -> F32:
        """What each cell shows: background, light, dark, cover, dice."""


@dataclass(frozen=True, slots=True, eq=False)
class _Checkers:
    """The points that show checkers: their numbers, colours (n x 3, Lab), lightness (0-100 of the
    picture's white), and log odds of light for dark by the network.
    """

    points: tuple[int, ...]
    colours: F64
    lightness: F64
    odds: F64

    def gap(self) -> float:
        """How much lighter the network's light checkers are than its dark ones."""
        light = self.odds > 0
        if light.all() or not light.any():
            return float("inf")
        return float(np.median(self.lightness[light]) - np.median(self.lightness[~light]))


@dataclass(frozen=True, slots=True, eq=False)
class _Split:
    """The points in two sets: probability (n,) that each is of the first, both sets' colours (2 x
    3, Lab), and how far a set's colours spread (3, squared).
    """

    first: F64
    colours: F64
    spread: F64

    def of_first(self, colour: F64) -> float:
        """Probability that a checker of this colour is of the first set."""
        near = (((colour - self.colours) ** 2) / self.spread).sum(1)
        return float(1 / (1 + np.exp(np.clip((near[0] - near[1]) / 2, -9, 9))))


def told_apart(
    straight: Pixels,
    reading: Named,
    orientation: int,
    palette: Palette | None = None,
    settings: SetSettings = DEFAULT.sets,
) -> tuple[F64, F64]:
    """The points' and the bar's probabilities (24 x 31, 2 x 6) with light and dark named for the
    whole board; as they were where the two sets are plainly light and dark.

    `straight`: the canvas that was read; `palette`: the two sets' colours when they were learned.
    """
    points, bar = reading.points, reading.bar
    small = _shrunk(straight, reading.cells)
    seen = _checkers(small, reading, orientation)
    if len(seen.points) < settings.fewest or seen.gap() >= settings.apart:
        return points, bar
    split = _split(seen, settings)
    named = _first_is_light(seen, split, palette, settings)
    out, chosen = points.copy(), np.array(seen.points) - 1
    light = (named * split.first + (1 - named) * (1 - split.first))[:, None]
    # What stands there, whosever it is: a count of light and the same of dark together.
    both = points[chosen] + points[chosen][:, _EXCHANGED]
    out[chosen, 1:16], out[chosen, 16:] = light * both[:, 1:16], (1 - light) * both[:, 16:]
    exchanged = _bar_exchanged(small, reading.cells, split, named)
    return out, (1 - exchanged) * bar + exchanged * bar[::-1]


def _shrunk(straight: Pixels, cells: F32) -> Pixels:
    """The canvas with one pixel a cell."""
    small = cv2.resize(straight, (cells.shape[2], cells.shape[1]), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def _lab(small: Pixels) -> F64:
    return np.asarray(cv2.cvtColor(small.astype(np.float32) / 255, cv2.COLOR_BGR2Lab), np.float64)


def _checkers(small: Pixels, reading: Named, orientation: int) -> _Checkers:
    """What colours stand on which points; a cell is its whole area's mean."""
    inner = small[1:-1, _FIRST:-_FIRST].reshape(-1, 3)
    white = np.percentile(inner, 98, axis=0) + 1
    lightness = (small / white) @ _LUMA * 100
    shown = (reading.cells[1] + reading.cells[2] > 0.7)[..., None]
    places = _by_point(np.concatenate([_lab(small), lightness[..., None], shown], 2), orientation)
    here = places[..., 4] > 0
    number = here.sum(1)
    occupied = (reading.points[:, 0] <= 0.5) & (reading.covered <= 0.5) & (number >= 2)
    chosen = np.flatnonzero(occupied)
    # The median of those cells of a point that show a checker.
    ordered = np.sort(np.where(here[..., None], places[..., :4], np.inf), 1)[chosen]
    low, high = ((number[chosen] - k) // 2 for k in (1, 0))
    rows = np.arange(len(chosen))
    middle = (ordered[rows, low] + ordered[rows, high]) / 2
    light, dark = (reading.points[chosen][:, k].sum(1) for k in (slice(1, 16), slice(16, None)))
    odds = np.log((light + 1e-6) / (dark + 1e-6))
    return _Checkers(tuple(int(p) + 1 for p in chosen), middle[:, :3], middle[:, 3], odds)


def _by_point(places: F64, orientation: int) -> F64:
    """Rows x columns x N of a canvas as points x cells x N: each geometric point's half column."""
    half = places.shape[0] // 2
    upper, lower = (
        part[:, _COLUMNS].reshape(half, 12, _WIDE, -1).swapaxes(0, 1).reshape(12, half * _WIDE, -1)
        for part in (places[1 : half + 1], places[half - 1 : -1])
    )
    return np.asarray(np.concatenate([upper, lower])[POINT_ORDER[orientation]], np.float64)


def _split(seen: _Checkers, settings: SetSettings) -> _Split:
    """The likeliest way to lay the points into two sets of one colour each.

    A mixture of two normal clouds of one spread, begun three times: as the network splits them, and
    at the widest gap along the two directions in which their colours differ most.
    """
    colours, usual = seen.colours, np.array(settings.spread) ** 2
    prior = np.clip(seen.odds * settings.network, -settings.network_most, settings.network_most)
    starts = [1 / (1 + np.exp(-seen.odds))]
    directions = np.linalg.svd((colours - colours.mean(0)) / np.sqrt(usual), full_matrices=False)[2]
    for direction in directions[:_STARTS]:
        along = (colours / np.sqrt(usual)) @ direction
        order = np.sort(along)
        at = int(np.diff(order).argmax())
        side = np.where(along > (order[at] + order[at + 1]) / 2, 0.98, 0.02)
        starts.append(side if side @ prior >= (1 - side) @ prior else 1 - side)
    first = np.array(starts)
    for _ in range(settings.rounds):
        share = np.stack([first, 1 - first], 1)
        means = share @ colours / (share.sum(2)[..., None] + 1e-3)
        off = (colours - means[:, :, None]) ** 2
        spread = (share[..., None] * off).sum((1, 2)) + settings.usual * usual
        spread /= len(colours) + settings.usual
        near = -0.5 * np.minimum((off / spread[:, None, None]).sum(3), 60.0)
        odds = np.clip(near[:, 0] - near[:, 1], -settings.colour_most, settings.colour_most)
        first = 1 / (1 + np.exp(-(odds + prior)))
    likely = np.logaddexp(near[:, 0] + prior / 2, near[:, 1] - prior / 2).sum(1)
    best = int((likely - 0.5 * len(colours) * np.log(spread).sum(1)).argmax())
    return _Split(first[best], means[best], spread[best])


def _first_is_light(
    seen: _Checkers,
    split: _Split,
    palette: Palette | None,
    settings: SetSettings,
) -> float:
    """Probability that the first set is the light one."""
    if palette is not None:
        pair = np.array([[palette.light, palette.dark]]).round().clip(0, 255).astype(np.uint8)
        light, dark = _lab(pair)[0]
        # Squared distances: of first from light and second from dark, less the other way about.
        odds = 2 * float((split.colours[0] - split.colours[1]) @ (light - dark))
        odds /= 2 * float(np.mean(np.array(settings.spread) ** 2))
        return float(1 / (1 + np.exp(-np.clip(odds, -9.0, 9.0))))
    first = split.first
    gap = float(
        first @ seen.lightness / (first.sum() + 1e-3)
        - (1 - first) @ seen.lightness / ((1 - first).sum() + 1e-3)
    )
    votes = float(np.clip(seen.odds, -6, 6) @ (2 * first - 1))
    odds = settings.lighter * np.clip(gap, -40, 40) + settings.votes * np.clip(votes, -60, 60)
    return float(1 / (1 + np.exp(-np.clip(odds, -9.0, 9.0))))


def _bar_exchanged(small: Pixels, cells: F32, split: _Split, named: float) -> float:
    """Probability that the network's names of what lies on the bar are exchanged."""
    lab = _lab(small)[:, _BAR]
    say = []
    for kind in (1, 2):
        here = cells[kind][:, _BAR] > 0.5
        if here.any():
            first = split.of_first(np.median(lab[here], 0))
            light = named * first + (1 - named) * (1 - first)
            say.append(light if kind == 1 else 1 - light)
    return 1 - float(np.mean(say)) if say else 0.0


def palette_of(
    straight: Pixels, reading: Named, orientation: int, counts: dict[int, tuple[int, int]]
) -> Palette | None:
    """The two colours of a canvas already read, of a known position (geometric point -> light,
    dark): means over the cells that show a checker. None when a set is not to be seen.
    """
    checker = reading.cells[1] + reading.cells[2] > 0.7
    sets: list[list[F32]] = [[], []]
    small = cv2.resize(
        straight, (reading.cells.shape[2], reading.cells.shape[1]), interpolation=cv2.INTER_AREA
    ).astype(np.float32)
    for point, (light, dark) in counts.items():
        if (light > 0) == (dark > 0):
            continue
        index = image_index(point, orientation)
        column = int(FIRST_CELLS[index % 12])
        # The first checker's face by the rail.
        rows = slice(1, 3) if index < 12 else slice(21, 23)
        here = checker[rows, column : column + 2]
        if here.any():
            sets[0 if light else 1].append(small[rows, column : column + 2][here].mean(0))
    if not sets[0] or not sets[1]:
        return None
    light_mean, dark_mean = (np.median(np.stack(s), 0) for s in sets)
    return Palette(_bgr(light_mean), _bgr(dark_mean))


def _bgr(colour: F32) -> tuple[float, float, float]:
    blue, green, red = (float(v) for v in colour)
    return blue, green, red

"""Which of a board's two sets each checker belongs to, told by colour over the whole board.

The checker network names light and dark point by point, by lightness. Where two sets are nearly
equally light (red and azure) it counts well and names badly. So there all points are laid into two
sets by their colour at once, hue too, and the two are named together: by which is the lighter, and
by what the network says of all of them.

Where the colours of both sets were learned each checker is compared with them, in colours that a
shadow hardly changes: a lamp at one end of the board makes two sets of one.
"""

from __future__ import annotations

from collections.abc import Callable
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
_GAMMA: Final = 2.2
"""Of what a camera writes down."""
_FLOOR: Final = 0.002
"""Light that no camera tells from none, of 1."""
_BY_COLOUR: Final = 4.5
"""Log odds that colour alone says of one checker at most: 0.99 needs the network's word too."""
_EXPOSURES: Final = (0.0, -0.8, -1.6, -2.4, 0.8)
"""Logarithms of the light there was when the colours were learned, from which it is sought."""
_STRANGE: Final = 30.0
"""Squared spreads beyond which it says no more that a colour is far from a set's."""
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


LightOf = Callable[[F64], float]
"""How likely a checker of this colour (3, BGR) is a light one."""


@dataclass(frozen=True, slots=True, eq=False)
class _Checkers:
    """The points that show checkers: their numbers, colours (n x 3, Lab, and n x 3, BGR), lightness
    (0-100 of the picture's white), and log odds of light for dark by the network.
    """

    points: tuple[int, ...]
    colours: F64
    bgr: F64
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

    def light_of(self, named: float) -> LightOf:
        """How likely a checker of a colour is a light one, where the first set is the light one
        with this probability.
        """

        def light(bgr: F64) -> float:
            near = (((_lab(bgr.reshape(1, 1, 3))[0, 0] - self.colours) ** 2) / self.spread).sum(1)
            first = float(1 / (1 + np.exp(np.clip((near[0] - near[1]) / 2, -9, 9))))
            return float(_of_light(np.array(first), named))

        return light


@dataclass(frozen=True, slots=True, eq=False)
class _Lit:
    """The two sets as they were learned (2 x 3, tints), light first; by how much the light of this
    picture moves all tints (3,), and how far those of one set lie apart in it, as a share of what
    is usual (3, squared).
    """

    learned: F64
    shift: F64
    apart: F64

    def odds(self, bgr: F64, settings: SetSettings) -> F64:
        """Log odds of light for dark of each colour (n x 3, BGR)."""
        off = (_tints(bgr)[:, None] - self.learned - self.shift) ** 2
        far = (off / (_unsteady(bgr, settings) * self.apart)[:, None]).sum(2)
        odds = (far[:, 1] - far[:, 0]) / 2
        return np.asarray(np.clip(odds, -_BY_COLOUR, _BY_COLOUR), np.float64)

    def light_of(self, settings: SetSettings) -> LightOf:
        """How likely a checker of a colour is a light one."""
        return lambda bgr: float(1 / (1 + np.exp(-self.odds(bgr[None], settings)[0])))


def told_apart(
    straight: Pixels,
    reading: Named,
    orientation: int,
    palette: Palette | None = None,
    settings: SetSettings = DEFAULT.sets,
) -> tuple[F64, F64]:
    """The points' and the bar's probabilities (24 x 31, 2 x 6) with light and dark named for the
    whole board: by their colours where those were learned, else as they were where the two sets
    are plainly light and dark.

    `straight`: the canvas that was read; `palette`: the two sets' colours when they were learned.
    """
    points, bar = reading.points, reading.bar
    small = _shrunk(straight, reading.cells)
    seen = _checkers(small, reading, orientation)
    if palette is not None and seen.points:
        lit = _lit(seen, palette, settings)
        odds = lit.odds(seen.bgr, settings) + _by_network(seen, settings)
        said, light_of = 1 / (1 + np.exp(-odds)), lit.light_of(settings)
    elif len(seen.points) < settings.fewest or seen.gap() >= settings.apart:
        return points, bar
    else:
        split = _split(seen, settings)
        named = _first_is_light(seen, split, settings)
        said, light_of = _of_light(split.first, named), split.light_of(named)
    out, chosen, light = points.copy(), np.array(seen.points) - 1, said[:, None]
    # What stands there, whosever it is: a count of light and the same of dark together.
    both = points[chosen] + points[chosen][:, _EXCHANGED]
    out[chosen, 1:16], out[chosen, 16:] = light * both[:, 1:16], (1 - light) * both[:, 16:]
    exchanged = _bar_exchanged(small, reading.cells, light_of)
    return out, (1 - exchanged) * bar + exchanged * bar[::-1]


def _shrunk(straight: Pixels, cells: F32) -> Pixels:
    """The canvas with one pixel a cell."""
    small = cv2.resize(straight, (cells.shape[2], cells.shape[1]), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def _lab(small: Pixels | F64) -> F64:
    return np.asarray(cv2.cvtColor(small.astype(np.float32) / 255, cv2.COLOR_BGR2Lab), np.float64)


def _checkers(small: Pixels, reading: Named, orientation: int) -> _Checkers:
    """What colours stand on which points; a cell is its whole area's mean."""
    inner = small[1:-1, _FIRST:-_FIRST].reshape(-1, 3)
    white = np.percentile(inner, 98, axis=0) + 1
    lightness = (small / white) @ _LUMA * 100
    checker = (reading.cells[1] + reading.cells[2] > 0.7)[..., None]
    each = [_lab(small), lightness[..., None], small.astype(np.float64), checker]
    places = _by_point(np.concatenate(each, 2), orientation)
    here = places[..., 7] > 0
    number = here.sum(1)
    occupied = (reading.points[:, 0] <= 0.5) & (reading.covered <= 0.5) & (number >= 2)
    chosen = np.flatnonzero(occupied)
    # The median of those cells of a point that show a checker.
    shown = here[chosen][..., None]
    ordered = np.sort(np.where(shown, places[chosen][..., :7], np.inf), 1)
    low, high = ((number[chosen] - k) // 2 for k in (1, 0))
    rows = np.arange(len(chosen))
    middle = (ordered[rows, low] + ordered[rows, high]) / 2
    light, dark = (reading.points[chosen][:, k].sum(1) for k in (slice(1, 16), slice(16, None)))
    odds = np.log((light + 1e-6) / (dark + 1e-6))
    numbers = tuple(int(p) + 1 for p in chosen)
    return _Checkers(numbers, middle[:, :3], middle[:, 4:], middle[:, 3], odds)


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
        before = first
        share = np.stack([first, 1 - first], 1)
        means = share @ colours / (share.sum(2)[..., None] + 1e-3)
        off = (colours - means[:, :, None]) ** 2
        spread = (share[..., None] * off).sum((1, 2)) + settings.usual * usual
        spread /= len(colours) + settings.usual
        near = -0.5 * np.minimum((off / spread[:, None, None]).sum(3), 60.0)
        odds = np.clip(near[:, 0] - near[:, 1], -settings.colour_most, settings.colour_most)
        first = 1 / (1 + np.exp(-(odds + prior)))
        # Settled to the bit: mostly so after two rounds.
        if np.array_equal(first, before):
            break
    likely = np.logaddexp(near[:, 0] + prior / 2, near[:, 1] - prior / 2).sum(1)
    best = int((likely - 0.5 * len(colours) * np.log(spread).sum(1)).argmax())
    return _Split(first[best], means[best], spread[best])


def _by_network(seen: _Checkers, settings: SetSettings) -> F64:
    """Log odds (n,) of light for dark that the network's word on one point counts for."""
    most = settings.network_most
    return np.asarray(np.clip(seen.odds * settings.network, -most, most), np.float64)


def _lit(seen: _Checkers, palette: Palette, settings: SetSettings) -> _Lit:
    """The learned sets under the light of this picture: a lamp shifts the tints of all checkers
    alike, so each point says by how much, for the set that it seems to be of.

    Begun at several exposures, from a lamp that went out to one that came on, since light checkers
    in the dark look like dark ones; the likeliest is taken.
    """
    learned = _tints(np.array([palette.light, palette.dark]))
    number, usual, relit = len(seen.points), settings.usual, np.array(settings.relit) ** 2
    off, unsteady = _tints(seen.bgr)[:, None] - learned, _unsteady(seen.bgr, settings)[:, None]
    said = _by_network(seen, settings)[:, None] * (0.5, -0.5)
    shift = np.array(_EXPOSURES)[:, None] * (1.0, 0.0, 0.0)
    apart = np.ones_like(shift)
    for _ in range(settings.rounds):
        near = said - _far(off, shift, unsteady * apart[:, None, None]) / 2
        share = np.exp(near - np.logaddexp.reduce(near, 2)[..., None])[..., None]
        weight = share / (unsteady * apart[:, None, None])
        shift = (weight * off).sum((1, 2)) / (weight.sum((1, 2)) + 1 / relit)
        spread = (share * (off - shift[:, None, None]) ** 2 / unsteady).sum((1, 2))
        apart = (spread + usual) / (number + usual)
    near = said - _far(off, shift, unsteady * apart[:, None, None]) / 2
    likely = np.logaddexp.reduce(near, 2).sum(1)
    likely -= ((number + usual) * np.log(apart) + usual / apart + shift**2 / relit).sum(1) / 2
    # Mostly nobody has touched a lamp: no other light makes the one set that is left the other one.
    likely -= settings.steady * np.log1p((shift**2 / (relit / 9)).sum(1))
    best = int(likely.argmax())
    return _Lit(learned, shift[best], apart[best])


def _far(off: F64, shift: F64, unsteady: F64) -> F64:
    """How far each point is from both sets (s x n x 2, squared spreads) under each of s shifts of
    the light; no farther than a thing that is neither.
    """
    far = ((off - shift[:, None, None]) ** 2 / unsteady).sum(3)
    return np.asarray(np.minimum(far, _STRANGE), np.float64)


def _tints(bgr: F64) -> F64:
    """Light, red and blue of colours (n x 3, BGR 0-255) as logarithms, red and blue to green: what
    another lamp shifts alike for all, and a shadow hardly changes but for the light.
    """
    blue, green, red = np.log(((bgr + 2) / 257) ** _GAMMA + _FLOOR).T
    return np.stack([(blue + green + red) / 3, red - green, blue - green], 1)


def _unsteady(bgr: F64, settings: SetSettings) -> F64:
    """How far tints of one set lie apart (n x 3, squared): the darker, the farther."""
    dark = 1 + (settings.dark / np.maximum(bgr.mean(1), 5.0)) ** 2
    return np.asarray(np.array(settings.tints) ** 2 * dark[:, None], np.float64)


def _of_light(first: F64, named: float) -> F64:
    """How likely a thing is light that is so likely of the first set."""
    return named * first + (1 - named) * (1 - first)


def _first_is_light(seen: _Checkers, split: _Split, settings: SetSettings) -> float:
    """Probability that the first set is the light one."""
    first = split.first
    gap = float(
        first @ seen.lightness / (first.sum() + 1e-3)
        - (1 - first) @ seen.lightness / ((1 - first).sum() + 1e-3)
    )
    votes = float(np.clip(seen.odds, -6, 6) @ (2 * first - 1))
    odds = settings.lighter * np.clip(gap, -40, 40) + settings.votes * np.clip(votes, -60, 60)
    return float(1 / (1 + np.exp(-np.clip(odds, -9.0, 9.0))))


def _bar_exchanged(small: Pixels, cells: F32, light_of: LightOf) -> float:
    """Probability that the network's names of what lies on the bar are exchanged."""
    bar = small[:, _BAR].astype(np.float64)
    say = []
    for kind in (1, 2):
        here = cells[kind][:, _BAR] > 0.5
        if here.any():
            light = light_of(np.median(bar[here], 0))
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

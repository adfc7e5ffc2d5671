"""One picture in, one Observation out: the pipeline of the room on one page.

    frame -> still? (`steady`) -> canvas -> checkers -> likelihoods per site
                               -> trays (OFF, when asked for)
                               -> dice, cube
`read_picture` takes one picture as it comes; `read_next` follows a stream and does little when
nothing has changed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Self

import numpy as np

from rules.board import BAR, Colour, Placement, Seating
from rules.observation import Condition, Observation, SiteReading, Source
from vision.arrays import F64, Mask, Pixels
from vision.calibrate import found_again
from vision.canvas import canvas
from vision.checkers import (
    KINDS,
    CheckerNumbers,
    CheckerReading,
    completed,
    if_elsewhere,
    kind_counts,
    points_in_view,
)
from vision.cover import covered_places
from vision.dice.cube import find_cube
from vision.dice.dice import CandidateReading, find_dice, look_for_dice
from vision.dice.motion import in_motion
from vision.frame import Frame
from vision.geometry import BoardMap
from vision.known import geometric_counts
from vision.networks import Networks
from vision.pool import WorkPool, begun
from vision.prepared import PreparedMap
from vision.sets import Palette, palette_of
from vision.settings import DEFAULT, Thresholds
from vision.steady import Steady, next_steady
from vision.thumb import shrink_of
from vision.trays import borne_off, in_view, look_beside, off_reading


def read_picture(
    frame: Frame,
    board_map: BoardMap,
    networks: Networks,
    settings: Thresholds = DEFAULT,
    *,
    seating: Seating | None = None,
    palette: Palette | None = None,
    pool: WorkPool | None = None,
) -> Observation:
    """What stands on the board in one picture, taken as a board at rest.

    Sites that a hand or thing covers are absent, and OFF too unless `settings.trays.observed` and
    both players' places for it are in view. With a `pool` dice are looked for on its thread while
    checkers are read on this one; what is said is the same. Raises GeometryError when the map is
    of pictures of another shape.
    """
    board = PreparedMap(fit_to(board_map, frame))
    things = _things_begun(frame, board, networks, settings, pool)
    straight = canvas(frame.pixels, board)
    reading = networks.checkers.read(straight, board.board_map.orientation, palette)
    return _observation(
        frame, straight, reading, things, board, networks, settings, seating or Seating()
    )


Things = Callable[[], tuple[CandidateReading, ...]]
"""What looks like a die or a cube, once it is asked for."""


def _things_begun(
    frame: Frame,
    board: PreparedMap,
    networks: Networks,
    settings: Thresholds,
    pool: WorkPool | None,
) -> Things:
    finder, reader = networks.dice_finder, networks.dice_reader
    return begun(pool, lambda: look_for_dice(frame.pixels, board, finder, reader, settings))


def fit_to(board_map: BoardMap, frame: Frame) -> BoardMap:
    """The map for a picture of the same camera at another resolution.

    Raises GeometryError when the shape differs.
    """
    return board_map if board_map.size == frame.size else board_map.resized(frame.size)


def _observation(
    frame: Frame,
    straight: Pixels,
    reading: CheckerReading,
    things: Things,
    board: PreparedMap,
    networks: Networks,
    settings: Thresholds,
    seating: Seating,
) -> Observation:
    """Checkers already read from the canvas `straight`, piles, what lies beside the board, dice and
    cube (`things`), as one Observation.
    """
    numbers, board_map = networks.checkers.numbers, board.board_map
    reading = completed(reading, frame.pixels, board, numbers, networks.piles, settings.checkers)
    doubted = replace(reading, points=if_elsewhere(reading.points, board_map, numbers.usual))
    sites = site_readings(doubted, numbers, seating, settings)
    if settings.trays.observed:
        trays = networks.trays
        beside = look_beside(frame.pixels, board, straight, reading, trays, settings.trays)
        if in_view(beside, board_map.orientation, board_map.sure_of_orientation, settings.trays):
            likely = borne_off(beside, trays.numbers.none, settings.trays)
            sites = (*sites, off_reading(likely, seating, settings.trays))
    seen = things()
    return Observation(
        Source.CAMERA,
        frame.seen_at,
        frame.number,
        Condition.AT_REST,
        sites,
        find_dice(seen, board_map, settings),
        find_cube(frame.pixels, seen, board_map, networks.cube, settings, seating=seating),
    )


def site_readings(
    reading: CheckerReading,
    numbers: CheckerNumbers,
    seating: Seating,
    settings: Thresholds = DEFAULT,
) -> tuple[SiteReading, ...]:
    """Likelihoods for each point that is not covered, and for the bar.

    The network gives probabilities under the boards it was trained on; divided by how common each
    kind was there, they say how well each kind explains the picture, which is what an Observation
    owes.
    """
    s = settings.checkers
    seen = np.flatnonzero(points_in_view(reading, s)).tolist()
    kinds, bars = (
        [_sides(*pair, seating) for pair in pairs] for pairs in (_KIND_PAIRS, _BAR_PAIRS)
    )
    points = _likelihoods(reading.points[seen], numbers.usual, s.doubt)
    found = [
        SiteReading(seating.site(index + 1), _listed(kinds, row, s.listed), s.listed / 10)
        for index, row in zip(seen, points.tolist(), strict=True)
    ]
    light, dark = _likelihoods(reading.bar, np.array(numbers.bar_prior), s.doubt)
    likely = np.outer(light, dark).ravel().tolist()
    found.append(SiteReading(BAR, _listed(bars, likely, s.listed), s.listed / 10))
    return tuple(found)


_KIND_PAIRS: Final = [kind_counts(kind) for kind in range(KINDS)]
_BAR_PAIRS: Final = [(light, dark) for light in range(6) for dark in range(6)]
"""Light and dark checkers of each kind of a point, and of each pair on the bar."""


def _likelihoods(posteriors: F64, prior: F64, doubt: float) -> F64:
    """Of rows of probabilities, each divided by its prior; the likeliest of a row is 1."""
    likely = (posteriors * (1 - doubt) + doubt / posteriors.shape[1]) / prior
    return np.asarray(likely / likely.max(1, keepdims=True), np.float64)


def _sides(light: int, dark: int, seating: Seating) -> tuple[int, int]:
    """(White's, Black's) of light and dark checkers."""
    return (light, dark) if seating.white is Colour.LIGHT else (dark, light)


def _listed(
    sides: Sequence[tuple[int, int]], likely: Sequence[float], least: float
) -> tuple[tuple[int, int, float], ...]:
    """(White's, Black's, likelihood) of those above `least`."""
    return tuple([(*pair, p) for pair, p in zip(sides, likely, strict=True) if p > least])


@dataclass(frozen=True, slots=True, eq=False)
class Eye:
    """A camera that watches one board: the map and the networks, what is remembered between frames,
    and the colours learned. Start with `Eye.of(board_map, networks)`.
    """

    board: PreparedMap
    networks: Networks
    steady: Steady = field(default_factory=Steady)
    palette: Palette | None = None
    last: Observation | None = None
    stood: F64 | None = field(default=None, repr=False)
    """Probabilities of each kind on each geometric point (24 x 31) when last at rest: they tell
    which way round a board lies that was moved.
    """
    searched_at: float = -math.inf
    lost: str = ""
    """Why a board that was moved is not found again, "" where it is."""
    settings: Thresholds = DEFAULT

    @classmethod
    def of(
        cls,
        board_map: BoardMap,
        networks: Networks,
        palette: Palette | None = None,
        settings: Thresholds = DEFAULT,
    ) -> Self:
        """One that has seen nothing yet."""
        return cls(PreparedMap(board_map), networks, palette=palette, settings=settings)

    @property
    def board_map(self) -> BoardMap:
        """Where the board lies."""
        return self.board.board_map


def read_next(
    eye: Eye,
    frame: Frame,
    *,
    seating: Seating | None = None,
    known: Placement | None = None,
    pool: WorkPool | None = None,
) -> tuple[Eye, Observation]:
    """The eye after the next frame of a stream, and what it saw. `known`: what stands there for
    sure (the start position), to learn the colours from. `pool`: as of `read_picture`.

    A frame that differs from the last at nothing that matters costs a comparison and repeats the
    last reading with its own time, dice a little surer to have come to rest. Raises GeometryError
    for a picture of another shape.
    """
    seating = seating or Seating()
    board_map = fit_to(eye.board_map, frame)
    if board_map is not eye.board_map:
        eye = replace(eye, board=PreparedMap(board_map))
    glance = _Glance(eye, frame)
    steady, condition, note = next_steady(
        eye.steady, frame, board_map, eye.settings, glance.covered
    )
    eye = replace(eye, steady=steady)
    if condition is Condition.BUMPED:
        return _after_a_bump(eye, frame, note)
    if condition is not Condition.AT_REST:
        return eye, Observation(Source.CAMERA, frame.seen_at, frame.number, condition, note=note)
    if known is None and eye.last is not None and steady.nothing_changed:
        again = replace(eye.last, seen_at=frame.seen_at, number=frame.number, condition=condition)
        if again.dice:
            # What lies where it lay a frame ago rolls no more.
            seconds = frame.seen_at - eye.last.seen_at
            dice = in_motion(again.dice, again.dice, seconds, board_map, eye.settings)
            again = replace(again, dice=dice)
        return replace(eye, last=again), again
    if steady.board_map is not None and steady.board_map != board_map:
        eye = replace(eye, board=PreparedMap(steady.board_map))
        glance = _Glance(eye, frame)
    return _at_rest(eye, frame, glance, seating, known, pool)


class _Glance:
    """The canvas of one frame and what the checker network says of it, each made when first asked
    for.
    """

    def __init__(self, eye: Eye, frame: Frame) -> None:
        self._eye, self._frame = eye, frame

    @cached_property
    def straight(self) -> Pixels:
        """The board on the grid."""
        return canvas(self._frame.pixels, self._eye.board)

    @cached_property
    def reading(self) -> CheckerReading:
        """What stands there."""
        eye = self._eye
        return eye.networks.checkers.read(self.straight, eye.board_map.orientation, eye.palette)

    def covered(self) -> Mask:
        """Where a hand or a thing lies, in the shrunk picture of `steady`."""
        shrink = shrink_of(self._frame.size, self._eye.settings.steady)
        size = (self._frame.size[0] // shrink, self._frame.size[1] // shrink)
        return covered_places(self.reading.cells, self._eye.board, size, shrink)


def _at_rest(
    eye: Eye,
    frame: Frame,
    glance: _Glance,
    seating: Seating,
    known: Placement | None,
    pool: WorkPool | None,
) -> tuple[Eye, Observation]:
    """The eye after a frame at rest that must be read, and the Observation."""
    checkers, board_map = eye.networks.checkers, eye.board_map
    things = _things_begun(frame, eye.board, eye.networks, eye.settings, pool)
    straight, reading = glance.straight, glance.reading
    if known is not None:
        counts = geometric_counts(known, seating)
        palette = palette_of(straight, reading, board_map.orientation, counts)
        if palette is not None:
            eye = replace(eye, palette=palette)
            reading = checkers.read(straight, board_map.orientation, palette)
    found = _observation(
        frame, straight, reading, things, eye.board, eye.networks, eye.settings, seating
    )
    if eye.last is not None and found.dice is not None:
        before, seconds = eye.last.dice or (), frame.seen_at - eye.last.seen_at
        dice = in_motion(before, found.dice, seconds, board_map, eye.settings)
        found = replace(found, dice=dice)
    return replace(eye, last=found, stood=reading.points), found


def _after_a_bump(eye: Eye, frame: Frame, note: str) -> tuple[Eye, Observation]:
    """The map found again, if the board is in the picture; this frame is no evidence either way."""
    seen = Observation(Source.CAMERA, frame.seen_at, frame.number, Condition.BUMPED, note=note)
    if frame.seen_at - eye.searched_at < eye.settings.calibrate.search_every:
        return eye, replace(seen, note=eye.lost or note)
    moved, why = found_again(frame, eye.board_map, eye.stood, eye.networks, eye.settings)
    if moved is None:
        lost = f"{note}; it was looked for and not found: {why}"
        return replace(eye, searched_at=frame.seen_at, lost=lost), replace(seen, note=lost)
    eye = replace(
        eye, board=PreparedMap(moved), steady=Steady(), last=None, searched_at=-math.inf, lost=""
    )
    return eye, replace(seen, note=f"{note}; found again")

"""One picture in, one Observation out: the pipeline of the room on one page.

    frame -> still? (`steady`) -> canvas -> checkers -> likelihoods per site
                               -> trays (OFF, when asked for)
                               -> dice, cube
`read` takes one picture as it comes; `look` follows a stream and does little when nothing has
changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from rules.board import BAR, Colour, Placement, Seating
from rules.observation import Condition, Observation, SiteReading, Source
from vision.arrays import F64, Pixels
from vision.calibrate import relocate
from vision.canvas import canvas
from vision.checkers import (
    CheckerReading,
    Palette,
    completed,
    evaluate,
    interpret,
    kind_counts,
    palette_of,
    seen,
)
from vision.dice.cube import find_cube
from vision.dice.dice import find_dice, settled
from vision.frame import Frame
from vision.geometry import BoardMap, GeometryError
from vision.known import geometric_counts
from vision.network import fitted
from vision.settings import DEFAULT, Settings
from vision.steady import Steady, step
from vision.trays import borne_off, in_view, look_beside, off_reading


def read(
    frame: Frame,
    board_map: BoardMap,
    settings: Settings = DEFAULT,
    *,
    seating: Seating | None = None,
    palette: Palette | None = None,
) -> Observation:
    """What stands on the board in one picture, taken as a board at rest.

    Sites that a hand or thing covers are absent, and OFF too unless `settings.trays.observed` and
    both players' places for it are in view. Raises GeometryError when the map is of pictures of
    another shape.
    """
    seating = seating or Seating()
    board_map = fit_to(board_map, frame)
    board = canvas(frame.pixels, board_map)
    reading = completed(
        interpret(evaluate(board, palette), board_map.orientation),
        frame.pixels,
        board_map,
        settings.checkers,
    )
    return observation(frame, reading, board_map, settings, seating, board)


def fit_to(board_map: BoardMap, frame: Frame) -> BoardMap:
    """The map for a picture of the same camera at another resolution.

    Raises GeometryError when the shape differs.
    """
    return board_map if board_map.size == frame.size else board_map.resized(frame.size)


def observation(
    frame: Frame,
    reading: CheckerReading,
    board_map: BoardMap,
    settings: Settings,
    seating: Seating,
    board: Pixels,
) -> Observation:
    """Checkers already read from the canvas `board`, what lies beside it, dice and cube, as one
    Observation.
    """
    sites = site_readings(reading, seating, settings)
    if settings.trays.observed:
        beside = look_beside(frame.pixels, board_map, board, reading, settings.trays)
        if in_view(beside, board_map.orientation, board_map.sure_of_orientation, settings.trays):
            sites = (
                *sites,
                off_reading(borne_off(beside, settings.trays), seating, settings.trays),
            )
    return Observation(
        Source.CAMERA,
        frame.seen_at,
        frame.number,
        Condition.AT_REST,
        sites,
        find_dice(frame.pixels, board_map, settings),
        find_cube(frame.pixels, board_map, settings, seating=seating),
    )


def site_readings(
    reading: CheckerReading, seating: Seating, settings: Settings = DEFAULT
) -> tuple[SiteReading, ...]:
    """Likelihoods for each point that is not covered, and for the bar.

    The network gives probabilities under the boards it was trained on; divided by how common each
    kind was there, they say how well each kind explains the picture, which is what an Observation
    owes.
    """
    s = settings.checkers
    prior = np.array(fitted("checkers")["prior"], np.float64)
    found = []
    for index in np.flatnonzero(seen(reading, s)):
        likely = _likelihood(reading.points[index], prior, s.doubt)
        outcomes = tuple(
            (*_sides(*kind_counts(int(k)), seating), float(likely[k]))
            for k in np.flatnonzero(likely > s.listed)
        )
        found.append(SiteReading(seating.site(int(index) + 1), outcomes, s.listed / 10))
    light, dark = (
        _likelihood(row, np.array(fitted("checkers")["bar_prior"]), s.doubt) for row in reading.bar
    )
    pairs = [(a, b, float(light[a] * dark[b])) for a in range(len(light)) for b in range(len(dark))]
    top = max(p for _, _, p in pairs)
    outcomes = tuple((*_sides(a, b, seating), p / top) for a, b, p in pairs if p / top > s.listed)
    found.append(SiteReading(BAR, outcomes, s.listed / 10))
    return tuple(found)


def _likelihood(posterior: F64, prior: F64, doubt: float) -> F64:
    likely = (posterior * (1 - doubt) + doubt / len(posterior)) / prior
    return np.asarray(likely / likely.max(), np.float64)


def _sides(light: int, dark: int, seating: Seating) -> tuple[int, int]:
    """(White's, Black's) of light and dark checkers."""
    return (light, dark) if seating.white is Colour.LIGHT else (dark, light)


@dataclass(frozen=True, slots=True, eq=False)
class Eye:
    """A camera that watches one board: the map, what is remembered between frames, and the colours
    learned. Start with `Eye(board_map)`.
    """

    board_map: BoardMap
    steady: Steady = field(default_factory=Steady)
    palette: Palette | None = None
    last: Observation | None = None
    settings: Settings = DEFAULT


def look(
    eye: Eye, frame: Frame, *, seating: Seating | None = None, known: Placement | None = None
) -> tuple[Eye, Observation]:
    """Take the next frame of a stream. `known`: what stands there for sure (the start position), to
    learn the colours from.

    A frame that differs from the last at nothing that matters costs a comparison and repeats the
    last reading with its own time.
    """
    seating = seating or Seating()
    board_map = fit_to(eye.board_map, frame)
    steady, condition, note = step(eye.steady, frame, board_map, eye.settings)
    eye = replace(eye, board_map=board_map, steady=steady)
    if condition is Condition.BUMPED:
        return _after_a_bump(eye, frame, note)
    if condition is not Condition.AT_REST:
        return eye, Observation(Source.CAMERA, frame.seen_at, frame.number, condition, note=note)
    if known is None and eye.last is not None and steady.nothing_changed:
        again = Observation(
            Source.CAMERA,
            frame.seen_at,
            frame.number,
            condition,
            eye.last.sites,
            eye.last.dice,
            eye.last.cube,
            note=eye.last.note,
        )
        return replace(eye, last=again), again
    board = canvas(frame.pixels, board_map)
    reading = interpret(evaluate(board, eye.palette), board_map.orientation)
    if known is not None:
        palette = palette_of(
            board, reading, board_map.orientation, geometric_counts(known, seating)
        )
        if palette is not None:
            eye = replace(eye, palette=palette)
            reading = interpret(evaluate(board, palette), board_map.orientation)
    reading = completed(reading, frame.pixels, board_map, eye.settings.checkers)
    found = observation(frame, reading, board_map, eye.settings, seating, board)
    if eye.last is not None and found.dice is not None:
        before, seconds = eye.last.dice or (), frame.seen_at - eye.last.seen_at
        found = replace(found, dice=settled(before, found.dice, seconds, eye.settings))
    return replace(eye, last=found), found


def _after_a_bump(eye: Eye, frame: Frame, note: str) -> tuple[Eye, Observation]:
    """The map found again from where it was, if the board is not far; this frame is no evidence
    either way.
    """
    try:
        moved = relocate(frame, eye.board_map, eye.settings)
    except GeometryError:
        moved = None
    if moved is not None:
        eye = replace(eye, board_map=moved, steady=Steady(), last=None)
        note = f"{note}; found again"
    return eye, Observation(Source.CAMERA, frame.seen_at, frame.number, Condition.BUMPED, note=note)

"""Finding a board in a picture: Frame -> BoardMap, or BoardNotFound with a reason.

    picture at 256x192 -> `finder` network -> four corners within about a third of a point
                       -> a patch around each corner of both halves -> `corners` network -> corners
                          and the bar's width; three rounds
                       -> which way round: said, known position, or judged by trays and by how the
                          sets stand
Corners that are given are looked for too: they hold where the picture shows the board there, and
are refused where it shows it elsewhere. ArUco tags on the frame, if there are any, settle the
orientation.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from rules.board import Placement, Seating
from vision.arrays import F64, Pixels
from vision.canvas import canvas
from vision.checkers import CheckerNetwork
from vision.finder import finder_view, locate, view_turned
from vision.fit import CornerFit, best_fit, fit_of, refine
from vision.frame import Frame
from vision.geometry import BoardMap, GeometryError, from_corners
from vision.hidden import apart, corners_denied, polished, settled
from vision.known import explains, geometric_counts
from vision.lens import with_lens
from vision.networks import Networks
from vision.orientation import orientation_probability, sides_in_view, tags_orientation
from vision.prepared import PreparedMap
from vision.settings import DEFAULT, Thresholds
from vision.verify import CORNERS, doubt_of_corners, doubt_of_reading


class BoardNotFound(LookupError):  # noqa: N818  (the name other rooms know)
    """No board could be found; `reason` says why and what to do."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def find_board(
    frame: Frame,
    networks: Networks,
    settings: Thresholds = DEFAULT,
    *,
    corners: npt.ArrayLike | None = None,
    orientation: int | None = None,
    known: Placement | None = None,
    seating: Seating | None = None,
) -> BoardMap:
    """Where the board lies in a picture.

    `corners`: the field's corners TL TR BR BL in the picture, when somebody dragged them.
    `orientation`: 0 or 180 when it is known. `known`: what stands there, which settles the
    orientation. Raises BoardNotFound.
    """
    try:
        if corners is not None:
            found = _given(
                frame, np.asarray(corners, np.float64).reshape(-1, 2), networks, settings
            )
            found = with_lens(frame.pixels, found, networks.corners, settings)
            found = as_seen(frame, found, networks, settings)
        else:
            found = _search(frame, networks, settings).board_map
    except GeometryError as error:
        raise BoardNotFound(str(error)) from error
    if orientation is None:
        orientation = tags_orientation(frame.pixels)
    straight = canvas(frame.pixels, PreparedMap(found))
    reading = networks.checkers.read(straight, 0)
    unseen = corners is None or found.sure_of_place < 1
    if unseen and (doubt := doubt_of_reading(reading, settings.calibrate)):
        raise BoardNotFound(doubt)
    if orientation is not None:
        return found.facing(orientation)
    if known is not None:
        counts = geometric_counts(known, seating or Seating())
        return _facing_known(found, straight, counts, networks.checkers, settings)
    prior = networks.checkers.numbers.upright_prior
    turned = networks.checkers.read(np.ascontiguousarray(straight[::-1, ::-1]), 0)
    upright = orientation_probability(
        reading, turned, networks.orientation, prior, beside=sides_in_view(found)
    )
    # Of a board that may lie elsewhere nothing is known.
    upright = 0.5 + (upright - 0.5) * found.sure_of_place
    return found.facing(0 if upright >= 0.5 else 180, sure=max(upright, 1 - upright))


def _given(frame: Frame, corners: F64, networks: Networks, settings: Thresholds) -> BoardMap:
    """The map for corners that somebody gave. Whoever drags them begins at the picture's top left:
    where the board lies across, its long side is then the next one, and the picture tells.
    """

    def along(first: int) -> BoardMap:
        at = np.roll(corners, -first, 0)
        made = from_corners(at, frame.size, settings=settings.geometry)
        return refine(frame.pixels, made, networks.corners, settings, corners_too=False)

    def quality(made: BoardMap) -> float:
        return fit_of(frame.pixels, made, networks.corners, settings).quality

    found, plainly = along(0), settings.calibrate.fits_plainly
    if quality(found) >= plainly:
        return found
    try:
        other = along(1)
    except GeometryError:
        return found
    return other if quality(other) >= plainly else found


def as_seen(
    frame: Frame, given: BoardMap, networks: Networks, settings: Thresholds = DEFAULT
) -> BoardMap:
    """A map that somebody gave, as this picture shows the board: the same where its corners are
    seen there, put right where they are a little off, and less than sure where too few are seen.

    Raises BoardNotFound where the board is seen half a point from it or farther.
    """
    s = settings.calibrate
    # Somebody says that this is a board: it may have proportions that few boards have.
    fit = fit_of(frame.pixels, given.facing(0), networks.corners, settings).of_any_shape()
    as_given = not doubt_of_corners(frame.pixels, fit, settings)
    if not as_given:
        fit = best_fit(frame.pixels, given.facing(0), networks.corners, settings)
    near = as_given or not doubt_of_corners(frame.pixels, fit, settings)
    seen = fit.board_map if near else _elsewhere(frame, networks, settings)
    # Whoever gives corners may see more than the field as a whole shows: it alone refuses nothing.
    if seen is None or corners_denied(frame.pixels, seen, networks, settings) >= s.edge_denied:
        return replace(given, sure_of_place=s.sure_unseen)
    if as_given:
        return given
    there = given.unproject(given.corners())[:, None] - given.unproject(seen.corners())
    off = np.linalg.norm(there, axis=2).min(1)
    if off.max() < s.given_off:
        return seen.facing(given.orientation, given.sure_of_orientation) if near else given
    raise BoardNotFound(
        f"the corners are given {off.max():.1f} points from where the board is seen (the"
        f" {CORNERS[int(off.argmax())]} one most): put them where the rails meet the field, or"
        " leave them out"
    )


def _elsewhere(frame: Frame, networks: Networks, settings: Thresholds) -> BoardMap | None:
    """The board where its corners are seen in the picture as it is, None where they are not."""
    corners, there = _as_it_is(frame, networks)
    likely = there >= settings.calibrate.there
    found = _fit_at(frame, corners, networks, settings) if likely else None
    plain = found is not None and not doubt_of_corners(frame.pixels, found, settings)
    return found.board_map if found is not None and plain else None


def _facing_known(
    found: BoardMap,
    straight: Pixels,
    counts: Mapping[int, tuple[int, int]],
    checkers: CheckerNetwork,
    settings: Thresholds,
) -> BoardMap:
    """The map turned as the known position is seen. Raises BoardNotFound when it is seen neither
    way.
    """
    upright, upside = (explains(checkers.read(straight, o), counts) for o in (0, 180))
    if max(upright, upside) < settings.calibrate.unlike_known:
        raise BoardNotFound(
            "the checkers do not stand as said: set the position up, or give the orientation"
        )
    return found.facing(
        0 if upright >= upside else 180, sure=1.0 if abs(upright - upside) > 0.2 else 0.5
    )


def _search(frame: Frame, networks: Networks, settings: Thresholds) -> CornerFit:
    """The map that fits best, looked for in the picture as it is, where that does not fit turned
    and with a border around it, and where corners are hidden by the whole field.
    """
    s, pixels = settings.calibrate, frame.pixels
    corners, there = _as_it_is(frame, networks)
    guesses = [corners] if there >= s.there else []
    best = _fit_at(frame, corners, networks, settings) if guesses else None
    if best is None or doubt_of_corners(pixels, best, settings):
        turned = _turned(frame, networks, settings)
        there = max(there, turned[0][0])
        for likely, corners in turned[: s.tried]:
            found = _fit_at(frame, corners, networks, settings) if likely >= s.there else None
            if found is not None and (best is None or found.quality > best.quality):
                best = found
            if best is not None and not doubt_of_corners(pixels, best, settings):
                break
        guesses += [corners for _, corners in turned[: s.tried]]
    if best is None or doubt_of_corners(pixels, best, settings):
        best = _by_field(frame, best, guesses, networks, settings) or best
    if best is None:
        raise BoardNotFound(
            f"no board is to be seen (certainty {there:.2f}): show the whole board, or give its"
            " corners"
        )
    if best.board_map.sure_of_place < 1:
        return best
    if doubt := doubt_of_corners(pixels, best, settings):
        raise BoardNotFound(doubt)
    if denied := corners_denied(pixels, best.board_map, networks, settings):
        field = settled(pixels, best.board_map, networks, settings)
        if field is not None and apart(best.board_map, field.board_map) > s.corners_apart:
            return _less_than_sure(polished(pixels, field, networks, settings), settings)
        if field is None and denied >= s.edge_denied:
            raise BoardNotFound(
                "a wall seems to hide an edge of the field: raise the camera until the feet of the"
                " points are seen, or give the corners"
            )
    seen = (best.places, best.sure)
    straight = with_lens(pixels, best.board_map, networks.corners, settings, seen)
    if straight is best.board_map:
        return best
    bent = refine(pixels, straight, networks.corners, settings)
    return fit_of(pixels, bent, networks.corners, settings)


def _as_it_is(frame: Frame, networks: Networks) -> tuple[F64, float]:
    """The corners of a board that lies level and whole in the picture, and how likely one does."""
    view, factor = finder_view(frame.pixels)
    corners, there = locate(view, networks.finder)
    return corners / factor, there


def _turned(frame: Frame, networks: Networks, settings: Thresholds) -> list[tuple[float, F64]]:
    """Corners of a board in the picture turned or with a border, the likeliest first."""
    guesses = []
    for degrees, border in settings.calibrate.ways:
        view, back = view_turned(frame.pixels, degrees, border)
        corners, likely = locate(view, networks.finder)
        guesses.append((likely, corners @ back[:, :2].T + back[:, 2]))
    return sorted(guesses, key=lambda g: -g[0])


def _fit_at(
    frame: Frame, corners: F64, networks: Networks, settings: Thresholds
) -> CornerFit | None:
    """The best map near corners guessed, None where no board could be seen so."""
    try:
        first = from_corners(corners, frame.size, settings=settings.geometry)
        return best_fit(frame.pixels, first, networks.corners, settings)
    except GeometryError:
        return None


def _less_than_sure(fit: CornerFit, settings: Thresholds) -> CornerFit:
    unsure = replace(fit.board_map, sure_of_place=settings.calibrate.sure_unseen)
    return replace(fit, board_map=unsure)


def _by_field(
    frame: Frame,
    best: CornerFit | None,
    guesses: Sequence[F64],
    networks: Networks,
    settings: Thresholds,
) -> CornerFit | None:
    """The map that the whole field speaks for near any guess, None where it is sure of none; less
    than sure of its place where corners are hidden.
    """
    firsts = [best.board_map] if best is not None else []
    for corners in guesses:
        with contextlib.suppress(GeometryError):
            firsts.append(from_corners(corners, frame.size, settings=settings.geometry))
    surest: tuple[float, CornerFit] | None = None
    for first in firsts:
        found = settled(frame.pixels, first, networks, settings)
        if found is None:
            continue
        fit = polished(frame.pixels, found, networks, settings)
        if not doubt_of_corners(frame.pixels, fit, settings):
            return fit
        sure = float(found.sure.min())
        if surest is not None and sure <= surest[0]:
            continue
        surest = sure, _less_than_sure(fit, settings)
    return None if surest is None else surest[1]


def found_again(
    frame: Frame,
    board_map: BoardMap,
    stood: F64 | None,
    networks: Networks,
    settings: Thresholds = DEFAULT,
) -> tuple[BoardMap | None, str]:
    """A known board after it or the camera was moved, and why not where there is none.

    It is looked for around its old place, then in the whole picture. `stood`: what stood where
    (24 x 31 probabilities) before; it says which way round the board lies now.
    """
    fit = best_fit(frame.pixels, board_map, networks.corners, settings)
    if fit.quality < settings.calibrate.fits_again or doubt_of_corners(frame.pixels, fit, settings):
        try:
            fit = _search(frame, networks, settings)
        except (BoardNotFound, GeometryError) as error:
            return None, str(error)
    found = fit.board_map.facing(board_map.orientation)
    if stood is None:
        return found, ""
    straight = canvas(frame.pixels, PreparedMap(found))
    ways = [found, found.turned()]
    alike = [
        float((networks.checkers.read(straight, m.orientation).points * stood).sum()) for m in ways
    ]
    # Of 24 points a board turned round shows few as they were; one not turned nearly all.
    return ways[1 if alike[1] > alike[0] + settings.calibrate.turned_points else 0], ""

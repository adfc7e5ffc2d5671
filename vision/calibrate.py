"""Finding a board in a picture: Frame -> BoardMap, or BoardNotFound with a reason.

    picture at 256x192 -> `finder` network -> four corners within about a third of a point
                       -> a patch around each corner of both halves -> `corners` network -> corners
                          and the bar's width; three rounds (`fit`)
                       -> where those are hidden: the whole field -> `field` network (`hidden`)
                       -> which way round: said, known position, or judged by trays and by how the
                          sets stand
Corners that are given are looked for too: they hold where the picture shows the board there, and
are refused where it shows it elsewhere. ArUco tags on the frame, if there are any, settle the
orientation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from rules.board import Placement, Seating
from vision.arrays import F64, Pixels
from vision.canvas import canvas
from vision.checkers import CheckerNetwork
from vision.fit import best_fit, fit_of, refine
from vision.frame import Frame
from vision.geometry import BoardMap, GeometryError, from_corners
from vision.hidden import corners_denied
from vision.known import explains, geometric_counts
from vision.lens import with_lens
from vision.networks import Networks
from vision.orientation import orientation_probability, sides_in_view, tags_orientation
from vision.prepared import PreparedMap
from vision.search import BoardNotFound, search, search_level
from vision.settings import DEFAULT, Thresholds
from vision.verify import CORNERS, doubt_of_corners, doubt_of_reading

__all__ = ["BoardNotFound", "as_seen", "find_board", "found_again"]


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
            found = search(frame, networks, settings).board_map
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
    seen = fit.board_map if near else search_level(frame, networks, settings)
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
            fit = search(frame, networks, settings)
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

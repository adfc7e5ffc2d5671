"""Where in a picture a board is: looked for as the picture is, turned, and by the whole field."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from vision.arrays import F64
from vision.finder import finder_view, locate, view_turned
from vision.fit import CornerFit, best_fit, fit_of, refine
from vision.frame import Frame
from vision.geometry import BoardMap, GeometryError, from_corners
from vision.hidden import apart, corners_denied, polished, settled
from vision.lens import with_lens
from vision.networks import Networks
from vision.settings import Thresholds
from vision.verify import doubt_of_corners


class BoardNotFound(LookupError):  # noqa: N818  (the name other rooms know)
    """No board could be found; `reason` says why and what to do."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, eq=False)
class _Sight:
    """What a first look over a picture gave: the best map near any guess, if there is one, the
    corners guessed, and how likely the picture shows a board at all.
    """

    best: CornerFit | None
    guesses: Sequence[F64]
    there: float


def search(frame: Frame, networks: Networks, settings: Thresholds) -> CornerFit:
    """The map that fits best, looked for in the picture as it is, where that does not fit turned
    and with a border around it, and where corners are hidden by the whole field.

    Raises BoardNotFound with what to change.
    """
    pixels = frame.pixels
    sight = _looked_over(frame, networks, settings)
    best = sight.best
    if best is None or doubt_of_corners(pixels, best, settings):
        best = _by_field(frame, sight, networks, settings) or best
    if best is None:
        raise BoardNotFound(
            f"no board is to be seen (certainty {sight.there:.2f}): show the whole board, or give"
            " its corners"
        )
    if best.board_map.sure_of_place < 1:
        return best
    if doubt := doubt_of_corners(pixels, best, settings):
        raise BoardNotFound(doubt)
    if (other := _denied(frame, best, networks, settings)) is not None:
        return other
    seen = (best.places, best.sure)
    straight = with_lens(pixels, best.board_map, networks.corners, settings, seen)
    if straight is best.board_map:
        return best
    bent = refine(pixels, straight, networks.corners, settings)
    return fit_of(pixels, bent, networks.corners, settings)


def search_level(frame: Frame, networks: Networks, settings: Thresholds) -> BoardMap | None:
    """The map of a board that lies level and whole in the picture, None where its corners are not
    seen in their places.
    """
    corners, there = _as_it_is(frame, networks)
    likely = there >= settings.calibrate.there
    found = _fit_at(frame, corners, networks, settings) if likely else None
    if found is None or doubt_of_corners(frame.pixels, found, settings):
        return None
    return found.board_map


def _looked_over(frame: Frame, networks: Networks, settings: Thresholds) -> _Sight:
    """The picture looked over as it is and, where no map fits there, turned."""
    s, pixels = settings.calibrate, frame.pixels
    corners, there = _as_it_is(frame, networks)
    guesses = [corners] if there >= s.there else []
    best = _fit_at(frame, corners, networks, settings) if guesses else None
    if best is not None and not doubt_of_corners(pixels, best, settings):
        return _Sight(best, guesses, there)
    turned = _turned(frame, networks, settings)
    for likely, corners in turned[: s.tried]:
        found = _fit_at(frame, corners, networks, settings) if likely >= s.there else None
        if found is not None and (best is None or found.quality > best.quality):
            best = found
        if best is not None and not doubt_of_corners(pixels, best, settings):
            break
    guesses += [corners for _, corners in turned[: s.tried]]
    return _Sight(best, guesses, max(there, turned[0][0]))


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


def _denied(
    frame: Frame, best: CornerFit, networks: Networks, settings: Thresholds
) -> CornerFit | None:
    """The map that the whole field is sure of where it has corners elsewhere than they are seen,
    each in its place; None where it agrees. Raises BoardNotFound where it has a whole edge
    elsewhere and is not sure where.
    """
    s = settings.calibrate
    denied = corners_denied(frame.pixels, best.board_map, networks, settings)
    if not denied:
        return None
    field = settled(frame.pixels, best.board_map, networks, settings)
    if field is not None and apart(best.board_map, field.board_map) > s.corners_apart:
        return _less_than_sure(polished(frame.pixels, field, networks, settings), settings)
    if field is None and denied >= s.edge_denied:
        raise BoardNotFound(
            "a wall seems to hide an edge of the field: raise the camera until the feet of the"
            " points are seen, or give the corners"
        )
    return None


def _by_field(
    frame: Frame, sight: _Sight, networks: Networks, settings: Thresholds
) -> CornerFit | None:
    """The map that the whole field speaks for near any guess, None where it is sure of none; less
    than sure of its place where corners are hidden.
    """
    firsts = [sight.best.board_map] if sight.best is not None else []
    for corners in sight.guesses:
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


def _less_than_sure(fit: CornerFit, settings: Thresholds) -> CornerFit:
    unsure = replace(fit.board_map, sure_of_place=settings.calibrate.sure_unseen)
    return replace(fit, board_map=unsure)

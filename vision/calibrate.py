"""Finding a board in a picture: Frame -> BoardMap, or BoardNotFound with a reason.

    picture at 256x192 -> `finder` network -> four corners within about a third of a point
                       -> a patch around each corner of both halves -> `corners` network -> corners
                          and the bar's width; three rounds
                       -> which way round: said, known position, or judged by trays and by how the
                          sets stand
With corners given only the bar is measured. ArUco tags on the frame, if there are any, settle the
orientation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt

from rules.board import Placement, Seating
from vision.arrays import F64, Pixels
from vision.canvas import canvas
from vision.checkers import CheckerNetwork
from vision.corners import CornerNetwork, half_corners, see_corners
from vision.finder import finder_view, locate
from vision.frame import Frame
from vision.geometry import BoardMap, GeometryError, from_corners
from vision.known import explains, geometric_counts
from vision.lens import with_lens
from vision.networks import Networks
from vision.orientation import orientation_probability, tags_orientation
from vision.prepared import PreparedMap
from vision.settings import DEFAULT, Thresholds


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
            found = from_corners(corners, frame.size, settings=settings.geometry)
            found = refine(frame.pixels, found, networks.corners, settings, corners_too=False)
            found = with_lens(frame.pixels, found, networks.corners, settings)
        else:
            found = _search(frame, networks, settings)
    except GeometryError as error:
        raise BoardNotFound(str(error)) from error
    if orientation is None:
        orientation = tags_orientation(frame.pixels)
    if orientation is not None:
        return found.facing(orientation)
    straight = canvas(frame.pixels, PreparedMap(found))
    if known is not None:
        counts = geometric_counts(known, seating or Seating())
        return _facing_known(found, straight, counts, networks.checkers, settings)
    reading = networks.checkers.read(straight, 0)
    prior = networks.checkers.numbers.upright_prior
    upright = orientation_probability(reading, networks.orientation, prior)
    return found.facing(0 if upright >= 0.5 else 180, sure=max(upright, 1 - upright))


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


def _search(frame: Frame, networks: Networks, settings: Thresholds) -> BoardMap:
    s = settings.calibrate
    view, factor = finder_view(frame.pixels)
    corners, there = locate(view, networks.finder)
    if there < s.there:
        raise BoardNotFound(
            f"no board is to be seen (certainty {there:.2f}): show the whole board, or give its"
            " corners"
        )
    first = from_corners(corners / factor, frame.size, settings=settings.geometry)
    found, quality = best_fit(frame.pixels, first, networks.corners, settings)
    if quality < s.fits:
        raise BoardNotFound(
            "something like a board was found, but its points do not fit (certainty"
            f" {quality:.2f}): give its corners"
        )
    straight = with_lens(frame.pixels, found, networks.corners, settings)
    if straight is found:
        return straight
    return refine(frame.pixels, straight, networks.corners, settings)


def best_fit(
    pixels: Pixels, first: BoardMap, corners: CornerNetwork, settings: Thresholds = DEFAULT
) -> tuple[BoardMap, float]:
    """The map near a first guess whose eight corners are seen best, and how well (0-1).

    A guess half a point off may take a tray's wall for the rail. Then one half of the board still
    fits: each half alone says where the other must be, and looking there settles it.
    """
    frontier = [first.facing(0)]
    best, best_quality = frontier[0], -1.0
    for _ in range(settings.calibrate.rounds):
        seen = []
        for guess in frontier:
            places, sure = see_corners(pixels, guess, corners)
            quality = _agreement(guess, places, sure, settings)
            seen.append((quality, guess, places, sure))
            if quality > best_quality:
                best, best_quality = guess, quality
        seen.sort(key=lambda s: -s[0])
        frontier = [
            m
            for _, guess, places, sure in seen[:2]
            for m in _proposals(guess, places, sure, settings)
        ]
    for guess in frontier:
        quality = _agreement(guess, *see_corners(pixels, guess, corners), settings)
        if quality > best_quality:
            best, best_quality = guess, quality
    return best, best_quality


def _agreement(guess: BoardMap, places: F64, sure: F64, settings: Thresholds) -> float:
    """Corners seen where the map has them, on a board of the proportions that boards have."""
    proportion = guess.height / guess.width
    shape = (
        proportion - float(np.clip(proportion, *settings.calibrate.aspects))
    ) / settings.calibrate.aspect_sd
    off = np.linalg.norm(places - half_corners(guess)[:, :2], axis=1)
    return float((sure * np.exp(-((off / 0.15) ** 2))).mean() * math.exp(-0.5 * shape**2))


def _proposals(guess: BoardMap, places: F64, sure: F64, settings: Thresholds) -> list[BoardMap]:
    """Maps that the places seen speak for: all four outer corners, or one half's corners carried
    over to the other.
    """
    px = guess.project(np.c_[places, np.zeros(8)])
    left, right = [0, 5, 6, 3], [4, 1, 2, 7]
    halves = [
        float(np.mean(places[h[1:3], 0]) - np.mean(places[[h[0], h[3]], 0])) / 6
        for h in (left, right)
    ]
    gap = float(np.mean(places[[4, 7], 0]) - np.mean(places[[5, 6], 0]))
    found = [_corrected(guess, places, sure, settings)]
    sighted = np.flatnonzero(sure > settings.calibrate.corner)
    if len(sighted) >= 6:
        # All that are seen, by least squares: their errors average.
        bar = found[0].bar
        model = half_corners(replace(guess, bar=bar))[:, :2]
        warp, _ = cv2.findHomography(
            model[sighted].astype(np.float32), px[sighted].astype(np.float32)
        )
        if warp is not None:
            corners = cv2.perspectiveTransform(model[None, :4].astype(np.float32), warp)[0]
            found.append(_map_or(guess, corners, bar, settings))
    for half, unit in zip((left, right), halves, strict=True):
        if unit < 0.3:
            continue
        bar = float(np.clip(gap / unit, *settings.calibrate.bars))
        x, y = 6 + bar / 2, guess.height / 2
        own = (
            np.array([(-x, y), (-bar / 2, y), (-bar / 2, -y), (-x, -y)])
            if half is left
            else np.array([(bar / 2, y), (x, y), (x, -y), (bar / 2, -y)])
        )
        warp = cv2.getPerspectiveTransform(own.astype(np.float32), px[half].astype(np.float32))
        field = np.array([[(-x, y), (x, y), (x, -y), (-x, -y)]], np.float32)
        corners = cv2.perspectiveTransform(field, warp)[0]
        found.append(_map_or(guess, corners, bar, settings))
    return found


def _map_or(guess: BoardMap, corners: npt.ArrayLike, bar: float, settings: Thresholds) -> BoardMap:
    """The map of these corners, or the guess again when no camera could see them so."""
    try:
        return from_corners(corners, guess.size, bar=bar, settings=settings.geometry)
    except GeometryError:
        return guess


def refine(
    pixels: Pixels,
    board_map: BoardMap,
    corners: CornerNetwork,
    settings: Thresholds = DEFAULT,
    *,
    corners_too: bool = True,
) -> BoardMap:
    """One round of correction: the bar's width and, unless they were given, the corners."""
    upright = board_map.facing(0)
    corrected = _corrected(
        upright, *see_corners(pixels, upright, corners), settings, corners_too=corners_too
    )
    return corrected.facing(board_map.orientation, board_map.sure_of_orientation)


def _corrected(
    upright: BoardMap,
    places: F64,
    sure: F64,
    settings: Thresholds,
    *,
    corners_too: bool = True,
) -> BoardMap:
    weight = np.where(sure > settings.calibrate.corner, sure, 0.0)
    corners = upright.corners()
    assumed = half_corners(upright)[:, :2]
    shift = places - assumed
    if corners_too and (weight[:4] > 0).sum() >= 2:
        # A corner that cannot be seen moves with the others.
        common = (shift[:4] * weight[:4, None]).sum(0) / weight[:4].sum()
        moved = assumed[:4] + np.where(weight[:4, None] > 0, shift[:4], common)
        corners = upright.project(np.concatenate([moved, np.zeros((4, 1))], 1))
    bar = upright.bar
    wider = np.array([1.0, -1.0, -1.0, 1.0]) * shift[4:, 0]
    if (weight[4:] > 0).sum() >= 2:
        bar = float(
            np.clip(
                bar + 2 * (wider * weight[4:]).sum() / weight[4:].sum(), *settings.calibrate.bars
            )
        )
    return from_corners(
        corners, upright.size, bar=bar, lens=upright.lens, settings=settings.geometry
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
    found, quality = best_fit(frame.pixels, board_map, networks.corners, settings)
    if quality < settings.calibrate.fits_again:
        try:
            found = _search(frame, networks, settings)
        except (BoardNotFound, GeometryError) as error:
            return None, str(error)
    found = found.facing(board_map.orientation)
    if stood is None:
        return found, ""
    straight = canvas(frame.pixels, PreparedMap(found))
    ways = [found, found.turned()]
    alike = [
        float((networks.checkers.read(straight, m.orientation).points * stood).sum()) for m in ways
    ]
    # Of 24 points a board turned round shows few as they were; one not turned nearly all.
    return ways[1 if alike[1] > alike[0] + settings.calibrate.turned_points else 0], ""

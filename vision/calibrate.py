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
from dataclasses import replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from rules.board import Placement, Seating
from vision.arrays import F32, F64, Pixels
from vision.canvas import canvas
from vision.checkers import CheckerReading, evaluate, interpret
from vision.frame import Frame
from vision.geometry import BoardMap, GeometryError, dense_tables, from_corners
from vision.known import explains, geometric_counts
from vision.network import fitted, run, softmax
from vision.settings import DEFAULT, Settings

FINDER_SIZE: Final = (256, 192)
HEAT: Final = (64, 48)
PATCH: Final = 56
PATCH_SCALE: Final = 14.0
"""Pixels of a corner's patch to a point width: two points each way are seen."""
_FLOOR: Final = ((1, -1), (-1, -1), (-1, 1), (1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1))


class BoardNotFound(LookupError):  # noqa: N818  (the name other rooms know)
    """No board could be found; `reason` says why and what to do."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def finder_view(pixels: Pixels) -> tuple[Pixels, float]:
    """The picture shrunk into 256x192 from the top left, the rest black, and by how much it was
    shrunk.
    """
    height, width = pixels.shape[:2]
    factor = min(FINDER_SIZE[0] / width, FINDER_SIZE[1] / height)
    small = cv2.resize(
        pixels,
        (max(1, round(width * factor)), max(1, round(height * factor))),
        interpolation=cv2.INTER_AREA,
    )
    view = np.zeros((FINDER_SIZE[1], FINDER_SIZE[0], 3), np.uint8)
    view[: small.shape[0], : small.shape[1]] = small
    return view, factor


def find_board(
    frame: Frame,
    settings: Settings = DEFAULT,
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
    s = settings.calibrate
    try:
        if corners is not None:
            found = from_corners(corners, frame.size, settings=settings.geometry)
            found = refine(frame.pixels, found, settings, corners_too=False)
            found = with_lens(frame.pixels, found, settings)
        else:
            found = _search(frame, settings)
    except GeometryError as error:
        raise BoardNotFound(str(error)) from error
    if orientation is None:
        orientation = tags_orientation(frame.pixels)
    if orientation is not None:
        return found.facing(orientation)
    reading = interpret(evaluate(canvas(frame.pixels, found)), 0)
    if known is not None:
        counts = geometric_counts(known, seating or Seating())
        turned = interpret(evaluate(canvas(frame.pixels, found)), 180)
        upright, upside = explains(reading, counts), explains(turned, counts)
        if max(upright, upside) < s.unlike_known:
            raise BoardNotFound(
                "the checkers do not stand as said: set the position up, or give the orientation"
            )
        return found.facing(
            0 if upright >= upside else 180, sure=1.0 if abs(upright - upside) > 0.2 else 0.5
        )
    upright_p = orientation_probability(reading)
    return found.facing(0 if upright_p >= 0.5 else 180, sure=max(upright_p, 1 - upright_p))


def tags_orientation(pixels: Pixels) -> int | None:
    """0 or 180 when ArUco tags (4x4, numbers 0-3 on the frame's NW, NE, SE, SW corners) say which
    way the board lies, else None.

    Two tags that agree are enough; tags that contradict each other say nothing.
    """
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50))
    grey = cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY)
    corners, numbers, _ = detector.detectMarkers(grey)
    if numbers is None:
        return None
    at = {
        int(n): np.asarray(c).reshape(-1, 2).mean(0)
        for n, c in zip(np.asarray(numbers).ravel(), corners, strict=True)
        if n < 4
    }
    votes = []
    for a, b, axis in ((0, 1, 0), (3, 2, 0), (0, 3, 1), (1, 2, 1), (0, 2, 0), (3, 1, 0)):
        if a in at and b in at:
            votes.append(bool(at[a][axis] < at[b][axis]))
    return None if not votes or (any(votes) and not all(votes)) else 0 if votes[0] else 180


def _search(frame: Frame, settings: Settings) -> BoardMap:
    s = settings.calibrate
    view, factor = finder_view(frame.pixels)
    corners, there = locate(view)
    if there < s.there:
        raise BoardNotFound(
            f"no board is to be seen (certainty {there:.2f}): show the whole board, or give its"
            " corners"
        )
    first = from_corners(corners / factor, frame.size, settings=settings.geometry)
    found, quality = best_fit(frame.pixels, first, settings)
    if quality < s.fits:
        raise BoardNotFound(
            "something like a board was found, but its points do not fit (certainty"
            f" {quality:.2f}): give its corners"
        )
    straight = with_lens(frame.pixels, found, settings)
    return straight if straight is found else refine(frame.pixels, straight, settings)


def locate(view: Pixels) -> tuple[F64, float]:
    """Corners TL TR BR BL in a finder view (4 x 2 pixels) and the probability that there is a
    board.
    """
    blob = cv2.dnn.blobFromImage(view, 1 / 64, mean=(127.5, 127.5, 127.5)).astype(
        np.float32, copy=False
    )
    heat, there = run("finder", {"x": blob}, ["heat", "there"])
    return np.array([peak(h) for h in heat[0]]) * 4 + 1.5, float(
        1 / (1 + math.exp(-float(there.ravel()[0])))
    )


def peak(heat: F32) -> tuple[float, float]:
    """The place (x, y in cells) of a corner map's top, weighed with its surroundings."""
    y, x = (int(v) for v in np.unravel_index(int(heat.argmax()), heat.shape))
    y0, x0 = max(0, y - 2), max(0, x - 2)
    near = heat[y0 : y + 3, x0 : x + 3]
    w = np.exp(near - near.max())
    gy, gx = np.mgrid[y0 : y0 + near.shape[0], x0 : x0 + near.shape[1]]
    return float((w * gx).sum() / w.sum()), float((w * gy).sum() / w.sum())


def half_corners(board_map: BoardMap) -> F64:
    """The eight corners of the two halves on the field (8 x 3), in the frame of a map that faces 0:
    outer ones first, TL TR BR BL, then the bar's ends in the same order."""
    x, y, b = board_map.width / 2, board_map.height / 2, board_map.bar / 2
    outer = [(-x, y, 0.0), (x, y, 0.0), (x, -y, 0.0), (-x, -y, 0.0)]
    return np.array([*outer, (b, y, 0.0), (-b, y, 0.0), (-b, -y, 0.0), (b, -y, 0.0)])


def corner_patches(pixels: Pixels, board_map: BoardMap) -> tuple[Pixels, F64]:
    """What the picture shows around each of `half_corners`, mirrored so that the half's own floor
    is always south-east of the corner.

    Returns 8 x PATCH x PATCH x 3 pixels, and for each patch (8 x 4) its middle on the board and the
    direction of its columns and rows.
    """
    upright = board_map.facing(0)
    # Left and right bar ends belong to the other half than their side of the board says: floor lies
    # away from the bar.
    frames = np.array(
        [(x, y, sx, sy) for (x, y, _), (sx, sy) in zip(half_corners(upright), _FLOOR, strict=True)]
    )
    steps = (np.arange(PATCH) - (PATCH - 1) / 2) / PATCH_SCALE
    patches = np.empty((8, PATCH, PATCH, 3), np.uint8)
    for k, (x, y, sx, sy) in enumerate(frames):
        look_x, look_y = dense_tables(upright, x + sx * steps, y + sy * steps, 0.0, step=11)
        patches[k] = cv2.remap(
            pixels, look_x, look_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
    return patches, frames


def patch_places(board: F64, frames: F64) -> F64:
    """Board points (8 x 2), one for each patch, as patch pixels (column, row)."""
    return (board[:, :2] - frames[:, :2]) * frames[:, 2:] * PATCH_SCALE + (PATCH - 1) / 2


def see_corners(pixels: Pixels, board_map: BoardMap) -> tuple[F64, F64]:
    """Where each half's corner truly is (8 x 2, board units of an upright map) and how sure that is
    (8, 0-1).
    """
    patches, frames = corner_patches(pixels, board_map)
    blob = cv2.dnn.blobFromImages(list(patches), 1 / 64, mean=(127.5, 127.5, 127.5)).astype(
        np.float32, copy=False
    )
    likely = softmax(run("corners", {"x": blob}, ["out"])[0])
    side = PATCH // 2
    at = (
        np.array([peak(np.log(np.maximum(row[:-1], 1e-12)).reshape(side, side)) for row in likely])
        * 2
        + 0.5
    )
    # Sure is what lies within two pixels or so of the top; a flat map is sure of nothing.
    near = np.array(
        [
            cv2.boxFilter(row[:-1].reshape(side, side), -1, (5, 5), normalize=False).max()
            for row in likely
        ]
    )
    at -= np.array(fitted("corners")["bias"])[[0, 0, 0, 0, 1, 1, 1, 1]]
    return (at - (PATCH - 1) / 2) / PATCH_SCALE * frames[:, 2:] + frames[:, :2], np.clip(
        near.astype(np.float64), 0, 1
    )


def best_fit(
    pixels: Pixels, first: BoardMap, settings: Settings = DEFAULT
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
            places, sure = see_corners(pixels, guess)
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
        quality = _agreement(guess, *see_corners(pixels, guess), settings)
        if quality > best_quality:
            best, best_quality = guess, quality
    return best, best_quality


def _agreement(guess: BoardMap, places: F64, sure: F64, settings: Settings) -> float:
    """Corners seen where the map has them, on a board of the proportions that boards have."""
    proportion = guess.height / guess.width
    shape = (
        proportion - float(np.clip(proportion, *settings.calibrate.aspects))
    ) / settings.calibrate.aspect_sd
    off = np.linalg.norm(places - half_corners(guess)[:, :2], axis=1)
    return float((sure * np.exp(-((off / 0.15) ** 2))).mean() * math.exp(-0.5 * shape**2))


def _proposals(guess: BoardMap, places: F64, sure: F64, settings: Settings) -> list[BoardMap]:
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


def _map_or(guess: BoardMap, corners: npt.ArrayLike, bar: float, settings: Settings) -> BoardMap:
    """The map of these corners, or the guess again when no camera could see them so."""
    try:
        return from_corners(corners, guess.size, bar=bar, settings=settings.geometry)
    except GeometryError:
        return guess


def refine(
    pixels: Pixels, board_map: BoardMap, settings: Settings = DEFAULT, *, corners_too: bool = True
) -> BoardMap:
    """One round of correction: the bar's width and, unless they were given, the corners."""
    upright = board_map.facing(0)
    corrected = _corrected(
        upright, *see_corners(pixels, upright), settings, corners_too=corners_too
    )
    return corrected.facing(board_map.orientation, board_map.sure_of_orientation)


def _corrected(
    upright: BoardMap,
    places: F64,
    sure: F64,
    settings: Settings,
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


def with_lens(pixels: Pixels, board_map: BoardMap, settings: Settings = DEFAULT) -> BoardMap:
    """The map with the lens's first radial error (k1) where the rails are seen to be bent; the same
    map where they are not.

    The four corners say nothing of the lens. The bar's ends do: they lie on the rails half way
    between the corners, and a lens that squeezes the corners leaves them outside the straight line.
    Where the two rails disagree the bow is doubted by as much.
    """
    s = settings.calibrate
    upright = board_map.facing(0)
    places, sure = see_corners(pixels, upright)
    ends = half_corners(upright)[4:, :2]
    outward = np.sign(ends[:, 1]) * (places[4:, 1] - ends[:, 1])
    weight = np.where(sure[4:] > s.corner, sure[4:], 0.0).reshape(2, 2)
    if (weight.sum(1) == 0).any():
        return board_map
    rails = (outward.reshape(2, 2) * weight).sum(1) / weight.sum(1)
    bow, doubt = float(rails.mean()), math.hypot(s.bow_sd, float(rails[0] - rails[1]) / 2)
    if abs(bow) < s.bow:
        return board_map
    bent = [_bent(upright, float(k), settings) for k in np.linspace(-0.4, 0.16, 15)]
    costs = [
        ((_bow(upright, m) - bow) / doubt) ** 2 + 2 * math.log1p((m.lens[0] / s.lens_sd) ** 2)
        for m in bent
    ]
    best = bent[int(np.argmin(costs))]
    return (
        best.facing(board_map.orientation, board_map.sure_of_orientation)
        if best.lens[0]
        else board_map
    )


def _bent(upright: BoardMap, k1: float, settings: Settings) -> BoardMap:
    """The map of the same corners seen through a lens of that radial error."""
    lens = (round(k1, 3), 0.0, 0.0, 0.0, 0.0)
    return from_corners(
        upright.corners(), upright.size, bar=upright.bar, lens=lens, settings=settings.geometry
    )


def _bow(straight: BoardMap, bent: BoardMap) -> float:
    """How far outside the straight map's rails the bar's ends of a bent map lie, board units."""
    ends = half_corners(straight)[4:, :2]
    at = straight.unproject(bent.project(half_corners(bent)))[4:]
    return float((np.sign(ends[:, 1]) * (at[:, 1] - ends[:, 1])).mean())


def relocate(frame: Frame, board_map: BoardMap, settings: Settings = DEFAULT) -> BoardMap | None:
    """A known board that was pushed, looked for around where it was; None when it is not there.

    The orientation stays.
    """
    found, quality = best_fit(frame.pixels, board_map, settings)
    return found.facing(board_map.orientation) if quality >= settings.calibrate.fits_again else None


def orientation_probability(reading: CheckerReading) -> float:
    """Probability that the picture shows south at the bottom, for a reading made as if it did.

    Two witnesses: trays and borne-off checkers lie east; and the light set bears off on the south
    side. The second is the custom of the data sets (light sits at the bottom), no law:
    `orientation` or `known` overrule it.
    """
    kinds = np.arange(31)
    light = reading.points @ np.where(kinds <= 15, kinds, 0)
    dark = reading.points @ np.where(kinds > 15, kinds - 15, 0)
    bar = reading.bar @ np.arange(6)
    features = np.asarray(np.concatenate([light, dark, bar])[None] / 5, np.float32)
    stands = float(run("orientation", {"x": features}, ["out"])[0].ravel()[0])
    beside = math.log(max(reading.east_right, 1e-6) / max(1 - reading.east_right, 1e-6))
    return float(
        1 / (1 + math.exp(-(stands + beside + float(fitted("checkers")["upright_prior"]))))
    )

"""A board's map from a first guess: the eight corners of its halves are looked for where the guess
has them, the guess is corrected by what is seen, and again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.arrays import F64, Mask, Pixels
from vision.corners import CornerNetwork, half_corners, see_corners
from vision.geometry import BoardMap, GeometryError, from_corners
from vision.settings import DEFAULT, Thresholds

_LEFT: Final = (0, 5, 6, 3)
_RIGHT: Final = (4, 1, 2, 7)
"""The corners of each half among the eight, TL TR BR BL."""


@dataclass(frozen=True, slots=True, eq=False)
class CornerFit:
    """A map and what is seen of its eight corners (`corners.half_corners`).

    `places`: where they are seen, board units; `sure`: how surely (0-1), 0 beyond the picture;
    `quality`: how well the map has them where they are seen (0-1), on a board of the proportions
    that boards have.
    """

    board_map: BoardMap
    places: F64
    sure: F64
    inside: Mask
    quality: float

    @property
    def corner_quality(self) -> F64:
        """For each of the eight: seen where the map has it (0-1)."""
        off = np.linalg.norm(self.places - half_corners(self.board_map)[:, :2], axis=1)
        return np.asarray(self.sure * np.exp(-((off / _OFF) ** 2)), np.float64)

    def of_any_shape(self) -> CornerFit:
        """The same judged by its corners alone, whatever its proportions."""
        seen = float(self.corner_quality.sum()) / max(int(self.inside.sum()), 4)
        return replace(self, quality=seen)

    def implied(self, least: float) -> F64:
        """Where the corners that are seen (in their places by `least` or more) say that all eight
        are (8 x 2, board units); the map's own places when they are too few to say.
        """
        model = half_corners(self.board_map)[:, :2]
        seen = self.corner_quality >= least
        if int(seen.sum()) < 5:
            return model
        warp, _ = cv2.findHomography(
            model[seen].astype(np.float32), self.places[seen].astype(np.float32)
        )
        if warp is None:
            return model
        at = cv2.perspectiveTransform(model[None].astype(np.float32), warp)[0]
        return np.asarray(at, np.float64)


_OFF: Final = 0.15
"""Distance between a corner seen and the map's, point widths, that makes a map doubtful."""


def fit_of(
    pixels: Pixels, guess: BoardMap, corners: CornerNetwork, settings: Thresholds = DEFAULT
) -> CornerFit:
    """How well a map that faces 0 fits a picture."""
    places, sure = see_corners(pixels, guess, corners)
    # The picture's own edge looks like a rail: of what lies beyond it nothing is seen.
    at = guess.project(half_corners(guess))
    margin = settings.calibrate.edge * guess.unit_pixels
    inside = ((at > margin) & (at < np.array(guess.size) - 1 - margin)).all(1)
    sure = np.where(inside, sure, 0.0)
    proportion = guess.height / guess.width
    shape = (
        proportion - float(np.clip(proportion, *settings.calibrate.aspects))
    ) / settings.calibrate.aspect_sd
    fit = CornerFit(guess, places, sure, np.asarray(inside), 0.0).of_any_shape()
    return replace(fit, quality=fit.quality * math.exp(-0.5 * shape**2))


def best_fit(
    pixels: Pixels, first: BoardMap, corners: CornerNetwork, settings: Thresholds = DEFAULT
) -> CornerFit:
    """The map near a first guess whose eight corners are seen best.

    A guess half a point off may take a tray's wall for the rail. Then one half of the board still
    fits: each half alone says where the other must be, and looking there settles it.
    """
    s = settings.calibrate
    best = fit_of(pixels, first.facing(0), corners, settings)
    frontier = [best]
    for _ in range(s.rounds):
        seen: list[CornerFit] = []
        before = best.quality
        for fit in frontier:
            for guess in _proposals(fit, settings):
                found = fit_of(pixels, guess, corners, settings)
                seen.append(found)
                if found.quality > best.quality:
                    best = found
                # What all corners say together is seldom bettered by what one half says.
                whole = bool((found.corner_quality >= s.corner_seen).all())
                if best.quality > (s.fits_plainly if found is best and whole else s.fits_well):
                    break
        if best.quality > s.fits_plainly and best.quality - before < s.fits_better:
            break
        seen.sort(key=lambda f: -f.quality)
        frontier = [best] if best.quality > s.fits_well else seen[:2]
    return best


def _proposals(fit: CornerFit, settings: Thresholds) -> list[BoardMap]:
    """Maps that the places seen speak for: all corners by least squares, the four outer ones alone,
    or one half's corners carried over to the other. The likeliest first.
    """
    guess, places = fit.board_map, fit.places
    px = guess.project(np.c_[places, np.zeros(8)])
    corrected_ = corrected(fit, settings)
    found = []
    sighted = np.flatnonzero(fit.sure > settings.calibrate.corner)
    if len(sighted) >= 6:
        # All that are seen: their errors average.
        bar = corrected_.bar
        model = half_corners(replace(guess, bar=bar))[:, :2]
        warp, _ = cv2.findHomography(
            model[sighted].astype(np.float32), px[sighted].astype(np.float32)
        )
        if warp is not None:
            outer = cv2.perspectiveTransform(model[None, :4].astype(np.float32), warp)[0]
            found.append(_map_or(guess, outer, bar, settings))
    found.append(corrected_)
    gap = float(np.mean(places[[4, 7], 0]) - np.mean(places[[5, 6], 0]))
    for half in (_LEFT, _RIGHT):
        h = list(half)
        if not fit.inside[h].all():
            continue
        unit = float(np.mean(places[h[1:3], 0]) - np.mean(places[[h[0], h[3]], 0])) / 6
        if unit < 0.3:
            continue
        bar = float(np.clip(gap / unit, *settings.calibrate.bars))
        x, y = 6 + bar / 2, guess.height / 2
        near, far = (-x, -bar / 2) if half is _LEFT else (bar / 2, x)
        own = np.array([(near, y), (far, y), (far, -y), (near, -y)], np.float32)
        warp = cv2.getPerspectiveTransform(own, px[h].astype(np.float32))
        field = np.array([[(-x, y), (x, y), (x, -y), (-x, -y)]], np.float32)
        found.append(_map_or(guess, cv2.perspectiveTransform(field, warp)[0], bar, settings))
    return found


def _map_or(guess: BoardMap, corners: npt.ArrayLike, bar: float, settings: Thresholds) -> BoardMap:
    """The map of these corners, or the guess again when no camera could see them so."""
    try:
        return from_corners(
            corners, guess.size, bar=bar, lens=guess.lens, settings=settings.geometry
        )
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
    fit = fit_of(pixels, board_map.facing(0), corners, settings)
    found = corrected(fit, settings, corners_too=corners_too)
    return found.facing(board_map.orientation, board_map.sure_of_orientation)


def corrected(fit: CornerFit, settings: Thresholds, *, corners_too: bool = True) -> BoardMap:
    """The map with its bar and, unless they were given, its corners where they are seen."""
    upright, places = fit.board_map, fit.places
    weight = np.where(fit.sure > settings.calibrate.corner, fit.sure, 0.0)
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

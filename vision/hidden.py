"""A map whose corners are partly hidden: where the whole straightened field says that they are.

Walls, cups and arms hide corners from a low camera. Where too few are seen in their own patches the
field is looked at as a whole, corrected by what that says, and looked at again, until a look moves
nothing. A map found so is believed when that look is sure of nearly all corners and comes back to
them from elsewhere, whatever the patches see: they take a wall's upper edge for the rail. It is
never quite certain of its place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from vision.arrays import F64, Pixels
from vision.corners import half_corners
from vision.dice.crops import local_frame
from vision.fit import CornerFit, fit_of
from vision.geometry import BoardMap, GeometryError, from_corners
from vision.networks import Networks
from vision.settings import DEFAULT, Thresholds
from vision.whole_field import see_field

ROUNDS: Final = 4
HIGHEST_WALL: Final = 1.25
"""Of a folding case, point widths."""


@dataclass(frozen=True, slots=True, eq=False)
class FieldFit:
    """A map that the whole field speaks for, and how it speaks.

    `places`: of the eight corners (`corners.half_corners`), board units; `sure`: of each, 0-1;
    `there`: of a board at all; `moved`: how far the last look would still have moved a corner.
    """

    board_map: BoardMap
    places: F64
    sure: F64
    there: float
    moved: float

    def believed(self, settings: Thresholds = DEFAULT) -> bool:
        """Whether the field is sure of all corners but one, and has come to rest."""
        s = settings.calibrate
        rest = self.moved <= s.field_rest and self.there >= s.there
        return rest and float(np.sort(self.sure)[1]) >= s.field_sure


def fit_by_field(
    pixels: Pixels, first: BoardMap, networks: Networks, settings: Thresholds = DEFAULT
) -> FieldFit | None:
    """The map near a first guess that the whole field speaks for; None where no camera could see
    a board as it says.
    """
    board_map = first.facing(0)
    for _ in range(ROUNDS):
        places, sure, there = see_field(pixels, board_map, networks.field)
        model = half_corners(board_map)[:, :2]
        moved = float(np.linalg.norm(places - model, axis=1)[sure >= np.median(sure)].max())
        found = FieldFit(board_map, places, sure, there, moved)
        if moved <= settings.calibrate.field_rest / 2:
            break
        try:
            board_map = _moved_to(board_map, places, sure, settings)
        except GeometryError:
            return None
    return found


def settled(
    pixels: Pixels, first: BoardMap, networks: Networks, settings: Thresholds = DEFAULT
) -> FieldFit | None:
    """The map near a first guess that the whole field is sure of, and comes back to from others;
    None where it is not.

    A wall's upper edge looks like a rail: a map that lies on it is held for right when it is come
    upon, but not when the near edge is taken farther out or in.
    """
    found = fit_by_field(pixels, first, networks, settings)
    if found is None or not found.believed(settings):
        return None
    model = half_corners(found.board_map)
    for by in settings.calibrate.field_shaken:
        shaken = model[:4] + np.array([(0, 0, 0), (0, 0, 0), (0, by, 0), (0, by, 0)])
        corners = found.board_map.project(shaken)
        try:
            other = from_corners(
                corners, first.size, bar=found.board_map.bar, settings=settings.geometry
            )
        except GeometryError:
            return None
        again = fit_by_field(pixels, other, networks, settings)
        if (
            again is None
            or apart(found.board_map, again.board_map) > settings.calibrate.field_apart
        ):
            return None
    return found


def corners_denied(
    pixels: Pixels, board_map: BoardMap, networks: Networks, settings: Thresholds = DEFAULT
) -> int:
    """How many of a map's eight corners the whole field surely has elsewhere. The upper edge of a
    near wall looks like a rail, and the corners along it are then all seen there, each in its
    place. None from a camera so high that no wall moves an edge by more than maps may differ.
    """
    s = settings.calibrate
    if local_frame(board_map, 0.0, 0.0, 0.0)[2] * HIGHEST_WALL <= s.corners_apart:
        return 0
    places, sure, _ = see_field(pixels, board_map.facing(0), networks.field)
    off = np.linalg.norm(places - half_corners(board_map)[:, :2], axis=1)
    return int(((off > s.corners_apart) & (sure >= s.field_sure)).sum())


def apart(one: BoardMap, other: BoardMap) -> float:
    """How far apart two maps of a picture have a corner, in point widths of the first."""
    there = one.unproject(one.corners()) - one.unproject(other.corners())
    return float(np.linalg.norm(there, axis=1).max())


def _moved_to(board_map: BoardMap, places: F64, sure: F64, settings: Thresholds) -> BoardMap:
    """The map with its eight corners where they are seen, each weighed by how surely.

    Raises GeometryError where no camera could see them so.
    """
    unit = float(places[1, 0] - places[0, 0] + places[2, 0] - places[3, 0])
    gap = float(places[4, 0] - places[5, 0] + places[7, 0] - places[6, 0])
    bar = float(np.clip(12 * gap / max(unit - gap, 1e-3), *settings.calibrate.bars))
    model = half_corners(replace(board_map, bar=bar))[:, :2]
    warp = weighed_homography(model, places, sure)
    outer = cv2.perspectiveTransform(model[None, :4], warp)[0]
    corners = board_map.project(np.c_[outer, np.zeros(4)])
    return from_corners(
        corners, board_map.size, bar=bar, lens=board_map.lens, settings=settings.geometry
    )


def weighed_homography(model: F64, places: F64, sure: F64) -> F64:
    """The 3x3 map of the plane that takes `model` (N x 2) nearest to `places` (N x 2), each pair
    weighed. Source: the direct linear transform, Hartley and Zisserman, 4.1.
    """
    middle, size = places.mean(0), float(np.abs(model).max())
    a, b = model / size, (places - middle) / size
    rows = []
    for (x, y), (u, v), w in zip(a, b, np.sqrt(np.maximum(sure, 1e-4)), strict=True):
        rows.append(w * np.array([x, y, 1, 0, 0, 0, -u * x, -u * y, -u]))
        rows.append(w * np.array([0, 0, 0, x, y, 1, -v * x, -v * y, -v]))
    h = np.linalg.svd(np.array(rows))[2][-1].reshape(3, 3)
    before = np.diag([1 / size, 1 / size, 1.0])
    after = np.array([[size, 0, middle[0]], [0, size, middle[1]], [0, 0, 1.0]])
    found = after @ h @ before
    return np.asarray(found / found[2, 2], np.float64)


def polished(
    pixels: Pixels, found: FieldFit, networks: Networks, settings: Thresholds = DEFAULT
) -> CornerFit:
    """The map of a field, its corners exactly where they are seen in their own patches and, of
    those that are hidden, where the whole field says; less than sure of its place.
    """
    board_map = replace(found.board_map, sure_of_place=1.0)
    fit = fit_of(pixels, board_map, networks.corners, settings)
    seen = (fit.corner_quality >= settings.calibrate.corner_seen) & fit.inside
    places = np.where(seen[:, None], fit.places, found.places)
    try:
        board_map = _moved_to(board_map, places, np.where(seen, 1.0, found.sure**2 / 4), settings)
    except GeometryError:
        return fit
    return fit_of(pixels, board_map, networks.corners, settings)

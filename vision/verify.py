"""Whether a board that seems to be found may be believed: why not, and what to change.

A map whose corners are wrong by half a point reads nonsense with full certainty. So a map is
believed only where its corners are seen, each half's, and where what is read on it can be.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from vision.arrays import Pixels
from vision.checkers import CheckerReading, kind_counts
from vision.corners import half_corners
from vision.dice.crops import local_frame
from vision.finding_settings import CalibrateSettings
from vision.fit import CornerFit
from vision.settings import DEFAULT, Thresholds

CORNERS: Final = ("top left", "top right", "bottom right", "bottom left")
_FLAT: Final = 1.43
"""Slant of a camera 35 degrees above the table."""
_TELLING: Final = 0.35
"""A map that fits less says nothing of the camera either."""
_DIM: Final = 45.0
"""Mean brightness of a field, 0-255, below which more light is the first thing to try."""


def doubt_of_corners(pixels: Pixels, fit: CornerFit, settings: Thresholds = DEFAULT) -> str:
    """Why a map may be wrong by half a point or more, and what to do; "" where it is not."""
    s = settings.calibrate
    quality = fit.corner_quality
    seen = quality >= s.corner_seen
    hidden = [k for k in range(4) if fit.inside[k] and quality[k] < s.corner_hidden]
    if int(fit.inside.sum()) < s.corners_needed:
        return (
            "part of the board is out of the picture: move the camera back until the whole board"
            " is seen with a hand's breadth around it"
        )
    # A corner that is hidden is where the others say: if the map has it elsewhere, one is wrong.
    apart = fit.implied(s.corner_seen) - half_corners(fit.board_map)[:, :2]
    agreed = float(np.linalg.norm(apart[:4], axis=1).max()) <= s.corners_apart
    plain = fit.quality >= s.fits_plainly and int(seen.sum()) >= s.corners_needed
    if plain and agreed and len(hidden) <= 1:
        return ""
    if hidden and fit.quality >= s.fits:
        corners = ", ".join(CORNERS[k] for k in hidden)
        return (
            f"corners of the board are not to be seen ({corners}): take away what lies over them,"
            " and show the whole board"
        )
    return _what_to_change(pixels, fit)


def _what_to_change(pixels: Pixels, fit: CornerFit) -> str:
    board_map = fit.board_map
    found = f"something like a board was found, but its points do not fit ({fit.quality:.2f}): "
    corners = board_map.corners().astype(int)
    (left, top), (right, bottom) = corners.min(0).clip(0), corners.max(0).clip(0)
    field = pixels[top : bottom + 1 : 4, left : right + 1 : 4]
    if field.size and float(field.max(2).mean()) < _DIM:
        return found + "switch a lamp on"
    if not fit.inside.all():
        return found + "move the camera back until the whole board is seen"
    if fit.quality > _TELLING and local_frame(board_map, 0.0, 0.0, 0.0)[2] > _FLAT:
        return found + "raise the camera, it looks along the table"
    return found + "show the whole board from above, or give its corners"


def doubt_of_reading(reading: CheckerReading, settings: CalibrateSettings) -> str:
    """Why what is read cannot stand on a board, and what to do; "" where it can."""
    sure = np.flatnonzero(reading.points.max(1) >= settings.sure_point)
    light = dark = 0
    for point in sure:
        of_light, of_dark = kind_counts(int(reading.points[point].argmax()))
        # How high a pile is, is often one wrong; that it is one of five is not.
        light, dark = light + min(of_light, 5), dark + min(of_dark, 5)
    if max(light, dark) <= settings.most_checkers:
        return ""
    return (
        f"{max(light, dark)} checkers of one colour are seen where a set has fifteen: the board's"
        " corners are taken wrongly, show the whole board or give them"
    )

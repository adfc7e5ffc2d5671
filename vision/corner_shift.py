"""Whether a board still lies where it lay: each corner of its rails is looked for around its place
in the shrunk picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.arrays import F32, F64, Pixels
from vision.geometry import BoardMap
from vision.thumb import PIECE, Places

_SEARCH: Final = 7
_ALIKE: Final = 0.75
"""Correlation below which a corner is covered or too changed to tell."""
_FAR: Final = 0.0003
"""Correlation by which a place must be better for each squared pixel that it is farther away."""
_TELLING: Final = 4.0
"""Least standard deviation of a corner's brightness: an even table looks alike everywhere."""


@dataclass(frozen=True, slots=True)
class CornerShift:
    """One corner that can be told from its surroundings: how far it has moved (x, y in shrunk
    pixels), None when it is not to be seen around its place.
    """

    number: int
    moved: tuple[float, float] | None

    @property
    def far(self) -> float:
        """The distance moved, 0 where the corner is not seen."""
        return float(np.hypot(*self.moved)) if self.moved is not None else 0.0


def corner_pieces(now: Pixels, places: Places) -> tuple[Pixels, ...]:
    """What a shrunk picture shows around each corner, grey."""
    grey = np.asarray(cv2.cvtColor(now, cv2.COLOR_BGR2GRAY), np.uint8)
    return tuple(grey[y : y + PIECE, x : x + PIECE].copy() for x, y in places.corners)


def corner_shifts(then: tuple[Pixels, ...], now: Pixels, places: Places) -> list[CornerShift]:
    """Each corner that can tell, as it was `then`, looked for in the picture of now.

    The field is cut out, since checkers come and go there. Correlation does not mind the light.
    """
    height, width = now.shape[:2]
    found = []
    for number, (piece, mask, (x, y)) in enumerate(
        zip(then, places.rails, places.corners, strict=True)
    ):
        if piece.shape != (PIECE, PIECE) or float(piece[mask > 0].std()) < _TELLING:
            continue
        left, top = max(0, x - _SEARCH), max(0, y - _SEARCH)
        around = now[top : min(height, y + PIECE + _SEARCH), left : min(width, x + PIECE + _SEARCH)]
        scores = cv2.matchTemplate(
            cv2.cvtColor(around, cv2.COLOR_BGR2GRAY), piece, cv2.TM_CCOEFF_NORMED, mask=mask
        )
        likeness: F32 = np.where(np.isfinite(scores), scores, -1).astype(np.float32)
        rows, columns = np.indices(likeness.shape)
        # Along an edge one place is as like as the next: then the nearest is meant.
        far = (columns - (x - left)) ** 2 + (rows - (y - top)) ** 2
        row, column = np.unravel_index(int((likeness - _FAR * far).argmax()), likeness.shape)
        if likeness[row, column] <= _ALIKE:
            found.append(CornerShift(number, None))
            continue
        dx = column - (x - left) + _vertex(likeness[row], int(column))
        dy = row - (y - top) + _vertex(likeness[:, column], int(row))
        found.append(CornerShift(number, (float(dx), float(dy))))
    return found


def board_shift(shifts: list[CornerShift]) -> float:
    """How far the board has moved, shrunk pixels: the second largest of the corners seen, 0 when
    fewer than two are.
    """
    seen = sorted(c.far for c in shifts if c.moved is not None)
    return seen[-2] if len(seen) >= 2 else 0.0


def moved_with(board_map: BoardMap, shifts: list[CornerShift], places: Places) -> BoardMap | None:
    """The map moved, turned and scaled as its corners were seen to move; None when fewer than three
    are seen or they disagree.
    """
    seen = [c for c in shifts if c.moved is not None]
    if len(seen) < 3:
        return None
    at = np.array([places.corners[c.number] for c in seen], np.float64) + PIECE / 2
    to = at + np.array([c.moved for c in seen])
    # Similarity by least squares: x' = a x - b y + c, y' = b x + a y + d.
    rows: F64 = np.zeros((2 * len(at), 4))
    rows[0::2] = np.c_[at[:, 0], -at[:, 1], np.ones(len(at)), np.zeros(len(at))]
    rows[1::2] = np.c_[at[:, 1], at[:, 0], np.zeros(len(at)), np.ones(len(at))]
    a, b, c, d = (float(v) for v in np.linalg.lstsq(rows, to.ravel(), rcond=None)[0])
    error = np.abs(rows @ np.array([a, b, c, d]) - to.ravel()).max()
    if error > 0.5:
        return None
    k = places.shrink
    centre = (k - 1) / 2
    warp = np.array([[a, -b, c * k], [b, a, d * k], [0, 0, 1]])
    # Shrunk pixel p is picture pixel p k + (k - 1) / 2.
    to_middle = np.array([[1, 0, -centre], [0, 1, -centre], [0, 0, 1]])
    return board_map.warped(np.linalg.inv(to_middle) @ warp @ to_middle)


def _vertex(line: F32, at: int) -> float:
    """Where between samples the parabola through a peak and its neighbours has its top, -0.5 to
    0.5.
    """
    if not 0 < at < len(line) - 1:
        return 0.0
    a, b, c = float(line[at - 1]), float(line[at]), float(line[at + 1])
    return 0.0 if a - 2 * b + c >= 0 else 0.5 * (a - c) / (a - 2 * b + c)

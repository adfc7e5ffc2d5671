"""What is new on the board since it was last at rest, and what of it may stay: a hand is waited
for; a disc in a tray, a cup, a shadow and the place that a hand has left are not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import F64, Mask
from vision.settings import SteadySettings
from vision.thumb import Places

CoverNow = Callable[[], Mask]
"""Asks for the places (of the shrunk picture) that a hand or a thing covers now. It costs a pass of
the checker network, so it is asked only where it decides something."""


@dataclass(frozen=True, slots=True, eq=False)
class Stirred:
    """`hand`: why the board is not at rest, "" when it may be. `settled`: where what is new is
    there to stay, or was never there.
    """

    hand: str
    settled: Mask | None = None


def stirred(
    changed: Mask, covered_then: Mask, still: F64, look: CoverNow, places: Places, s: SteadySettings
) -> Stirred:
    """What the changes since the last rest are. `covered_then`: what was covered at that rest;
    `still`: for how long each place has not changed, s.
    """
    pieces = _crossing(changed, places, s)
    if not pieces:
        return Stirred("")
    settled = np.zeros_like(changed)
    for piece in pieces:
        mask = piece.mask
        if float(np.median(still[mask])) < s.still_for:
            return Stirred(piece.why)
        covered = look()
        area = float((mask & covered & places.near).sum()) / places.unit**2
        if area > s.hand_cover:
            wait = s.ghost_after if piece.arm else s.settle_arm
        elif float((mask & covered_then).sum()) / places.unit**2 > s.hand_cover:
            wait = s.still_for
        else:
            wait = s.settle_arm if piece.arm else s.settle
        settled |= mask & (still >= wait)
    left = _crossing(changed & ~settled, places, s)
    return Stirred(left[0].why if left else "", settled)


@dataclass(frozen=True, slots=True, eq=False)
class _Crossing:
    """A connected piece of change that a hand may be. `arm`: it reaches to the picture's edge or
    far beyond the rails.
    """

    mask: Mask
    arm: bool
    why: str


def _crossing(changed: Mask, places: Places, s: SteadySettings) -> list[_Crossing]:
    """Pieces that reach from beyond the rails into the field, or are too large for checkers."""
    solid = cv2.morphologyEx(changed.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    solid = cv2.dilate(solid, np.ones((2, 2), np.uint8))
    count, labels = cv2.connectedComponents(solid)
    unit = places.unit**2

    def areas(part: Mask) -> F64:
        return np.asarray(np.bincount(labels[part], minlength=count) / unit, np.float64)

    across = (areas(places.near) > s.hand_field) & (areas(places.beyond) > s.hand_outside)
    large = areas(places.field) > s.hand_alone
    arm = areas(places.far) > 0
    found = []
    for number in np.flatnonzero(across | large):
        if number:
            why = "a hand is over the board" if across[number] else "something covers the field"
            found.append(_Crossing(labels == number, bool(arm[number]), why))
    return found

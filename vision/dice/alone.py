"""Dice in a picture without a board: on a table, in a tower's tray, in a phone's close-up.

Nothing says how large a point is here, nor how the camera stands. So the finder looks at the
picture at several sizes, from dice as large as a third of it to ten pixels, and the reader is shown
each place as if seen from above and as if from a player's seat; the surer look counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from rules.observation import DieStatus
from vision.arrays import Pixels
from vision.dice.dice import CandidateReading, DiceReader, read_candidates
from vision.dice.find import EDGE, Candidate, DiceFinder, Spot, spots_in
from vision.settings import DEFAULT, DiceSettings, Thresholds

_TILTS: Final = (0.0, 40.0)
"""Degrees from straight above at which each place is read."""
_ANCHOR: Final = 0.95
"""Certainty of a die that says how large the others are …"""
_SMALLER: Final = 0.45
"""… at least, as a share of its edge: the far end of a table looks half as large."""
_STEP: Final = 1.6
"""Ratio of one size of dice looked for to the next: the finder knows edges of 6 to 14 pixels."""


@dataclass(frozen=True, slots=True)
class LoneDie:
    """One die of a picture without a board: `values`: probability of faces 1-6; `pixel`: its
    middle; `edge`: pixels; `certainty`: that there is a die; `lies`: probability of each way.
    """

    values: tuple[float, ...]
    pixel: tuple[float, float]
    edge: float
    certainty: float
    lies: Mapping[DieStatus, float]


def find_dice_alone(
    pixels: Pixels, finder: DiceFinder, reader: DiceReader, settings: Thresholds = DEFAULT
) -> tuple[LoneDie, ...]:
    """Every die in a picture of which nothing else is known, the surest first."""
    found: list[CandidateReading] = []
    for spots in _looks(pixels, finder, settings.dice):
        for tilt in _TILTS:
            places = [_candidate(spot, tilt) for spot in spots]
            found += read_candidates(pixels, places, reader, settings.dice)
    kept = _whole([one for one in found if one.die >= settings.dice.found_alone])
    return tuple(
        LoneDie(
            one.values,
            one.pixel,
            one.edge_pixels,
            one.die,
            one.lies,
        )
        for one in kept
    )


def _whole(found: Sequence[CandidateReading]) -> list[CandidateReading]:
    """Each die once, the surest first: what lies on a larger one is its pip or its side, and what
    is far smaller than a sure one is no die of the same throw.
    """
    sizes = [one.edge_pixels for one in found if one.die >= _ANCHOR]
    least = max(sizes, default=0.0) * _SMALLER
    kept: list[CandidateReading] = []
    for one in sorted(found, key=lambda one: -one.die):
        if one.edge_pixels < least:
            continue
        larger = [
            other
            for other in found
            if other.edge_pixels > 1.25 * one.edge_pixels
            and other.die > min(one.die, _ANCHOR) - 0.03
        ]
        part = any(math.dist(one.pixel, o.pixel) < 0.8 * o.edge_pixels for o in larger)
        again = any(
            math.dist(one.pixel, o.pixel) < 0.6 * max(one.edge_pixels, o.edge_pixels) for o in kept
        )
        if not part and not again:
            kept.append(replace(one, values=_values(one, found)))
    return kept


def _values(one: CandidateReading, found: Sequence[CandidateReading]) -> tuple[float, ...]:
    """What the looks at one die say together of its face."""
    looks = [
        o
        for o in found
        if math.dist(o.pixel, one.pixel) < 0.25 * one.edge_pixels
        and 0.75 < o.edge_pixels / one.edge_pixels < 1.33
    ]
    return tuple(np.average([o.values for o in looks], 0, [o.die for o in looks]).tolist())


def _looks(pixels: Pixels, finder: DiceFinder, settings: DiceSettings) -> Iterator[Sequence[Spot]]:
    """Places that look like dice, for each size of dice that is looked for."""
    height, width = pixels.shape[:2]
    box = (0, 0, width, height)
    edge = settings.readable
    while edge < 0.35 * min(width, height):
        factor = EDGE / edge
        if factor * max(width, height) <= settings.largest_alone:
            yield spots_in(pixels, box, factor, finder, settings)
        edge *= _STEP


def _candidate(spot: Spot, tilt: float) -> Candidate:
    """A place as a camera tilted by so many degrees would see a die of one unit's edge there."""
    angle = math.radians(tilt)
    axes = np.array([[spot.edge, 0.0], [0.0, -spot.edge * math.cos(angle)]])
    return Candidate(spot.pixel, spot.edge, 1.0, spot.logits, 0.0, 0.0, axes, math.tan(angle))

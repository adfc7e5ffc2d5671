"""Dice seen from a low camera, where one die shows two faces as large as each other: the finder
then marks its top and its front, or the front alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.dice.crops import TALLEST
from vision.dice.find import Candidate
from vision.settings import DiceSettings

if TYPE_CHECKING:
    from vision.dice.dice import CandidateReading

Read = Callable[[Sequence[Candidate]], "tuple[CandidateReading, ...]"]
"""What each place is and shows."""

DICE: Final = 2
"""So many are thrown at once."""
LEAST: Final = 0.01
"""What is less likely a die where it was seen is not looked at higher up. Of 480 and 384 dice on
painted boards, 43 to 68 and 30 to 46 degrees above the table, none was lost by it, and 5 and 62
places are taken for dice that are none, where 9 and 71 were; the first of these by
`python -m tests.bench painted_dice first=1460 boards=30 throws=8 oblique=1`.
"""


def each_die_once(
    candidates: Sequence[Candidate],
    readings: tuple[CandidateReading, ...],
    read: Read,
    settings: DiceSettings,
) -> tuple[CandidateReading, ...]:
    """The readings of the candidates, in their order: of those seen from a low camera each that
    may be a die is looked at a little higher too, and of two places one right above the other,
    nearer than two dice can lie, one is no die; where there would be more than two dice, of two
    places no farther apart than two faces of one.

    The same as given where no candidate is seen so.
    """
    low = [k for k, one in enumerate(candidates) if one.slant > TALLEST]
    if not low:
        return readings
    best = list(readings)
    # Nothing is worth more than one: what is nearly so where it was seen stays. What is hardly a
    # die there is hardly ever one higher up.
    raised = [k for k in low if best[k].die >= LEAST and _worth(best[k]) + settings.better < 1]
    for height in settings.higher:
        places = [_raised(candidates[k], height) for k in raised]
        for k, higher in zip(raised, read(places), strict=True):
            if _worth(higher) > _worth(best[k]) + settings.better:
                best[k] = higher
    kept: list[int] = []
    for k in sorted(range(len(best)), key=lambda k: -_worth(best[k])):
        if k in low and any(_one_die(candidates[k], candidates[o], settings) for o in kept):
            best[k] = replace(best[k], die=0.0)
        elif best[k].die >= settings.found:
            kept.append(k)
    for n, k in reversed(list(enumerate(kept))):
        # Two are thrown: a third that touches one of them is hardly ever there.
        if len(kept) <= DICE:
            break
        if k in low and any(_may_be_one(candidates[k], candidates[o], settings) for o in kept[:n]):
            best[k] = replace(best[k], die=0.0)
            del kept[n]
    return tuple(best)


def _raised(one: Candidate, height: float) -> Candidate:
    """The place so many edges nearer to where the top would be if this were the front."""
    x, y = one.axes[:, 1] * (one.edge * height)
    return replace(one, pixel=(one.pixel[0] + float(x), one.pixel[1] + float(y)))


def _worth(reading: CandidateReading) -> float:
    """How surely it is a die that shows one certain face."""
    return reading.die * max(reading.values)


def _one_die(a: Candidate, b: Candidate, settings: DiceSettings) -> bool:
    """Whether one place lies so in the picture as the front of a die that lies at the other."""
    across, up = _between(a, b)
    return across < settings.above and up < settings.apart


def _may_be_one(a: Candidate, b: Candidate, settings: DiceSettings) -> bool:
    """Whether two places may be faces of one die, or two dice that touch: no farther apart than a
    top and the middle of a front or of a side.
    """
    across, up = _between(a, b)
    reach = settings.apart * (1 + max(a.slant, b.slant)) / 2
    return math.hypot(across / settings.beside, up / reach) < 1


def _between(a: Candidate, b: Candidate) -> tuple[float, float]:
    """How far apart two places are, in edges: across and upwards in the picture."""
    off = np.array(a.pixel) - np.array(b.pixel)
    across, up = np.abs(np.linalg.solve(a.axes, off)) / max(a.edge, b.edge)
    return float(across), float(up)

"""Dice seen from a low camera, where one die shows two faces as large as each other: the finder
then marks its top and its front, or the front alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from vision.dice.crops import TALLEST
from vision.dice.find import Candidate
from vision.settings import DiceSettings

if TYPE_CHECKING:
    from vision.dice.dice import CandidateReading

Read = Callable[[Sequence[Candidate]], "tuple[CandidateReading, ...]"]
"""What each place is and shows."""


def each_die_once(
    candidates: Sequence[Candidate],
    readings: tuple[CandidateReading, ...],
    read: Read,
    settings: DiceSettings,
) -> tuple[CandidateReading, ...]:
    """The readings of the candidates, in their order: of those seen from a low camera each is
    looked at a little higher too, and of two places one right above the other, nearer than two dice
    can lie, one is no die.

    The same as given where no candidate is seen so.
    """
    low = [k for k, one in enumerate(candidates) if one.slant > TALLEST]
    if not low:
        return readings
    best = list(readings)
    # Nothing is worth more than one: what is nearly so where it was seen stays.
    raised = [k for k in low if _worth(best[k]) + settings.better < 1]
    places = [_raised(candidates[k], settings) for k in raised]
    for k, higher in zip(raised, read(places), strict=True):
        if _worth(higher) > _worth(best[k]) + settings.better:
            best[k] = higher
    kept: list[int] = []
    for k in sorted(range(len(best)), key=lambda k: -_worth(best[k])):
        if k in low and any(_one_die(candidates[k], candidates[o], settings) for o in kept):
            best[k] = replace(best[k], die=0.0)
        elif best[k].die >= settings.found:
            kept.append(k)
    return tuple(best)


def _raised(one: Candidate, settings: DiceSettings) -> Candidate:
    """The place so much nearer to where the top would be if this were the front."""
    x, y = one.axes[:, 1] * (one.edge * settings.higher)
    return replace(one, pixel=(one.pixel[0] + float(x), one.pixel[1] + float(y)))


def _worth(reading: CandidateReading) -> float:
    """How surely it is a die that shows one certain face."""
    return reading.die * max(reading.values)


def _one_die(a: Candidate, b: Candidate, settings: DiceSettings) -> bool:
    """Whether one place lies so in the picture as the front of a die that lies at the other."""
    off = np.array(a.pixel) - np.array(b.pixel)
    across, up = np.abs(np.linalg.solve(a.axes, off)) / max(a.edge, b.edge)
    return bool(across < settings.above and up < settings.apart)

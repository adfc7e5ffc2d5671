"""What a person says of a film that was read: what stood where at some frame, after which dice. Put
among what was seen, so that the rest is explained with it. Pure.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from rules.board import Placement
from rules.dice import ROLLS, Roll
from service.reconcile.arrays import Logs
from service.reconcile.codes import CODES, SITES, codes_of
from service.reconcile.reel import Still, Throw

_NEVER: Final = -40.0
"""Log-likelihood of what a person says was not so."""
_BEFORE: Final = 1e-3
"""Seconds by which the dice lay there before their play was made."""
_ALL: Final = np.arange(SITES)


@dataclass(frozen=True, slots=True)
class Correction:
    """At the frame of this number `placement` stood, made of `roll` where dice are said. A play
    that was never made is put right by what stood there without it.
    """

    frame: int
    placement: Placement
    roll: Roll | None = None


def with_corrections(
    stills: Sequence[Still], throws: Sequence[Throw], corrections: Iterable[Correction]
) -> tuple[tuple[Still, ...], tuple[Throw, ...]]:
    """The stills and throws as a person saw them."""
    reel, dice = list(stills), list(throws)
    for said in sorted(corrections, key=lambda c: c.frame):
        first = max(0, bisect_right([s.frame for s in reel], said.frame) - 1)
        _say(reel, first, said.placement)
        if said.roll is not None:
            at = reel[first].at - _BEFORE
            rolls = np.full(len(ROLLS), _NEVER)
            rolls[ROLLS.index(said.roll)] = 0.0
            dice.append(Throw(reel[first].frame, at, reel[first].at, rolls, 1.0))
    return tuple(reel), tuple(sorted(dice, key=lambda throw: throw.at))


def _say(reel: list[Still], first: int, placement: Placement) -> None:
    """Nothing; the still shows this placement for certain, and so do later ones where a site is
    still misread as it was.
    """
    codes = codes_of(placement)
    certain: Logs = np.full((SITES, CODES), _NEVER, np.float32)
    certain[_ALL, codes] = 0.0
    was = np.where(reel[first].seen, reel[first].logs.argmax(1), -1)
    reel[first] = replace(reel[first], logs=certain, seen=np.ones(SITES, np.bool_))
    misread = (was >= 0) & (was != codes)
    for number in range(first + 1, len(reel)):
        still = reel[number]
        same = misread & still.seen & (still.logs.argmax(1) == was)
        # A site that reads something new was touched: from there on it speaks for itself.
        misread &= same | ~still.seen
        if not misread.any():
            return
        if same.any():
            logs = still.logs.copy()
            logs[same] = certain[same]
            reel[number] = replace(still, logs=logs)


def is_corrected(frame: int, stills: Sequence[Still], corrections: Iterable[Correction]) -> bool:
    """Whether a person said what stood at the still that begins with this frame."""
    frames = [s.frame for s in stills]
    until = next((f for f in frames if f > frame), math.inf)
    return any(frame <= c.frame < until for c in corrections)

"""One film explained again and again, with ever more put right: only what comes after the first
thing that is not as it was is read anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from rules.position import Position
from service.reconcile.beam import Beam
from service.reconcile.histories import Marked
from service.reconcile.reel import Costs, ReadTurn, Still, Throw


class FilmReader:
    """Reads stills and throws of one film, and remembers how it came to what it read last."""

    def __init__(self) -> None:
        self._stills: Sequence[Still] = ()
        self._throws: Sequence[Throw] = ()
        self._presses: Sequence[float] | None = None
        self._marks: list[Marked] = []
        self.begun = 0
        """The still from which on the film was read the last time."""

    def read(
        self,
        stills: Sequence[Still],
        throws: Sequence[Throw],
        presses: Sequence[float] | None,
        tuning: Costs,
        starts: Iterable[Position],
    ) -> tuple[ReadTurn, ...]:
        """The turns that explain it best: those that a first reading of it finds."""
        kept = self._as_before(stills, throws) if presses == self._presses else 0
        marks = [mark for mark in self._marks if mark.still <= kept]
        self.begun = marks[-1].still if marks else 0
        # What the stories noted since the last mark is taken back: other marks are of no use then.
        self._stills, self._throws, self._presses, self._marks = stills, throws, presses, marks
        return Beam(stills, throws, presses, tuning, marks).read(starts)

    def _as_before(self, stills: Sequence[Still], throws: Sequence[Throw]) -> int:
        """How many stills from the first on tell what they told the last time."""
        same = _alike(self._stills, stills)
        first = _alike(self._throws, throws)
        others = [*self._throws[first : first + 1], *throws[first : first + 1]]
        until = min((throw.at for throw in others), default=math.inf)
        return next((k for k in range(same) if stills[k].until >= until), same)


def _alike(some: Sequence[Still | Throw], others: Sequence[Still | Throw]) -> int:
    """How many of them are the same, from the first on."""
    pairs = enumerate(zip(some, others, strict=False))
    return next((n for n, (a, b) in pairs if not _same(a, b)), min(len(some), len(others)))


def _same(one: Still | Throw, other: Still | Throw) -> bool:
    """Whether both say the same; most are the same thing."""
    if one is other:
        return True
    if (one.frame, one.at, one.until) != (other.frame, other.at, other.until):
        return False
    if isinstance(one, Still) and isinstance(other, Still):
        return np.array_equal(one.logs, other.logs) and np.array_equal(one.seen, other.seen)
    if isinstance(one, Throw) and isinstance(other, Throw):
        return one.valid == other.valid and np.array_equal(one.rolls, other.rolls)
    return False

"""What the board was read as when each line of a game was settled.

Once the record is put right, that tells since which line it was wrong: what stood otherwise then
was read so already.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from rules.board import OFF, Placement
from service.reconcile.codes import Codes, codes_of, is_tall
from service.reconcile.denial import read_alike
from service.reconcile.evidence import Evidence


@dataclass(frozen=True, slots=True, eq=False)
class LineRead:
    """One line of the record, by the number of its entry: what it has on each site (26,), and what
    every source that saw the site read there, -1 where none did.
    """

    seq: int
    recorded: Codes
    read: Codes


@dataclass(frozen=True, slots=True)
class LinesRead:
    """The lines of a game as they were read, the latest last."""

    lines: tuple[LineRead, ...] = ()

    def settled(self, seq: int, placement: Placement, evidence: Evidence) -> Self:
        """The same with one more line, which left this placement, by what was seen of it."""
        recorded = codes_of(placement)
        line = LineRead(seq, recorded, read_alike(evidence, recorded))
        return replace(self, lines=(*self.lines, line))

    def corrected(self, seq: int, placement: Placement, *, rewinds: bool) -> Self:
        """The same once a line is said to have left another placement; where that `rewinds`, none
        that came after it was.
        """
        kept = [line for line in self.lines if line.seq <= seq or not rewinds]
        recorded = codes_of(placement)
        return replace(
            self,
            lines=tuple(
                replace(line, recorded=recorded) if line.seq == seq else line for line in kept
            ),
        )

    def without(self, seq: int) -> Self:
        """The same without one line, which was taken back."""
        return replace(self, lines=tuple(line for line in self.lines if line.seq != seq))

    def wrong_since(self, recorded: Placement, right: Placement) -> int | None:
        """The first of the lines after which the board was read as it is `right`, and not as it was
        `recorded`, at the places where these differ; None where the last line was read as it is on
        record. What is off is not read, nor does the height of a tall pile deny anything.
        """
        apart = codes_of(right) - codes_of(recorded)
        places = np.flatnonzero(apart)
        places = places[places != OFF]
        found = None
        for line in reversed(self.lines):
            read, on_record = line.read[places], line.recorded[places]
            seen = read >= 0
            so = seen & (read - on_record == apart[places])
            if np.any(seen & ~so & ~is_tall(read) & ~is_tall(on_record)):
                break
            if np.any(so):
                found = line.seq
        return found

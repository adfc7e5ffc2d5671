"""What stands on the board as it goes on being read, turn after turn, against the record.

A lasting misread of one source is believed, else a lamp would stop the table. But a wrong line of
the record looks the same from then on, and every turn after it is wrong in silence. What tells the
two apart, as far as anything does, is that what is read could stand there: no side has more
checkers than it has, and none that was borne off is back. Then people are asked to compare.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from rules.board import BAR, OFF, Placement, Side
from service.reconcile.arrays import Bools
from service.reconcile.codes import (
    CODES,
    ONE_CHECKER,
    SITES,
    TALL,
    Codes,
    checkers_of,
    codes_of,
    placement_from,
)
from service.reconcile.evidence import Evidence
from service.reconcile.told_turns import BORNE_OUT


@dataclass(frozen=True, slots=True, eq=False)
class Denial:
    """How many placements in a row were settled that each site (26,) was read against, and of which
    sites people have heard since. `placement`: the record with what is read where that has lasted
    and nobody has heard of it yet.
    """

    turns: npt.NDArray[np.int16] = field(default_factory=lambda: np.zeros(SITES, np.int16))
    told: Bools = field(default_factory=lambda: np.zeros(SITES, np.bool_))
    placement: Placement | None = None

    def settled(self, evidence: Evidence, placement: Placement) -> Denial:
        """The same after one more play has left this placement, by what was seen of it."""
        codes = codes_of(placement)
        read = _read(evidence, codes)
        denied = (read >= 0) & (read != codes)
        turns = np.where(denied, self.turns + 1, np.where(read < 0, self.turns, 0))
        told = self.told & (denied | (read < 0))
        news = denied & (turns > BORNE_OUT) & ~told
        stands = _could_stand(codes, np.where(news, read, codes)) if news.any() else None
        return Denial(turns.astype(np.int16), told, stands)

    def heard(self) -> Denial:
        """The same, once people have heard of it."""
        return replace(self, told=self.told | (self.turns > BORNE_OUT), placement=None)

    @staticmethod
    def said(evidence: Evidence, placement: Placement) -> Denial:
        """What is denied of a placement that a person has just said: that is known."""
        read, codes = _read(evidence, codes_of(placement)), codes_of(placement)
        return Denial(told=(read >= 0) & (read != codes))


def _read(evidence: Evidence, recorded: Codes) -> Codes:
    """What every source that sees a site reads there alike (26,), -1 where none sees it. Where one
    bears out the record, and of piles that nobody counts, the bar and what is off: as recorded.
    """
    sites = np.arange(SITES)
    read = np.full(SITES, -1, np.int16)
    unlike = np.zeros(SITES, np.bool_)
    for witness in evidence.witnesses:
        if witness.rests < evidence.tuning.full_readings:
            continue
        against = -witness.mean.reshape(SITES, CODES)[sites, recorded]
        denies = against >= evidence.tuning.differs_nats
        now = np.where(denies, witness.reads, recorded)
        sees = witness.frames > 0
        unlike |= sees & (read >= 0) & (read != now)
        read = np.where(sees, now, read).astype(np.int16)
    for side in Side:
        unlike |= np.maximum(checkers_of(read, side), checkers_of(recorded, side)) >= TALL
    unlike[[OFF, BAR]] = True
    result: Codes = np.where(unlike & (read >= 0), recorded, read).astype(np.int16)
    return result


def _could_stand(recorded: Codes, read: Codes) -> Placement | None:
    """The placement as it is read, what is missing being off; None where more checkers are read
    than there are, or one that was borne off would be back.
    """
    codes: Codes = read.astype(np.int16)
    for side in Side:
        gone = int(checkers_of(recorded, side).sum()) - int(checkers_of(codes, side).sum())
        if gone < 0:
            return None
        codes[OFF] += gone * ONE_CHECKER[side]
    return placement_from(codes)

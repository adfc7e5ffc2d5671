"""What stands on the board as it goes on being read, turn after turn, against the record.

A lasting misread of one source is believed, else a lamp would stop the table. But a wrong line of
the record looks the same from then on, and every turn after it is wrong in silence. What tells the
two apart, as far as anything does, is that what is read could stand there: no side has more
checkers than it has, and none that was borne off is back. Then people are asked to compare.

What is read there and goes on being one apart from the record while checkers come and go is no
misread: none follows a play. Nor is a checker that is missing from a few that were read rightly
before, and that nobody has moved by the record. Where that began with a line that nobody was sure
of, or soon after one, or where one checker is missing here and is one too many there, the record is
put right without a word from people, who may say that it was otherwise. So it is where a line of
which nobody knows how it came to stand has left what was never read since: the record has guessed;
and where it began with such a line of the side whose pile reads one lower from then on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from rules.board import BAR, OFF, POINTS, Placement, Side
from service.reconcile.arrays import Bools
from service.reconcile.codes import (
    CODES,
    ONE_CHECKER,
    SITES,
    TALL,
    Codes,
    checkers_of,
    codes_of,
    is_tall,
    placement_from,
)
from service.reconcile.evidence import Evidence
from service.reconcile.since_throw import PILE
from service.reconcile.told_turns import BORNE_OUT

HIGHEST: Final = TALL + 1
"""Where more checkers are read nothing is told by how they go on being read: who counts such a pile
too low does so before and after a checker comes or goes.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Denial:
    """How many placements in a row were settled that each site (26,) was read against, and of which
    sites people have heard since. `placement`: the record with what is read where that has lasted
    and nobody has heard of it yet. `right`: the record put right where it is wrong for sure.
    """

    turns: npt.NDArray[np.int16] = field(default_factory=lambda: np.zeros(SITES, np.int16))
    told: Bools = field(default_factory=lambda: np.zeros(SITES, np.bool_))
    placement: Placement | None = None
    right: Placement | None = None
    recorded: Codes = field(default_factory=lambda: np.full(SITES, -1, np.int16))
    """What the record had at each site (26,) when the site was last seen, -1 before that."""
    apart: Codes = field(default_factory=lambda: np.zeros(SITES, np.int16))
    """By how much (26,) what was read then was apart from it."""
    followed: Bools = field(default_factory=lambda: np.zeros(SITES, np.bool_))
    """Where that has stayed the same though checkers came or went: no misread follows a play."""
    doubted: Bools = field(default_factory=lambda: np.zeros(SITES, np.bool_))
    """Where it began with a line that was in doubt itself, or soon after one."""
    stood: Bools = field(default_factory=lambda: np.zeros(SITES, np.bool_))
    """Where it began although the record has there what was read there rightly before."""
    sure_for: int = BORNE_OUT
    """So many lines nobody doubted since the last that was in doubt."""
    unknown: Bools = field(default_factory=lambda: np.zeros(SITES, np.bool_))
    """Of which sites (26,) nobody knows how they came to stand: since a line of which nobody does,
    until checkers come or go there and it reads so."""
    guessed: Bools = field(default_factory=lambda: np.zeros(SITES, np.bool_))
    """Which of them such a line has changed, and have never read so: the record has guessed."""
    lowered: Bools = field(default_factory=lambda: np.zeros(SITES, np.bool_))
    """Where it began with such a line of the very side that stands there, which no play explains,
    as one fewer than had been read before: its hand may have taken one."""
    piles: npt.NDArray[np.int16] = field(default_factory=lambda: np.zeros(SITES, np.int16))
    """How many placements in a row each pile (26,) that nobody counts well was counted one higher
    or lower, alike by all, since it was counted right."""
    right_before: Bools = field(default_factory=lambda: np.zeros(SITES, np.bool_))
    """Where (26,) what was counted last was what is on record."""

    def settled(
        self,
        evidence: Evidence,
        placement: Placement,
        *,
        in_doubt: bool = False,
        unexplained: Side | None = None,
        played: bool = False,
        kept: Sequence[Side] = (),
    ) -> Denial:
        """The same after one more play has left this placement, by what was seen of it; `in_doubt`:
        nobody is sure of that line; `unexplained`: whose it was, where nobody knows how it came to
        stand, though a play of some roll may have `played` it so. `kept`: the sides of which
        nothing may be borne off there.
        """
        codes = codes_of(placement)
        counted = read_alike(evidence, codes)
        # A checker that lay between two points is put straight in the next turn.
        sure_for = 0 if in_doubt or unexplained else self.sure_for + 1
        unknown, so = self.unknown | (unexplained is not None), _reads_so(evidence, codes)
        guessed = self.guessed & ~so
        changed = ~so & (codes != self.recorded) & (self.recorded >= 0)
        if unexplained is not None:
            guessed |= changed
        elif in_doubt:
            # A pile that reads lower after a likely play may be misread.
            guessed |= changed & ~is_tall(codes) & ~is_tall(self.recorded)
        read = _read(counted, codes, unknown | guessed)
        seen = read >= 0
        denied = seen & (read != codes)
        begins = denied & (self.turns == 0)
        turns = np.where(denied, self.turns + 1, np.where(seen, 0, self.turns)).astype(np.int16)
        apart = read - codes
        stays = denied & ~begins & (apart == self.apart)
        followed = np.where(seen, stays & (self.followed | (codes != self.recorded)), self.followed)
        doubted = np.where(begins, sure_for <= BORNE_OUT, self.doubted & (denied | ~seen))
        stood = np.where(begins, codes == self.recorded, self.stood & (denied | ~seen))
        lowered = self.lowered & (denied | ~seen) & ~begins
        if unexplained is not None and not played:
            fewer = read == codes - ONE_CHECKER[unexplained]
            lowered |= begins & stood & fewer & _read_so_before(evidence, codes)
        lasting = denied & (turns > BORNE_OUT)
        follows = followed | (stood & _is_short(codes, read))
        wrong = lasting & (guessed | lowered | (doubted & follows))
        wrong |= _was_moved(codes, read, lasting)
        wrong &= ~is_tall(read, HIGHEST + 1)
        piles = self._piles(codes, counted)
        moved = _moved_together(codes, counted, np.where(denied & stood, turns, piles))
        wrong |= moved
        read = np.where(moved, counted, read)
        told = self.told & (denied | ~seen)
        return Denial(
            turns,
            told,
            _could_stand(codes, read, lasting & ~told, kept, counted),
            _could_stand(codes, read, wrong, kept, counted),
            np.where(seen, codes, self.recorded).astype(np.int16),
            np.where(seen, apart, self.apart).astype(np.int16),
            followed,
            doubted,
            stood,
            sure_for,
            unknown & (denied | ~seen | (codes == self.recorded)),
            guessed,
            lowered,
            piles,
            np.where(counted >= 0, counted == codes, self.right_before),
        )

    def _piles(self, codes: Codes, counted: Codes) -> npt.NDArray[np.int16]:
        """The same as `piles` after one more placement."""
        apart = np.abs(counted - codes)
        one = np.logical_or.reduce([apart == ONE_CHECKER[side] for side in Side])
        one &= (counted >= 0) & (is_tall(codes) | is_tall(counted))
        goes_on = one & ((self.piles > 0) | self.right_before)
        number = np.where(goes_on, self.piles + 1, np.where(counted >= 0, 0, self.piles))
        return np.asarray(number, np.int16)

    def heard(self) -> Denial:
        """The same, once people have heard of it."""
        told = self.told | (self.turns > BORNE_OUT)
        return replace(self, told=told, placement=None, right=None)

    @property
    def is_new(self) -> bool:
        """Whether nothing was settled yet."""
        return bool((self.recorded < 0).all())

    @staticmethod
    def resumed(before: Placement, sure_for: int) -> Denial:
        """What is denied where a table was opened again in the midst of a game: the record had this
        placement `before` the next line, and so many lines nobody doubted.
        """
        return Denial(recorded=codes_of(before), sure_for=sure_for)

    @staticmethod
    def said(evidence: Evidence, placement: Placement) -> Denial:
        """What is denied of a placement that a person has just said: that is known."""
        codes = codes_of(placement)
        read = _read(read_alike(evidence, codes), codes, np.zeros(SITES, np.bool_))
        return Denial(told=(read >= 0) & (read != codes))


def read_alike(evidence: Evidence, recorded: Codes) -> Codes:
    """What every source that sees a site reads there alike (26,), -1 where none sees it. Where one
    bears out the record, and where they differ: as recorded.
    """
    sites = np.arange(SITES)
    read = np.full(SITES, -1, np.int16)
    unlike = np.zeros(SITES, np.bool_)
    tuning = evidence.tuning
    least = np.where(is_tall(recorded), tuning.accuse_source_nats, tuning.differs_nats)
    for witness in evidence.witnesses:
        if witness.rests < evidence.tuning.full_readings:
            continue
        against = -witness.mean.reshape(SITES, CODES)[sites, recorded]
        denies = against >= least
        now = np.where(denies, witness.reads, recorded)
        sees = witness.frames > 0
        unlike |= sees & (read >= 0) & (read != now)
        read = np.where(sees, now, read).astype(np.int16)
    result: Codes = np.where(unlike & (read >= 0), recorded, read).astype(np.int16)
    return result


def _reads_so(evidence: Evidence, recorded: Codes) -> Bools:
    """Where (26,) sources look, and every one of them reads what is on record likeliest."""
    seen, so = np.zeros(SITES, np.bool_), np.ones(SITES, np.bool_)
    for witness in evidence.witnesses:
        if witness.rests >= evidence.tuning.full_readings:
            sees = witness.frames > 0
            seen |= sees
            so &= ~sees | (witness.reads == recorded)
    return np.asarray(seen & so, np.bool_)


def _read_so_before(evidence: Evidence, recorded: Codes) -> Bools:
    """Where (26,) every source that looks read what is on record when that was last settled."""
    so = np.ones(SITES, np.bool_)
    for witness in evidence.witnesses:
        so &= (witness.frames == 0) | (witness.read_as == recorded)
    return so


def _read(counted: Codes, recorded: Codes, unknown: Bools) -> Codes:
    """What was counted (26,), but of the bar, what is off and piles that nobody counts: as
    recorded. A pile says something only as one fewer than is on record, where nobody knows how that
    came to stand (`unknown`).
    """
    unlike = is_tall(counted) | is_tall(recorded)
    one_fewer = [counted == recorded - ONE_CHECKER[side] for side in Side]
    unlike &= ~(unknown & np.logical_or.reduce(one_fewer))
    unlike[[OFF, BAR]] = True
    result: Codes = np.where(unlike & (counted >= 0), recorded, counted).astype(np.int16)
    return result


def _is_short(recorded: Codes, read: Codes) -> Bools:
    """Where (26,) fewer checkers are read than are on record, of so few that nobody miscounts."""
    short = np.ones(SITES, np.bool_)
    for side in Side:
        n = checkers_of(recorded, side)
        short &= (checkers_of(read, side) <= n) & (n < PILE)
    return short & (read >= 0)


def _was_moved(recorded: Codes, read: Codes, where: Bools) -> Bools:
    """Where (26,) a side reads one checker fewer and, as often, one more than is on record, of so
    few that nobody miscounts: no misread does both.
    """
    found = np.zeros(SITES, np.bool_)
    for side in Side:
        n, other = checkers_of(recorded, side), checkers_of(recorded, side.other)
        few = where & (np.maximum(n, other) < PILE) & (checkers_of(read, side.other) == other)
        apart = np.where(few, checkers_of(read, side).astype(np.int16) - n, 0)
        if apart.min() == -1 and apart.max() == 1 and apart.sum() == 0:
            found |= apart != 0
    return found


def _moved_together(recorded: Codes, counted: Codes, since: npt.NDArray[np.int16]) -> Bools:
    """Where (26,) a side is counted one checker lower than is on record, and in one other place, a
    pile perhaps, one higher since the very same line (`since`: for how many lines, 0 where not): no
    two misreads begin at once and make up for each other.
    """
    found = np.zeros(SITES, np.bool_)
    for side in Side:
        one = np.int16(ONE_CHECKER[side])
        for lines in np.unique(since[since > BORNE_OUT]):
            fewer = np.flatnonzero((since == lines) & (counted == recorded - one))
            more = np.flatnonzero((since == lines) & (counted == recorded + one))
            if len(fewer) == len(more) == 1:
                found[[fewer[0], more[0]]] = True
    return found


def _could_stand(
    recorded: Codes, read: Codes, where: Bools, kept: Sequence[Side], counted: Codes
) -> Placement | None:
    """The placement as recorded but as it is read at some sites, what is missing being off; None
    where that is nowhere, or more checkers are read than there are, or one that was borne off would
    be back. Of a side of which nothing may be borne off (`kept`) nothing ever was, and what is
    missing lies on the one pile that is counted (26,) as so much higher, where there is one.
    """
    if not where.any():
        return None
    codes: Codes = np.where(where, read, recorded).astype(np.int16)
    for side in Side:
        gone = int(checkers_of(recorded, side).sum()) - int(checkers_of(codes, side).sum())
        off = int(checkers_of(codes, side)[OFF])
        if gone < 0 and (side not in kept or off + gone < 0):
            return None
        taller = _taller_by(gone, codes, counted, side) if gone > 0 and side in kept else []
        codes[taller[0] if len(taller) == 1 else OFF] += gone * ONE_CHECKER[side]
    return placement_from(codes)


def _taller_by(number: int, codes: Codes, counted: Codes, side: Side) -> list[int]:
    """The piles of a side that nobody counts well and that are counted as so much higher."""
    here, there = checkers_of(codes, side), checkers_of(counted, side)
    tall = (there >= TALL) & (counted >= 0) & (there - here.astype(np.int16) == number)
    return [site for site in POINTS if tall[site]]

"""The last turns of a live table, remembered as they were seen, and what they tell when the turn in
progress alone does not.

A verdict looks at one turn; where board and record have parted, that is too little: a press was
forgotten, dice were not read, somebody played out of turn. `Recollection` keeps the board at rest
between hands (stills), the dice that lay there and the presses, since a turn or two before this
one; `recall` reads the turns from them with the very filter that reads films (`beam`). It says only
turns that are over, and only as far as no other story comes near.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from rules.board import BySide, Placement, Side
from rules.observation import Condition, Observation
from rules.position import Position
from service.reconcile import likelihood, rolls, tracks
from service.reconcile.arrays import Bools, Nats
from service.reconcile.beam import Beam
from service.reconcile.codes import SITES, Codes, codes_of
from service.reconcile.evidence import Evidence
from service.reconcile.one_turn import AT_ONCE_S, LIVE
from service.reconcile.reel import Still
from service.reconcile.rolls import Area
from service.reconcile.settle import current_voices, seen_by_any
from service.reconcile.told import Anchor, Asked, Recalled
from service.reconcile.told_turns import news
from service.reconcile.tracks import Track
from service.reconcile.tuning import DEFAULT
from service.reconcile.untouched import unopposed

STILL_S: Final = DEFAULT.settle_s
"""A board that rested for less was only crossed by hands."""
MOST_STILLS: Final = 60
"""So many are remembered at the most: some ten turns; a board that is never quiet forgets."""
MOST_TURNS: Final = 3
"""So many turns are looked at, this one and those before it that nobody vouched for: what one side
left is seen again, as a rule, when that side plays again (2-5). A cost that a person chose."""


@dataclass(frozen=True, slots=True, eq=False)
class Recollection:
    """What was seen since the first of the `anchors`, which are this turn's beginning and those of
    the turns before it that nobody vouched for.

    `since`: when what is seen now began to rest or to move; `presses`: whose, and when; `halves`:
    where each side throws, None where people throw where there is room. `looked_at`: when dice that
    lie there were last to be seen; `unlooked`: from when to when they were not, for a while.
    """

    anchors: tuple[Anchor, ...]
    stills: tuple[Still, ...] = ()
    dice: tuple[Track, ...] = ()
    presses: tuple[tuple[Side, float], ...] = ()
    since: float = -math.inf
    halves: BySide[Area] | None = None
    looked_at: float = math.inf
    unlooked: tuple[tuple[float, float], ...] = ()

    def moved_on(self, ended: float) -> bool:
        """Whether the other side has thrown since a turn was ended, and checkers were touched since
        then: what stands there now is no longer what that turn left.
        """
        thrown = [t.first_at for t in self.dice if t.first_at > ended and t.seen_again]
        return bool(thrown) and self.since > min(thrown) + DEFAULT.accuse_settle_s

    def thrown_since(self, began: float) -> int:
        """How many times dice were thrown since a turn began, as far as they were seen."""
        times = sorted(t.first_at for t in self.dice if t.first_at > began and t.seen_again)
        return sum(
            later - earlier > tracks.ONE_THROW_S
            for earlier, later in itertools.pairwise((-math.inf, *times))
        )

    @property
    def last_thrown(self) -> float:
        """When dice were last thrown, as far as they were seen."""
        return max((t.first_at for t in self.dice if t.seen_again), default=-math.inf)

    def left_at(self, evidence: Evidence, ended: float) -> Still | None:
        """The board at rest as a turn left it that was over at a time: as it was last seen before
        dice were thrown over it; None where it did not rest.
        """
        thrown = [t.first_at for t in self.dice if t.first_at > ended and t.seen_again]
        return self.rested_at(evidence, ended - STILL_S, min(thrown, default=ended))

    def rested_at(self, evidence: Evidence, since: float, until: float) -> Still | None:
        """The board at rest at some time of a stretch, as it was last seen then; None where it did
        not rest.
        """
        resting = _still_of(evidence, self.since) if self.since <= until else None
        if resting is not None:
            return resting
        lying = [s for s in self.stills if s.at <= until and s.until >= since]
        return lying[-1] if lying else None

    def stood_since(self, evidence: Evidence, placement: Placement | None = None) -> float | None:
        """Since when the board at rest has stood so, or as it reads now, as far as it was seen;
        None where it does not rest, or stands otherwise. Hands that moved no checker are no matter.
        """
        found, resting = None, _still_of(evidence, self.since)
        if placement is not None:
            codes = codes_of(placement)
        elif resting is not None:
            codes = resting.logs.argmax(axis=1).astype(np.int16)
        for still in reversed((*self.stills, resting) if resting is not None else ()):
            denied = np.where(still.seen, -still.logs[np.arange(SITES), codes], 0)
            if (denied >= evidence.tuning.differs_nats).any():
                break
            found = still.at
        return found

    def has_stood(self, placement: Placement, since: float) -> bool:
        """Whether a board at rest was seen, in this turn and from a time on, to stand everywhere as
        a placement has it: what stands there otherwise was moved after that.
        """
        since = max(since, self.anchors[-1].at)
        lain = (s for s in self.stills if s.until - max(s.at, since) >= STILL_S)
        return any(still.bears_out(placement) for still in lain)

    def seen_otherwise(self, evidence: Evidence, until: float, codes: Codes) -> Nats:
        """The most that a board at rest has said since this turn began, and from before a time on,
        against each site (26,) standing as `codes` (26,) has it, nats.
        """
        stills = [s for s in self.stills if self.anchors[-1].at <= s.at <= until]
        resting = _still_of(evidence, self.since) if self.since <= until else None
        if resting is not None:
            stills.append(resting)
        against: Nats = np.zeros(SITES, np.float32)
        for still in stills:
            denied = np.where(still.seen, -still.logs[np.arange(SITES), codes], 0)
            against = np.maximum(against, denied).astype(np.float32)
        return against

    def began_otherwise(self, evidence: Evidence, settle_s: float, codes: Codes) -> Nats:
        """What the board at rest said when this turn began, or so soon after it (s), against each
        site (26,) standing as `codes` (26,) has it, nats; nothing where it did not rest.
        """
        began = self.anchors[-1].at
        still = self.rested_at(evidence, began, began + settle_s)
        if still is None:
            return np.zeros(SITES, np.float32)
        denied: Nats = np.where(still.seen, -still.logs[np.arange(SITES), codes], 0)
        return denied.astype(np.float32)

    def saw(
        self,
        evidence: Evidence,
        until: float,
        codes: Codes,
        after: float = -math.inf,
        *,
        by_all: bool = False,
    ) -> Bools:
        """The sites (26,) at which a board at rest was seen to stand as `codes` (26,) has it, after
        this turn began, and from before a time on until `after` another; `by_all`: by each source
        that looked.
        """
        since = max(self.anchors[-1].at, after)
        stills = [s for s in self.stills if s.until >= since and s.at <= until]
        resting = _still_of(evidence, self.since) if self.since <= until else None
        found = np.zeros(SITES, np.bool_)
        for still in [*stills, resting] if resting is not None else stills:
            denied = -still.logs[np.arange(SITES), codes]
            stood = still.seen & (denied < evidence.tuning.differs_nats)
            if by_all:
                stood &= np.logical_and.reduce([reads == codes for _, reads in still.reads])
            found |= stood
        return found

    def rests_on_a_guess(self) -> bool:
        """Whether nobody knows how what one of the last turns left came to stand so."""
        return any(anchor.guessed for anchor in self.anchors)

    def cleared_first(self, placement: Placement, least: float) -> Side | None:
        """The side that was last seen for so long, s, to have nothing left of a placement while
        what the other has stood there; None where that was not seen.
        """
        for still in reversed([s for s in self.stills if s.until - s.at >= least]):
            for side in Side:
                if still.bears_out(placement.borne_off(side)) and not still.shows(placement):
                    return side
        return None

    @classmethod
    def begun(cls, position: Position, now: float, taken: bool = False) -> Recollection:
        """A memory that begins with a position that is certain, or was `taken` as it stood. Nobody
        has looked since then where the first picture comes late.
        """
        return cls((Anchor(now, position, taken=taken),), since=now, looked_at=now)

    def with_turn(
        self, position: Position, began: float, certain: bool, guessed: bool = False
    ) -> Recollection:
        """A turn was recorded, and the next began from this position; `certain`: nothing before it
        is to be looked at again; `guessed`: nobody knows how it came to stand so.
        """
        anchors = (*self.anchors, Anchor(began, position, guessed))
        anchors = anchors[-1 if certain else -MOST_TURNS :]
        first = anchors[0].at
        return replace(
            self,
            anchors=anchors,
            stills=tuple(s for s in self.stills if s.until >= first)[-MOST_STILLS:],
            dice=tuple(t for t in self.dice if t.last_at >= first),
            presses=tuple(p for p in self.presses if p[1] > first),
            unlooked=tuple(each for each in self.unlooked if each[1] > first),
        )

    def begun_again(self, position: Position) -> Recollection:
        """The turn in progress is another than was thought: the last one goes on, or the opening
        throw says who plays.
        """
        same = [a for a in self.anchors if a.position == position]
        first = same[-1] if same else Anchor(self.anchors[-1].at, position)
        return replace(self, anchors=(first,))

    def pressed(self, side: Side, at: float) -> Recollection:
        """A clock was pressed."""
        return replace(self, presses=(*self.presses, (side, at))[-MOST_STILLS:])

    def after(self, before: Evidence, evidence: Evidence, seen: Observation) -> Recollection:
        """The memory after one more observation, by the evidence without it and with it."""
        memory = self
        if seen.dice is not None and seen.condition in (Condition.AT_REST, Condition.MOVING):
            still = seen.condition is Condition.AT_REST
            dice = tracks.follow_dice(self.dice, seen.dice, seen.seen_at, still=still)
            memory = replace(self, dice=dice, looked_at=seen.seen_at)
            if seen.seen_at - self.looked_at > evidence.tuning.reach(seen.source).max_age_s:
                unlooked = (*self.unlooked, (self.looked_at, seen.seen_at))
                memory = replace(memory, unlooked=unlooked)
        changed = _changed_at(evidence)
        if changed <= self.since:
            return memory
        stills = self.stills
        rested = _still_of(before, self.since)
        if rested is not None:
            stills = (*stills, rested)[-MOST_STILLS:]
        return replace(memory, stills=stills, since=changed)


def _changed_at(evidence: Evidence) -> float:
    """When a source last saw something move, or a site change, s."""
    times = [float(w.since.max()) for w in evidence.witnesses if w.rests]
    return max([evidence.stirred_at, *times])


def _still_of(evidence: Evidence, since: float) -> Still | None:
    """What the sources at rest say stands there since then; None when it did not rest."""
    sources = [w for w in evidence.witnesses if w.condition is Condition.AT_REST]
    if not sources:
        return None
    until = max(w.seen_at for w in sources)
    if until - since < STILL_S or any(w.condition is Condition.MOVING for w in evidence.witnesses):
        return None
    voices = tuple(v for v in current_voices(evidence, until) if v.speaks.any())
    settled = codes_of(evidence.placement)
    tabled = [(v, likelihood.log_tables(v, settled, evidence.tuning)) for v in voices]
    logs = likelihood.summed_tables(tabled, evidence.tuning)
    logs = (logs - logs.max(axis=1, keepdims=True)).astype(np.float32)
    reads = tuple((v.source, v.witness.reads) for v in voices)
    return Still(-1, since, until, logs, seen_by_any(voices), reads)


def _with_unlooked(
    stills: tuple[Still, ...], unlooked: tuple[tuple[float, float], ...]
) -> tuple[Still, ...]:
    """The stills, those said to be so that are the first after nobody had looked for a while, or
    began meanwhile: another source may have seen them.
    """
    result = list(stills)
    for since, until in unlooked:
        after = [n for n, still in enumerate(stills) if still.at >= since]
        for n in after:
            if stills[n].at < until or n == after[0]:
                result[n] = replace(stills[n], unlooked=(since, until))
    return tuple(result)


def recall(memory: Recollection, evidence: Evidence) -> Recalled | None:
    """The turns that are over and not yet recorded, as far as what was seen tells them for sure;
    None when it tells none.
    """
    resting = _still_of(evidence, memory.since)
    if resting is None:
        return None
    # In a quick game others throw, and the board never rests for longer than between two hands.
    overtaken = memory.thrown_since(memory.anchors[-1].at) > 1
    if not overtaken and resting.until - resting.at < evidence.tuning.accuse_settle_s:
        return None
    first = memory.anchors[0]
    stills = tuple(s for s in (*memory.stills, resting) if s.until >= first.at)
    stills = _with_unlooked(stills, memory.unlooked)
    # What lay there when the first turn began is nobody's throw of these.
    dice = [t for t in memory.dice if t.first_at > first.at - AT_ONCE_S]
    throws = rolls.throws_of(dice, (), evidence.tuning, memory.halves)
    # Another table of this process may have the very times and totals, seen by other sources.
    own = (source.value.encode() + each.tobytes() for source, each in resting.reads)
    reads = b"".join((unopposed(resting.logs).tobytes(), *own))
    seen = tuple((still.at, still.until) for still in stills[:-1])
    shown = tuple((throw.at, int(throw.rolls.argmax())) for throw in throws)
    found = _recall(Asked(memory.anchors, memory.presses, seen, shown, reads, stills, throws))
    if found is None or evidence.verified or resting.bears_out(found.turns[-1].placement):
        return found
    # The first turn began from a word that the board contradicts, and so does the last.
    return None


@functools.lru_cache(maxsize=16)
def _recall(asked: Asked) -> Recalled | None:
    presses = [at for _, at in asked.presses] or None
    beam = Beam(asked.stills, asked.throws, presses, LIVE)
    return news(asked, beam.read([asked.anchors[0].position]))

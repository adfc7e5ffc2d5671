"""What both sensors have said since the last settled placement, fused as far as no game is needed.

`Evidence` keeps, for each source and site, the mean log-likelihood of every pair of counts over a
short window of readings at rest. A window starts anew when something moved or when the site itself
changed. Means, not sums: frames of one camera repeat its mistakes, so a hundred of them weigh as
one (`tuning`). The log tables are arrays of shape (26 sites, 16 White's checkers, 16 Black's); one
that stands in an `Evidence` is never written to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from rules.board import Placement, Side, Site
from rules.observation import Condition, Observation, Source
from service.reconcile import tracks
from service.reconcile.arrays import F32, F64, Bools, Logs
from service.reconcile.codes import CODES, COUNTS, SITES, TALL, Codes, checkers_of, codes_of
from service.reconcile.tracks import Track
from service.reconcile.tuning import DEFAULT, Tuning
from service.reconcile.untouched import between, reads_of, sites_changed, untouched

NEVER = -math.inf

MOVED: Final = -2
"""Read, at places that were not known to be misread so, as a checker that stands elsewhere: it was
moved, and is no misread of the record for as long as it stands so."""

STIRRED = frozenset({Condition.MOVING, Condition.BUMPED})
"""Conditions after which checkers may stand elsewhere."""


@dataclass(frozen=True, slots=True)
class Witness:
    """What one source has said of each site, and when.

    `mean` (26, 16, 16) log-likelihoods, 0 at the best; `frames`, `since`, `last` (26,): readings in
    the window, time of its first and of its last reading (-inf: none). `moved_at`: when it last saw
    something move. `rest_since`: first observation at rest since then, None while moving or blind.
    `rests`: observations at rest since then. `bias` (26,) nats by which it spoke against the
    placement last settled, and `read_as` (26,) the code it read there instead, -1 for none, `MOVED`
    where it told of a checker that was moved: a site that reads as it did when the truth was
    settled has not changed, however wrong it reads.
    """

    source: Source
    mean: Logs
    frames: npt.NDArray[np.int32]
    since: F64
    last: F64
    condition: Condition = Condition.NO_BOARD
    note: str = "nothing seen yet"
    seen_at: float = NEVER
    number: int = -1
    latest: tuple[Logs | None, ...] = (None,) * SITES
    """The last table of each site, by identity: see `log_table`."""
    bias: F32 = field(default_factory=lambda: np.zeros(SITES, np.float32))
    read_as: Codes = field(default_factory=lambda: np.full(SITES, -1, np.int16))
    moved_at: float = NEVER
    rest_since: float | None = None
    rests: int = 0
    held: Codes = field(default_factory=lambda: np.full(SITES, -1, np.int16))
    """What each site (26,) has read since it changed though nothing moved, -1 where it did not: its
    mean says nothing between that and what it read before."""
    watched_since: float | None = None
    """First observation at rest since it last moved or was hidden for a while; a lamp hides no
    hand."""

    @classmethod
    def new(cls, source: Source) -> Witness:
        """A source that has said nothing yet."""
        return cls(
            source,
            np.zeros((SITES, COUNTS, COUNTS), np.float32),
            np.zeros(SITES, np.int32),
            np.full(SITES, NEVER),
            np.full(SITES, NEVER),
        )

    def trusted(self, one: Placement, other: Placement) -> Witness:
        """The witness with nothing that it reads where these differ known for a misread."""
        at, fresh = codes_of(one) != codes_of(other), Witness.new(self.source)
        bias = np.where(at, fresh.bias, self.bias).astype(np.float32)
        return replace(self, bias=bias, read_as=np.where(at, fresh.read_as, self.read_as))

    @property
    def reads(self) -> Codes:
        """What it reads, (26,): the likeliest of each site."""
        result: Codes = self.mean.reshape(SITES, CODES).argmax(axis=1).astype(np.int16)
        return result

    def blind(self, now: float, tuning: Tuning = DEFAULT) -> str:
        """Why this source says nothing now; "" when it does.

        A hand over the board does not make it blind.
        """
        if now - self.seen_at > tuning.reach(self.source).max_age_s:
            return "silent" if self.number >= 0 else "not there"
        return (
            "" if self.condition in (Condition.AT_REST, Condition.MOVING) else self.condition.value
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """Fused evidence of both sensors since the last settled placement.

    `placement`: what stood there when the turn began; `began`: that time; `witnesses`: by source,
    those that ever spoke; `dice`: tracks of the dice seen, those of earlier turns marked `stale`;
    `stirred_at`: when any source last saw something move.
    """

    placement: Placement
    began: float
    witnesses: tuple[Witness, ...] = ()
    dice: tuple[Track, ...] = ()
    stirred_at: float = NEVER
    verified: bool = True
    """The placement was seen standing there, or decided from what was seen; not only said."""
    tuning: Tuning = field(default=DEFAULT, repr=False)

    @classmethod
    def fresh(
        cls,
        placement: Placement,
        now: float,
        previous: Evidence | None = None,
        turn_began: float | None = None,
        tuning: Tuning = DEFAULT,
        verified: bool = True,
        doubted: tuple[Placement, ...] = (),
        guessed: bool = False,
        misread: Bools | None = None,
    ) -> Evidence:
        """Evidence that begins with a settled placement.

        `previous` hands on what the sources saw (the checkers have not moved because a verdict
        fell) and the dice lying there; dice first seen before `turn_began` (time of the press
        that ended the turn; default `now`) are stale: the last roller's. A placement that is not
        `verified` is a person's word that no sensor has borne out: nobody's reading is taken for a
        misread because it says otherwise. Nor where something else may stand there (`doubted`);
        nor, of one that is only `guessed` or at places that no play touched and that were not known
        to be misread so, what tells of a checker that stands elsewhere: it was moved.
        What all sources misread for sure is `misread` (26,), whatever else is doubted.
        """
        if previous is None:
            return cls(placement, now, tuning=tuning)
        began = now if turn_began is None else turn_began
        dice = tuple(kept for track in previous.dice if (kept := track.aged(began)) is not None)
        settled, open_sites = codes_of(placement), np.zeros(SITES, np.bool_)
        for other in doubted:
            open_sites |= codes_of(other) != settled
        return replace(
            previous,
            placement=placement,
            began=began,
            dice=dice,
            witnesses=_with_misreads(previous, settled, verified, open_sites, guessed, misread),
            verified=verified,
        )

    def witness(self, source: Source) -> Witness | None:
        return next((w for w in self.witnesses if w.source is source), None)

    def dice_witness(self) -> Witness | None:
        """The witness that sees dice; None where none ever spoke."""
        return next((w for w in self.witnesses if w.source.kind.sees_dice), None)


def _with_misreads(
    previous: Evidence,
    settled: Codes,
    verified: bool,
    open_sites: Bools,
    guessed: bool,
    misread: Bools | None,
) -> tuple[Witness, ...]:
    """The witnesses with how each reads a placement (26,) that is settled now: `bias`, `read_as`;
    what stands at the `open_sites` (26,) is not known well enough to call anybody's reading wrong,
    nor, where the placement is only `guessed` or at places untouched and not known to be misread
    so, what tells of a checker that stands elsewhere.

    A lasting misread is believed only while exactly one source holds it, or as long as all do that
    were known to. Sources that say the same other thing speak against the record in one voice, and
    go on doing so.
    """
    sites = np.arange(SITES)
    unmoved = settled == codes_of(previous.placement)
    witnesses = [_settled(w, settled) for w in previous.witnesses]
    reads = {w.source: w.reads for w in witnesses}
    knows = {w.source: (w.read_as == reads[w.source]) & unmoved & (w.bias > 0) for w in witnesses}
    result = []
    for witness in witnesses:
        seen, known = witness.frames > 0, knows[witness.source]
        read_as = np.where(seen, reads[witness.source], -1).astype(np.int16)
        against = np.where(seen, -witness.mean.reshape(SITES, CODES)[sites, settled], 0)
        shared = np.zeros(SITES, np.bool_)
        for other in witnesses:
            if other is not witness:
                same = (other.frames > 0) & (reads[other.source] == read_as)
                shared |= same & ~(known & knows[other.source])
        wrong = read_as != settled
        unknown = wrong & (shared if verified else ~known)
        unknown |= wrong & open_sites
        news = seen if guessed else seen & unmoved & ~known
        told = np.where(news, read_as, settled)
        moved = _stand_elsewhere(told, settled)
        # Whoever has surely played its whole roll has not borne off as well: the pile is misread.
        moved |= _gone(told, settled) & (guessed | (witness.read_as == MOVED))
        moved &= ~known
        unknown |= moved
        if misread is not None:
            unknown, moved = unknown & ~misread, moved & ~misread
        result.append(
            replace(
                witness,
                bias=np.where(unknown, 0, against).astype(np.float32),
                read_as=np.where(moved, MOVED, np.where(unknown, -1, read_as)).astype(np.int16),
            )
        )
    return tuple(result)


def _settled(witness: Witness, settled: Codes) -> Witness:
    """The witness without what it read before, where that is settled (26,) to stand there which it
    has read since by itself.
    """
    right = (witness.held == settled) & (witness.held >= 0)
    if not right.any():
        return witness
    mean = witness.mean.copy()
    for site, table in enumerate(witness.latest):
        if right[site] and table is not None:
            mean[site] = table
    held = np.where(right, -1, witness.held).astype(np.int16)
    return replace(witness, mean=mean, held=held)


def _stand_elsewhere(read: Codes, settled: Codes) -> Bools:
    """The sites (26,) of a side that reads fewer here and more there than is settled: no misread
    does both, a checker that was moved does.
    """
    found = np.zeros(SITES, np.bool_)
    for side in Side:
        more = checkers_of(read, side).astype(np.int16) - checkers_of(settled, side)
        if more.min() < 0 < more.max():
            found |= more != 0
    return found


def _gone(read: Codes, settled: Codes) -> Bools:
    """The sites (26,) that read fewer of a side than is settled, where they can be counted."""
    found = np.zeros(SITES, np.bool_)
    for side in Side:
        now = checkers_of(read, side)
        found |= (now < checkers_of(settled, side)) & (now < TALL)
    return found


@lru_cache(maxsize=8192)
def log_table(outcomes: tuple[tuple[int, int, float], ...], floor: float) -> Logs:
    """A site reading as a (16, 16) table of log-likelihoods, 0 at the best pair.

    Pairs beyond 15 are dropped, a malformed value reads as the floor. The same reading gives the
    same array, not to be written to.
    """
    table = np.full((COUNTS, COUNTS), floor, np.float64)
    for white, black, likelihood in outcomes:
        if 0 <= white < COUNTS and 0 <= black < COUNTS and math.isfinite(likelihood):
            table[white, black] = max(likelihood, 1e-300)
    logs = np.log(table)
    result: Logs = (logs - logs.max()).astype(np.float32)
    result.setflags(write=False)
    return result


def observe(evidence: Evidence, observation: Observation, now: float) -> Evidence:
    """The evidence after one more observation.

    One out of order (an older number or time of its source) changes nothing.
    """
    witness = evidence.witness(observation.source) or Witness.new(observation.source)
    if observation.seen_at < witness.seen_at or (
        observation.seen_at == witness.seen_at and observation.number <= witness.number
    ):
        return evidence
    base = replace(
        witness,
        condition=observation.condition,
        note=observation.note,
        seen_at=observation.seen_at,
        number=observation.number,
    )
    dice, stirred = evidence.dice, evidence.stirred_at
    if observation.dice is not None and observation.condition in (
        Condition.AT_REST,
        Condition.MOVING,
    ):
        dice = tracks.follow_dice(
            dice,
            observation.dice,
            observation.seen_at,
            still=observation.condition is Condition.AT_REST,
        )
    base = _watched(base, witness.seen_at, evidence.tuning)
    if observation.condition is Condition.AT_REST:
        base = _with_readings(base, observation, evidence)
    else:
        moved = observation.seen_at if observation.condition in STIRRED else base.moved_at
        # Whatever hid the board, its checkers may have moved meanwhile: the next reading at rest
        # starts anew.
        base = replace(base, rest_since=None, rests=0, moved_at=moved)
        stirred = max(stirred, moved)
    others = tuple(w for w in evidence.witnesses if w.source is not observation.source)
    witnesses = tuple(sorted((*others, base), key=lambda w: w.source.value))
    return replace(evidence, witnesses=witnesses, dice=dice, stirred_at=stirred)


def _watched(witness: Witness, before: float, tuning: Tuning) -> Witness:
    """The witness with since when it has looked at what did not move, after an observation that
    came after one at a time `before`.
    """
    at, condition = witness.seen_at, witness.condition
    since = witness.watched_since if at - before <= tuning.reach(witness.source).max_age_s else None
    if condition is Condition.AT_REST:
        return replace(witness, watched_since=at if since is None else since)
    return replace(witness, watched_since=since if condition is Condition.RELIT else None)


def _with_readings(witness: Witness, observation: Observation, evidence: Evidence) -> Witness:
    """The witness after one more observation at rest. A lasting misread of what is settled ends
    when its site reads right.
    """
    settled, tuning = codes_of(evidence.placement), evidence.tuning
    at = observation.seen_at
    rest = witness.rest_since if witness.rest_since is not None else at
    if not observation.sites:
        return replace(witness, rest_since=rest, rests=witness.rests + 1)
    frames, since, last = witness.frames.copy(), witness.since.copy(), witness.last.copy()
    latest = list(witness.latest)
    # A reader that sees nothing new says the very same again: then the means stay as they are.
    new: dict[Site, Logs] = {}
    for reading in observation.sites:
        table = log_table(reading.outcomes, reading.floor)
        if table is not latest[reading.site]:
            latest[reading.site] = new[reading.site] = table
    sites = np.array([reading.site for reading in observation.sites], np.intp)
    anew = np.zeros(SITES, np.bool_)
    anew[sites] = last[sites] < rest
    mean, held = witness.mean, witness.held
    if new:
        fresh = np.array(list(new), np.intp)
        tables = np.stack(list(new.values()))
        changed = anew[fresh] | sites_changed(mean[fresh], tables, tuning)
        assert witness.watched_since is not None, "it looks"
        # The first pictures after a hand may show its shadow, or a checker that rolls on.
        watched = max(witness.watched_since, evidence.stirred_at) + tuning.settle_s
        unmoved = changed & (last[fresh] >= watched)
        now, stood = reads_of(tables), reads_of(mean[fresh])
        known = (witness.bias > 0)[fresh] & (witness.read_as[fresh] == stood)
        right = known & (now == settled[fresh])
        lifted = observation.dice is not None and tracks.are_lifted(evidence.dice, observation.dice)
        same = untouched(stood, held[fresh], now, unmoved, right, lifted)
        anew[fresh] |= changed & ~(same.alike | same.over)
        count = np.where(anew[fresh], 0, np.minimum(frames[fresh], tuning.window_frames - 1))
        weight = np.where(same.over, 1.0, 1.0 / (count + 1)).astype(np.float32)[:, None, None]
        kept = between(mean[fresh], tables)
        mean, held = mean.copy(), held.copy()
        mean[fresh] = mean[fresh] * (1 - weight) + tables * weight
        mean[fresh] = np.where(same.alike[:, None, None], kept, mean[fresh])
        held[fresh] = np.where(same.alike, now, -1)
    frames[sites] = np.where(
        anew[sites], 1, np.minimum(frames[sites], tuning.window_frames - 1) + 1
    )
    since[sites] = np.where(anew[sites], at, since[sites])
    last[sites] = at
    flat = mean.reshape(SITES, CODES)
    bias, read_as = witness.bias, witness.read_as
    over = (read_as != settled) & (flat.argmax(axis=1) == settled)
    over &= frames >= tuning.full_readings
    if over.any():
        # It reads right by now: read as before once more, it would be news.
        bias = np.where(over, 0, bias).astype(np.float32)
        read_as = np.where(over, settled, read_as).astype(np.int16)
    return replace(
        witness,
        bias=bias,
        read_as=read_as,
        mean=mean,
        latest=tuple(latest),
        frames=frames,
        since=since,
        last=last,
        rest_since=rest,
        rests=witness.rests + 1,
        held=held,
    )


def unseen(witness: Witness) -> tuple[Site, ...]:
    """Sites this source has not read since it came to rest."""
    rest = witness.rest_since if witness.rest_since is not None else math.inf
    return tuple(int(s) for s in np.flatnonzero(witness.last < rest))

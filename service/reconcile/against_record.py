"""What stands on the board, held against the record: since when it has been at rest, and what
explains it when no play of this turn does.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from rules.board import OFF, Placement, Side
from rules.judge import rolls_explaining, turns_explaining
from rules.observation import Condition
from rules.position import Position, PositionError
from service.reconcile import hypotheses, likelihood, recovery, report, rolls
from service.reconcile.answers import Awaiting, Differs, Expectation, Pending
from service.reconcile.arrays import Bools, Nats
from service.reconcile.codes import (
    CODES,
    SITES,
    Codes,
    checkers_of,
    codes_of,
    placement_from,
)
from service.reconcile.evidence import Evidence
from service.reconcile.memory import misses_one
from service.reconcile.recall import Recollection, recall
from service.reconcile.reel import Still
from service.reconcile.settle import Voice, current_voices
from service.reconcile.tracks import Track
from service.reconcile.weigh import Weighed

MOVING_ON_S: Final = 12.0
"""So long the next turn may take to tell what the one before it was, s; a cost a person chose."""


def quiet_s(evidence: Evidence, expectation: Expectation, weighed: Weighed, now: float) -> float:
    """For how long nothing has changed, s, counted from the end of the turn at the earliest."""
    ended = expectation.since + expectation.late_s
    return now - max(last_change(weighed), evidence.stirred_at, ended)


def has_rested(evidence: Evidence, expectation: Expectation, weighed: Weighed, now: float) -> bool:
    """Whether the board has lain still for long enough that more than a legal play may be said."""
    tuning = evidence.tuning
    return quiet_s(evidence, expectation, weighed, now) >= tuning.accuse_settle_s and all(
        v.rests >= tuning.full_readings for v in weighed.voices
    )


def last_change(weighed: Weighed) -> float:
    """When a site that any source speaks for last changed, s; -inf when none is spoken for."""
    times = [float(v.witness.since[v.speaks].max()) for v in weighed.voices if v.speaks.any()]
    return max(times, default=-math.inf)


def has_moved_on(expectation: Expectation) -> bool:
    """Whether the next turn is being played already while this one is still judged."""
    memory = expectation.memory
    ended = expectation.stage is Awaiting.PRESSED
    return ended and memory is not None and memory.moved_on(expectation.since)


def while_moving_on(
    evidence: Evidence, expectation: Expectation, weighed: Weighed, now: float
) -> Differs | Pending:
    """What was played in a turn over which the next has begun: what the turns tell one after
    another; until they do, nothing is asked of a board that is another by now.
    """
    told = recalled(evidence, expectation)
    if told is not None:
        return told
    if now - expectation.since < MOVING_ON_S:
        return Pending("unsettled")
    return compare_with_record(evidence, expectation, weighed.voices, now)


def as_if_recorded(evidence: Evidence, placement: Placement) -> Evidence:
    """The evidence as if this placement had been on record. A lasting misread is believed of places
    that stand as they did, and only while another source reads them rightly.
    """
    codes, before = codes_of(placement), codes_of(evidence.placement)
    reads = {w.source: w.mean.reshape(SITES, CODES).argmax(axis=1) for w in evidence.witnesses}
    witnesses = []
    for witness in evidence.witnesses:
        borne_out = witness.read_as == codes
        for other in evidence.witnesses:
            if other is not witness:
                borne_out |= (other.frames > 0) & (reads[other.source] == codes)
        kept = (codes == before) & borne_out
        witnesses.append(
            replace(
                witness,
                bias=np.where(kept, witness.bias, 0).astype(np.float32),
                read_as=np.where(kept, witness.read_as, -1).astype(np.int16),
            )
        )
    return replace(evidence, placement=placement, witnesses=tuple(witnesses))


def standing(
    evidence: Evidence, position: Position, now: float, memory: Recollection | None = None
) -> Placement | None:
    """What stands on the board, by what is read and by what a turn or two from `position` may
    leave, whatever was rolled; None while it moves, or where another placement is nearly as likely.
    """
    fresh = as_if_recorded(evidence, evidence.placement)
    voices = tuple(v for v in current_voices(fresh, now) if v.speaks.any())
    if not voices or any(v.witness.condition is Condition.MOVING for v in voices):
        return None
    if any(v.rests < evidence.tuning.full_readings for v in voices):
        return None
    before = codes_of(position.placement)
    tabled = [(v, likelihood.log_tables(v, before, evidence.tuning)) for v in voices]
    table = likelihood.summed_tables(tabled, evidence.tuning)
    return _certain_placement(table, position, evidence, memory)


def stood_then(
    memory: Recollection, evidence: Evidence, position: Position, at: float
) -> Placement | None:
    """What stood on the board at a time, as it is remembered, by what is read and by what a turn or
    two from `position` may leave; None where the board did not rest, or nobody saw it whole.
    """
    still = memory.still_at(at)
    if still is None or not still.seen[1:].all():
        return None
    return _certain_placement(still.logs, position, evidence, memory)


def _certain_placement(
    table: Nats, position: Position, evidence: Evidence, memory: Recollection | None
) -> Placement | None:
    """The placement that a table (26, 256) speaks for; None where another is nearly as likely."""
    before = codes_of(position.placement)
    found = hypotheses.what_stands(table, before, position.ruleset.checkers)
    if not found:
        return None
    against = likelihood.per_site(table, np.stack(found)).sum(axis=1)
    placements = [placement_from(codes) for codes in found]
    against += [
        evidence.tuning.accuse_nats * (not _is_explained(position, each)) for each in placements
    ]
    best = int(np.argmin(against))
    if (np.delete(against, best) - against[best] < evidence.tuning.accuse_source_nats).any():
        return None
    if not misses_one(position, placements[best]):
        return placements[best]
    return _put_back(position, placements[best], _lay_at_throw(evidence, position, memory))


def _lay_at_throw(
    evidence: Evidence, position: Position, memory: Recollection | None
) -> Bools | None:
    """The places (26,) of the side on roll that were seen to stand as recorded while its dice lay
    there, piles that nobody counts apart; None where no dice were seen.
    """
    thrown = _first_thrown(memory, () if memory is None else memory.dice)
    if memory is None or thrown is None:
        return None
    before = codes_of(position.placement)
    lay = memory.saw(evidence, thrown + evidence.tuning.accuse_settle_s, before, thrown)
    counts = checkers_of(before, position.side)
    return lay & (counts > 0) & (counts < likelihood.TALL)


def _put_back(position: Position, placement: Placement, lay: Bools | None) -> Placement | None:
    """The placement with a checker where it was, which is gone though nobody may bear it off: it
    fell, or is misread. What lay there when its side had thrown (`lay`, (26,)) was taken off by its
    hand, and is gone. None where more are gone, or no turn explains it there.
    """
    found = []
    for side in Side:
        then, now = position.placement.counts(side), placement.counts(side)
        if now[OFF] - then[OFF] == 1:
            gone = [site for site in range(1, len(now)) if now[site] < then[site]]
            if side is position.side and lay is not None and lay[gone].all():
                return placement
            found += [placement.moved(side, OFF, site) for site in gone]
    explained = [each for each in found if _is_explained(position, each)]
    return explained[0] if len(explained) == 1 else None


def _is_explained(position: Position, placement: Placement) -> bool:
    """Whether nothing has changed, or a turn or two of any rolls leave it so."""
    return (
        placement == position.placement
        or bool(rolls_explaining(position, placement))
        or bool(turns_explaining(position, None, placement))
    )


def astray_before_throw(evidence: Evidence, expectation: Expectation) -> Bools | None:
    """The places (26,) that stood otherwise than recorded already before a hand could make a play
    of the dice that lie there: knocked, or put back wrongly. None where no dice were seen, or no
    place did.
    """
    memory = expectation.memory
    thrown = [t.first_at for t in rolls.dice_of_turn(evidence)]
    if memory is None or not thrown:
        return None
    at_once = min(thrown) + evidence.tuning.accuse_settle_s
    before = codes_of(expectation.position.placement)
    against = memory.seen_otherwise(evidence, at_once, before)
    found = against >= evidence.tuning.differs_nats
    return found if found.any() else None


def since_throw(
    evidence: Evidence, expectation: Expectation, voices: tuple[Voice, ...]
) -> tuple[Position | None, tuple[Voice, ...]]:
    """The position that stood there when dice were first thrown in this turn, where that was
    another than recorded, else None; and the voices as far as they tell of a change since then.
    """
    memory, area = expectation.memory, expectation.dice_area
    lay = tuple(t for t in evidence.dice if area[0] <= t.where[0] <= area[2])
    thrown = _first_thrown(memory, lay)
    if memory is None or thrown is None:
        return None, voices
    at_once = thrown + evidence.tuning.accuse_settle_s
    still = memory.rested_at(evidence, thrown, at_once)
    before = codes_of(expectation.position.placement)
    astray = memory.seen_otherwise(evidence, at_once, before) >= evidence.tuning.differs_nats
    if still is None or not astray.any():
        return None, voices
    stood = stood_at_throw(evidence, expectation.position, still, astray)
    return stood, voices if stood else unchanged_since(voices, before, still, astray)


def _first_thrown(memory: Recollection | None, dice: tuple[Track, ...]) -> float | None:
    """When the first of these dice that were thrown in this turn came to lie there, if any were."""
    if memory is None:
        return None
    since = memory.anchors[-1].at
    return min((t.first_at for t in dice if not t.stale and t.first_at > since), default=None)


def stood_at_throw(
    evidence: Evidence, position: Position, still: Still, astray: Bools
) -> Position | None:
    """The position that stood there, by the board at rest when the dice had been thrown, where
    checkers stood otherwise than recorded, some place of which is `astray` (26,), and all on the
    board; None where nothing did, or one source alone says so.
    """
    tuning = evidence.tuning
    if not still.seen[1:].all():
        return None
    before = codes_of(position.placement)
    found = hypotheses.what_stands(still.logs, before, position.ruleset.checkers)
    if not found or found[0][OFF] != before[OFF] or not astray[found[0] != before].any():
        return None
    against = likelihood.per_site(still.logs, np.stack([*found, before])).sum(axis=1)
    leads = against[1:] - against[0]
    if leads[-1] < tuning.one_source_nats or (leads < tuning.accuse_source_nats).any():
        return None
    placement = placement_from(found[0])
    if rolls_explaining(position, placement):
        # A play of this very turn, with dice that nobody saw before.
        return None
    try:
        return Position.of(placement, position.ruleset, position.side, position.first_turn)
    except PositionError:
        return None


def unchanged_since(
    voices: tuple[Voice, ...], before: Codes, still: Still, astray: Bools
) -> tuple[Voice, ...]:
    """The voices, none of which speaks against a place having stayed as recorded (`before`, (26,))
    that is `astray` (26,), read more checkers than there are when the dice had been thrown, and
    reads so still: whatever stands there, no play of these dice has changed it.
    """
    sites, lay = np.arange(SITES), still.logs.argmax(axis=1)
    too_many = np.zeros(SITES, np.bool_)
    for side in Side:
        more = checkers_of(lay, side).astype(np.int16) - checkers_of(before, side)
        # Where some were borne off, the record may have one off too many.
        if more[1:].sum() > 0 and not checkers_of(before, side)[OFF]:
            too_many |= (more > 0) & astray
    result = []
    for voice in voices:
        mean = voice.witness.mean.reshape(SITES, CODES)
        same = too_many & (mean.argmax(axis=1) == lay)
        witness = replace(
            voice.witness,
            bias=np.where(same, -mean[sites, before], voice.witness.bias).astype(np.float32),
            read_as=np.where(same, lay, voice.witness.read_as).astype(np.int16),
        )
        result.append(replace(voice, witness=witness))
    return tuple(result)


def stood_before_throw(evidence: Evidence, expectation: Expectation, codes: Codes) -> bool:
    """Whether something that `codes` (26,) has otherwise than the record stood otherwise already
    before the dice lay there.
    """
    astray = astray_before_throw(evidence, expectation)
    before = codes_of(expectation.position.placement)
    return astray is not None and bool(astray[codes != before].any())


def stood_as_recorded(evidence: Evidence, expectation: Expectation, codes: Codes) -> bool:
    """Whether everything that `codes` (26,) has otherwise than the record was seen to stand as the
    record has it before a hand could make a play of the dice that lie there.
    """
    memory = expectation.memory
    thrown = [t.first_at for t in rolls.dice_of_turn(evidence)]
    if memory is None or not thrown:
        return True
    before = codes_of(expectation.position.placement)
    at_once = min(thrown) + evidence.tuning.accuse_settle_s
    return bool(memory.saw(evidence, at_once, before)[codes != before].all())


def recalled(evidence: Evidence, expectation: Expectation) -> Differs | None:
    """What the last turns tell when each is looked at as it was seen; None when that is nothing."""
    if expectation.memory is None:
        return None
    found = recall(expectation.memory, evidence)
    if found is None:
        return None
    return Differs((), (), report.grounds_of_turns(found), recalled=found)


def compare_with_record(
    evidence: Evidence, expectation: Expectation, voices: tuple[Voice, ...], now: float
) -> Differs | Pending:
    """What stands there, explained by as little as possible: see `recovery`."""
    quiet = now - max(
        [
            evidence.stirred_at,
            *(float(v.witness.since[v.speaks].max()) for v in voices if v.speaks.any()),
        ]
    )
    if quiet < evidence.tuning.accuse_settle_s or not all(
        v.rests >= evidence.tuning.full_readings for v in voices
    ):
        return Pending("unsettled")
    told = recalled(evidence, expectation)
    if told is not None:
        return told
    found = recovery.explain(
        evidence,
        expectation.position,
        expectation.roll,
        voices,
        expectation.earlier,
        declared=expectation.roll_declared,
        watched=expectation.watched,
        next_first_turn=expectation.next_first_turn,
    )
    before = codes_of(expectation.position.placement)
    stands = found.stands if found.stands is not None else before
    sites = tuple(int(s) for s in np.flatnonzero(stands != before))
    certain = found.certain
    if (
        certain is not None
        and certain.kind == "turns"
        and expectation.roll is not None
        and stood_before_throw(evidence, expectation, codes_of(certain.placement))
    ):
        # What stood there already when the roll was thrown is no play of it, nor one after it.
        certain = None
    return Differs(found.explanations, sites, found.grounds, certain)

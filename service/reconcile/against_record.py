"""What stands on the board, held against the record: what explains it when no play of this turn
does.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Final

import numpy as np

from rules.board import BAR, OFF, POINTS, Placement, Side
from rules.dice import ROLLS, Roll
from rules.observation import Condition
from rules.position import Position
from service.reconcile import hypotheses, likelihood, recovery, report, rolls
from service.reconcile.answers import Awaiting, Differs, Expectation, Pending
from service.reconcile.arrays import F64, Bools, Nats
from service.reconcile.as_read import what_stands
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
from service.reconcile.evidence import Evidence, Witness
from service.reconcile.fallen import is_explained, put_back, with_fallen_back
from service.reconcile.memory import may_bear_off_unseen, misses_one
from service.reconcile.recall import Recollection, recall
from service.reconcile.settle import Voice, current_voices
from service.reconcile.since_throw import first_thrown, is_denied, thrown_at
from service.reconcile.tuning import DEFAULT, Tuning
from service.reconcile.weigh import Weighed

MOVING_ON_S: Final = 2 * DEFAULT.patience_s
"""So long the next turn may take to tell what the one before it was, s: two turns' patience."""


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


def as_if_recorded(
    evidence: Evidence, placement: Placement, on_roll: Side | None = None
) -> Evidence:
    """The evidence as if this placement had been on record. A lasting misread is believed of places
    that stand as they did, and only while another source reads them rightly; of places of the side
    that is not `on_roll` also as long as all go on reading what each read when it was settled.
    """
    codes, before = codes_of(placement), codes_of(evidence.placement)
    reads = {w.source: w.reads for w in evidence.witnesses}
    unmoved = np.zeros(SITES, np.bool_)
    if on_roll is not None:
        unmoved = np.logical_and.reduce(
            [
                (w.read_as == reads[w.source]) & (checkers_of(w.read_as, on_roll) == 0)
                for w in evidence.witnesses
            ]
        )
        unmoved &= checkers_of(codes, on_roll) == 0
    witnesses = []
    for witness in evidence.witnesses:
        borne_out = unmoved | (witness.read_as == codes)
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
    evidence: Evidence,
    position: Position,
    now: float,
    memory: Recollection | None = None,
    roll: Roll | None = None,
) -> Placement | None:
    """What stands on the board, by what is read and by what a turn or two from `position` may
    leave, whatever was rolled; None while it moves, or where another placement is nearly as likely.
    `roll`: of the turn in progress, where it was read.
    """
    fresh = as_if_recorded(evidence, evidence.placement, position.side)
    present = current_voices(fresh, now)
    voices = tuple(v for v in present if v.speaks.any())
    # What a hand hides from one source the other does not tell by itself.
    if not voices or any(v.witness.condition is Condition.MOVING and not v.blind for v in present):
        return None
    if any(v.rests < evidence.tuning.full_readings for v in voices):
        return None
    before = codes_of(position.placement)
    tabled = [(v, likelihood.log_tables(v, before, evidence.tuning)) for v in voices]
    table = likelihood.summed_tables(tabled, evidence.tuning)
    return _certain_placement(table, position, evidence, memory, roll)


def stood_then(
    memory: Recollection,
    evidence: Evidence,
    position: Position,
    ended: float,
    roll: Roll | None = None,
) -> Placement | None:
    """What stood on the board when a turn was over and until dice were thrown over it, as it is
    remembered, by what is read and by what a turn or two from `position` may leave; None where the
    board did not rest, or nobody saw it whole.
    """
    still = memory.left_at(evidence, ended)
    if still is None or not still.seen[1:].all():
        return None
    found = _certain_placement(still.logs, position, evidence, memory, roll)
    if found is None:
        return None
    # Sources that contradict each other leave a whole play that is nearly as likely.
    codes = codes_of(found)
    legal = np.concatenate([hypotheses.legal(position, each).codes for each in ROLLS])
    rivals = legal[(legal != codes).any(axis=1)]
    leads = likelihood.per_site(still.logs, rivals).sum(axis=1)
    leads -= likelihood.per_site(still.logs, codes[None]).sum()
    return None if (leads < evidence.tuning.accuse_source_nats).any() else found


def _certain_placement(
    table: Nats,
    position: Position,
    evidence: Evidence,
    memory: Recollection | None,
    roll: Roll | None,
) -> Placement | None:
    """The placement that a table (26, 256) speaks for; None where another is nearly as likely."""
    before = codes_of(position.placement)
    # Heights of tall piles cost so little that what is read may come after many of them.
    found = what_stands(table, before, position.ruleset.checkers, keep=9)
    if not found:
        return None
    if may_bear_off_unseen(position):
        # Several checkers gone from a pile that nobody counts are far from what stood there.
        legal = np.concatenate([hypotheses.legal(position, each).codes for each in ROLLS])
        first = np.argsort(likelihood.per_site(table, legal).sum(axis=1), kind="stable")
        found += [legal[n] for n in first[: len(found)] if (legal[n] != found).any(axis=1).all()]
    against = likelihood.per_site(table, np.stack(found)).sum(axis=1)
    placements = [placement_from(codes) for codes in found]
    tuning = evidence.tuning
    # What is farther off than that is neither best nor a rival, whatever explains it.
    far = against >= against.min() + tuning.accuse_nats + tuning.accuse_source_nats
    explained = ~far
    for n in np.flatnonzero(~far):
        explained[n] = is_explained(position, placements[n])
    against += tuning.accuse_nats * ~explained
    best = int(np.argmin(against))
    # What was borne off does not come back: that is no rival of what stands there.
    returned = np.array([_has_come_back(position, each) for each in placements])
    rivals = ~returned | returned[best]
    rivals[best] = False
    if (against[rivals] - against[best] < tuning.accuse_source_nats).any():
        return None
    if not explained[best] and is_denied(table, found[best]):
        # A cup that reads as checkers leaves too few for where they stand.
        return None
    beside = _one_elsewhere(table, found[best], tuning)
    if any(not explained[best] or is_explained(position, each) for each in beside):
        return None
    if _has_come_back(position, placements[best]):
        return _taken_off(position, placements[best])
    placement = placements[best]
    if misses_one(position, placement):
        placement = with_fallen_back(evidence, position, placement, memory)
    if not misses_one(position, placement):
        return placement
    lay, gone = _lay_at_throw(evidence, position, memory)
    return put_back(position, placement, lay, gone, roll)


def _one_elsewhere(table: Nats, codes: Codes, tuning: Tuning) -> list[Placement]:
    """The placements like `codes` (26,) but with one checker on another point, where a table (26,
    256) has that nearly as likely and both can be counted: something covers them.
    """
    here = likelihood.per_site(table, codes[None])[0]
    result = []
    for side, one in ONE_CHECKER.items():
        n = checkers_of(codes, side)
        less = {s: -table[s, codes[s] - one] - here[s] for s in POINTS if 0 < n[s] < TALL}
        more = {s: -table[s, codes[s] + one] - here[s] for s in POINTS if n[s] + 1 < TALL}
        result += [
            placement_from(codes).moved(side, start, end)
            for (start, gone), (end, come) in itertools.product(less.items(), more.items())
            if start != end and gone + come < tuning.accuse_source_nats
        ]
    return result


def _has_come_back(position: Position, placement: Placement) -> bool:
    """Whether fewer checkers are off than were borne off: none comes back, a pile is misread."""
    then = position.placement
    return any(placement.counts(side)[OFF] < then.counts(side)[OFF] for side in Side)


def _taken_off(position: Position, placement: Placement) -> Placement | None:
    """The placement with the checker off that reads as if it had come back to a pile; None where
    more have, or it may be any of several piles, or no turn explains what stands there then.
    """
    found = []
    for side in Side:
        then, now = position.placement.counts(side), placement.counts(side)
        if then[OFF] - now[OFF] == 1:
            more = [site for site in range(1, len(now)) if now[site] > then[site]]
            found += [placement.moved(side, site, OFF) for site in more]
    explained = [each for each in found if is_explained(position, each)]
    return explained[0] if len(explained) == 1 else None


def _lay_at_throw(
    evidence: Evidence, position: Position, memory: Recollection | None
) -> tuple[Bools | None, Bools]:
    """The places (26,) of the side on roll that were seen to stand as recorded while its dice lay
    there, piles apart that nobody counts and not every source read rightly then, None where no dice
    were seen; and those that stood otherwise before that.
    """
    thrown = first_thrown(memory, () if memory is None else memory.dice)
    if memory is None or thrown is None:
        return None, np.zeros(SITES, np.bool_)
    before, at_once = codes_of(position.placement), thrown + evidence.tuning.accuse_settle_s
    still, until = memory.rested_at(evidence, thrown, at_once), at_once
    if still is None:
        # A hand stayed over the board: the first that was seen of it since.
        until = min((s.at for s in memory.stills if s.at > at_once), default=at_once)
    lay, counts = memory.saw(evidence, until, before, thrown), checkers_of(before, position.side)
    counted = counts < TALL
    if still is not None and len(still.reads) > 1:
        # Who read a pile rightly before a hand came, and reads another now, has seen it change.
        counted |= np.logical_and.reduce([reads == before for _, reads in still.reads])
    otherwise = memory.seen_otherwise(evidence, at_once, before) >= evidence.tuning.differs_nats
    return lay & (counts > 0) & counted, otherwise


def astray_before_throw(evidence: Evidence, expectation: Expectation) -> Bools | None:
    """The places (26,) that stood otherwise than recorded already before a hand could make a play
    of the dice that were thrown first: knocked, or put back wrongly. Where no dice were seen, those
    that did when the turn began: nobody has played before that. None where no place did.
    """
    memory = expectation.memory
    thrown = thrown_at(evidence, expectation)
    if memory is None or (thrown is None and expectation.roll is not None):
        return None
    before, settle_s = codes_of(expectation.position.placement), evidence.tuning.accuse_settle_s
    against = (
        memory.seen_otherwise(evidence, thrown + settle_s, before)
        if thrown is not None
        else memory.began_otherwise(evidence, settle_s, before)
    )
    found = against >= evidence.tuning.differs_nats
    return found if found.any() else None


def stood_when_begun(evidence: Evidence, expectation: Expectation, sites: tuple[int, ...]) -> bool:
    """Whether all these places stood otherwise than recorded when the turn began already, while
    somebody looked: no hand has done that in this turn.
    """
    memory = expectation.memory
    if memory is None or not (expectation.watched and evidence.verified):
        # A word that the board contradicts is asked about at once.
        return False
    before, settle_s = codes_of(expectation.position.placement), evidence.tuning.accuse_settle_s
    against = memory.began_otherwise(evidence, settle_s, before)
    points = [site for site in sites if site != OFF]
    return bool(points) and bool((against[points] >= evidence.tuning.differs_nats).all())


def other_has_moved(evidence: Evidence, expectation: Expectation) -> bool:
    """Whether checkers of the side whose turn it is not stand elsewhere than recorded, in a turn in
    which nobody looked all the while: it has played unseen.
    """
    if expectation.watched:
        return False
    least = evidence.tuning.full_readings
    position = expectation.position
    return any(_stand_elsewhere(w, position) for w in evidence.witnesses if w.rests >= least)


def has_moved(evidence: Evidence, position: Position) -> bool:
    """Whether every source that has looked for long enough sees checkers of the side on roll
    elsewhere than where the position has them.
    """
    seen = [w for w in evidence.witnesses if w.rests >= evidence.tuning.full_readings]
    return bool(seen) and all(_stand_elsewhere(w, position.turned()) for w in seen)


def _stand_elsewhere(witness: Witness, position: Position) -> bool:
    """Whether a source has fewer checkers of the side not on roll on one place, and more on
    another, than stood there, each surely so.
    """
    codes, side = codes_of(position.placement), position.side.other
    flat = witness.mean.reshape(SITES, CODES)
    denied = (witness.frames > 0) & (-flat[np.arange(SITES), codes] >= DEFAULT.differs_nats)
    more = checkers_of(flat.argmax(axis=1), side).astype(np.int16) - checkers_of(codes, side)
    set_down = denied & (more > 0)
    set_down[[OFF, BAR]] = False
    return bool(set_down.any() and (denied & (more < 0)).any())


def stood_before_throw(evidence: Evidence, expectation: Expectation, codes: Codes) -> bool:
    """Whether something that `codes` (26,) has otherwise than the record stood otherwise already
    before the dice lay there.
    """
    astray = astray_before_throw(evidence, expectation)
    before = codes_of(expectation.position.placement)
    return astray is not None and bool(astray[codes != before].any())


def stood_as_recorded(evidence: Evidence, expectation: Expectation, codes: Codes) -> bool:
    """Whether everything that `codes` (26,) has otherwise than the record was seen to stand as the
    record has it before a hand could make a play of the dice that lie there; by every source, where
    nobody knows how it came to stand so.
    """
    memory = expectation.memory
    thrown = thrown_at(evidence, expectation)
    if memory is None or thrown is None:
        return True
    before = codes_of(expectation.position.placement)
    at_once = thrown + evidence.tuning.accuse_settle_s
    seen = memory.saw(evidence, at_once, before, by_all=memory.rests_on_a_guess())
    return bool(seen[codes != before].all())


def recalled(evidence: Evidence, expectation: Expectation) -> Differs | None:
    """What the last turns tell when each is looked at as it was seen; None when that is nothing."""
    if expectation.memory is None:
        return None
    found = recall(expectation.memory, evidence)
    if found is None:
        return None
    return Differs((), (), report.grounds_of_turns(found), recalled=found)


def _second_rolls(evidence: Evidence, expectation: Expectation) -> F64:
    """Log probability (21,) of what the other side has thrown, should it have played as well: by
    the dice that were seen to come to lie in its half since somebody looked again.
    """
    memory = expectation.memory
    if memory is None or expectation.watched or not memory.unlooked:
        return rolls.LOG_PRIOR
    since = memory.unlooked[-1][1]
    dice = [track for track in memory.dice if track.first_at > since]
    thrown = rolls.throws_of(dice, (), evidence.tuning, memory.halves)
    own = [throw for throw in thrown if throw.side is expectation.position.side.other]
    if not own:
        return rolls.LOG_PRIOR
    logs: F64 = rolls.LOG_PRIOR + own[-1].rolls
    logs -= np.logaddexp.reduce(logs)
    return logs


def compare_with_record(
    evidence: Evidence, expectation: Expectation, voices: tuple[Voice, ...], now: float
) -> Differs | Pending:
    """What stands there, explained by as little as possible: see `recovery`."""
    changed = [float(v.witness.since[v.speaks].max()) for v in voices if v.speaks.any()]
    quiet = now - max([evidence.stirred_at, *changed])
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
        second=_second_rolls(evidence, expectation),
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
    return Differs(
        found.explanations, sites, found.grounds, certain, unwatched=not expectation.watched
    )

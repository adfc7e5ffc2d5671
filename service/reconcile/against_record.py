"""What stands on the board, held against the record: since when it has been at rest, and what
explains it when no play of this turn does.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from service.reconcile import recovery, report
from service.reconcile.answers import Awaiting, Differs, Expectation, Pending
from service.reconcile.codes import codes_of
from service.reconcile.evidence import Evidence
from service.reconcile.recall import recall
from service.reconcile.settle import Voice
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
        v.rests >= tuning.accuse_readings for v in weighed.voices
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
        v.rests >= evidence.tuning.accuse_readings for v in voices
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
    return Differs(found.explanations, sites, found.grounds, found.certain)

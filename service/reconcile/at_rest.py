"""Since when the board has lain still, as far as the sources say that speak in a turn."""

from __future__ import annotations

import math

from service.reconcile.answers import Expectation
from service.reconcile.evidence import Evidence
from service.reconcile.weigh import Weighed


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

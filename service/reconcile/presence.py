"""Whether an expected placement stands on the board: set-up verification and the watch over a
correction. No rules are asked, only what the sources see.
"""

from __future__ import annotations

import math

import numpy as np

from rules.board import POINTS, Placement
from rules.observation import Condition
from service.reconcile import likelihood
from service.reconcile.answers import Blind, DoesNotMatch, Matches, PlacementSeen, Unseen
from service.reconcile.codes import SITES, codes_of
from service.reconcile.evidence import Evidence
from service.reconcile.settle import Voice, current_voices, seen_by_any


def placement_seen(evidence: Evidence, expected: Placement, now: float) -> PlacementSeen:
    """Whether `expected` stands there, by both sensors."""
    voices = current_voices(evidence, now)
    blind = all_blind(voices)
    if blind is not None:
        return Unseen(blind.reason)
    points = np.zeros(SITES, np.bool_)
    points[list(POINTS)] = True
    codes = codes_of(expected)
    unseen = points & ~seen_by_any(voices)
    against = np.zeros(SITES)
    steady = True
    for voice in voices:
        settled = codes_of(evidence.placement)
        table = likelihood.log_tables(voice, settled, evidence.tuning)
        against += np.minimum(
            likelihood.per_site(table, codes[None, :])[0],
            likelihood.caps(voice.source, evidence.tuning),
        )
        steady &= voice.at_rest(points, now, evidence.tuning.settle_s)
    wrong = np.flatnonzero(against > evidence.tuning.differs_nats)
    if len(wrong):
        return (
            DoesNotMatch(tuple(int(s) for s in wrong), 1 - math.exp(-float(against.max())))
            if steady
            else Unseen("unsettled")
        )
    if unseen.any():
        return Unseen(
            "hand" if any(v.witness.condition is Condition.MOVING for v in voices) else "unseen"
        )
    return Matches(math.exp(-float(against.sum()) / 2)) if steady else Unseen("unsettled")


def all_blind(voices: tuple[Voice, ...]) -> Blind | None:
    """Why no source says anything now; None when one does."""
    if any(not v.blind for v in voices):
        return None
    if not voices:
        return Blind((), "no source has said anything yet")
    sources = tuple((v.source, v.blind) for v in voices)
    return Blind(sources, ", ".join(f"{s.value}: {why}" for s, why in sources))

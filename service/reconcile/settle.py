"""Which sites each source may speak for now, and since when they have been at rest.

A reading counts only while nothing could have changed after it: the source is not too old, the site
was read after the last movement that any source saw, and after the last time the other source saw
that very site change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rules.observation import Source
from service.reconcile.arrays import F32, Bools
from service.reconcile.codes import SITES
from service.reconcile.evidence import Evidence, Witness
from service.reconcile.tuning import Tuning


@dataclass(frozen=True, slots=True)
class Voice:
    """One source as far as it may speak now.

    `speaks` (26,) sites it may speak for; `weight` (26,) 0-1 of each; `rests` observations at rest
    since it last moved; `blind` why it says nothing ("" = it does speak).
    """

    witness: Witness
    speaks: Bools
    weight: F32
    rests: int
    blind: str

    @property
    def source(self) -> Source:
        return self.witness.source

    def saw(self, sites: Bools) -> bool:
        """Whether it speaks for every one of these sites."""
        return bool(self.speaks[sites].all())

    def at_rest(self, sites: Bools, now: float, settle_s: float) -> bool:
        """Whether all these sites that it speaks for have stood still for so long."""
        mine = sites & self.speaks
        return not mine.any() or now - float(self.witness.since[mine].max()) >= settle_s


def current_voices(evidence: Evidence, now: float) -> tuple[Voice, ...]:
    """Every source that ever spoke, with what it may say now."""
    return tuple(_voice(witness, evidence, now) for witness in evidence.witnesses)


def _voice(witness: Witness, evidence: Evidence, now: float) -> Voice:
    """What one source may say now."""
    tuning: Tuning = evidence.tuning
    blind = witness.blind(now, tuning)
    speaks = np.zeros(SITES, np.bool_)
    if not blind and witness.rest_since is not None:
        speaks = (witness.frames > 0) & (
            now - witness.last <= tuning.reach(witness.source).max_age_s
        )
        if witness.source.kind.samples:
            # It looks now and then; a board of sensors would have reported a change by itself.
            speaks &= witness.last >= min(evidence.stirred_at, now) - tuning.latency_s
        for other in evidence.witnesses:
            if other is not witness:
                # The other saw this site change after my last look at it.
                changed_after = (
                    (other.frames > 0)
                    & (other.since > witness.last + tuning.latency_s)
                    & (other.since > evidence.began)
                )
                speaks &= ~changed_after
    full = tuning.full_readings
    weight = np.minimum(
        1.0, 0.6 + 0.4 * (np.maximum(witness.frames, 1) - 1) / max(full - 1, 1)
    ).astype(np.float32)
    return Voice(
        witness, speaks, np.where(speaks, weight, 0).astype(np.float32), witness.rests, blind
    )


def seen_by_any(voices: tuple[Voice, ...]) -> Bools:
    """Sites (26,) that at least one source speaks for."""
    result = np.zeros(SITES, np.bool_)
    for voice in voices:
        result |= voice.speaks
    return result

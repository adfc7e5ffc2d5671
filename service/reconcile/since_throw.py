"""The board as it was when the dice of a turn came to lie there: what stood otherwise than recorded
then is no play of these dice.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rules.board import OFF, Side
from rules.judge import rolls_explaining
from rules.position import Position, PositionError
from service.reconcile import hypotheses, likelihood
from service.reconcile.answers import Expectation
from service.reconcile.arrays import Bools
from service.reconcile.codes import (
    CODES,
    SITES,
    Codes,
    checkers_of,
    codes_of,
    placement_from,
)
from service.reconcile.evidence import Evidence
from service.reconcile.recall import Recollection
from service.reconcile.reel import Still
from service.reconcile.settle import Voice
from service.reconcile.tracks import Track


def since_throw(
    evidence: Evidence, expectation: Expectation, voices: tuple[Voice, ...]
) -> tuple[Position | None, tuple[Voice, ...]]:
    """The position that stood there when dice were first thrown in this turn, where that was
    another than recorded, else None; and the voices as far as they tell of a change since then.
    """
    memory, area = expectation.memory, expectation.dice_area
    lay = tuple(t for t in evidence.dice if area[0] <= t.where[0] <= area[2])
    thrown = first_thrown(memory, lay)
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


def first_thrown(memory: Recollection | None, dice: tuple[Track, ...]) -> float | None:
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
    try:
        turned = Position.of(position.placement, position.ruleset, position.side.other)
        stood = Position.of(placement, position.ruleset, position.side, position.first_turn)
    except PositionError:
        return None
    # A play of this very turn, with dice that nobody saw before, or of the other side's out of turn
    # is told by what was seen of it.
    played = rolls_explaining(position, placement) or rolls_explaining(turned, placement)
    return None if played else stood


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

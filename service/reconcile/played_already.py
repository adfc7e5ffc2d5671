"""What the next side has left already while the turn before was still judged."""

from __future__ import annotations

import numpy as np

from rules.board import OFF, Placement, Side
from rules.judge import rolls_explaining
from rules.position import Position
from service.reconcile.codes import (
    CODES,
    ONE_CHECKER,
    SITES,
    Codes,
    checkers_of,
    codes_of,
    placement_from,
)
from service.reconcile.evidence import Evidence, Witness


def played_already(evidence: Evidence, position: Position) -> Placement | None:
    """What the side on roll has left, where every source that looks reads there, otherwise than the
    position has it, what a whole play of some roll leaves; else None. No misread looks so.
    """
    looking = [w for w in evidence.witnesses if w.rests >= evidence.tuning.full_readings]
    left = {_left(witness, position, evidence.tuning.differs_nats) for witness in looking}
    placement = left.pop() if len(left) == 1 else None
    if placement is None or placement == position.placement:
        return None
    return placement if rolls_explaining(position, placement) else None


def _left(witness: Witness, position: Position, least: float) -> Placement | None:
    """The position's placement with what a source reads otherwise for sure, what is missing borne
    off; None where more checkers of a side are read than there are.
    """
    before, sites = codes_of(position.placement), np.arange(SITES)
    against = -witness.mean.reshape(SITES, CODES)[sites, before]
    otherwise = (against >= least) & (witness.frames > 0) & (sites != OFF)
    codes: Codes = np.where(otherwise, witness.reads, before).astype(np.int16)
    for side in Side:
        gone = position.ruleset.checkers - int(checkers_of(codes, side).sum())
        if gone < 0:
            return None
        codes[OFF] += gone * ONE_CHECKER[side]
    return placement_from(codes)

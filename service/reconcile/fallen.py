"""Checkers that fell or were taken away, put back where they had stood."""

from __future__ import annotations

import numpy as np

from rules.board import OFF, Placement, Side
from rules.position import Position
from service.reconcile.arrays import Bools
from service.reconcile.codes import SITES, TALL, checkers_of, codes_of
from service.reconcile.evidence import Evidence
from service.reconcile.recall import Recollection


def with_fallen_back(
    evidence: Evidence, position: Position, placement: Placement, memory: Recollection | None
) -> Placement:
    """The placement with the checkers of the side on roll where they were that are gone and lay
    there when it had pressed: they fell since. One that was gone by then was taken off.
    """
    lay, side = _lay_when_pressed(evidence, position, memory), position.side
    then, now = position.placement.counts(side), placement.counts(side)
    gone = [site for site in range(1, len(now)) for _ in range(then[site] - now[site]) if lay[site]]
    return with_back(placement, side, tuple(gone[: max(now[OFF] - then[OFF], 0)]))


def with_back(placement: Placement, side: Side, sites: tuple[int, ...]) -> Placement:
    """The placement with checkers of a side that are off on these sites instead."""
    for site in sites:
        placement = placement.moved(side, OFF, site)
    return placement


def _lay_when_pressed(evidence: Evidence, position: Position, memory: Recollection | None) -> Bools:
    """The places (26,) of the side on roll that were seen to stand as recorded when it had pressed,
    piles that nobody counts apart.
    """
    found = np.zeros(SITES, np.bool_)
    if memory is None:
        return found
    began, before = memory.anchors[-1].at, codes_of(position.placement)
    for side, ended in memory.presses:
        if side is position.side and ended > began:
            found = memory.saw(evidence, ended + evidence.tuning.accuse_settle_s, before, ended)
    return found & (checkers_of(before, position.side) < TALL)

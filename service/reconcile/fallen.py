"""Checkers that fell or were taken away, put back where they had stood."""

from __future__ import annotations

import itertools
from typing import Final

import numpy as np

from rules.board import BAR, OFF, Placement, Side
from rules.dice import Roll
from rules.judge import rolls_explaining
from rules.position import Position
from rules.two_turns import is_two_turns
from service.reconcile.arrays import Bools
from service.reconcile.codes import SITES, TALL, checkers_of, codes_of
from service.reconcile.evidence import Evidence
from service.reconcile.recall import Recollection
from service.reconcile.taken_off import is_begun, is_whole, lies_between


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


def is_gone_still(evidence: Evidence, recorded: Placement, since: Placement) -> bool:
    """Whether a checker that is off in a placement, though the record has it on the board, is read
    as gone from where it lay, and as lying nowhere else, by every source.
    """
    now, seen = codes_of(since), [w for w in evidence.witnesses if w.frames.any()]
    for side in Side:
        then, left = recorded.counts(side), since.counts(side)
        gone = [site for site in range(1, SITES) if left[site] < then[site]]
        if left[OFF] <= then[OFF] or not gone:
            continue
        read = [(w.reads[gone], checkers_of(w.reads, side)[1:].sum()) for w in seen]
        if all((at == now[gone]).all() and lie == sum(left[1:]) for at, lie in read):
            return True
    return False


MOST_WAYS: Final = 20
"""So many ways to put back what is gone are tried; whoever clears the board leaves thousands."""


def put_back(
    position: Position,
    placement: Placement,
    lay: Bools | None,
    otherwise: Bools,
    roll: Roll | None,
) -> Placement | None:
    """The placement with the checkers where they were that are gone though nobody may bear them
    off: they fell, or are misread. One that lay there when its side had thrown (`lay`, (26,)) was
    taken off by its hand, and is gone, unless the rest is a whole play of its `roll`, or no part of
    one, which were two slips at once, or the other has played since, or what is gone may lie
    between two points. Where no turn explains it, or several do, those are put back whose places
    stood `otherwise` (26,) before any play; None where that is not sure, or the ways are too many.
    """
    if _has_laid(position.placement, placement, position.side.other):
        lay = None
    found, known = [placement], [placement]
    for side in Side:
        then, now = position.placement.counts(side), placement.counts(side)
        off = now[OFF] - then[OFF]
        gone = [site for site in range(1, len(now)) for _ in range(then[site] - now[site])]
        back = sorted(set(itertools.combinations(gone, max(off, 0))))
        taken = side is position.side and off == 1 and lay is not None and lay[gone].all()
        whole = [with_back(placement, side, sites) for sites in back] if taken else []
        begun = taken and is_begun(position, roll, whole) and not is_whole(position, roll, whole)
        if begun and not lies_between(position, roll, placement):
            return placement
        if len(found) * len(back) > MOST_WAYS:
            return None
        found = [with_back(each, side, sites) for each in found for sites in back]
        before = [sites for sites in back if otherwise[list(sites)].all()]
        known = [with_back(each, side, sites) for each in known for sites in before]
    explained = [each for each in found if is_explained(position, each)]
    sure = explained if len(explained) == 1 else known
    return sure[0] if len(sure) == 1 else None


def _has_laid(then: Placement, now: Placement, side: Side) -> bool:
    """Whether a side has a checker on a point where it had none or fewer."""
    pairs = zip(then.counts(side)[1:BAR], now.counts(side)[1:BAR], strict=True)
    return any(after > before for before, after in pairs)


def as_explained(position: Position, placement: Placement) -> Placement | None:
    """The placement where a turn or two of any rolls leave it, else with one checker that is gone
    back where it had stood, where that alone is left so; None where neither is.
    """
    if is_explained(position, placement):
        return placement
    found = [
        back
        for side in Side
        for back in _with_one_back(position.placement, placement, side)
        if is_explained(position, back)
    ]
    return found[0] if len(found) == 1 else None


def _with_one_back(then: Placement, now: Placement, side: Side) -> list[Placement]:
    """The placement of now with one checker of a side back, which is off since `then`, on each
    point that has fewer.
    """
    before, after = then.counts(side), now.counts(side)
    if after[OFF] <= before[OFF]:
        return []
    fewer = [site for site in range(1, len(after)) if after[site] < before[site]]
    return [with_back(now, side, (site,)) for site in fewer]


def is_explained(position: Position, placement: Placement) -> bool:
    """Whether nothing has changed, or a turn or two of any rolls leave it so."""
    return (
        placement == position.placement
        or bool(rolls_explaining(position, placement))
        or is_two_turns(position, placement)
    )

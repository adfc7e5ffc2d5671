"""The board as it was when the dice of a turn came to lie there: what stood otherwise than recorded
then is no play of these dice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from rules.board import BAR, OFF, Placement, Side
from rules.judge import rolls_explaining
from rules.position import Position, PositionError
from rules.race import HOME_POINTS
from service.reconcile import hypotheses, likelihood, rolls
from service.reconcile.answers import Expectation
from service.reconcile.arrays import Bools, Nats
from service.reconcile.as_read import what_stands
from service.reconcile.codes import (
    CODES,
    SITES,
    TALL,
    Codes,
    checkers_of,
    codes_of,
    placement_from,
)
from service.reconcile.evidence import MOVED, Evidence
from service.reconcile.memory import Earlier, misses_one
from service.reconcile.recall import Recollection
from service.reconcile.reel import Still
from service.reconcile.rolls import Area
from service.reconcile.settle import Voice
from service.reconcile.taken_off import has_lain_there
from service.reconcile.tracks import Track
from service.reconcile.tuning import DEFAULT

PILE: Final = TALL - 1
"""Fewer checkers on a point were never counted wrongly by all sources alike."""


def since_throw(
    evidence: Evidence, expectation: Expectation, voices: tuple[Voice, ...]
) -> tuple[Position | None, tuple[Voice, ...]]:
    """The position that stood there when dice were first thrown in this turn, where that was
    another than recorded, else None; and the voices as far as they tell of a change since then, or
    since the turn began, where its dice were not seen.
    """
    memory, area = expectation.memory, expectation.dice_area
    if memory is None:
        return None, voices
    lay = _lying_in(evidence.dice, area)
    seen = first_thrown(memory, lay)
    if seen is None and expectation.roll is not None:
        # Handed back once it was on record, its dice are taken for the last roller's.
        seen = first_thrown(memory, _lying_in(memory.dice, area))
    thrown = memory.anchors[-1].at if seen is None else seen
    at_once = thrown + evidence.tuning.accuse_settle_s
    still = memory.rested_at(evidence, thrown, at_once)
    before = codes_of(expectation.position.placement)
    astray = memory.seen_otherwise(evidence, at_once, before) >= evidence.tuning.differs_nats
    if still is None or not astray.any():
        return None, voices
    stood = None
    if seen is not None:
        earlier = expectation.earlier
        stood = stood_at_throw(evidence, expectation.position, still, astray, voices, earlier)
    if stood is not None and not _fell_since(evidence, memory, before, codes_of(stood.placement)):
        return stood, voices
    odd = _odd_places(expectation.position, still, astray)
    places = odd.misread | odd.gone
    if expectation.earlier is not None:
        # What else the turn before may have left is told by what stands there now.
        for other, _ in expectation.earlier.others:
            places &= (codes_of(other) == before) | odd.misread
    return None, unchanged_since(voices, expectation.position, still, places)


def _lying_in(dice: tuple[Track, ...], area: Area) -> tuple[Track, ...]:
    """The dice that lie in an area, by their distance from west to east alone."""
    return tuple(t for t in dice if area[0] <= t.thrown_to[0] <= area[2])


def first_thrown(memory: Recollection | None, dice: tuple[Track, ...]) -> float | None:
    """When the first of these dice that were thrown in this turn came to lie there, if any were."""
    if memory is None:
        return None
    since = memory.anchors[-1].at
    return min((t.first_at for t in dice if not t.stale and t.first_at > since), default=None)


def thrown_at(evidence: Evidence, expectation: Expectation) -> float | None:
    """When dice were first thrown in this turn, as far as is known by the side whose turn it is:
    what others threw later has changed nothing before; None where none were seen.
    """
    area, fresh = expectation.dice_area, [t for t in evidence.dice if not t.stale]
    own = [t for t in fresh if area[0] <= t.thrown_to[0] <= area[2]]
    return min((t.first_at for t in own or rolls.dice_of_turn(evidence)), default=None)


def was_thrown_over(evidence: Evidence, expectation: Expectation) -> bool:
    """Whether what stands there now, whatever that is, stood so already when dice were thrown once
    more in this turn: nobody has made a play of them yet.
    """
    memory = expectation.memory
    if memory is None or memory.thrown_since(expectation.since) < 2:
        return False
    since = memory.stood_since(evidence)
    return since is not None and since < memory.last_thrown


def stood_at_throw(
    evidence: Evidence,
    position: Position,
    still: Still,
    astray: Bools,
    voices: tuple[Voice, ...] = (),
    earlier: Earlier | None = None,
) -> Position | None:
    """The position that stood there, by the board at rest when the dice had been thrown, where
    checkers stood otherwise than recorded, some place of which is `astray` (26,), and all on the
    board but one that the other side may have taken off, by the `earlier` turn; None where nothing
    did, or one of several sources (`voices`) alone says so.
    """
    tuning = evidence.tuning
    if not still.seen[1:].all():
        return None
    before = codes_of(position.placement)
    found = [*what_stands(still.logs, before, position.ruleset.checkers), before]
    against = likelihood.per_site(still.logs, np.stack(found)).sum(axis=1)
    alone = len(still.reads) < 2 or any((reads == before)[astray].all() for _, reads in still.reads)
    # A checker that nobody may bear off stands somewhere, if only on a pile that nobody counts;
    # but for one that every source misses when its side has played on without it.
    lone = voices[0] if len(voices) == 1 else None
    gone = [
        misses_one(position, placement_from(codes))
        and not _is_off(position, codes, lone, alone, earlier)
        for codes in found
    ]
    # Nobody moves a checker from pile to pile unseen.
    piled = [_is_piled_up(before, codes) for codes in found]
    against += tuning.differs_nats * (np.array(gone) | np.array(piled))
    best = found[int(np.argmin(against[:-1]))] if len(found) > 1 else before
    if not astray[best != before].any() or is_denied(still.logs, best):
        return None
    if _is_piled_up(before, best):
        return None
    placement = placement_from(best)
    leads = np.delete(against, int(np.argmin(against[:-1]))) - against[:-1].min()
    least = tuning.one_source_nats if alone else 2 * tuning.accuse_nats
    if len(voices) == 1 and _tells_by_itself(voices[0], position, best):
        least = tuning.accuse_nats
    # What was borne off does not come back to a pile that nobody counts: that is no rival.
    others = np.delete(np.stack(found), int(np.argmin(against[:-1])), axis=0)
    rivals = np.array([best[OFF] != c[OFF] and _has_come_back(before, c) for c in others])
    if leads[-1] < least or (leads[~rivals] < tuning.accuse_source_nats).any():
        return None
    if best[OFF] != before[OFF]:
        taken = _was_taken_off(position, best)
        off = taken if len(voices) == 1 else taken or not misses_one(position, placement)
        if not off or (len(voices) > 1 and (alone or not _are_low(before, best))):
            return None
    try:
        stood = Position.of(placement, position.ruleset, position.side, position.first_turn)
    except PositionError:
        return None
    return None if _is_a_play(position, placement) else stood


def is_denied(table: Nats, codes: Codes) -> bool:
    """Whether a table (26, 256) denies that some point stands as `codes` (26,) has it, piles apart:
    nobody takes for sure what is read otherwise.
    """
    low = np.maximum(checkers_of(codes, Side.WHITE), checkers_of(codes, Side.BLACK)) < PILE
    low[[OFF, BAR]] = False
    against = likelihood.per_site(table, codes[None])[0]
    return bool((against[low] >= DEFAULT.differs_nats).any())


def _fell_since(evidence: Evidence, memory: Recollection, before: Codes, stood: Codes) -> bool:
    """Whether a checker that is gone lay there still when the last turn was over: it fell since,
    and is put back, where one that was taken off was gone by then.
    """
    began = memory.anchors[-1].at
    still = memory.rested_at(evidence, began, began + evidence.tuning.accuse_settle_s)
    if still is None or stood[OFF] == before[OFF]:
        return False
    gone = np.zeros(SITES, np.bool_)
    for side in Side:
        if checkers_of(stood, side)[OFF] > checkers_of(before, side)[OFF]:
            gone |= checkers_of(stood, side) < checkers_of(before, side)
    denied = -still.logs[np.arange(SITES), before]
    return bool((still.seen & (denied < evidence.tuning.differs_nats))[gone].all())


def _are_low(before: Codes, now: Codes) -> bool:
    """Whether only places differ that are not counted wrongly by all sources at once: what is gone
    there is off, and what has come back had fallen and was taken for borne off.
    """
    low = True
    for side in Side:
        then, stands = checkers_of(before, side), checkers_of(now, side)
        changed = then != stands
        changed[OFF] = False
        low &= bool((np.maximum(then, stands)[changed] < PILE).all())
    return low


def _has_come_back(before: Codes, now: Codes) -> bool:
    """Whether fewer checkers of a side are off now (26,), and more stand on piles that nobody
    counts.
    """
    back = any(checkers_of(now, side)[OFF] < checkers_of(before, side)[OFF] for side in Side)
    return back and not _are_low(before, now)


def _points(codes: Codes, side: Side) -> Codes:
    """How many checkers of a side stand on each site (26,), those that are off left out."""
    found: Codes = checkers_of(codes, side).astype(np.int16)
    found[OFF] = 0
    return found


def _between_piles(then: Codes, now: Codes) -> bool:
    """Whether a side's checkers (26,) differ at piles alone, more here and fewer there, one of them
    of a height that hardly anybody tells from the next: the other is counted wrongly by all alike.
    """
    changed = then != now
    piles = bool((np.maximum(then, now)[changed] >= PILE).all())
    return piles and bool((np.minimum(then, now)[changed] >= TALL).any())


def _is_piled_up(before: Codes, now: Codes) -> bool:
    """Whether all that is otherwise now are piles (26,), of which some hold more and some fewer."""
    moved = [side for side in Side if (_points(before, side) != _points(now, side)).any()]
    each = (_between_piles(_points(before, side), _points(now, side)) for side in moved)
    return bool(moved) and all(each)


def _is_a_play(position: Position, placement: Placement) -> bool:
    """Whether a play of this very turn, with dice that nobody saw before, or of the other side's
    out of turn leaves a placement: what was seen of it tells.
    """
    try:
        turned = Position.of(position.placement, position.ruleset, position.side.other)
    except PositionError:
        return False
    return bool(rolls_explaining(position, placement) or rolls_explaining(turned, placement))


def _was_taken_off(position: Position, stood: Codes) -> bool:
    """Whether all that `stood` (26,) otherwise than recorded is one checker gone from the home of
    the other side, which has played since: one that fell would be back by now. Nobody takes one off
    who has another on the bar: then its pile is misread.
    """
    before, other = codes_of(position.placement), position.side.other
    if position.placement.counts(other)[BAR]:
        return False
    own = checkers_of(stood, position.side) != checkers_of(before, position.side)
    more = checkers_of(stood, other).astype(np.int16) - checkers_of(before, other)
    if own.any() or more[OFF] != 1 or np.count_nonzero(more == -1) != 1 or (more[1:] > 0).any():
        return False
    taken = hypotheses.one_move(before, stood, other, position.ruleset.facing)
    return taken.pips <= HOME_POINTS


def _tells_by_itself(voice: Voice, position: Position, stood: Codes) -> bool:
    """Whether the one source there is may be believed that checkers `stood` (26,) otherwise than
    recorded: those of the side on roll, whose play shows from where it was made; of the other
    side's those that read as recorded when the turn began, since no misread begins at two places at
    once, and those that stood so already when it had played, which has left them there.
    """
    before, other = codes_of(position.placement), position.side.other
    theirs = checkers_of(stood, other) != checkers_of(before, other)
    theirs[OFF] = False
    read = voice.witness.read_as[theirs]
    return bool(((read == MOVED) | (read == before[theirs])).all())


def _is_off(
    position: Position, stood: Codes, lone: Voice | None, alone: bool, earlier: Earlier | None
) -> bool:
    """Whether the checker that is gone by `stood` (26,) was taken off: its side has played on
    without it, by the `lone` source that there is, or by several of which none says so `alone`.
    """
    if not _was_taken_off(position, stood):
        return False
    if lone is not None:
        began = position.placement if earlier is None else earlier.position.placement
        lay = has_lain_there(began, position.placement, stood, position.side.other)
        return lay and _is_known_gone(lone, position, stood)
    return not alone and _are_low(codes_of(position.placement), stood)


def _is_known_gone(voice: Voice, position: Position, stood: Codes) -> bool:
    """Whether the one source there is read the other side's checkers that are gone by `stood` (26,)
    as gone already when the turn before was entered, where they can be counted: that side has
    played on without them. Four and fewer were never read where five and more stood.
    """
    other = position.side.other
    now = checkers_of(stood, other)
    fewer = now < checkers_of(codes_of(position.placement), other)
    return bool((voice.witness.read_as[fewer] == MOVED).all() and (now[fewer] < TALL).all())


def unchanged_since(
    voices: tuple[Voice, ...], position: Position, still: Still, odd: Bools
) -> tuple[Voice, ...]:
    """The voices, none of which speaks against an `odd` place (26,) having stayed as recorded while
    it reads as it did when the dice had been thrown: whatever stands there, no play of these dice
    has changed it.
    """
    before, lay = codes_of(position.placement), still.logs.argmax(axis=1)
    own = dict(still.reads)
    result = []
    for voice in voices:
        witness = voice.witness
        same = odd & (witness.reads == own.get(voice.source, lay))
        against = -witness.mean.reshape(SITES, CODES)[np.arange(SITES), before]
        witness = replace(
            witness,
            bias=np.where(same, against, witness.bias).astype(np.float32),
            read_as=np.where(same, witness.reads, witness.read_as).astype(np.int16),
        )
        result.append(replace(voice, witness=witness))
    return tuple(result)


@dataclass(frozen=True, slots=True, eq=False)
class _Odd:
    """Places (26,) that stood otherwise than recorded when the dice had been thrown, as no play
    leaves them: those `misread` for sure, and those of which the record may be wrong, where a
    checker is gone that may have been borne off.
    """

    misread: Bools
    gone: Bools


def _odd_places(position: Position, still: Still, astray: Bools) -> _Odd:
    """What was odd at the `astray` places (26,): more checkers than there are, or fewer while no
    more of their side stood elsewhere.
    """
    lay, before = still.logs.argmax(axis=1), codes_of(position.placement)
    found = what_stands(still.logs, before, position.ruleset.checkers, keep=1)
    played = bool(found) and bool((found[0] != before).any())
    played = played and _is_a_play(position, placement_from(found[0]))
    misread, gone = np.zeros(SITES, np.bool_), np.zeros(SITES, np.bool_)
    for side in Side:
        more = checkers_of(lay, side).astype(np.int16) - checkers_of(before, side)
        # Where some were borne off, the record may have one off too many.
        if more[1:].sum() > 0 and not checkers_of(before, side)[OFF]:
            misread |= (more > 0) & astray
        if _between_piles(_points(before, side), _points(lay, side)):
            misread |= (more != 0) & astray
        fewer = (more < 0) & astray
        if played or more[1:].max() > 0:
            continue
        if hypotheses.may_bear_off(position, side):
            gone |= fewer & (checkers_of(before, side) >= PILE)
        else:
            # It fell, or is misread: the record keeps it.
            misread |= fewer
    return _Odd(misread, gone)


def misread_at_throw(
    evidence: Evidence, position: Position, memory: Recollection | None
) -> Bools | None:
    """The places (26,) that all sources misread for sure when the dice of this turn were thrown
    from a `position`, and read the same still; None where no dice were seen. No low pile from which
    several miss a checker is misread: it fell, and comes back, or was taken off. Nor is one that
    several see too many, where its side has a pile that nobody counts: it may have come from there.
    """
    thrown = first_thrown(memory, evidence.dice)
    if memory is None or thrown is None:
        return None
    at_once = thrown + evidence.tuning.accuse_settle_s
    still, before = memory.rested_at(evidence, thrown, at_once), codes_of(position.placement)
    astray = memory.seen_otherwise(evidence, at_once, before) >= evidence.tuning.differs_nats
    if still is None or not astray.any():
        return None
    found, own = _odd_places(position, still, astray).misread, dict(still.reads)
    if len(own) > 1:
        lay = still.logs.argmax(axis=1).astype(np.int16)
        for side in Side:
            then, now = _points(before, side), _points(lay, side)
            found &= (then >= PILE) | (now >= then)
            if (now >= TALL).any():
                found &= (now >= TALL) | (now <= then)
    for witness in evidence.witnesses:
        found = found & (witness.reads == own.get(witness.source, witness.reads))
    return found

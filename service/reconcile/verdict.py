"""The verdict: does the board truly stand so, is the hand gone, and what is it then?

This is the only place in the house where the likeliest of several explanations is chosen.
`rules.judge` says which rule a change of the board breaks; this file says whether the change is
believed. A sensor that misreads a site or two in every frame must never make anything but a legal
play of it: that needs a lead over every legal result (other rolls that the dice do not exclude
included), from sources at rest, over time, each one that sees the place agreeing.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from rules.board import OFF, Side
from rules.dice import ROLLS, Roll
from rules.observation import Condition
from service.reconcile import likelihood, rolls
from service.reconcile.against_record import (
    astray_before_throw,
    compare_with_record,
    has_moved_on,
    other_has_moved,
    recalled,
    while_moving_on,
)
from service.reconcile.answers import (
    Agreed,
    Awaiting,
    Differs,
    Expectation,
    OtherRoll,
    Pending,
    Verdict,
)
from service.reconcile.arrays import Bools
from service.reconcile.at_rest import has_rested, last_change
from service.reconcile.codes import SITES, checkers_of, codes_of, placement_from
from service.reconcile.evidence import Evidence
from service.reconcile.hypotheses import Kind, LegalResults
from service.reconcile.memory import LEAST_P, Beginning, likeliest_beginning
from service.reconcile.no_certain_play import is_denied, without_certain_play
from service.reconcile.play_roll import CertainPlay, with_its_roll
from service.reconcile.presence import all_blind
from service.reconcile.questions import (
    LEAST_POSSIBLE,
)
from service.reconcile.recovery import Explanation
from service.reconcile.rolls import RollSeen
from service.reconcile.settle import Voice, current_voices
from service.reconcile.since_throw import PILE, since_throw, was_thrown_over
from service.reconcile.tuning import Tuning
from service.reconcile.weigh import Weighed, weigh

_HIT_LEFT: Final = "hit_checker"


def decide(evidence: Evidence, expectation: Expectation, now: float) -> Verdict:
    """What happened since the placement that the evidence began with, as far as it is certain.

    Takes a few milliseconds at most, two-turn recovery apart.
    """
    voices = current_voices(evidence, now)
    blind = all_blind(voices)
    if blind is not None:
        return blind
    speaking = tuple(v for v in voices if v.speaks.any())
    if not speaking:
        return Pending(
            "hand" if any(v.witness.condition is Condition.MOVING for v in voices) else "unseen"
        )
    if expectation.stage is Awaiting.DIFFERS:
        return compare_with_record(evidence, expectation, speaking, now)
    # Dice that nobody saw thrown may have been played before they were seen to lie there.
    astray = astray_before_throw(evidence, expectation) if expectation.watched else None
    stood, speaking = since_throw(evidence, expectation, speaking)
    if stood is not None and codes_of(stood.placement)[OFF] != codes_of(evidence.placement)[OFF]:
        # It was taken off: that it fell, and the record stands, is no other explanation of it.
        astray = None
    begun = likeliest_beginning(
        expectation.earlier,
        expectation.position,
        lambda position: weigh(
            evidence,
            LegalResults(position),
            speaking,
            expectation.roll,
            expectation.roll_declared,
            astray,
        ),
        stood,
    )
    if begun.position != expectation.position:
        return _begun_otherwise(evidence, expectation, begun, now)
    weighed = begun.weighed
    agreed = _certain_play(evidence, expectation, weighed, now)
    if not isinstance(agreed, Agreed) and has_moved_on(expectation):
        return while_moving_on(evidence, expectation, weighed, now)
    if isinstance(agreed, OtherRoll) and expectation.stage is Awaiting.PRESSED:
        # It may be half of a play that a hand is about to complete.
        return agreed if has_rested(evidence, expectation, weighed, now) else Pending("doubt")
    unmoved = agreed is None or (isinstance(agreed, Agreed) and not agreed.play.moves)
    if unmoved and other_has_moved(evidence, expectation):
        found = compare_with_record(evidence, expectation, speaking, now)
        return _thrown_over(evidence, expectation, found) or found
    if agreed is not None:
        return agreed
    if expectation.stage is not Awaiting.PRESSED:
        return _overtaken(evidence, expectation, weighed, now) or _with_likeliest(
            _why_not_yet(weighed, voices, expectation.roll, astray), weighed, evidence.tuning, now
        )
    return without_certain_play(evidence, expectation, weighed, voices, now) or _why_not_yet(
        weighed, voices, expectation.roll
    )


def _overtaken(
    evidence: Evidence, expectation: Expectation, weighed: Weighed, now: float
) -> Differs | None:
    """The turns that have passed while this one was still thought to be going on: nobody pressed,
    or its dice were not read, and the other side has played.
    """
    memory = expectation.memory
    thrown = 0 if memory is None else memory.thrown_since(expectation.since)
    top = Kind(int(weighed.kind[int(np.argmax(weighed.post))]))
    legal = math.exp(weighed.mass(weighed.legal)) > LEAST_POSSIBLE
    if (
        thrown < 2
        and (legal or top not in (Kind.OTHERWISE, Kind.MOVED))
        and not is_denied(weighed, evidence.tuning)
    ):
        return None
    if not has_rested(evidence, expectation, weighed, now):
        return None
    told = recalled(evidence, expectation)
    if told is not None or thrown < 2 or legal:
        return told
    found = compare_with_record(evidence, expectation, weighed.voices, now)
    return _thrown_over(evidence, expectation, found)


def _thrown_over(
    evidence: Evidence, expectation: Expectation, found: Differs | Pending
) -> Differs | None:
    """A board that differs as dice were thrown over that no turn explains; None for any other."""
    if not isinstance(found, Differs) or not found.explanations:
        return None
    best = found.explanations[0]
    lost = best.kind == "set" and best.p >= evidence.tuning.agree
    over = lost and was_thrown_over(evidence, expectation)
    return replace(found, thrown_over=True) if over else None


def _begun_otherwise(
    evidence: Evidence, expectation: Expectation, begun: Beginning, now: float
) -> Agreed | Differs | Pending:
    """The turn before this one left something else than the record says, as is seen by now; the
    play of this one where that is not sure, it is the same either way and nobody read its dice.
    """
    tuning, weighed, earlier = evidence.tuning, begun.weighed, expectation.earlier
    found = _certain_play(evidence, replace(expectation, position=begun.position), weighed, now)
    left = begun.position.placement
    # Where nobody knows its roll, hardly anything is no play of the turn before.
    asked = earlier is not None and (
        earlier.roll is not None or any(other == left for other, _ in earlier.others)
    )
    first = earlier.play_to(left) if earlier is not None and asked else None
    p = begun.share * found.probability if isinstance(found, Agreed) else 0.0
    if isinstance(found, Agreed) and p >= tuning.agree:
        placement, played = found.play.placement, (found.roll, found.play)
        made = (
            Explanation("revised", placement, p, (first, played))
            if first is not None
            else Explanation("played_on", placement, p, (played,), begun.position.placement)
        )
        return Differs((made,), found.sites, found.grounds, made)
    if (
        isinstance(found, Agreed)
        # Of a roll that was read the next throw tells what stood there, and this play of it.
        and expectation.roll is None
        and begun.share_of_record >= LEAST_P
    ):
        own = _certain_play(evidence, expectation, begun.by_record, now)
        if isinstance(own, Agreed) and _is_same(own, found):
            return own
    ended = expectation.stage is Awaiting.PRESSED
    told = (
        recalled(evidence, expectation)
        if ended and has_rested(evidence, expectation, weighed, now)
        else None
    )
    return told or _why_not_yet(weighed, weighed.voices, expectation.roll)


def _is_same(one: Agreed, other: Agreed) -> bool:
    """Whether two plays, from two beginnings, move the same checkers by the same roll, and any."""
    same = one.roll == other.roll and one.play.moves == other.play.moves
    return same and bool(one.play.moves)


def roll_seen(evidence: Evidence, expectation: Expectation, now: float) -> RollSeen:
    """What the dice of this turn say by themselves."""
    return rolls.roll_of_dice(evidence, now, expectation.dice_area)


def _certain_play(
    evidence: Evidence, expectation: Expectation, weighed: Weighed, now: float
) -> Agreed | OtherRoll | None:
    """The play, when one legal result is nearly certain and has stood still."""
    tuning = evidence.tuning
    rows = np.flatnonzero(weighed.legal)
    best = int(rows[np.argmax(weighed.post[rows])])
    row = int(weighed.parent[best])
    same = (weighed.codes[weighed.parent] == weighed.codes[row]).all(axis=1) & weighed.legal
    p = math.exp(weighed.mass(same))
    changed = (weighed.codes[best] != weighed.turn.before) | (
        weighed.codes[row] != weighed.turn.before
    )
    if p < tuning.agree or weighed.nats_at(best, changed, tuning) > tuning.one_source_nats:
        return None
    if not all(v.at_rest(changed, now, tuning.settle_s) for v in weighed.voices):
        return None
    settled = codes_of(evidence.placement)
    if any(
        (
            likelihood.nats_against_change(v, weighed.codes[best], settled) > tuning.differs_nats
        ).any()
        for v in weighed.voices
    ):
        return None
    if _all_deny(weighed, best, tuning):
        return None
    accident = _HIT_LEFT if weighed.kind[best] == Kind.HIT_CHECKER else ""
    if weighed.kind[best] != Kind.LEGAL and (
        expectation.stage is not Awaiting.PRESSED
        or now - last_change(weighed) < tuning.accuse_settle_s
    ):
        return None
    misplaced = weighed.codes[best] != weighed.codes[row]
    sites = tuple(int(s) for s in np.flatnonzero(misplaced)) if accident else ()
    return with_its_roll(evidence, expectation, CertainPlay(weighed, same, p, accident, sites), now)


def _all_deny(weighed: Weighed, row: int, tuning: Tuning) -> bool:
    """Whether several sources see a place that a row leaves alone, and each of them says that it
    stands otherwise: that is no misread but of a pile, whatever else explains it worse.
    """
    codes = weighed.codes[row]
    untouched = codes == weighed.turn.before
    untouched[OFF] = False
    for side in Side:
        untouched &= checkers_of(codes, side) < PILE
    seen = np.zeros(len(codes), np.intp)
    for voice, table in zip(weighed.voices, weighed.tables, strict=True):
        seen += voice.speaks
        denied = likelihood.per_site(table, codes[None, :])[0] >= tuning.differs_nats
        untouched &= ~voice.speaks | denied
    return bool((untouched & (seen > 1)).any())


def _with_likeliest(pending: Pending, weighed: Weighed, tuning: Tuning, now: float) -> Pending:
    """The same, with the play that is likeliest where that has been at rest for a while."""
    top = int(np.argmax(weighed.post))
    rests = now - last_change(weighed) >= tuning.accuse_settle_s
    if pending.reason != "unsettled" or not rests or weighed.kind[top] != Kind.LEGAL:
        return pending
    if weighed.nats_at(top, np.ones(SITES, np.bool_), tuning) > tuning.differs_nats:
        # Nothing explains what stands there.
        return pending
    return replace(pending, likeliest=placement_from(weighed.codes[top]))


def _why_not_yet(
    weighed: Weighed, voices: tuple[Voice, ...], roll: Roll | None, astray: Bools | None = None
) -> Pending:
    """Why not yet, by what is likeliest; a play of another roll than the one read is a doubt. What
    was `astray` (26,) before the throw is no move.
    """
    top = int(np.argmax(weighed.post))
    sites = tuple(
        int(s) for s in np.flatnonzero(weighed.codes[top] != weighed.codes[weighed.parent[top]])
    )
    if any(v.witness.condition is Condition.MOVING and not v.blind for v in voices):
        return Pending("hand")
    if astray is not None and _only_astray(weighed, top, astray):
        return Pending("nothing_moved")
    match Kind(int(weighed.kind[top])):
        case Kind.LEGAL:
            other = roll is not None and ROLLS[int(weighed.roll[top])] != roll
            if other and (weighed.codes[top] == weighed.turn.before).all():
                return Pending("nothing_moved")
            return Pending("doubt" if other else "unsettled")
        case Kind.BEFORE:
            return Pending("nothing_moved")
        case Kind.HALF:
            return Pending("half_made")
        case Kind.MISSING:
            return Pending("unsettled")
        case Kind.HIT_CHECKER:
            return Pending(_HIT_LEFT, sites)
        case _:
            return Pending(
                "doubt",
                tuple(int(s) for s in np.flatnonzero(weighed.codes[top] != weighed.turn.before)),
            )


def _only_astray(weighed: Weighed, row: int, astray: Bools) -> bool:
    """Whether all that a row has otherwise than before the turn stood so before the throw."""
    differ = weighed.codes[row] != weighed.turn.before
    differ[OFF] = False
    return bool(differ.any() and astray[differ].all())

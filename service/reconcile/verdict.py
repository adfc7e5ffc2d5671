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

from rules.dice import ROLLS, Roll
from rules.infraction import Broken, Infraction
from rules.judge import judge as judged_by_rules
from rules.observation import Condition
from rules.play import Play
from service.journal.entry import DiceOrigin
from service.reconcile import likelihood, report, rolls
from service.reconcile.against_record import (
    astray_before_throw,
    compare_with_record,
    has_moved_on,
    has_rested,
    last_change,
    other_has_moved,
    quiet_s,
    recalled,
    stood_as_recorded,
    stood_before_throw,
    while_moving_on,
)
from service.reconcile.answers import (
    Agreed,
    Ambiguous,
    Awaiting,
    Differs,
    Expectation,
    Illegal,
    OtherRoll,
    Pending,
    Verdict,
)
from service.reconcile.codes import Codes, checkers_of, codes_of, placement_from
from service.reconcile.evidence import Evidence
from service.reconcile.hypotheses import ROLL_INDEX, Kind, LegalResults
from service.reconcile.memory import Beginning, likeliest_beginning
from service.reconcile.play_roll import CertainPlay, with_its_roll
from service.reconcile.presence import all_blind
from service.reconcile.questions import (
    LEAST_POSSIBLE,
    LIKELY,
    is_same_board,
    open_question,
    other_roll_asked,
    roll_judged_by,
)
from service.reconcile.recovery import Explanation
from service.reconcile.rolls import RollSeen
from service.reconcile.settle import Voice, current_voices
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
    astray = astray_before_throw(evidence, expectation)
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
        return compare_with_record(evidence, expectation, speaking, now)
    if agreed is not None:
        return agreed
    if expectation.stage is not Awaiting.PRESSED:
        return _overtaken(evidence, expectation, weighed, now) or _why_not_yet(
            weighed, voices, expectation.roll
        )
    return _without_certain_play(evidence, expectation, weighed, voices, now) or _why_not_yet(
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
        and not _is_denied(weighed, evidence.tuning)
    ):
        return None
    if not has_rested(evidence, expectation, weighed, now):
        return None
    return recalled(evidence, expectation)


def _begun_otherwise(
    evidence: Evidence, expectation: Expectation, begun: Beginning, now: float
) -> Differs | Pending:
    """The turn before this one left something else than the record says, as is seen by now."""
    tuning, weighed, earlier = evidence.tuning, begun.weighed, expectation.earlier
    assert earlier is not None
    found = _certain_play(evidence, replace(expectation, position=begun.position), weighed, now)
    first = earlier.play_to(begun.position.placement)
    p = begun.share * found.probability if isinstance(found, Agreed) else 0.0
    if isinstance(found, Agreed) and p >= tuning.agree:
        placement, own = found.play.placement, (found.roll, found.play)
        made = (
            Explanation("revised", placement, p, (first, own))
            if first is not None
            else Explanation("played_on", placement, p, (own,), begun.position.placement)
        )
        return Differs((made,), found.sites, found.grounds, made)
    ended = expectation.stage is Awaiting.PRESSED
    told = (
        recalled(evidence, expectation)
        if ended and has_rested(evidence, expectation, weighed, now)
        else None
    )
    return told or _why_not_yet(weighed, weighed.voices, expectation.roll)


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
    accident = _HIT_LEFT if weighed.kind[best] == Kind.HIT_CHECKER else ""
    if weighed.kind[best] != Kind.LEGAL and (
        expectation.stage is not Awaiting.PRESSED
        or now - last_change(weighed) < tuning.accuse_settle_s
    ):
        return None
    misplaced = weighed.codes[best] != weighed.codes[row]
    sites = tuple(int(s) for s in np.flatnonzero(misplaced)) if accident else ()
    return with_its_roll(evidence, expectation, CertainPlay(weighed, same, p, accident, sites), now)


def _without_certain_play(
    evidence: Evidence,
    expectation: Expectation,
    weighed: Weighed,
    voices: tuple[Voice, ...],
    now: float,
) -> Verdict | None:
    """The verdict after the press when no legal play is certain; None while it is too early.

    An illegal play, a question, or a board that differs.
    """
    tuning = evidence.tuning
    if (
        any(v.witness.condition is Condition.MOVING and not v.blind for v in voices)
        and now - expectation.since < tuning.patience_s
    ):
        return None
    story = _better_story(evidence, expectation, weighed, now)
    if story is not None:
        return story
    others = ~weighed.legal
    top = int(np.flatnonzero(others)[np.argmax(weighed.post[others])]) if others.any() else -1
    quiet = quiet_s(evidence, expectation, weighed, now)
    rested = has_rested(evidence, expectation, weighed, now)
    if (
        top >= 0
        and rested
        and _excludes_legal(weighed, top, tuning.accuse_nats, tuning.accuse_source_nats)
    ):
        if weighed.kind[top] == Kind.BEFORE and expectation.roll is None:
            return Pending("not_played")
        placement = placement_from(weighed.codes[top])
        found = judged_by_rules(
            weighed.turn.position, roll_judged_by(expectation, weighed), placement
        )
        p = math.exp(weighed.mass(others))
        if isinstance(found, Play):
            # The rules allow what no row did: a game ended with a die left.
            return Agreed(
                found,
                expectation.roll or ROLLS[int(np.argmax(weighed.roll_prior))],
                DiceOrigin.UNKNOWN,
                p,
                report.grounds_of(weighed, now),
            )
        played = weighed.kind[top] != Kind.OTHERWISE or _is_a_play(found, weighed, top)
        if played:
            return Illegal(
                found,
                placement,
                roll_judged_by(expectation, weighed),
                p,
                report.grounds_of(weighed, now),
                _blames(evidence, expectation, found, weighed.codes[top]),
            )
        if quiet >= 2 * tuning.accuse_settle_s:
            return compare_with_record(evidence, expectation, weighed.voices, now)
        return None
    if not rested:
        return None
    asked = open_question(weighed)
    doubt = other_roll_asked(expectation, weighed, asked, now)
    if doubt is not None:
        return doubt
    if asked is not None and (quiet >= tuning.ask_s or is_same_board(weighed, asked)):
        told = recalled(evidence, expectation)
        if told is not None:
            return told
        denied = _denies_a_place(weighed, asked[0][0], tuning)
        rows = weighed.legal
        if expectation.roll is not None:
            rows = rows & (weighed.roll == ROLL_INDEX[expectation.roll])
        legal = math.exp(weighed.mass(rows))
        return Ambiguous(asked, report.grounds_of(weighed, now), denied, legal)
    if now - expectation.since < tuning.patience_s:
        return None
    return compare_with_record(evidence, expectation, weighed.voices, now)


def _better_story(
    evidence: Evidence, expectation: Expectation, weighed: Weighed, now: float
) -> Differs | None:
    """The turn before as it was truly played, and this one after it, where that explains what no
    play of this turn does.
    """
    if weighed.mass(weighed.legal) < math.log(0.5) or _is_denied(weighed, evidence.tuning):
        told = recalled(evidence, expectation)
        if told is not None:
            return told
    earlier = expectation.earlier
    if earlier is None or math.exp(weighed.mass(weighed.legal)) > LEAST_POSSIBLE:
        return None
    found = compare_with_record(evidence, expectation, weighed.voices, now)
    if not isinstance(found, Differs) or found.certain is None:
        return None
    return found if found.certain.kind == "revised" else None


def _is_denied(weighed: Weighed, tuning: Tuning) -> bool:
    """Whether what is likeliest is denied by several sites: one source says no more than so much
    against any play, which leaves the least unlikely where another turn was played.
    """
    top = int(np.argmax(weighed.post))
    everywhere = np.ones(weighed.codes.shape[1], np.bool_)
    return weighed.nats_at(top, everywhere, tuning) > tuning.one_source_nats


def _denies_a_place(weighed: Weighed, play: Play, tuning: Tuning) -> bool:
    """Whether every source that sees a place says that it stands otherwise, though a play leaves it
    alone.
    """
    codes = codes_of(play.placement)
    untouched = codes == weighed.turn.before
    seen = np.zeros(len(codes), np.bool_)
    for voice, table in zip(weighed.voices, weighed.tables, strict=True):
        nats = likelihood.per_site(table, codes[None, :])[0]
        seen |= voice.speaks
        untouched &= ~voice.speaks | (nats >= tuning.differs_nats)
    return bool((untouched & seen).any())


def _excludes_legal(weighed: Weighed, top: int, lead: float, by_itself: float) -> bool:
    """Whether everything legal is excluded in favour of row `top`.

    Together by `lead` nats, by each source that sees the place by itself, and by no source denied.
    """
    others = ~weighed.legal
    if weighed.mass(others) - weighed.mass(weighed.legal) < lead:
        return False
    if weighed.post[top] < weighed.mass(others) + math.log(LIKELY):
        return False
    legal = np.flatnonzero(weighed.legal)
    agreeing = 0
    for nats in weighed.against:
        margin = float(nats[legal].min() - nats[top])
        if margin < -0.5:
            return False
        agreeing += margin >= by_itself
    blind_alone = agreeing == 1 and len(weighed.voices) > 1
    return agreeing == len(weighed.voices) or (
        blind_alone and weighed.mass(others) - weighed.mass(weighed.legal) >= lead + 2.0
    )


def _is_a_play(found: Infraction, weighed: Weighed, top: int) -> bool:
    """Whether an OTHERWISE placement is what a player does in a turn, not a board knocked about.

    A checker of the other side's that stands elsewhere beside a play of one's own was knocked, for
    all that is known, and several of them were moved by their owner: nobody is accused of it.
    """
    side, codes, before = weighed.turn.position.side, weighed.codes[top], weighed.turn.before
    own = checkers_of(codes, side) != checkers_of(before, side)
    theirs = checkers_of(codes, side.other) != checkers_of(before, side.other)
    if found.code.value == "opponent_moved" and (own.any() or theirs.sum() > 2):
        return False
    if found.code.value not in {
        "opponent_moved",
        "both_on_a_point",
        "blocked_point",
        "hit_not_allowed",
    }:
        return False
    return int((weighed.codes[top] != weighed.turn.before).sum()) <= 6


def _blames(evidence: Evidence, expectation: Expectation, found: Infraction, codes: Codes) -> bool:
    """Whether what stands there can only be the doing of the side whose turn it is: it has thrown,
    no checker of the other side's has moved, and what did was seen to stand as recorded before the
    dice lay there.
    """
    return (
        expectation.roll is not None
        and found.code is not Broken.OPPONENT_MOVED
        and not stood_before_throw(evidence, expectation, codes)
        and stood_as_recorded(evidence, expectation, codes)
    )


def _why_not_yet(weighed: Weighed, voices: tuple[Voice, ...], roll: Roll | None) -> Pending:
    """Why not yet, by what is likeliest; a play of another roll than the one read is a doubt."""
    top = int(np.argmax(weighed.post))
    sites = tuple(
        int(s) for s in np.flatnonzero(weighed.codes[top] != weighed.codes[weighed.parent[top]])
    )
    if any(v.witness.condition is Condition.MOVING and not v.blind for v in voices):
        return Pending("hand")
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

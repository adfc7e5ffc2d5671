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
from rules.infraction import Infraction
from rules.judge import judge as judged_by_rules
from rules.observation import Condition
from rules.play import Play, plays
from service.journal.entry import DiceOrigin
from service.reconcile import likelihood, recovery, report, rolls
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
from service.reconcile.arrays import Bools
from service.reconcile.codes import checkers_of, codes_of, placement_from
from service.reconcile.evidence import Evidence
from service.reconcile.hypotheses import Kind, LegalResults
from service.reconcile.memory import Beginning, likeliest_beginning
from service.reconcile.play_roll import CertainPlay, with_its_roll
from service.reconcile.presence import all_blind
from service.reconcile.recovery import Explanation
from service.reconcile.rolls import RollSeen
from service.reconcile.settle import Voice, current_voices
from service.reconcile.tuning import Tuning
from service.reconcile.weigh import Weighed, weigh

_HIT_LEFT: Final = "hit_checker"
LEADING: Final = 0.35
"""Share of everything illegal that the placement which is named must have: the others are illegal
too, a checker apart.
"""
LEAST_POSSIBLE: Final = 0.002
"""A question is asked as long as some legal play is so likely."""


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
        return _compare_with_record(evidence, expectation, speaking, now)
    begun = likeliest_beginning(
        expectation.earlier,
        expectation.position,
        lambda position: weigh(
            evidence,
            LegalResults(position),
            speaking,
            expectation.roll,
            expectation.roll_declared,
        ),
    )
    if begun.position != expectation.position:
        return _begun_otherwise(evidence, expectation, begun, now)
    weighed = begun.weighed
    agreed = _certain_play(evidence, expectation, weighed, now)
    if isinstance(agreed, OtherRoll) and expectation.stage is Awaiting.PRESSED:
        # It may be half of a play that a hand is about to complete.
        return agreed if _rested(evidence, expectation, weighed, now) else Pending("unsettled")
    if agreed is not None:
        return agreed
    if expectation.stage is not Awaiting.PRESSED:
        return _why_not_yet(weighed, voices)
    return _without_certain_play(evidence, expectation, weighed, voices, now) or _why_not_yet(
        weighed, voices
    )


def _begun_otherwise(
    evidence: Evidence, expectation: Expectation, begun: Beginning, now: float
) -> Differs | Pending:
    """The turn before this one left something else than the record says, as is seen by now."""
    tuning, weighed, earlier = evidence.tuning, begun.weighed, expectation.earlier
    assert earlier is not None
    found = _certain_play(evidence, replace(expectation, position=begun.position), weighed, now)
    first = earlier.play_to(begun.position.placement)
    if isinstance(found, Agreed) and first is not None:
        made = Explanation(
            "revised",
            found.play.placement,
            begun.share * found.probability,
            (first, (found.roll, found.play)),
        )
        certain = made if made.p >= tuning.agree else None
        return Differs((made,), found.sites, found.grounds, certain)
    return _why_not_yet(weighed, weighed.voices)


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
    if p < tuning.agree or _nats_at(weighed, best, changed, tuning) > tuning.agree_doubt_nats:
        return None
    if not all(v.at_rest(changed, now, tuning.settle_s) for v in weighed.voices):
        return None
    settled = codes_of(evidence.placement)
    if any(
        (likelihood.nats_against_change(v, weighed.codes[best], settled) > tuning.turned_nats).any()
        for v in weighed.voices
    ):
        return None
    accident = _HIT_LEFT if weighed.kind[best] == Kind.HIT_CHECKER else ""
    if accident and (
        expectation.stage is not Awaiting.PRESSED
        or now - _last_change(weighed) < tuning.accuse_settle_s
    ):
        return None
    misplaced = weighed.codes[best] != weighed.codes[row]
    sites = tuple(int(s) for s in np.flatnonzero(misplaced)) if accident else ()
    return with_its_roll(evidence, expectation, CertainPlay(weighed, same, p, accident, sites), now)


def _nats_at(weighed: Weighed, row: int, sites: Bools, tuning: Tuning) -> float:
    """Nats that all sources say against a row at these sites."""
    codes = weighed.codes[row][None, :]
    raw = (
        np.minimum(likelihood.per_site(table, codes)[0], likelihood.caps(voice.source, tuning))
        for voice, table in zip(weighed.voices, weighed.tables, strict=True)
    )
    return float(sum(nats[sites].sum() for nats in raw))


def _quiet_s(evidence: Evidence, expectation: Expectation, weighed: Weighed, now: float) -> float:
    """For how long nothing has changed, s, counted from the end of the turn at the earliest."""
    ended = expectation.since + expectation.late_s
    return now - max(_last_change(weighed), evidence.stirred_at, ended)


def _rested(evidence: Evidence, expectation: Expectation, weighed: Weighed, now: float) -> bool:
    """Whether the board has lain still for long enough that more than a legal play may be said."""
    tuning = evidence.tuning
    return _quiet_s(evidence, expectation, weighed, now) >= tuning.accuse_settle_s and all(
        v.rests >= tuning.accuse_readings for v in weighed.voices
    )


def _last_change(weighed: Weighed) -> float:
    """When a site that any source speaks for last changed, s; -inf when none is spoken for."""
    times = [float(v.witness.since[v.speaks].max()) for v in weighed.voices if v.speaks.any()]
    return max(times, default=-math.inf)


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
    quiet = _quiet_s(evidence, expectation, weighed, now)
    rested = _rested(evidence, expectation, weighed, now)
    if (
        top >= 0
        and rested
        and _excludes_legal(weighed, top, tuning.accuse_nats, tuning.accuse_source_nats)
    ):
        if weighed.kind[top] == Kind.BEFORE and expectation.roll is None:
            return Pending("not_played")
        placement = placement_from(weighed.codes[top])
        found = judged_by_rules(weighed.turn.position, _roll_of(expectation, weighed), placement)
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
                found, placement, _roll_of(expectation, weighed), p, report.grounds_of(weighed, now)
            )
        if quiet >= 2 * tuning.accuse_settle_s:
            return _compare_with_record(evidence, expectation, weighed.voices, now)
        return None
    if not rested:
        return None
    asked = _question(weighed)
    if asked is not None and (quiet >= tuning.ask_s or _same_board(weighed, asked)):
        return Ambiguous(asked, report.grounds_of(weighed, now))
    if now - expectation.since < tuning.patience_s:
        return None
    return _compare_with_record(evidence, expectation, weighed.voices, now)


def _better_story(
    evidence: Evidence, expectation: Expectation, weighed: Weighed, now: float
) -> Differs | None:
    """The turn before as it was truly played, and this one after it, where that explains what no
    play of this turn does.
    """
    earlier = expectation.earlier
    if earlier is None or math.exp(weighed.mass(weighed.legal)) > LEAST_POSSIBLE:
        return None
    found = _compare_with_record(evidence, expectation, weighed.voices, now)
    if not isinstance(found, Differs) or found.certain is None:
        return None
    return found if found.certain.kind == "revised" else None


def _roll_of(expectation: Expectation, weighed: Weighed) -> Roll | None:
    """The roll that an infraction is judged by: as announced, else as the dice say, else None."""
    if expectation.roll is not None:
        return expectation.roll
    top = int(np.argmax(weighed.roll_prior))
    return ROLLS[top] if math.exp(float(weighed.roll_prior[top])) >= 0.95 else None


def _excludes_legal(weighed: Weighed, top: int, lead: float, by_itself: float) -> bool:
    """Whether everything legal is excluded in favour of row `top`.

    Together by `lead` nats, by each source that sees the place by itself, and by no source denied.
    """
    others = ~weighed.legal
    if weighed.mass(others) - weighed.mass(weighed.legal) < lead:
        return False
    if weighed.post[top] < weighed.mass(others) + math.log(LEADING):
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


def _question(weighed: Weighed) -> tuple[tuple[Play, Roll, float], ...] | None:
    """The legal plays still possible, best first; None when hardly any legal play is."""
    if math.exp(weighed.mass(weighed.legal)) < LEAST_POSSIBLE:
        return None
    rows = np.flatnonzero(weighed.kind == Kind.LEGAL)
    order = rows[np.argsort(-weighed.post[rows], kind="stable")[:5]]
    options: list[tuple[Play, Roll, float]] = []
    for i in order:
        share = math.exp(float(weighed.post[i]))
        roll = ROLLS[int(weighed.roll[i])]
        play = plays(weighed.turn.position, roll).find(placement_from(weighed.codes[i]))
        if play is not None and (share >= 0.01 or not options):
            options.append((play, roll, share))
    return tuple(options) or None


def _same_board(weighed: Weighed, options: tuple[tuple[Play, Roll, float], ...]) -> bool:
    """Whether what stands there is certain and only its meaning is not: waiting tells no more."""
    codes = codes_of(options[0][0].placement)
    return weighed.mass((weighed.codes == codes).all(axis=1)) > math.log(0.98)


def _compare_with_record(
    evidence: Evidence, expectation: Expectation, voices: tuple[Voice, ...], now: float
) -> Differs | Pending:
    """What stands there, explained by as little as possible: see `recovery`."""
    quiet = now - max(
        [
            evidence.stirred_at,
            *(float(v.witness.since[v.speaks].max()) for v in voices if v.speaks.any()),
        ]
    )
    if quiet < evidence.tuning.accuse_settle_s or not all(
        v.rests >= evidence.tuning.accuse_readings for v in voices
    ):
        return Pending("unsettled")
    found = recovery.explain(
        evidence,
        expectation.position,
        expectation.roll,
        voices,
        expectation.earlier,
        declared=expectation.roll_declared,
        watched=expectation.watched,
        next_first_turn=expectation.next_first_turn,
    )
    before = codes_of(expectation.position.placement)
    stands = found.stands if found.stands is not None else before
    sites = tuple(int(s) for s in np.flatnonzero(stands != before))
    return Differs(found.explanations, sites, found.grounds, found.certain)


def _why_not_yet(weighed: Weighed, voices: tuple[Voice, ...]) -> Pending:
    """Why not yet, by what is likeliest."""
    top = int(np.argmax(weighed.post))
    sites = tuple(
        int(s) for s in np.flatnonzero(weighed.codes[top] != weighed.codes[weighed.parent[top]])
    )
    if any(v.witness.condition is Condition.MOVING and not v.blind for v in voices):
        return Pending("hand")
    match Kind(int(weighed.kind[top])):
        case Kind.LEGAL:
            return Pending("unsettled")
        case Kind.BEFORE:
            return Pending("nothing_moved")
        case Kind.HALF:
            return Pending("half_made")
        case Kind.HIT_CHECKER:
            return Pending(_HIT_LEFT, sites)
        case _:
            return Pending(
                "doubt",
                tuple(int(s) for s in np.flatnonzero(weighed.codes[top] != weighed.turn.before)),
            )

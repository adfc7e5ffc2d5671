"""The verdict: the one argmax of the house. Does the board truly stand so, is the hand gone, and
what is it then?

`rules.judge` says which rule a change of the board breaks; this file says whether the change is
believed. Nothing but a legal play is ever said because a sensor misread a site or two for good:
that needs a lead over every legal result (other rolls that the dice do not exclude included), from
sources at rest, over time, each one that sees the place agreeing.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from rules.board import POINTS, Placement
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
    Blind,
    Differs,
    DoesNotMatch,
    Expectation,
    Illegal,
    Matches,
    Pending,
    PlacementSeen,
    Unseen,
    Verdict,
)
from service.reconcile.evidence import Belief
from service.reconcile.hypotheses import (
    ROLL_INDEX,
    Kind,
    LegalResults,
    placement_codes_of,
    placement_from,
)
from service.reconcile.recovery import Explanation
from service.reconcile.report import Evidence
from service.reconcile.rolls import NoDice, RollProblem, RollRead, RollSeen, RollUnread
from service.reconcile.settle import Voice, seen_by_any, voices
from service.reconcile.tuning import Tuning
from service.reconcile.weigh import Weighed, weigh

_HIT_LEFT: Final = "hit_checker"
LEADING: Final = 0.35
"""Share of everything illegal that the placement which is named must have: the others are illegal
too, a checker apart.
"""
LEAST_POSSIBLE: Final = 0.002
"""A question is asked as long as some legal play is so likely."""


def decide(belief: Belief, expectation: Expectation, now: float) -> Verdict:
    """What happened since the placement that the belief began with.

    Pure; costs a few milliseconds at most, two-turn recovery apart.
    """
    heard = voices(belief, now)
    blind = _blind(heard)
    if blind is not None:
        return blind
    speaking = tuple(v for v in heard if v.speaks.any())
    if not speaking:
        return Pending(
            "hand" if any(v.witness.condition is Condition.MOVING for v in heard) else "unseen"
        )
    if expectation.stage is Awaiting.DIFFERS:
        return _differs(belief, expectation, speaking, now)
    pressed = expectation.stage is Awaiting.PRESSED
    weighed = weigh(
        belief,
        LegalResults(expectation.position),
        speaking,
        expectation.roll,
        expectation.roll_declared,
        deep=pressed,
    )
    agreed = _agreed(belief, expectation, weighed, now)
    if agreed is not None:
        return agreed
    if expectation.stage is not Awaiting.PRESSED:
        return _pending(weighed, heard)
    return _accused(belief, expectation, weighed, heard, now) or _pending(weighed, heard)


def roll_seen(belief: Belief, expectation: Expectation, now: float) -> RollSeen:
    """What the dice of this turn say by themselves."""
    return rolls.roll_of_dice(belief, now, expectation.dice_area)


def placement_seen(belief: Belief, expected: Placement, now: float) -> PlacementSeen:
    """Whether `expected` stands there: set-up verification and the watch over a correction.

    Nobody's rules, only both sensors.
    """
    heard = voices(belief, now)
    blind = _blind(heard)
    if blind is not None:
        return Unseen(blind.reason)
    points = np.zeros(26, np.bool_)
    points[list(POINTS)] = True
    codes = placement_codes_of(expected)
    unseen = points & ~seen_by_any(heard)
    against = np.zeros(26)
    steady = True
    for voice in heard:
        settled = placement_codes_of(belief.placement)
        table = likelihood.log_tables(voice, settled, belief.tuning)
        against += np.minimum(
            likelihood.per_site(table, codes[None, :])[0],
            likelihood.caps(voice.source, belief.tuning),
        )
        steady &= voice.at_rest(points, now, belief.tuning.settle_s)
    wrong = np.flatnonzero(against > belief.tuning.differs_nats)
    if len(wrong):
        return (
            DoesNotMatch(tuple(int(s) for s in wrong), 1 - math.exp(-float(against.max())))
            if steady
            else Unseen("unsettled")
        )
    if unseen.any():
        return Unseen(
            "hand" if any(v.witness.condition is Condition.MOVING for v in heard) else "unseen"
        )
    return Matches(math.exp(-float(against.sum()) / 2)) if steady else Unseen("unsettled")


def _blind(heard: tuple[Voice, ...]) -> Blind | None:
    if any(not v.blind for v in heard):
        return None
    if not heard:
        return Blind((), "no source has said anything yet")
    sources = tuple((v.source, v.blind) for v in heard)
    return Blind(sources, ", ".join(f"{s.value}: {why}" for s, why in sources))


def _agreed(
    belief: Belief, expectation: Expectation, weighed: Weighed, now: float
) -> Agreed | Ambiguous | None:
    """The play, when one legal result is nearly certain and has stood still."""
    tuning = belief.tuning
    rows = np.flatnonzero(weighed.legal)
    best = int(rows[np.argmax(weighed.post[rows])])
    row = int(weighed.parent[best])
    same = (weighed.codes[weighed.parent] == weighed.codes[row]).all(axis=1) & weighed.legal
    p = math.exp(weighed.mass(same))
    changed = (weighed.codes[best] != weighed.turn.before) | (
        weighed.codes[row] != weighed.turn.before
    )
    if p < tuning.agree or _doubt(weighed, best, changed, tuning) > tuning.agree_doubt_nats:
        return None
    if not all(v.at_rest(changed, now, tuning.settle_s) for v in weighed.voices):
        return None
    settled = placement_codes_of(belief.placement)
    if any(
        (likelihood.turned(v, weighed.codes[best], settled) > tuning.turned_nats).any()
        for v in weighed.voices
    ):
        return None
    accident = _HIT_LEFT if weighed.kind[best] == Kind.HIT_CHECKER else ""
    if accident and (
        expectation.stage is not Awaiting.PRESSED
        or now - _last_change(weighed) < tuning.accuse_settle_s
    ):
        return None
    sites = (
        tuple(int(s) for s in np.flatnonzero(weighed.codes[best] != weighed.codes[row]))
        if accident
        else ()
    )
    return _with_roll(
        belief, expectation, weighed, same, p, report.evidence(weighed, now), accident, sites
    )


def _doubt(weighed: Weighed, row: int, sites: npt.NDArray[np.bool_], tuning: Tuning) -> float:
    """Nats that all sources say against a row at these sites."""
    codes = weighed.codes[row][None, :]
    raw = (
        np.minimum(likelihood.per_site(table, codes)[0], likelihood.caps(voice.source, tuning))
        for voice, table in zip(weighed.voices, weighed.tables, strict=True)
    )
    return float(sum(nats[sites].sum() for nats in raw))


def _with_roll(
    belief: Belief,
    expectation: Expectation,
    weighed: Weighed,
    same: npt.NDArray[np.bool_],
    p: float,
    evidence: Evidence,
    accident: str,
    sites: tuple[int, ...],
) -> Agreed | Ambiguous:
    """Which roll the play was made with: the one announced, the only one that explains it, or
    nobody knows.
    """
    tuning = belief.tuning
    by_roll = np.full(len(ROLLS), -math.inf)
    for i in np.flatnonzero(same):
        by_roll[weighed.roll[i]] = np.logaddexp(by_roll[weighed.roll[i]], weighed.post[i])
    shares = np.exp(by_roll - np.logaddexp.reduce(by_roll))
    top = int(np.argmax(shares))
    placement = placement_from(weighed.codes[weighed.parent[int(np.flatnonzero(same)[0])]])

    def play_with(index: int) -> Play:
        found = plays(weighed.turn.position, ROLLS[index]).find(placement)
        assert found is not None, "a legal row came from these very plays"
        return found

    if expectation.roll is not None:
        announced = ROLL_INDEX[expectation.roll]
        if expectation.roll_declared or top == announced:
            origin = DiceOrigin.ENTERED if expectation.roll_declared else DiceOrigin.READ
            return Agreed(
                play_with(announced), expectation.roll, origin, p, evidence, accident, sites
            )
        if shares[announced] > 0 and shares[top] < tuning.infer:
            # The roll announced allows the play as well: the play stands, whichever of them was
            # thrown.
            return Agreed(
                play_with(top), ROLLS[top], DiceOrigin.UNKNOWN, p, evidence, accident, sites
            )
        if (
            shares[top] < tuning.infer
            or weighed.roll_prior[top] < weighed.roll_prior.max() - tuning.overrule_nats
        ):
            # The camera said one roll and the play says another: a misread die, or a miscount.
            # People saw it.
            order = [int(i) for i in np.argsort(-shares, kind="stable")[:4] if shares[i] > 0.005]
            return Ambiguous(
                tuple((play_with(i), ROLLS[i], p * float(shares[i])) for i in order), evidence
            )
        return Agreed(play_with(top), ROLLS[top], DiceOrigin.INFERRED, p, evidence, accident, sites)
    seen = rolls.dice_pair(rolls.dice_of_turn(belief))
    read = (
        sum(t.flat >= 0.5 for t in seen) >= 2
        and math.exp(float(weighed.roll_prior[top])) >= tuning.roll_read
    )
    # Not announced, so the dice were faint: the roll counts as known when the play alone leaves
    # one, or when both say the same for certain.
    alone = by_roll - weighed.roll_prior + rolls.weights()
    alone = np.exp(alone - np.logaddexp.reduce(alone))
    if alone[top] < tuning.infer and shares[top] < tuning.faint_dice:
        return Agreed(play_with(top), ROLLS[top], DiceOrigin.UNKNOWN, p, evidence, accident, sites)
    return Agreed(
        play_with(top),
        ROLLS[top],
        DiceOrigin.READ if read else DiceOrigin.INFERRED,
        p,
        evidence,
        accident,
        sites,
    )


def _last_change(weighed: Weighed) -> float:
    """When any site that somebody speaks for last began a new window."""
    times = [float(v.witness.since[v.speaks].max()) for v in weighed.voices if v.speaks.any()]
    return max(times, default=-math.inf)


def _accused(
    belief: Belief, expectation: Expectation, weighed: Weighed, heard: tuple[Voice, ...], now: float
) -> Verdict | None:
    """After the press, when no legal play is certain: an illegal one, a question, or a board that
    differs.
    """
    tuning = belief.tuning
    if (
        any(v.witness.condition is Condition.MOVING and not v.blind for v in heard)
        and now - expectation.since < tuning.patience_s
    ):
        return None
    others = ~weighed.legal
    top = int(np.flatnonzero(others)[np.argmax(weighed.post[others])]) if others.any() else -1
    quiet = now - max(_last_change(weighed), belief.stirred_at)
    rested = quiet >= tuning.accuse_settle_s and all(
        v.rests >= tuning.accuse_readings for v in weighed.voices
    )
    if (
        top >= 0
        and rested
        and _excluded(weighed, top, tuning.accuse_nats, tuning.accuse_source_nats)
    ):
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
                report.evidence(weighed, now),
            )
        if weighed.kind[top] != Kind.OTHERWISE or _is_a_play(found, weighed, top):
            return Illegal(
                found, placement, _roll_of(expectation, weighed), p, report.evidence(weighed, now)
            )
        if quiet >= 2 * tuning.accuse_settle_s:
            return _differs(belief, expectation, weighed.voices, now)
        return None
    if not rested or now - expectation.since < tuning.accuse_settle_s:
        return None
    asked = _question(weighed)
    if asked is not None and (quiet >= tuning.ask_s or _same_board(weighed, asked)):
        return Ambiguous(asked, report.evidence(weighed, now))
    if now - expectation.since < tuning.patience_s:
        return None
    return _differs(belief, expectation, weighed.voices, now)


def _roll_of(expectation: Expectation, weighed: Weighed) -> Roll | None:
    """The roll an infraction is named against: as announced, else as the dice say it alone, else
    unknown.
    """
    if expectation.roll is not None:
        return expectation.roll
    top = int(np.argmax(weighed.roll_prior))
    return ROLLS[top] if math.exp(float(weighed.roll_prior[top])) >= 0.95 else None


def _excluded(weighed: Weighed, top: int, lead: float, by_itself: float) -> bool:
    """Whether everything legal is excluded in favour of row `top`: together by `lead`, by each
    source that sees the place, and by no source denied."""
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
    """Whether an OTHERWISE placement is still something a player does in a turn, not a board
    knocked about.
    """
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
    """Whether what stands there is certain and only its meaning is not: waiting tells nothing more."""
    codes = placement_codes_of(options[0][0].placement)
    return weighed.mass((weighed.codes == codes).all(axis=1)) > math.log(0.98)


def _differs(
    belief: Belief, expectation: Expectation, heard: tuple[Voice, ...], now: float
) -> Differs | Pending:
    """What stands there, explained by as little as possible: see `recovery`."""
    quiet = now - max(
        [
            belief.stirred_at,
            *(float(v.witness.since[v.speaks].max()) for v in heard if v.speaks.any()),
        ]
    )
    if quiet < belief.tuning.accuse_settle_s or not all(
        v.rests >= belief.tuning.accuse_readings for v in heard
    ):
        return Pending("unsettled")
    found = recovery.explain(
        belief,
        expectation.position,
        expectation.roll,
        heard,
        next_first_turn=expectation.next_first_turn,
    )
    before = placement_codes_of(expectation.position.placement)
    stands = found.stands if found.stands is not None else before
    sites = tuple(int(s) for s in np.flatnonzero(stands != before))
    return Differs(found.explanations, sites, found.evidence, found.certain)


def _pending(weighed: Weighed, heard: tuple[Voice, ...]) -> Pending:
    """Why not yet, by what is likeliest."""
    top = int(np.argmax(weighed.post))
    sites = tuple(
        int(s) for s in np.flatnonzero(weighed.codes[top] != weighed.codes[weighed.parent[top]])
    )
    if any(v.witness.condition is Condition.MOVING and not v.blind for v in heard):
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


__all__ = [
    "Agreed",
    "Ambiguous",
    "Awaiting",
    "Blind",
    "DiceOrigin",
    "Differs",
    "DoesNotMatch",
    "Expectation",
    "Explanation",
    "Illegal",
    "Matches",
    "NoDice",
    "Pending",
    "PlacementSeen",
    "RollProblem",
    "RollRead",
    "RollSeen",
    "RollUnread",
    "Unseen",
    "Verdict",
    "decide",
    "placement_seen",
    "roll_seen",
]

"""The verdict on a turn that was ended and of which no legal play is certain: an illegal play, a
question, or a board that differs.
"""

from __future__ import annotations

import math

import numpy as np

from rules.board import BAR, OFF, Placement, Side
from rules.dice import ROLLS
from rules.infraction import Broken, Infraction
from rules.judge import judge as judged_by_rules
from rules.observation import Condition
from rules.play import Play
from service.journal.entry import DiceOrigin
from service.reconcile import likelihood, report
from service.reconcile.against_record import (
    astray_before_throw,
    compare_with_record,
    recalled,
    stood_as_recorded,
)
from service.reconcile.answers import (
    Agreed,
    Ambiguous,
    Differs,
    Expectation,
    Illegal,
    Pending,
    Verdict,
)
from service.reconcile.arrays import Bools
from service.reconcile.at_rest import has_rested, quiet_s
from service.reconcile.codes import TALL, Codes, checkers_of, codes_of, placement_from
from service.reconcile.evidence import Evidence
from service.reconcile.hypotheses import ROLL_INDEX, Kind
from service.reconcile.memory import misses_one
from service.reconcile.questions import (
    LEAST_POSSIBLE,
    LIKELY,
    is_same_board,
    open_question,
    other_roll_asked,
    roll_judged_by,
)
from service.reconcile.rolls import LOG_PRIOR
from service.reconcile.settle import Voice
from service.reconcile.tuning import Tuning
from service.reconcile.weigh import Weighed


def without_certain_play(
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
    rested = has_rested(evidence, expectation, weighed, now)
    others = ~weighed.legal
    top = int(np.flatnonzero(others)[np.argmax(weighed.post[others])]) if others.any() else -1
    if (
        top >= 0
        and rested
        and _excludes_legal(weighed, top, tuning.accuse_nats, tuning.accuse_source_nats)
    ):
        return _no_play(evidence, expectation, weighed, top, now)
    return _what_is_asked(evidence, expectation, weighed, now) if rested else None


def _no_play(
    evidence: Evidence, expectation: Expectation, weighed: Weighed, top: int, now: float
) -> Verdict | None:
    """What stands there where every legal play is excluded in favour of the row `top`; None while
    it may be a board knocked about.
    """
    if weighed.kind[top] == Kind.BEFORE and expectation.roll is None:
        return Pending("not_played")
    tuning, grounds = evidence.tuning, report.grounds_of(weighed, now)
    placement, roll = placement_from(weighed.codes[top]), roll_judged_by(expectation, weighed)
    found = judged_by_rules(weighed.turn.position, roll, placement)
    p = math.exp(weighed.mass(~weighed.legal))
    if isinstance(found, Play):
        # The rules allow what no row did: a game ended with a die left.
        thrown = expectation.roll or ROLLS[int(np.argmax(weighed.roll_prior))]
        return Agreed(found, thrown, DiceOrigin.UNKNOWN, p, grounds)
    if weighed.kind[top] != Kind.OTHERWISE or _is_a_play(found, weighed, top):
        blames = _blames(evidence, expectation, found, weighed.codes[top])
        return Illegal(found, placement, roll, p, grounds, blames)
    if quiet_s(evidence, expectation, weighed, now) >= 2 * tuning.accuse_settle_s:
        return compare_with_record(evidence, expectation, weighed.voices, now)
    return None


def _what_is_asked(
    evidence: Evidence, expectation: Expectation, weighed: Weighed, now: float
) -> Verdict | None:
    """The question about a turn that may have been a legal play; None while it is too early."""
    tuning, quiet = evidence.tuning, quiet_s(evidence, expectation, weighed, now)
    asked = open_question(weighed)
    uncounted, counted = False, None
    if asked is not None and expectation.roll != asked[0][1]:
        # A roll that was read speaks for its play as well.
        piles = _piles_as_before(weighed, asked[0][0])
        uncounted, counted = bool(piles.any()), _as_counted(weighed, asked[0][0], piles)
    doubt = other_roll_asked(evidence, expectation, weighed, asked, now)
    if doubt is not None and counted is None:
        return doubt
    waited = now - expectation.since >= tuning.patience_s
    if asked is not None and (waited or quiet >= tuning.ask_s or is_same_board(weighed, asked)):
        told = recalled(evidence, expectation)
        if told is not None:
            return told
        likeliest = asked[0][0]
        denied = uncounted or _denies_a_place(weighed, likeliest, tuning)
        legal = math.exp(weighed.mass(_may_be_thrown(expectation, weighed, tuning)))
        grounds = report.grounds_of(weighed, now)
        stands = _played_otherwise(weighed, tuning) or counted
        return Ambiguous(asked, grounds, denied, legal, stands)
    if not waited:
        return None
    return compare_with_record(evidence, expectation, weighed.voices, now)


def _may_be_thrown(expectation: Expectation, weighed: Weighed, tuning: Tuning) -> Bools:
    """The rows of legal plays of the roll that was read; where none was, of those that no die which
    lies there speaks against: of three nobody knows the stranger, and none shows what was played.
    """
    rows = weighed.legal
    if expectation.roll is not None:
        result: Bools = rows & (weighed.roll == ROLL_INDEX[expectation.roll])
    else:
        against = weighed.roll_prior - LOG_PRIOR < math.log(1 - tuning.roll_read)
        result = rows & ~against[weighed.roll]
    return result


def _played_otherwise(weighed: Weighed, tuning: Tuning) -> tuple[Placement, float] | None:
    """What stands there as nobody may have played it, and its probability, where that is likelier
    than everything else together: half of a play, or checkers moved against the rules, be it the
    other side's, as far as every place reads so. None where one is gone as well that nobody may
    bear off: it may have fallen, or its pile is misread.
    """
    top = int(np.argmax(weighed.post))
    p = math.exp(float(weighed.post[top]))
    if weighed.kind[top] not in (Kind.HALF, Kind.MOVED, Kind.OTHERWISE) or p < 0.5:
        return None
    if weighed.kind[top] == Kind.OTHERWISE and not _is_read(weighed, top, tuning):
        return None
    placement = placement_from(weighed.codes[top])
    return None if misses_one(weighed.turn.position, placement) else (placement, p)


def _is_read(weighed: Weighed, row: int, tuning: Tuning) -> bool:
    """Whether no source denies that any place stands as a row has it."""
    codes = weighed.codes[row][None, :]
    return not any(
        (likelihood.per_site(table, codes)[0][voice.speaks] >= tuning.differs_nats).any()
        for voice, table in zip(weighed.voices, weighed.tables, strict=True)
    )


def _better_story(
    evidence: Evidence, expectation: Expectation, weighed: Weighed, now: float
) -> Differs | None:
    """The turn before as it was truly played, and this one after it, where that explains what no
    play of this turn does.
    """
    if weighed.mass(weighed.legal) < math.log(0.5) or is_denied(weighed, evidence.tuning):
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


def is_denied(weighed: Weighed, tuning: Tuning) -> bool:
    """Whether what is likeliest is denied by several sites: one source says no more than so much
    against any play, which leaves the least unlikely where another turn was played.
    """
    top = int(np.argmax(weighed.post))
    everywhere = np.ones(weighed.codes.shape[1], np.bool_)
    return weighed.nats_at(top, everywhere, tuning) > tuning.one_source_nats


def _piles_as_before(weighed: Weighed, play: Play) -> Bools:
    """The tall piles (26,) that a play changes and that several sources see, each as high as before
    it, or as when that was settled: one of them may miscount a pile, hardly all alike.
    """
    before = weighed.turn.before
    found = codes_of(play.placement) != before
    found &= np.maximum.reduce([checkers_of(before, side) for side in Side]) >= TALL
    found[OFF] = False
    seen = np.zeros(len(before), np.intp)
    for voice in weighed.voices:
        seen += voice.speaks
        reads = voice.witness.reads
        found &= ~voice.speaks | (reads == before) | (reads == voice.witness.read_as)
    result: Bools = found & (seen > 1)
    return result


def _as_counted(weighed: Weighed, play: Play, uncounted: Bools) -> tuple[Placement, float] | None:
    """What the sources say stands there, and its probability, where a play changes a pile that they
    count as before: a checker that was taken off against the rules, instead. None where no slip
    leaves it so.
    """
    codes = codes_of(play.placement)
    elsewhere = codes != weighed.turn.before
    elsewhere &= ~uncounted
    slips = np.isin(weighed.kind, (Kind.HALF, Kind.MOVED))
    same = (weighed.codes == np.where(elsewhere, codes, weighed.turn.before))[:, 1:].all(axis=1)
    rows = np.flatnonzero(slips & same)
    if not uncounted.any() or not len(rows):
        return None
    top = int(rows[np.argmax(weighed.post[rows])])
    p = math.exp(float(weighed.post[top]))
    return None if p < LEAST_POSSIBLE else (placement_from(weighed.codes[top]), p)


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
    no checker of the other side's has moved, what did was seen to stand as recorded before the dice
    lay there, and none of its own lay elsewhere then, be that as the record has it by now: somebody
    laid it straight, and another place stands otherwise for it. What its turn began from is known:
    where that was taken as it stood, one of its checkers may have been knocked there, and counted
    on from where it had been.
    """
    memory = expectation.memory
    if memory is not None and memory.anchors[-1].taken:
        return False
    side, before = expectation.position.side.other, codes_of(expectation.position.placement)
    astray = astray_before_throw(evidence, expectation)
    own = (checkers_of(before, side.other) > 0) | (codes != before)
    laid = checkers_of(codes, side).astype(np.int16) > checkers_of(before, side)
    laid[[OFF, BAR]] = False
    return (
        expectation.roll is not None
        and found.code is not Broken.OPPONENT_MOVED
        and not laid.any()
        and (astray is None or not astray[own].any())
        and stood_as_recorded(evidence, expectation, codes)
    )

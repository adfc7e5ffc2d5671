"""What explains a board that differs from the record, by as little as possible.

Nothing changed after all, one turn, two turns and a new game set up are alike likely, but that a
turn's share is its roll's and its play's among the legal ones; seldomer the last turn was played
otherwise than it was entered, or hands left the position so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from rules.board import OFF, Placement, Side
from rules.dice import ROLLS, Roll
from rules.judge import rolls_explaining
from rules.play import Play, plays
from rules.position import Position, PositionError
from rules.two_turns import turns_explaining
from service.journal.entry import Grounds
from service.reconcile import hypotheses, likelihood, rolls
from service.reconcile.arrays import F64, Logs
from service.reconcile.as_read import what_stands
from service.reconcile.codes import Codes, codes_of, placement_from
from service.reconcile.evidence import Evidence
from service.reconcile.memory import Earlier
from service.reconcile.reel import UNSEEN_TURN, Costs
from service.reconcile.settle import Voice
from service.reconcile.tuning import DEFAULT, Tuning
from service.reconcile.weigh import prior_of_rolls


@dataclass(frozen=True, slots=True)
class Explanation:
    """One way to explain what stands there, with probability `p`.

    `kind`: unchanged, turn, turns, revised, played_on, start, set; `turns` the one or two turns. Of
    a turn that is `revised` the first is the turn before this one as it was truly played; one that
    was `played_on` was made `from_` what no play of the turn before left. `open_rolls`: of which of
    the turns another roll would have left the same.
    """

    kind: str
    placement: Placement
    p: float
    turns: tuple[tuple[Roll, Play], ...] = ()
    from_: Placement | None = None
    open_rolls: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Explained:
    """All explanations, likeliest first, and the one that is `certain`, if one is.

    `stands`: codes (26,) of what the sensors say stands there, None when no placement with all
    checkers does.
    """

    explanations: tuple[Explanation, ...]
    certain: Explanation | None
    stands: Codes | None
    grounds: Grounds = field(default_factory=Grounds)


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """An explanation before it is weighed: `codes` (26,) it leaves, `prior` its log prior."""

    kind: str
    codes: Codes
    prior: float
    turns: tuple[tuple[Roll, Play], ...] = ()


def explain(
    evidence: Evidence,
    position: Position,
    roll: Roll | None,
    voices: tuple[Voice, ...],
    earlier: Earlier | None = None,
    *,
    declared: bool = False,
    watched: bool = False,
    next_first_turn: bool = False,
    second: F64 = rolls.LOG_PRIOR,
) -> Explained:
    """Explanations of the board as it stands, likeliest first.

    `roll`: that of the turn in progress when it is known, `declared` where a person said it.
    `earlier`: the turn before. `watched`: dice thrown meanwhile would have been seen. `second`: log
    probability (21,) of the roll of the other side, should it have played as well.
    """
    tuning = evidence.tuning
    settled = codes_of(evidence.placement)
    tabled = [(voice, likelihood.log_tables(voice, settled, tuning)) for voice in voices]
    before = codes_of(position.placement)
    rules = position.ruleset
    summed = likelihood.summed_tables(tabled, tuning)
    standing = what_stands(summed, before, rules.checkers)
    asked = _Asked(
        position,
        roll,
        prior_of_rolls(evidence, roll, declared),
        math.log(UNSEEN_TURN) if watched else 0.0,
        bool(rolls.dice_of_turn(evidence)) or roll is not None,
        earlier,
        next_first_turn,
        second,
    )
    found = [_Candidate("unchanged", before, 0.0)]
    start = codes_of(Position.start(rules, position.side).placement)
    if not (start == before).all():
        found.append(_Candidate("start", start, 0.0))
    for codes in standing:
        found += _candidates(codes, asked)
    explanations, doubt = _weighed(found, tabled, tuning)
    # One explanation is left when its placement is sure and nothing else, another roll apart, leads
    # there.
    best = _whatever_was_rolled(explanations, tuning.infer)
    sure = (
        best.p >= tuning.agree
        and doubt <= tuning.one_source_nats
        and best.kind in ("unchanged", "turn", "turns", "revised")
        and (evidence.verified or best.kind == "unchanged")
    )
    shown = [
        (e.kind, round(e.p, 4), [f"{r}: {play}" for r, play in e.turns]) for e in explanations[:5]
    ]
    return Explained(
        explanations[:8],
        best if sure else None,
        standing[0] if standing else None,
        {"explanations": shown},
    )


def _whatever_was_rolled(explanations: tuple[Explanation, ...], sure: float) -> Explanation:
    """The likeliest explanation, as likely as it is together with those in which the same turns
    were made with other rolls; a roll whose share is not `sure` stays open.
    """
    best = explanations[0]
    if best.kind not in ("turn", "turns"):
        return best
    made = [play.placement for _, play in best.turns]
    same = [
        each
        for each in explanations
        if each.kind == best.kind and [play.placement for _, play in each.turns] == made
    ]
    p = sum(each.p for each in same)
    shares = [
        sum(each.p for each in same if each.turns[n][0] == roll) / p
        for n, (roll, _) in enumerate(best.turns)
    ]
    open_rolls = frozenset(n for n, share in enumerate(shares) if share < sure)
    return replace(best, p=min(p, 1.0), open_rolls=open_rolls)


def told_where_it_stands(
    explanations: tuple[Explanation, ...], stands: Placement
) -> Explanation | None:
    """The turns that alone explain a placement that is known to stand there; None where other turns
    or hands do nearly as well.
    """
    left = tuple(each for each in explanations if each.placement == stands)
    if not left:
        return None
    best = _whatever_was_rolled(left, DEFAULT.infer)
    share = best.p / sum(each.p for each in left)
    return replace(best, p=share) if best.turns and share >= DEFAULT.agree else None


def _weighed(
    found: list[_Candidate], tabled: list[tuple[Voice, Logs]], tuning: Tuning
) -> tuple[tuple[Explanation, ...], float]:
    """The candidates as explanations, likeliest first, and what the voices say against the first
    (nats).
    """
    stacked = np.stack([candidate.codes for candidate in found])
    against = np.zeros(len(found), np.float64)
    for voice, table in tabled:
        against += likelihood.deficits(table, stacked, voice, tuning)
    post = np.array([candidate.prior for candidate in found]) - against
    post -= np.logaddexp.reduce(post)
    order = np.argsort(-post, kind="stable")
    explanations = tuple(
        Explanation(
            found[i].kind,
            placement_from(found[i].codes),
            math.exp(float(post[i])),
            found[i].turns,
        )
        for i in order
    )
    return explanations, float(against[order[0]])


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """What is known when a board is explained: this turn's `roll` where it was announced, `rolls`
    (21,) log probability of it, what a turn costs whose dice were not `seen` though somebody
    looked, the turn before, and the log probability of the `second` turn's rolls.
    """

    position: Position
    roll: Roll | None
    rolls: F64
    unseen: float
    seen: bool
    earlier: Earlier | None
    next_first_turn: bool
    second: F64

    def turn(self, position: Position, made: tuple[Roll, Play], first: bool) -> float:
        """Log probability of this play, `first` when it is the turn in progress."""
        index = hypotheses.ROLL_INDEX[made[0]]
        share = hypotheses.legal(position, made[0]).share_of(made[1].view)
        logs = self.rolls if first else rolls.LOG_PRIOR
        missed = 0.0 if first and self.seen else self.unseen
        return float(logs[index]) + share + missed


def _candidates(codes: Codes, asked: _Asked) -> list[_Candidate]:
    """What leaves the board so: one turn, the turn before played otherwise, two turns; or hands."""
    placement = placement_from(codes)
    position = asked.position
    found = [
        _Candidate("turn", codes, asked.turn(position, made, True), (made,))
        for made in rolls_explaining(position, placement)
        # A play of another roll than the one announced is a question of its own.
        if asked.roll in (None, made[0])
    ]
    found += _revised(codes, placement, asked)
    if not found:
        pairs = turns_explaining(
            position, asked.roll, placement, second_first_turn=asked.next_first_turn
        )
        # Where nobody looked, dice that lie there by now are none of the first of two turns.
        lay = asked.roll is not None or asked.unseen < 0
        for first, second in pairs:
            middle = position.after(first[1].view, asked.next_first_turn)
            prior = asked.turn(position, first, lay) + asked.turn(middle, second, False)
            n = hypotheses.ROLL_INDEX[second[0]]
            prior += float(asked.second[n] - rolls.LOG_PRIOR[n])
            found.append(_Candidate("turns", codes, prior, (first, second)))
    if _possible(placement, position):
        gone = sum(placement.counts(s)[OFF] - position.placement.counts(s)[OFF] for s in Side)
        # A checker neither where the record has it nor anywhere else: taken away, and that unseen.
        rate = math.log(hypotheses.KNOCKED) - 2 * hypotheses.OFF_NATS * max(gone, 0)
        if found:
            _, astray = hypotheses.change_kind(codes_of(position.placement), codes, position.side)
            # A turn is believed against hands that left just this only where rolls and dice say so.
            rate = hypotheses.prior_of(hypotheses.Kind.OTHERWISE, astray)
        found.append(_Candidate("set", codes, rate))
    return found


def _revised(codes: Codes, placement: Placement, asked: _Asked) -> list[_Candidate]:
    """The turn before played otherwise than it was entered, and perhaps this one played as well."""
    earlier = asked.earlier
    if earlier is None:
        return []
    found = []
    changed = _changed(earlier, placement)
    if changed is not None:
        turn, share = changed
        found.append(_Candidate("revised", codes, share - Costs().changed, (turn,)))
    if earlier.roll is None:
        return found
    others = plays(earlier.position, earlier.roll)
    rate = -Costs().changed - math.log(max(len(others.results), 1))
    likely = [r for r, p in zip(ROLLS, asked.rolls, strict=True) if p > LIKELY_ROLL]
    if len(likely) > 2 or not asked.seen:
        return found
    for other in others:
        middle = earlier.left(other.placement)
        if middle is None or other.placement == earlier.placement:
            continue
        for roll in likely:
            made = plays(middle, roll).find(placement)
            if made is not None:
                prior = rate + asked.turn(middle, (roll, made), True)
                turns = ((earlier.roll, other), (roll, made))
                found.append(_Candidate("revised", codes, prior, turns))
    return found


def _changed(earlier: Earlier, placement: Placement) -> tuple[tuple[Roll, Play], float] | None:
    """Another play of the turn before that leaves a placement, and its log share of the plays of
    its roll: where nobody read that, of any that the turn may have been by what it moved; None
    where none does.
    """
    if placement == earlier.placement:
        return None
    rolls_of_it = [earlier.roll] if earlier.roll is not None else []
    if earlier.roll is None and earlier.placement != earlier.position.placement:
        rolls_of_it = [roll for roll, _ in rolls_explaining(earlier.position, earlier.placement)]
    found, share = [], 0.0
    for roll in rolls_of_it:
        legal = plays(earlier.position, roll)
        made = legal.find(placement)
        if made is not None:
            found.append((roll, made))
            share += 1 / (len(legal.results) * len(rolls_of_it))
    return (found[0], math.log(share)) if found else None


LIKELY_ROLL: Final = math.log(1 - DEFAULT.roll_read)
"""Only rolls that an announced one leaves so likely are tried where the turn before may have been
another."""


def _possible(placement: Placement, position: Position) -> bool:
    """Whether the rules allow that this stands there."""
    try:
        Position.of(placement, position.ruleset, position.side)
    except PositionError:
        return False
    return True

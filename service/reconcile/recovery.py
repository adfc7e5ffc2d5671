"""What explains a board that differs from the record, by as little as possible.

Likeliest first: nothing changed after all, one turn, two turns, the last position taken back, a new
game set up, a position set by hand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from rules.board import Placement
from rules.dice import Roll
from rules.judge import rolls_explaining, turns_explaining
from rules.play import Play
from rules.position import Position, PositionError
from service.journal.codec import Json
from service.journal.entry import Grounds
from service.reconcile import hypotheses, likelihood
from service.reconcile.codes import Codes, codes_of, placement_from
from service.reconcile.evidence import Evidence
from service.reconcile.settle import Voice

PRIOR = {
    "unchanged": math.log(0.3),
    "turn": math.log(0.3),
    "turns": math.log(0.2),
    "start": math.log(0.05),
    "set": math.log(1e-4),
}
"""Log share of each kind of explanation when board and record differ.

The turns share theirs among the rolls that explain them.
"""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One way to explain what stands there, with probability `p`.

    `kind`: unchanged, turn, turns, start, set; `turns` the one or two turns.
    """

    kind: str
    placement: Placement
    p: float
    turns: tuple[tuple[Roll, Play], ...] = ()


@dataclass(frozen=True, slots=True)
class Explained:
    """All explanations, likeliest first, and the one that is `certain`, if one is.

    `stands`: codes (26,) of what the sensors say stands there, None when no placement with all
    checkers does.
    """

    explanations: tuple[Explanation, ...]
    certain: Explanation | None
    stands: Codes | None
    grounds: Grounds = field(default_factory=dict)


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
    next_first_turn: bool = False,
) -> Explained:
    """Explanations of the board as it stands, likeliest first.

    `roll`: that of the turn in progress when it is known.
    """
    tuning = evidence.tuning
    settled = codes_of(evidence.placement)
    tabled = [(voice, likelihood.log_tables(voice, settled, tuning)) for voice in voices]
    before = codes_of(position.placement)
    rules = position.ruleset
    summed = likelihood.summed_tables(tabled, tuning)
    standing = hypotheses.what_stands(summed, before, rules.checkers)
    found = [_Candidate("unchanged", before, PRIOR["unchanged"])]
    start = codes_of(Position.start(rules, position.side).placement)
    if not (start == before).all():
        found.append(_Candidate("start", start, PRIOR["start"]))
    for codes in standing:
        found += _candidates(codes, position, roll, next_first_turn)
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
    best = explanations[0]
    # One explanation is left when its placement is sure and nothing else, another roll apart, leads
    # there.
    sure = (
        best.p >= tuning.agree
        and against[order[0]] <= tuning.agree_doubt_nats
        and best.kind in ("unchanged", "turn", "turns")
    )
    shown: list[Json] = [
        [e.kind, round(e.p, 4), [f"{r}: {play}" for r, play in e.turns]] for e in explanations[:5]
    ]
    return Explained(
        explanations[:8],
        best if sure else None,
        standing[0] if standing else None,
        {"explanations": shown},
    )


def _candidates(
    codes: Codes, position: Position, roll: Roll | None, next_first_turn: bool
) -> list[_Candidate]:
    """What leaves the board so: every one turn; else every two; else that people set it so."""
    placement = placement_from(codes)
    one = [t for t in rolls_explaining(position, placement) if roll is None or t[0] == roll]
    if one:
        total = sum(r.weight for r, _ in one)
        return [
            _Candidate("turn", codes, PRIOR["turn"] + math.log(r.weight / total), ((r, play),))
            for r, play in one
        ]
    pairs = turns_explaining(position, roll, placement, second_first_turn=next_first_turn)
    if pairs:
        total = sum(a[0].weight * b[0].weight for a, b in pairs)
        return [
            _Candidate(
                "turns",
                codes,
                PRIOR["turns"] + math.log(a[0].weight * b[0].weight / total),
                (a, b),
            )
            for a, b in pairs
        ]
    return [_Candidate("set", codes, PRIOR["set"])] if _possible(placement, position) else []


def _possible(placement: Placement, position: Position) -> bool:
    """Whether the rules allow that this stands there."""
    try:
        Position.of(placement, position.ruleset, position.side)
    except PositionError:
        return False
    return True

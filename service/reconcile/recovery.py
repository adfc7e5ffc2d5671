"""Recovery: the board and the record differ. What stands there, and by how little can it be
explained?

In order of belief: nothing changed after all, one turn, two turns, the last position taken back, a
new game set up, a position set by hand.
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
from service.reconcile import hypotheses, likelihood
from service.reconcile.evidence import COUNTS, SITES, Belief
from service.reconcile.hypotheses import placement_codes_of, placement_from
from service.reconcile.likelihood import Codes
from service.reconcile.report import Evidence, Json
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
    """One way to explain what stands there. `kind`: unchanged, turn, turns, start, set; `turns` the
    one or two turns; `p` its probability."""

    kind: str
    placement: Placement
    p: float
    turns: tuple[tuple[Roll, Play], ...] = ()


@dataclass(frozen=True, slots=True)
class Explained:
    """All explanations, best first; `stands` codes of what the sensors say stands there, None when
    no placement with all checkers does.
    """

    explanations: tuple[Explanation, ...]
    certain: Explanation | None
    stands: Codes | None
    evidence: Evidence = field(default_factory=dict)


def explain(
    belief: Belief,
    position: Position,
    roll: Roll | None,
    heard: tuple[Voice, ...],
    next_first_turn: bool = False,
) -> Explained:
    """Explanations of the board as it stands, in order.

    `roll`: that of the turn in progress when it is known.
    """
    tuning = belief.tuning
    settled = placement_codes_of(belief.placement)
    tabled = [(v, likelihood.log_tables(v, settled, belief.tuning)) for v in heard]
    summed = (
        np.sum(
            [np.maximum(t, -likelihood.caps(v.source, tuning)[:, None]) for v, t in tabled], axis=0
        )
        if tabled
        else np.zeros((SITES, COUNTS**2), np.float32)
    )
    before = placement_codes_of(position.placement)
    rules = position.ruleset
    candidates = hypotheses.what_stands(summed, before, rules.checkers)
    start = Position.start(rules, position.side)
    found: list[tuple[str, Codes, tuple[tuple[Roll, Play], ...], float]] = [
        ("unchanged", before, (), PRIOR["unchanged"])
    ]
    if not (placement_codes_of(start.placement) == before).all():
        found.append(("start", placement_codes_of(start.placement), (), PRIOR["start"]))
    for codes in candidates:
        placement = placement_from(codes)
        one = [t for t in rolls_explaining(position, placement) if roll is None or t[0] == roll]
        total = sum(r.weight for r, _ in one)
        found.extend(
            ("turn", codes, ((r, play),), PRIOR["turn"] + math.log(r.weight / total))
            for r, play in one
        )
        pairs = (
            ()
            if one
            else turns_explaining(position, roll, placement, second_first_turn=next_first_turn)
        )
        weight = sum(a[0].weight * b[0].weight for a, b in pairs)
        for a, b in pairs:
            found.append(
                (
                    "turns",
                    codes,
                    (a, b),
                    PRIOR["turns"] + math.log(a[0].weight * b[0].weight / weight),
                )
            )
        if not one and not pairs and _possible(placement, position):
            found.append(("set", codes, (), PRIOR["set"]))
    codes = np.stack([f[1] for f in found])
    against = np.zeros(len(found), np.float64)
    for voice, table in tabled:
        against += likelihood.deficits(table, codes, voice, tuning)
    post = np.array([f[3] for f in found]) - against
    post -= np.logaddexp.reduce(post)
    order = np.argsort(-post, kind="stable")
    explanations = tuple(
        Explanation(found[i][0], placement_from(found[i][1]), math.exp(float(post[i])), found[i][2])
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
        candidates[0] if candidates else None,
        {"explanations": shown},
    )


def _possible(placement: Placement, position: Position) -> bool:
    try:
        Position.of(placement, position.ruleset, position.side)
    except PositionError:
        return False
    return True

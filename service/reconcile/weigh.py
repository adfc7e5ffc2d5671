"""Weigh every hypothesis against both sources: the posterior that `verdict` reads.

Rows, not a sum over all boards: the legal results of the roll (of all rolls, as far as the dice
allow), nothing moved, plays with the hit checker not on the bar, every placement one checker away
from those, and what each site by itself would say under conservation. Rolls other than the one read
are weighed only when its plays do not explain the board.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rules.board import BAR, OFF, Side
from rules.dice import ROLLS, Roll
from service.reconcile import hypotheses, likelihood, rolls
from service.reconcile.evidence import COUNTS, SITES, Belief, Logs
from service.reconcile.hypotheses import ROLL_INDEX, SHARE, Kind, LegalResults, placement_codes_of
from service.reconcile.likelihood import Codes, Nats
from service.reconcile.settle import Voice

EXPLAINED = 3.0
"""Nats against the best legal result under which other rolls and the free explanation are not
asked.
"""
MOST_HITS = 40
_DOUBLES = np.array([r.high == r.low for r in ROLLS])
CLOUD = 6
"""One-checker-off placements kept of each base."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """The rows, likeliest or not, in a fixed order. `post` log posterior, normalised; `against`
    (sources, N) nats; `parent` the legal row that an accident belongs to, else the row itself;
    `roll` index into ROLLS, -1 for none."""

    turn: LegalResults
    voices: tuple[Voice, ...]
    codes: Codes
    kind: npt.NDArray[np.int8]
    roll: npt.NDArray[np.int8]
    parent: npt.NDArray[np.int32]
    against: Nats
    post: npt.NDArray[np.float64]
    roll_prior: npt.NDArray[np.float64]
    tables: tuple[Logs, ...]
    """Each voice's tables, as weighed."""
    views: tuple[tuple[int, ...], ...]
    """Mover's views of the legal rows, which come first."""

    @property
    def legal(self) -> npt.NDArray[np.bool_]:
        """Rows that a legal play explains, accidents of the hit checker included."""
        result: npt.NDArray[np.bool_] = (self.kind == Kind.LEGAL) | (self.kind == Kind.HIT_CHECKER)
        return result

    def mass(self, rows: npt.NDArray[np.bool_]) -> float:
        """Log of the posterior of these rows together."""
        return float(np.logaddexp.reduce(self.post[rows])) if rows.any() else -math.inf


def prior_of_rolls(belief: Belief, roll: Roll | None, declared: bool) -> npt.NDArray[np.float64]:
    """Log prior of the 21 rolls, normalised: a person's word stands; else the dice, else what was
    announced, else 36ths.
    """
    tuning = belief.tuning
    logs = rolls.weights()
    if declared and roll is not None:
        logs = np.full(len(ROLLS), -40.0)
        logs[ROLL_INDEX[roll]] = 0.0
        return logs
    dice = rolls.dice_of_turn(belief)
    read = [t for t in rolls.dice_pair(dice) if t.seen >= 2]
    flat = sum(t.flat >= 0.5 for t in read)
    if flat >= 2 or (roll is None and read):
        logs = logs + rolls.roll_logs(tuple(read), tuning.die_floor, tuning.leaning_floor)
    elif roll is not None:
        logs = logs + math.log(2 * tuning.die_floor + tuning.other_roll)
        logs[ROLL_INDEX[roll]] = 0.0
    logs -= np.logaddexp.reduce(logs)
    other = math.log(tuning.other_roll) + rolls.weights()
    if roll is not None:
        logs = np.logaddexp(logs, other)
        logs -= np.logaddexp.reduce(logs)
    return logs


class _Rows:
    def __init__(self) -> None:
        self.codes: list[Codes] = []
        self.kind: list[npt.NDArray[np.int8]] = []
        self.roll: list[npt.NDArray[np.int8]] = []
        self.parent: list[npt.NDArray[np.int32]] = []
        self.prior: list[npt.NDArray[np.float64]] = []
        self.count = 0

    def add(
        self,
        codes: Codes,
        kind: Kind,
        roll: int,
        prior: npt.NDArray[np.float64] | float,
        parent: int | None = None,
    ) -> None:
        n = len(codes)
        self.codes.append(codes)
        self.kind.append(np.full(n, kind, np.int8))
        self.roll.append(np.full(n, roll, np.int8))
        own = np.arange(self.count, self.count + n, dtype=np.int32)
        self.parent.append(own if parent is None else np.full(n, parent, np.int32))
        self.prior.append(np.broadcast_to(np.asarray(prior, np.float64), (n,)))
        self.count += n


def weigh(
    belief: Belief,
    turn: LegalResults,
    heard: tuple[Voice, ...],
    roll: Roll | None,
    declared: bool,
    deep: bool = True,
) -> Weighed:
    """Every hypothesis of this turn with its posterior. `heard`: the sources that speak. Not
    `deep`: while a play is still being made nobody asks what else the board may be than a play of
    the roll."""
    tuning = belief.tuning
    settled = placement_codes_of(belief.placement)
    roll_prior = prior_of_rolls(belief, roll, declared)
    reach = 4 if roll_prior[_DOUBLES].max() > roll_prior.max() - EXPLAINED else 2
    tabled = [
        (voice, likelihood.log_tables(voice, settled, belief.tuning, reach)) for voice in heard
    ]
    rows = _Rows()
    views: list[tuple[int, ...]] = []

    def against(codes: Codes) -> Nats:
        if not tabled:
            return np.zeros((0, len(codes)), np.float32)
        return np.stack(
            [likelihood.deficits(table, codes, voice, tuning) for voice, table in tabled]
        )

    def add_rolls(wanted: npt.NDArray[np.intp]) -> None:
        for index in wanted:
            found = turn.legal(ROLLS[int(index)])
            rows.add(
                found.codes,
                Kind.LEGAL,
                int(index),
                math.log(SHARE[Kind.LEGAL]) + roll_prior[index] - math.log(len(found.codes)),
            )
            views.extend(found.views)

    top = roll_prior.max()
    likely = np.flatnonzero(roll_prior >= top - EXPLAINED)
    add_rolls(likely)
    likely_count = rows.count
    nats = against(np.concatenate(rows.codes))
    total = nats.sum(axis=0)
    if deep and total.min() > EXPLAINED and len(likely) < len(ROLLS):
        others = np.flatnonzero((roll_prior < top - EXPLAINED) & (roll_prior > -30.0))
        before = rows.count
        add_rolls(others)
        if rows.count > before:
            nats = np.concatenate([nats, against(np.concatenate(rows.codes)[before:])], axis=1)
            total = nats.sum(axis=0)
    legal_codes = np.concatenate(rows.codes)
    legal_count = rows.count
    prior = np.concatenate(rows.prior)
    known = {c.tobytes() for c in legal_codes[:likely_count]}
    _add_others(rows, turn, tabled, legal_codes, prior - total, total, belief, known, roll, deep)
    codes = np.concatenate(rows.codes)
    nats = np.concatenate([nats, against(codes[legal_count:])], axis=1)
    post = np.concatenate(rows.prior) - nats.sum(axis=0)
    post -= np.logaddexp.reduce(post)
    return Weighed(
        turn,
        heard,
        codes,
        np.concatenate(rows.kind),
        np.concatenate(rows.roll),
        np.concatenate(rows.parent),
        nats,
        post,
        roll_prior,
        tuple(t for _, t in tabled),
        tuple(views),
    )


def _add_others(
    rows: _Rows,
    turn: LegalResults,
    tabled: list[tuple[Voice, Logs]],
    legal_codes: Codes,
    score: npt.NDArray[np.float64],
    total: Nats,
    belief: Belief,
    known: set[bytes],
    roll: Roll | None,
    deep: bool,
) -> None:
    """What is no legal result of a likely roll (`known`), once each. It may be one of an unlikely
    roll: a miscount and a misread die look alike."""
    side, facing = turn.position.side, turn.position.ruleset.facing
    roll_of = np.concatenate(rows.roll)
    ranked = np.argsort(-score, kind="stable")[:2]
    explained = bool(total.min() <= EXPLAINED)
    bases = (
        [legal_codes[ranked[0]]]
        if explained or not deep
        else [turn.before, *(legal_codes[i] for i in ranked)]
    )
    found: list[Codes] = [turn.before]
    for i in ranked if explained or not deep else _hitting(legal_codes, turn.before, side):
        for accident in hypotheses.hit_checker_left(turn.before, legal_codes[i], side):
            key = accident.tobytes()
            if key not in known:
                known.add(key)
                rows.add(
                    accident[None, :],
                    Kind.HIT_CHECKER,
                    int(roll_of[i]),
                    math.log(SHARE[Kind.HIT_CHECKER]) - 2.0,
                    int(i),
                )
    found.extend(_one_off(bases, tabled, belief, side))
    if deep and not explained:
        table = (
            np.sum(
                [
                    np.maximum(t, -likelihood.caps(v.source, belief.tuning)[:, None])
                    for v, t in tabled
                ],
                axis=0,
            )
            if tabled
            else np.zeros((SITES, 256), np.float32)
        )
        found.extend(hypotheses.what_stands(table, turn.before, turn.position.ruleset.checkers))
    fresh = []
    for codes in found:
        key = codes.tobytes()
        if key not in known:
            known.add(key)
            fresh.append(codes)
    if not fresh:
        return
    stacked = np.stack(fresh)
    kinds, astray = hypotheses.kinds_of(turn.before, stacked, side)
    for n, (kind, misplaced) in enumerate(zip(kinds.tolist(), astray.tolist(), strict=True)):
        prior = hypotheses.prior_of(
            Kind(kind), misplaced, bool(stacked[n, OFF] != turn.before[OFF])
        )
        if (
            kind == Kind.MOVED
            and misplaced == 1
            and hypotheses.is_half(turn.before, stacked[n], side, roll, facing)
        ):
            kind, prior = Kind.HALF, math.log(SHARE[Kind.HALF] / 10)
        elif (
            kind == Kind.MOVED
            and misplaced == 1
            and hypotheses.is_backwards(turn.before, stacked[n], side, roll, facing)
        ):
            prior = math.log(SHARE[Kind.MOVED] / hypotheses.BACKWARDS_WAYS)
        rows.add(stacked[n : n + 1], Kind(kind), -1, prior)


def _hitting(legal_codes: Codes, before: Codes, side: Side) -> npt.NDArray[np.intp]:
    """Legal rows, a few dozen at most, after which more of the opponent's checkers are on the bar."""
    on_bar = legal_codes[:, BAR] % COUNTS if side is Side.WHITE else legal_codes[:, BAR] // COUNTS
    was = before[BAR] % COUNTS if side is Side.WHITE else before[BAR] // COUNTS
    return np.flatnonzero(on_bar > was)[:MOST_HITS]


def _one_off(
    bases: list[Codes], tabled: list[tuple[Voice, Logs]], belief: Belief, side: Side
) -> list[Codes]:
    """The likeliest placements one checker away from each base."""
    tuning = belief.tuning
    result: list[Codes] = []
    own = 0 if side is Side.WHITE else 1
    for base in bases:
        cost = np.zeros((2, SITES, SITES), np.float32)
        for voice, table in tabled:
            cost += likelihood.one_checker_elsewhere(
                table, base, likelihood.caps(voice.source, tuning), tuning
            )
        if not tabled:
            cost = likelihood.one_checker_elsewhere(
                np.zeros((SITES, COUNTS * COUNTS), np.float32),
                base,
                np.ones(SITES, np.float32),
                tuning,
            )
        cost[1 - own] += 4.0
        flat = cost.reshape(-1)
        best = np.argpartition(flat, CLOUD)[:CLOUD]
        for index in best[np.argsort(flat[best], kind="stable")]:
            if flat[index] >= likelihood.IMPOSSIBLE:
                continue
            which, source, target = np.unravel_index(int(index), cost.shape)
            step = COUNTS if which == 0 else 1
            codes = base.copy()
            codes[source] -= step
            codes[target] += step
            result.append(codes)
    return result

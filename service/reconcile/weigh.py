"""Weigh every hypothesis against both sources: the posterior that `verdict` reads.

Rows, not a sum over all boards: the legal results of the roll (of all rolls, as far as the dice
allow), nothing moved, plays with the hit checker not on the bar, every placement one checker away
from those, and what each site by itself would say under conservation. Rolls other than the one read
are weighed only when its plays do not explain the board.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rules.board import BAR, Side
from rules.dice import ROLLS, Roll
from service.reconcile import hypotheses, likelihood, rolls
from service.reconcile.arrays import F64, Bools, Logs, Nats
from service.reconcile.as_read import what_stands
from service.reconcile.codes import AXIS, CODES, ONE_CHECKER, SITES, Codes, checkers_of, codes_of
from service.reconcile.evidence import Evidence
from service.reconcile.hypotheses import ROLL_INDEX, SLIP, Kind, LegalResults
from service.reconcile.settle import Voice
from service.reconcile.tuning import DEFAULT, Tuning

EXPLAINED: Final = DEFAULT.accuse_source_nats
"""With fewer nats against the best legal result than one source must say to accuse, no other
explanation is asked for."""
MOST_HITS = 40
_DOUBLES = np.array([r.high == r.low for r in ROLLS])
CLOUD = 6
"""One-checker-off placements kept of each base."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """N hypotheses of a turn, likely or not, in a fixed order, with their posterior.

    `codes` (N, 26); `kind` (N,) as `Kind`; `roll` (N,) index into ROLLS, -1 for none; `parent` (N,)
    the legal row that an accident belongs to, else the row itself; `against` (sources, N) nats;
    `post` (N,) log posterior, normalised; `roll_prior` (21,) log prior of the rolls, normalised.
    """

    turn: LegalResults
    voices: tuple[Voice, ...]
    codes: Codes
    kind: npt.NDArray[np.int8]
    roll: npt.NDArray[np.int8]
    parent: npt.NDArray[np.int32]
    against: Nats
    post: F64
    roll_prior: F64
    tables: tuple[Logs, ...]
    """Each voice's tables, as weighed."""
    views: tuple[tuple[int, ...], ...]
    """Mover's views of the legal rows, which come first."""
    total: float
    """Log of all that the hypotheses come to before they are normalised: how well this turn, from
    where it began, explains what is seen at all."""

    @property
    def legal(self) -> Bools:
        """Rows that a legal play explains, accidents of a checker included."""
        result: Bools = np.isin(self.kind, (Kind.LEGAL, Kind.HIT_CHECKER, Kind.MISSING))
        return result

    def mass(self, rows: Bools) -> float:
        """Log of the posterior of these rows together."""
        return float(np.logaddexp.reduce(self.post[rows])) if rows.any() else -math.inf

    def nats_at(self, row: int, sites: Bools, tuning: Tuning) -> float:
        """Nats that all sources say against a row at these sites (26,)."""
        codes = self.codes[row][None, :]
        raw = (
            np.minimum(likelihood.per_site(table, codes)[0], likelihood.caps(voice.source, tuning))
            for voice, table in zip(self.voices, self.tables, strict=True)
        )
        return float(sum(nats[sites].sum() for nats in raw))


def prior_of_rolls(evidence: Evidence, roll: Roll | None, declared: bool) -> F64:
    """Log prior of the 21 rolls, normalised.

    A person's word stands (`declared`); else the dice, else what was announced, else 36ths.
    """
    tuning = evidence.tuning
    logs: F64 = rolls.LOG_PRIOR
    if declared and roll is not None:
        logs = np.full(len(ROLLS), -40.0)
        logs[ROLL_INDEX[roll]] = 0.0
        return logs
    dice = rolls.dice_of_turn(evidence)
    read = [t for t in dice if t.seen_again]
    flat = sum(t.flat >= 0.5 for t in read)
    if flat >= 2 or (roll is None and read):
        logs = logs + rolls.roll_logs(tuple(read), tuning)
    elif roll is not None:
        logs = logs + math.log(2 * tuning.die_floor + tuning.other_roll)
        logs[ROLL_INDEX[roll]] = 0.0
    logs = logs - np.logaddexp.reduce(logs)
    other = math.log(tuning.other_roll) + rolls.LOG_PRIOR
    if roll is not None:
        logs = np.logaddexp(logs, other)
        logs -= np.logaddexp.reduce(logs)
    return logs


class _Meaning(NamedTuple):
    """What one placement that is no legal result means, and its log prior; the index of its roll
    and of the legal row that it belongs to, -1 for none.
    """

    kind: Kind
    prior: float
    roll: int
    parent: int


class _Rows:
    """Hypotheses being gathered, in the order in which they are added."""

    def __init__(self) -> None:
        self.codes: list[Codes] = []
        self.kind: list[npt.NDArray[np.int8]] = []
        self.roll: list[npt.NDArray[np.int8]] = []
        self.parent: list[npt.NDArray[np.int32]] = []
        self.prior: list[F64] = []
        self.views: list[tuple[int, ...]] = []
        self.count = 0

    def add(self, codes: Codes, each: Sequence[_Meaning]) -> None:
        """Add rows (N, 26), with what each of them means."""
        n = len(codes)
        self.codes.append(codes)
        self.kind.append(np.array([m.kind for m in each], np.int8))
        self.roll.append(np.array([m.roll for m in each], np.int8))
        own = range(self.count, self.count + n)
        parents = [m.parent if m.parent >= 0 else i for i, m in zip(own, each, strict=True)]
        self.parent.append(np.array(parents, np.int32))
        self.prior.append(np.array([m.prior for m in each], np.float64))
        self.count += n

    def add_rolls(
        self,
        turn: LegalResults,
        rolls: npt.NDArray[np.intp],
        prior: F64,
        astray: Bools | None = None,
        unlikely: float = 0.0,
    ) -> None:
        """Add the legal results of these rolls (indices); `prior` (21,) logs of every roll. What
        was `astray` (26,) before the throw is hardly a move: `unlikely` by so many nats.
        """
        for index in rolls:
            found = turn.legal(ROLLS[int(index)])
            n = len(found.codes)
            self.codes.append(found.codes)
            self.kind.append(np.full(n, Kind.LEGAL, np.int8))
            self.roll.append(np.full(n, index, np.int8))
            self.parent.append(np.arange(self.count, self.count + n, dtype=np.int32))
            each = prior[index] + found.shares
            if astray is not None:
                moved = (found.codes != turn.before)[:, astray].any(axis=1)
                each = np.where(moved, each - unlikely, each)
            self.prior.append(each)
            self.views.extend(found.views)
            self.count += n


@dataclass(frozen=True, slots=True)
class _Question:
    """What is weighed: a turn, by sources with their log tables (26, 256), with its roll."""

    turn: LegalResults
    tabled: tuple[tuple[Voice, Logs], ...]
    roll: Roll | None
    tuning: Tuning
    astray: Bools | None
    behind: F64
    """By how many nats each of the 21 rolls is less likely than the likeliest, at most 0."""

    def against(self, codes: Codes) -> Nats:
        """(sources, N) nats that each source says against each row."""
        if not self.tabled:
            return np.zeros((0, len(codes)), np.float32)
        return np.stack(
            [likelihood.deficits(table, codes, voice, self.tuning) for voice, table in self.tabled]
        )


@dataclass(frozen=True, slots=True, eq=False)
class _LegalRows:
    """The legal rows once weighed: `codes` (N, 26), `roll` (N,) index of each, `score` (N,) log
    posterior, not normalised, and whether what is seen is `explained` by the best of them, and by
    one of a `likely` roll.
    """

    codes: Codes
    roll: npt.NDArray[np.int8]
    score: F64
    explained: bool
    likely: bool


def weigh(
    evidence: Evidence,
    turn: LegalResults,
    voices: tuple[Voice, ...],
    roll: Roll | None,
    declared: bool,
    astray: Bools | None = None,
) -> Weighed:
    """Every hypothesis of this turn with its posterior; `voices` are the sources that speak,
    `astray` (26,) the places that stood otherwise than recorded before the dice lay there.
    """
    tuning = evidence.tuning
    settled = codes_of(evidence.placement)
    roll_prior = prior_of_rolls(evidence, roll, declared)
    reach = 4 if roll_prior[_DOUBLES].max() > roll_prior.max() - EXPLAINED else 2
    tabled = tuple((v, likelihood.log_tables(v, settled, tuning, reach)) for v in voices)
    asked = _Question(turn, tabled, roll, tuning, astray, roll_prior - roll_prior.max())
    rows = _Rows()
    top = roll_prior.max()
    likely = np.flatnonzero(roll_prior >= top - EXPLAINED)
    rows.add_rolls(turn, likely, roll_prior)
    likely_count = rows.count
    nats = asked.against(np.concatenate(rows.codes))
    total = nats.sum(axis=0)
    if total.min() > EXPLAINED and len(likely) < len(ROLLS):
        others = np.flatnonzero((roll_prior < top - EXPLAINED) & (roll_prior > -30.0))
        before = rows.count
        rows.add_rolls(turn, others, roll_prior, astray, tuning.differs_nats)
        if rows.count > before:
            more = asked.against(np.concatenate(rows.codes)[before:])
            nats = np.concatenate([nats, more], axis=1)
            total = nats.sum(axis=0)
    # Dice that were read and not announced say as much: a play of another roll explains little.
    asked_of = total if roll is not None else total[:likely_count]
    legal = _LegalRows(
        np.concatenate(rows.codes),
        np.concatenate(rows.roll),
        np.concatenate(rows.prior) - total,
        bool(asked_of.min() <= EXPLAINED),
        bool(total[:likely_count].min() <= EXPLAINED),
    )
    _add_others(rows, asked, legal, {c.tobytes() for c in legal.codes[:likely_count]})
    codes = np.concatenate(rows.codes)
    nats = np.concatenate([nats, asked.against(codes[len(legal.codes) :])], axis=1)
    post = np.concatenate(rows.prior) - nats.sum(axis=0)
    total = float(np.logaddexp.reduce(post))
    post -= total
    return Weighed(
        turn,
        voices,
        codes,
        np.concatenate(rows.kind),
        np.concatenate(rows.roll),
        np.concatenate(rows.parent),
        nats,
        post,
        roll_prior,
        tuple(t for _, t in tabled),
        tuple(rows.views),
        total,
    )


def _add_others(rows: _Rows, asked: _Question, legal: _LegalRows, known: set[bytes]) -> None:
    """Add what is no legal result of a likely roll (`known`, as bytes), each placement once.

    It may be one of an unlikely roll: a miscount and a misread die look alike.
    """
    before, side = asked.turn.before, asked.turn.position.side
    ranked = np.argsort(-legal.score, kind="stable")[:2]
    shallow = legal.explained
    prior = math.log(SLIP) - 2.0
    accidents = [
        (accident, _beside(Kind.HIT_CHECKER, prior, asked, legal, i))
        for i in (ranked if shallow else _hitting(legal.codes, before, side))
        for accident in hypotheses.hit_checker_left(before, legal.codes[i], side)
        if _is_new(accident, known)
    ]
    if not shallow:
        accidents += _half_with_hit_left(asked, legal, prior)
    if asked.astray is not None:
        accidents += _missing(asked, asked.astray, legal, prior, known)
    bases = [legal.codes[ranked[0]]] if shallow else [before, *(legal.codes[i] for i in ranked)]
    found = [before, *_one_off(bases, asked, side)]
    if not shallow:
        table = likelihood.summed_tables(asked.tabled, asked.tuning)
        checkers = asked.turn.position.ruleset.checkers
        found.extend(what_stands(table, before, checkers))
    fresh = [codes for codes in found if _is_new(codes, known)]
    if shallow and not legal.likely and asked.roll is not None:
        # Half of a play of the dice that lie there is likelier than a whole one of others.
        halves = [codes for codes in _one_off([before], asked, side) if _is_half(asked, codes)]
        fresh += [codes for codes in halves if _is_new(codes, known)]
    meant = [meaning for _, meaning in accidents]
    if fresh:
        kinds, astray = hypotheses.kinds_of(before, np.stack(fresh), side)
        meant += [
            _meaning_of(asked, codes, Kind(kind), misplaced)
            for codes, kind, misplaced in zip(fresh, kinds.tolist(), astray.tolist(), strict=True)
        ]
    if meant:
        rows.add(np.stack([*(accident for accident, _ in accidents), *fresh]), meant)


def _beside(
    kind: Kind, prior: float, asked: _Question, legal: _LegalRows, row: np.intp
) -> _Meaning:
    """An accident beside the legal play of a row, as likely as its roll beside the likeliest."""
    roll = int(legal.roll[row])
    return _Meaning(kind, prior + float(asked.behind[roll]), roll, int(row))


def _half_with_hit_left(
    asked: _Question, legal: _LegalRows, prior: float
) -> list[tuple[Codes, _Meaning]]:
    """What half a play of the roll that the dice show leaves with the hit checker not on the bar: a
    whole play of another roll may leave the same, and there the one is as good as the other.
    """
    found: list[tuple[Codes, _Meaning]] = []
    top = int(np.argmax(asked.behind))
    if 1 / float(np.exp(asked.behind).sum()) < asked.tuning.roll_read:
        return found
    before, position = asked.turn.before, asked.turn.position
    for i in _hitting(legal.codes, before, position.side):
        codes = legal.codes[i]
        kind, astray = hypotheses.change_kind(before, codes, position.side)
        meant, half = hypotheses.slip_of(position, before, codes, ROLLS[top], kind, astray)
        if meant is Kind.HALF and int(legal.roll[i]) != top:
            left = hypotheses.hit_checker_left(before, codes, position.side)
            found += [(each, _Meaning(Kind.HALF, half + prior, -1, -1)) for each in left]
    return found


def _missing(
    asked: _Question, astray: Bools, legal: _LegalRows, prior: float, known: set[bytes]
) -> list[tuple[Codes, _Meaning]]:
    """What the likeliest legal plays leave with another checker gone; `prior`: log share of such
    accidents.
    """
    found = []
    for i in np.argsort(-legal.score, kind="stable")[:2]:
        gone = hypotheses.checker_missing(asked.turn.before, legal.codes[i], astray)
        each = prior - math.log(max(len(gone), 1))
        meaning = _beside(Kind.MISSING, each, asked, legal, i)
        found += [(codes, meaning) for codes in gone if _is_new(codes, known)]
    return found


def _is_new(codes: Codes, known: set[bytes]) -> bool:
    """Whether a placement (26,) is not among the known, to which it is added."""
    key = codes.tobytes()
    new = key not in known
    known.add(key)
    return new


def _meaning_of(asked: _Question, codes: Codes, kind: Kind, misplaced: int) -> _Meaning:
    """What a placement (26,) that is no legal result means; its kind, and checkers astray."""
    before, position = asked.turn.before, asked.turn.position
    kind, prior = hypotheses.slip_of(position, before, codes, asked.roll, kind, misplaced)
    # What stood otherwise before the throw already is hardly a move of this turn.
    stood = asked.astray is not None and bool((codes != before)[asked.astray].any())
    return _Meaning(kind, prior - (asked.tuning.differs_nats if stood else 0.0), -1, -1)


def _is_half(asked: _Question, codes: Codes) -> bool:
    """Whether a placement (26,) is what one die of the roll leaves."""
    kind, misplaced = hypotheses.change_kind(asked.turn.before, codes, asked.turn.position.side)
    return _meaning_of(asked, codes, kind, misplaced).kind is Kind.HALF


def _hitting(legal_codes: Codes, before: Codes, side: Side) -> npt.NDArray[np.intp]:
    """Legal rows, a few dozen at most, after which more opposing checkers are on the bar."""
    on_bar = checkers_of(legal_codes[:, BAR], side.other)
    return np.flatnonzero(on_bar > checkers_of(before[BAR], side.other))[:MOST_HITS]


def _one_off(bases: list[Codes], asked: _Question, side: Side) -> list[Codes]:
    """The likeliest placements (26,) one checker away from each base, likeliest first."""
    tuning = asked.tuning
    sources = [(table, likelihood.caps(v.source, tuning)) for v, table in asked.tabled]
    if not sources:
        nothing = np.zeros((SITES, CODES), np.float32)
        sources = [(nothing, np.ones(SITES, np.float32))]
    result: list[Codes] = []
    for base in bases:
        cost = np.zeros((2, SITES, SITES), np.float32)
        for table, caps in sources:
            cost += likelihood.one_checker_elsewhere(table, base, caps, tuning)
        cost[AXIS[side.other]] += tuning.differs_nats
        flat = cost.reshape(-1)
        best = np.argpartition(flat, CLOUD)[:CLOUD]
        for index in best[np.argsort(flat[best], kind="stable")]:
            if flat[index] >= likelihood.IMPOSSIBLE:
                continue
            axis, source, target = np.unravel_index(int(index), cost.shape)
            step = tuple(ONE_CHECKER)[axis]
            codes = base.copy()
            codes[source] -= step
            codes[target] += step
            result.append(codes)
    return result

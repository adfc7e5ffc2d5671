"""A match weighed: what each decision cost, error rates, luck, and the course of the match. Pure.

PR is 500 times the equity lost by a decision on average, over plays with a choice and cubes that
were close or acted on (eXtreme Gammon's measure; half of gnubg's error rate in thousandths). Luck
of a roll is the equity of its best play less the average over all rolls before it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rules.board import Side
from rules.match import Match
from service.report.chances import worth_of_game
from service.report.decisions import Decision, DecisionKind, MatchQuestions, Question, ThrownTurn
from service.report.engine import Judgement

BLUNDER: Final = 0.08
"""Equity lost by a decision that is called a blunder."""
ERROR: Final = 0.02
CLOSE: Final = 0.16
"""A cube not offered is a decision where doubling cost less than this (gnubg's bound)."""
PR_SCALE: Final = 500
ENGINES_DIFFER: Final = 0.007
"""By how much two engines judge the cost of one decision otherwise, as a standard deviation in
equity: gnubg and Open Sage, both three rolls deep, over 30 matches (`make bench-engines`).
"""


@dataclass(frozen=True, slots=True)
class Costed:
    """A decision with its cost in equity, and what was better; "" where nothing was."""

    decision: Decision
    cost: float
    better: str
    counts: bool
    """Whether it is one of those that an error rate is taken over."""


@dataclass(frozen=True, slots=True)
class Lucky:
    """A roll with its luck in equity, and in chances of the match."""

    throw: ThrownTurn
    equity: float
    chance: float


@dataclass(frozen=True, slots=True)
class SideFigures:
    """A side's figures. Costs and luck are in equity, `luck_chance` in chances of the match."""

    plays: int = 0
    cubes: int = 0
    play_cost: float = 0.0
    cube_cost: float = 0.0
    errors: int = 0
    blunders: int = 0
    luck: float = 0.0
    luck_chance: float = 0.0

    @property
    def pr(self) -> float | None:
        """None where nothing was decided."""
        count = self.plays + self.cubes
        return PR_SCALE * (self.play_cost + self.cube_cost) / count if count else None

    @property
    def pr_margin(self) -> float | None:
        """By how much another engine's PR of the same decisions would commonly differ; None where
        nothing was decided.
        """
        count = self.plays + self.cubes
        return PR_SCALE * ENGINES_DIFFER / math.sqrt(count) if count else None


@dataclass(frozen=True, slots=True)
class CoursePoint:
    """How a match stood before a roll: White's chance of winning it, 0 to 1."""

    game: int
    turn: int
    white: float


@dataclass(frozen=True, slots=True)
class Figures:
    """What a report says of a match."""

    sides: Mapping[Side, SideFigures]
    weighed: tuple[Costed, ...]
    lucky: tuple[Lucky, ...]
    moments: tuple[CoursePoint, ...]
    unanswered: int
    """Positions that the engine had no answer to."""

    def blunders(self, least: float = BLUNDER) -> list[Costed]:
        """Decisions that cost so much or more, the dearest first."""
        return sorted((w for w in self.weighed if w.cost >= least), key=lambda w: -w.cost)


def figures(asked: MatchQuestions, answers: Mapping[Question, Judgement]) -> Figures:
    """A match's figures from what an engine said of its positions."""
    weighed = [
        w
        for d in asked.decisions
        if d.question in answers and (w := _weighed(d, answers[d.question])) is not None
    ]
    lucky = [x for t in asked.throws if (x := _lucky(t, answers)) is not None]
    sides = {side: _side(side, weighed, lucky) for side in Side}
    moments = [
        CoursePoint(game, turn, chance)
        for game, turn, match, question in asked.moments
        if (judged := answers.get(question)) is not None
        and (chance := _white_chance(match, judged)) is not None
    ]
    missing = sum(question not in answers for question in asked.questions())
    return Figures(sides, tuple(weighed), tuple(lucky), tuple(moments), missing)


def _side(side: Side, weighed: list[Costed], lucky: list[Lucky]) -> SideFigures:
    mine = [w for w in weighed if w.decision.side is side]
    moves = [w for w in mine if w.decision.choice is DecisionKind.PLAY]
    cubes = [w for w in mine if w.decision.choice is not DecisionKind.PLAY]
    rolls = [x for x in lucky if x.throw.side is side]
    return SideFigures(
        sum(w.counts for w in moves),
        sum(w.counts for w in cubes),
        sum(w.cost for w in moves),
        sum(w.cost for w in cubes),
        sum(ERROR <= w.cost < BLUNDER for w in mine),
        sum(w.cost >= BLUNDER for w in mine),
        sum(x.equity for x in rolls),
        sum(x.chance for x in rolls),
    )


def _weighed(decision: Decision, judged: Judgement) -> Costed | None:
    if decision.choice is DecisionKind.PLAY:
        if judged.best is None or judged.played is None:
            return None
        cost = max(0.0, judged.best - judged.played)
        return Costed(decision, cost, judged.best_text if cost > 0 else "", True)
    if judged.no_double is None or judged.take is None:
        return None
    doubled = min(judged.take, judged.drop)
    no_double = judged.no_double
    cost, better, counts = 0.0, "", True
    match decision.choice:
        case DecisionKind.ROLLED_ON:
            cost, better = doubled - no_double, DecisionKind.DOUBLED.value
            counts = max(no_double, doubled) - doubled < CLOSE
        case DecisionKind.DOUBLED:
            cost, better = no_double - doubled, DecisionKind.ROLLED_ON.value
        case DecisionKind.TOOK:
            cost, better = judged.take - judged.drop, DecisionKind.DROPPED.value
        case _:
            cost, better = judged.drop - judged.take, DecisionKind.TOOK.value
    cost = max(0.0, cost)
    return Costed(decision, cost, better if cost > 0 else "", counts)


def _lucky(throw: ThrownTurn, answers: Mapping[Question, Judgement]) -> Lucky | None:
    before, rolled = answers.get(throw.before), answers.get(throw.rolled)
    if before is None or rolled is None or before.mean is None or rolled.settled is None:
        return None
    equity = rolled.settled - before.mean
    low, high = worth_of_game(throw.match, throw.side)
    return Lucky(throw, equity, equity * (high - low) / 2)


def _white_chance(match: Match, judged: Judgement) -> float | None:
    """White's chance of the match before this roll; of the game in a money session."""
    side = match.game.side
    if side is None or not judged.chances:
        return None
    if match.rules.is_money or judged.no_double is None:
        chance = judged.chances[0]
    else:
        equity = judged.no_double
        if judged.take is not None and match.may_offer(side):
            equity = max(equity, min(judged.take, judged.drop))
        low, high = worth_of_game(match, side)
        chance = low + (equity + 1) / 2 * (high - low)
    chance = min(1.0, max(0.0, chance))
    return chance if side is Side.WHITE else 1 - chance

"""Conduct: who hears what, penalties, time limits."""

from __future__ import annotations

import pytest

from rules.apply import apply
from rules.board import Side
from rules.conduct import (
    Listener,
    Monitor,
    News,
    Penalty,
    PointsLost,
    PrematureRoll,
    Step,
    after_premature_roll,
    consequences,
    late_start,
    may_be_told,
    overdue,
    rung,
)
from rules.event import clock_plans
from rules.game import GameAwarded, MatchAwarded, PointsAdjusted
from rules.infraction import Broken
from rules.match import Match, MatchRules, Score
from rules.ruleset import ruleset

W, B = Side.WHITE, Side.BLACK
P, A, S, R = Listener.PLAYERS, Listener.ARBITER, Listener.SPECTATORS, Listener.RECORD


@pytest.mark.parametrize(
    ("monitor", "news", "listeners"),
    [
        (Monitor.BOARD, News.ILLEGAL_PLAY, {P, A, S, R}),
        (Monitor.BOARD, News.HINT, {A, R}),
        (Monitor.ARBITER, News.ILLEGAL_PLAY, {A, R}),
        (Monitor.SILENT, News.ILLEGAL_PLAY, {R}),
        (Monitor.TEACHING, News.HINT, {P, A, S, R}),
        *((m, News.DICE, {P, A, S, R}) for m in Monitor),
        *((m, News.TOUCH, {A, R}) for m in Monitor),
        *((m, News.AID, {A, S, R}) for m in Monitor),
        *((m, News.ANALYSIS, {A, S, R}) for m in Monitor),
    ],
)
def test_who_is_told_what(monitor: Monitor, news: News, listeners: set[Listener]) -> None:
    assert {listener for listener in Listener if may_be_told(monitor, news, listener)} == listeners


def test_what_stands_is_public() -> None:
    assert may_be_told(Monitor.ARBITER, News.ILLEGAL_PLAY, S, stands=True)
    assert not may_be_told(Monitor.SILENT, News.ILLEGAL_PLAY, P, stands=True)


def test_the_iranian_ladder() -> None:
    ladder = clock_plans()["iran"].ladder
    match = apply(Match.start(MatchRules.of(ruleset("nard"), 5)), PointsAdjusted(W, 1))
    scores = []
    for nth in (1, 2):
        for action in consequences(match, W, rung(ladder, nth), PointsLost.DEDUCTED, "flag"):
            match = apply(match, action)
        scores.append(match.score)
    assert scores == [Score(0, 0), Score(0, 0)]
    (last,) = consequences(match, W, rung(ladder, 3), PointsLost.DEDUCTED, "flag")
    assert apply(match, last).winner is B
    assert rung(ladder, 9) == rung(ladder, 3)


@pytest.mark.parametrize(
    ("step", "lost", "action"),
    [
        (Step(Penalty.POINTS, 2), PointsLost.DEDUCTED, PointsAdjusted(W, -2, 0, "r")),
        (Step(Penalty.POINTS, 2), PointsLost.DEDUCTED_BELOW_ZERO, PointsAdjusted(W, -2, None, "r")),
        (Step(Penalty.POINTS, 2), PointsLost.AWARDED, PointsAdjusted(B, 2, None, "r")),
        (Step(Penalty.GAME), PointsLost.DEDUCTED, GameAwarded(B, 1, "r")),
        (Step(Penalty.MATCH), PointsLost.DEDUCTED, MatchAwarded(B, "r")),
        (Step(Penalty.WARNING), PointsLost.DEDUCTED, None),
        (Step(Penalty.DIRECTOR), PointsLost.DEDUCTED, None),
    ],
)
def test_what_a_penalty_does(step: Step, lost: PointsLost, action: object) -> None:
    match = Match.start(MatchRules.of(ruleset("backgammon"), 7))
    assert consequences(match, W, step, lost, "r") == (() if action is None else (action,))


@pytest.mark.parametrize(
    ("minutes", "length", "step"),
    [
        (4.9, 7, Step(Penalty.WARNING)),
        (5, 7, Step(Penalty.POINTS, 1)),
        (17, 7, Step(Penalty.POINTS, 3)),
        (20, 7, Step(Penalty.MATCH)),
    ],
)
def test_late_start(minutes: float, length: int, step: Step) -> None:
    assert late_start(minutes, length) == step


def test_slow_play_and_missed_press() -> None:
    assert overdue(121, None, 120, 20) == (Broken.SLOW_PLAY,)
    assert overdue(60, 21, 120, 20) == (Broken.MISSED_PRESS,)
    assert overdue(9999, 9999, 0, 0) == ()


def test_premature_rolls() -> None:
    assert after_premature_roll(PrematureRoll.OPPONENT_CHOOSES) == ("stand", "redo")
    assert after_premature_roll(PrematureRoll.STANDS) == ("stand",)
    assert "pause" in after_premature_roll(PrematureRoll.CLOCK_PAUSE)

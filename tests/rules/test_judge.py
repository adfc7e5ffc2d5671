"""The judge: each rule by its own case, unknown dice, and boards that cannot be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.board import BAR, SITES, Placement, Side
from rules.conduct import CONDUCT
from rules.dice import Roll
from rules.infraction import Broken, Infraction
from rules.judge import NEAREST, judge, rolls_explaining
from rules.play import Play, plays
from rules.position import Position
from rules.ruleset import catalogue, ruleset
from rules.words import languages
from tests.bench.rules import random_positions

W, B = Side.WHITE, Side.BLACK
Spots = dict[int, int]
START: Spots = {24: 2, 13: 5, 8: 3, 6: 5}
BLACK_START: Spots = {1: 2, 12: 5, 17: 3, 19: 5}
NARDE: tuple[Spots, Spots] = ({24: 15}, {12: 15})
HOME: Spots = {6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 0: 5}
FAR: Spots = {19: 15}

# (ruleset, options, White, Black, roll, moves (side, source, target) made on the board, code, part
# of the words)
Case = tuple[str, dict[str, Any], Spots, Spots, str, list[tuple[Side, int, int]], Broken, str]
CASES: list[Case] = [
    ("backgammon", {}, START, BLACK_START, "31", [], Broken.NOTHING_MOVED, "Nothing"),
    ("backgammon", {}, START, BLACK_START, "31", [(W, 6, 9)], Broken.WRONG_DIRECTION, "direction"),
    (
        "backgammon",
        {},
        START,
        BLACK_START,
        "31",
        [(W, 8, 5), (W, 13, 14)],
        Broken.WRONG_DIRECTION,
        "direction",
    ),
    ("backgammon", {}, START, BLACK_START, "31", [(W, 13, 8)], Broken.DIE_NOT_ROLLED, "31"),
    (
        "backgammon",
        {},
        START,
        BLACK_START,
        "31",
        [(W, 8, 5), (W, 6, 5), (W, 6, 5)],
        Broken.TOO_MANY_MOVES,
        "31",
    ),
    (
        "backgammon",
        {},
        START,
        BLACK_START,
        "44",
        [(W, 6, 3), (W, 6, 1), (B, 1, 2), (B, 1, 2)],
        Broken.OPPONENT_MOVED,
        "",
    ),
    (
        "backgammon",
        {},
        START,
        {12: 14, 3: 1},
        "44",
        [(W, 6, 3), (W, 6, 1), (B, 3, BAR)],
        Broken.DIE_NOT_ROLLED,
        "44",
    ),
    ("backgammon", {}, START, BLACK_START, "55", [(W, 24, 14)], Broken.BLOCKED_POINT, "19-point"),
    (
        "backgammon",
        {},
        START,
        BLACK_START,
        "65",
        [(W, 24, 19), (W, 24, 18)],
        Broken.BLOCKED_POINT,
        "19-point",
    ),
    ("backgammon", {}, START, BLACK_START, "31", [(W, 8, 5)], Broken.BOTH_DICE, "31"),
    (
        "backgammon",
        {},
        START,
        BLACK_START,
        "11",
        [(W, 8, 7), (W, 8, 7), (W, 6, 5)],
        Broken.BOTH_DICE,
        "11",
    ),
    ("backgammon", {}, START, BLACK_START, "31", [(B, 1, 2)], Broken.OPPONENT_MOVED, "opponent"),
    (
        "backgammon",
        {},
        START,
        BLACK_START,
        "31",
        [(W, 8, 5), (W, 6, 5), (B, 12, 11)],
        Broken.OPPONENT_MOVED,
        "opponent",
    ),
    (
        "backgammon",
        {},
        START,
        {12: 14, 5: 1},
        "31",
        [(W, 8, 5), (W, 6, 5)],
        Broken.BOTH_ON_A_POINT,
        "5-point",
    ),
    (
        "backgammon",
        {},
        START,
        {12: 14, 5: 1},
        "31",
        [(W, 8, 7), (W, 6, 3), (B, 5, BAR)],
        Broken.OPPONENT_MOVED,
        "opponent",
    ),
    (
        "backgammon",
        {},
        {25: 1, 13: 14},
        BLACK_START,
        "31",
        [(W, 13, 10), (W, 13, 12)],
        Broken.BAR_FIRST,
        "bar",
    ),
    (
        "backgammon",
        {},
        {25: 1, 8: 14},
        BLACK_START,
        "31",
        [(W, 8, 5), (W, 8, 7)],
        Broken.BAR_FIRST,
        "bar",
    ),
    (
        "backgammon",
        {},
        {25: 2, 8: 13},
        BLACK_START,
        "31",
        [(W, 25, 22), (W, 8, 7)],
        Broken.BAR_FIRST,
        "bar",
    ),
    (
        "backgammon",
        {},
        {**HOME, 5: 1, 7: 1},
        FAR,
        "62",
        [(W, 6, 0), (W, 4, 2)],
        Broken.BORE_OFF_EARLY,
        "before all were home",
    ),
    (
        "backgammon",
        {},
        {6: 1, 3: 1, 0: 13},
        FAR,
        "51",
        [(W, 3, 0), (W, 6, 5)],
        Broken.BORE_OFF_TOO_LOW,
        "3-point",
    ),
    ("backgammon", {}, {13: 1, 1: 14}, {2: 2, 24: 13}, "65", [(W, 13, 8)], Broken.HIGHER_DIE, "6"),
    ("narde", {}, *NARDE, "21", [(W, 24, 22), (W, 24, 23)], Broken.HEAD, "head"),
    (
        "narde",
        {},
        {24: 14, 20: 1},
        {12: 14, 18: 1},
        "21",
        [(W, 20, 18), (W, 24, 23), (B, 18, BAR)],
        Broken.HIT_NOT_ALLOWED,
        "18-point",
    ),
    (
        "narde",
        {},
        {24: 14, 20: 1},
        {12: 14, 18: 1},
        "21",
        [(W, 20, 18), (W, 24, 23)],
        Broken.BLOCKED_POINT,
        "18-point",
    ),
    (
        "narde",
        {},
        {24: 9, 20: 1, 19: 1, 18: 1, 17: 1, 16: 1, 14: 1},
        {12: 15},
        "11",
        [],
        Broken.NOTHING_MOVED,
        "",
    ),
    (
        "narde",
        {},
        {24: 9, 20: 1, 19: 1, 18: 1, 17: 1, 16: 1, 22: 1},
        {12: 15},
        "21",
        [(W, 22, 21), (W, 24, 22)],
        Broken.PRIME,
        "6 points in a row",
    ),
    (
        "nard-himly",
        {},
        {5: 2, 4: 2, 3: 11},
        FAR,
        "61",
        [(W, 5, 0), (W, 5, 4)],
        Broken.BORE_OFF_NOT_EXACT,
        "5-point",
    ),
    (
        "nard-himly",
        {},
        START,
        {1: 2, 12: 5, 17: 3, 18: 5},
        "33",
        [(W, 13, 10), (W, 13, 10), (W, 8, 5), (W, 8, 5)],
        Broken.TOO_MANY_MOVES,
        "33",
    ),
    (
        "nard",
        {"mandatory_hit": True},
        START,
        {12: 14, 5: 1},
        "31",
        [(W, 13, 10), (W, 10, 9)],
        Broken.MUST_HIT,
        "hit",
    ),
    (
        "nard-himly",
        {"entry": "no_stack"},
        {25: 1, 22: 2, 8: 12},
        {12: 15},
        "31",
        [(W, 25, 22), (W, 8, 7)],
        Broken.BLOCKED_ENTRY,
        "22-point",
    ),
    (
        "nard-himly",
        {"contact": "turn_end"},
        {13: 2, 8: 13},
        {10: 1, 24: 14},
        "31",
        [(W, 13, 9), (B, 10, BAR)],
        Broken.CONTACT,
        "hit",
    ),
]


def board(white: Spots, black: Spots, moves: list[tuple[Side, int, int]]) -> Placement:
    placement = Placement.of(white, black)
    for side, source, target in moves:
        placement = placement.moved(side, source, target)
    return placement


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]} {c[4]} {c[6].value}")
def test_each_rule_is_named(case: Case) -> None:
    name, options, white, black, dice, moves, code, words = case
    position = Position.of(board(white, black, []), ruleset(name, options), W)
    roll = Roll.of(int(dice[0]), int(dice[1]))
    verdict = judge(position, roll, board(white, black, moves))
    assert isinstance(verdict, Infraction), str(verdict)
    assert verdict.code is code, verdict.why()
    assert words in verdict.why("en")
    assert verdict.why("fa")
    assert 1 <= len(verdict.nearest) <= NEAREST
    assert all(play.placement in plays(position, roll) for play in verdict.nearest)


def test_a_triple_on_the_first_turn() -> None:
    rules = ruleset("nard", {"first_move_triple": "avoid"})
    position = Position.start(rules, W)
    after = position.placement
    for source, target in ((13, 10), (13, 10), (13, 10)):
        after = after.moved(W, source, target)
    after = after.moved(W, 8, 5)
    verdict = judge(position, Roll(3, 3), after)
    assert isinstance(verdict, Infraction)
    assert verdict.code is Broken.TRIPLE


def test_the_head_on_the_first_turn() -> None:
    position = Position.start(ruleset("narde"), W)
    after = position.placement
    for target in (23, 23, 22):
        after = after.moved(W, 24, target)
    verdict = judge(position, Roll(1, 1), after)
    assert isinstance(verdict, Infraction)
    assert "2 may" in verdict.why()


def test_checkers_missing_and_added() -> None:
    position = Position.start(ruleset("backgammon"), B)
    placement = position.placement
    for side in Side:
        counts = list(placement.counts(side))
        site = next(s for s in SITES if counts[s])
        for change, code in ((-1, Broken.CHECKER_MISSING), (1, Broken.CHECKER_ADDED)):
            counts[site] += change
            verdict = judge(position, Roll(3, 1), placement.with_counts(side, tuple(counts)))
            assert isinstance(verdict, Infraction)
            assert verdict.code is code
            assert ("opponent" in verdict.why()) == (side is W)
            counts[site] -= change


def test_a_play_that_ends_the_game_is_never_an_infraction() -> None:
    """6-1 with one checker on the two-point: borne off with the six, though the one could be played
    on the way.
    """
    rules = ruleset("backgammon")
    position = Position.of(Placement.of({2: 1, 0: 14}, {1: 1, 24: 14}), rules, W)
    after = Placement.of({0: 15}, {1: 1, 24: 14})
    assert after not in plays(position, Roll(6, 1))
    verdict = judge(position, Roll(6, 1), after)
    assert isinstance(verdict, Play)
    assert str(verdict) == "2/off"


def test_unknown_dice() -> None:
    position = Position.start(ruleset("backgammon"), W)
    after = board(START, BLACK_START, [(W, 8, 5), (W, 6, 5)])
    assert [(str(roll), str(play)) for roll, play in rolls_explaining(position, after)] == [
        ("31", "8/5 6/5"),
        ("11", "8/5 6/5"),
    ]
    assert str(judge(position, None, after)) == "8/5 6/5"
    nothing = judge(position, None, board(START, BLACK_START, [(W, 24, 1)]))
    assert isinstance(nothing, Infraction)
    assert nothing.code is Broken.BLOCKED_POINT
    odd = judge(position, None, board(START, BLACK_START, [(W, 13, 2), (W, 13, 3), (W, 6, 5)]))
    assert isinstance(odd, Infraction)
    assert odd.code is Broken.NO_ROLL
    eleven = board(START, BLACK_START, [(W, 8, 7), (W, 8, 7), (W, 6, 5), (W, 6, 5)])
    assert [str(roll) for roll, _ in rolls_explaining(position, eleven)] == ["11"]


def test_a_roll_that_cannot_be_played_explains_nothing_moved() -> None:
    closed = Placement.of({1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 5}, {25: 1, 13: 14})
    position = Position.of(closed, ruleset("backgammon"), B)
    assert len(rolls_explaining(position, closed)) == 21
    assert isinstance(judge(position, None, closed), Play)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_board_at_all_gets_a_verdict_in_words(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(catalogue())))
    position, roll = list(random_positions(data.draw(st.integers(0, 500)), 9, name))[-1]
    placement = position.placement
    for _ in range(data.draw(st.integers(0, 5))):
        side = data.draw(st.sampled_from(Side))
        counts = list(placement.counts(side))
        counts[data.draw(st.sampled_from(SITES))] += data.draw(st.sampled_from((-1, 1)))
        placement = placement.with_counts(side, tuple(counts))
    unknown = data.draw(st.booleans())
    verdict = judge(position, None if unknown else roll, placement)
    if isinstance(verdict, Play):
        assert verdict.placement == placement
        return
    assert verdict.code not in CONDUCT
    assert all(verdict.why(lang) for lang in languages())
    assert unknown or verdict.nearest

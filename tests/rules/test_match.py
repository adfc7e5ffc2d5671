"""Matches and money sessions: what may be done when, what a game is worth, and when it is over."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.apply import apply
from rules.axes import Facing, Win
from rules.board import Placement, Side
from rules.cube import Cube
from rules.dice import Roll
from rules.game import (
    Action,
    ActionError,
    Beavered,
    Corrected,
    Dropped,
    GameAwarded,
    GamePhase,
    MatchAwarded,
    NextGame,
    Offered,
    OpeningDice,
    Passed,
    Played,
    PointsAdjusted,
    ResignAccepted,
    ResignOffered,
    ResignRefused,
    Rolled,
    Starts,
    Taken,
    result_of,
)
from rules.match import DeadCube, Match, MatchRules, Score
from rules.play import plays
from rules.ruleset import catalogue, opposite, ruleset

W, B = Side.WHITE, Side.BLACK
BACKGAMMON = ruleset("backgammon")


def after(match: Match, actions: Iterable[Action]) -> Match:
    for action in actions:
        match = apply(match, action)
    return match


def started(length: int = 7, side: Side = W, **choices: object) -> Match:
    rules = MatchRules.of(BACKGAMMON, length, **choices)  # type: ignore[arg-type]
    return apply(Match.start(rules), Starts(side))


def won(match: Match, side: Side, points: int) -> Match:
    """So many points to a side, and the next game set up and started by White."""
    match = apply(match, GameAwarded(side, points))
    return match if match.is_over else after(match, (NextGame(), Starts(W)))


def any_play(match: Match, rng: random.Random) -> Match:
    game = match.game
    assert game.side is not None
    if game.phase is GamePhase.TO_ROLL:
        match = apply(match, Rolled(game.side, Roll.of(rng.randint(1, 6), rng.randint(1, 6))))
    roll = match.game.roll
    assert roll is not None
    play = rng.choice(list(plays(match.game.position, roll)))
    return apply(match, Played(game.side, play.placement))


# Openings.


def test_the_higher_die_plays_the_dice() -> None:
    match = Match.start(MatchRules.of(BACKGAMMON, 5))
    match = apply(match, OpeningDice((3,), (3,)))
    assert match.game.phase is GamePhase.OPENING
    match = apply(match, OpeningDice((3,), (5,)))
    assert (match.game.phase, match.game.side, match.game.roll) == (GamePhase.ROLLED, B, Roll(5, 3))


def test_roll_again() -> None:
    match = apply(Match.start(MatchRules.of(ruleset("narde"))), OpeningDice((3,), (5,)))
    assert (match.game.phase, match.game.side, match.game.roll) == (GamePhase.TO_ROLL, B, None)


@pytest.mark.parametrize(
    ("dice", "starter"),
    [
        (OpeningDice((4, 4), (5, 2)), W),
        (OpeningDice((4, 4), (5, 3)), None),
        (OpeningDice((1, 1), (6, 5)), B),
        (OpeningDice((6, 6), (5, 6)), B),
        (OpeningDice((5, 6), ()), W),
        (OpeningDice((5, 6), (6, 5), first=B), B),
        (OpeningDice((5, 6), (6, 5)), None),
    ],
)
def test_two_dice_each_with_shish_besh(dice: OpeningDice, starter: Side | None) -> None:
    rules = ruleset("nard", {"opening": "two_dice_each", "shish_besh": "starts"})
    match = apply(Match.start(MatchRules.of(rules)), dice)
    assert match.game.side is starter
    assert match.game.phase is (GamePhase.OPENING if starter is None else GamePhase.TO_ROLL)


def test_an_opening_of_too_few_dice_is_refused() -> None:
    with pytest.raises(ActionError, match="each side throws 1 die"):
        apply(Match.start(MatchRules.of(BACKGAMMON)), OpeningDice((3, 4), (5,)))


def test_automatic_doubles_up_to_their_number() -> None:
    match = Match.start(MatchRules.of(BACKGAMMON, 0, automatic_doubles=2))
    values = []
    for _ in range(3):
        match = apply(match, OpeningDice((2,), (2,)))
        values.append(match.game.cube.value)
    assert values == [2, 4, 4]
    assert match.game.cube.owner is None
    in_match = apply(Match.start(MatchRules.of(BACKGAMMON, 7)), OpeningDice((2,), (2,)))
    assert in_match.game.cube.value == 1


def test_the_winner_starts_where_the_ruleset_says_so() -> None:
    match = apply(Match.start(MatchRules.of(ruleset("narde"))), Starts(W))
    match = after(match, (GameAwarded(B, 1), NextGame()))
    assert (match.game.phase, match.game.side, match.game.first_turn) == (
        GamePhase.TO_ROLL,
        B,
        True,
    )


def test_a_first_turn_taken_back_is_a_first_turn_again() -> None:
    match = apply(Match.start(MatchRules.of(ruleset("narde"))), Starts(W))
    start = match.game.placement
    match = any_play(match, random.Random(1))
    assert not apply(match, Corrected(after=start, side=W)).game.first_turn
    again = apply(match, Corrected(after=start, side=W, first_turn=True))
    assert (again.game.first_turn, again.game.phase) == (True, GamePhase.TO_ROLL)
    assert len(plays(again.game.position, Roll(5, 3))) == len(
        plays(apply(Match.start(again.rules), Starts(W)).game.position, Roll(5, 3))
    )


# The cube.


def test_offer_take_redouble_drop() -> None:
    match = after(started(), (Offered(W), Taken(B)))
    assert (match.game.cube.value, match.game.cube.owner, match.game.phase, match.game.side) == (
        2,
        B,
        GamePhase.TO_ROLL,
        W,
    )
    match = any_play(match, random.Random(1))
    match = after(match, (Offered(B), Dropped(W)))
    assert match.score == Score(0, 2)
    assert match.game.phase is GamePhase.OVER


def test_only_the_owner_redoubles() -> None:
    match = after(started(), (Offered(W), Taken(B)))
    with pytest.raises(ActionError, match="belongs to black"):
        apply(match, Offered(W))


def test_no_offer_out_of_turn_or_after_the_roll() -> None:
    with pytest.raises(ActionError, match="side on roll"):
        apply(started(), Offered(B))
    with pytest.raises(ActionError, match="phase to_roll"):
        apply(apply(started(), Rolled(W, Roll(3, 1))), Offered(W))


def test_the_limit() -> None:
    match = started(0, cube_limit=2)
    match = any_play(after(match, (Offered(W), Taken(B))), random.Random(1))
    with pytest.raises(ActionError, match="limit is 2"):
        apply(match, Offered(B))


def test_a_beaver_keeps_the_cube_and_can_be_dropped() -> None:
    match = after(started(0), (Offered(W), Beavered(B)))
    assert (match.game.cube.value, match.game.cube.owner) == (4, B)
    assert apply(match, Taken(W)).game.phase is GamePhase.TO_ROLL
    assert apply(match, Dropped(W)).score == Score(0, 2)
    with pytest.raises(ActionError, match="not agreed"):
        after(started(7), (Offered(W), Beavered(B)))


def test_crawford_is_played_exactly_once() -> None:
    match = won(started(5), W, 4)
    assert match.is_crawford
    with pytest.raises(ActionError, match="Crawford"):
        apply(match, Offered(W))
    match = won(match, B, 1)
    assert (match.is_crawford, match.is_post_crawford) == (False, True)
    assert apply(match, Offered(W)).game.phase is GamePhase.OFFERED
    match = won(match, B, 3)
    assert match.score == Score(4, 4)
    assert not match.is_crawford


def test_a_match_to_one_point_has_no_cube() -> None:
    with pytest.raises(ActionError, match="without a cube"):
        apply(started(1), Offered(W))


def test_a_dead_cube_is_known_and_can_be_refused() -> None:
    match = won(won(started(5), W, 4), B, 1)
    assert match.cube_is_dead(W)
    assert not match.cube_is_dead(B)
    refusing = won(won(started(5, dead_cube=DeadCube.REFUSED), W, 4), B, 1)
    with pytest.raises(ActionError, match="dead"):
        apply(refusing, Offered(W))


def test_jacoby() -> None:
    """A gammon without the cube counts once, with it in full."""
    gammon = Placement.of({0: 15}, {13: 15})
    almost = Placement.of({1: 1, 0: 14}, {13: 15})
    for turned, points in ((False, 1), (True, 4)):
        match = started(0)
        if turned:
            match = after(match, (Offered(W), Taken(B)))
        match = after(match, (Corrected(after=almost), Rolled(W, Roll(6, 5)), Played(W, gammon)))
        assert match.results[-1].win is Win.GAMMON
        assert match.score.white == points


# Results.


@pytest.mark.parametrize(
    ("name", "options", "loser", "win", "points"),
    [
        ("backgammon", {}, {0: 1, 1: 14}, Win.SINGLE, 1),
        ("backgammon", {}, {13: 15}, Win.GAMMON, 2),
        ("backgammon", {}, {13: 14, 25: 1}, Win.BACKGAMMON, 3),
        ("backgammon", {}, {13: 14, 6: 1}, Win.BACKGAMMON, 3),
        ("nard", {"aziz": 4}, {25: 15}, Win.AZIZ, 4),
        ("nard", {"aziz": "5"}, {25: 15}, Win.AZIZ, 5),
        ("nard", {}, {25: 15}, Win.BACKGAMMON, 3),
        ("nard", {"stakes": "flat"}, {25: 15}, Win.BACKGAMMON, 1),
        ("nard-himly", {}, {13: 14, 25: 1}, Win.SINGLE, 1),
        ("nard-himly", {}, {0: 14, 6: 1}, Win.LEFT_IN_HOME, 2),
        (
            "nard-himly",
            {"wins": {"single": 1, "left_in_home_or_bar": 2}},
            {13: 14, 25: 1},
            Win.LEFT_IN_HOME_OR_BAR,
            2,
        ),
        ("nard-bozorgmehr", {}, {25: 15}, Win.SINGLE, 1),
        ("narde", {}, {13: 15}, Win.GAMMON, 2),
        ("narde", {}, {13: 14, 0: 1}, Win.SINGLE, 1),
    ],
)
def test_what_a_win_is_worth(
    name: str, options: dict[str, object], loser: dict[int, int], win: Win, points: int
) -> None:
    """The loser is Black; its home lies on White's points 24-19, White's home on 6-1."""
    assert result_of(Placement.of({0: 15}, loser), ruleset(name, options), W) == (win, points)


def test_resignations() -> None:
    match = apply(started(), ResignOffered(W, 2))
    with pytest.raises(ActionError, match="resignation is offered"):
        apply(match, Rolled(W, Roll(3, 1)))
    assert apply(match, ResignRefused(B)).game.resigning is None
    match = apply(match, ResignAccepted(B))
    assert match.score == Score(0, 2)
    with pytest.raises(ActionError, match="may resign 1, 2"):
        apply(apply(Match.start(MatchRules.of(ruleset("narde"))), Starts(W)), ResignOffered(W, 3))


def test_rulings_change_the_score_and_may_end_or_reopen_the_match() -> None:
    match = won(started(3), W, 2)
    match = apply(match, PointsAdjusted(W, -5))
    assert match.score == Score(0, 0)
    assert apply(match, PointsAdjusted(W, -2, floor=None)).score == Score(-2, 0)
    match = apply(match, GameAwarded(B, 3))
    assert match.winner is B
    assert apply(match, Corrected(score=(0, 2))).winner is None
    assert apply(match, Corrected(reopen=True)).score == Score(0, 0)
    assert apply(match, Corrected(length=5)).winner is None
    with pytest.raises(ActionError, match="over"):
        apply(match, MatchAwarded(W))
    assert apply(started(3), MatchAwarded(W)).winner is W


def test_an_illegal_play_is_refused_or_stands() -> None:
    match = apply(started(), Rolled(W, Roll(3, 1)))
    wrong = match.game.placement.moved(W, 24, 22)
    with pytest.raises(ActionError, match="not legal"):
        apply(match, Played(W, wrong))
    assert apply(match, Played(W, wrong, stands=True)).game.side is B


def test_a_side_that_is_closed_out_need_not_roll() -> None:
    closed = Placement.of({1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 5}, {25: 1, 13: 14})
    match = after(started(side=B), (Corrected(after=closed),))
    assert match.game.closed_out
    match = apply(match, Passed(B))
    assert match.game.side is W
    with pytest.raises(ActionError, match="need not roll only"):
        apply(match, Passed(W))


def test_the_cube_shows_64_in_the_middle() -> None:
    assert (Cube().shows, Cube().taken(W).shows) == (64, 2)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), name=st.sampled_from(sorted(catalogue())))
def test_random_matches_end_and_the_score_is_the_sum_of_the_games(seed: int, name: str) -> None:
    rng = random.Random(seed)
    match = Match.start(MatchRules.of(ruleset(name), 3))
    for _ in range(3_000):
        if match.is_over:
            break
        game = match.game
        if game.phase is GamePhase.OVER:
            match = apply(match, NextGame())
        elif game.phase is GamePhase.OPENING:
            match = apply(match, OpeningDice((rng.randint(1, 6),), (rng.randint(1, 6),)))
        elif game.side is not None and match.may_offer(game.side) and rng.random() < 0.05:
            match = after(
                match,
                (Offered(game.side), (Taken if rng.random() < 0.7 else Dropped)(game.side.other)),
            )
        else:
            match = any_play(match, rng)
        assert (
            match.game.placement.total(W)
            == match.game.placement.total(B)
            == match.rules.ruleset.checkers
        )
    assert match.is_over
    for side in Side:
        assert match.score.of(side) == sum(r.points for r in match.results if r.winner is side)


def narde_at_the_end(blacks: int, starter: Side = Side.WHITE, **options: object) -> Match:
    """White has one checker left and is on roll, Black so many, on its own 1-point."""
    rules = MatchRules.of(ruleset("narde", {"last_roll": "draw", **options}), 3)
    match = apply(Match.start(rules), Starts(starter))
    home = opposite(Facing.ROTATE, 1)
    placement = Placement.of({1: 1, 0: 14}, {home: blacks, 0: 15 - blacks})
    return apply(match, Corrected(after=placement, side=Side.WHITE, first_turn=False))


def off(match: Match, side: Side, roll: Roll) -> Match:
    """The side rolls and bears off what it can, up to two."""
    match = apply(match, Rolled(side, roll))
    best = max(plays(match.game.position, roll), key=lambda p: p.placement.counts(side)[0])
    return apply(match, Played(side, best.placement))


def test_last_roll_draws_where_both_are_off() -> None:
    match = off(narde_at_the_end(2), Side.WHITE, Roll(2, 1))
    assert (match.game.phase, match.game.side) == (GamePhase.TO_ROLL, Side.BLACK)
    match = off(match, Side.BLACK, Roll(2, 1))
    result = match.game.result
    assert result is not None and (result.points, result.how) == (0, "drawn")
    assert match.score == Score(0, 0) and not match.is_over
    assert apply(match, NextGame()).game.side is None, "who begins is thrown for"


def test_last_roll_wins_for_who_began_where_the_other_is_not_off() -> None:
    match = off(off(narde_at_the_end(3), Side.WHITE, Roll(2, 1)), Side.BLACK, Roll(2, 1))
    assert match.score == Score(1, 0)


@pytest.mark.parametrize(("starter", "last_roll"), [(Side.BLACK, "draw"), (Side.WHITE, "off")])
def test_no_last_roll_for_who_began_or_where_it_is_not_played(
    starter: Side, last_roll: str
) -> None:
    match = off(narde_at_the_end(1, starter, last_roll=last_roll), Side.WHITE, Roll(2, 1))
    assert match.game.phase is GamePhase.OVER and match.score == Score(1, 0)

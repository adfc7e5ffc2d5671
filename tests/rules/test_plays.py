"""Plays: against gnubg's own generator, against counts that two generators agree on, and what must
hold of every play.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.axes import Facing
from rules.board import Placement, PlacementFault, Side
from rules.dice import ROLLS, Roll
from rules.judge import judge
from rules.one_die import move_sums
from rules.perft import perft, read_cases, split
from rules.play import Play, plays
from rules.position import Position, PositionError, placement_of, turned_view, view_of
from rules.ruleset import catalogue, ruleset
from tests.bench.rules import agreement, random_positions

PERFT = sorted((Path(__file__).parent.parent / "data/perft").glob("*.perft"))
W, B = Side.WHITE, Side.BLACK


def test_gnubg_lists_the_same_plays() -> None:
    pytest.importorskip("gnubg_nn", reason="gnubg-nn is for x86-64 only")
    assert agreement(2_000) == 0


@pytest.mark.parametrize("path", PERFT, ids=lambda p: p.stem)
def test_perft(path: Path) -> None:
    for case in read_cases(path.read_text()):
        assert case.counted() == case.count, (path.name, case.line, case.split())


def test_every_ruleset_has_its_perft() -> None:
    assert {path.stem for path in PERFT} == set(catalogue())


def test_perft_splits_and_refuses() -> None:
    start = Position.start(ruleset("backgammon"), W)
    assert sum(split(start, 1).values()) == perft(start, 1) == 447
    assert split(start, 2, Roll(6, 5), True).keys() >= {"65 24/13", "65 24/18 13/8"}
    with pytest.raises(ValueError, match="1 turn or more"):
        perft(start, 0)
    with pytest.raises(ValueError, match="line 2"):
        list(read_cases("# nothing\nbackgammon | start | 31 | 1 | x | 16\n"))


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_what_holds_of_every_play(name: str) -> None:
    for position, roll in random_positions(5, 120, name):
        found = plays(position, roll)
        assert len(found) == len(found.results) == len(list(found)) >= 1
        total = position.ruleset.checkers
        for play in found:
            assert play.placement.faults(total, total) is PlacementFault.NONE
            assert play.placement in found
            assert found.with_result(play.view) == play
            assert 0 <= len(play.moves) <= position.ruleset.doubles
            assert sum(m.source - m.target for m in play.moves) <= roll.pips(
                position.ruleset.doubles
            )
            assert judge(position, roll, play.placement) == play
        assert bool(found) == any(play.moves for play in found)


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_both_sides_have_the_same_plays(name: str) -> None:
    for position, roll in random_positions(6, 40, name):
        seen = Position(position.ruleset, position.side.other, position.view, position.first_turn)
        assert plays(seen, roll).results == plays(position, roll).results


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.sampled_from(sorted(catalogue())), st.sampled_from(Side))
def test_turning_twice_changes_nothing(seed: int, name: str, side: Side) -> None:
    position, _ = list(random_positions(seed, 12, name))[-1]
    seen = Position(position.ruleset, side, position.view)
    assert seen.turned().turned() == seen
    assert seen.turned().placement == seen.placement
    assert view_of(seen.placement, position.ruleset.facing, side) == seen.view
    assert placement_of(
        turned_view(seen.view, Facing.MIRROR), Facing.MIRROR, side.other
    ) == placement_of(seen.view, Facing.MIRROR, side)


def test_what_is_no_position() -> None:
    rules = ruleset("backgammon")
    start = Position.start(rules, W).placement
    shared = start.moved(W, 6, 19)
    with pytest.raises(PositionError) as error:
        Position.of(shared, rules, W)
    assert error.value.faults == PlacementFault.SHARED_POINT
    with pytest.raises(PositionError, match="15 checkers"):
        Position(rules, W, (0,) * 28)
    with pytest.raises(PositionError, match="24 points"):
        Position(rules, W, (0,) * 27)
    with pytest.raises(PositionError) as error:
        Position.of(Placement.of({24: 2}, {25: 15}), ruleset("narde"), W)
    assert error.value.faults & PlacementFault.WHITE_MISSING


def test_a_finished_game_has_no_plays() -> None:
    rules = ruleset("backgammon")
    over = Position(rules, W, (*([0] * 23), -15, 0, 15, 0, 0))
    assert over.is_over
    assert not any(plays(over, roll) for roll in ROLLS)


def test_the_sum_of_a_move_tells_the_move() -> None:
    """Every addition to the board's number is the addition of one move only (a blot lifted or hit
    on the way included).
    """
    for head in (0, 24, 12):
        table = move_sums(head)
        said = {(m.source, m.target, m.hit) for m in table.what.values()}
        sums = sum(
            1
            for die in range(1, 7)
            for s in range(1, 26)
            for hit in (False, True)
            if hit is False or s > die
        )
        assert len(said) <= sums
        for die in range(1, 7):
            for s in range(1, 26):
                assert table.what[table.quiet[die][s]].source == s
                assert table.what[table.quiet[die][s]].target == max(s - die, 0)


def test_rolls() -> None:
    assert len(ROLLS) == 21
    assert sum(roll.weight for roll in ROLLS) == 36
    assert (Roll.of(3, 5), Roll(6, 6).pips(), Roll(6, 6).pips(2), Roll(5, 2).pips()) == (
        Roll(5, 3),
        24,
        12,
        7,
    )
    for high, low in ((3, 5), (7, 1), (1, 0)):
        with pytest.raises(ValueError, match="1-6"):
            Roll(high, low)


def test_plays_are_the_same_every_time() -> None:
    rng = random.Random(1)
    for position, _ in random_positions(8, 30):
        roll = Roll.of(rng.randint(1, 6), rng.randint(1, 6))
        assert [str(p) for p in plays(position, roll)] == [str(p) for p in plays(position, roll)]
        assert all(isinstance(p, Play) for p in plays(position, roll))

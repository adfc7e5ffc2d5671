"""Two turns seen as one: every pair that leaves the board so, and none that does not."""

from __future__ import annotations

import random

import pytest

from rules.board import Placement, Side
from rules.dice import ROLLS
from rules.play import plays
from rules.position import Position
from rules.ruleset import catalogue, ruleset
from rules.two_turns import is_two_turns, turns_explaining
from tests.bench.rules import random_positions


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_two_turns_seen_as_one(name: str) -> None:
    rng = random.Random(3)
    for position, roll in random_positions(4, 40, name):
        first = rng.choice(list(plays(position, roll)))
        middle = position.after(first.view)
        if middle.is_over:
            continue
        second_roll = rng.choice(ROLLS)
        second = rng.choice(list(plays(middle, second_roll)))
        found = turns_explaining(position, None, second.placement)
        assert ((roll, first), (second_roll, second)) in found
        for (one, play), (two, answer) in found:
            assert play.placement in plays(position, one)
            assert answer.placement == second.placement
            assert answer.placement in plays(position.after(play.view), two)
        known = turns_explaining(position, roll, second.placement, second_roll)
        assert set(known) <= set(found)
        assert ((roll, first), (second_roll, second)) in known
        assert is_two_turns(position, second.placement)


def test_two_turns_that_nothing_explains() -> None:
    position = Position.start(ruleset("backgammon"), Side.WHITE)
    assert turns_explaining(position, None, position.placement) == ()
    far = Placement.of({24: 1, 13: 5, 8: 3, 6: 5, 1: 1}, {1: 2, 12: 5, 17: 3, 19: 5})
    assert turns_explaining(position, None, far) == ()
    assert not is_two_turns(position, position.placement)
    three_fives = Placement.of({24: 2, 13: 2, 8: 6, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5})
    assert not is_two_turns(position, three_fives)


@pytest.mark.parametrize("name", sorted(catalogue()))
def test_no_pair_is_passed_over_by_what_its_dice_cannot_move(name: str) -> None:
    """Which first rolls are tried at all is told by pips and by who may bear off."""
    rng = random.Random(5)
    for position, roll in random_positions(6, 4, name):
        middle = position.after(rng.choice(list(plays(position, roll))).view)
        if middle.is_over:
            continue
        after = rng.choice(list(plays(middle, rng.choice(ROLLS)))).placement
        every = [
            (one, play, two)
            for one in ROLLS
            for play in plays(position, one)
            if not (then := position.after(play.view)).is_over
            for two in ROLLS
            if after in plays(then, two)
        ]
        found = [
            (one, play, two) for (one, play), (two, _) in turns_explaining(position, None, after)
        ]
        assert sorted(map(str, found)) == sorted(map(str, every))

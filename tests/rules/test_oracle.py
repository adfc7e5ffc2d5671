"""Every ruleset and every option against the slow second reading, on random positions, reachable or
not.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from rules.axes import Landing
from rules.board import Side
from rules.dice import Roll
from rules.judge import judge
from rules.play import Play, plays
from rules.position import Position
from rules.ruleset import ruleset
from tests.rules.oracle import scattered, successors

MIRROR = ("backgammon", "nackgammon", "nard", "nard-himly", "nard-bozorgmehr")
VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in (*MIRROR, "narde")),
    *(
        (name, options)
        for name in ("nard", "nard-himly", "nard-bozorgmehr")
        for options in (
            {"entry": "empty"},
            {"entry": "no_stack"},
            {"entry": "no_stack", "doubles": 4},
            {"contact": "turn_end"},
            {"contact": "turn_end", "doubles": 4, "entry": "empty"},
            {"doubles": 2, "higher_die": True},
            {"doubles": 4, "bearoff": "standard", "higher_die": True},
            {"bearoff": "exact"},
            {"mandatory_hit": True},
            {"mandatory_hit": True, "contact": "turn_end"},
            {"first_move_triple": "avoid"},
            {"first_move_triple": "avoid", "mandatory_hit": True, "doubles": 4},
            {"head.limit": 1, "head.first_turn": "none"},
            {"prime.length": 4, "contact": "turn_end"},
            {"prime.length": 3, "prime.checked": "end_of_turn", "prime.needs_opponent_ahead": 3},
        )
    ),
    *(
        ("narde", options)
        for options in (
            {"head.first_turn": "33_44_66"},
            {"head.first_turn": "none"},
            {"head.limit": 2},
            {"prime.checked": "end_of_turn"},
            {"prime.length": 0},
            {"prime.length": 4},
            {"prime.length": 4, "prime.checked": "end_of_turn", "higher_die": False},
            {"prime.needs_opponent_ahead": 2, "prime.length": 5},
            {"bearoff": "exact", "doubles": 2},
            {"head.limit": 0, "first_move_triple": "avoid"},
        )
    ),
]


def written(options: dict[str, Any]) -> dict[str, Any]:
    return {
        axis: "off" if axis in ("prime.length", "head.limit") and value == 0 else value
        for axis, value in options.items()
    }


def agree(name: str, options: dict[str, Any], rng: random.Random, rounds: int) -> None:
    rules = ruleset(name, written(options))
    reading = dict(options)
    if rules.head_limit:
        reading["head_point"] = rules.head
    position = Position.start(rules, Side.WHITE)
    for number in range(rounds):
        if number % 2:
            first_turn = rng.random() < 0.3
            position = Position(
                rules,
                Side.WHITE,
                scattered(rng, "claim" if rules.landing is Landing.CLAIM else "hit"),
                first_turn,
            )
        roll = Roll.of(rng.randint(1, 6), rng.randint(1, 6))
        if rng.random() < 0.3:
            roll = Roll(roll.high, roll.high)
        if position.is_over:
            position = Position.start(rules, Side.WHITE)
        found = plays(position, roll)
        expected = successors(
            name, reading, position.view, (roll.low, roll.high), position.first_turn
        )
        where = (name, options, position.view, str(roll), position.first_turn)
        assert found.results == expected, where
        assert len(found) == len(expected), where
        assert bool(found) == (expected != {position.view}), where
        some = rng.sample(list(found), min(len(found), 4))
        for play in some:
            assert sum(m.hit for m in play.moves) >= play.view[26] - position.view[26], where
            assert isinstance(judge(position, roll, play.placement), Play), where
        position = position.after(rng.choice(some).view, rng.random() < 0.1)


@pytest.mark.parametrize(
    "number", range(len(VARIANTS)), ids=lambda n: f"{VARIANTS[n][0]} {VARIANTS[n][1]}"
)
def test_agreement_with_the_second_reading(number: int) -> None:
    name, options = VARIANTS[number]
    agree(name, options, random.Random(number), 40)

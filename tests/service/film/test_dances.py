"""Turns in which nothing moved, in films whose pictures caught no hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from rules.board import BAR, Colour, Placement, Seating, Side
from rules.dice import ROLLS, Roll
from rules.position import Position
from rules.ruleset import ruleset
from service.film.explain import explained
from service.film.kept import FilmRead
from service.film.stills import thrown_apart
from service.film.written import SURE
from service.reconcile.codes import CODES, SITES, codes_of
from service.reconcile.reel import Still, Throw

RULES = ruleset("backgammon")
START = Position.start(RULES, Side.WHITE).placement
SHUT = Placement.of({BAR: 1, 13: 5, 8: 4, 6: 5}, {12: 3, 17: 2, 19: 2, 20: 2, 22: 2, 23: 2, 24: 2})
"""White comes in with a four alone."""


def still(at: float, until: float, placement: Placement = START) -> Still:
    logs = np.full((SITES, CODES), -12.0, np.float32)
    logs[np.arange(SITES), codes_of(placement)] = 0.0
    return Still(int(at * 2), at, until, logs, np.ones(SITES, np.bool_))


def throw(at: float, until: float, roll: Roll) -> Throw:
    rolls = np.full(len(ROLLS), -8.0)
    rolls[ROLLS.index(roll)] = 0.0
    return Throw(int(at * 2), at, until, rolls, 0.99)


@pytest.mark.parametrize(
    ("throws", "began"),
    [
        ([(1, 4)], [0]),
        ([(1, 4), (6, 9)], [0, 6]),
        ([(1, 4), (6, 9), (11, 14)], [0, 6, 11]),
        # A logo that looks like two dice lies there all the while.
        ([(1, 19), (6, 9)], [0]),
        # The last throw of the still before.
        ([(-5, -1), (3, 6)], [0]),
    ],
)
def test_dice_that_were_thrown_anew_begin_another_still(
    throws: list[tuple[float, float]], began: list[float]
) -> None:
    parts = thrown_apart(still(0, 20), [throw(at, until, Roll(2, 1)) for at, until in throws])
    assert [p.at for p in parts] == began
    assert parts[-1].until == 20
    assert all(one.until < other.at for one, other in itertools.pairwise(parts))


def test_a_dance_is_over_when_its_dice_lie_there() -> None:
    """A double that follows it comes after it, though the next throw alone shows that it passed."""
    played = SHUT.moved(Side.BLACK, 12, 18).moved(Side.BLACK, 12, 17)
    lying = thrown_apart(still(0, 20, SHUT), throws := (
        throw(1, 4, Roll(6, 3)), throw(12, 19, Roll(6, 5)),
    ))  # fmt: skip
    stills = (*lying, still(21, 30, played))
    read = FilmRead(RULES, Seating(), SHUT, True, Colour.LIGHT, stills, throws)
    turns = [t.turn for t in explained(read).turns]
    assert [(t.side, t.roll, t.at) for t in turns] == [
        (Side.WHITE, Roll(6, 3), 1),
        (Side.BLACK, Roll(6, 5), 21),
    ]


def test_a_dance_before_the_next_game_is_told_and_setting_up_casts_no_doubt() -> None:
    """Its dice lay there in the still that showed the play before, and nothing moved after them."""
    played = SHUT.moved(Side.BLACK, 12, 18).moved(Side.BLACK, 12, 17)
    opened = START.moved(Side.WHITE, 8, 5).moved(Side.WHITE, 6, 5)
    throws = (throw(1, 3, Roll(6, 5)), throw(7, 11, Roll(6, 3)), throw(42, 44, Roll(3, 1)))
    stills = (
        *(still(0, 3, SHUT), still(4, 12, played), still(14, 16, played)),
        *(still(20, 22, Placement.of({13: 2}, {})), still(30, 44), still(46, 50, opened)),
    )
    read = FilmRead(RULES, Seating(), SHUT, True, Colour.DARK, stills, throws)
    found = explained(read)
    assert [(t.turn.game, t.turn.side, t.turn.roll) for t in found.turns] == [
        (1, Side.BLACK, Roll(6, 5)),
        (1, Side.WHITE, Roll(6, 3)),
        (2, Side.WHITE, Roll(3, 1)),
    ]
    assert found.turns[0].confidence > SURE


@pytest.mark.parametrize(
    ("thrown", "told"),
    [
        ([Roll(6, 3)], [Roll(6, 3)]),
        # A four comes in: what became of it nobody has seen.
        ([Roll(6, 4)], []),
        # Nobody knows whose the second is.
        ([Roll(6, 3), Roll(5, 3)], []),
    ],
)
def test_the_last_throw_of_a_film_is_a_dance_where_nothing_can_be_moved(
    thrown: list[Roll], told: list[Roll]
) -> None:
    """A double that is dropped after it is the other side's, and so is the game."""
    played = SHUT.moved(Side.BLACK, 12, 18).moved(Side.BLACK, 12, 17)
    throws = (
        throw(1, 3, Roll(6, 5)),
        *(throw(7 + 5 * n, 9 + 5 * n, roll) for n, roll in enumerate(thrown)),
    )
    stills = (still(0, 3, SHUT), still(4, 30, played))
    read = FilmRead(RULES, Seating(), SHUT, True, Colour.DARK, stills, throws)
    turns = [t.turn for t in explained(read).turns]
    assert [t.roll for t in turns] == [Roll(6, 5), *told]
    assert all(t.side is Side.WHITE for t in turns[1:])

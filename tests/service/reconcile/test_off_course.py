"""How stories go on where no legal turn explains what stands there."""

from __future__ import annotations

import numpy as np
import pytest

from rules.board import BAR, OFF, Placement, Side
from rules.dice import ROLLS, Roll
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile.codes import codes_of, placement_from
from service.reconcile.histories import Story
from service.reconcile.off_course import StillRead, ThrowOption, misplayed
from service.reconcile.reel import Costs, Still


def told(
    left: Placement, start: Position, thrown: Roll | None = None, nearly: Placement | None = None
) -> list[Story]:
    """The turns against the rules that a board at rest tells of, where it stands so; `nearly`: it
    reads so too, nearly as well.
    """
    table = np.full((26, 256), 9.0, np.float32)
    if nearly is not None:
        table[np.arange(26), codes_of(nearly)] = 1.5
    table[np.arange(26), codes_of(left)] = 0.0
    table[OFF] = 0.0
    seen = np.ones(26, np.bool_)
    look = StillRead(0, Still(0, 0.0, 1.0, -table, seen), table, seen, Costs(misplays=True))
    logs = np.array([0.0 if thrown in (None, roll) else -9.0 for roll in ROLLS])
    option = ThrowOption(None if thrown is None else 0, logs, 0.0)
    return misplayed(Story.opening_at(start), look, [option])


def test_a_checker_read_on_the_bar_where_nothing_is_hit_is_no_turn() -> None:
    start = Position.start(ruleset("narde"), Side.WHITE)
    assert told(start.placement.moved(Side.WHITE, 24, 13), start)
    assert not told(start.placement.moved(Side.WHITE, 24, BAR), start)


def test_a_play_beside_a_pile_that_reads_one_short_is_no_turn_against_the_rules() -> None:
    start = Position.start(ruleset("backgammon"), Side.WHITE)
    made = start.placement.moved(Side.WHITE, 8, 4).moved(Side.WHITE, 8, 5)
    assert not told(made.moved(Side.WHITE, 13, OFF), start, Roll(4, 3)), (
        "it is a play of these dice"
    )
    assert not told(made.moved(Side.WHITE, 13, OFF), start, Roll(6, 1)), "two slips of one hand"
    assert not told(made.moved(Side.WHITE, 13, OFF), start), "with dice that nobody saw"
    assert not told(start.placement.moved(Side.BLACK, 12, OFF), start, Roll(4, 3))
    half = start.placement.moved(Side.WHITE, 8, 4)
    assert told(half.moved(Side.WHITE, 6, OFF), start, Roll(4, 3)), "half of it was borne off"


def test_nobody_hits_its_own_checker_one_read_on_the_bar_was_borne_off() -> None:
    """With two on the bar a third is hardly told from them; it was borne off against the rules."""
    stood = Placement.of({24: 2, 13: 5, 8: 3, 6: 5}, {12: 2, 17: 3, 19: 4, 21: 2, 23: 2, BAR: 2})
    start = Position.of(stood, ruleset("backgammon"), Side.BLACK)
    off = stood.moved(Side.BLACK, 21, OFF)
    (story,) = told(stood.moved(Side.BLACK, 21, BAR), start, Roll(4, 3), off)
    assert placement_from(story.codes) == off


@pytest.mark.parametrize(("thrown", "believed"), [("53", False), ("11", True), (None, True)])
def test_no_pile_that_nobody_counts_holds_more_than_a_roll_has_brought(
    thrown: str | None, believed: bool
) -> None:
    """Two borne off and a pile that one source counts three too high are no three checkers moved by
    a point each (352000).
    """
    stood = Placement.of({OFF: 2, 1: 7, 4: 4, 15: 1, 19: 1}, {OFF: 5, 22: 4, 23: 6})
    start = Position.of(stood, ruleset("backgammon"), Side.BLACK)
    left = stood
    for _ in range(3):
        left = left.moved(Side.BLACK, 22, 23)
    roll = None if thrown is None else Roll.of(int(thrown[0]), int(thrown[1]))
    assert bool(told(left, start, roll)) is believed

"""How stories go on where no legal turn explains what stands there."""

from __future__ import annotations

import numpy as np

from rules.board import BAR, Placement, Side
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile.codes import codes_of
from service.reconcile.histories import Story
from service.reconcile.off_course import StillRead, ThrowOption, misplayed
from service.reconcile.reel import Costs, Still


def told(left: Placement, start: Position) -> list[Story]:
    """The turns against the rules that a board at rest tells of, where it stands so."""
    table = np.full((26, 256), 9.0, np.float32)
    table[np.arange(26), codes_of(left)] = 0.0
    seen = np.ones(26, np.bool_)
    look = StillRead(0, Still(0, 0.0, 1.0, -table, seen), table, seen, Costs(misplays=True))
    return misplayed(Story.opening_at(start), look, [ThrowOption(None, np.zeros(21), 0.0)])


def test_a_checker_read_on_the_bar_where_nothing_is_hit_is_no_turn() -> None:
    start = Position.start(ruleset("narde"), Side.WHITE)
    assert told(start.placement.moved(Side.WHITE, 24, 13), start)
    assert not told(start.placement.moved(Side.WHITE, 24, BAR), start)

"""Stories compared: the gap to another story lies on the turns that it has not."""

from __future__ import annotations

import math

import numpy as np

from rules.board import Side
from rules.dice import Roll
from rules.play import plays
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile.codes import CODES, SITES, codes_of
from service.reconcile.histories import Story, TurnMade, note_all_gaps, note_gap, turns_back
from service.reconcile.reel import Still

START = Story.opening_at(Position.start(ruleset("backgammon"), Side.WHITE))


def still(number: int) -> Still:
    logs = np.zeros((SITES, CODES), np.float32)
    return Still(10 * number, float(number), number + 0.5, logs, np.ones(SITES, np.bool_))


def told(story: Story, roll: Roll, which: int = 0, cost: float = 1.0) -> Story:
    """The story after a turn with one of the roll's plays."""
    play = sorted(plays(story.position, roll), key=lambda p: p.view)[which]
    after = codes_of(play.placement)
    made = TurnMade(roll, after, play.view, None, story.throws, story.cost + cost, 0.0)
    number = story.last.number + 1 if story.last else 0
    return story.with_turn(made, number, still(number))


def gaps(story: Story) -> list[float]:
    return [turn.gap for turn in turns_back(story.last)][::-1]


def test_a_turn_goes_on_from_the_one_before() -> None:
    story = told(told(START, Roll(3, 1)), Roll(6, 5))
    turns = list(turns_back(story.last))[::-1]
    assert [turn.number for turn in turns] == [0, 1]
    assert [turn.turn.side for turn in turns] == [Side.WHITE, Side.BLACK]
    assert not story.first[Side.WHITE]
    assert not story.first[Side.BLACK]
    assert story.position.side is Side.WHITE
    assert (story.codes == codes_of(story.position.placement)).all()
    assert turns[1].turn.frame == 10


def test_the_gap_lies_where_stories_part() -> None:
    shared = told(START, Roll(3, 1))
    best, other = told(shared, Roll(6, 5)), told(shared, Roll(6, 5), which=1, cost=4.0)
    note_all_gaps([best, other])
    assert gaps(best) == [math.inf, 3.0]


def test_the_same_turn_on_another_way_is_no_gap() -> None:
    best, other = told(START, Roll(3, 1)), told(START, Roll(3, 1), cost=9.0)
    note_all_gaps([best, other])
    assert gaps(best) == [math.inf]


def test_a_rival_counts_when_its_winner_is_part_of_the_best() -> None:
    middle, rival = told(START, Roll(3, 1)), told(START, Roll(3, 1), which=1)
    best = told(middle, Roll(6, 5))
    assert middle.last is not None
    middle.last.rivals.append((rival.last, 2.0))
    note_all_gaps([best])
    assert gaps(best) == [2.0, math.inf]


def test_the_smallest_gap_stays() -> None:
    story, other = told(START, Roll(3, 1)), told(START, Roll(3, 1), which=1)
    for gap in (5.0, 2.0, 7.0):
        note_gap(story.last, other.last, gap)
    assert gaps(story) == [2.0]

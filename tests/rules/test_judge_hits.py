"""What the judge says of a hit that was not carried out."""

from __future__ import annotations

from rules.board import Placement, Side
from rules.dice import Roll
from rules.infraction import Broken, Infraction
from rules.judge import judge
from rules.position import Position
from rules.ruleset import ruleset


def test_a_blot_hit_on_the_way_and_left_standing() -> None:
    before = Placement.of({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 7: 2, 17: 3, 5: 1, 19: 2})
    position = Position.of(before, ruleset("backgammon"), Side.WHITE)
    verdict = judge(position, Roll(3, 1), before.moved(Side.WHITE, 8, 4))
    assert isinstance(verdict, Infraction)
    assert verdict.code is Broken.HIT_NOT_LIFTED
    assert verdict.why() == "The checker on the 5-point was hit: it goes to the bar."

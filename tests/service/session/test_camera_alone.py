"""The camera alone, without a clock: what ends a turn there, and what does not."""

from __future__ import annotations

import pytest

from rules.board import Side
from tests.service.hands import Hands, begun, die
from tests.service.story import Story
from tests.service.storyteller import Teller


def told(lines: str) -> Hands:
    teller = Teller(Story("camera_alone", "", lines), "camera")
    teller.tell()
    return teller.hands


@pytest.mark.parametrize("second", ["unseen", "one"])
def test_dice_lifted_before_a_checker_was_touched_end_no_turn(second: str) -> None:
    hands = told(f"W 42 cocked\nwait 2\nW 21 {second}\nwait 3\nW: 24/23\nwait 2")
    assert "pressed" not in hands.kinds
    assert {a.matter for a in hands.state.alerts} <= {"dice"}


@pytest.mark.parametrize("later", (1, 2, 3))
def test_dice_taken_up_as_soon_as_they_were_read_end_no_turn(table: Hands, later: int) -> None:
    """Both agree to throw again before anybody has looked at the checkers: nothing was played."""
    begun(table, clock="none")
    table.wait(2.0 + later / 10)
    table.dice = (die(6, table.where(Side.WHITE)), die(1, table.where(Side.WHITE, 2)))
    while not table.bodies("rolled"):
        table.wait(0.1)
    table.dice = ()
    table.wait(1.0)
    table.hand_over = True
    table.wait(0.8)
    table.hand_over = False
    table.dice = (die(4, table.where(Side.WHITE)), die(3, table.where(Side.WHITE, 2)))
    table.wait(3.0)
    assert not table.bodies("pressed")
    assert table.state.turn.roll == table.roll(4, 3)

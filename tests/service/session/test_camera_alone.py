"""The camera alone, without a clock: what ends a turn there, and what does not."""

from __future__ import annotations

import pytest

from tests.service.hands import Hands
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

"""What the next look tells by itself is not asked: both sensors, with a clock."""

from __future__ import annotations

import pytest

from tests.service.hands import Hands
from tests.service.story import Story
from tests.service.storyteller import Teller


def told(lines: str, *, opening: bool = False) -> Hands:
    teller = Teller(Story("asked_too_soon", "", lines, clock="ours", open=opening), "both")
    teller.tell()
    return teller.hands


def asked(hands: Hands) -> list[str]:
    return [body.matter for body in hands.bodies("alert_raised") if body.matter != "dice"]


@pytest.mark.parametrize("slow", ["6", "9"])
def test_who_makes_the_first_play_is_not_asked_what_was_thrown(slow: str) -> None:
    """One die had not been seen: both were asked as the play was set down (269500 e0 g0)."""
    hands = told(
        f"wait 1\nopening 3 1 one\nwait 3\nhand\nwait {slow}\nW: 8/5 6/5\naway\nW press\nW done\n"
        "wait 1\nB 21\nwait 3",
        opening=True,
    )
    assert [p.text for p in hands.state.match.plays] == ["8/5 6/5"]
    assert asked(hands) == []


def test_an_opening_that_nobody_can_read_and_nobody_plays_is_asked_about() -> None:
    assert asked(told("wait 1\nopening 3 1 one\nwait 15", opening=True)) == ["say_roll"]

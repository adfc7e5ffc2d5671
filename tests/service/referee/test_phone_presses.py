"""Presses from a phone: once, at the finger's own time, nothing where their moment has passed."""

from __future__ import annotations

import pytest

from service.journal.entries import CubeOffered, Noted, PhonePressed, Role, TurnPressed, Who
from service.referee.inputs import Order
from service.referee.refusal import OrderError
from tests.service.hands import Hands

CLOCK = Who("clock", Role.CLOCK)


def begun() -> Hands:
    """A table with a clock of ours at White's first turn."""
    hands = Hands(board=False, now=100.0)
    hands.order("set_match", ruleset="backgammon", length=5, clock="ours")
    hands.order("start_game", starter="white")
    hands.order("declare_roll", roll=[3, 1])
    hands.now += 5.0
    return hands


def press(hands: Hands, number: int, what: str, ago: float = 0.0, doubt: float = 0.01) -> list:
    before = len(hands.said)
    args = {"device": "d", "number": number, "pressed": what}
    hands.give(Order("phone_press", {**args, "at": hands.now - ago, "doubt": doubt}, CLOCK))
    return [body for _, _, body in hands.said[before:]]


def test_it_ends_the_turn_when_the_finger_came_down() -> None:
    hands = begun()
    taken, ended = press(hands, 1, "white", ago=1.5)
    assert taken == PhonePressed("d", 1, "white", pytest.approx(hands.now - 1.5), 0.01)
    assert isinstance(ended, TurnPressed)
    assert (ended.source, ended.pressed_at) == ("phone", pytest.approx(hands.now - 1.5))


def test_the_same_press_does_nothing_twice() -> None:
    hands = begun()
    assert press(hands, 4, "white")
    assert not press(hands, 4, "white") and not press(hands, 3, "black")
    assert press(hands, 5, "black")


def test_a_press_of_an_earlier_turn_is_kept_and_does_nothing() -> None:
    hands = begun()
    late = press(hands, 1, "white", ago=20.0)
    assert [type(body) for body in late] == [PhonePressed, Noted]
    assert late[1].matter == "press_late" and hands.state.phase.value == "moving"


def test_a_press_that_may_be_of_this_turn_counts_from_its_beginning() -> None:
    hands = begun()
    began = hands.state.turn.began
    _, ended = press(hands, 1, "white", ago=hands.now - began + 0.2, doubt=0.5)
    assert isinstance(ended, TurnPressed) and ended.pressed_at == pytest.approx(began)


def test_buttons_mean_what_the_boards_mean_unless_their_moment_has_passed() -> None:
    hands = Hands(board=False, now=100.0)
    hands.order("set_match", ruleset="backgammon", length=5, clock="ours")
    hands.order("start_game", starter="white")
    hands.now += 10.0
    assert [type(b) for b in press(hands, 1, "offer", ago=8.0)] == [PhonePressed, Noted]
    assert any(isinstance(b, CubeOffered) for b in press(hands, 2, "offer", ago=0.4))


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"device": "d", "number": 0, "pressed": "white", "at": 1},
        {"device": "d", "number": 1, "pressed": "nobody", "at": 1},
        {"device": "d" * 50, "number": 1, "pressed": "white", "at": 1},
        {"device": "d", "number": 1, "pressed": "white", "at": "now"},
    ],
)
def test_what_is_no_press_is_refused(args: dict) -> None:
    with pytest.raises(OrderError):
        begun().give(Order("phone_press", args, CLOCK))

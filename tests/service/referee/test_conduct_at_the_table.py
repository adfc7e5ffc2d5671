"""Conduct that the table itself can see or count: who is there, who is late, what was set down and
taken back, one die thrown where both must be, and what only a person saw.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.board import Side
from rules.conduct import CONDUCT
from rules.dice import Roll
from rules.observation import DieStatus
from service.journal.entries import Role, Who
from service.journal.saying import alert_words
from service.referee.inputs import Press
from service.referee.refusal import OrderError
from service.referee.state import Phase
from service.show.prompt import waits_for
from tests.service.hands import DIRECTOR, Hands, begun, check, die, player

W, B = Side.WHITE, Side.BLACK
TABLET = Who("tablet", Role.PLAYER)


def prompted(hands: Hands) -> tuple[str, str | None]:
    found = waits_for(hands.state)
    return found["code"], found["side"]


# Both confirm length and clock.


def asked(**args: Any) -> Hands:
    hands = Hands()
    hands.set_up(length=5, clock="ours", event={"match": {"confirm": True}}, **args)
    return hands


def test_no_game_begins_before_both_have_confirmed_with_their_clock_buttons() -> None:
    hands = asked()
    assert hands.state.phase is Phase.SETTING_UP and prompted(hands) == ("confirm_match", None)
    hands.give(Press(W, hands.now))
    hands.wait(2)
    assert prompted(hands) == ("confirm_match", "black")
    hands.give(Press(B, hands.now))
    hands.wait(2)
    assert hands.state.phase is Phase.OPENING
    assert [c.side for c in hands.bodies("confirmed")] == [W, B]
    check(hands)


def test_who_may_confirm_for_whom() -> None:
    hands = asked()
    with pytest.raises(OrderError, match="own word"):
        hands.order("confirm", by=player(B), side="white")
    with pytest.raises(OrderError, match="clock button"):
        hands.order("start_game", by=TABLET)
    hands.order("confirm", by=player(B))
    hands.order("amend", by=DIRECTOR, what="length", value=7)
    assert prompted(hands) == ("confirm_match", None), "what was confirmed is another match now"
    hands.order("confirm", by=TABLET)
    assert all(hands.state.match.confirmed)
    hands.wait(2)
    assert hands.state.phase is Phase.OPENING
    with pytest.raises(OrderError):
        hands.order("confirm", by=TABLET)


def test_an_arbiter_begins_without_them() -> None:
    hands = asked()
    hands.order("start_game", by=DIRECTOR, starter="white")
    assert hands.state.phase is Phase.TO_ROLL


def test_where_it_is_not_asked_a_press_in_set_up_is_only_noted() -> None:
    hands = Hands()
    hands.order("set_match", length=5, clock="ours")
    hands.give(Press(W, hands.now))
    assert hands.kinds[-1] == "noted" and "confirmed" not in hands.kinds


# Late.


def called(minutes_ago: float, length: int = 9, **clock: Any) -> Hands:
    hands = Hands(camera=False, board=False)
    hands.order("set_match", length=length, clock="ours", event={"clock": clock})
    hands.order("call_match", by=DIRECTOR)
    hands.now += 60 * minutes_ago
    return hands


@pytest.mark.parametrize(
    ("minutes", "length", "facts", "words"),
    [
        (4.9, 9, {}, ""),
        (5.0, 9, {"penalty": "points", "amount": 1, "costs": 0}, "nothing to"),
        (14.9, 9, {"penalty": "points", "amount": 2}, "14 min late"),
        (16.0, 5, {"penalty": "match"}, "costs the match"),
    ],
)
def test_a_late_player_is_told_what_it_costs_when_he_comes(
    minutes: float, length: int, facts: dict[str, Any], words: str
) -> None:
    hands = called(minutes, length)
    hands.order("confirm", by=player(B))
    late = [a for a in hands.state.alerts if a.matter == "late_start"]
    assert [a.side for a in late] == ([B] if facts else [])
    for alert in late:
        assert facts.items() <= dict(alert.facts).items()
        said = alert_words(alert.matter, alert.code, alert.facts)
        assert words in said["en"] and said["fa"] != said["en"]
    check(hands)


def test_the_director_hears_of_the_absent_after_five_minutes_and_at_forfeit() -> None:
    hands = called(0)
    hands.give(Press(W, hands.now))
    heard = []
    for _ in range(60):
        hands.now += 30
        hands.wait(0.1)
        heard.append([(a.side, a.code) for a in hands.state.alerts])
    assert heard[8] == [] and heard[10] == [(B, "points")]
    assert heard[-1] == [(B, "points"), (B, "match")]
    hands.order("confirm", by=player(B))
    assert [(a.side, a.code) for a in hands.state.alerts] == [(B, "match")]


def test_a_match_called_to_begin_later_makes_nobody_late() -> None:
    hands = Hands(camera=False, board=False)
    hands.order("set_match", length=9, clock="none")
    hands.order("call_match", by=DIRECTOR, minutes=10)
    hands.now += 14 * 60
    hands.order("confirm", by=TABLET)
    assert hands.state.alerts == () and all(hands.state.match.confirmed)


def test_where_nobody_confirmed_the_first_game_says_how_late_it_begins() -> None:
    hands = called(11)
    hands.order("start_game", starter="white")
    (alert,) = hands.state.alerts
    assert (alert.side, alert.facts["amount"]) == (None, 2)
    assert hands.state.match.due is None


def test_an_event_may_count_nobody_as_late() -> None:
    hands = called(30, late_start=False)
    hands.wait(0.2)
    hands.order("confirm", by=TABLET)
    assert hands.state.alerts == ()


# Set down and taken back.


@pytest.mark.parametrize(
    ("event", "code"),
    [
        ({"touch_move": True}, "touch_move"),
        ({"release_is_final": True}, "release_is_final"),
        ({}, ""),
    ],
)
def test_a_checker_set_down_and_taken_back_is_known(event: dict[str, bool], code: str) -> None:
    hands = begun(Hands(), event={"play": event})
    hands.throw(3, 1)
    before = hands.placement
    hands.move((13, 10)).wait(2)
    hands.put(before).wait(2)
    hands.move((8, 5), (6, 5)).lift()
    assert hands.state.match.plays[-1].text == "8/5 6/5"
    found = [(a.matter, a.side, a.told) for a in hands.state.alerts]
    assert found == ([(code, W, "arbiter")] if code else [])
    assert tuple(hands.state.match.illegal) == (0, 0)
    check(hands)


def test_a_checker_slid_over_was_not_set_down() -> None:
    hands = begun(Hands(), event={"play": {"touch_move": True}})
    hands.throw(3, 1)
    before = hands.placement
    hands.hand_over = True
    hands.wait(0.4)
    hands.placement = hands.moved((13, 10))
    hands.wait(0.4)
    hands.placement = before
    hands.wait(0.4)
    hands.hand_over = False
    hands.move((8, 5), (6, 5)).lift()
    assert not hands.state.alerts


# One die, where both are thrown again.


def cocked(reroll: str) -> Hands:
    hands = begun(Hands(), event={"dice": {"reroll": reroll}})
    flat = die(3, hands.where(W))
    hands.dice = (flat, die(4, hands.where(W, 2), DieStatus.COCKED))
    hands.wait(2.5)
    assert hands.last("dice_called").problem == "cocked"
    hands.dice = (flat,)
    hands.wait(0.6)
    hands.dice = (flat, die(1, hands.where(W, 3)))
    return hands.wait(3)


def test_one_die_thrown_again_is_no_roll_where_both_must_be() -> None:
    hands = cocked("both")
    assert hands.state.phase is Phase.TO_ROLL
    assert [d.problem for d in hands.bodies("dice_called")] == ["cocked", "one_again"]
    hands.throw(6, 5)
    assert hands.state.turn.roll is not None and hands.state.turn.roll.high == 6


def test_a_die_that_is_thrown_to_almost_where_one_lay_was_thrown_again() -> None:
    hands = begun(Hands(), event={"dice": {"reroll": "both"}})
    east, north = hands.where(W)
    hands.dice = (die(3, (east, north)), die(4, hands.where(W, 2), DieStatus.COCKED))
    hands.wait(2.5)
    hands.hand_over = True
    hands.wait(0.6)
    hands.dice = (die(6, (east + 0.009, north)), die(1, hands.where(W, 3)))
    hands.hand_over = False
    hands.wait(3)
    assert [d.problem for d in hands.bodies("dice_called")] == ["cocked"]
    assert hands.state.turn.roll == Roll(6, 1)


def test_both_sides_may_take_the_dice_as_they_lie() -> None:
    hands = cocked("both")
    hands.move((8, 5), (6, 5)).lift()
    assert [p.text for p in hands.state.match.plays] == ["8/5 6/5"]
    assert "illegal_noticed" not in hands.kinds


def test_that_die_alone_is_thrown_again_where_the_event_says_so() -> None:
    hands = cocked("that_die")
    assert hands.state.phase is Phase.MOVING
    assert [d.problem for d in hands.bodies("dice_called")] == ["cocked"]


# What people see, and a set-up taken as said.


@pytest.mark.parametrize("code", sorted(code.value for code in CONDUCT))
def test_an_arbiter_enters_what_no_sensor_sees(code: str) -> None:
    hands = begun(Hands(camera=False, board=False))
    hands.order("note", by=DIRECTOR, code=code, side="black", text="seen by Ava")
    noted = hands.last("noted")
    assert (noted.matter, noted.side, noted.text) == (code, B, "seen by Ava")
    with pytest.raises(OrderError):
        hands.order("note", by=player(W), code=code)


def test_a_game_begun_with_another_set_up_is_noted() -> None:
    hands = Hands()
    hands.order("set_match", length=5, clock="none")
    hands.wait(2)
    hands.order("start_game", starter="white")
    assert hands.last("noted").matter == "wrong_setup"
    (alert,) = [a for a in hands.state.alerts if a.matter == "wrong_setup"]
    assert alert.side is None and alert.told == "board"

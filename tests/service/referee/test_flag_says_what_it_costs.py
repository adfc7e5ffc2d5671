"""The flag's alert carries what the event's ladder says, and says when it costs nothing."""

from __future__ import annotations

from typing import Any

import pytest

from rules.board import Side
from service.journal.saying import alert_words
from service.referee.inputs import Tick
from service.referee.state import Alert
from tests.service.hands import Hands, begun

W, B = Side.WHITE, Side.BLACK


def flagged(score: list[int], **clock: Any) -> Alert:
    """White's flag falls at once; the alert of it."""
    event = {"clock": {"preset": "iran", "bank": 5, "delay": 0, **clock}}
    hands = begun(Hands(), clock="ours", length=7, event=event)
    hands.order("amend", what="score", value=score)
    hands.order("start_clocks", side="white")
    hands.now += 6
    hands.give(Tick())
    (alert,) = [a for a in hands.state.alerts if a.matter == "flag"]
    return alert


COSTS = [
    # score, clock, facts, a word of what is said
    ([3, 0], {}, {"penalty": "points", "amount": 1, "costs": 1}, "takes 1"),
    ([0, 3], {}, {"penalty": "points", "amount": 1, "costs": 0}, "costs nothing"),
    ([1, 0], {"ladder": [3]}, {"penalty": "points", "amount": 3, "costs": 1}, "takes 1"),
    ([0, 0], {"points_lost": "deducted_below_zero"}, {"costs": 1}, "takes 1"),
    ([0, 0], {"points_lost": "awarded"}, {"costs": 1}, "gives the opponent 1"),
    ([0, 0], {"ladder": ["match"]}, {"penalty": "match"}, "the match"),
    ([0, 0], {"ladder": ["game"]}, {"penalty": "game"}, "the game"),
    ([0, 0], {"ladder": ["warning"]}, {"penalty": "warning"}, "a warning"),
    ([0, 0], {"ladder": ["director"]}, {"penalty": "director"}, "director decides"),
]


@pytest.mark.parametrize(("score", "clock", "facts", "words"), COSTS)
def test_what_a_flag_costs(
    score: list[int], clock: dict[str, Any], facts: dict[str, int | str], words: str
) -> None:
    alert = flagged(score, **clock)
    assert facts.items() <= dict(alert.facts).items() and alert.facts["violation"] == 1
    said = alert_words(alert.matter, alert.code, alert.facts)
    assert words in said["en"] and said["fa"] != said["en"]


def test_a_ladder_that_was_carried_out_says_so_too() -> None:
    alert = flagged([0, 3], at_flag="automatic")
    assert "costs nothing" in alert_words(alert.matter, alert.code, alert.facts)["en"]


def test_an_old_alert_says_no_more_than_its_matter() -> None:
    assert alert_words("flag", "flag_fell", {}) == {}

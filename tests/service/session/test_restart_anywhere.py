"""A table killed at any instant of three consecutive turns, hands over the board at some, goes on
rightly: every turn is recorded as it was played, or the table says that it waits.
"""

from __future__ import annotations

import pytest

from service.journal.entries import PlayEntered
from tests.service.hands import check
from tests.service.story import Story
from tests.service.story_faults import faults
from tests.service.storyteller import Teller

TURNS = {
    "ours": """
        W 31
        wait 1
        hand
        away
        W: 8/5
        wait 0.3
        W: 6/5
        W press 1
        W done
        B 42
        wait 1
        hand
        away
        B: 8/4
        wait 0.3
        B: 6/4
        B press 1
        B done
        W 65
        wait 1
        hand
        away
        W: 24/13
        W press 1
        W done
    """,
    "none": """
        W 31
        wait 1
        hand
        away
        W: 8/5
        wait 0.3
        W: 6/5
        wait 1
        W done
        B 42
        wait 1
        hand
        away
        B: 8/4
        wait 0.3
        B: 6/4
        wait 1
        B done
        W 65
        wait 1
        hand
        away
        W: 24/13
        wait 1
        W done
    """,
}
"""Three turns, line by line, with a clock of ours and without any."""
INSTANTS = 20


def restarted(clock: str, instant: int, sensors: str) -> list[str]:
    """What the record says wrongly where the process died after so many lines."""
    lines = [line.strip() for line in TURNS[clock].strip().splitlines()]
    told = [*lines[:instant], "restart", *lines[instant:]]
    story = Story("restarted", "killed and opened again", "\n".join(told), clock=clock)
    teller = Teller(story, sensors)
    teller.tell()
    check(teller.hands)
    return list(faults(teller))


@pytest.mark.parametrize("instant", range(1, INSTANTS + 1))
@pytest.mark.parametrize(("clock", "sensors"), [("ours", "both"), ("none", "camera")])
def test_a_table_killed_at_any_instant_goes_on(clock: str, sensors: str, instant: int) -> None:
    assert restarted(clock, instant, sensors) == []


UNSEEN = """
    stand to W | W 24:2 13:5 8:3 6:5 | B 24:2 13:4 8:3 6:6
    W turn 43 13/6
    B 21
    wait 1
    B: 6/off
    B wrong
    wait 1
    B done
    W 54
    {first}
    W: 13/8 6/2
    {then}
    W done
    wait 2
    B turn 43 13/9 13/10
    W turn 61 13/7 8/7
"""
"""Black takes one checker off a pile, against the rules, and nothing else; White plays its turn,
and the process dies while it does.
"""


@pytest.mark.parametrize(("first", "then"), [("restart", "wait 1"), ("wait 1", "restart")])
def test_nobody_is_said_to_play_out_of_turn_over_what_may_have_been_played_before_a_restart(
    first: str, then: str
) -> None:
    story = Story("unseen", "killed in the next turn", UNSEEN.format(first=first, then=then))
    teller = Teller(story, "camera")
    teller.tell()
    check(teller.hands)
    played = [entry.body for entry in teller.hands.entries if isinstance(entry.body, PlayEntered)]
    assert not any(each.infraction for each in played)
    assert [str(each.roll) for each in played[-2:]] == ["43", "61"]

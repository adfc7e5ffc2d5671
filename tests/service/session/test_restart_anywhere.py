"""A table killed at any instant of three consecutive turns, hands over the board at some, goes on
rightly: every turn is recorded as it was played, or the table says that it waits.
"""

from __future__ import annotations

import pytest

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

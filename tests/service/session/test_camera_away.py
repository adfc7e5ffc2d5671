"""The camera alone, which was away for some turns, and turns that are told of late."""

from __future__ import annotations

from tests.service.hands import Hands
from tests.service.story import Story
from tests.service.storyteller import Teller


def told(lines: str, *, opening: bool = False) -> Hands:
    teller = Teller(Story("camera_away", "", lines, open=opening), "camera")
    teller.tell()
    return teller.hands


def lines_of(hands: Hands) -> list[tuple[str, str, str]]:
    """Whose, the roll ("" where nobody knows it) and the play of each line of the record."""
    return [(p.side.value, str(p.roll or ""), p.text) for p in hands.state.match.plays]


def asked(hands: Hands) -> list[str]:
    return [body.matter for body in hands.bodies("alert_raised") if body.matter != "source_lost"]


def test_an_opening_throw_that_nobody_can_read_waits_for_its_play_where_no_clock_runs() -> None:
    hands = told(
        "wait 1\nopening 3 1 one\nwait 15\nW: 8/5 6/5\nwait 2\nW done\nB 21\nwait 3", opening=True
    )
    assert [p.text for p in hands.state.match.plays] == ["8/5 6/5"]
    assert asked(hands) == []

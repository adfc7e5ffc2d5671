"""The camera alone, which was away for some turns, and turns that are told of late."""

from __future__ import annotations

import pytest

from service.session.dice import is_seen_to_play
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


TWO_AWAY = (
    "stand to B | W 1:3 2:5 3:2 8:2 13:1 23:2 | B 13:2 10:2 9:2 6:3 5:3 1:3\n"
    "camera gone\nB 52\nB: 9/4 6/4\nB done\nW 21\nW: 13/10\nW done\n"
)


@pytest.mark.parametrize(
    "back",
    [
        "hand\ncamera back\nB 65\naway\nwait 1.2\nhand\nB: 10/4 9/4\naway\n",
        "camera back\nwait 0.1\nB 65\nwait 0.8\nB: 10/4 9/4\n",
    ],
)
def test_dice_thrown_once_the_camera_is_back_are_of_neither_turn_that_it_missed(back: str) -> None:
    """Black was said to have played 65 as no play of it, and everybody was asked (261000 e3 g0)."""
    hands = told(
        f"{TWO_AWAY}{back}wait 2\nB done\nW 62\nwait 3\nW: 10/2\nwait 2\nW done\nB 21\nwait 3"
    )
    assert lines_of(hands) == [
        ("black", "52", "9/4 6/4"),
        ("white", "", "13/10"),
        ("black", "65", "10/4 9/4"),
        ("white", "62", "10/2"),
    ]
    assert asked(hands) == []


def test_a_dance_that_the_camera_missed_is_told_before_the_throw_over_it() -> None:
    hands = told(
        "stand to B | W bar:2 24:2 13:2 8:3 6:2 3:4 | B 14:1 11:2 8:2 6:3 4:2 3:3 2:2\n"
        "camera gone\nB 52\nB: 14/9 6/4\nB done\nW 63\nW done\nlift\ncamera back\n"
        "hand\nB 53\naway\nwait 3\nB: 11/6 9/6\nwait 2\nB done\nW 43\nwait 3"
    )
    assert lines_of(hands) == [
        ("black", "52", "14/9 6/4"),
        ("white", "", "no play"),
        ("black", "53", "11/6 9/6"),
    ]
    assert asked(hands) == []


def test_a_turn_told_of_late_while_the_next_is_played_stops_no_evening() -> None:
    """What was seen of the next was forgotten with it, and three turns later nothing explained the
    board: nothing unusual was about (261000 e2 g1).
    """
    hands = told(
        "stand to W | W 1:3 2:2 3:2 4:2 5:3 6:2 15:1 | B bar:2 6:2 4:3 3:8\n"
        "W 33\nwait 1\nW: 15/10 5/2\nwait 2\nW wrong\nW done\nB done\n"
        "W 32\nwait 2\nW: 10/5\nwait 3\nW done\nB done\n"
        "W 62\nwait 3\nW: 6/off 6/4\nwait 2\nW done\n"
        "B 11\nwait 4\nB done\nW 32\nwait 2\nW: 5/off\nwait 2\nW done\nB 22\nwait 3"
    )
    assert [p.text for p in hands.state.match.plays] == [
        "15/10 5/2",
        "no play",
        "10/5",
        "no play",
        "6/off 6/4",
        "no play",
        "5/off",
    ]
    assert hands.state.game.placement == hands.placement
    assert asked(hands) == ["unanswered"]


def test_an_opening_throw_that_nobody_can_read_waits_for_its_play_where_no_clock_runs() -> None:
    hands = told(
        "wait 1\nopening 3 1 one\nwait 15\nW: 8/5 6/5\nwait 2\nW done\nB 21\nwait 3", opening=True
    )
    assert [p.text for p in hands.state.match.plays] == ["8/5 6/5"]
    assert asked(hands) == []


@pytest.mark.parametrize(("stand", "seen"), [("1:10 2:5", False), ("6:4 5:4 4:4 3:3", True)])
def test_who_bears_off_from_a_tall_pile_may_have_done_so_unseen(stand: str, seen: bool) -> None:
    """The other side's play over it was said to be out of turn (tavern, 266400 e1 g3)."""
    hands = told(f"stand to W | W {stand} | B 6:5 5:5 4:5\nwait 1")
    assert is_seen_to_play(hands.state) is seen


def test_nobody_has_played_out_of_turn_where_the_other_side_may_have_played_unseen() -> None:
    """Black had played while the picture hung, and White was accused (267000 e2 g1)."""
    hands = told(
        "stand to W | W 4:3 5:2 6:2 8:3 13:4 18:1 | B 24:2 22:1 13:3 8:3 6:3 2:3\n"
        "W 53\nwait 2\ncamera gone\nW: 18/13 8/5\nW done\nB 22\nB: 6/8\nB wrong\nB done\n"
        "lift\ncamera back\nW 52\nwait 3\nW: 13/8 5/3\nwait 2\nW done\nB 65\nwait 6"
    )
    assert "illegal" not in asked(hands)
    assert not any(line.infraction for line in hands.state.match.plays)


@pytest.mark.parametrize(("gone", "unlooked"), [("camera gone\n", 1), ("", 0)])
def test_nobody_looked_since_a_position_was_said_while_the_camera_was_away(
    gone: str, unlooked: int
) -> None:
    """White was told to have played out of turn: Black's turn had passed unseen (351500)."""
    stood = "W 5:3 4:3 3:3 2:4 | B 3:3 2:3 1:7"
    back = "camera back\n" if gone else ""
    hands = told(f"stand to W | {stood}\n{gone}stand to B | {stood}\nwait 12\n{back}wait 2\n")
    memory = hands.session.memory
    assert memory is not None
    assert len(memory.unlooked) == unlooked

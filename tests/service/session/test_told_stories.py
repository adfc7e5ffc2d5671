"""Every told story (`data/stories`), with both sensors and with the camera alone: the record is
what happened, nobody is accused in innocence, an illegal play is asked about, no table stops.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from rules.board import OFF, Side
from service.journal.entries import Standing
from tests.service.hands import check, die
from tests.service.story import Story
from tests.service.story_faults import faults
from tests.service.storyteller import Teller

FOLDER = Path(__file__).parent / "data/stories"
STORIES = [
    Story(**story)
    for file in sorted(FOLDER.glob("*.toml"))
    for story in tomllib.loads(file.read_text("utf-8"))["story"]
]
SENSORS = ("both", "camera")

NOT_YET: dict[str, str] = {}
"""Stories that are not told rightly yet, by name and sensors, each with the defect's number in the
review. One that is told rightly must leave this table: the tests say so.
"""


def told(story: Story, sensors: str) -> list[str]:
    """What the record of a story says wrongly, one line each."""
    teller = Teller(story, sensors)
    teller.tell()
    check(teller.hands)
    return list(faults(teller))


def cases() -> list[object]:
    found = []
    for story in STORIES:
        for sensors in SENSORS:
            name = f"{story.name}/{sensors}"
            marks = (
                [pytest.mark.xfail(strict=True, reason=f"defect {NOT_YET[name]}")]
                if name in NOT_YET
                else []
            )
            found.append(pytest.param(story, sensors, id=name, marks=marks))
    return found


@pytest.mark.parametrize(("story", "sensors"), cases())
def test_the_record_is_what_happened(story: Story, sensors: str) -> None:
    assert told(story, sensors) == []


def test_stories_have_names_of_their_own_and_none_is_awaited_that_is_not_there() -> None:
    names = [story.name for story in STORIES]
    assert len(set(names)) == len(names)
    assert set(NOT_YET) <= {f"{name}/{sensors}" for name in names for sensors in SENSORS}


def test_a_double_over_a_forgotten_press_is_in_the_record() -> None:
    story = next(s for s in STORIES if s.name == "doubled_by_hand_over_a_forgotten_press")
    teller = Teller(story, "both")
    teller.tell()
    assert [(body.side, body.value) for body in teller.hands.bodies("cube_offered")] == [
        (Side.BLACK, 2)
    ]


def test_a_board_that_is_knocked_while_a_play_is_asked_about_loses_no_turn() -> None:
    knocked = "the_board_is_knocked_while_a_play_onto_a_pile_is_asked_about"
    teller = Teller(next(s for s in STORIES if s.name == knocked), "both")
    teller.tell()
    assert "differs" not in teller.hands.kinds
    made = [line.text for line in teller.hands.state.match.plays]
    assert made[:2] == ["13/9 2/1", "2/off 1/off(2)"]


def test_what_both_sources_misread_since_the_turn_began_is_no_touch() -> None:
    lines = """
    W turn 31 8/5 6/5
    camera reads B 6 as 3
    board reads B 6 as 3
    wait 1
    B turn 42 8/4 13/11
    wait 2
    """
    teller = Teller(
        Story("misread_alike", "Both count a pile two short.", lines, clock="ours"), "both"
    )
    teller.tell()
    watch = teller.hands.state.watch
    assert watch.touched_since is None
    assert watch.rest_since is None


def test_who_is_closed_out_has_moved_nothing() -> None:
    shifted = "a_checker_is_shifted_while_its_side_is_closed_out"
    teller = Teller(next(s for s in STORIES if s.name == shifted), "both")
    teller.tell()
    made = [line.text for line in teller.hands.state.match.plays]
    assert made[:3] == ["18/16 6/1", "no play", "6/1"]
    assert teller.hands.last("position_set").reason == "played_on"


@pytest.mark.parametrize("sensors", SENSORS)
@pytest.mark.parametrize("name", [s.name for s in STORIES if s.name.startswith("closed_out_and")])
def test_what_is_thrown_by_who_is_closed_out_is_its_roll_and_no_throw_of_the_others(
    name: str, sensors: str
) -> None:
    teller = Teller(next(s for s in STORIES if s.name == name), sensors)
    teller.tell()
    read = [line.roll for line in teller.hands.state.match.plays if line.side is Side.WHITE]
    thrown = [str(roll) for _, side, roll in teller.truth.throws if side is Side.WHITE]
    assert [str(roll) for roll in read if roll] == thrown[: sum(roll is not None for roll in read)]
    assert read[0] is not None
    assert not teller.hands.bodies("dice_called")


@pytest.mark.parametrize("sensors", SENSORS)
@pytest.mark.parametrize(
    "name",
    [
        "pressed_before_a_throw_that_nobody_sees_and_once_more_after_its_play",
        "pressed_before_a_throw_that_is_half_hidden_and_played_slowly",
    ],
)
def test_nobody_is_too_early_over_a_turn_that_was_pressed_for(name: str, sensors: str) -> None:
    teller = Teller(next(s for s in STORIES if s.name == name), sensors)
    teller.tell()
    assert not teller.hands.bodies("dice_called")


@pytest.mark.parametrize("sensors", SENSORS)
def test_a_turn_that_may_be_out_of_turn_is_in_the_record_once_it_was_pressed_for(
    sensors: str,
) -> None:
    pressed = "a_turn_that_may_be_out_of_turn_is_pressed_for"
    teller = Teller(next(s for s in STORIES if s.name == pressed), sensors)
    teller.tell()
    made = [(line.side, line.text, line.standing) for line in teller.hands.state.match.plays]
    assert made[0] == (Side.BLACK, "12/6", Standing.UNRESOLVED)


@pytest.mark.parametrize("sensors", SENSORS)
def test_nobody_is_told_to_have_played_out_of_turn_after_what_may_be_two_turns(
    sensors: str,
) -> None:
    """Black bears off while the picture hangs, and White moves one of Black's checkers instead of
    its own: what stands there then is no play of either.
    """
    lines = """
    stand to B | W 13:1 6:1 4:2 3:2 2:2 1:7 | B 6:4 5:1 3:2 1:3
    wait 2
    camera frozen
    B 61
    B: 6/off 1/off
    wait 1
    lift
    B done
    camera thawed
    W 41 left
    wait 3
    W nudges B 5/1
    wait 2
    W wrong
    W done
    wait 2
    B 31
    wait 3
    B: 6/3 6/5
    wait 3
    B done
    W turn 33 13/10 10/7 6/3 4/1
    wait 3
    """
    teller = Teller(Story("may_be_two", "Two turns look like one.", lines), sensors)
    teller.tell()
    assert "illegal" not in [alert.matter for alert in teller.hands.bodies("alert_raised")]
    assert all(not line.infraction for line in teller.hands.state.match.plays)


def test_a_checker_that_lay_there_when_the_hand_had_gone_was_taken_off() -> None:
    """White's dice come to lie there under a hand that stays; the last of its fourth point is gone
    when it has pressed.
    """
    lines = "stand to W | W 24:5 13:2 6:4 5:3 4:1 | B 22:2 8:1 7:2 6:2 5:2 3:4 2:2"
    teller = Teller(Story("taken_off", "Borne off early.", lines, clock="ours"), "both")
    teller.tell()
    hands, taken = teller.hands, teller.hands.placement.moved(Side.WHITE, 4, OFF)
    hands.hand_over = True
    hands.wait(0.6)
    hands.dice = (die(2, hands.where(Side.BLACK)), die(1, hands.where(Side.BLACK, 2)))
    for hand, seconds in ((False, 0.2), (True, 1.4), (False, 3.0)):
        hands.hand_over = hand
        hands.wait(seconds)
    hands.put(taken, 2.0)
    hands.press(Side.WHITE, seconds=4.0)
    hands.throw(3, 1, side=Side.BLACK).wait(6.0)
    line = hands.state.match.plays[-1]
    assert (line.side, line.placement) == (Side.WHITE, taken)

"""What the board itself may show: every meaning by its own pattern, and nothing that a player may
not know.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from firmware_bridge.clock_panel import Lamp
from firmware_bridge.lights import Light, LightColour, Pattern
from rules.board import BAR, OFF, Side
from service.referee.inputs import Sound
from service.referee.state import Alert, Difference, Phase, TurnState
from service.show.compose import table_document
from service.show.scene import ASKS, DICE, HELD, LOST, TARGET, face, lights, scene_document
from tests.service.hands import THREE, Hands, begun, die, player

W, B = Side.WHITE, Side.BLACK


def shown(hands: Hands) -> list[tuple[int, Light]]:
    return list(lights(hands.state).lights)


def test_whose_turn_it_is_lies_before_that_player() -> None:
    hands = begun(Hands())
    assert shown(hands) == [(BAR, Light(LightColour.WHITE, side=W))]
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5)).press()
    assert shown(hands) == [(BAR, Light(LightColour.WHITE, side=B))]


def test_a_double_and_a_resignation_ask_the_other_side() -> None:
    hands = begun(Hands())
    hands.order("offer", by=player(W))
    assert shown(hands) == [(BAR, Light(LightColour.BLUE, Pattern.BLINK, side=B))]
    hands.order("take", by=player(B))
    hands.order("resign", by=player(B), level=1)
    assert shown(hands) == [(BAR, Light(LightColour.BLUE, Pattern.BLINK, side=W))]


def test_dice_frozen_lost_and_questions() -> None:
    hands = begun(Hands())
    hands.dice = (die(4, (0.2, 0.5)), die(2, (0.3, 0.5)))
    hands.wait(3)
    assert hands.state.watch.called == "other_half" and (BAR, DICE) in shown(hands)
    hands.lose("camera")
    assert (OFF, LOST) in shown(hands)
    hands.order("freeze")
    assert (BAR, HELD) in shown(hands)
    asked = replace(
        hands.state,
        phase=Phase.PRESSED,
        alerts=(Alert("a1", "say_roll", W, "", {}, "board", 1),),
    )
    assert (BAR, ASKS) in lights(asked).lights


def test_a_board_that_differs_points_at_the_sites() -> None:
    hands = begun(Hands())
    state = replace(
        hands.state,
        phase=Phase.DIFFERS,
        turn=TurnState(difference=Difference(1, "x", (6, 8, BAR), ())),
    )
    assert {site for site, _ in lights(state).lights} == {6, 8, BAR}
    hands = Hands()
    hands.order("set_match", ruleset="backgammon", length=3)
    assert hands.state.match.ruleset is not None
    hands.set_up()
    wrong = Hands()
    wrong.order("set_match", ruleset="backgammon", length=3, clock="none")
    wrong.placement = hands.placement.moved(W, 24, 23)
    wrong.wait(3).expect(Phase.SETTING_UP)
    assert {site for site, _ in shown(wrong)} == {
        23,
        24,
    }, "a wrong set-up is pointed at before the game"


@pytest.mark.parametrize("monitor", ["board", "arbiter", "silent", "teaching"])
def test_legal_targets_only_while_teaching(monitor: str) -> None:
    hands = begun(Hands(), event={"play": {"monitor": monitor}})
    hands.throw(6, 5)
    targets = {site for site, light in shown(hands) if light == TARGET}
    assert bool(targets) == (monitor == "teaching")


def test_a_silent_monitor_says_nothing_by_light_sound_or_prompt() -> None:
    """The document of a silent table is that of one that is still looking, as far as players see
    it.
    """
    hands = begun(Hands(), event={"play": {"monitor": "silent"}})
    hands.throw(2, 1)
    before = shown(hands)
    hands.move(*THREE).press(seconds=4).expect(Phase.ILLEGAL)
    assert shown(hands) == before
    assert not [c for c in hands.commands if isinstance(c, Sound) and c.what == "error"]
    found = table_document(hands.state, hands.now)
    assert found["waits_for"]["code"] == "judging"
    assert found["illegal"]["told"] == found["alerts"][0]["told"] == "silent"
    assert found["illegal"]["nearest"] == [] and hands.last("illegal_noticed").nearest


def test_the_clock_face_shows_both_sides_at_their_seats() -> None:
    for home, white_seat in (("south-east", "south"), ("north-west", "north")):
        hands = begun(
            Hands(),
            clock="ours",
            seating={"white": "light", "home": home},
            event={"clock": {"delay": 0}},
        )
        hands.order("start_clocks", side="white")
        seen = face(hands.state, hands.now + 61)
        mine, other = (
            (seen.south, seen.north) if white_seat == "south" else (seen.north, seen.south)
        )
        assert (mine.text, mine.lamp, other.text, other.lamp) == ("1259", Lamp.ON, "1400", Lamp.OFF)
        hands.order("stop_clocks")
        paused = face(hands.state, hands.now + 100)
        assert Lamp.BLINK in (paused.south.lamp, paused.north.lamp)


def test_no_clock_no_face() -> None:
    hands = begun(Hands(), clock="external")
    assert scene_document(hands.state, 0.0)["clock_face"]["south"]["text"] == ""


def test_the_document_is_what_was_agreed() -> None:
    """Every field that pages are promised."""
    hands = begun(Hands(), clock="ours", white="Ana", black="Bo")
    hands.throw(3, 1)
    assert hands.session.evidence is not None
    found: dict[str, Any] = table_document(
        hands.state, hands.now, scene_document(hands.state, hands.now), hands.session.evidence.dice
    )
    said = (
        "schema table seq at phase waits_for match board on_roll dice cube clock plays alerts"
        " sources scene belief"
    )
    promised = set(said.split())
    assert promised <= set(found)
    assert found["schema"] == "takhte-state/1"
    assert set(found["waits_for"]) == {"code", "side", "args"}
    assert set(found["match"]) >= {
        "length",
        "ruleset",
        "options",
        "game",
        "crawford",
        "players",
        "event",
        "result",
    }
    assert set(found["match"]["players"]["white"]) >= {"name", "score", "colour", "illegal"}
    assert set(found["clock"]) >= {"kind", "mode", "white", "black", "running", "as_of"}
    assert set(found["clock"]["white"]) >= {"bank", "delay", "flags"}
    assert [d["value"] for d in found["dice"]["seen"]] == [3, 1] and found["dice"]["roll"] == [3, 1]

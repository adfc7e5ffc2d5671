"""The link against the simulated board, in virtual time, through every fault a cable knows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge import wire
from firmware_bridge.board_spec import reference_board
from firmware_bridge.clock_panel import ClockFace, Lamp, SideFace
from firmware_bridge.frames import WireFrame, encode
from firmware_bridge.lights import Light, LightColour, LightScene, Pattern, led_colours
from firmware_bridge.link import Link, LinkState
from firmware_bridge.link_events import (
    BoardRefused,
    EdgeSeen,
    GapNoted,
    Linked,
    LinkLost,
    Sensed,
    Shown,
    Status,
)
from firmware_bridge.messages import Hello, HelloAsk, pack
from rules.board import Seating
from tests.firmware_bridge.hands import BACKGAMMON as START
from tests.firmware_bridge.wires import Wire, assert_same_presses, of, press_all, wired

SCENE = LightScene(((5, Light(LightColour.SKY)), (25, Light(LightColour.ORANGE, Pattern.BLINK))))


def test_greets_streams_and_shows() -> None:
    w = wired()
    w.simulator.set_placement(START)
    w.link.show(SCENE)
    w.link.face(ClockFace(SideFace("0245", True, Lamp.ON), SideFace("1200", True, Lamp.BLINK), 7))
    w.link.buzz(880, 100)
    events = w.run(2)
    assert len(of(Linked, events)) == 1
    assert [shown.scene for shown in of(Shown, events)] == [SCENE]
    assert len(of(Status, events)) >= 6
    shown = w.simulator.outputs
    assert shown.leds == led_colours(SCENE, w.simulator.board.leds, Seating())
    assert (shown.lit, shown.blink, shown.brightness, shown.tones) == (3, 2, 7, ((880, 100),))
    assert shown.segments == SideFace("0245", True).segments() + SideFace("1200", True).segments()
    assert all(abs(sensed.at - w.now) < 3 for sensed in of(Sensed, events))


def test_a_stalled_host_is_no_lost_board() -> None:
    """Nothing read or ticked for five seconds, presses meanwhile: no LinkLost, every press with its
    own time.
    """
    w = wired()
    w.run(2)
    truth = []
    held = bytearray()
    for n in range(50):
        w.now += 0.1
        held += w.simulator.run(w.now)
        if n in (10, 20, 30):
            w.simulator.press(0, n != 20)
            truth.append((w.now, 0, n != 20))
    events = list(w.link.tick(w.now)) + list(w.link.receive(bytes(held[:4096]), w.now))
    events += w.run(1)
    assert not of(LinkLost, events)
    assert_same_presses(of(EdgeSeen, events), truth)


def test_silence_is_noticed_and_greeted_until_it_ends() -> None:
    w = wired()
    w.run(1)
    w.cut = True
    lost = of(LinkLost, w.run(3))
    assert len(lost) == 1
    assert 1.2 < lost[0].at - 1001.0 < 1.7
    w.run(20)
    assert w.link.state is LinkState.GREETING
    w.cut = False
    assert [linked.resumed for linked in of(Linked, w.run(0.6))] == [True]


def test_a_greeting_that_came_late_does_not_stop_the_stream() -> None:
    """A repeated HELLO_ASK reaches the board after the session began: it stops streaming, and must
    be told again.
    """
    w = wired()
    w.link.show(SCENE)
    w.run(1)
    w.simulator.receive(encode(WireFrame(HelloAsk.TYPE, 250, pack(HelloAsk()))), w.now)
    w.run(0.5)
    before = len(of(Sensed, w.events))
    w.run(1)
    assert len(of(Sensed, w.events)) - before >= 3
    assert not of(LinkLost, w.events)
    assert not of(GapNoted, w.events)


def test_another_program_that_took_the_presses_is_noticed() -> None:
    w = wired()
    w.run(1)
    w.pull()
    other = Wire(w.simulator, Link(reference_board()), now=w.now)
    other.link.opened(other.now)
    other.run(0.5)
    press_all(other, 3)
    w.now = other.now
    w.push_in()
    gaps = of(GapNoted, w.run(1))
    assert [gap.presses_lost for gap in gaps] == [True]
    assert "6 presses" in gaps[0].reason


def test_more_presses_than_the_board_can_keep_are_owned_up_to() -> None:
    w = wired()
    w.run(1)
    w.pull()
    for n in range(40):
        w.now += 0.05
        w.simulator.run(w.now)
        w.simulator.press(0, n % 2 == 0)
        w.simulator.press(1, n % 2 == 0)
    w.push_in()
    events = w.run(3)
    assert len(of(EdgeSeen, events)) == wire.EDGE_QUEUE
    assert any(gap.presses_lost and "16 presses" in gap.reason for gap in of(GapNoted, events))


def test_the_clock_drift_is_learnt() -> None:
    """Half a per cent of an hour is 18 s: the fingers' times must stay true nevertheless."""
    w = wired(7)
    w.run(60)
    w.cut = True
    w.run(0.9)
    w.cut = False
    truth = press_all(w, 2)
    assert_same_presses(of(EdgeSeen, w.events), truth, within=0.01)
    assert abs(w.link.clock.rate * w.simulator.firmware._drift - 1) < 5e-4


HELLO = Hello(
    wire.MAGIC, wire.VERSION, 1, 0, b"12345678", 1, 0, 128, 56, 7, 7, 1, 16_000_000, 200, 900, 1
)
STRANGERS = {
    "silent": (lambda data: b"", "says nothing"),
    "another device": (lambda data: b"$GPGGA,123519,4807.038,N\r\n", "no greeting of ours"),
    "an echo": (lambda data: data, "no greeting of ours"),
    "other firmware": (lambda data: _answer(data, magic=b"dgt!"), "no takhte board"),
    "older firmware": (
        lambda data: _answer(data, protocol=wire.VERSION - 1),
        "takhte board update",
    ),
    "newer firmware": (lambda data: _answer(data, protocol=wire.VERSION + 1), "update takhte"),
    "another board": (lambda data: _answer(data, sensors=256), "256 sensors"),
}


def _answer(data: bytes, **changes: object) -> bytes:
    from dataclasses import replace

    if not data:
        return b""
    changed = replace(HELLO, **changes)  # type: ignore[arg-type]
    return encode(WireFrame(Hello.TYPE, 1, pack(changed)))


@pytest.mark.parametrize("name", STRANGERS)
def test_strangers_are_refused_with_a_reason(name: str) -> None:
    answer, words = STRANGERS[name]
    link, now, refused = Link(reference_board()), 0.0, []
    link.opened(now)
    while now < 6 and not refused:
        now += 0.01
        refused = of(
            BoardRefused,
            list(link.receive(answer(link.data_to_send(now)), now)) + list(link.tick(now)),
        )
    assert refused
    assert words in refused[0].reason
    assert link.data_to_send(now + 1) == b"" or link.state is LinkState.REFUSED


@given(st.lists(st.binary(max_size=300), max_size=20), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_no_bytes_raise(noise: list[bytes], seed: int) -> None:
    w = wired(seed)
    w.run(0.5)
    for piece in noise:
        w.link.receive(piece, w.now)
        w.simulator.receive(piece, w.now)
        w.run(0.02)
    w.run(3)
    assert w.link.state is LinkState.LINKED

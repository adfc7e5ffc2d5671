"""The link against the simulated board, in virtual time, through every fault a cable knows."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware_bridge import wire
from firmware_bridge.board_spec import reference_board
from firmware_bridge.clock_panel import ClockFace, Lamp, SideFace
from firmware_bridge.frames import WireFrame, encode
from firmware_bridge.lights import Light, LightColour, LightScene, Pattern, render
from firmware_bridge.link import GapNoted, Link, Linked, LinkLost, LinkState, Pressed, Refused, Sensed, Shown, Status
from firmware_bridge.messages import Hello, pack
from rules.board import Placement, Seating, Side
from tests.board.wires import Wire, bit_errors, of, wired

START = Placement.of({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5})
SCENE = LightScene(((5, Light(LightColour.SKY)), (25, Light(LightColour.ORANGE, Pattern.BLINK))))


def press_all(wire_: Wire, presses: int, gap: float = 0.05) -> list[tuple[float, int, bool]]:
    """Presses of both buttons by turns; returns what the fingers did."""
    truth = []
    for n in range(presses):
        for down in (True, False):
            wire_.simulator.press(n % 2, down)
            truth.append((wire_.now, n % 2, down))
            wire_.run(gap)
    return truth


def assert_same_presses(got: list[Pressed], truth: list[tuple[float, int, bool]], within: float = 0.02) -> None:
    assert [(p.button, p.down) for p in got] == [(button, down) for _, button, down in truth]
    assert [p.number for p in got] == list(range(got[0].number, got[0].number + len(got)))
    assert max(abs(p.at - at) for p, (at, _, _) in zip(got, truth, strict=True)) < within


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
    assert shown.leds == render(SCENE, w.simulator.board.leds, Seating())
    assert (shown.lit, shown.blink, shown.brightness, shown.tones) == (3, 2, 7, ((880, 100),))
    assert shown.segments == SideFace("0245", True).segments() + SideFace("1200", True).segments()
    assert all(abs(sensed.at - w.now) < 3 for sensed in of(Sensed, events))


def test_a_moved_checker_is_seen_within_a_scan_or_two() -> None:
    w = wired()
    w.simulator.set_placement(START)
    w.run(2)
    before = of(Sensed, w.events)[-1].values
    w.simulator.lift(24, Side.WHITE)
    at = w.now
    moved = [s for s in of(Sensed, w.run(0.2)) if max(abs(a - b) for a, b in zip(s.values, before, strict=True)) > 200]
    assert moved
    assert moved[0].at - at < 0.05


def test_every_press_comes_once_in_order_with_the_fingers_time() -> None:
    w = wired()
    w.run(1)
    truth = press_all(w, 100)
    assert_same_presses(of(Pressed, w.events), truth)


def test_a_noisy_wire_loses_nothing() -> None:
    """Bit errors of 1e-3 both ways: one frame in eight is damaged, a scene of lights takes many tries."""
    w = wired(3)
    rng = random.Random(11)
    w.to_board, w.to_host = bit_errors(rng, 1e-3), bit_errors(rng, 1e-3)
    w.run(2)
    truth = press_all(w, 300, 0.06)
    w.link.show(SCENE)
    w.run(3)
    assert_same_presses(of(Pressed, w.events), truth, within=0.1)
    assert w.simulator.outputs.leds == render(SCENE, w.simulator.board.leds, Seating())
    assert w.link.statistics.damaged > 50
    assert w.link.statistics.retries > 0


def test_cable_pulled_and_back_within_two_seconds_loses_nothing() -> None:
    w = wired()
    w.simulator.set_placement(START)
    w.link.show(SCENE)
    w.run(2)
    w.pull()
    truth = press_all(w, 5, 0.15)
    w.simulator.lift(13, Side.WHITE)
    w.link.show(LightScene())
    w.push_in()
    events = w.run(1.5)
    assert_same_presses(of(Pressed, events), truth)
    assert [linked.resumed for linked in of(Linked, events)] == [True]
    assert [gap.presses_lost for gap in of(GapNoted, events)] == [False]
    assert w.simulator.outputs.leds == render(LightScene(), w.simulator.board.leds, Seating())
    assert of(LinkLost, w.events)


@pytest.mark.parametrize("told", [True, False], ids=["by the port", "not told"])
def test_a_restart_is_noticed_and_the_gap_named(told: bool) -> None:
    w = wired()
    w.link.show(SCENE)
    w.run(2)
    w.simulator.press(0, True)
    w.simulator.restart(wire.CAUSE_BROWN_OUT)
    if told:
        w.pull()
        w.push_in()
    w.simulator.press(1, True)
    at = w.now
    events = w.run(2.5)
    gaps = of(GapNoted, events)
    assert [gap.presses_lost for gap in gaps] == [True]
    assert "brown-out" in gaps[0].reason
    assert gaps[0].since <= at <= gaps[0].until
    assert [(p.button, p.number) for p in of(Pressed, events) if p.at >= at - 0.01][-1] == (1, 1)
    assert w.simulator.outputs.leds == render(SCENE, w.simulator.board.leds, Seating())


def test_a_stalled_host_is_no_lost_board() -> None:
    """Nothing read or ticked for five seconds, presses meanwhile: no LinkLost, every press with its own time."""
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
    assert_same_presses(of(Pressed, events), truth)


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
    assert len(of(Pressed, events)) == wire.EDGE_QUEUE
    assert any(gap.presses_lost and "16 presses" in gap.reason for gap in of(GapNoted, events))


def test_the_clock_drift_is_learnt() -> None:
    """Half a per cent of an hour is 18 s: the fingers' times must stay true nevertheless."""
    w = wired(7)
    w.run(60)
    w.cut = True
    w.run(0.9)
    w.cut = False
    truth = press_all(w, 2)
    assert_same_presses(of(Pressed, w.events), truth, within=0.01)
    assert abs(w.link.clock.rate * w.simulator.firmware._drift - 1) < 5e-4


HELLO = Hello(wire.MAGIC, wire.VERSION, 1, 0, b"12345678", 1, 0, 128, 56, 7, 7, 1, 16_000_000, 200, 900, 1)
STRANGERS = {
    "silent": (lambda data: b"", "says nothing"),
    "another device": (lambda data: b"$GPGGA,123519,4807.038,N\r\n", "no greeting of ours"),
    "an echo": (lambda data: data, "no greeting of ours"),
    "other firmware": (lambda data: _answer(data, magic=b"dgt!"), "no takhte board"),
    "older firmware": (lambda data: _answer(data, protocol=wire.VERSION - 1), "takhte board flash"),
    "newer firmware": (lambda data: _answer(data, protocol=wire.VERSION + 1), "update takhte"),
    "another board": (lambda data: _answer(data, sensors=256), "256 sensors"),
}


def _answer(data: bytes, **changes: object) -> bytes:
    from dataclasses import replace

    return encode(WireFrame(Hello.TYPE, 1, pack(replace(HELLO, **changes)))) if data else b""  # type: ignore[arg-type]


@pytest.mark.parametrize("name", STRANGERS)
def test_strangers_are_refused_with_a_reason(name: str) -> None:
    answer, words = STRANGERS[name]
    link, now, refused = Link(reference_board()), 0.0, []
    link.opened(now)
    while now < 6 and not refused:
        now += 0.01
        refused = of(Refused, list(link.receive(answer(link.data_to_send(now)), now)) + list(link.tick(now)))
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

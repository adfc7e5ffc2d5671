"""One suite for every board: the simulator, the firmware on each emulated chip in lock-step, and
metal when BOARD_PORT names its port.

On metal nobody moves checkers or presses buttons, so only the cases without hands run there (`make
test-board`); `takhte board test` walks a person through the rest.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from typing import get_args

import pytest

from firmware_bridge import wire
from firmware_bridge.board_spec import reference_board
from firmware_bridge.calibration import by_design, from_empty
from firmware_bridge.clock_panel import ClockFace, Lamp, SideFace
from firmware_bridge.lights import Light, LightColour, LightScene, Pattern
from firmware_bridge.link import Link, LinkState
from firmware_bridge.link_events import EdgeSeen, GapNoted, Linked, LinkLost, Sensed, Shown, Status
from firmware_bridge.sensing import Sensing
from firmware_bridge.sensor_health import Health
from firmware_bridge.simulator import Simulator
from rules.board import Side
from rules.observation import Condition
from tests.firmware_bridge.hands import BACKGAMMON
from tests.firmware_bridge.rest import Tally, play_emulated
from tests.firmware_bridge.wires import Wire, assert_same_presses, bit_errors, lit, of, press_all
from tests.hardware.emulated import Chip, EmulatedBoard
from tests.hardware.metal import MetalWire

METAL = os.environ.get("BOARD_PORT")
MEGA, RP2040 = (pytest.param(chip, marks=pytest.mark.board) for chip in get_args(Chip))
CHIPS = [MEGA, RP2040]
MORE_CHIPS = CHIPS if os.environ.get("BOARD_CHIPS") == "all" else [MEGA]
"""The emulated RP2040 takes five times the Mega's time: `make test` runs those cases on it that
nothing else stands for, `make test-chips` all of them."""
HANDS = [pytest.param("simulator"), *MORE_CHIPS]
EVERY = [pytest.param("simulator"), *CHIPS]
ALL = [*HANDS, *([pytest.param("metal", marks=pytest.mark.metal)] if METAL else [])]
SCENE = LightScene(((5, Light(LightColour.SKY)), (25, Light(LightColour.ORANGE))))


@pytest.fixture
def w(request: pytest.FixtureRequest) -> Iterator[Wire]:
    board = reference_board()
    if request.param == "metal":
        assert METAL is not None
        with MetalWire(METAL) as wire_:
            yield wire_
    elif request.param in get_args(Chip):
        with EmulatedBoard(board, 1, chip=request.param) as emulated:
            yield _linked(Wire(emulated, Link(board)))
    else:
        yield _linked(Wire(Simulator(board, 1), Link(board)))


def _linked(wire_: Wire) -> Wire:
    wire_.link.opened(wire_.now)
    return wire_


@pytest.mark.parametrize("w", ALL, indirect=True)
def test_greets_streams_and_shows(w: Wire) -> None:
    w.link.show(SCENE)
    w.link.face(ClockFace(SideFace("0245", True, Lamp.ON), SideFace("1200", True), 7))
    events = w.run(2)
    assert len(of(Linked, events)) == 1
    assert [shown.scene for shown in of(Shown, events)] == [SCENE]
    assert len(of(Status, events)) >= 6
    assert of(Sensed, events)
    status = of(Status, events)[-1].status
    assert status.rx_bad == status.rx_overrun == status.tx_dropped == 0
    assert w.link.statistics.damaged == w.link.statistics.frames_missed == 0


@pytest.mark.parametrize("w", EVERY, indirect=True)
def test_lights_lamps_and_displays_show_what_was_asked(w: Wire) -> None:
    w.link.show(SCENE)
    w.link.face(ClockFace(SideFace("0245", True, Lamp.ON), SideFace("1200", True), 7))
    w.run(1.5)
    shown = w.simulator.outputs
    assert lit(shown.leds) == lit(SCENE, w)
    assert (shown.lit, shown.brightness) == (1, 7)
    assert shown.segments == SideFace("0245", True).segments() + SideFace("1200", True).segments()


@pytest.mark.parametrize("w", ALL, indirect=True)
def test_every_pattern_and_full_brightness_stay_within_the_cap(w: Wire) -> None:
    everything = LightScene(
        tuple((site, Light(LightColour.WHITE, Pattern.STEADY)) for site in range(26))
    )
    w.link.show(everything)
    w.run(1)
    assert of(Status, w.run(1))[-1].status.led_ma <= reference_board().leds.cap_ma
    for pattern in Pattern:
        w.link.show(LightScene(((1, Light(LightColour.GREEN, pattern)),)))
        assert of(Shown, w.run(0.5))


@pytest.mark.parametrize("w", HANDS, indirect=True)
def test_every_sensor_is_wired_where_the_map_says(w: Wire) -> None:
    """One checker above each sensor in turn (every seventh here): that one answers most."""
    w.run(1.2)
    board = w.simulator.board
    empty = of(Sensed, w.events)[-1].values
    for number in [
        n for n, place in enumerate(board.sensors.places) if place.role in ("point", "bar")
    ][::7]:
        w.simulator.table.put_on_sensor(number)
        values = of(Sensed, w.run(0.4))[-1].values
        changes = [abs(a - b) for a, b in zip(values, empty, strict=True)]
        assert max(range(len(changes)), key=changes.__getitem__) == number
        assert changes[number] > 400
        w.simulator.table.clear()
    divider = board.sensors.divider
    assert divider is not None
    assert abs(empty[divider] - 2046) < 50


@pytest.mark.parametrize("w", EVERY, indirect=True)
def test_a_moved_checker_is_seen_within_a_scan_or_two(w: Wire) -> None:
    w.simulator.set_placement(BACKGAMMON)
    w.run(1.5)
    before = of(Sensed, w.events)[-1].values
    w.simulator.lift(24, Side.WHITE)
    at = w.now
    moved = [
        s
        for s in of(Sensed, w.run(0.2))
        if max(abs(a - b) for a, b in zip(s.values, before, strict=True)) > 200
    ]
    assert moved
    assert moved[0].at - at < 0.05


@pytest.mark.parametrize("w", EVERY, indirect=True)
def test_every_press_comes_once_in_order_with_the_fingers_time(w: Wire) -> None:
    w.run(1)
    truth = press_all(w, 20, buttons=wire.BUTTONS)
    assert_same_presses(of(EdgeSeen, w.events), truth)


@pytest.mark.parametrize("w", HANDS, indirect=True)
def test_a_noisy_wire_loses_nothing(w: Wire) -> None:
    """Bit errors of 1e-3 both ways: one frame in eight is damaged, a scene of lights takes many
    tries.
    """
    rng = random.Random(11)
    w.to_board, w.to_host = bit_errors(rng, 1e-3), bit_errors(rng, 1e-3)
    w.run(2)
    truth = press_all(w, 60, 0.04)
    w.link.show(SCENE)
    w.run(2)
    assert_same_presses(of(EdgeSeen, w.events), truth, within=0.1)
    assert lit(w.simulator.outputs.leds) == lit(SCENE, w)
    assert w.link.statistics.damaged > 20
    assert w.link.statistics.retries > 0


@pytest.mark.parametrize("w", HANDS, indirect=True)
def test_cable_pulled_and_back_within_two_seconds_loses_nothing(w: Wire) -> None:
    w.simulator.set_placement(BACKGAMMON)
    w.link.show(SCENE)
    w.run(2)
    w.pull()
    truth = press_all(w, 5, 0.15)
    w.simulator.lift(13, Side.WHITE)
    w.link.show(LightScene())
    w.push_in()
    events = w.run(1.5)
    assert_same_presses(of(EdgeSeen, events), truth)
    assert [linked.resumed for linked in of(Linked, events)] == [True]
    assert [gap.presses_lost for gap in of(GapNoted, events)] == [False]
    assert lit(w.simulator.outputs.leds) == lit(LightScene(), w)
    assert of(LinkLost, w.events)


@pytest.mark.parametrize("w", HANDS, indirect=True)
@pytest.mark.parametrize("told", [True, False], ids=["by the port", "not told"])
def test_a_restart_is_noticed_and_the_gap_named(w: Wire, told: bool) -> None:
    w.link.show(SCENE)
    w.run(2)
    w.simulator.press(0, True)
    w.simulator.restart(wire.CAUSE_EXTERNAL)
    if told:
        w.pull()
        w.push_in()
    w.run(0.15)
    w.simulator.press(1, True)
    at = w.now
    events = w.run(2.5)
    gaps = of(GapNoted, w.events)
    assert [gap.presses_lost for gap in gaps] == [True]
    assert "reset line" in gaps[0].reason
    assert [p.button for p in of(EdgeSeen, events) if p.at >= at - 0.01] == [1]
    assert lit(w.simulator.outputs.leds) == lit(SCENE, w)


@pytest.mark.parametrize("w", ALL, indirect=True)
def test_a_reset_on_command_is_noticed_and_the_stream_resumes(w: Wire) -> None:
    w.run(1)
    assert w.link.hello is not None
    uid, nonce = w.link.hello.uid, w.link.hello.nonce
    w.link.reset_board()
    events = w.run(6 if isinstance(w, MetalWire) else 2.5)
    assert w.link.state is LinkState.LINKED
    assert w.link.hello.uid == uid
    assert w.link.hello.nonce != nonce
    assert any(gap.presses_lost for gap in of(GapNoted, events))


@pytest.mark.parametrize("w", ALL, indirect=True)
def test_clock_sync_is_tight(w: Wire) -> None:
    w.run(3)
    assert w.link.clock.ready
    at, doubt = w.link.clock.host_time(of(Status, w.events)[-1].status.ms)
    assert doubt < 0.02
    assert w.now - 1 < at < w.now + doubt


@pytest.mark.parametrize("w", MORE_CHIPS, indirect=True)
def test_bouncing_contacts_make_one_press(w: Wire) -> None:
    w.run(1)
    at = w.now
    w.simulator.tell("bounce 0 1")
    w.run(0.1)
    w.simulator.tell("press 1 1")
    w.run(0.003)
    w.simulator.tell("press 1 0")
    w.run(0.1)
    got = of(EdgeSeen, w.events)
    assert [(p.button, p.down) for p in got] == [(0, True)]
    assert abs(got[0].at - at) < 0.02


@pytest.mark.parametrize("w", CHIPS, indirect=True)
def test_the_strip_gets_good_timing_and_the_uart_no_overruns_under_load(w: Wire) -> None:
    """Scenes and moves as fast as they go: every WS2812 bit within its data sheet, no byte lost at
    the chip.
    """
    w.simulator.set_placement(BACKGAMMON)
    w.run(1)
    shown = 0
    for n in range(25):
        colour = list(LightColour)[n % 8]
        w.link.show(LightScene(tuple((site, Light(colour)) for site in range(1, 25))))
        w.simulator.put(1 + n % 24, Side.WHITE)
        shown += len(of(Shown, w.run(0.1)))
    counts = w.simulator.counts()
    assert shown >= 20
    assert counts["overruns"] == counts["strip_bad"] == 0
    assert 4 <= counts["zero_min"] <= counts["zero_max"] <= 6
    assert 10 <= counts["one_min"] <= counts["one_max"] <= 16
    assert counts["longest_low"] < 16 * 5, "older strips latch after 5 us"
    assert counts["joined"] == 0, "AVCC selected: the Mega's and the sensors' supply are joined"


@pytest.mark.parametrize("w", MORE_CHIPS, indirect=True)
def test_only_the_sensors_own_supply_counts(w: Wire) -> None:
    """The Mega hangs on the USB alone: neither a sagging star nor a sagging USB shifts a sensor."""
    w.simulator.set_placement(BACKGAMMON)
    w.run(1.5)
    before = of(Sensed, w.events)[-1].values
    for command in ("rail 4700", "avcc 4650", "rail 5250"):
        w.simulator.tell(command)
        after = of(Sensed, w.run(0.6))[-1].values
        assert max(abs(a - b) for a, b in zip(after, before, strict=True)) <= 8, command


@pytest.mark.parametrize("w", MORE_CHIPS, indirect=True)
def test_the_strips_ripple_moves_no_checker(w: Wire) -> None:
    """As large as hardware/spice/supply.cir has it when all LEDs blink at once: the board rests,
    the position is read as before, and no sensor is named."""
    w.simulator.set_placement(BACKGAMMON)
    w.run(1.5)
    sensing = Sensing(reference_board(), by_design(reference_board()))
    quiet = of(Sensed, w.run(2.0))
    before = [sensing.observe(e.values, e.at, e.number) for e in quiet][-1]
    w.simulator.tell("ripple 59 430")
    blinking = of(Sensed, w.run(4.0))
    seen = [sensing.observe(e.values, e.at, e.number) for e in blinking]
    assert {s.condition for s in seen[len(seen) // 2 :]} == {Condition.AT_REST}
    assert sensing.health().bad == ()
    assert seen[-1].most_likely() == before.most_likely()
    off = [max(map(abs, map(int.__sub__, e.values, quiet[-1].values))) for e in blinking]
    assert 2 < max(off) <= 16, "it is felt, by less than a fortieth of a checker"


@pytest.mark.parametrize("w", MORE_CHIPS, indirect=True)
def test_an_open_joint_reads_nought_by_the_pull_down(w: Wire) -> None:
    """Without the pull-down its line keeps the channel before's charge: the board looks sound."""
    joints = (33, 92, 101)
    for number in joints:
        w.simulator.tell(f"open {number} 1")
    _, faults = from_empty(reference_board(), _scans(w), "")
    assert [fault.sensor for fault in faults] == list(joints)
    assert all("unsoldered" in fault.what for fault in faults)
    w.simulator.tell("pulldown 0")
    _, faults = from_empty(reference_board(), _scans(w), "")
    assert faults == ()


@pytest.mark.parametrize("w", CHIPS, indirect=True)
def test_sensors_that_stand_still_restart_the_board(w: Wire) -> None:
    """A converter that ends no scan any more: the watchdog bites, and the restart is told."""
    w.run(1.5)
    w.simulator.tell("stall")
    events = w.run(4)
    assert any("watchdog" in gap.reason for gap in of(GapNoted, events)), events
    assert of(Sensed, w.run(1.5)), "and the scans go on"


def _scans(w: Wire) -> list[tuple[int, ...]]:
    w.run(1.5)
    return [sensed.values for sensed in of(Sensed, w.run(4))]


def test_lock_step_is_the_same_every_time() -> None:
    streams = []
    for _ in range(2):
        with EmulatedBoard(reference_board(), 5) as board:
            wire_ = _linked(Wire(board, Link(reference_board())))
            heard: list[bytes] = []

            def overheard(data: bytes, heard: list[bytes] = heard) -> bytes:
                heard.append(data)
                return data

            wire_.to_host = overheard
            board.set_placement(BACKGAMMON)
            wire_.run(0.7)
            board.press(0, True)
            board.lift(6, Side.WHITE)
            wire_.run(0.7)
            streams.append(b"".join(heard))
    assert streams[0] == streams[1]
    assert len(streams[0]) > 500


@pytest.mark.board
@pytest.mark.parametrize("narde", [False, True], ids=["backgammon", "narde"])
def test_a_game_is_followed_by_moving_emulated_checkers(narde: bool) -> None:
    """Firmware, wire, link and sensing together; thousands of positions are measured by `make
    bench-board`.
    """
    tally = Tally()
    play_emulated(31 + narde, 8, tally, narde=narde)
    assert tally.positions == 9
    assert tally.wrong_conserving == tally.wrong_after == 0


@pytest.mark.parametrize("w", MORE_CHIPS, indirect=True)
def test_faults_of_the_circuits_are_seen_as_what_they_are(w: Wire) -> None:
    """A sensor line that hangs, another that is noisy: stuck and noisy, each by its own number, and
    no other.
    """
    w.run(1.5)
    sensing = Sensing(reference_board(), by_design(reference_board()))
    w.simulator.tell("stick 37 0")
    w.simulator.tell("noise 45")
    for event in of(Sensed, w.run(1.0)):
        sensing.observe(event.values, event.at, event.number)
    health = sensing.health()
    assert health.health[37] is Health.STUCK
    assert sum(state is Health.NOISY for state in health.health) > 60
    w.simulator.tell("noise 1")
    w.simulator.tell("stick 37 -1")
    for event in of(Sensed, w.run(8.0)):
        sensing.observe(event.values, event.at, event.number)
    assert sensing.health().bad == ()

"""Faults that no single value shows: rows that lie, noise, a sensor that the record contradicts."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from firmware_bridge import wire
from firmware_bridge.board_spec import reference_board
from firmware_bridge.findings import SensorFinding
from firmware_bridge.greeting import lacking, stranger
from firmware_bridge.link import Link
from firmware_bridge.link_events import LevelsSeen, Sensed
from firmware_bridge.messages import Hello
from firmware_bridge.sensing import Sensing
from firmware_bridge.sensor_health import Health
from firmware_bridge.simulator import Simulator, factory_calibration
from rules.board import POINTS, Placement, Side
from rules.observation import Condition
from tests.firmware_bridge.faulty import SOON_S, freezes, play_faulty, touches
from tests.firmware_bridge.hands import BACKGAMMON
from tests.firmware_bridge.rest import scan, settle
from tests.firmware_bridge.wires import Wire, of, wired
from tests.hardware.emulated import EmulatedBoard

BOARD = reference_board()


def calibrated(seed: int) -> tuple[Simulator, Sensing]:
    simulator = Simulator(BOARD, seed)
    return simulator, Sensing(BOARD, factory_calibration(simulator))


def _row(number: int) -> range:
    return range(16 * number, 16 * number + 16)


ROWS = {
    "no supply": (1, lambda v: dict.fromkeys(_row(1), 2500.0), "one voltage"),
    "SIG off at a checker's level": (1, lambda v: dict.fromkeys(_row(1), 1200.0), "one voltage"),
    "no ground": (0, lambda v: dict.fromkeys(_row(0), 3100.0), "one voltage"),
    "select S0 off": (2, lambda v: {n: v[n & ~1] for n in _row(2)}, "S0 is off"),
    "select S3 off": (7, lambda v: {n: v[n & ~8] for n in _row(7)}, "S3 is off"),
    "two SIG wires touch": (3, lambda v: {n: v[n - 16] for n in _row(3)}, "touch"),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("laid", [Placement.of({}, {}), BACKGAMMON], ids=["empty", "start"])
def test_a_multiplexer_that_lies_is_named_and_not_believed(name: str, laid: Placement) -> None:
    row, spoil, words = ROWS[name]
    simulator, sensing = calibrated(12)
    simulator.set_placement(laid)
    noise = np.random.default_rng(1)
    sound = simulator.table.millivolts()
    for number, mv in spoil(sound).items():
        simulator.table.wreck(number, float(mv))
    for t in range(8):
        seen = sensing.observe(scan(simulator, noise), t / 4)
    assert f"multiplexer {row} " in seen.note
    assert words in seen.note
    points = {simulator.board.sensors.places[n].site for n in list(_row(row))[:15]}
    assert not points & {reading.site for reading in seen.sites}


@pytest.mark.parametrize("seed", range(6))
def test_sound_boards_have_no_row_faults(seed: int) -> None:
    simulator, sensing = calibrated(seed)
    noise, rng = np.random.default_rng(seed), random.Random(seed)
    now = 0.0
    for _ in range(12):
        n = rng.sample([*POINTS], 10)
        simulator.set_placement(
            Placement.of(
                {p: rng.randint(1, 3) for p in n[:5]}, {p: rng.randint(1, 3) for p in n[5:]}
            )
        )
        for _ in range(4):
            now += 0.3
            seen = sensing.observe(scan(simulator, noise), now)
        assert seen.note == ""


def test_noise_that_lets_the_board_never_rest_is_said_and_lived_with() -> None:
    """White noise of 12 mV: not a sensor is noisy by itself, and the table would see nothing."""
    wire_ = wired(3)
    simulator = wire_.simulator
    simulator.firmware._noise = 12.0
    simulator.set_placement(BACKGAMMON)
    sensing = Sensing(BOARD, factory_calibration(simulator))
    seen = [sensing.observe(e.values, e.at, e.number) for e in of(Sensed, wire_.run(7))]
    assert "all sensors are noisy" in seen[-1].note
    assert [s.condition for s in seen[-20:]].count(Condition.AT_REST) > 15


def test_a_busy_hand_is_not_taken_for_noise() -> None:
    wire_ = wired(3)
    simulator = wire_.simulator
    simulator.set_placement(BACKGAMMON)
    sensing = Sensing(BOARD, factory_calibration(simulator))
    rng = random.Random(1)
    notes = set()
    for _ in range(60):
        side = rng.choice(list(Side))
        counts = simulator.placement().counts(side)
        simulator.lift(rng.choice([p for p in POINTS if counts[p]]), side)
        simulator.put(rng.randint(1, 24), side)
        for e in of(Sensed, wire_.run(0.25)):
            notes.add(sensing.observe(e.values, e.at, e.number).note)
    assert not any("noisy" in note for note in notes)


def test_a_frozen_sensor_is_put_aside_when_the_record_contradicts_it_twice() -> None:
    """It shows a checker that has gone: 0.96 sure of it, until the record has said twice that the
    point is empty."""
    simulator, sensing = calibrated(12)
    simulator.set_placement(Placement.of({5: 1}, {20: 2}))
    frozen = max(
        BOARD.sensors.of_point(5), key=lambda n: abs(simulator.table.millivolts()[n] - 2500)
    )
    simulator.table.wreck(frozen, float(simulator.table.millivolts()[frozen]))
    truth = Placement.of({9: 1}, {20: 2})
    simulator.set_placement(truth)
    noise = np.random.default_rng(1)
    _, now = settle(sensing, simulator, noise, 0.0)
    sensing.disputed(truth)
    assert sensing.health().bad == (), "a hand may have been quicker than the record"
    _, now = settle(sensing, simulator, noise, now)
    sensing.disputed(truth)
    assert sensing.health().bad == (frozen,)
    seen, _ = settle(sensing, simulator, noise, now)
    assert seen.most_likely() == truth


FROZEN_OR_TOUCHING = {"frozen under four": 41, "frozen under one": 57, "touching": 99}


@pytest.mark.parametrize("name", FROZEN_OR_TOUCHING)
def test_a_sensor_that_lies_among_checkers_is_named_soon(name: str) -> None:
    """Points that are neither empty nor full: odds of the site without the sensor tell."""
    seed = FROZEN_OR_TOUCHING[name]
    rng = random.Random(seed)
    outcome = play_faulty(4000 + seed, [(touches if name == "touching" else freezes)(rng)], 8)
    assert outcome.named
    assert outcome.wrong_for <= SOON_S


def test_more_checkers_than_there_are_is_said() -> None:
    simulator, sensing = calibrated(4)
    simulator.set_placement(Placement.of(dict.fromkeys(range(1, 10), 2), {20: 2}))
    seen, now = settle(sensing, simulator, np.random.default_rng(1), 0.0)
    assert "at least 18 checkers of White, 15 there are" in seen.note
    simulator.set_placement(BACKGAMMON)
    assert settle(sensing, simulator, np.random.default_rng(1), now)[0].note == ""


def emulated() -> Wire:
    wire_ = Wire(EmulatedBoard(BOARD, 5), Link(BOARD))
    wire_.link.opened(wire_.now)
    return wire_


def levels_heard(wire_: Wire, seconds: float) -> Sensing:
    """What a sensing makes of the next seconds, on the board's own sensors."""
    sensing = Sensing(BOARD, factory_calibration(Simulator(BOARD, 5)))
    for event in wire_.run(seconds):
        match event:
            case LevelsSeen():
                sensing.hear_levels(event.values)
            case Sensed():
                sensing.observe(event.values, event.at)
    return sensing


def test_every_multiplexer_lets_go_in_every_scan() -> None:
    """Firmware and emulated circuit: a line that hangs on a voltage of its own for 20 ms, between
    two scans' other steps or not, is reported; a sound one never is."""
    wire_ = emulated()
    with wire_.simulator as board:
        wire_.run(2.0)
        assert wire_.link.hello is not None
        assert wire_.link.hello.features & wire.FEATURE_LEVELS
        assert levels_heard(wire_, 1.5).health().rows == ()
        for line in (0, 3):
            board.tell(f"hold {line} 1200")
            told = map(str, levels_heard(wire_, 1.5).health().rows)
            (words,) = [w for w in told if f"r {line} " in w]
            assert "does not let go" in words or "one voltage" in words
            board.tell(f"hold {line} -1")
        wire_.run(0.6)
        board.tell("neveroff 1")
        health = levels_heard(wire_, 1.5).health()
        assert health.rows == (SensorFinding.of("never_off"),)
        assert all(state is Health.GOOD for state in health.health)


def test_a_board_that_cannot_check_its_multiplexers_is_linked_and_said() -> None:
    hello = Hello(b"tkht", 3, 0x0101, 0, bytes(8), 1, 0, 128, 56, 7, 7, 1, 16_000_000, 200, 900, 0)
    assert stranger(hello, BOARD) == ""
    old = replace(hello, firmware=0x0100)
    assert stranger(old, BOARD) == ""
    assert "firmware 1.0 measures against the chip's own supply" in lacking(old)
    assert "firmware 1.1 does not check its multiplexers" in lacking(hello)
    assert lacking(replace(hello, features=15)) == ""

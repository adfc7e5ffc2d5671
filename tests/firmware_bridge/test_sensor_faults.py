"""Faults that no single value shows: rows that lie, noise, a sensor that the record contradicts."""

from __future__ import annotations

import random

import numpy as np
import pytest

from firmware_bridge.board_spec import reference_board
from firmware_bridge.link_events import Sensed
from firmware_bridge.sensing import Sensing
from firmware_bridge.simulator import Simulator, factory_calibration
from rules.board import POINTS, Placement, Side
from rules.observation import Condition
from tests.firmware_bridge.hands import BACKGAMMON
from tests.firmware_bridge.rest import scan, settle
from tests.firmware_bridge.wires import of, wired

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
        n = rng.sample([*POINTS], 12)
        simulator.set_placement(
            Placement.of(
                {p: rng.randint(1, 5) for p in n[:6]}, {p: rng.randint(1, 5) for p in n[6:]}
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
    seen = [sensing.observe(e.values, e.at, e.number) for e in of(Sensed, wire_.run(15))]
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

"""Calibration: what it finds, what it refuses, whose it is."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from firmware_bridge.board_spec import reference_board
from firmware_bridge.calibration import (
    Calibration,
    by_design,
    from_empty,
    from_json,
    from_placement,
    gap_of,
    settled_gains,
    whole_board,
    with_gain,
)
from firmware_bridge.errors import CalibrationError
from firmware_bridge.physics import counts_per_mv, one_checker_mv
from firmware_bridge.sensing import Sensing
from firmware_bridge.simulated_table import SimulatedTable
from firmware_bridge.simulator import Simulator, factory_calibration
from rules.board import Placement, Seating
from tests.firmware_bridge.hands import BACKGAMMON
from tests.firmware_bridge.rest import empties, settle

BOARD = reference_board()


def test_the_start_position_is_calibration_enough_for_owners_and_single_layers() -> None:
    simulator = Simulator(BOARD, 13)
    found, faults = from_empty(BOARD, empties(simulator), "ab")
    assert not faults
    simulator.set_placement(BACKGAMMON)
    found = from_placement(BOARD, found, empties(simulator, 8), BACKGAMMON, Seating())
    true = simulator.table.gains * one_checker_mv(BOARD) * counts_per_mv(BOARD)
    used = list(BOARD.sensors.of_point(6))
    assert max(abs(found.gains[n] / true[n] - 1) for n in used) < 0.15
    simulator.set_placement(Placement.of({20: 3}, {10: 2, 9: 1}))
    seen, _ = settle(Sensing(BOARD, found), simulator, np.random.default_rng(1), 0.0)
    assert seen.most_likely() == Placement.of({20: 3}, {10: 2, 9: 1})


def test_guided_gains_are_those_of_the_parts() -> None:
    simulator = Simulator(BOARD, 14)
    found = factory_calibration(simulator)
    true = simulator.table.gains * one_checker_mv(BOARD) * counts_per_mv(BOARD)
    real = [n for n, place in enumerate(BOARD.sensors.places) if place.role == "point"]
    ratio = np.array([found.gains[n] / true[n] for n in real])
    assert ratio.std() < 0.01
    assert found.uid == simulator.firmware.uid.hex()


FAULTS = {
    "dead": (lambda s: s.table.wreck(17, 0.0), 17, "dead"),
    "magnet left": (lambda s: s.table.put_on_sensor(40), 40, "from the middle"),
    "divider": (
        lambda s: s.table.wreck(BOARD.sensors.divider, 900.0),
        BOARD.sensors.divider,
        "multiplexer counts wrong",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_an_empty_board_shows_its_faults(name: str) -> None:
    spoil, sensor, words = FAULTS[name]
    simulator = Simulator(BOARD, 15)
    spoil(simulator)
    _, faults = from_empty(BOARD, empties(simulator), "ab")
    assert [(f.sensor, words in f.what) for f in faults if f.sensor == sensor] == [(sensor, True)]


def test_noise_is_a_fault_of_its_own() -> None:
    simulator = Simulator(BOARD, 15)
    rng = random.Random(1)
    scans = [
        [v + (rng.randint(-60, 60) if n == 33 else 0) for n, v in enumerate(s)]
        for s in empties(simulator)
    ]
    _, faults = from_empty(BOARD, scans, "ab")
    assert [f.sensor for f in faults] == [33]
    assert "noise" in faults[0].what


def test_files_are_read_back_and_refused_when_foreign_damaged_or_nonsense() -> None:
    good = factory_calibration(Simulator(BOARD, 16))
    text = good.to_json()
    back = from_json(text, good.uid)
    assert np.allclose(back.gains, good.gains, atol=0.01)
    with pytest.raises(CalibrationError, match="no two boards are alike"):
        from_json(text, "00" * 8)
    first = json.loads(text)["gains"][0]
    with pytest.raises(CalibrationError, match="damaged"):
        from_json(text.replace(str(first), str(first + 1), 1), good.uid)
    for nonsense in ("", "{}", "[]", "null", '{"checksum": 1}', text[:-40], "\x00" * 50):
        with pytest.raises(CalibrationError):
            from_json(nonsense, good.uid)


def test_a_gain_must_be_that_of_one_checker() -> None:
    simulator = Simulator(BOARD, 17)
    base, _ = from_empty(BOARD, empties(simulator), "ab")
    with pytest.raises(CalibrationError, match="right way up"):
        with_gain(BOARD, base, 3, empties(simulator)[0])
    simulator.table.put_on_sensor(3, light=False)
    with pytest.raises(CalibrationError):
        with_gain(BOARD, base, 3, empties(simulator)[0])
    assert with_gain(BOARD, base, 3, empties(simulator)[0], light=False).gains[3] > 0


def test_the_start_position_must_be_there() -> None:
    simulator = Simulator(BOARD, 18)
    base, _ = from_empty(BOARD, empties(simulator), "ab")
    simulator.set_placement(Placement.of({1: 2, 12: 5, 17: 3, 19: 5}, {24: 2, 13: 5, 8: 3, 6: 5}))
    with pytest.raises(CalibrationError, match="light and dark"):
        from_placement(BOARD, base, empties(simulator, 8), BACKGAMMON, Seating())


@pytest.mark.parametrize(
    "bad",
    [
        {"zeros": (1.0,)},
        {"gains": (0.0,) * 128},
        {"noises": (float("nan"),) * 128},
        {"fit": "glued"},
    ],
)
def test_impossible_calibrations_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(CalibrationError):
        replace(by_design(BOARD), **bad)  # type: ignore[arg-type]


def test_too_few_scans_or_sensors_are_refused() -> None:
    with pytest.raises(CalibrationError, match="too few"):
        from_empty(BOARD, [[0] * 128] * 3, "ab")
    with pytest.raises(CalibrationError, match="128 sensors"):
        from_empty(BOARD, [[0] * 64] * 16, "ab")
    with pytest.raises(CalibrationError):
        Sensing(BOARD, Calibration("", (1.0,), (1.0,), (1.0,)))
    with pytest.raises(CalibrationError):
        Sensing(BOARD, by_design(BOARD)).observe([0] * 12, 0.0)


@pytest.mark.parametrize("gap", [3.5, 4.3, 5.3, 8.0, 11.0])
def test_guided_calibration_learns_the_gap_of_the_board_as_built(gap: float) -> None:
    """Every sensor's gain is taken, whatever was glued between magnet and sensor; a checker beside
    the spot and two at once are refused once the board's own answer is known."""
    built = replace(BOARD, sensor=replace(BOARD.sensor, gap=gap))
    table = SimulatedTable(built, np.random.default_rng(int(gap * 10)))
    unit = counts_per_mv(BOARD)

    def scan() -> list[int]:
        return [round(float(v)) for v in table.millivolts() * unit]

    found, faults = from_empty(BOARD, [scan()] * 8, "ab")
    assert not faults
    learnt: dict[int, float] = {}
    sensors = [n for n, place in enumerate(BOARD.sensors.places) if place.role == "point"]
    for number in sensors[:30]:
        table.put_on_sensor(number)
        found = with_gain(BOARD, found, number, scan(), learnt=learnt)
        learnt[number] = found.gains[number]
        table.clear()
    found, odd = settled_gains(BOARD, found, learnt)
    assert odd == ()
    whole = whole_board(BOARD, learnt)
    assert whole is not None
    assert gap_of(BOARD, whole) == pytest.approx(gap, abs=0.35)
    design = one_checker_mv(BOARD) * unit
    assert found.gains[sensors[100]] == pytest.approx(whole * design)
    for part in (0.4, 1.7):
        values = scan()
        values[7] = round(found.zeros[7] + part * whole * design)
        with pytest.raises(CalibrationError, match="the only one"):
            with_gain(BOARD, found, 7, values, learnt=learnt)


def test_a_wrong_answer_among_the_first_is_found_when_the_board_is_known() -> None:
    design = one_checker_mv(BOARD) * counts_per_mv(BOARD)
    found, odd = settled_gains(
        BOARD, by_design(BOARD), {0: design * 0.7, **dict.fromkeys(range(1, 7), design * 1.6)}
    )
    assert odd == (0,)
    assert found.gains[0] == pytest.approx(design * 1.6)

"""Faults that no single value shows, as pure functions of one scan.

`row_faults` and `level_faults` know nothing of what lies on the board: a multiplexer that answers
with one voltage, that does not count, that hangs on another, or whose known level is off.
`too_many` counts the checkers. What the record says stands there, `disputes` holds against them.

Two bought sensors never have the same zero (20 mV apart, 16 wire units, and 3 % in gain), so values
that agree all along a row are one voltage seen twice. Who asks wants it
to hold for some scans before believing it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.findings import SensorFinding
from firmware_bridge.physics import F64, counts_per_mv
from rules.observation import SiteReading

ALIKE: Final = 4.0
"""Values that differ by no more (wire units) may be one voltage: an ADC step and its noise."""
GROUND_MV: Final = 100.0
"""A grounded channel reads no more."""
UNLIKELY: Final = 0.01
"""A count less likely than this is not reckoned with."""


def row_faults(board: BoardSpec, raw: F64) -> dict[int, SensorFinding]:
    """Multiplexer -> what is wrong with it; sound ones are absent."""
    rows = board.multiplexers
    scan = raw.reshape(rows, -1)
    channels = scan.shape[1]
    found: dict[int, SensorFinding] = {}
    for row in range(rows):
        fault = _row_fault(row, scan[row]) or _level_fault(board, row, scan[row])
        if fault is not None:
            found[row] = fault
    for row in range(rows):
        for other in range(row + 1, rows):
            alike = np.abs(scan[row] - scan[other]) <= ALIKE
            # The extra channel may be grounded on both.
            if row not in found and other not in found and alike.sum() >= channels - 1:
                found[row] = SensorFinding.of("same_as_another", row=row, other=other)
                found[other] = SensorFinding.of("same_as_another", row=other, other=row)
    return found


def _row_fault(row: int, values: F64) -> SensorFinding | None:
    """One voltage on the whole row, or every channel twice."""
    if np.ptp(values) <= ALIKE:
        return SensorFinding.of("one_voltage", row=row)
    channels = np.arange(len(values))
    for line in range(4):
        if np.all(np.abs(values - values[channels ^ (1 << line)]) <= ALIKE):
            return SensorFinding.of("channels_twice", row=row, line=line)
    return None


def _level_fault(board: BoardSpec, row: int, values: F64) -> SensorFinding | None:
    """What is wrong with the row's channel of known level, where it has one."""
    places = board.sensors.places[row * len(values) : (row + 1) * len(values)]
    unit = counts_per_mv(board)
    for channel, place in enumerate(places):
        mv = float(values[channel]) / unit
        if place.role == "spare" and mv > GROUND_MV:
            return SensorFinding.of("channel_not_grounded", row=row, channel=channel, mv=round(mv))
        if place.role == "divider" and abs(mv - board.divider_mv) > board.divider_tolerance_mv:
            wanted = round(board.divider_mv)
            return SensorFinding.of("divider_off", row=row, mv=round(mv), wanted=wanted)
    return None


def level_faults(board: BoardSpec, levels: Sequence[float]) -> dict[int, SensorFinding]:
    """Multiplexer -> what is wrong with it, from what its line read (wire units) while all were
    switched off: the pull-down must then hold it at ground."""
    mv = [value / counts_per_mv(board) for value in levels]
    return {
        row: SensorFinding.of("not_let_go", row=row, mv=round(mv[row]))
        for row in range(len(mv))
        if mv[row] > GROUND_MV
    }


def too_many(per_side: int, readings: Sequence[SiteReading]) -> str:
    """Why these sites cannot all be read right: together they hold more checkers of one side than
    there are, even where each holds as few as it may; empty where they can."""
    for name, side in (("White", 0), ("Black", 1)):
        least = sum(_least(reading, side) for reading in readings)
        if least > per_side:
            return (
                f"the board reads at least {least} checkers of {name}, {per_side} there are: a"
                " sensor or multiplexer lies"
            )
    return ""


def _least(reading: SiteReading, side: int) -> int:
    """The fewest checkers of a side that a site may hold, but for a chance of `UNLIKELY`."""
    left = UNLIKELY * sum(p for _, _, p in reading.outcomes)
    by_count = sorted(((white, black)[side], p) for white, black, p in reading.outcomes)
    for count, p in by_count:
        left -= p
        if left < 0:
            return count
    return 0

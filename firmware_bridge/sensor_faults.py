"""Faults that no single value shows, as pure functions of one scan.

`row_faults` knows nothing of what lies on the board: a multiplexer that answers with one voltage,
that does not count, that hangs on another, or whose grounded channel is not at ground.
`contradicting` is told what stands there.

Two bought sensors never have the same zero (20 mV apart, 16 wire units, and 3 % in gain), so values
that agree all along a row are one voltage seen twice. Who asks wants it
to hold for some scans before believing it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.physics import F64, counts_per_mv
from rules.board import BAR, POINTS, Colour, Placement, Seating

ALIKE: Final = 4.0
"""Values that differ by no more (wire units) may be one voltage: an ADC step and its noise."""
GROUND_MV: Final = 100.0
"""A grounded channel reads no more."""
A_CHECKER: Final = 0.3
"""Less than a checker gives to the sensor it lies above, more than its neighbours do."""


def row_faults(board: BoardSpec, raw: F64) -> dict[int, str]:
    """Multiplexer -> what is wrong with it, in words; sound ones are absent."""
    rows = board.multiplexers
    scan = raw.reshape(rows, -1)
    channels = scan.shape[1]
    found: dict[int, str] = {}
    for row in range(rows):
        words = _row_fault(scan[row]) or _level_fault(board, row, scan[row])
        if words:
            found[row] = words
    for row in range(rows):
        for other in range(row + 1, rows):
            alike = np.abs(scan[row] - scan[other]) <= ALIKE
            # The extra channel may be grounded on both.
            if row not in found and other not in found and alike.sum() >= channels - 1:
                found[row] = f"says the same as multiplexer {other}: their SIG wires touch"
                found[other] = f"says the same as multiplexer {row}: their SIG wires touch"
    return found


def _row_fault(values: F64) -> str:
    """One voltage on the whole row, or every channel twice."""
    if np.ptp(values) <= ALIKE:
        return "answers with one voltage on every channel: its supply, ground or SIG wire is off"
    channels = np.arange(len(values))
    for line in range(4):
        if np.all(np.abs(values - values[channels ^ (1 << line)]) <= ALIKE):
            return f"gives every channel twice: its select wire S{line} is off"
    return ""


def _level_fault(board: BoardSpec, row: int, values: F64) -> str:
    """The row's channel of known level, where it has one."""
    places = board.sensors.places[row * len(values) : (row + 1) * len(values)]
    unit = counts_per_mv(board)
    for channel, place in enumerate(places):
        mv = float(values[channel]) / unit
        if place.role == "spare" and mv > GROUND_MV:
            return f"its grounded channel {channel} reads {mv:.0f} mV: it counts wrong"
        if place.role == "divider" and abs(mv - board.divider_mv) > board.divider_tolerance_mv:
            return (
                f"its test divider reads {mv:.0f} mV, not {board.divider_mv:.0f}: it counts wrong"
            )
    return ""


def contradicting(board: BoardSpec, seating: Seating, placement: Placement, seen: F64) -> set[int]:
    """Sensors whose reading (in checkers) no way of laying this placement out explains: something
    above an empty site, nothing or the other colour above a full row, the other colour above one.
    """
    light, dark = (
        placement.counts(seating.side_of(colour)) for colour in (Colour.LIGHT, Colour.DARK)
    )
    found: set[int] = set()
    for site in (BAR, *POINTS):
        if light[site] and dark[site]:
            continue
        bar = site == BAR
        sensors = board.sensors.of_bar if bar else board.sensors.of_point(seating.geometric(site))
        count, own = (light[site], 1.0) if light[site] else (dark[site], -1.0)
        for n in sensors:
            reading = own * float(seen[n])
            if count == 0:
                odd = abs(reading) > A_CHECKER
            elif not bar and count >= len(sensors):
                odd = reading < A_CHECKER
            else:
                odd = reading < -A_CHECKER
            if odd:
                found.add(n)
    return found

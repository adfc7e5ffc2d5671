"""What a builder can send in: one board as it measures, as Markdown, with the lines that only a
person can fill in."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence

import numpy as np

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.calibration import Calibration
from firmware_bridge.greeting import lacking, reset_cause
from firmware_bridge.link_events import LinkStatistics
from firmware_bridge.messages import Hello
from firmware_bridge.physics import F64, counts_per_mv, one_checker_mv

ASKED = (
    "Who built it, where, when",
    "Magnets: maker, number, size, material",
    "Sensors: maker, number, package",
    "Microcontroller: genuine or clone, its USB chip",
    "Stack-up as built: felt, skin, spacer (mm)",
    "LED strip: chip and revision, as printed on the reel",
    "Supply: volts at its terminals, at the last multiplexer, at AREF or ADC_VREF, all lights on",
    "`takhte board test`: which steps were not good, and what it was",
    "One game played on it: did the record need a hand? Where",
    "What the guides should have said",
)


def report_text(
    board: BoardSpec,
    hello: Hello,
    link: LinkStatistics,
    scans: Sequence[tuple[int, ...]],
    calibration: Calibration,
    calibrated: str,
) -> str:
    """The report as text. `scans`: some seconds of the board as it lies now."""
    unit = counts_per_mv(board)
    values = np.array(scans or [(0,) * len(board.sensors.places)], dtype=float) / unit
    felt = [n for n, place in enumerate(board.sensors.places) if place.role in ("point", "bar")]
    noise = values.std(axis=0)[felt]
    gains = np.abs([calibration.gains[n] for n in felt]) / unit / abs(one_checker_mv(board))
    off = [calibration.zeros[n] / unit - board.sensor.supply_mv / 2 for n in felt]
    rows = [
        ("board", board.name),
        ("uid", hello.uid.hex()),
        ("firmware", f"{hello.firmware >> 8}.{hello.firmware & 255}, build {hello.build:08x}"),
        ("its chip's clock, MHz", f"{hello.cpu_hz / 1e6:g}"),
        ("what its firmware lacks", lacking(hello) or "nothing"),
        ("last start", reset_cause(hello.cause)),
        ("machine", f"{platform.machine()}, {platform.system()}, Python {sys.version.split()[0]}"),
        ("calibration", calibrated),
        ("gains, of the design's", _spread(gains, "{:.2f}")),
        ("zeros off the middle, mV", _spread(np.array(off), "{:.0f}")),
        ("noise of a sensor, mV (1 sigma)", _spread(noise, "{:.2f}")),
        ("scans listened to", str(len(scans))),
        ("frames, damaged, missed", f"{link.frames}, {link.damaged}, {link.frames_missed}"),
        ("heard badly by the board, overruns", f"{link.board_rx_bad}, {link.board_rx_overrun}"),
        ("round trip at best, ms", f"{link.rtt_best_s * 1000:.1f}"),
    ]
    lines = ["# A takhte board", "", "| measured | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in rows]
    lines += ["", "| please fill in | |", "|---|---|", *(f"| {line} | |" for line in ASKED), ""]
    lines += [
        f"Every sensor as the board lies now, in mV of a supply of {board.sensor.supply_mv:g} mV"
        " (a board fed with less gives as much less):",
        "",
    ]
    last = values[-1].reshape(board.multiplexers, -1)
    lines += [
        f"    multiplexer {row}: {' '.join(f'{mv:.0f}' for mv in line)}"
        for row, line in enumerate(last)
    ]
    return "\n".join(lines) + "\n"


def _spread(values: F64, form: str) -> str:
    """Least, median and most."""
    least, median, most = np.percentile(values, (0, 50, 100))
    return f"{form.format(least)} to {form.format(most)}, median {form.format(median)}"

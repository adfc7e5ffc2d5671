"""One SIG line in ngspice, held against what the emulated board makes of it and against the limits
that the host judges by.
"""

from __future__ import annotations

import math
import re
import subprocess
from pathlib import Path

import pytest

from firmware_bridge.board_spec import reference_board
from firmware_bridge.sensor_faults import GROUND_MV
from tests.hardware.firmware import EMULATOR, FIRMWARE, need

FIRST_US = 58.0
"""After a step of the multiplexers one conversion (13 clocks of 4 us) is thrown away; the next
samples 1.5 clocks later."""


def spice(tmp_path: Path, *, driven: bool) -> tuple[float, float]:
    """The converter's pin, mV, when the first line is sampled and 37 us later."""
    need("ngspice")
    deck = (FIRMWARE.parent / "spice/sig_line.cir").read_text(encoding="utf-8")
    path = tmp_path / "deck.cir"
    path.write_text(deck.replace(".param open=0", f".param open={0 if driven else 1}"))
    done = subprocess.run(["ngspice", "-b", str(path)], capture_output=True, text=True, check=True)
    found = dict(re.findall(r"^(first|settled)\s*=\s*(\S+)", done.stdout, re.MULTILINE))
    return 1000 * float(found["first"]), 1000 * float(found["settled"])


def emulated(name: str) -> float:
    """One of the emulator's constants."""
    source = (EMULATOR / "analogue.c").read_text(encoding="utf-8")
    found = re.search(rf"#define {name} ([\d.]+)", source)
    assert found is not None
    return float(found[1])


def test_a_driven_line_has_settled_when_it_is_sampled(tmp_path: Path) -> None:
    """From 4.8 V to 0.2 V; what the pull-down takes, 1 %, every sensor's own gain takes up."""
    first, settled = spice(tmp_path, driven=True)
    assert first == pytest.approx(settled, abs=0.1)
    assert first == pytest.approx(200, rel=0.02)


def test_a_line_that_nothing_drives_reads_ground_in_time(tmp_path: Path) -> None:
    """An open joint and a multiplexer that is off, after a neighbour at 4.8 V: below what is called
    ground and stuck, and as the emulator has it."""
    first, _ = spice(tmp_path, driven=False)
    assert first < min(GROUND_MV, reference_board().sensor.rail_mv / 2) / 2
    tau_us = emulated("PULL_DOWN_OHMS") * emulated("LINE_NF") * 1e-3
    assert first == pytest.approx(4800 * math.exp(-FIRST_US / tau_us), abs=5)

"""One SIG line and the supply in ngspice, held against what the emulated board makes of them and
against the limits that the host judges by.
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


def measured(tmp_path: Path, name: str, **params: str) -> dict[str, float]:
    """What a deck of hardware/spice measures, with some of its parameters set anew."""
    need("ngspice")
    deck = (FIRMWARE.parent / f"spice/{name}.cir").read_text(encoding="utf-8")
    for param, value in params.items():
        deck, changed = re.subn(
            rf"^\.param {param}=\S+", f".param {param}={value}", deck, flags=re.M
        )
        assert changed == 1, param
    path = tmp_path / "deck.cir"
    path.write_text(deck)
    done = subprocess.run(["ngspice", "-b", str(path)], capture_output=True, text=True, check=True)
    found = re.findall(r"^(\w+)\s*=\s*([-+.\de]+)", done.stdout, re.MULTILINE)
    return {what: float(value) for what, value in found}


def spice(tmp_path: Path, *, driven: bool) -> tuple[float, float]:
    """The converter's pin, mV, when the first line is sampled and 37 us later."""
    found = measured(tmp_path, "sig_line", open="0" if driven else "1")
    return 1000 * found["first"], 1000 * found["settled"]


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


def emulated_ripple(size_mv: float, hertz: float) -> tuple[float, float]:
    """(highest, rms) that the emulator's ripple makes of a sensor in the middle, mV."""
    rail_us, aref_us, half = emulated("RIPPLE_US"), emulated("AREF_US"), 5e5 / hertz
    step = 0.5
    rail = follows = 0.0
    seen = []
    for k in range(int(12 * half / step)):  # twelve half waves: it has swung in by then
        aim = 1 if int(k * step / half) % 2 else -1
        rail += (aim - rail) * step / rail_us
        follows += (rail - follows) * step / aref_us
        seen.append((rail, (rail - follows) / 2))
    last = seen[len(seen) // 2 :]
    each = size_mv / (max(r for r, _ in last) - min(r for r, _ in last))
    rms = math.sqrt(sum(off * off for _, off in last) / len(last))
    return each * max(off for _, off in last), each * rms


def test_the_strips_ripple_is_as_the_emulator_has_it(tmp_path: Path) -> None:
    """900 mA on and off on the star: what a conversion makes of it, and well below the noise that
    keeps a board from resting."""
    found = measured(tmp_path, "supply")
    rms = math.sqrt(found["mean_square"])
    high, emulated_rms = emulated_ripple(found["rail_max"] - found["rail_min"], 430)
    assert emulated_rms == pytest.approx(rms, rel=0.05)
    assert high == pytest.approx(found["seen_max"] - found["seen_avg"], rel=0.1)
    assert math.hypot(rms, reference_board().sensor.noise_mv) < 5


def test_the_supply_holds_what_the_guides_promise(tmp_path: Path) -> None:
    """The sensors' 5 V while the strip blinks, with the computer on a supply of its own; and why:
    on the star it takes the sensors below what bring-up.md allows."""
    own = measured(tmp_path, "supply")
    assert own["rail_min"] > 4750
    assert abs(own["seen_avg"] - 2500) < 1
    shared = measured(tmp_path, "supply", pi="3")
    assert shared["rail_min"] < 4750
    assert abs(shared["seen_avg"] - 2500) > 5
    doubled = measured(tmp_path, "supply", aref="200n")
    assert doubled["mean_square"] > 2 * own["mean_square"], "why no capacitor of ours is at AREF"


def test_a_line_of_the_pico_has_settled_when_it_is_sampled(tmp_path: Path) -> None:
    """After the multiplexers' step and after the ninth's, at 3.3 V through two switches."""
    found = measured(tmp_path, "sig_line_pico")
    assert 1000 * found["first"] == pytest.approx(1000 * found["settled"], abs=0.1)
    assert 1000 * found["ninth"] == pytest.approx(1000 * found["last"], abs=0.1)
    assert 1000 * found["first"] == pytest.approx(150, rel=0.03)
    alone = measured(tmp_path, "sig_line_pico", open="1")
    ground = GROUND_MV * 3.3 / 5
    assert 1000 * alone["first"] < ground / 2, "an open joint reads ground in time"
    # The pin brings the charge of the line before; three conversions are added up.
    three = [1000 * alone[name] for name in ("ninth", "second", "third")]
    assert sum(three) / 3 < ground / 2


def test_the_picos_supply_holds_what_its_guide_promises(tmp_path: Path) -> None:
    """Sensors and converter share the rail, so the module's ripple and the strip's mean little; and
    why the choke is there, and why the Pico's own 3.3 V may be off by a tenth of a volt."""
    found = measured(tmp_path, "supply_pico")
    assert found["rail_min"] > 3200
    assert math.sqrt(found["mean_square"]) < 0.5
    assert abs(found["seen_avg"] - 2500) < 1
    worst = measured(tmp_path, "supply_pico", ma="1240")
    assert worst["rail_min"] > 3100
    bare = measured(tmp_path, "supply_pico", choke="10n")
    assert bare["mean_square"] > 100 * found["mean_square"]
    off = measured(tmp_path, "supply_pico", own="3.2")
    assert abs(off["seen_avg"] - found["seen_avg"]) < 0.5

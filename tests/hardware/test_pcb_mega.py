"""The Mega's main board: its copper against its netlist, whose wiring `test_pcb` walks; that it
fits on a Mega, and that nothing of it meets what must stay empty there.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest
import sexpdata

from tests.hardware.test_drill import placed
from tests.hardware.test_pcb import MAIN, PCB, branches, copper, netlist

VALUES = netlist(PCB / "main_board.net")[1]
INCH = 25.4


def on_the_mega() -> dict[str, tuple[float, float]]:
    """Name of a pin -> inches from the Mega's lower left corner, by the drawings of its board:
    0.1 inch from pin to pin, 0.16 between 8 and 7, both rows 1.9 inches apart.
    """
    pins = {f"D{n}": (2.5 - n / 10, 2.0) for n in range(8)}
    upper = [f"D{n}" for n in range(8, 14)] + ["GND", "AREF", "SDA", "SCL"]
    pins |= {name: (1.64 - k / 10, 2.0) for k, name in enumerate(upper)}
    pins |= {f"D{14 + k}": (2.7 + k / 10, 2.0) for k in range(8)}
    power = ("none", "IOREF", "RESET", "3V3", "5V", "GND", "GND", "VIN")
    pins |= {f"power {k} {name}": (1.1 + k / 10, 0.1) for k, name in enumerate(power)}
    pins |= {f"A{k}": (2.0 + k / 10 + (k > 7) / 10, 0.1) for k in range(16)}
    double = ["5V left", "5V right", *(f"D{n}" for n in range(22, 54)), "GND left", "GND right"]
    pins |= {name: (3.7 + k % 2 / 10, 2.0 - k // 2 / 10) for k, name in enumerate(double)}
    isp = ("MISO", "5V", "SCK", "MOSI", "RESET", "GND")
    pins |= {f"ISP {n}": (2.505 + k % 2 / 10, 1.2 - k // 2 / 10) for k, n in enumerate(isp)}
    return pins


def holes() -> dict[tuple[str, str], tuple[float, float]]:
    """Every hole with copper -> inches from the Mega's lower left corner."""
    tree = sexpdata.loads((PCB / "main_board.kicad_pcb").read_text(encoding="utf-8"))
    parts = branches(tree, "footprint")
    (mega,) = [part for part in parts if str(part[1]) == "takhte:mega"]
    left, low = map(float, branches(mega, "at")[0][1:3])
    found = {}
    for part in parts:
        ref = next(t[2] for t in branches(part, "fp_text") if str(t[1]) == "reference")
        for pad in branches(part, "pad"):
            x, y = placed(part, pad)
            found[ref, str(pad[1])] = ((x - left) / INCH, (low - y) / INCH)
    return {pin: at for pin, at in found.items() if pin[1]}


def name_of(pin: str) -> str:
    """What the Mega prints beside a pin of the netlist's."""
    grounds = {"3000": "AREF", "3001": "GND", "3002": "GND left", "3003": "GND right"}
    return grounds.get(pin) or f"{'DA'[pin[0] == '2']}{int(pin[1:])}"


def test_the_copper_is_the_netlist() -> None:
    assert copper("main_board")[0] == MAIN
    said = (PCB / "main_board-drc.txt").read_text(encoding="utf-8")
    assert "Found 0 DRC violations" in said
    assert "Found 0 unconnected pads" in said


def test_the_board_fits_on_a_mega() -> None:
    """Each of its pins goes where the Mega has the socket of that name."""
    sockets, pins = on_the_mega(), {pin: at for (ref, pin), at in holes().items() if ref == "A1"}
    assert {pin for ref, pin in MAIN if ref == "A1"} <= pins.keys()
    for pin, at in pins.items():
        assert at == pytest.approx(sockets[name_of(pin)], abs=0.001), pin


def test_nothing_reaches_what_must_stay_empty() -> None:
    """No pin of ours stands over 5V, 3.3V, VIN or another socket that stays empty, nor over the ISP
    pins; and the board ends before the Mega's plugs begin (its USB plug is as high as the gap)."""
    ours = holes()
    taken = {name_of(pin) for ref, pin in ours if ref == "A1"}
    assert not any("5V" in name or name.startswith("power") for name in taken)
    for name, (x, y) in on_the_mega().items():
        if name in taken:
            continue
        for pin, (px, py) in ours.items():
            assert max(abs(px - x), abs(py - y)) * INCH > 2.3, (name, pin)
    tree = sexpdata.loads((PCB / "main_board.kicad_pcb").read_text(encoding="utf-8"))
    (edge,) = [rect for rect in branches(tree, "gr_rect") if "Edge.Cuts" in str(rect)]
    (mega,) = [part for part in branches(tree, "footprint") if str(part[1]) == "takhte:mega"]
    left = float(branches(edge, "start")[0][1]) - float(branches(mega, "at")[0][1])
    assert left > 0.55 * INCH, "the jack ends 12 mm from the edge, the USB plug 9.5"


def test_the_reference_is_seven_eighths_of_the_sensors_supply() -> None:
    """1 k to the analogue 5 V and 9.1 k to ground, beside the chip's own 32 k at AREF."""
    one, other = ({net for (ref, _), net in MAIN.items() if ref == r} for r in ("R20", "R21"))
    assert one == {MAIN["J10", "1"], MAIN["A1", "3000"]}
    assert other == {MAIN["A1", "3000"], MAIN["J10", "2"]}
    assert (VALUES["R20"], VALUES["R21"]) == ("1k 1%", "9.1k 1%")
    below = 1 / (1 / 9.1 + 1 / 32)
    assert below / (1 + below) == pytest.approx(7 / 8, abs=0.002)


def test_supplies_and_grounds() -> None:
    wanted = {
        MAIN["J10", "1"]: [(f"J{q}", "8") for q in range(1, 5)],
        MAIN["J10", "3"]: [(f"J{k}", "3") for k in (6, 7, 8, 9)],
        MAIN["J10", "5"]: [("J5", "1"), ("C2", "1")],
        MAIN["J10", "2"]: [
            *(("A1", str(pin)) for pin in (3001, 3002, 3003)),
            *((f"J{q}", pin) for q in range(1, 5) for pin in ("9", "10")),
            *(("J10", pin) for pin in ("4", "6")),
            *(("J5", "3"), ("J6", "2"), ("J7", "2"), ("J8", "4"), ("J9", "4"), ("J11", "6")),
            *(("J12", "2"), ("C2", "2"), ("Q1", "3"), ("Q2", "3")),
        ],
    }
    assert len(wanted) == 4
    for net, pads in wanted.items():
        assert all(MAIN[pad] == net for pad in pads), net


def test_what_a_maker_gets_is_whole_and_without_dates() -> None:
    files = [*(PCB / "gerbers").glob("main_board-*")]
    names = {path.stem.removeprefix("main_board-") for path in files}
    assert names >= {"F_Cu", "B_Cu", "F_Mask", "B_Mask", "F_Silkscreen", "Edge_Cuts", "PTH", "NPTH"}
    for path in files:
        assert not re.search(r"20\d\d-\d\d-\d\d", path.read_text(encoding="utf-8")), path


def test_the_kinds_of_parts() -> None:
    kinds = Counter(ref.rstrip("0123456789") for ref in VALUES)
    assert kinds == {"A": 1, "J": 12, "R": 19, "C": 1, "Q": 2}

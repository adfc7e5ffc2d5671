"""The main board of the Pico: its netlist and its copper against the wiring tables, and what keeps
3.3 V and 5 V apart. The quadrants that hang on it are those of `test_pcb`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest
import sexpdata

from tests.hardware.test_pcb import PCB, Nets, Pad, branches, copper, netlist
from tests.hardware.test_pins import PICO, button_names, soldered, table

NETS, VALUES = netlist(PCB / "pico_board.net")
GROUND, SENSORS, LAMPS, LEDS = (NETS["J10", pin] for pin in ("2", "1", "3", "5"))
NINTH = {row["input"]: str(row["pin"]) for row in table("ninth")}
"""The 74HC4051's pins by the wiring table."""


def beyond(nets: Nets, start: Pad, part: str, ohms: str) -> Pad:
    """The one pad of a kind of part on the other side of the resistor in series."""
    found = [
        pad
        for ref, pin in nets
        if nets[ref, pin] == nets[start] and VALUES[ref] == ohms
        for pad, net in nets.items()
        if net == nets[ref, "2" if pin == "1" else "1"] and re.fullmatch(part, pad[0])
    ]
    (only,) = found
    return only


def straight(nets: Nets, start: Pad, part: str) -> Pad:
    """The one pad of a kind of part on the same net."""
    (only,) = [p for p, net in nets.items() if net == nets[start] and re.fullmatch(part, p[0])]
    return only


def gpio(pad: Pad) -> str:
    return PICO[int(pad[1])]


def roles(nets: Nets) -> dict[str, str]:
    """What the board joins to which GPIO, in the words of `test_pins`."""
    found = {
        f"select {k}": beyond(nets, ("J1", str(p)), "A1", "1k") for k, p in enumerate((1, 3, 2, 4))
    }
    found["off"] = beyond(nets, ("J1", "6"), "A1", "1k")
    for name in "ABC":
        found[f"ninth {name}"] = beyond(nets, ("U1", NINTH[name]), "A1", "1k")
    found["ninth common"] = straight(nets, ("U1", NINTH["COM"]), "A1")
    assert beyond(nets, ("J5", "2"), "U2", "330") == ("U2", "3"), "the buffer's first output"
    found["strip"] = straight(nets, ("U2", "2"), "A1")
    found["tone"] = straight(nets, ("J12", "1"), "A1")
    for k, side in enumerate(("south", "north")):
        found[f"press {side}"] = straight(nets, (f"J{6 + k}", "1"), "A1")
        found[f"CLK {side}"] = straight(nets, (f"J{8 + k}", "1"), "A1")
        found[f"DIO {side}"] = straight(nets, (f"J{8 + k}", "2"), "A1")
        transistor = straight(nets, (f"J{6 + k}", "4"), r"Q\d")
        assert transistor[1] == "1" and nets[transistor[0], "3"] == GROUND, "collector, emitter"
        found[f"lamp {side}"] = beyond(nets, (transistor[0], "2"), "A1", "1k")
    for k, name in enumerate(button_names()[2:]):
        found[f"button {name}"] = straight(nets, ("J11", str(k + 1)), "A1")
    return {role: gpio(pad) for role, pad in found.items()}


def wired_right(nets: Nets) -> bool:
    """Whether everything hangs where the tables say, and each multiplexer on its input."""
    try:
        if roles(nets) != soldered(table("pico")):
            return False
        for line in range(8):
            plug = (f"J{1 + line // 2}", "57"[line % 2])
            if beyond(nets, plug, "U1", "1k") != ("U1", NINTH[f"Y{line}"]):
                return False
        for ribbon in ("J2", "J3", "J4"):
            if any(nets[ribbon, pin] != nets["J1", pin] for pin in "123468"):
                return False
    except (AssertionError, KeyError, ValueError):
        return False
    return supplied(nets)


def supplied(nets: Nets) -> bool:
    """Whether every supply and ground is where the guide wants it."""
    wanted = {
        SENSORS: [
            ("J10", "1"),
            ("A1", "35"),
            ("U1", NINTH["VCC"]),
            *((f"J{q}", "8") for q in range(1, 5)),
        ],
        LAMPS: [("J10", "3"), ("J6", "3"), ("J7", "3")],
        LEDS: [("J10", "5"), ("J5", "1"), *(("U2", str(pin)) for pin in (14, 4, 10, 13))],
        nets["A1", "36"]: [("J8", "3"), ("J9", "3")],
        GROUND: [
            *(("A1", str(pin)) for pin in (3, 8, 13, 18, 23, 28, 33, 38)),
            *(("U1", NINTH[name]) for name in ("INH", "VEE", "GND")),
            *(("U2", str(pin)) for pin in (1, 5, 7, 9, 12)),
            *((f"J{q}", pin) for q in range(1, 5) for pin in ("9", "10")),
            *(("J5", "3"), ("J6", "2"), ("J7", "2"), ("J8", "4"), ("J9", "4"), ("J11", "6")),
            ("J12", "2"),
        ],
    }
    return len(wanted) == 5 and all(nets[p] == net for net, pads in wanted.items() for p in pads)


def test_the_board_is_wired_as_the_tables_say() -> None:
    assert wired_right(NETS)
    assert ("A1", "39") not in NETS and ("A1", "40") not in NETS, "USB alone feeds the Pico"


def test_nothing_of_five_volts_reaches_the_pico() -> None:
    """Every line to the Pico comes from what 3.3 V feeds, and between two supplies over 1 k."""
    fives = {LAMPS, LEDS, NETS["U2", "3"], NETS["J5", "2"], NETS["J6", "4"], NETS["J7", "4"]}
    assert not fives & {net for (ref, _), net in NETS.items() if ref in ("A1", "U1")}
    for (ref, pin), net in NETS.items():
        if ref in ("J1", "J2", "J3", "J4") and net not in (GROUND, SENSORS):
            assert not any(n == net and r in ("A1", "U1") for (r, _), n in NETS.items()), pin


def _swap(one: Pad, other: Pad) -> Callable[[Nets], None]:
    def swap(nets: Nets) -> None:
        nets[one], nets[other] = nets[other], nets[one]

    return swap


WRONG = {
    "S0 and S3": _swap(("A1", "4"), ("A1", "7")),
    "S1 and S2 at a plug": _swap(("J2", "2"), ("J2", "3")),
    "EN and SIG in the ribbon": _swap(("J1", "5"), ("J1", "6")),
    "A and C of the ninth": _swap(("U1", "11"), ("U1", "9")),
    "Y3 and Y0": _swap(("U1", "12"), ("U1", "13")),
    "CLK and DIO": _swap(("J8", "1"), ("J8", "2")),
    "strip and tone": _swap(("A1", "14"), ("A1", "15")),
    "press and lamp": _swap(("A1", "16"), ("A1", "19")),
    "offer and director": _swap(("J11", "1"), ("J11", "5")),
    "collector and emitter": _swap(("Q1", "1"), ("Q1", "3")),
    "buffer's output and input": _swap(("U2", "2"), ("U2", "3")),
    "displays on 5 V": _swap(("J8", "3"), ("J6", "3")),
    "VREF on the Pico's own 3.3 V": _swap(("A1", "35"), ("A1", "36")),
    "LED 5 V and logic 5 V": _swap(("J10", "3"), ("J10", "5")),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_wiring_is_noticed(name: str) -> None:
    nets = dict(NETS)
    WRONG[name](nets)
    assert not wired_right(nets)


def test_the_copper_is_the_netlist() -> None:
    assert copper("pico_board")[0] == NETS
    said = (PCB / "pico_board-drc.txt").read_text(encoding="utf-8")
    assert "Found 0 DRC violations" in said
    assert "Found 0 unconnected pads" in said


def test_the_pico_fits_its_holes() -> None:
    """Two rows of twenty, 2.54 mm apart, 17.78 mm between them; pin 40 beside pin 1."""
    tree = sexpdata.loads((PCB / "pico_board.kicad_pcb").read_text(encoding="utf-8"))
    (pico,) = [p for p in branches(tree, "footprint") if str(p[1]) == "takhte:pico"]
    at = {str(pad[1]): branches(pad, "at")[0][1:3] for pad in branches(pico, "pad")}
    assert at.keys() == {str(pin) for pin in range(1, 41)}
    for pin, (x, y) in at.items():
        k = int(pin)
        beside = (0, k - 1) if k <= 20 else (17.78, 40 - k)
        assert (x, y) == pytest.approx((beside[0], 2.54 * beside[1]), abs=0.01), pin


def test_what_a_maker_gets_is_whole_and_without_dates() -> None:
    folder = PCB / "gerbers"
    files = [*folder.glob("pico_board-*")]
    names = {path.stem.removeprefix("pico_board-") for path in files}
    assert names >= {"F_Cu", "B_Cu", "F_Mask", "B_Mask", "F_Silkscreen", "Edge_Cuts", "PTH", "NPTH"}
    for path in files:
        assert not re.search(r"20\d\d-\d\d-\d\d", path.read_text(encoding="utf-8")), path


def test_the_kinds_of_parts() -> None:
    kinds = Counter(ref.rstrip("0123456789") for ref in VALUES)
    assert kinds == {"A": 1, "U": 2, "J": 12, "R": 20, "C": 4, "Q": 2}

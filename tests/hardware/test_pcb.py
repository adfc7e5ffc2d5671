"""The printed boards: from where each sensor must lie, over copper, plug and resistor, to the pin
that the firmware reads. Netlists and board by sexpdata, wiring table and pins.h as in `test_pins`.
"""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
import sexpdata

from firmware_bridge.board_spec import reference_board
from tests.hardware.firmware import FIRMWARE
from tests.hardware.test_pins import MEGA, soldered, table

PCB = FIRMWARE.parent / "pcb"
Pad = tuple[str, str]
Nets = dict[Pad, str]
"""Part and pin -> the net it is on."""
Tree = list  # type: ignore[type-arg]


def branches(tree: Tree, name: str) -> list[Tree]:
    return [
        branch
        for branch in tree
        if isinstance(branch, list) and branch and branch[0] == sexpdata.Symbol(name)
    ]


def netlist(path: Path) -> tuple[Nets, dict[str, str]]:
    """(pads and their nets, parts and their values)."""
    tree = sexpdata.loads(path.read_text(encoding="utf-8"))
    nets: Nets = {}
    for net in branches(branches(tree, "nets")[0], "net"):
        for node in branches(net, "node"):
            nets[branches(node, "ref")[0][1], branches(node, "pin")[0][1]] = branches(net, "name")[
                0
            ][1]
    parts = branches(branches(tree, "components")[0], "comp")
    return nets, {branches(p, "ref")[0][1]: branches(p, "value")[0][1] for p in parts}


def copper(board: str = "quadrant") -> tuple[Nets, dict[str, tuple[float, float]]]:
    """A board's pads with their nets, and where its parts lie (mm)."""
    tree = sexpdata.loads((PCB / f"{board}.kicad_pcb").read_text(encoding="utf-8"))
    nets, places = Nets(), {}
    for part in branches(tree, "footprint"):
        ref = next(t[2] for t in branches(part, "fp_text") if str(t[1]) == "reference")
        at = branches(part, "at")[0]
        places[ref] = (float(at[1]), float(at[2]))
        for pad in branches(part, "pad"):
            for net in branches(pad, "net"):
                nets[ref, str(pad[1])] = net[2]
    return nets, places


QUADRANT, MAIN = netlist(PCB / "quadrant.net")[0], netlist(PCB / "main_board.net")[0]
WIDTH, DEPTH = 276, 247
"""Of the quadrant's board, mm."""
MUX = {"COM": "1", "S0": "10", "S1": "11", "S3": "13", "S2": "14", "E": "15"} | {
    f"I{k}": str(9 - k if k < 8 else 31 - k) for k in range(16)
}
"""CD74HC4067, by its data sheet, told anew here."""


def other_end(nets: Nets, start: Pad, part: str) -> Pad:
    """The one pad of a kind of part on the same net."""
    (found,) = [p for p, net in nets.items() if net == nets[start] and re.fullmatch(part, p[0])]
    return found


def over_resistor(nets: Nets, start: Pad) -> str:
    """The Mega's pin on the other side of the resistor in series ("D37", "A0")."""
    for ref, pin in [p for p, net in nets.items() if net == nets[start] and p[0][0] == "R"]:
        beyond = (ref, "2" if pin == "1" else "1")
        found = [p for p, net in nets.items() if net == nets[beyond] and p[0] == "A1"]
        if found and nets[beyond] not in ("GND", "5V"):
            return mega_pin(found[0])
    raise AssertionError(f"no resistor leads from {start} to the Mega")


def mega_pin(pad: Pad) -> str:
    number = int(pad[1])
    return f"D{number - 1000}" if number < 2000 else f"A{number - 2000}"


def roles(main: Nets) -> dict[str, str]:
    """What the main board joins to which port of the chip, in the words of `test_pins`."""
    pins = {"strip": over_resistor(main, ("J5", "2"))}
    pins |= {f"select {k}": over_resistor(main, ("J1", str(p))) for k, p in enumerate((1, 3, 2, 4))}
    pins["off"] = over_resistor(main, ("J1", "6"))
    for q in range(4):
        for m, pin in enumerate(("5", "7")):
            pins[f"line {2 * q + m}"] = over_resistor(main, (f"J{1 + q}", pin))
    straight = {"tone": ("J12", "1")}
    for k, side in enumerate(("south", "north")):
        straight[f"press {side}"] = (f"J{6 + k}", "1")
        straight[f"CLK {side}"], straight[f"DIO {side}"] = (f"J{8 + k}", "1"), (f"J{8 + k}", "2")
        transistor = other_end(main, (f"J{6 + k}", "4"), r"Q\d")
        assert transistor[1] == "1" and main[transistor[0], "3"] == "GND", "collector, emitter"
        pins[f"lamp {side}"] = over_resistor(main, (transistor[0], "2"))
    for k, name in enumerate(("offer", "take", "drop", "resign", "director")):
        straight[f"button {name}"] = ("J11", str(k + 1))
    pins |= {role: mega_pin(other_end(main, pad, "A1")) for role, pad in straight.items()}
    return {role: port(pin) for role, pin in pins.items()}


def sensor_of(quadrant: Nets, sensor: str) -> tuple[str, int]:
    """(the ribbon's pin, the channel) behind which a sensor is read."""
    mux, pin = other_end(quadrant, (sensor, "2"), r"U3[12]")
    channel = next(name for name, number in MUX.items() if number == pin)
    plug = other_end(quadrant, (mux, MUX["COM"]), "J1")
    return plug[1], int(channel.removeprefix("I"))


def port(pin: str) -> str:
    """The chip's port behind one of the Mega's pins."""
    return f"PF{pin[1:]}" if pin[0] == "A" else MEGA[int(pin[1:])]


def seen_by_the_chip(quadrant: Nets, main: Nets, q: int) -> dict[str, int]:
    """Sensor of a quadrant's board -> the number that the firmware gives it, as far as both
    multiplexers count as the wiring table wants."""
    wanted = soldered(table())
    for name in ("S0", "S1", "S2", "S3", "E"):
        for mux in ("U31", "U32"):
            plug = other_end(quadrant, (mux, MUX[name]), "J1")[1]
            reached = port(over_resistor(main, (f"J{1 + q}", plug)))
            assert reached == wanted["off" if name == "E" else f"select {name[1]}"]
    found = {}
    for n in range(1, 31):
        plug, channel = sensor_of(quadrant, f"U{n}")
        line = over_resistor(main, (f"J{1 + q}", plug))
        found[f"U{n}"] = 16 * int(line.removeprefix("A")) + channel
    return found


def wired_right(quadrant: Nets, main: Nets) -> bool:
    """Whether every sensor of the four boards is read under the number of the place it lies at, and
    everything else hangs where the wiring table says."""
    try:
        wanted = soldered(table())
        if roles(main) != wanted:
            return False
        plan, places = reference_board(), copper()[1]
        for q in range(4):
            for ref, number in seen_by_the_chip(quadrant, main, q).items():
                x, y = places[ref]
                east, north = x, DEPTH - y  # from the board's own corner, its rim below
                if q >= 2:  # turned
                    east, north = WIDTH - east, plan.depth - north
                if q in (0, 3):  # east of the bar
                    east += plan.width - WIDTH
                place = plan.sensors.places[number]
                if abs(place.x - east) > 0.01 or abs(place.y - north) > 0.01:
                    return False
    except (AssertionError, KeyError, ValueError, StopIteration):
        return False
    return True


def test_every_sensor_is_read_under_its_own_number() -> None:
    assert wired_right(QUADRANT, MAIN)


def _swap(one: Pad, other: Pad) -> Callable[[Nets], None]:
    def swap(nets: Nets) -> None:
        nets[one], nets[other] = nets[other], nets[one]

    return swap


WRONG = {
    "S0 and S3 at the Mega": ("main", _swap(("A1", "1037"), ("A1", "1034"))),
    "S1 and S2 at a plug": ("main", _swap(("J2", "2"), ("J2", "3"))),
    "EN and SIG in the ribbon": ("main", _swap(("J1", "5"), ("J1", "6"))),
    "CLK and DIO": ("main", _swap(("J8", "1"), ("J8", "2"))),
    "strip and tone": ("main", _swap(("A1", "1012"), ("A1", "1011"))),
    "press and lamp": ("main", _swap(("A1", "1002"), ("A1", "1006"))),
    "offer and director": ("main", _swap(("J11", "1"), ("J11", "5"))),
    "collector and emitter": ("main", _swap(("Q1", "1"), ("Q1", "3"))),
    "A0 and A7": ("main", _swap(("A1", "2000"), ("A1", "2007"))),
    "two sensors": ("quadrant", _swap(("U3", "2"), ("U4", "2"))),
    "S0 and S1 at one multiplexer": ("quadrant", _swap(("U32", "10"), ("U32", "11"))),
    "both SIG": ("quadrant", _swap(("U31", "1"), ("U32", "1"))),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_wiring_is_noticed(name: str) -> None:
    which, spoil = WRONG[name]
    quadrant, main = dict(QUADRANT), dict(MAIN)
    spoil(quadrant if which == "quadrant" else main)
    assert not wired_right(quadrant, main)


def test_the_copper_is_the_netlist() -> None:
    assert copper()[0] == QUADRANT
    said = (PCB / "quadrant-drc.txt").read_text(encoding="utf-8")
    assert "Found 0 DRC violations" in said
    assert "Found 0 unconnected pads" in said


def test_every_line_between_two_supplies_has_its_resistor() -> None:
    """With the star off and the USB in, or the other way round, 5 mA at most."""
    values = netlist(PCB / "main_board.net")[1]
    guarded = {
        net for (ref, _), net in MAIN.items() if values.get(ref, "").startswith(("1k", "330"))
    }
    for pad in [p for p in MAIN if p[0] in ("J1", "J2", "J3", "J4")]:
        assert MAIN[pad] in guarded | {"GND", "5V"}, pad
    assert "5V" not in {MAIN[pad] for pad in MAIN if pad[0] == "A1"}, "USB alone feeds the Mega"


@pytest.mark.parametrize("board", ["quadrant", "main_board", "pico_board"])
def test_the_bill_names_every_part_once(board: str) -> None:
    parts = netlist(PCB / f"{board}.net")[1]
    listed: dict[str, str] = {}
    with (PCB / "bom.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if row["Board"] != board:
                continue
            refs = [ref for span in row["Refs"].split() for ref in _span(span)]
            assert len(refs) == int(row["Number"]), row
            assert row["Maker's number"], row
            listed |= dict.fromkeys(refs, row["Value"])
    assert listed == parts


def _span(words: str) -> list[str]:
    first, _, last = words.partition("-")
    kind = first.rstrip("0123456789")
    numbers = range(int(first[len(kind) :]), int((last or first)[len(kind) :]) + 1)
    return [f"{kind}{n}" for n in numbers]


def test_what_a_maker_gets_is_whole_and_without_dates() -> None:
    """Placed parts, holes and layers; the same sources give the same bytes."""
    folder = PCB / "gerbers"
    layers = {path.stem.removeprefix("quadrant-") for path in folder.glob("quadrant-*.gbr")}
    assert layers >= {"F_Cu", "B_Cu", "F_Mask", "B_Mask", "F_Paste", "F_Silkscreen", "Edge_Cuts"}
    for path in folder.glob("quadrant-*"):
        assert not re.search(r"20\d\d-\d\d-\d\d", path.read_text(encoding="utf-8")), path
    placed = {row["Ref"]: row for row in csv.DictReader((folder / "quadrant-pos.csv").open())}
    where = copper()[1]
    parts = netlist(PCB / "quadrant.net")[1]
    assert placed.keys() == {ref for ref in parts if not ref.startswith("J")}
    for ref, row in placed.items():
        at = (float(row["PosX"]), -float(row["PosY"]))
        assert at == pytest.approx(where[ref], abs=0.01)
    kinds = Counter(ref.rstrip("0123456789") for ref in placed)
    assert kinds == {"U": 32, "C": 46, "R": 4, "D": 12}
    taps = defaultdict(set)
    for pad, net in QUADRANT.items():
        taps[net].add(pad)
    assert all(len(pads) > 1 for pads in taps.values())

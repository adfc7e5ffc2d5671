"""The schematics as code: `quadrant()` is the board under six points, `main_board()` joins four of
them to the Mega, `pico_board()` to a Raspberry Pi Pico. `python circuit.py FOLDER` checks the
electrical rules and writes the netlists.

Needs skidl (`make pcb` brings it). Every connection is a line here; what the netlists must agree
with, board.toml, wiring.toml and the firmware's pins.h, is not read: a test compares.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Final

from skidl import KICAD6, POWER, Circuit, Net, Part, Pin, set_default_tool
from skidl.logger import erc_logger
from skidl.pin import pin_types

set_default_tool(KICAD6)
PASSIVE, IN, OUT = pin_types.PASSIVE, pin_types.INPUT, pin_types.OUTPUT
TRI, BIDIR, PWR = pin_types.TRISTATE, pin_types.BIDIR, pin_types.PWRIN

SOT23: Final = "Package_TO_SOT_SMD:SOT-23"
C0603: Final = "Capacitor_SMD:C_0603_1608Metric"
R0603: Final = "Resistor_SMD:R_0603_1608Metric"
SO24: Final = "Package_SO:SOIC-24W_7.5x15.4mm_P1.27mm"
WS2812: Final = "LED_SMD:LED_WS2812B_PLCC4_5.0x5.0mm_P3.2mm"
IDC10: Final = "Connector_IDC:IDC-Header_2x05_P2.54mm_Vertical"
TO92: Final = "Package_TO_SOT_THT:TO-92_Inline_Wide"
R_THT: Final = "Resistor_THT:R_Axial_DIN0207_L6.3mm_D2.5mm_P7.62mm_Horizontal"
C_THT: Final = "Capacitor_THT:C_Disc_D4.3mm_W1.9mm_P5.00mm"
CP_THT: Final = "Capacitor_THT:CP_Radial_D10.0mm_P5.00mm"


def header(pins: int) -> str:
    """The footprint of a row of pins."""
    return f"Connector_PinHeader_2.54mm:PinHeader_1x{pins:02d}_P2.54mm_Vertical"


def part(ref: str, value: str, footprint: str, pins: list[tuple[int, str, object]]) -> Part:
    """One part with the pins that it has."""
    return Part(
        name=value,
        tool="skidl",
        dest="NETLIST",
        ref=ref,
        tag=ref,
        ref_prefix=re.match(r"[A-Z]+", ref)[0],
        value=value,
        footprint=footprint,
        pins=[Pin(num=str(number), name=name, func=kind) for number, name, kind in pins],
    )


def two(ref: str, value: str, footprint: str, one: Net, other: Net) -> None:
    """A resistor or capacitor between two nets."""
    found = part(ref, value, footprint, [(1, "1", PASSIVE), (2, "2", PASSIVE)])
    found[1] += one
    found[2] += other


MUX: Final = [
    (1, "COM", PASSIVE),
    *((2 + k, f"I{7 - k}", PASSIVE) for k in range(8)),
    (10, "S0", IN),
    (11, "S1", IN),
    (12, "GND", PWR),
    (13, "S3", IN),
    (14, "S2", IN),
    (15, "E", IN),
    *((16 + k, f"I{15 - k}", PASSIVE) for k in range(8)),
    (24, "VCC", PWR),
]
"""CD74HC4067, by its data sheet."""
BC547: Final = [(1, "C", PASSIVE), (2, "B", PASSIVE), (3, "E", PASSIVE)]
"""In TO-92, seen from the flat side."""
LED: Final = [(1, "VDD", PWR), (2, "DOUT", OUT), (3, "VSS", PWR), (4, "DIN", IN)]
"""WS2812B in its case of 5 x 5 mm, by its data sheet."""
HALL: Final = [(1, "VCC", PWR), (2, "OUT", OUT), (3, "GND", PWR)]
"""DRV5055 in SOT-23, by its data sheet."""
PLUG: Final = ["S0", "S2", "S1", "S3", "SIG_A", "EN", "SIG_B", "5V", "GND", "GND"]
"""Pins 1 to 10 of the ribbon cable between a quadrant and the main board."""


def ribbon(ref: str, nets: dict[str, Net]) -> None:
    """One end of the cable."""
    plug = part(ref, "IDC 2x5", IDC10, [(k + 1, name, PASSIVE) for k, name in enumerate(PLUG)])
    for k, name in enumerate(PLUG):
        plug[k + 1] += nets[name]


def quadrant() -> None:
    """Six points: U1 to U30 are the sensors, five a point from the rim; U31 serves the first three
    points, U32 the others; J2 and J3 are the sixteenth channels. D1 to D12 are the lights, two a
    point from the rim, between the plugs J4 and J5; they share nothing with the sensors."""
    nets = {name: Net(name) for name in dict.fromkeys(PLUG)}
    for name in ("5V", "GND"):
        nets[name].drive = POWER
    ribbon("J1", nets)
    for m, sig in enumerate(("SIG_A", "SIG_B")):
        mux = part(f"U{31 + m}", "CD74HC4067M96", SO24, MUX)
        mux["VCC"] += nets["5V"]
        mux["GND"] += nets["GND"]
        mux["COM"] += nets[sig]
        mux["E"] += nets["EN"]
        for k in range(4):
            mux[f"S{k}"] += nets[f"S{k}"]
        two(f"C{31 + m}", "100n", C0603, nets["5V"], nets["GND"])
        two(f"R{1 + m}", "10k", R0603, nets[sig], nets["GND"])
        two(f"C{33 + m}", "1n", C0603, nets[sig], nets["GND"])
        for channel in range(15):
            number = 15 * m + channel + 1
            sensor = part(f"U{number}", "DRV5055A1QDBZR", SOT23, HALL)
            sensor["VCC"] += nets["5V"]
            sensor["GND"] += nets["GND"]
            sensor["OUT"] += Net(f"H{number}"), mux[f"I{channel}"]
            two(f"C{number}", "100n", C0603, nets["5V"], nets["GND"])
        extra = Net(f"EXTRA_{'AB'[m]}")
        extra += mux["I15"]
        _plug(f"J{2 + m}", "extra", [nets["5V"], extra, nets["GND"]])
        two(f"R{3 + m}", "10k", R0603, extra, nets["GND"])
    _lights()


def _lights() -> None:
    """A chain of twelve, on a supply and a ground of its own."""
    supply, gnd, data = Net("5V_LED"), Net("GND_LED"), Net("LED_0")
    for net in (supply, gnd):
        net.drive = POWER
    _plug("J4", "lights in", [supply, data, gnd])
    for n in range(1, 13):
        light = part(f"D{n}", "WS2812B", WS2812, LED)
        light["VDD"] += supply
        light["VSS"] += gnd
        light["DIN"] += data
        data = Net(f"LED_{n}")
        light["DOUT"] += data
        two(f"C{34 + n}", "100n", C0603, supply, gnd)
    _plug("J5", "lights out", [supply, data, gnd])


MEGA_DIGITAL: Final = (2, 3, 6, 7, 11, 12, 22, 23, 24, 25, 26, 33, 34, 35, 36, 37, 46, 47, 48, 49)
MEGA_GROUNDS: Final = (3001, 3002, 3003)
"""Beside D13, and the two at the end of the double row. Those of the power row, beside 5 V, stay
empty."""


def main_board() -> None:
    """Four ribbons, the Mega's pins, 1 k in every line between the two supplies, and the plugs of
    clock, strip and power. To be soldered by hand."""
    mega = part(
        "A1",
        "Arduino Mega 2560",
        "takhte:mega",
        [(1000 + n, f"D{n}", BIDIR) for n in MEGA_DIGITAL]
        + [(2000 + n, f"A{n}", PASSIVE) for n in range(8)]
        + [(3000, "AREF", PASSIVE)]
        + [(pin, f"GND{pin}", PWR) for pin in MEGA_GROUNDS],
    )
    gnd, analogue, logic, leds = Net("GND"), Net("5V"), Net("5V_LOGIC"), Net("5V_LED")
    for net in (gnd, analogue, logic, leds):
        net.drive = POWER
    for pin in MEGA_GROUNDS:
        gnd += mega[pin]
    power = part("J10", "power", header(6), [(k, str(k), PASSIVE) for k in range(1, 7)])
    for pin, net in zip(range(1, 7), (analogue, gnd, logic, gnd, leds, gnd), strict=True):
        power[pin] += net
    shared = {}
    for k, (name, pin) in enumerate((("S0", 37), ("S1", 36), ("S2", 35), ("S3", 34), ("EN", 33))):
        shared[name] = Net(name)
        two(f"R{1 + k}", "1k", R_THT, Net(f"D{pin}") & mega[f"D{pin}"], shared[name])
    two("R6", "100k", R_THT, shared["EN"], gnd)
    for q in range(4):
        nets = {"5V": analogue, "GND": gnd, **shared}
        for m, side in enumerate("AB"):
            line = Net(f"SIG{2 * q + m}")
            nets[f"SIG_{side}"] = line
            two(
                f"R{10 + 2 * q + m}",
                "1k",
                R_THT,
                line,
                mega[f"A{2 * q + m}"] & Net(f"A{2 * q + m}"),
            )
        ribbon(f"J{1 + q}", nets)
    aref = Net("AREF")
    aref += mega["AREF"]
    two("R20", "1k 1%", R_THT, analogue, aref)
    two("R21", "9.1k 1%", R_THT, aref, gnd)
    strip = Net("STRIP")
    two("R22", "330", R_THT, mega["D12"] & Net("D12"), strip)
    _plug("J5", "strip", [leds, strip, gnd])
    two("C2", "1000u", CP_THT, leds, gnd)
    for k, (name, pin) in enumerate((("south", 6), ("north", 7))):
        base, lamp = Net(f"BASE_{name}"), Net(f"LAMP_{name}")
        two(f"R{23 + k}", "1k", R_THT, mega[f"D{pin}"] & Net(f"D{pin}"), base)
        switch = part(f"Q{1 + k}", "BC547", TO92, BC547)
        switch["B"] += base
        switch["E"] += gnd
        switch["C"] += lamp
        press = Net(f"PRESS_{name}")
        press += mega[f"D{2 + k}"]
        _plug(f"J{6 + k}", f"press {name}", [press, gnd, logic, lamp])
        display = [Net(f"CLK_{name}"), Net(f"DIO_{name}")]
        for net, number in zip(display, ((49, 48), (47, 46))[k], strict=True):
            net += mega[f"D{number}"]
        _plug(f"J{8 + k}", f"display {name}", [*display, logic, gnd])
    buttons = []
    for name, pin in (("offer", 22), ("take", 23), ("drop", 24), ("resign", 25), ("director", 26)):
        buttons.append(Net(f"BUTTON_{name}"))
        buttons[-1] += mega[f"D{pin}"]
    _plug("J11", "buttons", [*buttons, gnd])
    tone = Net("TONE")
    tone += mega["D11"]
    _plug("J12", "piezo", [tone, gnd])


def _plug(ref: str, value: str, nets: list[Net]) -> None:
    """A row of pins, one net each."""
    row = part(
        ref, value, header(len(nets)), [(k + 1, str(k + 1), PASSIVE) for k in range(len(nets))]
    )
    for k, net in enumerate(nets):
        row[k + 1] += net


PICO_GPIOS: Final = (*range(23), 26, 27, 28)
PICO_GROUNDS: Final = (3, 8, 13, 18, 23, 28, 38)
PICO_EDGE: Final = [n for n in range(1, 35) if n not in (*PICO_GROUNDS, 30, 33)]
"""Pins of a Pico's edge that are GPIOs, in the order of their numbers."""
GPIO_PIN: Final = dict(zip(PICO_GPIOS, PICO_EDGE, strict=True))
HC4051: Final = [
    (13, "Y0", PASSIVE),
    (14, "Y1", PASSIVE),
    (15, "Y2", PASSIVE),
    (12, "Y3", PASSIVE),
    (1, "Y4", PASSIVE),
    (5, "Y5", PASSIVE),
    (2, "Y6", PASSIVE),
    (4, "Y7", PASSIVE),
    (3, "COM", PASSIVE),
    (11, "A", IN),
    (10, "B", IN),
    (9, "C", IN),
    (6, "INH", IN),
    (7, "VEE", PWR),
    (8, "GND", PWR),
    (16, "VCC", PWR),
]
"""74HC4051 in DIP-16, by its data sheet."""
SPARE: Final = pin_types.NOCONNECT
AHCT125: Final = [
    (1, "1OE", IN),
    (2, "1A", IN),
    (3, "1Y", OUT),
    *((pin, f"{k}OE", IN) for k, pin in ((2, 4), (3, 10), (4, 13))),
    *((pin, f"{k}A", IN) for k, pin in ((2, 5), (3, 9), (4, 12))),
    *((pin, f"{k}Y", SPARE) for k, pin in ((2, 6), (3, 8), (4, 11))),
    (7, "GND", PWR),
    (14, "VCC", PWR),
]
"""74AHCT125 in DIP-14, by its data sheet."""


def pico_board() -> None:
    """Four ribbons, the Pico's pins, the ninth multiplexer, the buffer of the strip, 1 k in every
    line between two supplies, and the plugs of clock, strip and power. To be soldered by hand."""
    pico = part(
        "A1",
        "Raspberry Pi Pico",
        "takhte:pico",
        [(pin, f"GP{n}", BIDIR) for n, pin in GPIO_PIN.items() if n > 1]
        + [(35, "ADC_VREF", PASSIVE), (36, "3V3", pin_types.PWROUT), (33, "AGND", PWR)]
        + [(pin, f"GND{pin}", PWR) for pin in PICO_GROUNDS],
    )
    gnd, sensors, lamps, leds = Net("GND"), Net("3V3_SENSORS"), Net("5V_LOGIC"), Net("5V_LED")
    displays = Net("3V3_PICO")
    for net in (gnd, sensors, lamps, leds):
        net.drive = POWER
    displays += pico["3V3"]
    sensors += pico["ADC_VREF"]
    for pin in (33, *PICO_GROUNDS):
        gnd += pico[pin]
    power = part("J10", "power", header(6), [(k, str(k), PASSIVE) for k in range(1, 7)])
    for pin, net in zip(range(1, 7), (sensors, gnd, lamps, gnd, leds, gnd), strict=True):
        power[pin] += net

    def line(gpio: int) -> Net:
        """The net straight at one of the Pico's GPIOs."""
        return Net(f"GP{gpio}") & pico[f"GP{gpio}"]

    shared = {}
    for k, name in enumerate(("S0", "S1", "S2", "S3", "EN")):
        shared[name] = Net(name)
        two(f"R{1 + k}", "1k", R_THT, line(2 + k), shared[name])
    two("R6", "100k", R_THT, shared["EN"], gnd)
    ninth = part("U1", "74HC4051", "Package_DIP:DIP-16_W7.62mm", HC4051)
    ninth["VCC"] += sensors
    for name in ("GND", "VEE", "INH"):
        ninth[name] += gnd
    ninth["COM"] += line(26)
    two("C1", "100n", C_THT, sensors, gnd)
    for k, name in enumerate("ABC"):
        two(f"R{7 + k}", "1k", R_THT, line(7 + k), Net(f"LINE_{name}") & ninth[name])
    for q in range(4):
        nets = {"5V": sensors, "GND": gnd, **shared}
        for m, side in enumerate("AB"):
            k = 2 * q + m
            nets[f"SIG_{side}"] = Net(f"SIG{k}")
            two(f"R{10 + k}", "1k", R_THT, nets[f"SIG_{side}"], Net(f"Y{k}") & ninth[f"Y{k}"])
        ribbon(f"J{1 + q}", nets)
    _strip(line(10), leds, gnd)
    for k, name in enumerate(("south", "north")):
        base, lamp, press = Net(f"BASE_{name}"), Net(f"LAMP_{name}"), line(12 + k)
        two(f"R{23 + k}", "1k", R_THT, line(14 + k), base)
        switch = part(f"Q{1 + k}", "BC547", TO92, BC547)
        switch["B"] += base
        switch["E"] += gnd
        switch["C"] += lamp
        _plug(f"J{6 + k}", f"press {name}", [press, gnd, lamps, lamp])
        clk, dio = ((21, 22), (27, 28))[k]
        _plug(f"J{8 + k}", f"display {name}", [line(clk), line(dio), displays, gnd])
    _plug("J11", "buttons", [*(line(16 + k) for k in range(5)), gnd])
    _plug("J12", "piezo", [line(11), gnd])
    two("C3", "1000u", CP_THT, sensors, gnd)


def _strip(data: Net, leds: Net, gnd: Net) -> None:
    """The buffer that makes 5 V of the Pico's 3.3 V, and the strip's plug."""
    buffer = part("U2", "74AHCT125", "Package_DIP:DIP-14_W7.62mm", AHCT125)
    buffer["VCC"] += leds
    buffer["GND"] += gnd
    buffer["1OE"] += gnd
    buffer["1A"] += data
    for k in (2, 3, 4):
        buffer[f"{k}OE"] += leds
        buffer[f"{k}A"] += gnd
    two("C4", "100n", C_THT, leds, gnd)
    strip = Net("STRIP")
    two("R22", "330", R_THT, Net("BUFFERED") & buffer["1Y"], strip)
    _plug("J5", "strip", [leds, strip, gnd])
    two("C2", "1000u", CP_THT, leds, gnd)


def main(folder: Path) -> int:
    """Write the netlists; how many electrical errors and warnings there are."""
    wrong = 0
    for build in (quadrant, main_board, pico_board):
        circuit = Circuit()
        with circuit:
            build()
        circuit.ERC()
        wrong += erc_logger.error.count + erc_logger.warning.count
        path = folder / f"{build.__name__}.net"
        circuit.generate_netlist(file_=str(path))
        text = path.read_text(encoding="utf-8")
        # No dates, no paths: the same schematic gives the same bytes.
        text = re.sub(r'\(date "[^"]*"\)', '(date "")', text)
        text = re.sub(r'\(source "[^"]*"\)', '(source "circuit.py")', text)
        text = re.sub(r'\n *\(field\n *\(name "SKiDL [^"]*"\) "[^"]*"\)', "", text)
        path.write_text(text, encoding="utf-8")
    return wrong


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

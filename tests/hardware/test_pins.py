"""The wiring tables against the firmware, each read by a parser of its own.

The macros as the compilers have them, the tables' words as a solderer reads them, and the makers'
own maps of the Mega's and the Pico's pins.
"""

from __future__ import annotations

import copy
import re
import subprocess
import tomllib
from collections.abc import Callable
from typing import Any

import pytest

from tests.hardware.firmware import FIRMWARE, need

ROLES = (
    (r"([ABC]) of the ninth multiplexer", "ninth {}"),
    (r"common pin of the ninth multiplexer", "ninth common"),
    (r"74AHCT125 at 5 V, 330 ohm, then data of the LED strip", "strip"),
    (r"S(\d) of every multiplexer", "select {}"),
    (r"EN of every multiplexer", "off"),
    (r"common pin of multiplexer (\d) ", "line {}"),
    (r"330 ohm, then data of the LED strip", "strip"),
    (r"piezo, ", "tone"),
    (r"press, (south|north), to ground", "press {}"),
    (r"button (\w+), to ground", "button {}"),
    (r"lamp of (south|north)'s press", "lamp {}"),
    (r"(CLK|DIO) of (south|north)'s TM1637", "{} {}"),
)
MEGA = (
    {37 - bit: f"PC{bit}" for bit in range(8)}
    | {54 + bit: f"PF{bit}" for bit in range(8)}
    | {22 + bit: f"PA{bit}" for bit in range(8)}
    | {49 - bit: f"PL{bit}" for bit in range(8)}
    | {2: "PE4", 3: "PE5", 5: "PE3", 6: "PH3", 7: "PH4", 8: "PH5", 9: "PH6"}
    | {10: "PB4", 11: "PB5", 12: "PB6", 13: "PB7"}
)


GROUNDS = {3, 8, 13, 18, 23, 28, 33, 38}
OTHERS = {30, 35, 36, 37, 39, 40}
"""RUN, ADC_VREF, 3V3, 3V3_EN, VSYS, VBUS of a Pico."""
GPIOS = (*range(23), 26, 27, 28)
PICO = dict(
    zip(
        (n for n in range(1, 41) if n not in GROUNDS | OTHERS),
        (f"GP{n}" for n in GPIOS),
        strict=True,
    )
)


def macros_of(compiler: list[str], port: str) -> dict[str, str]:
    """The macros of a port's pins.h as its compiler expands them."""
    need(compiler[0])
    header = FIRMWARE / "port" / port / "pins.h"
    done = subprocess.run(
        [*compiler, "-dM", "-E", str(header)], capture_output=True, text=True, check=True
    )
    return dict(re.findall(r"^#define (\w+) (\S+)$", done.stdout, re.MULTILINE))


def button_names() -> list[str]:
    board = tomllib.loads((FIRMWARE.parent / "board.toml").read_text())
    names: list[str] = board["buttons"]["names"]
    return names


def compiled_pico() -> dict[str, str]:
    """What each role hangs on, by the macros of the RP2040's pins.h."""
    macros = macros_of(["arm-none-eabi-gcc", "-mcpu=cortex-m0plus"], "rp2040")

    def pin(name: str, more: int = 0) -> str:
        return f"GP{int(macros[name]) + more}"

    sides = ("south", "north")
    return (
        {f"select {k}": pin("SELECT_FIRST", k) for k in range(4)}
        | {"off": pin("OFF_PIN"), "strip": pin("STRIP_PIN"), "tone": pin("TONE_PIN")}
        | {f"ninth {'ABC'[k]}": pin("LINE_FIRST", k) for k in range(3)}
        | {"ninth common": pin("ADC_PIN")}
        | {f"press {side}": pin("PRESS_FIRST", k) for k, side in enumerate(sides)}
        | {f"lamp {side}": pin("LAMP_FIRST", k) for k, side in enumerate(sides)}
        | {f"button {name}": pin("MORE_FIRST", k) for k, name in enumerate(button_names()[2:])}
        | {
            f"{wire} {side}": pin(f"{wire}_{side.upper()}_PIN")
            for wire in ("CLK", "DIO")
            for side in sides
        }
    )


def compiled() -> dict[str, str]:
    """What each role hangs on, by the macros of pins.h as avr-gcc expands them."""
    macros = macros_of(["avr-gcc", "-mmcu=atmega2560"], "mega2560")

    def pin(register: str, bit: int) -> str:
        found = re.fullmatch(r"(?:PORT|DDR|PIN)([A-L])", macros[register])
        assert found is not None, register
        return f"P{found[1]}{bit}"

    sides = ("south", "north")
    press, lamp = int(macros["PRESS_SHIFT"]), int(macros["LAMP_SHIFT"])
    assert int(macros["SELECT_MASK"], 16) == 0x0F
    return (
        {f"select {k}": pin("SELECT_PORT", k) for k in range(4)}
        | {"off": pin("SELECT_PORT", int(macros["OFF_BIT"]))}
        | {f"line {k}": f"PF{k}" for k in range(8)}
        | {"strip": pin("STRIP_PORT", int(macros["STRIP_BIT"]))}
        | {"tone": pin("TONE_DDR", int(macros["TONE_BIT"]))}
        | {f"press {side}": pin("PRESS_PIN", press + k) for k, side in enumerate(sides)}
        | {f"button {name}": pin("MORE_PIN", k) for k, name in enumerate(button_names()[2:])}
        | {f"lamp {side}": pin("LAMP_PORT", lamp + k) for k, side in enumerate(sides)}
        | {f"CLK {side}": pin("DISPLAY_DDR", 2 * k) for k, side in enumerate(sides)}
        | {f"DIO {side}": pin("DISPLAY_DDR", 2 * k + 1) for k, side in enumerate(sides)}
    )


def soldered(rows: list[dict[str, Any]]) -> dict[str, str]:
    """What each role hangs on, by a table; the pin's number and its port or GPIO are one pin."""
    found: dict[str, str] = {}
    for row in rows:
        if "gpio" in row:
            row["port"] = f"GP{row['gpio']}"
        assert (PICO if "gpio" in row else MEGA).get(row["pin"]) == row["port"], row
        roles = [
            role.format(*match.groups())
            for words, role in ROLES
            if (match := re.match(words, row["to"]))
        ]
        assert len(roles) == 1, row
        assert roles[0] not in found, row
        found[roles[0]] = row["port"]
    return found


def table(name: str = "mega") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tomllib.loads((FIRMWARE.parent / "wiring.toml").read_text())[name]
    return rows


def test_the_table_is_what_the_firmware_drives() -> None:
    assert soldered(table()) == compiled()
    assert soldered(table("pico")) == compiled_pico()


def test_the_ninth_multiplexer_counts_as_the_firmware_does() -> None:
    """Input Yk carries multiplexer k: its number goes out on A, B, C with the low bit first."""
    ninth = {row["input"]: row["to"] for row in table("ninth")}
    for line in range(8):
        assert ninth[f"Y{line}"].startswith(f"common pin of multiplexer {line} ")
    # What hangs on the Pico is in both tables, by the pin of its edge.
    for row in table("pico"):
        for name in re.findall(r"([ABC]) of the ninth|(common) pin of the ninth", row["to"]):
            own = ninth["COM" if name[1] else name[0]]
            assert own.startswith(f"Pico {row['pin']} (GP{row['gpio']})"), own
    assert sorted(row["pin"] for row in table("ninth")) == list(range(1, 17))


def _swap(first: str, second: str) -> Callable[[list[dict[str, Any]]], None]:
    def swap(rows: list[dict[str, Any]]) -> None:
        a, b = (next(row for row in rows if words in row["to"]) for words in (first, second))
        a["to"], b["to"] = b["to"], a["to"]

    return swap


def _rename(rows: list[dict[str, Any]]) -> None:
    rows[0]["port"] = "PC7"


WRONG = {
    "S0 and S3": _swap("S0", "S3"),
    "S1 and S2": _swap("S1", "S2"),
    "CLK and DIO": _swap("CLK of south", "DIO of south"),
    "strip and tone": _swap("LED strip", "piezo"),
    "press and lamp": _swap("press, south", "lamp of south"),
    "offer and director": _swap("offer", "director"),
    "S3 and EN": _swap("S3", "EN of"),
    "A0 and A7": _swap("multiplexer 0", "multiplexer 7"),
    "wrong port": _rename,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_table_is_noticed(name: str) -> None:
    rows = copy.deepcopy(table())
    WRONG[name](rows)
    with pytest.raises(AssertionError):
        assert soldered(rows) == compiled()


WRONG_PICO = {
    "S0 and S3": _swap("S0", "S3"),
    "A and C": _swap("A of the ninth", "C of the ninth"),
    "CLK and DIO": _swap("CLK of south", "DIO of south"),
    "strip and tone": _swap("LED strip", "piezo"),
    "press and lamp": _swap("press, south", "lamp of south"),
    "offer and director": _swap("offer", "director"),
    "S3 and EN": _swap("S3", "EN of"),
    "the converter's pin": _swap("common pin of the ninth", "CLK of north"),
    "wrong pin of the edge": lambda rows: rows[0].update(pin=3),
}


@pytest.mark.parametrize("name", WRONG_PICO)
def test_a_wrong_table_of_the_pico_is_noticed(name: str) -> None:
    rows = copy.deepcopy(table("pico"))
    WRONG_PICO[name](rows)
    with pytest.raises(AssertionError):
        assert soldered(rows) == compiled_pico()

"""Modelled chips on gpiozero's mock pins: displays and expanders as their wires see them."""

from __future__ import annotations

from typing import Any

from gpiozero.pins.mock import MockPin, MockSPIDevice

from firmware_bridge.switch_board import EXPANDERS


class Tm1637Model:
    """The chip as its two wires see it: start, stop, bits with the low one first, the ninth clock;
    refuses what it does not know.
    """

    def __init__(self) -> None:
        self.lines = {"clock": True, "data": True}
        self.ram, self.on, self.level = bytearray(6), False, 0
        self._talking, self._bits, self._bytes = False, [0] * 0, bytearray()

    def edge(self, line: str, high: bool) -> None:
        before = dict(self.lines)
        self.lines[line] = high
        clock_held = before["clock"] and self.lines["clock"]
        if clock_held and before["data"] and not self.lines["data"]:
            self._talking, self._bits, self._bytes = True, [], bytearray()
        elif clock_held and not before["data"] and self.lines["data"] and self._talking:
            self._talking = False
            self._obey(bytes(self._bytes))
        elif self._talking and not before["clock"] and self.lines["clock"]:
            self._bits.append(self.lines["data"])
            if len(self._bits) == 9:
                self._bytes.append(sum(bit << k for k, bit in enumerate(self._bits[:8])))
                self._bits = []

    def _obey(self, said: bytes) -> None:
        assert said
        if said[0] & 0xC0 == 0xC0:
            self.ram[said[0] & 7 : (said[0] & 7) + len(said) - 1] = said[1:]
        elif said[0] & 0xC0 == 0x80:
            self.on, self.level = bool(said[0] & 8), said[0] & 7
        else:
            assert said == b"\x40"


TAPS: dict[int, tuple[Tm1637Model, str]] = {}


class TappedPin(MockPin):  # type: ignore[misc]
    """A mock pin whose changes a modelled chip sees."""

    def _change_state(self, value: Any) -> Any:
        changed = super()._change_state(value)
        number = (
            int(self.info.name.removeprefix("GPIO")) if self.info.name.startswith("GPIO") else -1
        )
        if changed and number in TAPS:
            chip, line = TAPS[number]
            chip.edge(line, bool(self._state))
        return changed


class ExpanderModel(MockSPIDevice):  # type: ignore[misc]
    """Eight MCP23S17 on one select line, bit by bit: three-byte writes and reads from GPIOA on;
    pull-ups and addresses honoured.
    """

    def __init__(self, *pins: Any, **how: Any) -> None:
        self.closed = [False] * 128
        self.registers = [bytearray(22) for _ in range(EXPANDERS)]
        super().__init__(*pins, **how)

    def on_start(self) -> None:
        super().on_start()
        self.rx_buf, self.tx_buf = [], []

    def on_bit(self) -> None:
        super().on_bit()
        bits = [int(bit) for bit in self.rx_buf]
        if len(bits) == 16 and bits[7]:
            address, register = (
                int("".join(map(str, bits[4:7])), 2),
                int("".join(map(str, bits[8:])), 2),
            )
            for offset in range(2):
                word = sum(
                    (not self.closed[16 * address + 8 * (register - 0x12 + offset) + k]) << k
                    for k in range(8)
                )
                word &= self.registers[address][0x0C + offset]
                self.tx_buf += [word >> k & 1 for k in reversed(range(8))]
        if len(bits) == 24 and not bits[7]:
            address, register, value = (
                int("".join(map(str, part)), 2) for part in (bits[4:7], bits[8:16], bits[16:])
            )
            addressed = range(EXPANDERS) if not self.registers[address][0x0A] & 8 else [address]
            for chip in addressed:
                if addressed != [address] and (chip & 4) != (address & 4):
                    continue
                self.registers[chip][register] = value

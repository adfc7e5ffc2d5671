"""E. A board without microcontroller: reed contacts or digital Hall switches under the points, on
MCP23S17 expanders at a Raspberry Pi's SPI.

A switch knows neither colour nor height: the Observation lists both colours alike, and five
switches closed mean five checkers or more. Wiring as the reference board's sensors: expander k
(address k) takes what multiplexer k does, its pins A0-A7, B0-B7 in the order of the channels; each
switch closes to ground.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Final

from gpiozero import SPIDevice
from gpiozero.exc import GPIOZeroError, PinFactoryFallback

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.errors import BoardLost, CalibrationError, DamagedFrame, NoGpio
from rules.board import BAR, POINTS, Seating
from rules.observation import Condition, Observation, SiteReading, Source

EXPANDERS: Final = 8
SWITCHES: Final = 16 * EXPANDERS
REPEAT_S: Final = 1.0
"""A reading that does not change is given again after so long, s: silence means that it is gone."""
IOCON, GPPUA, GPIOA = 0x0A, 0x0C, 0x12
HAEN: Final = 0x08
REST_S: Final = 0.25
RIGHT: Final = 0.96
"""P(as many switches closed as checkers lie above them)."""
ONE_LESS: Final = 0.03
"""P(one checker lies beside its switch)."""
OTHER: Final = 0.001
FLOOR: Final = 1e-5


class Expanders(SPIDevice):  # type: ignore[misc]
    """Eight MCP23S17 on one select line, told apart by their address pins.

    `read()` gives 128 switches, True = closed.
    """

    def __init__(self, **spi: int) -> None:
        super().__init__(**spi)
        # Until HAEN is set every chip answers to address 0; by an erratum those with A2 high answer
        # to address 4. Tell both.
        for address in (0, 4):
            self._write(address, IOCON, HAEN)
        for address in range(EXPANDERS):
            self._write(address, GPPUA, 0xFF)
            self._write(address, GPPUA + 1, 0xFF)

    def read(self) -> tuple[bool, ...]:
        closed: list[bool] = []
        for address in range(EXPANDERS):
            _, _, a, b = self._spi.transfer([0x41 | address << 1, GPIOA, 0, 0])
            closed += [not (word >> bit) & 1 for word in (a, b) for bit in range(8)]
        return tuple(closed)

    def _write(self, address: int, register: int, value: int) -> None:
        self._spi.transfer([0x40 | address << 1, register, value])


def open_switches(**spi: int) -> Expanders:
    """The expanders at SPI port 0, device 0, or as given to gpiozero.

    Raises NoGpio where there is no SPI.
    """
    try:
        with warnings.catch_warnings():
            # Which pin libraries were tried is in the error.
            warnings.simplefilter("ignore", PinFactoryFallback)
            return Expanders(**spi)
    except (GPIOZeroError, OSError, ImportError) as error:
        raise NoGpio(
            f"no SPI here ({error}): run on a Raspberry Pi with SPI enabled and lgpio and spidev"
            " installed"
        ) from error


def pack_switches(closed: Sequence[bool]) -> bytes:
    """One reading as bytes, eight switches each, the first in the lowest bit."""
    return bytes(
        sum(1 << bit for bit, shut in enumerate(closed[start : start + 8]) if shut)
        for start in range(0, len(closed), 8)
    )


def unpack_switches(data: bytes) -> tuple[bool, ...]:
    """What `pack_switches` packed. Raises DamagedFrame when it is not one whole reading."""
    if len(data) != SWITCHES // 8:
        raise DamagedFrame(f"a reading of switches has {SWITCHES // 8} bytes, not {len(data)}")
    return tuple(bool(byte >> bit & 1) for byte in data for bit in range(8))


class SwitchPort:
    """The switches as a port: a reading whenever one changed, and once a second."""

    def __init__(self, switches: Expanders, clock: Callable[[], float] = time.monotonic) -> None:
        self._switches, self._clock = switches, clock
        self._last = b""
        self._given_at = 0.0

    def read(self) -> bytes:
        """One whole reading, or nothing. Raises BoardLost."""
        try:
            data = pack_switches(self._switches.read())
        except (GPIOZeroError, OSError) as error:
            raise BoardLost(f"the switches cannot be read ({error}): is SPI still on?") from error
        now = self._clock()
        if data == self._last and now - self._given_at < REPEAT_S:
            return b""
        self._last, self._given_at = data, now
        return data

    def write(self, data: bytes) -> None:
        """Switches take nothing."""

    def wait(self, seconds: float) -> None:
        time.sleep(max(0.0, seconds))

    def close(self) -> None:
        self._switches.close()


def open_switch_port(_: str | None = None) -> SwitchPort:
    """The switches at the Pi's own pins, as a port. Raises BoardLost where there are none now."""
    try:
        return SwitchPort(open_switches())
    except NoGpio as error:
        raise BoardLost(str(error)) from error


class SwitchSensing:
    """Closed switches in, Observations out, as `Sensing` gives them:

    MOVING until nothing changed for a quarter second.
    """

    def __init__(self, board: BoardSpec, seating: Seating | None = None) -> None:
        self.board = board
        self.seating = seating or Seating()
        self._last: tuple[bool, ...] | None = None
        self._since = 0.0

    def observe(self, reading: Sequence[bool], now: float, number: int = 0) -> Observation:
        """One reading of all switches (by sensor number of the board's map) at host time `now`."""
        if len(reading) != len(self.board.sensors.places):
            raise CalibrationError(
                f"{len(reading)} switches came, {self.board.name} has"
                f" {len(self.board.sensors.places)} places"
            )
        state = tuple(reading)
        if state != self._last:
            self._last, self._since = state, now
        if now - self._since < REST_S:
            return Observation(Source.SENSORS, now, number, Condition.MOVING)
        readings = [
            _reading(
                self.seating.site(p), [state[n] for n in self.board.sensors.of_point(p)], both=False
            )
            for p in POINTS
        ]
        readings.append(_reading(BAR, [state[n] for n in self.board.sensors.of_bar], both=True))
        return Observation(
            Source.SENSORS,
            now,
            number,
            Condition.AT_REST,
            tuple(sorted(readings, key=lambda r: r.site)),
        )


def _reading(site: int, switches: list[bool], both: bool) -> SiteReading:
    """Flat in colour. `both`: the two sides may share the site (the bar)."""
    closed, most = sum(switches), len(switches)
    outcomes: list[tuple[int, int, float]] = []
    for count in range(16):
        lying = min(count, most)
        p = RIGHT if lying == closed else ONE_LESS if lying == closed + 1 else OTHER
        splits = range(count + 1) if both and count <= 6 else {0, count}
        outcomes += [(white, count - white, p) for white in splits]
    return SiteReading(site, tuple(outcomes), floor=FLOOR)

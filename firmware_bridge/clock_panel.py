"""The clock panel: what a clock shows, what its buttons say, and the one contract that both
backends keep.

South and north are seats: South sits at points 1-12 of the geometric board. Backends:
`serial_panel.SerialPanel` (the board's own buttons, lamps and displays, through a `Link`) and
`gpio.GpioPanel` (wired to a Raspberry Pi). One test holds both to `ClockPanel`.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Final, Protocol

from firmware_bridge.errors import MisuseError

CHORD_S: Final = 1.5
"""Both presses held so long call the director, on a panel without a button for that."""

_SEGMENTS: Final = {
    "0": 0x3F, "1": 0x06, "2": 0x5B, "3": 0x4F, "4": 0x66, "5": 0x6D, "6": 0x7D, "7": 0x07,
    "8": 0x7F, "9": 0x6F, " ": 0x00, "-": 0x40, "_": 0x08, "A": 0x77, "B": 0x7C, "C": 0x39,
    "D": 0x5E, "E": 0x79, "F": 0x71, "H": 0x76, "L": 0x38, "N": 0x54, "O": 0x5C, "P": 0x73,
    "R": 0x50, "S": 0x6D, "T": 0x78, "U": 0x3E, "Y": 0x6E,
}  # fmt: skip


class Button(enum.IntEnum):
    """Every button of a panel, by its number on the wire."""

    SOUTH = 0
    NORTH = 1
    OFFER = 2
    TAKE = 3
    DROP = 4
    RESIGN = 5
    DIRECTOR = 6


class Lamp(enum.Enum):
    OFF = "off"
    ON = "on"
    BLINK = "blink"


@dataclass(frozen=True, slots=True)
class SideFace:
    """One seat's half of the clock: up to four characters (digits, space, - _ and A-F H L N O P R S
    T U Y), a colon, the button's lamp.
    """

    text: str = ""
    colon: bool = False
    lamp: Lamp = Lamp.OFF

    def __post_init__(self) -> None:
        if len(self.text) > 4 or any(character not in _SEGMENTS for character in self.text.upper()):
            raise MisuseError(
                f"a display shows up to four of {''.join(_SEGMENTS)!r}, not {self.text!r}"
            )

    def segments(self) -> bytes:
        """Four bytes of segments, right-aligned; bit 7 of the second is the colon."""
        shown = [_SEGMENTS[character] for character in self.text.upper().rjust(4)]
        if self.colon:
            shown[1] |= 0x80
        return bytes(shown)


@dataclass(frozen=True, slots=True)
class ClockFace:
    """What both seats' displays and lamps show. `brightness` 0 (dark) to 8."""

    south: SideFace = field(default_factory=SideFace)
    north: SideFace = field(default_factory=SideFace)
    brightness: int = 5

    def __post_init__(self) -> None:
        if not 0 <= self.brightness <= 8:
            raise MisuseError(f"brightness is 0 to 8, not {self.brightness}")

    def segments(self) -> bytes:
        return self.south.segments() + self.north.segments()

    def lamps(self) -> tuple[int, int]:
        """(lit, blink) as bit masks: bit 0 south, bit 1 north."""
        pairs = list(enumerate((self.south.lamp, self.north.lamp)))
        return sum(1 << n for n, lamp in pairs if lamp is not Lamp.OFF), sum(
            1 << n for n, lamp in pairs if lamp is Lamp.BLINK
        )


def time_text(seconds: float) -> SideFace:
    """A time as four digits: minutes and seconds below 100 minutes, else hours and minutes; below
    zero "0000". Rounded up, as clocks do.
    """
    left = max(0, -int(-seconds // 1))
    minutes, rest = divmod(left, 60)
    high, low = (minutes, rest) if minutes < 100 else divmod(minutes, 60)
    return SideFace(f"{min(high, 99):02d}{low:02d}", colon=True)


@dataclass(frozen=True, slots=True)
class ButtonEdge:
    """One button went down or up at host time `at` (monotonic seconds), give or take `doubt`
    seconds; `number` counts one boot of the source."""

    button: Button
    down: bool
    at: float
    number: int
    doubt: float = 0.0
    chord: bool = False
    """Made of other buttons held together, not a button of its own."""


class ClockPanel(Protocol):
    """What every panel does, whatever it is wired to."""

    def show(self, face: ClockFace) -> None:
        """Make the displays and lamps so. Never blocks for long; the latest face wins."""

    def presses(self, now: float) -> tuple[ButtonEdge, ...]:
        """What was pressed and released since the last call, oldest first."""

    def buzz(self, hz: int, ms: int) -> None:
        """Sound a tone; a panel without a buzzer does nothing."""

    def close(self) -> None:
        """Go dark and let go of the hardware."""


class Chords:
    """Both presses held for CHORD_S call the director: `add` every press, `due(now)` gives the
    chord once. The two presses themselves still count; which of them mattered, the referee
    decides."""

    def __init__(self, hold: float = CHORD_S) -> None:
        self._hold = hold
        self._since: dict[Button, float] = {}
        self._rung = False

    def add(self, press: ButtonEdge) -> None:
        if press.down:
            self._since[press.button] = press.at
        else:
            self._since.pop(press.button, None)
            self._rung = False

    def due(self, now: float) -> tuple[ButtonEdge, ...]:
        if self._rung or not {Button.SOUTH, Button.NORTH} <= self._since.keys():
            return ()
        at = max(self._since[Button.SOUTH], self._since[Button.NORTH]) + self._hold
        if now < at:
            return ()
        self._rung = True
        return (
            ButtonEdge(Button.DIRECTOR, True, at, 0, chord=True),
            ButtonEdge(Button.DIRECTOR, False, at, 0, chord=True),
        )

"""Which GPIO number does what on a panel wired to a Raspberry Pi, and words that change it.

`panel_pins("south=17 lamp_south=none display_south=2/3")` changes what it names and leaves the
rest; what cannot be wired so is refused in words.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from firmware_bridge.clock_panel import Button
from firmware_bridge.errors import MisuseError

BOUNCE_S: Final = 0.008
USABLE: Final = range(2, 28)
"""GPIO numbers on the Pi's plug that a program may have: 0 and 1 belong to the boards on top."""
PULLED_UP: Final = (2, 3)
"""Those with 1.8 k to 3.3 V soldered on the Pi: fine for buttons and displays, on as lamps."""
SPI_PINS: Final = {7: "SPI select 1", 8: "SPI select 0", 9: "MISO", 10: "MOSI", 11: "SCLK"}
"""The switches' own pins, with `--board pi`."""


@dataclass(frozen=True, slots=True)
class PanelPins:
    """GPIO numbers (Broadcom).

    Buttons to ground; lamps and buzzer through transistors; displays (clock, data). None: not
    fitted.
    """

    south: int = 5
    north: int = 6
    more: tuple[tuple[Button, int], ...] = (
        (Button.OFFER, 13),
        (Button.TAKE, 19),
        (Button.DROP, 26),
        (Button.RESIGN, 20),
        (Button.DIRECTOR, 21),
    )
    lamp_south: int | None = 17
    lamp_north: int | None = 27
    display_south: tuple[int, int] | None = (23, 24)
    display_north: tuple[int, int] | None = (16, 12)
    buzzer: int | None = 22
    bounce_s: float | None = field(default=BOUNCE_S)

    def by_name(self) -> dict[str, tuple[int, ...]]:
        """What hangs on which numbers, in the words of `panel_pins`; () where it is not fitted."""
        more = {button.name.lower(): (pin,) for button, pin in self.more}
        lone = {
            "lamp_south": self.lamp_south,
            "lamp_north": self.lamp_north,
            "buzzer": self.buzzer,
        }
        return (
            {"south": (self.south,), "north": (self.north,)}
            | {button.name.lower(): more.get(button.name.lower(), ()) for button in _MORE}
            | {name: () if pin is None else (pin,) for name, pin in lone.items()}
            | {
                "display_south": self.display_south or (),
                "display_north": self.display_north or (),
            }
        )


_MORE: Final = (Button.OFFER, Button.TAKE, Button.DROP, Button.RESIGN, Button.DIRECTOR)


def panel_pins(words: str, *, switches: bool = False) -> PanelPins:
    """The pins of a panel: `name=number` (displays `name=clock/data`, `none` for not fitted) for
    each that differs from the wiring page. `switches`: the SPI pins are taken.

    Raises MisuseError for a name, number or double use that cannot be.
    """
    named = PanelPins().by_name()
    for word in words.split():
        name, equals, value = word.partition("=")
        if name not in named or not equals:
            raise MisuseError(
                f"{word!r} is no pin of the panel: write NAME=NUMBER, NAME one of"
                f" {', '.join(named)}"
            )
        named[name] = _numbers(name, value)
    used: dict[int, str] = dict(SPI_PINS) if switches else {}
    for name, numbers in named.items():
        for number in numbers:
            if number in used:
                raise MisuseError(f"GPIO {number} cannot be {name}: it is {used[number]} already")
            used[number] = name
    return PanelPins(
        south=named["south"][0],
        north=named["north"][0],
        more=tuple((b, named[b.name.lower()][0]) for b in _MORE if named[b.name.lower()]),
        lamp_south=_first(named["lamp_south"]),
        lamp_north=_first(named["lamp_north"]),
        display_south=_pair(named["display_south"]),
        display_north=_pair(named["display_north"]),
        buzzer=_first(named["buzzer"]),
    )


def _numbers(name: str, value: str) -> tuple[int, ...]:
    wanted = 2 if name.startswith("display") else 1
    parts = value.split("/")
    if value == "none" and name not in ("south", "north"):
        return ()
    if len(parts) != wanted or not all(part.isdecimal() and int(part) in USABLE for part in parts):
        form = "CLOCK/DATA, two GPIO numbers" if wanted == 2 else "one GPIO number"
        least = "" if name in ("south", "north") else ", or none"
        raise MisuseError(f"{name}={value}: wanted {form} from {USABLE[0]} to {USABLE[-1]}{least}")
    numbers = tuple(int(part) for part in parts)
    if name.startswith(("lamp", "buzzer")) and numbers[0] in PULLED_UP:
        raise MisuseError(
            f"{name}={value}: the Pi pulls GPIO {numbers[0]} up, it would be on while the Pi"
            " starts; take another"
        )
    return numbers


def _first(numbers: tuple[int, ...]) -> int | None:
    return numbers[0] if numbers else None


def _pair(numbers: tuple[int, ...]) -> tuple[int, int] | None:
    return (numbers[0], numbers[1]) if numbers else None

"""E. The bring-up test of a board on a Raspberry Pi's own pins: `takhte board test --board pi`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol, TextIO, TypeVar

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.clock_panel import Button, ClockFace, ClockPanel, Lamp, SideFace
from rules.board import BAR

PATIENCE_S: Final = 60.0
LOOK_S: Final = 0.02

Ask = Callable[[str], str]
_Seen = TypeVar("_Seen")


class Switches(Protocol):
    """What reads all switches at once."""

    def read(self) -> tuple[bool, ...]: ...


def walk_pins(
    board: BoardSpec,
    switches: Switches,
    panel: ClockPanel,
    ask: Ask,
    out: TextIO,
    clock: Callable[[], float] = time.monotonic,
) -> list[tuple[str, bool]]:
    """Every step: (name, good) each. The panel's levels come first: 5 V on a pin kills a Pi."""
    steps: list[tuple[str, Callable[[], bool]]] = [
        ("levels", lambda: _levels(ask)),
        ("open", lambda: _all_open(switches, ask, out)),
        ("switches", lambda: _each_switch(board, switches, out, clock)),
        ("displays and lamps", lambda: _panel(panel, ask)),
        ("buttons", lambda: _buttons(panel, out, clock)),
    ]
    results = []
    for name, step in steps:
        print(f"\n[{name}]", file=out, flush=True)
        good = step()
        print(f"  {'good' if good else 'NOT GOOD'}", file=out, flush=True)
        results.append((name, good))
        if name == "levels" and not good:
            break
    return results


def _yes(ask: Ask, question: str) -> bool:
    return ask(f"  {question} [y/n] ").strip().lower().startswith("y")


def _levels(ask: Ask) -> bool:
    return _yes(
        ask,
        "Measured against ground, panel and expanders plugged off the Pi: no wire that goes to a"
        " GPIO shows more than 3.4 V?",
    )


def _all_open(switches: Switches, ask: Ask, out: TextIO) -> bool:
    ask("Take every checker off the board, then press Enter. ")
    shut = [number for number, closed in enumerate(switches.read()) if closed]
    for number in shut:
        print(f"  switch {number} is closed with nothing above it", file=out)
    if len(shut) == len(switches.read()):
        print("  all closed: MISO is not connected, or an expander has no supply", file=out)
    return not shut


def _each_switch(
    board: BoardSpec, switches: Switches, out: TextIO, clock: Callable[[], float]
) -> bool:
    """A checker over every switch in turn: it alone must close."""
    good = True
    for number, place in enumerate(board.sensors.places):
        if place.role not in ("point", "bar"):
            continue
        where = "the bar" if place.site == BAR else f"geometric point {place.site}"
        slot = place.slot + 1
        print(f"switch {number}: {where}, {slot} from the rim", file=out, flush=True)
        shut = _wait(lambda: [n for n, c in enumerate(switches.read()) if c], clock)
        if shut != [number]:
            good = False
            said = "nothing closed: an open joint" if not shut else f"{shut} closed: wires swapped"
            print(f"  {said}", file=out, flush=True)
        _wait(lambda: not any(switches.read()), clock)
    return good


def _panel(panel: ClockPanel, ask: Ask) -> bool:
    panel.show(ClockFace(SideFace("1234", True, Lamp.ON), SideFace("5678", True, Lamp.OFF), 7))
    good = _yes(ask, "South's display 12:34 with its lamp on, north's 56:78 with its lamp off?")
    panel.show(ClockFace(brightness=0))
    panel.buzz(880, 300)
    return _yes(ask, "Did it sound?") and good


def _buttons(panel: ClockPanel, out: TextIO, clock: Callable[[], float]) -> bool:
    good = True
    for button in Button:
        print(f"  press {button.name.lower()} ...", file=out, flush=True)

        def pressed() -> list[Button]:
            return [edge.button for edge in panel.presses(clock()) if edge.down]

        came = _wait(pressed, clock)
        if came != [button]:
            good = False
            names = ", ".join(other.name.lower() for other in came or []) or "none"
            print(f"  {names} answered", file=out)
    return good


def _wait(look: Callable[[], _Seen], clock: Callable[[], float]) -> _Seen | None:
    """The first thing seen that is something; None within the patience."""
    end = clock() + PATIENCE_S
    while clock() < end:
        if found := look():
            return found
        time.sleep(LOOK_S)
    return None

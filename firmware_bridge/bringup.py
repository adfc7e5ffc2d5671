"""E. The dialogues of calibration and of the bring-up test: each step says what to do, does it, and
says what it found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TextIO

from firmware_bridge import wire
from firmware_bridge.calibration import (
    Calibration,
    SensorFault,
    from_empty,
    from_placement,
    with_gain,
)
from firmware_bridge.clock_panel import Button, ClockFace, Lamp, SideFace
from firmware_bridge.errors import CalibrationError
from firmware_bridge.greeting import reset_cause
from firmware_bridge.lights import Light, LightColour, LightScene, Part, Pattern
from firmware_bridge.physics import counts_per_mv, one_checker_mv
from firmware_bridge.session import BoardSession
from rules.board import BAR, POINTS, Placement, Seating

EMPTY_S: Final = 4.0
PATIENCE_S: Final = 60.0
"""For a person to lay a checker or press a button."""

Ask = Callable[[str], str]


def empty_board(
    session: BoardSession, ask: Ask, out: TextIO, uid: str
) -> tuple[Calibration, tuple[SensorFault, ...]]:
    """Zeros and noise."""
    ask("Take every checker off the board, dishes on the bar too, then press Enter. ")
    print("Listening for four seconds ...", file=out, flush=True)
    return from_empty(session.board, session.watch(EMPTY_S), uid)


def start_position(
    session: BoardSession, found: Calibration, ask: Ask, out: TextIO, start: Placement
) -> Calibration:
    """Gains from a placement that everyone can lay out."""
    ask(
        "Lay out the start position of backgammon, tidily, checkers against the rim and each other:"
        " light bears off at the south-east. Then press Enter. "
    )
    print("Listening ...", file=out, flush=True)
    return from_placement(session.board, found, session.watch(1.5)[-8:], start, Seating())


def guided(session: BoardSession, found: Calibration, out: TextIO, skip: set[int]) -> Calibration:
    """One light checker above each sensor in turn; its light shows where, and the board itself
    notices when it lies there.
    """
    board = session.board
    unit = one_checker_mv(board) * counts_per_mv(board)
    print(
        "Take one light checker. Lay it right above the spot that shines, wait for the light to go"
        " on to the next, and follow it.",
        file=out,
    )
    for number, place in enumerate(board.sensors.places):
        if place.role not in ("point", "bar") or number in skip:
            continue
        site, slot = place.site, place.slot
        part = Part.RIM if slot < 3 else Part.INNER
        session.link.show(LightScene(((site, Light(LightColour.YELLOW, Pattern.DOUBLE, part)),)))
        where = (
            f"dish {slot + 1} of the bar from the south"
            if site == BAR
            else f"geometric point {site}, {slot + 1} from the rim"
        )
        print(f"sensor {number}: {where}", file=out, flush=True)
        steady = _Steady(session, number, found, unit)
        if not session.until(steady.lies_there, PATIENCE_S):
            print("  nothing felt there for a minute: left as it was", file=out)
            continue
        try:
            found = with_gain(board, found, number, session.values or ())
        except CalibrationError as error:
            print(f"  {error}", file=out)
    session.link.show(LightScene())
    return found


class _Steady:
    """Does one checker lie still above this sensor?

    It must answer most of all, and the same, for eight scans in a row.
    """

    def __init__(
        self, session: BoardSession, number: int, calibration: Calibration, unit: float
    ) -> None:
        self._session, self._number, self._unit = session, number, unit
        self._zero = calibration.zeros[number]
        self._zeros = calibration.zeros
        self._last: tuple[int, ...] | None = None
        self._held = 0

    def lies_there(self) -> bool:
        values = self._session.values
        if values is None or values is self._last:
            return False
        now = (values[self._number] - self._zero) / self._unit
        before = (self._last[self._number] - self._zero) / self._unit if self._last else 0.0
        strongest = max(range(len(values)), key=lambda n: abs(values[n] - self._zeros[n]))
        near = now > 0.6 and strongest == self._number
        self._held = self._held + 1 if near and abs(now - before) < 0.02 else 0
        self._last = values
        return self._held >= 3


Step = Callable[[BoardSession, Ask, TextIO], bool]


def walk(session: BoardSession, ask: Ask, out: TextIO) -> list[tuple[str, bool]]:
    """Every step of the bring-up checklist; (name, good) each."""
    steps: list[tuple[str, Step]] = [
        ("identity", _identity), ("sensors", _sensors), ("lights", _lights), ("clock", _clock),
        ("buzzer", _buzzer), ("buttons", _buttons),
        ("wire", _wire),
    ]  # fmt: skip
    results = []
    for name, step in steps:
        print(f"\n[{name}]", file=out, flush=True)
        good = step(session, ask, out)
        print(f"  {'good' if good else 'NOT GOOD'}", file=out, flush=True)
        results.append((name, good))
    return results


def _yes(ask: Ask, question: str) -> bool:
    return ask(f"  {question} [y/n] ").strip().lower().startswith("y")


def _identity(session: BoardSession, ask: Ask, out: TextIO) -> bool:
    hello = session.link.hello
    if hello is None:
        return False
    print(
        f"  board {hello.uid.hex()}, firmware {hello.firmware >> 8}.{hello.firmware & 255}, build"
        f" {hello.build:08x}",
        file=out,
    )
    print(
        f"  last start: {reset_cause(hello.cause)}; lights may draw {hello.led_cap_ma} mA", file=out
    )
    return not hello.cause & wire.CAUSE_BROWN_OUT


def _sensors(session: BoardSession, ask: Ask, out: TextIO) -> bool:
    _, faults = empty_board(session, ask, out, "")
    for fault in faults:
        print(f"  sensor {fault.sensor}: {fault.what}", file=out)
    return not faults


def _lights(session: BoardSession, ask: Ask, out: TextIO) -> bool:
    good = True
    for colour in (LightColour.VERMILION, LightColour.GREEN, LightColour.BLUE):
        session.link.show(LightScene(tuple((site, Light(colour)) for site in (*POINTS, BAR, 0))))
        session.watch(0.5)
        good &= _yes(ask, f"Is every light {colour.name.lower()}, points, bar and trays?")
    session.link.show(
        LightScene(((1, Light(LightColour.SKY)), (24, Light(LightColour.ORANGE, Pattern.BLINK))))
    )
    session.watch(0.5)
    good &= _yes(ask, "Does the south-east point shine steadily and the north-east one blink?")
    session.link.show(LightScene())
    return good


def _clock(session: BoardSession, ask: Ask, out: TextIO) -> bool:
    session.link.face(
        ClockFace(SideFace("1234", True, Lamp.ON), SideFace("5678", True, Lamp.BLINK), 7)
    )
    session.watch(0.5)
    good = _yes(
        ask, "South's display 12:34 with its lamp on, north's 56:78 with its lamp blinking?"
    )
    session.link.face(ClockFace(brightness=0))
    return good


def _buzzer(session: BoardSession, ask: Ask, out: TextIO) -> bool:
    session.link.buzz(880, 300)
    session.watch(0.6)
    return _yes(ask, "Did it sound?")


def _buttons(session: BoardSession, ask: Ask, out: TextIO) -> bool:
    good = True
    for button in Button:
        session.pressed.clear()
        print(f"  press {button.name.lower()} ...", file=out, flush=True)

        def came(wanted: Button = button) -> bool:
            return any(press.button == wanted and press.down for press in session.pressed)

        felt = session.until(came, PATIENCE_S)
        others = {
            Button(press.button).name.lower()
            for press in session.pressed
            if press.down and press.button != button
        }
        if others:
            print(
                f"  {', '.join(sorted(others))} answered as well: two wires touch, or are swapped",
                file=out,
            )
        good &= felt and not others
    return good


def _wire(session: BoardSession, ask: Ask, out: TextIO) -> bool:
    session.watch(3.0)
    s = session.link.statistics
    print(
        f"  {s.frames} frames, {s.damaged + s.board_rx_bad} damaged, {s.board_rx_overrun} overruns,"
        f" {s.losses} losses",
        file=out,
    )
    print(f"  round trip {s.rtt_best_s * 1000:.1f} ms at best", file=out)
    return s.damaged + s.board_rx_bad == 0 and s.board_rx_overrun == 0 and s.losses == 0

"""E. The dialogues of calibration and of the bring-up test: each step says what to do, does it, and
says what it found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TextIO

from firmware_bridge import wire
from firmware_bridge.calibration import (
    Calibration,
    SensorFault,
    by_design,
    from_empty,
    from_placement,
    gap_of,
    settled_gains,
    whole_board,
    with_gain,
)
from firmware_bridge.clock_panel import Button, ClockFace, Lamp, SideFace
from firmware_bridge.errors import CalibrationError
from firmware_bridge.findings import SensorFinding
from firmware_bridge.greeting import reset_cause
from firmware_bridge.lights import Light, LightColour, LightScene, Part, Pattern
from firmware_bridge.link_events import LevelsSeen, Sensed
from firmware_bridge.physics import counts_per_mv, one_checker_mv
from firmware_bridge.sensing import Sensing
from firmware_bridge.session import BoardSession
from firmware_bridge.view import spans
from rules.board import BAR, POINTS, Placement, Seating

EMPTY_S: Final = 4.0
MULTIPLEXERS_S: Final = 2.0
"""Long enough to hear what they read while they are off, twice."""
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


def tell_faults(faults: Sequence[SensorFault], out: TextIO) -> None:
    """Print what is wrong, a line for all sensors that have the same fault."""
    alike: dict[str, list[int]] = {}
    for fault in faults:
        alike.setdefault(fault.what, []).append(fault.sensor)
    for what, numbers in alike.items():
        print(f"  sensor{'s' * (len(numbers) > 1)} {spans(numbers)}: {what}", file=out)


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
    notices when it lies there. The first few teach how strongly this board's gap lets it answer.
    """
    board = session.board
    learnt: dict[int, float] = {}
    before: int | None = None
    felt = _felt_sensors(session, skip)
    print(_FOLLOW, file=out)
    for number in felt:
        _point_at(session, number, out)
        answer = _Answer(session, number, found, before, felt)
        if not session.until(answer.right, PATIENCE_S):
            print("  nothing felt there for a minute: left as it was", file=out)
            continue
        before = number
        try:
            found = with_gain(board, found, number, session.values or (), learnt=learnt)
            learnt[number] = found.gains[number]
        except CalibrationError as error:
            print(f"  {error}", file=out)
    session.link.show(LightScene())
    found, odd = settled_gains(board, found, learnt)
    for number in odd:
        print(
            f"sensor {number} answered unlike the others, before they were known: it gets the"
            " board's mean; calibrate once more for its own",
            file=out,
        )
    whole = whole_board(board, learnt)
    if whole is not None:
        print(
            f"One checker gives {whole:.0%} of the design's answer: a gap of about"
            f" {gap_of(board, whole):.1f} mm (the design's: {board.sensor.gap:.1f})",
            file=out,
        )
    return found


_FOLLOW: Final = (
    "Take one light checker. Lay it right above the spot that shines, wait for the light to go on"
    " to the next, and follow it."
)


def _felt_sensors(session: BoardSession, skip: set[int]) -> list[int]:
    """The sensors that a checker can lie on."""
    places = enumerate(session.board.sensors.places)
    return [n for n, place in places if place.role in ("point", "bar") and n not in skip]


def _point_at(session: BoardSession, number: int, out: TextIO) -> None:
    """Show and say where a sensor is."""
    place = session.board.sensors.places[number]
    part = Part.RIM if place.slot < 3 else Part.INNER
    light = Light(LightColour.YELLOW, Pattern.DOUBLE, part)
    session.link.show(LightScene(((place.site, light),)))
    where = (
        f"dish {place.slot + 1} of the bar from the south"
        if place.site == BAR
        else f"geometric point {place.site}, {place.slot + 1} from the rim"
    )
    print(f"sensor {number}: {where}", file=out, flush=True)


class _Answer:
    """Which of the `felt` sensors answers most of all to a checker that lies still, scan after
    scan.

    The wanted one is believed after three scans; another only after twelve, and never the one whose
    turn was before, since the checker may still lie there.
    """

    def __init__(
        self,
        session: BoardSession,
        number: int,
        calibration: Calibration,
        before: int | None,
        felt: Sequence[int],
    ) -> None:
        self._session, self._wanted, self._before = session, number, before
        self._unit = one_checker_mv(session.board) * counts_per_mv(session.board)
        self._zeros = calibration.zeros
        self._felt = felt
        self._last: tuple[int, ...] | None = None
        self._held = 0
        self.strongest: int | None = None
        self.checkers = 0.0

    def right(self) -> bool:
        """The wanted sensor, the right way up."""
        return self.settled() and self.strongest == self._wanted and self.checkers > 0

    def settled(self) -> bool:
        """Any sensor, long enough."""
        values, last = self._session.values, self._last
        if values is None or values is last:
            return False
        self._last = values

        def at(n: int, scan: tuple[int, ...]) -> float:
            return (scan[n] - self._zeros[n]) / self._unit

        strongest = max(self._felt, key=lambda n: abs(at(n, values)))
        self.checkers = at(strongest, values)
        still = (
            strongest == self.strongest
            and last is not None
            and abs(self.checkers - at(strongest, last)) < 0.02
            and abs(self.checkers) > LEAST_CHECKER
        )
        self.strongest = strongest
        self._held = self._held + 1 if still else 0
        if strongest == self._before != self._wanted:
            return False
        return self._held >= (3 if strongest == self._wanted else 12)


LEAST_CHECKER: Final = 0.35
"""Of the design's answer: less than a checker gives at the widest gap that is calibrated."""


Step = Callable[[BoardSession, Ask, TextIO], bool]


def walk(session: BoardSession, ask: Ask, out: TextIO) -> list[tuple[str, bool]]:
    """Every step of the bring-up checklist; (name, good) each."""
    dead: set[int] = set()
    steps: list[tuple[str, Step]] = [
        ("identity", _identity),
        ("sensors", partial(_sensors, dead=dead)), ("checkers", partial(_checkers, dead=dead)),
        ("lights", _lights), ("clock", _clock),
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


def _sensors(session: BoardSession, ask: Ask, out: TextIO, dead: set[int]) -> bool:
    """Zeros, noise, the divider and the multiplexers; what cannot be right goes into `dead`."""
    found, faults = empty_board(session, ask, out, "")
    tell_faults(faults, out)
    findings = _multiplexers(session, found)
    for finding in findings:
        print(f"  {finding}", file=out)
    dead.update(fault.sensor for fault in faults)
    return not faults and not findings


def _multiplexers(session: BoardSession, found: Calibration) -> tuple[SensorFinding, ...]:
    """What is wrong with multiplexers, as the board tells it in the next seconds."""
    sensing = Sensing(session.board, found, Seating())
    for event in session.hear(MULTIPLEXERS_S):
        if isinstance(event, Sensed):
            sensing.observe(event.values, event.at, event.number)
        elif isinstance(event, LevelsSeen):
            sensing.hear_levels(event.values)
    return sensing.health().rows


def _checkers(session: BoardSession, ask: Ask, out: TextIO, dead: set[int]) -> bool:
    """A checker over every sensor but the dead: a joint that is open, two wires that are swapped or
    touch, a sensor upside down."""
    if not _yes(ask, "Walk one light checker over every sensor of the empty board (ten minutes)?"):
        print("  left out: swapped wires and weak joints stay unseen", file=out)
        return False
    scans = session.watch(1.5)
    zeros = tuple(float(value) for value in (scans[-1] if scans else session.values or ()))
    found = replace(by_design(session.board), zeros=zeros)
    print(_FOLLOW, file=out)
    felt = _felt_sensors(session, dead)
    left_out = sorted(set(_felt_sensors(session, set())) - set(felt))
    if left_out:
        print(f"  left out, as the step before named them: sensors {spans(left_out)}", file=out)
    good, before = not left_out, None
    for number in felt:
        _point_at(session, number, out)
        answer = _Answer(session, number, found, before, felt)
        fault = ""
        if not session.until(answer.settled, PATIENCE_S):
            fault = "nothing felt there: an open joint, or a dead sensor"
        elif answer.strongest != number:
            fault = f"sensor {answer.strongest} answers instead: their wires are swapped, or touch"
        elif answer.checkers < 0:
            fault = "a light checker pulls it down: the sensor lies upside down, or the magnet does"
        if fault:
            print(f"  {fault}", file=out, flush=True)
        good, before = good and not fault, answer.strongest
    session.link.show(LightScene())
    return good


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
    few = (Button.SOUTH, Button.NORTH)
    good = _yes(ask, "Are all seven buttons wired (n: the two presses alone)?")
    for button in Button if good else few:
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

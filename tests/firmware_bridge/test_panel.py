"""The clock panel: one contract for both backends, the board's own over serial and a Raspberry Pi's
pins with modelled TM1637 chips; chords; switches."""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest
from gpiozero import Device
from gpiozero.pins.mock import MockFactory

from firmware_bridge.board_spec import reference_board
from firmware_bridge.clock_panel import (
    Button,
    ButtonEdge,
    Chords,
    ClockFace,
    ClockPanel,
    Lamp,
    SideFace,
    time_text,
)
from firmware_bridge.errors import MisuseError, NoGpio
from firmware_bridge.gpio import GpioPanel
from firmware_bridge.link_events import EdgeSeen
from firmware_bridge.panel_pins import PULLED_UP, SPI_PINS, PanelPins, panel_pins
from firmware_bridge.pi_bringup import walk_pins
from firmware_bridge.serial_panel import SerialPanel
from firmware_bridge.switch_board import SwitchSensing, open_switches
from rules.board import BAR, Corner, Seating
from rules.observation import Condition
from tests.firmware_bridge.chips import TAPS, ExpanderModel, TappedPin, Tm1637Model
from tests.firmware_bridge.wires import of, wired

FACE = ClockFace(SideFace("0245", True, Lamp.ON), SideFace("12", False, Lamp.BLINK), 7)


class Bench(Protocol):
    """A panel, a person's fingers, and eyes on its displays and lamps."""

    panel: ClockPanel
    now: float

    def finger(self, button: Button, down: bool) -> None: ...
    def run(self, seconds: float) -> tuple[ButtonEdge, ...]: ...
    def displays(self) -> tuple[bytes, int]: ...
    def lamps(self) -> tuple[bool, bool]: ...
    def sounded(self) -> bool: ...


class SerialBench:
    def __init__(self) -> None:
        self.wire = wired()
        self.panel = SerialPanel(self.wire.link)
        self.run(1.0)

    @property
    def now(self) -> float:
        return self.wire.now

    def finger(self, button: Button, down: bool) -> None:
        self.wire.simulator.press(int(button), down)

    def run(self, seconds: float) -> tuple[ButtonEdge, ...]:
        for event in of(EdgeSeen, self.wire.run(seconds)):
            self.panel.add(event)
        return self.panel.presses(self.wire.now)

    def displays(self) -> tuple[bytes, int]:
        return self.wire.simulator.outputs.segments, self.wire.simulator.outputs.brightness

    def lamps(self) -> tuple[bool, bool]:
        shown = self.wire.simulator.outputs
        lit = shown.lit & (0xFF if self.now % 1.0 < 0.5 else ~shown.blink)
        return bool(lit & 1), bool(lit & 2)

    def sounded(self) -> bool:
        return bool(self.wire.simulator.outputs.tones)


class GpioBench:
    def __init__(self) -> None:
        self.now = 50.0
        self.pins = PanelPins(bounce_s=None)
        self.chips = (Tm1637Model(), Tm1637Model())
        TAPS.clear()
        for chip, pair in zip(
            self.chips, (self.pins.display_south, self.pins.display_north), strict=True
        ):
            assert pair is not None
            TAPS.update({pair[0]: (chip, "clock"), pair[1]: (chip, "data")})
        self.panel = GpioPanel(self.pins, clock=lambda: self.now)
        self._by_button = {
            Button.SOUTH: self.pins.south,
            Button.NORTH: self.pins.north,
            **dict(self.pins.more),
        }

    def finger(self, button: Button, down: bool) -> None:
        pin = Device.pin_factory.pin(self._by_button[button])
        pin.drive_low() if down else pin.drive_high()

    def run(self, seconds: float) -> tuple[ButtonEdge, ...]:
        found: tuple[ButtonEdge, ...] = ()
        end = self.now + seconds
        while self.now < end - 1e-9:
            self.now += 0.01
            found += self.panel.presses(self.now)
        return found

    def displays(self) -> tuple[bytes, int]:
        level = self.chips[0].level + 1 if self.chips[0].on else 0
        return b"".join(bytes(chip.ram[:4]) for chip in self.chips), level

    def lamps(self) -> tuple[bool, bool]:
        lamps = [
            Device.pin_factory.pin(pin).state
            for pin in (self.pins.lamp_south, self.pins.lamp_north)
        ]
        return bool(lamps[0]), bool(lamps[1])

    def sounded(self) -> bool:
        return any(state.state for state in Device.pin_factory.pin(self.pins.buzzer).states)


@pytest.fixture
def mock_pins() -> Iterator[MockFactory]:
    before = Device.pin_factory
    Device.pin_factory = factory = MockFactory(pin_class=TappedPin)
    yield factory
    factory.reset()
    Device.pin_factory = before


@pytest.fixture(params=[SerialBench, GpioBench], ids=["serial", "gpio"])
def bench(request: pytest.FixtureRequest, mock_pins: MockFactory) -> Iterator[Bench]:
    found = request.param()
    yield found
    found.panel.close()


def test_displays_and_lamps_show_the_face(bench: Bench) -> None:
    bench.panel.show(FACE)
    bench.run(1.0)
    assert bench.displays() == (FACE.segments(), 7)
    seen = set()
    for _ in range(20):
        bench.run(0.1)
        seen.add(bench.lamps())
    assert seen == {(True, True), (True, False)}


def test_the_latest_face_wins_and_close_goes_dark(bench: Bench) -> None:
    for n in range(20):
        bench.panel.show(ClockFace(SideFace(f"{n:04d}"), SideFace("----"), 3))
    bench.run(1.0)
    assert bench.displays() == (SideFace("0019").segments() + SideFace("----").segments(), 3)
    bench.panel.close()
    if isinstance(bench, SerialBench):
        bench.run(0.5)
    assert bench.displays()[1] == 0


def test_every_button_comes_once_in_order_with_its_time(bench: Bench) -> None:
    truth = []
    got: list[ButtonEdge] = []
    for button in Button:
        for down in (True, False):
            bench.finger(button, down)
            truth.append((button, down, bench.now))
            got += bench.run(0.05)
    got += bench.run(0.2)
    assert [(p.button, p.down) for p in got] == [(button, down) for button, down, _ in truth]
    assert [p.number for p in got] == list(range(got[0].number, got[0].number + len(got)))
    assert all(abs(p.at - at) < 0.02 for p, (_, _, at) in zip(got, truth, strict=True))


def test_both_presses_held_call_the_director_once(bench: Bench) -> None:
    bench.finger(Button.SOUTH, True)
    bench.run(0.3)
    bench.finger(Button.NORTH, True)
    assert not [p for p in bench.run(1.4) if p.chord]
    called = [p for p in bench.run(2.0) if p.chord]
    assert [(p.button, p.down) for p in called] == [
        (Button.DIRECTOR, True),
        (Button.DIRECTOR, False),
    ]
    bench.finger(Button.SOUTH, False)
    bench.finger(Button.NORTH, False)
    assert not [p for p in bench.run(2.0) if p.chord]


def test_a_tone_sounds(bench: Bench) -> None:
    bench.panel.buzz(880, 50)
    bench.run(0.5)
    assert bench.sounded()


TIMES = {
    754.2: "1235",
    60.0: "0100",
    59.01: "0100",
    0.2: "0001",
    0.0: "0000",
    -5.0: "0000",
    5999.0: "9959",
    6000.0: "0140",
}


@pytest.mark.parametrize("seconds", TIMES)
def test_times_as_digits(seconds: float) -> None:
    assert time_text(seconds).text == TIMES[seconds]


@pytest.mark.parametrize("text", ["12345", "1:23", "käse"])
def test_what_no_display_shows_is_refused(text: str) -> None:
    with pytest.raises(MisuseError):
        SideFace(text)


def test_a_chord_needs_both_at_once() -> None:
    chords = Chords()
    for n, (button, down) in enumerate(
        [(Button.SOUTH, True), (Button.SOUTH, False), (Button.NORTH, True)]
    ):
        chords.add(ButtonEdge(button, down, float(n), n))
    assert chords.due(100.0) == ()


def test_without_pins_it_is_said_plainly() -> None:
    class NoPins(MockFactory):  # type: ignore[misc]
        def pin(self, name: Any) -> Any:
            raise OSError("no gpiochip")

    before, Device.pin_factory = Device.pin_factory, NoPins()
    try:
        with pytest.raises(NoGpio, match="Raspberry Pi"):
            GpioPanel()
    finally:
        Device.pin_factory = before


def test_a_board_of_switches_reads_through_the_expanders(mock_pins: MockFactory) -> None:
    board = reference_board()
    pins = {"clock_pin": 2, "mosi_pin": 3, "miso_pin": 4, "select_pin": 14}
    model = ExpanderModel(*pins.values())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        switches = open_switches(**pins)
    wanted = {
        *board.sensors.of_point(1)[:2],
        *board.sensors.of_point(12),
        *board.sensors.of_bar[:1],
    }
    for number in wanted:
        model.closed[number] = True
    closed = switches.read()
    assert {n for n, c in enumerate(closed) if c} == wanted
    sensing = SwitchSensing(board, Seating(home=Corner.NORTH_WEST))
    assert sensing.observe(closed, 10.0).condition is Condition.MOVING
    seen = sensing.observe(closed, 10.3)
    assert seen.condition is Condition.AT_REST
    two = seen.at(Seating(home=Corner.NORTH_WEST).site(1))
    assert two is not None
    assert (
        two.likelihood(2, 0)
        == two.likelihood(0, 2)
        > 10 * two.likelihood(3, 0)
        > two.likelihood(5, 0)
    )
    many = seen.at(Seating(home=Corner.NORTH_WEST).site(12))
    assert many is not None
    assert many.likelihood(15, 0) == many.likelihood(5, 0) == many.likelihood(0, 9)
    bar = seen.at(BAR)
    assert bar is not None
    assert bar.likelihood(1, 0) == bar.likelihood(0, 1) > bar.likelihood(1, 1)
    switches.close()


def test_pins_are_set_by_name_and_the_rest_stays() -> None:
    assert panel_pins("") == PanelPins()
    changed = panel_pins("south=4 lamp_north=none display_south=2/3 director=none buzzer=18")
    assert changed.by_name() == {
        **PanelPins().by_name(),
        "south": (4,),
        "lamp_north": (),
        "display_south": (2, 3),
        "director": (),
        "buzzer": (18,),
    }


PINS_WRONG = {
    "left=4": "is no pin of the panel",
    "south": "is no pin of the panel",
    "south=none": "one GPIO number from 2 to 27",
    "south=28": "one GPIO number from 2 to 27",
    "display_north=4": "CLOCK/DATA, two GPIO numbers",
    "south=6": "GPIO 6 cannot be north: it is south already",
    f"lamp_south={PULLED_UP[0]}": "would be on while the Pi starts",
    "south=10": "GPIO 10 cannot be south: it is MOSI already",
}


@pytest.mark.parametrize("words", PINS_WRONG)
def test_pins_that_cannot_be_wired_so_are_refused(words: str) -> None:
    with pytest.raises(MisuseError, match=PINS_WRONG[words]):
        panel_pins(words, switches=True)


def test_the_wiring_page_names_the_panels_pins() -> None:
    rows = tomllib.loads(Path("hardware/wiring.toml").read_text())["pi"]
    named: dict[str, list[int]] = {}
    for row in rows:
        if not row["to"].startswith("MCP23S17"):
            named.setdefault(row["name"], []).append(row["gpio"])
    assert {n: tuple(pins) for n, pins in named.items()} == PanelPins().by_name()
    spi = {row["gpio"]: row["name"] for row in rows if row["to"].startswith("MCP23S17")}
    assert spi.items() <= SPI_PINS.items()


class Hand:
    """A builder: lays a checker where the walk says, presses what it asks, answers yes."""

    def __init__(self, bench: GpioBench, swapped: tuple[int, int] = (-1, -1)) -> None:
        self.bench, self.swapped = bench, swapped
        self.shut, self.written = set[int](), list[str]()

    def write(self, text: str) -> int:
        self.written.append(text)
        word = text.strip()
        if word.startswith("switch ") and "from the" in word:
            number = int(word.split()[1].rstrip(":"))
            one, other = self.swapped
            self.shut = {other if number == one else one if number == other else number}
        elif word.startswith("press "):
            button = Button[word.split()[1].upper()]
            self.bench.finger(button, True)
            self.bench.finger(button, False)
        return len(text)

    def flush(self) -> None:
        """Nothing waits."""

    def read(self) -> tuple[bool, ...]:
        """A checker is laid, seen once, and taken away."""
        seen = tuple(n in self.shut for n in range(128))
        self.shut = set()
        return seen


@pytest.mark.parametrize("swapped", [(-1, -1), (3, 20)], ids=["well", "two wires swapped"])
def test_the_walk_of_a_board_on_the_pis_own_pins(
    mock_pins: MockFactory, swapped: tuple[int, int]
) -> None:
    bench = GpioBench()
    hand = Hand(bench, swapped)
    steps = walk_pins(
        reference_board(), hand, bench.panel, lambda question: "y", hand, lambda: bench.now
    )
    wrong = [name for name, good in steps if not good]
    assert wrong == ([] if swapped == (-1, -1) else ["switches"])
    refused = walk_pins(reference_board(), hand, bench.panel, lambda question: "n", hand)
    assert refused == [("levels", False)]
    bench.panel.close()

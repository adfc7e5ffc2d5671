"""Which boards there are, and how each is opened (E).

`BOARDS` is the one list: `--board`, the settings, the page's choice, `takhte doctor`, recordings
and `docs/boards.md` read it. A board is two things: what reads its bytes (a `Board`, without a
port, so that a recording can be played through it), and what the bytes come from.

A new kind of board is a row here, its sensing in a file of its own, and its line in the docs; a new
kind of sensor is a row in `rules.observation.KINDS` too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.errors import NoGpio
from firmware_bridge.pty_board import PtyBoard
from firmware_bridge.simulator import Simulator
from firmware_bridge.transport import PortOpener, open_board
from rules.board import Seating, Side
from rules.observation import Source
from rules.position import Position
from rules.ruleset import ruleset
from service.session.boards import Board
from service.session.polled_board import PolledBoard
from service.session.wired_board import Calibrations, WiredBoard

SPI: Final = Path("/dev/spidev0.0")


class BoardMissingError(Exception):
    """This machine has no such board, and trying again would not help: one line."""


@dataclass(slots=True)
class BoardPorts:
    """Where a board's bytes come from: `opener(address)` opens the port, again and again.

    `simulated` is the board in this program that answers there, to be closed with the table.
    """

    address: str | None
    opener: PortOpener = open_board
    simulated: PtyBoard | None = None


@dataclass(frozen=True, slots=True)
class BoardWanted:
    """What was asked for: the address, the board's file, who sits where, the ruleset's name."""

    address: str
    spec: BoardSpec
    seating: Seating
    ruleset: str


@dataclass(frozen=True, slots=True)
class BoardScheme:
    """One kind of board. `what` is a line for people; `reader` makes what reads its bytes; `ports`
    finds where they come from, or raises BoardMissingError; `missing` says in a line what this
    machine lacks for an address, "" where nothing; `panel`: its buttons are the clock panel on this
    machine's own pins."""

    what: str
    reader: Callable[[BoardSpec, Seating, Calibrations], Board]
    ports: Callable[[BoardWanted], BoardPorts]
    missing: Callable[[str], str] = lambda address: ""
    panel: bool = False


def serial_ports(wanted: BoardWanted) -> BoardPorts:
    """A serial port or socket; `auto` searches by USB id."""
    return BoardPorts(None if wanted.address == "auto" else wanted.address)


def simulated_ports(wanted: BoardWanted) -> BoardPorts:
    """A board in this program on a pty, its checkers set up for the ruleset."""
    simulated = PtyBoard(Simulator(wanted.spec, 1))
    start = Position.start(ruleset(wanted.ruleset), Side.WHITE).placement
    with simulated.hands() as hands:
        hands.set_placement(start, wanted.seating)
    return BoardPorts(simulated.address, simulated=simulated)


def switch_ports(wanted: BoardWanted) -> BoardPorts:
    """The switches on this machine's own pins."""
    from firmware_bridge.switch_board import open_switch_port, open_switches

    try:
        open_switches().close()
    except NoGpio as e:
        raise BoardMissingError(f"--board pi: {e}; or choose another board") from None
    return BoardPorts(None, open_switch_port)


def switch_board(spec: BoardSpec, seating: Seating, calibrations: Calibrations) -> Board:
    """What reads the switches."""
    from firmware_bridge.switch_board import SwitchSensing, unpack_switches

    sensing = SwitchSensing(spec, seating)
    return PolledBoard(Source.SENSORS, len(spec.sensors.places), unpack_switches, sensing)


WIRED: Final = ""
"""The kind of every address that names no other."""

BOARDS: Final[Mapping[str, BoardScheme]] = {
    WIRED: BoardScheme(
        "a board with a microcontroller, by its serial port", WiredBoard, serial_ports
    ),
    "simulated": BoardScheme("no hardware: a board in this program", WiredBoard, simulated_ports),
    "pi": BoardScheme(
        "switches and a clock panel on this Raspberry Pi's own pins",
        switch_board,
        switch_ports,
        missing=lambda address: "" if SPI.exists() else f"no {SPI}: is SPI switched on?",
        panel=True,
    ),
}


def scheme_of(address: str) -> str:
    """The key in `BOARDS` of an address: the word itself, or what stands before its colon."""
    for name in (address, address.partition(":")[0]):
        if name in BOARDS:
            return name
    return WIRED


def recorded_scheme(scheme: str) -> str:
    """What a recording calls a kind of board: boards whose bytes are read alike share a name."""
    return WIRED if BOARDS[scheme].reader is BOARDS[WIRED].reader else scheme

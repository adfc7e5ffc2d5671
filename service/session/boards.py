"""The port for boards: what a table asks of any board, whatever it is made of.

A board here has no port, thread or clock of its own: bytes in, what they mean to the game out; what
shall shine in, bytes out. The same bytes at the same times give the same observations, so a raw
recording replays exactly. Two classes keep it: `wired_board.WiredBoard` (a microcontroller on a
serial line, or its simulator) and `polled_board.PolledBoard` (switches on the Pi's own pins, or any
sensor whose port gives whole readings). Which boards there are is `service.table.boards`.

All times are table time, seconds.
"""

from __future__ import annotations

from typing import Final, Generic, Protocol, TypeAlias, TypeVar

from firmware_bridge.clock_panel import Button, ButtonEdge, ClockFace
from firmware_bridge.findings import SensorFinding
from firmware_bridge.greeting import Firmware
from firmware_bridge.lights import LightScene
from rules.board import Placement, Seating, Side
from rules.observation import Condition, Observation
from service.journal.entry import Role, Who
from service.referee.inputs import Order, Press, SourceChanged

BoardInput: TypeAlias = Observation | Press | Order | SourceChanged
"""What a board says to the game."""

AGAIN_S: Final = 0.1
"""The board says what changed; that nothing changed must be told to the game as often as this,
until it has seen the board lie still.
"""
AGAIN_FOR_S: Final = 1.2
"""After that long the readings that come by themselves are enough."""

BUTTON_NAMES: Final = {
    Button.OFFER: "offer",
    Button.TAKE: "take",
    Button.DROP: "drop",
    Button.RESIGN: "resign",
    Button.DIRECTOR: "director",
}


class Board(Protocol):
    """One board. The table calls `opened` when its port is there, then in turn `receive`, `tick`
    and `to_send`; `closed` when the port goes."""

    seating: Seating
    """Who sits where; may be set at any time."""
    trouble: str
    """Why the board says nothing, "" when it does."""
    advice: str
    """What would make a board that answers better; "" where there is nothing."""

    @property
    def channels(self) -> int:
        """How many sensors it reads."""

    @property
    def presses(self) -> bool:
        """Whether it has the clock's buttons."""

    @property
    def lamps(self) -> bool:
        """Whether it has lights to show a scene with."""

    @property
    def firmware(self) -> Firmware | None:
        """What runs on its microcontroller; None where it has none, or does not say."""

    @property
    def refused(self) -> bool:
        """Whether what answers is no board of ours: the port should be let go."""

    def opened(self, now: float) -> None:
        """The port was opened."""

    def closed(self, now: float, reason: str) -> list[BoardInput]:
        """The port is gone, or could not be opened."""

    def receive(self, data: bytes, now: float) -> list[BoardInput]:
        """Bytes off the port: what they mean to the game, in order."""

    def tick(self, now: float) -> list[BoardInput]:
        """What follows from time passing; call some twenty times a second."""

    def to_send(self, now: float) -> bytes:
        """Bytes to be written to the port now."""

    def show(self, scene: LightScene, face: ClockFace) -> None:
        """Light this and nothing else, as far as there are lamps and displays."""

    def buzz(self, hz: int, ms: int) -> None:
        """Sound a tone, where there is a buzzer."""

    def settled(self, placement: Placement | None) -> None:
        """The record says that this stands on the board; None where it no longer knows."""

    def health_lines(self) -> list[SensorFinding]:
        """Sensors that cannot be believed, a line each; none where all is well."""

    def button_lines(self) -> list[SensorFinding]:
        """What a person who tries the buttons is told, a line each."""

    def link_line(self) -> str:
        """Counters of the wire, for whoever looks for a fault."""


def meaning(press: ButtonEdge, seating: Seating) -> Press | Order | None:
    """What a button says to the game; None for a button let go."""
    if not press.down:
        return None
    if press.button in (Button.SOUTH, Button.NORTH):
        return Press(at_seat(press.button, seating), press.at)
    name = BUTTON_NAMES[press.button]
    return Order("button", {"button": name}, Who("button", Role.PLAYER))


def at_seat(button: Button, seating: Seating) -> Side:
    """Who sits at a press: a player's home board is on the player's own side of the table."""
    return seating.south if button is Button.SOUTH else seating.south.other


_Reading = TypeVar("_Reading")
_Taken = TypeVar("_Taken", contravariant=True)


class BoardSensing(Protocol[_Taken]):
    """Readings of one board in, Observations out."""

    seating: Seating

    def observe(self, reading: _Taken, now: float, number: int, /) -> Observation: ...


class LastReading(Generic[_Reading]):
    """The newest reading of a board's sensors, observed anew until the board was seen at rest."""

    def __init__(self) -> None:
        self.rested: Observation | None = None
        """The last observation at rest."""
        self._reading: _Reading | None = None
        self._number = 0
        self._changed_at = self._observed_at = 0.0

    def forget(self) -> None:
        """The board is gone: nothing is known of it any more."""
        self._reading, self.rested = None, None

    def take(self, sensing: BoardSensing[_Reading], reading: _Reading, now: float) -> Observation:
        """What a new reading says."""
        if reading != self._reading:
            self._changed_at = now
        self._reading = reading
        return self._observe(sensing, reading, now)

    def again(self, sensing: BoardSensing[_Reading], now: float) -> list[Observation]:
        """The newest reading once more, where the game does not know yet that nothing changes."""
        if (
            self._reading is None
            or now - self._observed_at < AGAIN_S
            or now - self._changed_at >= AGAIN_FOR_S
        ):
            return []
        return [self._observe(sensing, self._reading, now)]

    def _observe(
        self, sensing: BoardSensing[_Reading], reading: _Reading, now: float
    ) -> Observation:
        self._number += 1
        self._observed_at = now
        observation = sensing.observe(reading, now, self._number)
        if observation.condition is not Condition.AT_REST:
            self._changed_at = max(self._changed_at, now - AGAIN_FOR_S / 2)
        else:
            self.rested = observation
        return observation

"""A board without a link: its port gives one whole reading at a time and takes nothing.

The port repeats a reading that does not change once a second, so that silence means that the board
is gone. Its sensors keep no memory of piles, it has no lamps, and buttons come by a clock panel.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from firmware_bridge.clock_panel import ClockFace
from firmware_bridge.errors import WireError
from firmware_bridge.findings import SensorFinding
from firmware_bridge.lights import LightScene
from rules.board import Placement, Seating
from rules.observation import Source
from service.referee.inputs import SourceChanged
from service.session.boards import BoardInput, BoardSensing, LastReading

SILENCE_S: Final = 3.0
"""Without a reading for so long the board counts as lost."""

R = TypeVar("R")


class PolledBoard(Generic[R]):
    """One board. `decode` turns the bytes of one reading into what `sensing` observes; it may raise
    WireError."""

    presses = False
    lamps = False
    refused = False
    firmware = None
    advice = ""

    def __init__(
        self,
        source: Source,
        channels: int,
        decode: Callable[[bytes], R],
        sensing: BoardSensing[R],
    ) -> None:
        self.channels = channels
        self.trouble = "no board is connected"
        self._device = source.kind.device
        self._decode, self._sensing = decode, sensing
        self._last = LastReading[R]()
        self._read_at = 0.0
        self._readings = 0

    @property
    def seating(self) -> Seating:
        return self._sensing.seating

    @seating.setter
    def seating(self, seating: Seating) -> None:
        self._sensing.seating = seating

    def opened(self, now: float) -> None:
        self._read_at = now

    def closed(self, now: float, reason: str) -> list[BoardInput]:
        return self._lost(reason)

    def receive(self, data: bytes, now: float) -> list[BoardInput]:
        """One whole reading."""
        try:
            reading = self._decode(data)
        except WireError as e:
            return self._lost(str(e))
        self._read_at = now
        self._readings += 1
        found: list[BoardInput] = []
        if self.trouble:
            self.trouble = ""
            found.append(SourceChanged(self._device, ok=True, reason=""))
        return [*found, self._last.take(self._sensing, reading, now)]

    def tick(self, now: float) -> list[BoardInput]:
        if not self.trouble and now - self._read_at > SILENCE_S:
            return self._lost(f"the board has given no reading for {SILENCE_S:g} s")
        return [*self._last.again(self._sensing, now)]

    def to_send(self, now: float) -> bytes:
        return b""

    def show(self, scene: LightScene, face: ClockFace) -> None:
        """There is nothing to show it with."""

    def buzz(self, hz: int, ms: int) -> None:
        """There is nothing to sound it with."""

    def settled(self, placement: Placement | None) -> None:
        """Every reading is read by itself."""

    def health_lines(self) -> list[SensorFinding]:
        return []

    def button_lines(self) -> list[SensorFinding]:
        return [SensorFinding.of("no_buttons")]

    def link_line(self) -> str:
        return f"{self._readings} readings"

    def _lost(self, reason: str) -> list[BoardInput]:
        known, self.trouble = self.trouble, reason
        self._last.forget()
        return [SourceChanged(self._device, ok=False, reason=reason)] if known != reason else []

"""A board with a microcontroller: the link, its sensing and its panel, composed.

The link speaks table time throughout.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.calibration import Calibration, by_design
from firmware_bridge.clock_panel import ClockFace
from firmware_bridge.errors import CalibrationError
from firmware_bridge.findings import SensorFinding
from firmware_bridge.greeting import Firmware, lacking
from firmware_bridge.lights import LightScene
from firmware_bridge.link import Link, LinkState
from firmware_bridge.link_events import (
    BoardRefused,
    EdgeSeen,
    GapNoted,
    LevelsSeen,
    Linked,
    LinkEvent,
    LinkLost,
    Sensed,
)
from firmware_bridge.sensing import Sensing
from firmware_bridge.sensor_health import Health
from firmware_bridge.serial_panel import SerialPanel
from rules.board import BAR, POINTS, Placement, Seating
from rules.observation import Source
from service.referee.inputs import Order, Press, SourceChanged
from service.session.boards import BoardInput, LastReading, meaning
from service.session.settled_placements import contradicted

DEVICE: Final = Source.SENSORS.kind.device

Calibrations = Callable[[str], Calibration | None]
"""The calibration kept for a board's uid (hexadecimal), None where it was never calibrated; may
raise CalibrationError.
"""


class WiredBoard:
    """One board. `seating` may be set at any time."""

    presses = True
    lamps = True

    def __init__(self, board: BoardSpec, seating: Seating, calibrations: Calibrations) -> None:
        self.board = board
        self.link = Link(board, seating)
        self.panel = SerialPanel(self.link)
        self.trouble = "no board is connected"
        self.advice = ""
        self._calibrations = calibrations
        self._sensing: Sensing | None = None
        self._seating = seating
        self._last = LastReading[tuple[int, ...]]()

    @property
    def channels(self) -> int:
        return len(self.board.sensors.places)

    @property
    def firmware(self) -> Firmware | None:
        hello = self.link.hello if self.link.state is LinkState.LINKED else None
        return Firmware.of(hello) if hello is not None else None

    @property
    def refused(self) -> bool:
        return self.link.state is LinkState.REFUSED

    @property
    def seating(self) -> Seating:
        return self._seating

    @seating.setter
    def seating(self, seating: Seating) -> None:
        if seating != self._seating:
            self._seating = self.link.seating = seating
            if self._sensing is not None:
                self._sensing.seating = seating

    def health_lines(self) -> list[SensorFinding]:
        """Sensors that cannot be believed, a line each; none where all is well or nothing was
        sensed yet.
        """
        if self._sensing is None:
            return []
        health = self._sensing.health()
        alone = [n for n in health.bad if health.health[n] is not Health.ROW]
        lines = [
            *health.rows,
            *(SensorFinding.of(f"sensor_{health.health[n].name.lower()}", number=n) for n in alone),
        ]
        if not health.divider_ok and not health.rows:
            lines.append(SensorFinding.of("divider_wrong"))
        return lines

    def button_lines(self) -> list[SensorFinding]:
        """How many edges came so far, and how long an answer takes."""
        counted = self.link.statistics
        return [
            SensorFinding.of("presses_so_far", count=counted.edges),
            SensorFinding.of("answer_takes", ms=round(counted.rtt_s * 1000)),
        ]

    def link_line(self) -> str:
        return str(self.link.statistics)

    def settled(self, placement: Placement | None) -> None:
        """The record says that this stands on the board; None where it no longer knows.

        Tall piles are then told by what changes. A board that reads otherwise (it was not looking,
        or a hand was quicker) learns nothing.
        """
        if self._sensing is None:
            return
        seen = self._last.rested
        if (
            placement is None
            or seen is None
            or any(
                contradicted(s, placement.white[s.site], placement.black[s.site])
                for s in seen.sites
            )
        ):
            if placement is not None and seen is not None:
                self._sensing.disputed(placement)
            self._sensing.forget()
        else:
            self._sensing.confirm(placement)
            self._sensing.known_empty(
                frozenset(
                    site
                    for site in (BAR, *POINTS)
                    if not placement.white[site] and not placement.black[site]
                )
            )

    def show(self, scene: LightScene, face: ClockFace) -> None:
        """Light this and nothing else, as soon as a board is there."""
        self.link.show(scene)
        self.panel.show(face)

    def buzz(self, hz: int, ms: int) -> None:
        self.panel.buzz(hz, ms)

    def opened(self, now: float) -> None:
        """A port was opened: greet."""
        self.link.opened(now)

    def closed(self, now: float, reason: str) -> list[BoardInput]:
        """The port is gone, or could not be opened."""
        known, self.trouble = self.trouble, reason
        events = self.link.closed(now, reason)
        if not events and known != reason:
            return [SourceChanged(DEVICE, ok=False, reason=reason)]
        return self._take(events, now)

    def receive(self, data: bytes, now: float) -> list[BoardInput]:
        return self._take(self.link.receive(data, now), now)

    def tick(self, now: float) -> list[BoardInput]:
        """Time passes: call some twenty times a second."""
        found = self._take(self.link.tick(now), now)
        for press in self.panel.presses(now):
            found += self._meaning(meaning(press, self._seating))
        if self._sensing is not None and self.link.state is LinkState.LINKED:
            found += self._last.again(self._sensing, now)
        return found

    def to_send(self, now: float) -> bytes:
        return self.link.data_to_send(now)

    def _take(self, events: tuple[LinkEvent, ...], now: float) -> list[BoardInput]:
        found: list[BoardInput] = []
        for event in events:
            match event:
                case Linked():
                    found.append(self._linked(event))
                case LinkLost() | BoardRefused():
                    self.trouble = event.reason
                    self._last.forget()
                    found.append(SourceChanged(DEVICE, ok=False, reason=event.reason))
                case GapNoted(presses_lost=True):
                    found.append(SourceChanged(DEVICE, ok=False, reason=event.reason))
                case EdgeSeen():
                    self.panel.add(event)
                    for press in self.panel.edges():
                        found += self._meaning(meaning(press, self._seating))
                case LevelsSeen() if self._sensing is not None:
                    self._sensing.hear_levels(event.values)
                case Sensed() if self._sensing is not None:
                    found.append(self._last.take(self._sensing, event.values, now))
        return found

    @staticmethod
    def _meaning(given: Press | Order | None) -> list[BoardInput]:
        return [] if given is None else [given]

    def _linked(self, event: Linked) -> SourceChanged:
        uid = event.hello.uid.hex()
        try:
            kept = self._calibrations(uid)
            reason = (
                ""
                if kept
                else (
                    "this board was never calibrated: counts of tall stacks are doubtful; takhte"
                    " board calibrate"
                )
            )
        except CalibrationError as e:
            kept, reason = None, str(e)
        self._sensing = Sensing(self.board, kept or by_design(self.board, uid), self._seating)
        reason = "; ".join(filter(None, (reason, lacking(event.hello))))
        self.trouble, self.advice = "", reason
        return SourceChanged(DEVICE, ok=True, reason=reason)

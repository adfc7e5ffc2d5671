"""The board's side of a table: bytes in, observations and presses out; what shall shine in, bytes
out.

No port and no clock of its own: the same bytes at the same times give the same observations, so a
raw recording replays exactly. The link speaks table time throughout.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.calibration import Calibration, by_design
from firmware_bridge.clock_panel import Button, Chords, ClockFace
from firmware_bridge.clock_panel import ButtonEdge as PanelPress
from firmware_bridge.errors import CalibrationError
from firmware_bridge.lights import LightScene
from firmware_bridge.link import Link, LinkState
from firmware_bridge.link_events import (
    BoardRefused,
    EdgeSeen,
    GapNoted,
    Linked,
    LinkEvent,
    LinkLost,
    LinkStatistics,
    Sensed,
)
from firmware_bridge.sensing import Sensing
from rules.board import Placement, Seating, Side
from rules.observation import Condition, Observation
from service.journal.entry import Role, Who
from service.referee.inputs import Order, Press, SourceChanged
from service.session.settled_placements import contradicted

AGAIN_S: Final = 0.1
"""The board says what changed; that nothing changed must be told to the game as often as this,
until it has seen the board lie still.
"""
AGAIN_FOR_S: Final = 1.2
"""After that long the keyframes that come by themselves are enough."""

WireInput = Observation | Press | Order | SourceChanged
Calibrations = Callable[[str], Calibration | None]
"""The calibration kept for a board's uid (hexadecimal), None where it was never calibrated; may
raise CalibrationError.
"""

ORDERS: Final = {
    Button.OFFER: "offer",
    Button.TAKE: "take",
    Button.DROP: "drop",
    Button.RESIGN: "resign",
    Button.DIRECTOR: "call_director",
}


def at_seat(button: Button, seating: Seating) -> Side:
    """Who sits at a press: a player's home board is on the player's own side of the table."""
    return seating.south if button is Button.SOUTH else seating.south.other


def meaning(press: PanelPress, seating: Seating) -> Press | Order | None:
    """What a button says to the game; None for a button let go."""
    if not press.down:
        return None
    if press.button in (Button.SOUTH, Button.NORTH):
        return Press(at_seat(press.button, seating), press.at)
    # Nobody knows whose hand pressed a button in the middle: the side whose turn it is to say this
    # is meant.
    args = {"level": 1} if press.button is Button.RESIGN else {}
    return Order(ORDERS[press.button], args, Who("button", Role.PLAYER))


class Wires:
    """One board. `seating` may be set at any time."""

    def __init__(self, board: BoardSpec, seating: Seating, calibrations: Calibrations) -> None:
        self.board = board
        self.link = Link(board, seating)
        self.trouble = "no board is connected"
        """Why the board says nothing, "" when it does."""
        self.advice = ""
        """What would make a board that answers better: its calibration; "" where there is nothing.
        """
        self._calibrations = calibrations
        self._sensing: Sensing | None = None
        self._seating = seating
        self._values: tuple[int, ...] = ()
        self._number = 0
        self._changed_at = self._told_at = 0.0
        self._chords = Chords()
        self._rested: Observation | None = None

    @property
    def statistics(self) -> LinkStatistics:
        return self.link.statistics

    @property
    def refused(self) -> bool:
        """What answers is no board of ours: the port should be let go."""
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

    def health_lines(self) -> list[str]:
        """Sensors that cannot be believed, a line each; none where all is well or nothing was
        sensed yet.
        """
        if self._sensing is None:
            return []
        health = self._sensing.health()
        lines = [f"sensor {n} is {health.health[n].value}" for n in health.bad]
        return (
            lines
            if health.divider_ok
            else [*lines, "the test divider is wrong: a multiplexer counts wrong"]
        )

    def settled(self, placement: Placement | None) -> None:
        """The record says that this stands on the board; None where it no longer knows.

        Tall piles are then told by what changes. A board that reads otherwise (it was not looking,
        or a hand was quicker) learns nothing.
        """
        if self._sensing is None:
            return
        seen = self._rested
        if (
            placement is None
            or seen is None
            or any(
                contradicted(s, placement.white[s.site], placement.black[s.site])
                for s in seen.sites
            )
        ):
            self._sensing.forget()
        else:
            self._sensing.confirm(placement)

    def show(self, scene: LightScene, face: ClockFace) -> None:
        """Light this and nothing else, as soon as a board is there."""
        self.link.show(scene)
        self.link.face(face)

    def opened(self, now: float) -> None:
        """A port was opened: greet."""
        self.link.opened(now)

    def closed(self, now: float, reason: str) -> list[WireInput]:
        """The port is gone, or could not be opened."""
        known, self.trouble = self.trouble, reason
        events = self.link.closed(now, reason)
        if not events and known != reason:
            return [SourceChanged("board", ok=False, reason=reason)]
        return self._take(events, now)

    def receive(self, data: bytes, now: float) -> list[WireInput]:
        return self._take(self.link.receive(data, now), now)

    def tick(self, now: float) -> list[WireInput]:
        """Time passes: call some twenty times a second."""
        found = self._take(self.link.tick(now), now)
        found += [
            said
            for press in self._chords.due(now)
            if (said := meaning(press, self._seating)) is not None
        ]
        lively = self._values and self.link.state is LinkState.LINKED
        if lively and now - self._told_at >= AGAIN_S and now - self._changed_at < AGAIN_FOR_S:
            found.append(self._observe(now))
        return found

    def to_send(self, now: float) -> bytes:
        """Bytes to be written to the port now."""
        return self.link.data_to_send(now)

    def _take(self, events: tuple[LinkEvent, ...], now: float) -> list[WireInput]:
        found: list[WireInput] = []
        for event in events:
            match event:
                case Linked():
                    found.append(self._linked(event))
                case LinkLost() | BoardRefused():
                    self.trouble, self._values, self._rested = event.reason, (), None
                    found.append(SourceChanged("board", ok=False, reason=event.reason))
                case GapNoted(presses_lost=True):
                    found.append(SourceChanged("board", ok=False, reason=event.reason))
                case EdgeSeen() if event.button in Button._value2member_map_:
                    press = PanelPress(
                        Button(event.button), event.down, event.at, event.number, event.doubt
                    )
                    self._chords.add(press)
                    found += [said] if (said := meaning(press, self._seating)) is not None else []
                case Sensed() if self._sensing is not None:
                    if event.values != self._values:
                        self._changed_at = now
                    self._values = event.values
                    found.append(self._observe(now))
        return found

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
        self.trouble, self.advice = "", reason
        return SourceChanged("board", ok=True, reason=reason)

    def _observe(self, now: float) -> Observation:
        assert self._sensing is not None
        self._number += 1
        self._told_at = now
        observation = self._sensing.observe(self._values, now, self._number)
        if observation.condition is not Condition.AT_REST:
            self._changed_at = max(self._changed_at, now - AGAIN_FOR_S / 2)
        else:
            self._rested = observation
        return observation

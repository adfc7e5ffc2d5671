"""The board's own clock panel: its buttons, lamps and displays, through a `Link`."""

from __future__ import annotations

from firmware_bridge.clock_panel import Button, ButtonEdge, Chords, ClockFace
from firmware_bridge.link import Link
from firmware_bridge.link_events import EdgeSeen

_BUTTONS = frozenset(Button)


class SerialPanel:
    """`ClockPanel` over a link. Feed it the link's edges; it never reads the port itself."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._waiting: list[ButtonEdge] = []
        self._chords = Chords()

    def add(self, event: EdgeSeen) -> None:
        """An edge among the link's events; a button that no panel has is left out."""
        if event.button in _BUTTONS:
            edge = ButtonEdge(Button(event.button), event.down, event.at, event.number, event.doubt)
            self._chords.add(edge)
            self._waiting.append(edge)

    def edges(self) -> tuple[ButtonEdge, ...]:
        """What was added since the last call, oldest first, without chords."""
        found = tuple(self._waiting)
        self._waiting.clear()
        return found

    def presses(self, now: float) -> tuple[ButtonEdge, ...]:
        """What was pressed and released since the last call, oldest first; chords last."""
        return self.edges() + self._chords.due(now)

    def show(self, face: ClockFace) -> None:
        self._link.face(face)

    def buzz(self, hz: int, ms: int) -> None:
        self._link.buzz(hz, ms)

    def close(self) -> None:
        self._link.face(ClockFace(brightness=0))

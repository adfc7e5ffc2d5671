"""E. One person at one board: a connection, what it last said, and pauses measured in events. For
the console's commands.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.errors import BoardLost
from firmware_bridge.link import Link, LinkState
from firmware_bridge.link_events import EdgeSeen, LinkEvent, Sensed
from firmware_bridge.transport import BoardConnection, Port


class BoardSession:
    """`watch` pumps the link; the last values and presses are kept."""

    def __init__(
        self, board: BoardSpec, address: str | None, opener: Callable[[str | None], Port]
    ) -> None:
        self.board = board
        self.link = Link(board)
        self.connection = BoardConnection(self.link, address, opener)
        self.values: tuple[int, ...] | None = None
        self.pressed: list[EdgeSeen] = []

    def pump(self, wait: float = 0.02) -> tuple[LinkEvent, ...]:
        events = self.connection.poll(wait)
        for event in events:
            if isinstance(event, Sensed):
                self.values = event.values
            elif isinstance(event, EdgeSeen):
                self.pressed.append(event)
        return events

    def connect(self, patience: float = 15.0) -> None:
        """Wait for the link. Raises NotOurBoard or BoardLost with the reason."""
        end = time.monotonic() + patience
        while self.link.state is not LinkState.LINKED:
            self.pump()
            if time.monotonic() > end:
                raise BoardLost(self.connection.problem or "the board does not answer")

    def hear(self, seconds: float) -> list[LinkEvent]:
        """Everything that the board says in the next seconds."""
        heard: list[LinkEvent] = []
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            heard += self.pump()
        return heard

    def watch(self, seconds: float) -> list[tuple[int, ...]]:
        """Every whole scan of the next seconds."""
        return [event.values for event in self.hear(seconds) if isinstance(event, Sensed)]

    def until(self, done: Callable[[], bool], patience: float) -> bool:
        """Pump until something is so; False when it was not within the patience."""
        end = time.monotonic() + patience
        while not done():
            if time.monotonic() > end:
                return False
            self.pump()
        return True

    def close(self) -> None:
        self.connection.close()

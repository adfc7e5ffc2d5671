"""A real board at a real port, as the suite holds it: `run(seconds)` in wall time."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from firmware_bridge.board_spec import reference_board
from firmware_bridge.link import Link
from firmware_bridge.link_events import LinkEvent
from firmware_bridge.transport import BoardConnection
from tests.firmware_bridge.wires import Wire


class MetalWire(Wire):
    def __init__(self, address: str) -> None:
        super().__init__(None, Link(reference_board()))
        self._connection = BoardConnection(self.link, address)
        self.now = time.monotonic()

    def run(self, seconds: float) -> list[LinkEvent]:
        found: list[LinkEvent] = []
        end = time.monotonic() + seconds
        while self.link.hello is None and not found and time.monotonic() < end + 10:
            found += self._connection.poll(0.02)
            end = time.monotonic() + seconds
        while time.monotonic() < end:
            found += self._connection.poll(0.02)
        self.now = time.monotonic()
        self.events += found
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

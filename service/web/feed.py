"""Latest-value fan-out: one view of one table, and whoever waits for the next.

A viewer is never sent a backlog: when it is ready for more it gets the newest value, whatever it
missed. So a slow phone sees fewer updates, a stalled one none, and neither costs anybody else
anything: no queue per viewer, one task each, one encoding for all.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

from starlette.types import Message, Send

STALLED_AFTER = 30.0
"""Seconds that one send may take before the viewer is let go."""
ROUSED = 64
"""Viewers that are woken in one round of the event loop."""


class LiveFeed:
    """The newest text of a feed and its number. Not thread-safe: one event loop.

    `look` is called when a viewer comes, where values are only made when somebody looks.
    """

    def __init__(self, look: Callable[[], None] = lambda: None) -> None:
        self._look = look
        self.text = ""
        self.message: Message = {"type": "websocket.send", "text": ""}
        """The newest text as a socket takes it: made once for everybody."""
        self.number = 0
        self._since = 0.0
        self._waiting: list[asyncio.Future[None]] = []
        self._sending: dict[asyncio.Task[object], float] = {}

    @property
    def viewers(self) -> int:
        """How many viewers follow now."""
        return len(self._sending)

    def publish(self, text: str) -> None:
        """Make this the newest value and wake every viewer that waits."""
        self.text = text
        self.message = {"type": "websocket.send", "text": text}
        self.number += 1
        self.wake()

    def wake(self) -> None:
        """There is something newer: whoever waits may look."""
        self._since = time.monotonic()
        waiting, self._waiting = self._waiting, []
        self._rouse(waiting, 0)

    def _rouse(self, waiting: list[asyncio.Future[None]], first: int) -> None:
        """Wake some of them, and the others in the next round of the loop: whoever asks for
        something else does not wait for thousands of viewers.
        """
        after = first + ROUSED
        for turn in waiting[first:after]:
            if not turn.done():
                turn.set_result(None)
        if after < len(waiting):
            waiting[after].get_loop().call_soon(self._rouse, waiting, after)

    def _turned(self) -> asyncio.Future[None]:
        """Done when there is something newer."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        return turn

    async def wait_past(self, number: int) -> None:
        """Until there is something newer than the one that the viewer has."""
        while self.number == number:
            await self._turned()

    @contextmanager
    def sending(self) -> Iterator[Callable[[bool], None]]:
        """The calling task is a viewer for as long as this lasts.

        What it is given marks that a send begins (True) or has ended.
        """
        task = asyncio.current_task()
        assert task is not None
        self._sending[task] = 0.0

        def mark(begins: bool) -> None:
            self._sending[task] = self._since if begins else 0.0

        try:
            yield mark
        finally:
            self._sending.pop(task, None)

    async def newer_than(self, number: int) -> tuple[int, str]:
        """The newest (number, text), as soon as it is newer than the one that the viewer has."""
        await self.wait_past(number)
        return self.number, self.text

    async def serve(self, send: Send) -> None:
        """Send the newest value now and after every change, until `send` raises or the viewer
        stalls and is cancelled by `shed`.

        This loop runs for every viewer and every update: what can be done once in `publish` is not
        done here.
        """
        self._look()
        task = asyncio.current_task()
        assert task is not None
        sending = self._sending
        sending[task] = 0.0
        number = 0
        try:
            while True:
                while self.number == number:
                    await self._turned()
                number = self.number
                sending[task] = self._since
                await send(self.message)
                sending[task] = 0.0
        finally:
            del sending[task]

    async def stream(self) -> AsyncIterator[tuple[int, str]]:
        """(number, text) now and after every change, for transports that pull."""
        number = 0
        task = asyncio.current_task()
        assert task is not None
        self._sending[task] = 0.0
        try:
            while True:
                number, text = await self.newer_than(number)
                self._sending[task] = time.monotonic()
                yield number, text
                self._sending[task] = 0.0
        finally:
            self._sending.pop(task, None)

    def let_go(self) -> None:
        """Let go of every viewer: who comes again is asked anew what he may see."""
        for task in self._sending:
            task.cancel()

    def shed(self, now: float) -> int:
        """Let go of viewers whose last send has not ended for STALLED_AFTER seconds; returns how
        many.
        """
        stalled = [
            task for task, since in self._sending.items() if since and now - since > STALLED_AFTER
        ]
        for task in stalled:
            task.cancel()
        return len(stalled)

"""The camera's picture for guests and for the stream: received once, kept until it is old enough,
shown to each audience at its time. (E)

The table's camera process hands on what lies in the box around the board, and nothing while there
is no board (`vision.camera`); here it is only taken in, shelved and given out. Who may see what,
and how late, is asked of the desk at each picture: consent first, then the same horizon as for
every other feed of that audience. Whoever must not or cannot see a picture gets one that says why.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from rules.words import LOCALE, SOURCE, language_codes
from service.web.feed import LiveFeed
from service.web.guard import loopback
from service.web.ports import TableDownError, TableLine
from service.web.shelf import LARGEST, Shelf, Shot
from service.web.tablelink import RefusedError

log = logging.getLogger(__name__)

AUDIENCES: Final = ("public", "overlay", "staff")
REASONS: Final = ("off", "waiting", "no-camera", "no-board", "memory")
"""Why there is no picture: not shared; not old enough yet; no camera, or it cannot be handed on; no
board in it; the delay is too long.
"""
VIEWERS: Final = 32
"""Of one table's picture: at ten pictures a second each takes about a megabyte a second."""
VIEWERS_PER_ADDRESS: Final = 8
SILENT_S: Final = 3.0
"""Without a picture for so long, the table is asked why."""
AGAIN_S: Final = 1.0
REPEAT_S: Final = 1.0
"""A picture that stays is sent again after so long: browsers draw a picture of a stream only when
the next one begins.
"""


@dataclass(frozen=True, slots=True)
class Terms:
    """What was agreed: `room` bytes for waiting pictures, 0 = no consent, no picture; `rate`
    pictures a second at most.
    """

    room: int = 0
    rate: float = 10.0


class FullError(RuntimeError):
    """As many watch already as may."""


class Gallery:
    """One table's pictures. `cut(audience)` is the monotonic instant up to which it may see, None
    while its feed is held; `span()` the longest delay of any."""

    def __init__(
        self,
        line: TableLine,
        terms: Terms,
        cut: Callable[[str], float | None],
        span: Callable[[], float],
    ) -> None:
        self.terms, self._line, self._cut, self._span = terms, line, cut, span
        self.shelf = Shelf(terms.room, terms.rate)
        self.feeds = {audience: LiveFeed() for audience in AUDIENCES}
        self._published: dict[str, Shot] = {}
        self._last: dict[str, Shot] = {}
        self._when: dict[str, float] = {}
        self._addresses: dict[str, int] = {}
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to take pictures in and give them out, in the running event loop."""
        self._tasks = [asyncio.create_task(self._give_out())]
        if self.terms.room:
            self._tasks.append(asyncio.create_task(self._receive()))

    async def stop(self) -> None:
        """End that."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def viewers(self) -> int:
        """How many viewers follow the picture now, on any feed."""
        return sum(self._addresses.values())

    # Going out

    def shown(self, audience: str) -> Shot:
        """What this audience sees now: a picture, or why there is none."""
        if not self.terms.room:
            return Shot(0.0, why="off")
        until = self._cut(audience)
        if until is None:
            return Shot(0.0, why="waiting")
        found, last = self.shelf.newest(until) or Shot(0.0, why="waiting"), self._last.get(audience)
        if last is not None and found.seen < last.seen <= until:
            # It was let go of to make room; what was shown already is as old as it must be, and
            # newer.
            found = last
        self._last[audience] = found
        return found

    async def watch(self, audience: str, address: str) -> AsyncIterator[Shot]:
        """What the audience sees, now and after each change. Raises FullError."""
        if self.viewers >= VIEWERS or (
            self._addresses.get(address, 0) >= VIEWERS_PER_ADDRESS and not loopback(address)
        ):
            raise FullError
        return self._follow(audience, address)

    async def _follow(self, audience: str, address: str) -> AsyncIterator[Shot]:
        self._addresses[address] = self._addresses.get(address, 0) + 1
        try:
            last = self.shown(audience)
            yield last
            yield last
            async for _ in self.feeds[audience].stream():
                shot = self._published[audience]
                # What was published last may be a moment older than what this viewer began with.
                if not 0 < shot.seen < last.seen:
                    yield shot
                    last = shot
        finally:
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]

    def publish(self, now: float) -> None:
        """Give each audience what it may see by now.

        A held feed gets nothing: who watches it keeps the picture that he has.
        """
        self.shelf.span = self._span()
        for audience, feed in self.feeds.items():
            if self._cut(audience) is None:
                continue
            shot = self.shown(audience)
            if (
                shot != self._published.get(audience)
                or now - self._when.get(audience, now) >= REPEAT_S
            ):
                self._published[audience], self._when[audience] = shot, now
                feed.publish(str(shot.seen))
            feed.shed(now)

    async def _give_out(self) -> None:
        while True:
            self.publish(time.monotonic())
            await asyncio.sleep(0.5 / self.terms.rate if self.terms.room else REPEAT_S)

    # Coming in

    async def _receive(self) -> None:
        """Ask the table for ever where its camera hands on pictures, take them in, and say why
        there are none.
        """
        while True:
            address, why = "", "no-camera"
            try:
                stream = await self._line.ask("stream")
            except (TableDownError, RefusedError):
                stream = None
            if isinstance(stream, Mapping):
                address, why = str(stream.get("address") or ""), str(stream.get("why") or "")
            if why or not address:
                self._none(why if why in REASONS else "no-camera")
            else:
                try:
                    async for jpeg in _pictures(address):
                        self.shelf.put(Shot(time.monotonic(), jpeg))
                except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
                    log.debug("the camera's pictures at %s stopped", address)
            await asyncio.sleep(AGAIN_S)

    def _none(self, why: str) -> None:
        self.shelf.put(Shot(time.monotonic(), why=why))


async def _pictures(address: str) -> AsyncIterator[bytes]:
    """The parts of an MJPEG stream on this machine. Ends when none comes for SILENT_S; raises
    OSError, ValueError, TimeoutError for anything else."""
    where = urlsplit(address)
    if not loopback(where.hostname or "") or not where.port:
        raise ValueError(f"expected a camera on this machine, got {address[:60]!r}")
    async with asyncio.timeout(SILENT_S):
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
    try:
        writer.write(f"GET {where.path} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".encode())
        await writer.drain()
        async with asyncio.timeout(SILENT_S):
            if b" 200 " not in await reader.readline():
                raise ValueError("expected pictures, got a refusal")
            await _head(reader)
        while True:
            async with asyncio.timeout(SILENT_S):
                await reader.readline()
                length = int((await _head(reader)).get("content-length", "-1"))
                if not 0 < length <= LARGEST:
                    raise ValueError(f"expected a picture of at most {LARGEST} bytes, got {length}")
                jpeg = await reader.readexactly(length)
                await reader.readline()
            if jpeg.startswith(b"\xff\xd8"):
                yield jpeg
    finally:
        writer.close()


async def _head(reader: asyncio.StreamReader) -> dict[str, str]:
    """Header lines up to the empty one."""
    found: dict[str, str] = {}
    for _ in range(20):
        line = await reader.readline()
        if not line:
            raise ConnectionError("the camera's process closed the line")
        if line in (b"\r\n", b"\n"):
            break
        name, _, value = line.decode("latin-1").partition(":")
        found[name.strip().lower()] = value.strip()
    return found


def placeholder(why: str, language: str) -> bytes:
    """A JPEG that says why there is no picture; in English where the language has none."""
    for code in (language, SOURCE):
        path = LOCALE / code / "air" / f"{why}.jpg"
        if code in language_codes() and path.is_file():
            return path.read_bytes()
    return b""

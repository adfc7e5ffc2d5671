"""How pages are served, a table's and a hall's alike: places, deadlines, bounds on messages, no
word of what serves them.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import ctypes
import logging
import socket
import ssl
import time
from collections.abc import Callable, Sequence
from typing import Final

import anyio.to_thread
import uvicorn
from fastapi import FastAPI
from h11 import Request
from uvicorn.protocols.http.h11_impl import H11Protocol

from service.web.addresses import free_port
from service.web.certificate import PageCertificate
from service.web.door import (
    WHOLE_S,
    Door,
    Doorkeeper,
    Visit,
    carried_by,
    places_within,
    raised_file_limit,
)

log = logging.getLogger(__name__)

LONGEST_MESSAGE: Final = 4 * 1024
"""Bytes of one WebSocket message from a client; thousands may hold one each."""
PICTURE_PART: Final = 64 * 1024
"""Bytes of one message on the way that a phone's pictures take, which only a camera is let onto."""
PICTURES_END: Final = b"/phone-pictures"
LARGEST_HEADERS: Final = 16 * 1024
TICK_S: Final = 0.1
"""How often the server looks around, by its own word."""
THREADS: Final = 8
WARNINGS: Final = 20
"""Lines a minute in which the server may complain of what visitors send."""


def give_memory_back() -> None:
    """Have what a crowd took returned to the machine when it leaves: by itself glibc keeps room
    between what is left, and a page amid 5,000 hostile sockets grew to 360 MB that is 210 so.
    """
    with contextlib.suppress(OSError, AttributeError):
        tune = ctypes.CDLL(None).mallopt
        # From malloc.h: M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, M_ARENA_MAX.
        for option, value in ((-3, 32 * 1024), (-1, 128 * 1024), (-8, 1)):
            tune(option, value)


class PageServer(uvicorn.Server):
    """The server of `doors`, and of `secure` ones behind TLS; their keepers look after the visitors
    once a second. `late` is told at each tick by how many seconds the event loop came late.
    """

    def __init__(
        self,
        app: FastAPI,
        doors: Sequence[Door],
        proxies: Sequence[str] = (),
        secure: Sequence[Door] = (),
        tls: ssl.SSLContext | None = None,
        late: Callable[[float], None] = lambda _: None,
    ) -> None:
        self.doors, self._secure, self._tls = doors, secure, tls
        self.keepers = list({door.keeper: None for door in (*doors, *secure)})
        self._late, self._ticked = late, time.monotonic()
        super().__init__(
            uvicorn.Config(
                app,
                loop="asyncio",
                http=_protocol(self.keepers),
                log_level="warning",
                access_log=False,
                server_header=False,
                proxy_headers=bool(proxies),
                forwarded_allow_ips=list(proxies),
                ws_max_size=LONGEST_MESSAGE,
                ws_per_message_deflate=False,
                h11_max_incomplete_event_size=LARGEST_HEADERS,
                timeout_graceful_shutdown=2,
            )
        )
        logging.getLogger("uvicorn.error").addFilter(Seldom(WARNINGS))

    def run_doors(self) -> None:
        """Serve until told to end."""
        self.run(sockets=list(self.doors))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        # What the pages do beside the event loop is short; more threads only take memory.
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        await super().startup(sockets)
        loop = asyncio.get_running_loop()
        for door in self._secure:
            self.servers.append(
                await loop.create_server(
                    self._talk,
                    sock=door,
                    ssl=self._tls,
                    ssl_handshake_timeout=WHOLE_S,
                    backlog=self.config.backlog,
                )
            )

    def _talk(self) -> asyncio.Protocol:
        """What speaks on a new connection, as behind a plain door; it asks its transport whether
        that is secure.
        """
        kind = self.config.http_protocol_class
        assert isinstance(kind, type)
        speaks: Callable[..., asyncio.Protocol] = kind
        return speaks(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )

    async def on_tick(self, counter: int) -> bool:
        """Called by the server ten times a second, or later where the loop has too much to do."""
        before, self._ticked = self._ticked, time.monotonic()
        self._late(max(0.0, self._ticked - before - TICK_S))
        if counter % 10 == 0:
            for keeper in self.keepers:
                keeper.sweep(time.monotonic())
        return await super().on_tick(counter)


def _protocol(keepers: Sequence[Doorkeeper]) -> type[asyncio.Protocol]:
    """uvicorn's way of reading requests, which tells a visitor's keeper whether one is awaited."""

    class Kept(H11Protocol):
        visit: Visit | None = None
        awaits = True
        begun = False

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            assert isinstance(transport, asyncio.Transport)
            if hasattr(transport, "max_size"):
                # asyncio asks for 256 kB at a time and cuts off what did not come: from thousands
                # that leaves holes of hundreds of megabytes in memory.
                transport.max_size = LARGEST_HEADERS
            transport.set_write_buffer_limits(high=LARGEST_HEADERS)
            super().connection_made(transport)
            self.visit = carried_by(keepers, transport)
            if self.visit is not None:
                self.visit.transport = transport

        def data_received(self, data: bytes) -> None:
            if self.awaits and not self.begun:
                # From the first byte on the whole request has its time.
                self.begun = True
                self._tell()
            super().data_received(data)
            self._look()

        def on_response_complete(self) -> None:
            # Whoever was answered before all was said may go on until his time is over; nothing of
            # it is kept.
            self.cycle.body.clear()
            super().on_response_complete()
            self._look()

        def handle_websocket_upgrade(self, event: Request) -> None:
            if self.visit is not None:
                self.visit.keeper.served(self.visit)
            self.visit = None
            if event.target.partition(b"?")[0].endswith(PICTURES_END):
                self.config = copy.copy(self.config)
                self.config.ws_max_size = PICTURE_PART
            super().handle_websocket_upgrade(event)

        def _look(self) -> None:
            cycle = self.cycle
            awaits = cycle is None or cycle.response_complete or cycle.more_body
            if awaits != self.awaits:
                self.awaits, self.begun = awaits, False
                self._tell()

        def _tell(self) -> None:
            if self.visit is None:
                return
            if self.awaits:
                self.visit.keeper.waits(self.visit, time.monotonic())
            else:
                self.visit.keeper.served(self.visit)

    return Kept


class Seldom(logging.Filter):
    """Lets through so many lines a minute: what visitors send must not fill the log."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most, self._minute, self._count = most, 0.0, 0

    def filter(self, record: logging.LogRecord) -> bool:
        if record.created - self._minute > 60:
            self._minute, self._count = record.created, 0
        self._count += 1
        return self._count <= self._most or record.levelno >= logging.ERROR


def serve_pages(
    app: FastAPI,
    host: str,
    port: int,
    console_port: int = 0,
    proxies: Sequence[str] = (),
    https_port: int = 0,
    certificate: PageCertificate | None = None,
) -> None:
    """Until the process is told to end: on `host` and `port` for everybody, on the loopback and
    `console_port` for this machine's own screen, which has places of its own, and with a
    certificate behind TLS on `https_port`.

    Of `proxies` alone the forwarding headers are believed. A console's or TLS port that is taken
    leaves the page without it, with a line in the log. Raises OSError when `port` cannot be had.
    """
    give_memory_back()
    app.state.places = places_within(raised_file_limit(), app.state.places.by_address)
    keeper = Doorkeeper(app.state.places, proxies)
    doors = [Door(free_port(host, port), keeper)]
    if console_port and (console_port != port or not _hears_loopback(host)):
        try:
            listening = free_port("127.0.0.1", console_port)
        except OSError as error:
            log.warning(
                "this machine's own screen cannot be served on 127.0.0.1:%d (%s): sign in, or give"
                " another console_port",
                console_port,
                error.strerror,
            )
        else:
            doors.append(Door(listening, Doorkeeper(keeper.places)))
    secure, tls = secure_doors(host, https_port, certificate, keeper)
    app.state.behind_tls = bool(secure)
    PageServer(app, doors, proxies, secure, tls, app.state.metrics.lag.observe).run_doors()


def secure_doors(
    host: str, port: int, certificate: PageCertificate | None, keeper: Doorkeeper
) -> tuple[list[Door], ssl.SSLContext | None]:
    """The door behind TLS and what it shows; none where it cannot be had."""
    if certificate is None or not port:
        return [], None
    try:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate.chain, certificate.key)
        return [Door(free_port(host, port), keeper)], context
    except (OSError, ssl.SSLError) as error:
        log.warning(
            "no HTTPS on port %d (%s), so no phone can be camera or clock: give another with"
            " --https-port, or other files with --https",
            port,
            error.strerror or error,
        )
        return [], None


def _hears_loopback(host: str) -> bool:
    return host in ("127.0.0.1", "localhost", "0.0.0.0", "")  # noqa: S104 - compared, not bound

"""How pages are served, a table's and a hall's alike: bounds on messages and connections, no word
of what serves them.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable, Sequence
from typing import Final

import uvicorn
from fastapi import FastAPI

from service.web.addresses import free_port
from service.web.certificate import PageCertificate
from service.web.guard import SOCKETS

log = logging.getLogger(__name__)

LONGEST_MESSAGE: Final = 64 * 1024
"""Bytes of one WebSocket message from a client; nothing of ours sends any."""


class PageServer(uvicorn.Server):
    """A server of plain doors and, beside them, doors behind TLS; one application, one loop."""

    def __init__(
        self, config: uvicorn.Config, secure: Sequence[socket.socket], tls: ssl.SSLContext | None
    ) -> None:
        super().__init__(config)
        self._secure, self._tls = secure, tls

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Open every door once the application has started."""
        await super().startup(sockets)
        loop = asyncio.get_running_loop()
        for door in self._secure:
            self.servers.append(
                await loop.create_server(
                    self._talk, sock=door, ssl=self._tls, backlog=self.config.backlog
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
    `console_port` for this machine's own screen, and with a certificate behind TLS on `https_port`.

    Of `proxies` alone the forwarding headers are believed. A console's or TLS port that is taken
    leaves the page without it, with a line in the log. Raises OSError when `port` cannot be had.
    """
    doors = [free_port(host, port)]
    if console_port and (console_port != port or not _hears_loopback(host)):
        try:
            doors.append(free_port("127.0.0.1", console_port))
        except OSError as error:
            log.warning(
                "this machine's own screen cannot be served on 127.0.0.1:%d (%s): sign in, or give"
                " another console_port",
                console_port,
                error.strerror,
            )
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        ws_max_size=LONGEST_MESSAGE,
        ws_per_message_deflate=False,
        limit_concurrency=SOCKETS + 500,
        timeout_graceful_shutdown=2,
    )
    secure, tls = secure_doors(host, https_port, certificate)
    PageServer(config, secure, tls).run(sockets=doors)


def secure_doors(
    host: str, port: int, certificate: PageCertificate | None
) -> tuple[list[socket.socket], ssl.SSLContext | None]:
    """The door behind TLS and what it shows; none where it cannot be had."""
    if certificate is None or not port:
        return [], None
    try:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate.chain, certificate.key)
        return [free_port(host, port)], context
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

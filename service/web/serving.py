"""How pages are served, a table's and a hall's alike: bounds on messages and connections, no word
of what serves them.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import uvicorn
from fastapi import FastAPI

from service.web.addresses import free_port
from service.web.guard import SOCKETS

log = logging.getLogger(__name__)

LONGEST_MESSAGE: Final = 64 * 1024
"""Bytes of one WebSocket message from a client; nothing of ours sends any."""


def serve_pages(
    app: FastAPI, host: str, port: int, console_port: int = 0, proxies: Sequence[str] = ()
) -> None:
    """Until the process is told to end: on `host` and `port` for everybody, on the loopback and
    `console_port` for this machine's own screen.

    Of `proxies` alone the forwarding headers are believed. A console's port that is taken leaves
    the page without a console, with a line in the log. Raises OSError when `port` cannot be had.
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
    uvicorn.Server(config).run(sockets=doors)


def _hears_loopback(host: str) -> bool:
    return host in ("127.0.0.1", "localhost", "0.0.0.0", "")  # noqa: S104 - compared, not bound

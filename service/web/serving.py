"""How pages are served, a table's and a hall's alike: bounds on messages and connections, no word
of what serves them.
"""

from __future__ import annotations

from typing import Final

import uvicorn
from fastapi import FastAPI

from service.web.guard import SOCKETS

LONGEST_MESSAGE: Final = 64 * 1024
"""Bytes of one WebSocket message from a client; nothing of ours sends any."""


def serve_pages(app: FastAPI, host: str, port: int) -> None:
    """Until the process is told to end."""
    uvicorn.run(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws_max_size=LONGEST_MESSAGE,
        ws_per_message_deflate=False,
        limit_concurrency=SOCKETS + 500,
        timeout_graceful_shutdown=2,
    )

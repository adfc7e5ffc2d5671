"""A web process over a hand-worked table, in a thread: what browser tests and the API fuzzer talk
to.
"""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path

import uvicorn

from service.web.app import create_app
from service.web.config import WebConfig
from tests.service.web.hand import HandTable


class Served:
    """`url` of a running face; `table` is worked by hand. Close it."""

    def __init__(
        self,
        folder: Path,
        *,
        console: bool = True,
        host: str = "127.0.0.1",
        table: HandTable | None = None,
        picture_megabytes: int = 0,
        picture_rate: float = 10.0,
        port: int = 0,
        https_port: int = 0,
    ) -> None:
        """`table`: one that is there already, as after a restart of the web process alone; `port`:
        the one it had. `https_port`: where its pages say that the secured one is."""
        self.table = table or HandTable(folder)
        self.door = socket.create_server((host, port))
        self.port = self.door.getsockname()[1]
        config = WebConfig(
            self.table.journal,
            self.table.socket,
            console_port=self.port if console else 0,
            picture_megabytes=picture_megabytes,
            picture_rate=picture_rate,
            https_port=https_port,
        )
        self.app = create_app(config)
        self.url = f"http://127.0.0.1:{self.port}"
        self.server = uvicorn.Server(
            uvicorn.Config(
                self.app,
                log_level="warning",
                access_log=False,
                ws_per_message_deflate=False,
                proxy_headers=False,
                timeout_graceful_shutdown=1,
            )
        )
        self.thread = threading.Thread(
            target=self.server.run, kwargs={"sockets": [self.door]}, daemon=True
        )
        self.thread.start()
        while not self.server.started and self.thread.is_alive():
            time.sleep(0.01)
        while not self.app.state.desks["t1"].connected and self.thread.is_alive():
            time.sleep(0.01)

    def leave(self) -> None:
        """End the web process; the table goes on."""
        self.server.should_exit = True
        self.thread.join(5)

    def close(self) -> None:
        self.leave()
        self.table.close()

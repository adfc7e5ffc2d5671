"""A hall served in a thread, and hand-worked tables that publish to it: what browser tests and
route tests talk to.
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.hall.app import create_hall
from service.hall.hall import HallConfig
from service.hall.join import ask_hall, request_of
from service.hall.publish import Publisher
from service.journal.chain import Entry
from service.journal.keys import table_key
from service.journal.store import Reader
from service.web.asking import ask
from tests.ports import free_port
from tests.service.web.hand import HandTable


def await_true(true: Callable[[], Any], seconds: float = 30.0) -> None:
    """Wait for something to become so; a slow machine has half a minute."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise AssertionError("it did not come about in time")
        time.sleep(0.03)


class Hands(HandTable):
    def store_entry(self, seq: int) -> Entry:
        with Reader(self.journal) as reader:
            return next(entry for entry in reader.read() if entry.seq == seq)

    def _beat(self) -> None:
        while self.beating:
            time.sleep(0.2)
            with self.lock:
                if self.beating:
                    self.writer.submit(self.store.beat, self.now(), time.time()).result()


class Seated:
    """A table of the hall, worked by hand."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        folder.mkdir(parents=True, exist_ok=True)
        self.hands = Hands(folder, name)
        self.journal = self.hands.journal
        self.key = table_key(folder / "table.key")
        self.publisher: Publisher | None = None
        self.future: Any = None

    def begin(self, white: str, black: str, length: int = 7) -> None:
        with self.hands.lock:
            self.hands.order("set_match", white=white, black=black, length=length, clock="ours")
            self.hands.order("start_game")
            self.hands.order("declare_roll", white=[3], black=[1])

    def turn(self) -> None:
        self.hands.turn()

    def win(self, side: str) -> None:
        self.hands.order("end_match", winner=side, reason="retired")


class ServedHall:
    """`url` of a running hall.

    Publishers run in a thread of their own, as they run in processes of their own at tables.
    """

    def __init__(self, folder: Path, **more: Any) -> None:
        self.folder = folder
        self.door = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.door.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.app = create_hall(
            HallConfig(
                folder / "hall",
                port=self.port,
                nats_port=free_port(),
                gigabytes=0.5,
                console_port=self.port,
                **more,
            )
        )
        config = uvicorn.Config(
            self.app,
            log_level="warning",
            access_log=False,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=1,
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(
            target=self.server.run, kwargs={"sockets": [self.door]}, daemon=True
        )
        self.thread.start()
        self.tables: dict[str, Seated] = {}
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        await_true(lambda: self.server.started and self.app.state.hall.line.up)

    def code(self, table: str) -> str:
        return str(
            httpx.post(f"{self.url}/api/v1/hall/codes", json={"table": table}).json()["code"]
        )

    def key_of(self, name: str) -> Ed25519PrivateKey:
        return table_key(self.folder / f"{name}.key")

    def seat(self, name: str) -> Seated:
        seated = self.tables[name] = Seated(self.folder / name, name)
        joined = ask_hall(self.url, request_of(self.code(name), seated.key))
        self.publish(seated, joined)
        return seated

    def publish(self, seated: Seated, joined: Any) -> None:
        async def begin() -> Any:
            seated.publisher = Publisher(
                joined,
                seated.key,
                seated.journal,
                lambda request: ask(seated.hands.socket, request),
            )
            return asyncio.create_task(seated.publisher.run())

        seated.future = asyncio.run_coroutine_threadsafe(begin(), self.loop).result()

    def staged(self, work: Callable[[Any], None]) -> None:
        """Work on the hall in the thread of its own loop."""
        hall = self.app.state.hall

        async def run() -> None:
            work(hall)

        asyncio.run_coroutine_threadsafe(run(), hall.loop).result(120)

    def table(self, name: str) -> Seated:
        return self.tables[name]

    def caught_up(self, name: str) -> bool:
        return bool(self.app.state.hall.view(name).seq == self.tables[name].hands.state.seq)

    def close(self) -> None:
        for seated in self.tables.values():
            self.loop.call_soon_threadsafe(seated.future.cancel)
            seated.hands.close()
        self.server.should_exit = True
        self.thread.join(15)
        self.loop.call_soon_threadsafe(self.loop.stop)

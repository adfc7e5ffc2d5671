"""2,000 viewers of one table, two updates of 1 kB a second, beside a bare uvicorn socket in the
same run: `make bench-viewers`.

Both servers run with the same uvicorn settings in processes of their own, fed by the same kind of
table's socket; every update carries the moment it was made, and one client process reads the same
number of sockets from each. Printed: latency, delivery, the server's CPU, and the ratio; then the
same with one viewer that never reads.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from service.referee.refusal import Done
from service.referee.state import State
from service.show.compose import table_document
from service.table.hub import Hub
from tests.ports import free_port

Command = Callable[[Path, int], list[str]]
EVERY: Final = 0.5
"""Seconds between two updates."""
PATIENCE_S: Final = 60.0
"""Seconds within which every viewer has been told something, however busy the machine."""


@dataclass(frozen=True)
class Size:
    """Viewers of each server, seconds they are counted, and viewers beside the one that stalls."""

    viewers: int = 2000
    seconds: float = 10.0
    beside: int = 200


SMALLEST: Final = Size(viewers=3, seconds=1.0, beside=2)
BARE = """
import asyncio, json, sys
import uvicorn
from tests.ports import free_port
text, turn = "", asyncio.Event()
async def follow(path):
    global text, turn
    reader, writer = await asyncio.open_unix_connection(path, limit=1 << 20)
    writer.write(b'{"id": "b", "query": "watch"}\\n')
    while line := await reader.readline():
        text = json.dumps(json.loads(line)["state"])
        turned, turn = turn, asyncio.Event()
        turned.set()
async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive()
        task = asyncio.get_running_loop().create_task(follow(sys.argv[2]))
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    if scope["type"] != "websocket":
        return
    await receive()
    await send({"type": "websocket.accept"})
    while True:
        await turn.wait()
        try:
            await send({"type": "websocket.send", "text": text})
        except OSError:
            return
quiet = {"log_level": "critical", "access_log": False, "ws_per_message_deflate": False}
uvicorn.run(app, port=int(sys.argv[1]), lifespan="on", **quiet)
"""


class Viewer(asyncio.Protocol):
    """Reads one feed: numbers of the updates and how old each was."""

    def __init__(self, port: int, path: str, got: list[tuple[int, float]]) -> None:
        self.port, self.path, self.got = port, path, got
        self.buffer = b""
        self.open = False
        self.answered = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(
            f"GET {self.path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nUpgrade:"
            " websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key:"
            " dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        now = time.monotonic()
        self.buffer += data
        if not self.open:
            head, found, rest = self.buffer.partition(b"\r\n\r\n")
            if not found:
                return
            assert b" 101 " in head, head
            self.open, self.buffer = True, rest
            self.answered.set_result(None)
        while len(self.buffer) >= 2:
            kind, size, start = self.buffer[0] & 15, self.buffer[1] & 127, 2
            if size == 126:
                size, start = int.from_bytes(self.buffer[2:4], "big"), 4
            elif size == 127:
                size, start = int.from_bytes(self.buffer[2:10], "big"), 10
            if len(self.buffer) < start + size:
                return
            body, self.buffer = self.buffer[start : start + size], self.buffer[start + size :]
            if kind == 1:
                found_at = body.index(b'"at":') + 5
                at = float(body[found_at:].lstrip().split(b",", 1)[0])
                number = body.index(b'"seq":') + 6
                self.got.append((int(body[number:].lstrip().split(b",", 1)[0]), now - at))

    def connection_lost(self, error: Exception | None) -> None:
        if not self.answered.done():
            self.answered.set_exception(ConnectionError("the server let go of a viewer unheard"))


def cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def serving(command: Command, size: int, every: float) -> Iterator[tuple[int, int]]:
    """A server process over a table's socket that publishes a state of so many bytes, an empty
    table's at least:

    (pid, port).
    """
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        hub = Hub(folder / "t1.sock", lambda request, reply: reply(Done(0)))
        process = subprocess.Popen(command(folder, port), stderr=subprocess.DEVNULL)
        ended = threading.Event()
        shown = table_document(State(), 0.0)
        shown["match"]["title"] = {"en": "x" * (size - len(json.dumps(shown)))}

        def publish() -> None:
            n = 0
            while not ended.wait(every):
                n += 1
                shown["seq"], shown["at"] = n, time.monotonic()
                hub.publish(shown)

        thread = threading.Thread(target=publish, daemon=True)
        thread.start()
        try:
            yield process.pid, port
        finally:
            ended.set()
            thread.join()
            process.terminate()
            process.wait()
            hub.close()


def bare(folder: Path, port: int) -> list[str]:
    return [sys.executable, "-c", BARE, str(port), str(folder / "t1.sock")]


def ours(folder: Path, port: int) -> list[str]:
    sockets = ["--journal", str(folder / "t1.journal"), "--socket", str(folder / "t1.sock")]
    return [
        sys.executable,
        "-m",
        "service.web",
        *sockets,
        "--port",
        str(port),
        "--console-port",
        str(port),
    ]


def address_of(viewer: int, viewers: int) -> str:
    """One address for every 200 viewers, as many behind as many routers would have."""
    houses = 1 + viewers // 200
    return f"127.0.{1 + viewer % houses // 200}.{1 + viewer % houses % 200}"


async def measure(
    pid: int, port: int, path: str, viewers: int, seconds: float, stalled: bool
) -> dict[str, Any]:
    loop = asyncio.get_running_loop()
    for _ in range(200):
        with contextlib.suppress(OSError):
            (await asyncio.open_connection("127.0.0.1", port))[1].close()
            break
        await asyncio.sleep(0.1)
    await asyncio.sleep(0.5)
    if stalled:
        silent = socket.create_connection(("127.0.0.1", port))
        silent.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
        silent.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection:"
            f" Upgrade\r\n{key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
    got: list[list[tuple[int, float]]] = [[] for _ in range(viewers)]
    lines = []
    for chunk in range(0, viewers, 100):
        opened = [
            loop.create_connection(
                lambda i=i: Viewer(port, path, got[i]),
                "127.0.0.1",
                port,
                local_addr=(address_of(i, viewers), 0),
            )
            for i in range(chunk, min(viewers, chunk + 100))
        ]
        came = await asyncio.gather(*opened)
        # As people come: no crowd stands at a door whose server has not caught up with the last.
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*(viewer.answered for _, viewer in came))
        lines += came
    async with asyncio.timeout(PATIENCE_S):
        while not all(got):
            await asyncio.sleep(0.1)
    await asyncio.sleep(1)
    for one in got:
        one.clear()
    before, began = cpu(pid), time.monotonic()
    await asyncio.sleep(seconds)
    took, used = time.monotonic() - began, cpu(pid) - before
    for transport, _ in lines:
        transport.abort()
    ages = sorted(age for one in got for _, age in one)
    missed = sum(
        1 for one in got if one for i in range(1, len(one)) if one[i][0] != one[i - 1][0] + 1
    ) + sum(not one for one in got)
    updates = sum(len(one) for one in got)
    return {
        "p50": 1000 * ages[len(ages) // 2],
        "p99": 1000 * ages[int(len(ages) * 0.99)],
        "cpu": 100 * used / took,
        "delivered": 100 * updates / (updates + missed),
        "updates": updates,
    }


def run(
    server: Command, viewers: int, seconds: float, size: int, every: float, stalled: bool = False
) -> dict[str, Any]:
    with serving(server, size, every) as (pid, port):
        return asyncio.run(measure(pid, port, "/api/v1/tables/t1/live", viewers, seconds, stalled))


def main(size: Size) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20_000), hard))
    print(f"{size.viewers} viewers, {1 / EVERY:g} updates of 1 kB a second, {size.seconds:g} s")
    found = {}
    for name, server in (("bare uvicorn socket", bare), ("takhte", ours)):
        found[name] = r = run(server, size.viewers, size.seconds, 850, EVERY)
        print(
            f"  {name:20} p50 {r['p50']:7.1f} ms  p99 {r['p99']:7.1f} ms  CPU {r['cpu']:5.1f} % "
            f" delivered {r['delivered']:.2f} %"
        )
    a, b = found["bare uvicorn socket"], found["takhte"]
    p99, work = b["p99"] / a["p99"], b["cpu"] / max(a["cpu"], 0.1)
    holds = p99 <= 1 and work <= 2 and b["delivered"] == 100
    print(
        f"  ratio to the bare socket: p99 {p99:.2f} (at most 1), CPU {work:.2f} (at most 2), all"
        f" delivered: {'HOLDS' if holds else 'DOES NOT HOLD'}"
    )
    r = run(ours, size.beside, size.seconds, 30_000, 0.1, stalled=True)
    print(
        f"one viewer of {size.beside + 1} never reads, 30 kB ten times a second: the others"
        f" p99 {r['p99']:.1f} ms, delivered {r['delivered']:.2f} %"
    )

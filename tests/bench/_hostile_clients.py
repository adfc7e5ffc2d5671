"""A crowd at a page, in a process of its own: `python -m tests.bench._hostile_clients PORT SOCKETS
VIEWERS SIGNERS`. It says one line when everybody is there, and works until its standard input ends;
then it says how much each viewer was told.

Everybody comes from an address of his own in 127.0.0.0/8, hostile ones ten to an address.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import socket
import sys
from collections.abc import Callable
from typing import Final

KEY: Final = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
FEED: Final = (
    "GET /api/v1/tables/t1/live HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    f"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{KEY}\r\n"
).encode()
POST: Final = (
    b"POST /api/v1/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Content-Length: %d\r\nConnection: close\r\n\r\n"
)
BIG: Final = b"GET /static/js/board.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 20
PING: Final = b"\x89\x04"
PONG: Final = b"\x8a\x84" + bytes(4)
HABITS: Final = (
    b"",
    b"G",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-",
    POST % 8000 + b'{"name":"',
    POST % 250_000 + b"x" * 60_000,
    # Says that it is somebody, and so may send more.
    (POST % 250_000).replace(b"Host", b"Cookie: takhte=x\r\nHost") + b"x" * 60_000,
    BIG,
    FEED + b"\x81\xfe\xff\x00" + b"x" * 4000,
    FEED + b"\x01\x81\x00\x00\x00\x00x" * 50,
    b"\x16\x03\x01" + bytes(range(200)),
)
"""What hostile visitors say at first: nothing, a little, half of something, or lies."""


class Hostile(asyncio.Protocol):
    """Says its piece, then a byte now and then; never reads; comes back when it is shown out."""

    def __init__(self, number: int, lost: Callable[[int], None]) -> None:
        self.number, self.lost = number, lost

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.pause_reading()
        transport.write(HABITS[self.number % len(HABITS)])

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost(self.number)


class Looking(asyncio.Protocol):
    """An honest viewer: counts what it is told."""

    def __init__(self) -> None:
        self.bytes, self.lost = 0, False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(FEED)

    def data_received(self, data: bytes) -> None:
        self.bytes += len(data)
        if data[-6:-4] == PING:
            self.transport.write(PONG + data[-4:])

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True


class Crowd:
    def __init__(self, port: int) -> None:
        self.loop, self.port = asyncio.get_running_loop(), port
        self.hostile: dict[int, asyncio.Transport] = {}
        self.viewers: list[Looking] = []
        self.shown_out = 0
        self.again: list[int] = []

    async def come(self, protocol: Callable[[], asyncio.Protocol], address: str) -> object:
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096 if "127.1" in address else 65536)
        line.setblocking(False)
        line.bind((address, 0))
        await self.loop.sock_connect(line, ("127.0.0.1", self.port))
        return (await self.loop.create_connection(protocol, sock=line))[0]

    async def attack(self, number: int) -> None:
        address = f"127.1{number // 10 % 100:02}.{number // 1000}.5"
        try:
            found = await self.come(lambda: Hostile(number, self._lost), address)
        except OSError:
            self._lost(number)
            return
        assert isinstance(found, asyncio.Transport)
        self.hostile[number] = found

    def _lost(self, number: int) -> None:
        self.hostile.pop(number, None)
        self.shown_out += 1
        self.again.append(number)

    async def look(self, number: int) -> None:
        viewer = Looking()
        await self.come(lambda: viewer, f"127.200.{number // 200}.{number % 200 + 1}")
        self.viewers.append(viewer)

    async def sign_in(self, number: int) -> None:
        """One wrong password; the answer is read."""
        body = json.dumps({"name": f"name{number % 40}", "password": "wrong one"}).encode()
        try:
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", self.port, local_addr=(f"127.210.0.{number % 250 + 1}", 0)
            )
            writer.write(POST % len(body) + body)
            await reader.read()
            writer.close()
        except OSError:
            return

    async def trickle(self) -> None:
        """A byte from a tenth of them each second, and whoever was shown out comes again."""
        while True:
            await asyncio.sleep(1)
            for transport in random.sample(list(self.hostile.values()), len(self.hostile) // 10):
                transport.write(b"x")
            back, self.again = self.again[:300], self.again[300:]
            await asyncio.gather(*(self.attack(number) for number in back))


async def main(port: int, sockets: int, viewers: int, signers: int) -> None:
    crowd = Crowd(port)
    for first in range(0, viewers, 50):
        await asyncio.gather(*(crowd.look(n) for n in range(first, min(first + 50, viewers))))
    for first in range(0, sockets, 100):
        await asyncio.gather(*(crowd.attack(n) for n in range(first, min(first + 100, sockets))))
        await asyncio.sleep(0.05)
    work = [asyncio.create_task(crowd.trickle())]
    work += [asyncio.create_task(crowd.sign_in(n)) for n in range(signers)]
    print(f"{len(crowd.hostile)} {len(crowd.viewers)}", flush=True)
    for viewer in crowd.viewers:
        viewer.bytes = 0
    await crowd.loop.run_in_executor(None, sys.stdin.read)
    told = sum(bool(viewer.bytes) for viewer in crowd.viewers)
    lost = sum(viewer.lost for viewer in crowd.viewers)
    print(f"{told} {lost} {crowd.shown_out}", flush=True)
    for task in work:
        task.cancel()


if __name__ == "__main__":
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20_000), hard))
    asyncio.run(main(*(int(word) for word in sys.argv[1:5])))

"""Viewers of a hall: many sockets that read, and one of each kind that understands. Prints, for
each entry that the understanding ones saw on the wall, the wall's feed, the table, its number and
the date of the sight: one JSON line each, flushed at the end (a line on stdin)."""

from __future__ import annotations

import asyncio
import json
import sys
import time


class Socket(asyncio.Protocol):
    """A WebSocket client that takes whole frames and, where `understand` is given, hands their text
    on.
    """

    def __init__(
        self, host: str, path: str, understand: list[tuple[float, bytes]] | None = None
    ) -> None:
        self.host, self.path, self.understand = host, path, understand
        self.buffer, self.open, self.frames, self.bytes = bytearray(), False, 0, 0
        self.skip, self.lost = 0, False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        lines = (
            f"GET {self.path} HTTP/1.1\r\nHost: {self.host}\r\nUpgrade: websocket\r\nConnection:"
            " Upgrade\r\n"
        )
        transport.write(
            f"{lines}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version:"
            " 13\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        self.bytes += len(data)
        if self.skip >= len(data):
            self.skip -= len(data)
            return
        self.buffer += data[self.skip :]
        self.skip = 0
        if not self.open:
            head, found, rest = bytes(self.buffer).partition(b"\r\n\r\n")
            if not found:
                return
            assert b" 101 " in head, head
            self.open, self.buffer = True, bytearray(rest)
        while self._frame():
            pass

    def _frame(self) -> bool:
        """Take one frame off the buffer; False where none is whole."""
        if len(self.buffer) < 10:
            return False
        kind, size, start = self.buffer[0] & 15, self.buffer[1] & 127, 2
        if size == 126:
            size, start = int.from_bytes(self.buffer[2:4], "big"), 4
        elif size == 127:
            size, start = int.from_bytes(self.buffer[2:10], "big"), 10
        if self.understand is None and kind == 1:
            # Nobody reads it: whatever is still to come of it is passed over.
            self.skip = max(0, start + size - len(self.buffer))
        elif len(self.buffer) < start + size:
            return False
        elif kind == 9:
            self.transport.write(
                bytes([0x8A, 0x80 | size, 0, 0, 0, 0]) + bytes(self.buffer[start : start + size])
            )
        elif kind == 1 and self.understand is not None:
            self.understand.append((time.time(), bytes(self.buffer[start : start + size])))
        self.frames += kind == 1
        del self.buffer[: start + size]
        return True

    def connection_lost(self, _: Exception | None) -> None:
        self.lost = True


async def main(port: int, arbiters: int, viewers: int, tables: list[str]) -> None:
    loop = asyncio.get_running_loop()
    own, guest, wall = f"127.0.0.1:{port}", f"192.0.2.7:{port}", "/api/v1/hall/live"
    seen: dict[str, list[tuple[float, bytes]]] = {"staff": [], "public": []}
    made = [Socket(own, wall, seen["staff"]), Socket(guest, wall, seen["public"])]
    made += [Socket(own, wall) for _ in range(arbiters - 1)]
    made += [Socket(own, f"/api/v1/tables/{tables[i % len(tables)]}/live") for i in range(arbiters)]
    made += [
        Socket(guest, wall if i % 4 else f"/api/v1/tables/{tables[i % len(tables)]}/live")
        for i in range(viewers - 1)
    ]
    for i in range(0, len(made), 50):
        await asyncio.gather(
            *(loop.create_connection(lambda s=s: s, "127.0.0.1", port) for s in made[i : i + 50])
        )
    print("ready", len(made), flush=True)
    known: dict[tuple[str, str], tuple[int, int]] = {}
    ended = loop.run_in_executor(None, sys.stdin.readline)
    with open(sys.argv[4], "w") as out:  # noqa: PTH123
        while not ended.done():
            await asyncio.sleep(0.2)
            for kind, frames in seen.items():
                taken, frames[:] = list(frames), []
                for at, text in taken:
                    for card in json.loads(text)["cards"]:
                        epoch, seq = known.get((kind, card["table"]), (0, 0))
                        if card["epoch"] != epoch:
                            seq = 0 if epoch else card["seq"]
                        if card["seq"] > seq:
                            out.write(
                                json.dumps([kind, card["table"], seq, card["seq"], at]) + "\n"
                            )
                        known[kind, card["table"]] = (card["epoch"], card["seq"])
    print(
        "bytes",
        sum(s.bytes for s in made),
        sum(s.lost for s in made),
        sum(s.frames for s in made),
        flush=True,
    )


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[5:]))

"""A network between tables and hall that can be cut: a forwarder for each line, in a thread of its
own.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading


class Cable:
    """Forwards its own port to another.

    `cut` breaks what is connected and lets nobody through until `mend`.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, target: int) -> None:
        self.target, self.whole = target, True
        self._writers: set[asyncio.StreamWriter] = set()
        self._loop = loop
        self._server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._serve, "127.0.0.1", 0), loop
        ).result()
        self.port = int(self._server.sockets[0].getsockname()[1])

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.whole:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, far_writer}
        await asyncio.gather(self._carry(reader, far_writer), self._carry(far_reader, writer))
        self._writers -= {writer, far_writer}

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.transport.abort()

    def cut(self) -> None:
        self.whole = False

        def abort() -> None:
            for writer in list(self._writers):
                writer.transport.abort()

        self._loop.call_soon_threadsafe(abort)

    def mend(self) -> None:
        self.whole = True


class Network:
    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def cable(self, target: int) -> Cable:
        return Cable(self.loop, target)

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)

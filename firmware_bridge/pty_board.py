"""E. A simulated board behind a real pty, so that everything above the wire runs as with a cable:
`takhte run`'s demo and tests use it.
"""

from __future__ import annotations

import contextlib
import os
import pty
import select
import threading
import time
import tty
from collections.abc import Iterator
from types import TracebackType
from typing import Final, Self

from firmware_bridge.simulator import Simulator

STEP_S: Final = 0.005


class PtyBoard:
    """Serve a Simulator on a pty from a thread of its own; `address` is what to open. Use `hands`
    for every call to the simulator:

    with board.hands() as simulator: simulator.lift(13, Side.WHITE)
    """

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._master = -1
        self.address = ""
        self.plug()
        self._thread = threading.Thread(target=self._serve, name="simulated board", daemon=True)
        self._thread.start()

    @contextlib.contextmanager
    def hands(self) -> Iterator[Simulator]:
        """The simulator, while its wire waits."""
        with self._lock:
            yield self._simulator

    def plug(self) -> str:
        """Push the plug in; the address may be a new one."""
        with self._lock:
            if self._master < 0:
                self._master, slave = pty.openpty()
                tty.setraw(slave)
                os.set_blocking(self._master, False)
                self.address = os.ttyname(slave)
                os.close(slave)
        return self.address

    def unplug(self) -> None:
        """Pull the cable. The board itself goes on."""
        with self._lock:
            if self._master >= 0:
                os.close(self._master)
                self._master = -1

    def close(self) -> None:
        self._stop.set()
        self._thread.join(2)
        self.unplug()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _serve(self) -> None:
        while not self._stop.is_set():
            with self._lock:
                now = time.monotonic()
                if self._master >= 0:
                    with contextlib.suppress(BlockingIOError, OSError):
                        self._simulator.receive(os.read(self._master, 65536), now)
                data = self._simulator.run(now)
                if self._master >= 0 and data:
                    with contextlib.suppress(BlockingIOError, OSError):
                        os.write(self._master, data)
                waiting = [self._master] if self._master >= 0 else []
            poller = select.poll()
            for descriptor in waiting:
                poller.register(descriptor, select.POLLIN)
            if any(kind & select.POLLHUP for _, kind in poller.poll(STEP_S * 1000)):
                self._stop.wait(STEP_S)

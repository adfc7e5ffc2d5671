"""Tries for one account or from one address, one after another: slowing down works only where the
next try waits for the last.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from service.referee.refusal import Refusal
from service.web.authority import RefusedRequest

WAITING: Final = 8
"""Tries that may wait in one lane; more are told to come again, so that a crowd costs nothing."""


class Lanes:
    """Locks by name, kept only while somebody is in them."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}

    @asynccontextmanager
    async def of(self, *names: str) -> AsyncIterator[None]:
        """Be alone in all these lanes. Raises RefusedRequest 429 where too many wait."""
        if any(self._locks[name][1] >= WAITING for name in names if name in self._locks):
            slower = Refusal("too_fast", "fewer tries at once", next="wait a few seconds")
            raise RefusedRequest(429, slower)
        for name in names:
            lock, count = self._locks.get(name, (asyncio.Lock(), 0))
            self._locks[name] = (lock, count + 1)
        try:
            async with AsyncExitStack() as stack:
                # In one order, so that two tries never wait for each other.
                for name in sorted(names):
                    await stack.enter_async_context(self._locks[name][0])
                yield
        finally:
            for name in names:
                lock, count = self._locks[name]
                if count > 1:
                    self._locks[name] = (lock, count - 1)
                else:
                    del self._locks[name]

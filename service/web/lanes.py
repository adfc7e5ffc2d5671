"""Tries for one account or from one address, and orders of one player's device, one after another:
slowing down works only where the next waits for the last.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final, TypeVar

import anyio.to_thread
from fastapi import Request

from service.referee.refusal import Refusal
from service.web.authority import RefusedRequest

WAITING: Final = 8
"""Tries that may wait in one lane; more are told to come again, so that a crowd costs nothing."""
HASHING: Final = 32
"""Strangers' passwords that may wait to be tried, whatever lane they come from."""
T = TypeVar("T")


class Lanes:
    """Locks by name, kept only while somebody is in them; and where passwords are tried, one at a
    time: one of a stranger's, and one of a device that is known, so that neither waits for the
    other and the game keeps its processor.
    """

    def __init__(self) -> None:
        self._locks: dict[str, tuple[asyncio.Lock, int]] = {}
        self._strangers, self._known = asyncio.Semaphore(1), asyncio.Semaphore(1)
        self._waiting = 0

    async def hashing(self, work: Callable[[], T], *, known: bool) -> T:
        """What the work returns, done beside the event loop when its turn has come. Raises
        RefusedRequest 429 where too many strangers wait.
        """
        if not known and self._waiting >= HASHING:
            raise _slower()
        self._waiting += not known
        try:
            async with self._known if known else self._strangers:
                return await anyio.to_thread.run_sync(work)
        finally:
            self._waiting -= not known

    @asynccontextmanager
    async def of(self, *names: str) -> AsyncIterator[None]:
        """Be alone in all these lanes. Raises RefusedRequest 429 where too many wait."""
        if any(self._locks[name][1] >= WAITING for name in names if name in self._locks):
            raise _slower()
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


def lanes_of(request: Request) -> Lanes:
    """The lanes of this application."""
    state = request.app.state
    if not hasattr(state, "lanes"):
        state.lanes = Lanes()
    lanes: Lanes = state.lanes
    return lanes


def _slower() -> RefusedRequest:
    return RefusedRequest(
        429, Refusal("too_fast", "fewer tries at once", next="wait a few seconds")
    )

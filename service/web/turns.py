"""Requests of strangers begin a few at a time, so that the event loop comes round quickly whatever
a crowd asks. (E)

A loop that has a thousand requests ready runs them all before it looks at anything else, and
whoever needs six rounds for an answer waits six thousand requests. So strangers queue before the
application, in the order of their coming, and each round of the loop lets a few of them in; staff
do not queue. Nobody holds a turn while he waits for something, so nobody can keep it from others.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

AT_ONCE: Final = 4
"""Requests that begin in one round: a few milliseconds of work."""


class Turns:
    """A queue before one event loop."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._at_once = at_once
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._turning = False

    def __len__(self) -> int:
        return len(self._waiting)

    async def mine(self) -> None:
        """Return when it is the caller's turn."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        if not self._turning:
            self._turning = True
            self._next()
        await turn

    def _next(self) -> None:
        let_in = 0
        while self._waiting and let_in < self._at_once:
            turn = self._waiting.popleft()
            if not turn.done():
                # Whoever left meanwhile takes nobody's turn.
                turn.set_result(None)
                let_in += 1
        self._turning = bool(let_in)
        if let_in:
            asyncio.get_running_loop().call_soon(self._next)

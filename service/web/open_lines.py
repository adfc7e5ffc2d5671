"""What each session has open at this moment, and closing it when the session ends: whoever is not
let in any more follows nothing any more, feeds, pictures and sockets alike. (E)
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

from service.web.access import Access, session_ident

LOOK_S: Final = 60.0
"""How often, while anybody asks for anything, it is looked whether a session has run out."""


class OpenLines:
    """The tasks that serve each session. Not thread-safe: one event loop."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._tasks: dict[str, set[asyncio.Task[object]]] = {}
        self._looked = time.monotonic()

    def opened(self, token: str) -> None:
        """The calling task serves this session, for as long as it runs."""
        task, ident = asyncio.current_task(), session_ident(token)
        assert task is not None
        tasks = self._tasks.setdefault(ident, set())
        if task not in tasks:
            tasks.add(task)
            task.add_done_callback(lambda ended: self._ended(ident, ended))
        if time.monotonic() - self._looked > LOOK_S:
            self.close_ended()

    def _ended(self, ident: str, task: asyncio.Task[object]) -> None:
        tasks = self._tasks.get(ident, set())
        tasks.discard(task)
        if not tasks:
            self._tasks.pop(ident, None)

    def close_ended(self) -> None:
        """Close whatever a session has open that is let in no longer; not the request that ends its
        own, which is answered first.
        """
        self._looked = time.monotonic()
        let_in, asking = {found.ident for found in self._access.sessions()}, asyncio.current_task()
        for ident in self._tasks.keys() - let_in:
            for task in self._tasks[ident] - {asking}:
                task.cancel()

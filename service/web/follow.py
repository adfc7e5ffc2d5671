"""Keeps the desk of a table on this machine in step with it: the table's own word while it answers,
its journal while it is away. (E)
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Final

from service.web.chronicle import Chronicle
from service.web.delay import Delays
from service.web.desk import Desk
from service.web.gallery import Terms
from service.web.tablelink import TableLink

BEAT_S: Final = 0.25


class Follower:
    """One table's desk and the two tasks that keep it."""

    def __init__(
        self,
        name: str,
        journal: Path,
        socket: Path,
        delays: Delays,
        terms: Terms | None = None,
        *,
        notes: Path | None = None,
    ) -> None:
        self.chronicle, self.link = Chronicle(journal), TableLink(socket)
        self.desk = Desk(
            name, self.chronicle, self.link, delays, terms, journal=journal, notes=notes
        )
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to follow the table, in the running event loop."""
        self.refresh()
        self._tasks = [
            asyncio.create_task(self.link.watch(self.desk.on_state, self._changed)),
            asyncio.create_task(self._beat()),
        ]
        self.desk.gallery.start()

    async def stop(self) -> None:
        """Let go of the table."""
        await self.desk.gallery.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def refresh(self) -> None:
        """Show what the journal says, where the table's process does not answer."""
        if not self.link.up and (document := self.chronicle.document()):
            if not self.desk.knows_time:
                self.desk.heard(document["at"], time.monotonic())
            self.desk.take(document)

    def _changed(self, up: bool) -> None:
        if not up:
            self.refresh()
            if self.desk.live is not None:
                self.desk.take(self.desk.live)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            if not self.link.up and self.chronicle.changed():
                self.refresh()
            self.desk.beat()

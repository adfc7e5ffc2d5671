"""One table as the web process knows it: its link, its newest document, and a feed for each view. (E)"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from service.web.chronicle import Chronicle
from service.web.feed import Feed
from service.web.tablelink import TableLink
from service.web.view import Document, visible

VIEWS: Final = ("public", "player", "staff")
KEEPALIVE_S: Final = 5.0
"""A value is sent at least this often, so that clocks on pages stay in step and a dead line is noticed."""


def encode(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _current_game(document: Document) -> Document:
    """The document with the plays of the last game only: a long match must not make every update long. `/state` has them all."""
    plays = document.get("plays") or []
    last = plays[-1].get("game") if plays else None
    return {**document, "plays": [play for play in plays if play.get("game") == last]}


class Desk:
    """Follows one table; `documents[view]` is what that view shows now."""

    def __init__(self, name: str, journal: Path, socket: Path) -> None:
        self.name = name
        self.link = TableLink(socket)
        self.chronicle = Chronicle(journal)
        self.feeds = {view: Feed() for view in VIEWS}
        self.live: Document = {}
        self.documents: dict[str, Document] = {view: {} for view in VIEWS}
        self._last: dict[str, tuple[str, float]] = {}
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def connected(self) -> bool:
        return self.link.up

    def start(self) -> None:
        self.refresh()
        self._tasks = [asyncio.create_task(self.link.watch(self.on_state, self.on_change)), asyncio.create_task(self._beat())]

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def refresh(self) -> None:
        """Show what the journal says, where the table's process does not answer."""
        if not self.connected and (document := self.chronicle.document()):
            self.on_state(document)

    def on_state(self, document: Document) -> None:
        """A new document of the table: every view is encoded once and published where it changed."""
        self.live = {**document, "table": self.name}
        now = time.monotonic()
        for view in VIEWS:
            shown = visible(self.live, view, connected=self.connected)
            self.documents[view] = shown
            mark = encode({k: v for k, v in shown.items() if k != "at"})
            last, when = self._last.get(view, ("", 0.0))
            if mark != last or now - when >= KEEPALIVE_S:
                self._last[view] = (mark, now)
                self.feeds[view].publish(encode(_current_game(shown)))

    def history(self, view: str, since: int, limit: int | None = None) -> Iterator[Document]:
        """Entries after number `since` that this view may know of by now. Raises NoJournalError."""
        return self.chronicle.rows(since, limit)

    def on_change(self, up: bool) -> None:
        if not up:
            self.refresh()
            if self.live and not self.chronicle.document():
                self.on_state(self.live)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(0.5)
            if not self.connected and self.chronicle.changed():
                self.refresh()
            for feed in self.feeds.values():
                feed.shed(time.monotonic())

"""One table as the web process knows it: its link, its newest document, and a feed for each view. (E)

Every route gets what it shows from here, by view; the delay of the public views is enforced here and nowhere else.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from service.web.chronicle import Chronicle
from service.web.delay import FEEDS, Cut, Delays, Horizon, Past, TableTime
from service.web.feed import Feed
from service.web.tablelink import TableLink
from service.web.view import Document, visible

LIVE: Final = ("player", "staff")
VIEWS: Final = (*FEEDS, *LIVE)
KEEPALIVE_S: Final = 5.0
"""A value is sent at least this often, so that clocks on pages stay in step and a dead line is noticed."""
BEAT_S: Final = 0.25


def encode(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _current_game(document: Document) -> Document:
    """The document with the plays of the last game only: a long match must not make every update long. `/state` has them all."""
    plays = document.get("plays") or []
    last = plays[-1].get("game") if plays else None
    return {**document, "plays": [play for play in plays if play.get("game") == last]}


def _resting(clock: Document) -> Document:
    """The clock without what merely runs: pages run it by themselves between two documents."""
    flags = [(clock.get(side) or {}).get("flags") for side in ("white", "black")]
    return {"flags": flags, **{key: clock.get(key) for key in ("kind", "mode", "running", "paused")}}


class Desk:
    """Follows one table; `documents[view]` is what that view shows now."""

    def __init__(
        self,
        name: str,
        journal: Path,
        socket: Path,
        delays: Delays,
        *,
        link: TableLink | None = None,
        chronicle: Chronicle | None = None,
        past: Callable[[Path], Past] = Past,
    ) -> None:
        """`link`, `chronicle` and `past` stand in where the table is not on this machine."""
        self.name = name
        self.link = link or TableLink(socket)
        self.chronicle = chronicle or Chronicle(journal)
        self._open_past = past
        self.delays = delays
        self.feeds: Mapping[str, Feed] = {view: Feed() for view in VIEWS}
        self.live: Document = {}
        self.documents: dict[str, Document] = {view: {} for view in VIEWS}
        self._time = TableTime()
        self._horizons = {feed: Horizon() for feed in FEEDS}
        self._pasts = {feed: past(journal) for feed in FEEDS}
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

    # What comes in

    def refresh(self) -> None:
        """Show what the journal says, where the table's process does not answer."""
        if not self.connected and (document := self.chronicle.document()):
            if not self._time.known:
                self._time.heard(float(document.get("at") or 0.0), time.monotonic())
            self._take(document)

    def on_state(self, document: Document) -> None:
        """A new document of the table."""
        self._time.heard(float(document.get("at") or 0.0), time.monotonic())
        self._take(document)

    def on_change(self, up: bool) -> None:
        if not up:
            self.refresh()
            if self.live:
                self._take(self.live)

    def _take(self, document: Document) -> None:
        self.live = {**document, "table": self.name}
        for view in LIVE:
            self._show(view, visible(self.live, view, connected=self.connected))
        for feed in FEEDS:
            if not self.delays[feed].total:
                self._show(feed, self._public(feed))

    # What goes out

    def horizon(self, view: str) -> Cut:
        """Where this view's knowledge ends."""
        if view not in FEEDS:
            return Cut()
        total = self.delays[view].total
        cut = self._horizons[view].reach(self._time.now(time.monotonic()), time.time(), total)
        return cut if total else Cut()

    def _public(self, feed: str) -> Document:
        delay, horizon = self.delays[feed].total, self.horizon(feed)
        found = self.live if not delay else {**self._pasts[feed].document(horizon), "table": self.name}
        return visible(found, "public", delay=delay, connected=self.connected) if found else {}

    def document(self, view: str) -> Document:
        """What a view shows at this moment."""
        if view in FEEDS and self.delays[view].total:
            self._show(view, self._public(view))
        return self.documents[view]

    def past(self, view: str, at: float) -> Document:
        """What a view showed at table time `at`, or the newest that it may know. Blocking: folds the journal anew."""
        cut = self.horizon(view)
        found = self._open_past(self.chronicle.path).document(Cut(min(at, cut.at, self._time.now(time.monotonic())), cut.wall))
        return visible({**found, "table": self.name}, "public" if view in FEEDS else view, connected=self.connected)

    def history(self, view: str, since: int, limit: int | None = None) -> Iterator[Document]:
        """Entries after number `since` that this view may know of by now. Raises NoJournalError."""
        horizon = self.horizon(view)
        for entry in self.chronicle.rows(since, limit):
            # What comes after an entry that is too young is younger still.
            if not horizon.holds(entry["at"], entry["wall"]):
                return
            yield entry

    def delayed(self) -> None:
        """A delay was changed: every public view shows at once what it now may."""
        for feed in FEEDS:
            self._show(feed, self._public(feed))

    def _show(self, view: str, shown: Document) -> None:
        """Publish a view's document where it changed, encoded once for everybody."""
        self.documents[view] = shown
        now = time.monotonic()
        mark = encode({**shown, "at": None, "clock": _resting(shown.get("clock") or {})})
        last, when = self._last.get(view, ("", 0.0))
        if mark != last or now - when >= KEEPALIVE_S:
            self._last[view] = (mark, now)
            self.feeds[view].publish(encode(_current_game(shown)))

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            if not self.connected and self.chronicle.changed():
                self.refresh()
            self.beat()

    def beat(self) -> None:
        """Move the delayed views on, and let go of whoever does not read."""
        for feed in FEEDS:
            if self.delays[feed].total:
                self._show(feed, self._public(feed))
        for each in self.feeds.values():
            each.shed(time.monotonic())

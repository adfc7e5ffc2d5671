"""One table as the web process knows it: its link, its newest document, and a feed for each view.
(E)

Every route gets what it shows from here, by view; the delay of the public views is enforced here
and nowhere else.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from service.journal.chain import JournalError
from service.journal.store import StoreError
from service.referee.state import State
from service.web.chronicle import Chronicle
from service.web.delay import FEEDS, Cut, Delays, Horizon, Lately, Past, TableTime, of_journal
from service.web.feed import Feed
from service.web.gallery import Gallery, Terms
from service.web.instants import Instants
from service.web.tablelink import TableLink
from service.web.view import Document, visible

LIVE: Final = ("player", "staff")
VIEWS: Final = (*FEEDS, *LIVE)
KEEPALIVE_S: Final = 5.0
"""A value is sent at least this often, so that clocks on pages stay in step and a dead line is
noticed.
"""
BEAT_S: Final = 0.25
UNSURE_S: Final = 2.0
"""After a start a delayed feed says nothing until the table has said what time it is, or for so
long: the journal's heartbeat is up to a second old, and a feed that goes by it would begin a second
before where it was."""


def encode_document(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _current_game(document: Document) -> Document:
    """The document with the plays of the last game only: a long match must not make every update
    long. `/state` has them all.
    """
    plays = document.get("plays") or []
    last = plays[-1].get("game") if plays else None
    return {**document, "plays": [play for play in plays if play.get("game") == last]}


def _resting(clock: Document) -> Document:
    """The clock without what merely runs: pages run it by themselves between two documents."""
    flags = [(clock.get(side) or {}).get("flags") for side in ("white", "black")]
    return {
        "flags": flags,
        **{key: clock.get(key) for key in ("kind", "mode", "running", "paused")},
    }


class Desk:
    """Follows one table; `documents[view]` is what that view shows now."""

    def __init__(
        self,
        name: str,
        journal: Path,
        socket: Path,
        delays: Delays,
        terms: Terms | None = None,
        *,
        link: TableLink | None = None,
        chronicle: Chronicle | None = None,
        past: Callable[[Path], Past] = Past,
        instants: Instants | None = None,
    ) -> None:
        """`link`, `chronicle`, `past` and `instants` stand in where the table is not on this
        machine.
        """
        self.name = name
        self.link = link or TableLink(socket)
        self.chronicle = chronicle or Chronicle(journal)
        self.delays = delays
        self.feeds: Mapping[str, Feed] = {view: Feed() for view in VIEWS}
        self.live: Document = {}
        self.documents: dict[str, Document] = {view: {} for view in VIEWS}
        self._time = TableTime()
        self._horizons = {feed: Horizon() for feed in FEEDS}
        self._pasts = {feed: past(journal) for feed in FEEDS}
        self._dice = Lately()
        self.instants = instants or Instants(journal)
        self.gallery = Gallery(
            self.link,
            terms or Terms(),
            self._pictures_until,
            lambda: max(delays["public"].total, delays["overlay"].total),
        )
        self._unsure_until = time.monotonic() + UNSURE_S
        self._last: dict[str, tuple[str, float]] = {}
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def connected(self) -> bool:
        return self.link.up

    def start(self) -> None:
        self.refresh()
        self._tasks = [
            asyncio.create_task(self.link.watch(self.on_state, self.on_change)),
            asyncio.create_task(self._beat()),
        ]
        self.gallery.start()

    async def stop(self) -> None:
        await self.gallery.stop()
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
        self._unsure_until = 0.0
        self._time.heard(float(document.get("at") or 0.0), time.monotonic())
        self._take(document)

    def on_change(self, up: bool) -> None:
        if not up:
            self.refresh()
            if self.live:
                self._take(self.live)

    def _take(self, document: Document) -> None:
        self.live = {**document, "table": self.name}
        self._dice.add(
            float(document.get("at") or 0.0),
            time.time(),
            (document.get("dice") or {}).get("seen") or [],
        )
        for view in LIVE:
            self._show(view, visible(self.live, view, connected=self.connected))
        for feed in FEEDS:
            if not self.delays[feed].total:
                self._show(feed, self._public(feed))

    # What goes out

    def held(self, feed: str) -> float:
        """Seconds for which this feed says nothing: its delay was raised, or this process has just
        begun and does not know the time.
        """
        if not self.delays[feed].total:
            return 0.0
        return max(self.delays.held(feed), self._unsure_until - time.monotonic())

    def horizon(self, view: str) -> Cut:
        """Where this view's knowledge ends."""
        if view not in FEEDS:
            return Cut()
        total, now = self.delays[view].total, time.monotonic()
        cut = self._horizons[view].reach(
            self._time.now(now), time.time(), total, now, held=self.held(view) > 0
        )
        return cut if total else Cut()

    def _longest(self) -> float:
        """For how many seconds pictures are kept: the longest delay of who may see them."""
        return max(self.delays["public"].total, self.delays["overlay"].total)

    def _pictures_until(self, audience: str) -> float | None:
        """Until which monotonic instant an audience may see pictures, None while its feed is held."""
        return (
            self.horizon(audience).seen
            if audience not in FEEDS or not self.held(audience)
            else None
        )

    def _public(self, feed: str) -> Document:
        delay, horizon, held = self.delays[feed].total, self.horizon(feed), self.held(feed)
        if held > 0:
            # The document of a table of which nothing is known yet: nothing to go back to, and
            # nothing too young.
            found: Document = {
                **of_journal(State(), Cut(0.0)),
                "table": self.name,
                "held_s": math.ceil(held),
            }
        elif delay:
            found = self._then(self._pasts[feed].document(horizon), horizon)
        else:
            found = self.live
        return visible(found, "public", delay=delay, connected=self.connected) if found else {}

    def _then(self, document: Document, cut: Cut) -> Document:
        """A document of the past with what the live table said beside its journal then: where the
        dice lay.
        """
        dice = {**document["dice"], "seen": self._dice.newest(cut) or []}
        return {**document, "table": self.name, "dice": dice}

    def document(self, view: str) -> Document:
        """What a view shows at this moment."""
        if view in FEEDS and self.delays[view].total:
            self._show(view, self._public(view))
        return self.documents[view]

    def past(self, view: str, at: float) -> Document:
        """What a view showed at table time `at`, or the newest that it may know. Blocking."""
        cut = self.horizon(view)
        cut = Cut(min(at, cut.at, self._time.now(time.monotonic())), cut.wall)
        try:
            state = self.instants.state(cut)
        except (JournalError, StoreError):
            return {}
        found = {**self._then(of_journal(state, cut), cut), "table": self.name}
        return visible(found, "public" if view in FEEDS else view, connected=self.connected)

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
        if view == "push" and "held_s" in shown:
            # A website keeps what it has.
            return
        mark = encode_document({**shown, "at": None, "clock": _resting(shown.get("clock") or {})})
        last, when = self._last.get(view, ("", 0.0))
        if mark != last or now - when >= KEEPALIVE_S:
            self._last[view] = (mark, now)
            self.feeds[view].publish(encode_document(_current_game(shown)))

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

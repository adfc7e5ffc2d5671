"""One table as the web process knows it: its newest document, and a feed for each view.

Every route gets what it shows from here, by view; the delay of the public views is enforced here
and nowhere else. A desk does nothing by itself: `service.web.follow` keeps one in step with the
table's own process, `service.hall.desk` with the hall's model.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from service.journal.chain import JournalError
from service.journal.store import StoreError
from service.referee.clock_document import ClockDocument
from service.referee.state import State
from service.show.document import DieDocument, StateDocument, TableDocument
from service.show.note import NoteDocument
from service.web.delay import FEEDS, Cut, FeedDelays, Horizon, Lately, Past, TableTime, of_journal
from service.web.event_says import phones_face_down
from service.web.feed import LiveFeed
from service.web.gallery import Gallery, Terms
from service.web.instants import Instants
from service.web.notes import OverlayNotes
from service.web.ports import EntryRow, TableLine, TableRecord
from service.web.told import Told
from service.web.view import visible

LIVE: Final = ("clock", "player", "staff")
VIEWS: Final = (*FEEDS, *LIVE)
KEEPALIVE_S: Final = 5.0
"""A value is sent at least this often, so that clocks on pages stay in step and a dead line is
noticed.
"""
UNSURE_S: Final = 2.0
"""After a start a delayed feed says nothing until the table has said what time it is, or for so
long: the journal's heartbeat is up to a second old, and a feed that goes by it would begin a second
before where it was."""


def encode_document(document: object) -> str:
    """One line of JSON."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _current_game(document: StateDocument) -> StateDocument:
    """The document with the plays of the last game only: a long match must not make every update
    long. `/state` has them all.
    """
    plays = document["plays"]
    last = plays[-1]["game"] if plays else None
    return {**document, "plays": [play for play in plays if play["game"] == last]}


def _resting(clock: ClockDocument) -> tuple[object, ...]:
    """The clock without what merely runs: pages run it by themselves between two documents."""
    flags = [bank and bank["flags"] for bank in (clock["white"], clock["black"])]
    return (flags, clock["kind"], clock["mode"], clock["running"], clock.get("paused"))


def _nothing_to_do() -> None:
    return


class Desk:
    """One table; `documents[view]` is what that view shows now, None before anything is known.

    `look` is called before anything is shown, where documents are only made when somebody looks.
    """

    def __init__(
        self,
        name: str,
        record: TableRecord,
        line: TableLine,
        delays: FeedDelays,
        terms: Terms | None = None,
        *,
        journal: Path | None = None,
        notes: Path | None = None,
        look: Callable[[], None] = _nothing_to_do,
    ) -> None:
        """`journal` is the record's file where the table is on this machine: pictures lie beside
        it; `notes` is where commentators' are kept.
        """
        self.name = name
        self.journal = journal
        self.record = record
        self.link = line
        self.delays = delays
        self.feeds: Mapping[str, LiveFeed] = {view: LiveFeed(look) for view in VIEWS}
        self.live: TableDocument | None = None
        self.documents: dict[str, StateDocument | None] = dict.fromkeys(VIEWS)
        self.instants = Instants(record)
        self._told = Told(record)
        self.gallery = Gallery(
            line,
            terms or Terms(),
            self._pictures_until,
            lambda: max(delays["public"].total, delays["overlay"].total),
        )
        self._look = look
        self._time = TableTime()
        self._horizons = {feed: Horizon() for feed in FEEDS}
        self._pasts = {feed: Past(record) for feed in FEEDS}
        self._dice: Lately[list[DieDocument]] = Lately()
        self._notes = OverlayNotes(notes)
        self._unsure_until = time.monotonic() + UNSURE_S
        self._last: dict[str, tuple[str, float]] = {}

    @property
    def connected(self) -> bool:
        """Whether the table's own process answers."""
        return self.link.up

    @property
    def watched(self) -> bool:
        """Whether somebody looks at one of its feeds."""
        return any(feed.viewers for feed in self.feeds.values())

    # What comes in

    @property
    def knows_time(self) -> bool:
        """Whether anybody said yet what time it is at the table."""
        return self._time.known

    def heard(self, at: float, now: float) -> None:
        """It is `at` by the table's time; `now` is monotonic."""
        self._time.heard(at, now)

    def on_state(self, document: TableDocument) -> None:
        """A new document, from the table's own process."""
        self._unsure_until = 0.0
        self.heard(document["at"], time.monotonic())
        self.take(document)

    def take(self, document: TableDocument) -> None:
        """Show what a document says, each view what it may see of it; where phones are to lie face
        down from now on, those that follow are let go.
        """
        before, self.live = self.live, {**document, "table": self.name}
        if phones_face_down(self.live) and not phones_face_down(before):
            self.feeds["player"].let_go()
        self._dice.add(document["at"], time.time(), document["dice"]["seen"])
        for view in LIVE:
            self._show(view, self._seen(self.live, view))
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

    def horizon_after(self, view: str, seconds: float) -> Cut:
        """Where knowledge ends that comes so many seconds late, and no sooner than the view's."""
        cut, now = self.horizon(view), time.monotonic()
        if view in FEEDS and self.held(view) > 0:
            return Cut(0.0, 0.0, 0.0)
        return Cut(
            min(cut.at, self._time.now(now) - seconds),
            min(cut.wall, time.time() - seconds),
            min(cut.seen, now - seconds),
        )

    def _longest(self) -> float:
        """Seconds for which pictures are kept: the longest delay of any audience."""
        return max(self.delays["public"].total, self.delays["overlay"].total)

    def _pictures_until(self, audience: str) -> float | None:
        """The monotonic instant up to which an audience may see pictures, None while it is held."""
        return (
            self.horizon(audience).seen
            if audience not in FEEDS or not self.held(audience)
            else None
        )

    def _public(self, feed: str) -> StateDocument | None:
        delay, horizon, held = self.delays[feed].total, self.horizon(feed), self.held(feed)
        found: TableDocument | None
        if held > 0:
            # The document of a table of which nothing is known yet: nothing to go back to, and
            # nothing too young.
            found = {**of_journal(State(), Cut(0.0)), "table": self.name}
        elif delay:
            found = self._with_dice(self._pasts[feed].document(horizon), horizon)
        else:
            found = self.live
        if found is None:
            return None
        shown = self._seen(found, "public", delay, max(0, math.ceil(held)))
        return self._with_note(shown, horizon) if feed == "overlay" and held <= 0 else shown

    def _seen(
        self, document: TableDocument, view: str, delay: float = 0.0, held: int = 0
    ) -> StateDocument:
        """A document as this kind of viewer may see it."""
        told = self._told.up_to(document["seq"])
        document = {**document, "games": self._told.with_heads(document["games"])}
        return visible(document, view, delay=delay, connected=self.connected, held=held, told=told)

    def _with_dice(self, document: TableDocument, cut: Cut) -> TableDocument:
        """A document of the past with what the live table said beside its journal then: where the
        dice lay.
        """
        seen = self._dice.newest(cut) or []
        return {**document, "table": self.name, "dice": {**document["dice"], "seen": seen}}

    def note(self, text: str, seconds: float, *, replay: bool = False) -> NoteDocument:
        """Send a note to the overlay, where it comes as late as all that is shown there."""
        at = self._time.now(time.monotonic())
        sent = self._notes.send(text, seconds, replay=replay, at=at)
        self._show("overlay", self._public("overlay"))
        return sent

    def _with_note(self, shown: StateDocument, cut: Cut) -> StateDocument:
        note = self._notes.newest(cut)
        if note is None or note["until"] <= shown["at"]:
            return shown
        return {**shown, "note": note}

    def document(self, view: str) -> StateDocument | None:
        """What a view shows at this moment, None before anything is known."""
        self._look()
        if view in FEEDS and self.delays[view].total:
            self._show(view, self._public(view))
        return self.documents[view]

    def past(self, view: str, at: float) -> StateDocument | None:
        """What a view showed at table time `at`, or the newest that it may know; None where the
        record cannot be read. Blocking.
        """
        cut = self.horizon(view)
        cut = Cut(min(at, cut.at, self._time.now(time.monotonic())), cut.wall)
        try:
            state = self.instants.state(cut)
        except (JournalError, StoreError):
            return None
        found = self._with_dice(of_journal(state, cut), cut)
        shown = self._seen(found, "public" if view in FEEDS else view)
        return self._with_note(shown, cut) if view == "overlay" else shown

    async def shows(self, seq: int, within: float = 1.0) -> None:
        """Return when the live document holds this entry, so that whoever gave an order sees what
        came of it; or after so many seconds, whichever is first.
        """
        feed = self.feeds["staff"]
        with suppress(TimeoutError), feed.sending():
            async with asyncio.timeout(within):
                while (shown := self.document("staff")) is None or shown["seq"] < seq:
                    await feed.wait_past(feed.number)

    def history(self, view: str, since: int, limit: int | None = None) -> Iterator[EntryRow]:
        """Entries after number `since` that this view may know of by now. Raises NoJournalError."""
        horizon = self.horizon(view)
        for entry in self.record.rows(since, limit):
            # What comes after an entry that is too young is younger still.
            if not horizon.holds(entry["at"], entry["wall"]):
                return
            yield entry

    def delayed(self) -> None:
        """A delay was changed: every public view shows at once what it now may."""
        for feed in FEEDS:
            self._show(feed, self._public(feed))

    def _show(self, view: str, shown: StateDocument | None) -> None:
        """Publish a view's document where it changed, encoded once for everybody."""
        self.documents[view] = shown
        now = time.monotonic()
        if shown is None or (view == "push" and "held_s" in shown):
            # A website keeps what it has.
            return
        mark = encode_document({**shown, "at": None, "clock": _resting(shown["clock"])})
        last, when = self._last.get(view, ("", 0.0))
        if mark != last or now - when >= KEEPALIVE_S:
            self._last[view] = (mark, now)
            self.feeds[view].publish(encode_document(_current_game(shown)))

    def beat(self) -> None:
        """Move the delayed views on, and let go of whoever does not read."""
        for feed in FEEDS:
            if self.delays[feed].total:
                self._show(feed, self._public(feed))
        for each in self.feeds.values():
            each.shed(time.monotonic())

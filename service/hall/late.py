"""How late the public learns of each table at the hall: as late as the hall says, or the table
itself, whichever is longer (E for a small file by table).
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeVar

from service.hall.config import WallEvent
from service.hall.view import Card, TableView, public_card
from service.hall.wall import WallFeed
from service.web.delay import FEEDS, LONGEST, Delay, Delays

log = logging.getLogger(__name__)

_T = TypeVar("_T")

UNHEARD: Final = Delay(LONGEST)
"""What holds for a table that has not said yet how late its own feeds are."""


class TableDelays:
    """The delays of one table's feeds at the hall: the longer of the hall's own and the table's,
    which is remembered while the table is away.
    """

    def __init__(self, halls: Delays, path: Path) -> None:
        self._both = (halls, Delays(path, UNHEARD))

    def told(self, delays: Mapping[str, float]) -> bool:
        """Whether what the table says of its delays is new here; from now on it counts."""
        kept, changed = self._both[1], False
        for feed in FEEDS:
            given = min(max(0.0, delays.get(feed, 0.0)), LONGEST + 30)
            delay = Delay(min(given, LONGEST), max(0.0, given - LONGEST))
            if kept[feed] != delay:
                changed = True
                try:
                    kept.path.parent.mkdir(exist_ok=True)
                    kept.set(feed, delay)
                except OSError as error:
                    log.error("%s: a delay cannot be kept (%s); tried again", kept.path, error)
        return changed

    def __getitem__(self, feed: str) -> Delay:
        return max((each[feed] for each in self._both), key=lambda delay: delay.total)

    def held(self, feed: str, now: float | None = None) -> float:
        """Seconds for which this feed still says nothing; `now` is monotonic time."""
        # Each of the two alone would have shown the table as it was `total - held` seconds ago;
        # what was shown is the older of these, and must become as old as the longer delay.
        shown = max(each[feed].total - each.held(feed, now) for each in self._both)
        return max(0.0, self[feed].total - shown)


class PublicWall:
    """What the public may know of every table: `feed` carries the cards, `views` are what results
    are told from; each table's as late as its own delay.
    """

    def __init__(self) -> None:
        self.feed = WallFeed()
        self.views: dict[str, TableView] = {}
        self._cards: dict[str, deque[tuple[float, Card]]] = {}
        self._waiting: dict[str, deque[tuple[float, TableView]]] = {}
        self._last: dict[str, TableView] = {}
        self._about: Mapping[str, object] = {}

    def beat(
        self,
        changed: Mapping[str, Card],
        views: Mapping[str, TableView],
        delays: Mapping[str, TableDelays],
        now: float,
        event: WallEvent | None = None,
    ) -> None:
        """Take what is new of the tables, and tell what is old enough by now (monotonic, s). A
        longer delay takes nothing back that was told, and tells nothing new until it has passed.
        """
        for table, card in changed.items():
            self._cards.setdefault(table, deque()).append((now, public_card(card)))
        for table, view in views.items():
            if self._last.get(table) is not view:
                self._last[table] = view
                self._waiting.setdefault(table, deque()).append((now, view))
        until = {table: now - late["public"].total for table, late in delays.items()}
        self.views.update(_due(self._waiting, until))
        due = _due(self._cards, until)
        longest = max((delays[t]["public"].total for t, v in views.items() if v.epoch), default=0.0)
        about = {
            "up": True,
            "problem": "",
            "behind": 0,
            "delay": longest,
            **({"event": event} if event else {}),
        }
        held = frozenset(table for table, late in delays.items() if late.held("public", now) > 0)
        if held != self.feed.held:
            self.feed.hold(held, about)
        if due or about != self._about:
            self._about = about
            self.feed.put(due, about)


def _due(
    waiting: Mapping[str, deque[tuple[float, _T]]], until: Mapping[str, float]
) -> dict[str, _T]:
    """The newest of each table that is old enough; what lies before it is forgotten."""
    found: dict[str, _T] = {}
    for table, queue in waiting.items():
        while queue and queue[0][0] <= until[table]:
            found[table] = queue.popleft()[1]
    return found

"""The hall's own journal, and the tournament that its entries make (E).

Sealed and chained as a table's: an act is on the disk before anybody is shown it, nothing is
rewritten, and a killed hall goes on from its last entry. One thread writes.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from service.journal import entries_hall as e
from service.journal.chain import Entry
from service.journal.entry import Body, Who
from service.journal.keys import HALL_JOURNAL
from service.journal.mending import open_mended
from service.journal.store import Store
from service.tournament.day import Day
from service.tournament.field import TournamentError
from service.tournament.stages import after, tournament_of

log = logging.getLogger(__name__)


class TournamentBook:
    """The journal beside the hall's other files. `day`: the tournament as the director sees it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / HALL_JOURNAL
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="hall-journal")
        self._store: Store = self._writer.submit(self._open).result()
        self.entries: list[Entry] = list(self._store.past)
        for found in self._store.mended:
            log.error("the hall's journal was damaged and put right: %s", found.reason)
        self.day = tournament_of(entry.body for entry in self.entries)
        self._began = time.monotonic()
        self._at = self.entries[-1].at if self.entries else 0.0
        self._lock = asyncio.Lock()
        self._told: tuple[frozenset[int], int, Day] = (frozenset(), -1, Day())

    def _open(self) -> Store:
        return open_mended(self.path, datetime.now().strftime("%Y%m%d-%H%M%S"))

    async def say(self, by: Who, acts: Callable[[Day], Sequence[Body]]) -> Day:
        """Enter what `acts` makes of the tournament as it stands now: all or nothing, durable when
        this returns. Raises TournamentError, NotStoredError.
        """
        async with self._lock:
            bodies = tuple(acts(self.day))
            day = self.day
            for body in bodies:
                day = after(day, body)
            at, wall = self._at + time.monotonic() - self._began, time.time()
            added = await asyncio.get_running_loop().run_in_executor(
                self._writer, self._store.append, [(at, wall, by, body) for body in bodies]
            )
            self.entries += added
            self.day = day
            return day

    @property
    def acts(self) -> list[Entry]:
        """The entries of the tournament that is on, from its opening."""
        start = 0
        for i, entry in enumerate(self.entries):
            if isinstance(entry.body, e.TournamentOpened):
                start = i
        return self.entries[start:]

    def told(self, now: float, delays: Mapping[str, float], unheard: float) -> Day:
        """The tournament as the public may know it at this date: what a table reported is as late
        as that table's own feed, unless the next round was paired since, which tells it.
        """
        acts = self.acts
        paired = max((x.seq for x in acts if isinstance(x.body, e.RoundPaired)), default=0)
        hidden = frozenset(
            x.seq
            for x in acts
            if isinstance(x.body, e.ResultEntered)
            and x.body.table
            and x.seq > paired
            and now - x.wall < delays.get(x.body.table, unheard)
        )
        if not hidden:
            return self.day
        last = acts[-1].seq
        if self._told[:2] != (hidden, last):
            self._told = (hidden, last, _without(acts, hidden))
        return self._told[2]

    def close(self) -> None:
        """Idempotent."""
        self._writer.submit(self._store.close).result()
        self._writer.shutdown()


def _without(acts: Sequence[Entry], hidden: frozenset[int]) -> Day:
    day = Day()
    for entry in acts:
        if entry.seq not in hidden:
            try:
                day = after(day, entry.body)
            except TournamentError:
                # It rests on what is not told yet.
                continue
    return day

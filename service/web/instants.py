"""The state at any instant of a journal, for a few hundred entries' work however long the journal
is.

`Marks` is pure: it folds entries in order and keeps the state at every so many of them. States
share what they have in common, so a mark costs little; when there are too many, every second is let
go and the distance doubles. `Instants` (E) reads the record for it: a request costs the entries
since the mark before the instant, each link checked, and once the entries that came since the last
request.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from service.journal.chain import GENESIS, Entry, JournalError
from service.referee.fold import fold
from service.referee.state import State
from service.web.delay import Cut
from service.web.ports import TableRecord

SPACING: Final = 200
"""Entries between two marks."""
MOST: Final = 400
"""Marks kept: 80,000 entries, some weeks of play at one table, before the distance doubles."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Where an entry led: its number and hash, the greatest time and date of it and all before, and
    the state.
    """

    seq: int = 0
    hash: str = GENESIS
    at: float = float("-inf")
    wall: float = float("-inf")
    state: State = field(default_factory=State)

    def then(self, entry: Entry) -> Mark:
        """The mark one entry on."""
        state = fold(self.state, entry.seq, entry.at, entry.by, entry.body)
        return Mark(
            entry.seq, entry.hash, max(self.at, entry.at), max(self.wall, entry.wall), state
        )


class Marks:
    """States along one journal."""

    def __init__(self, spacing: int = SPACING, most: int = MOST) -> None:
        self.spacing, self._most = spacing, most
        self.kept = [Mark()]
        self.last = Mark()

    def add(self, entries: Iterable[Entry]) -> None:
        """The next entries of the journal."""
        for entry in entries:
            self.last = self.last.then(entry)
            if self.last.seq - self.kept[-1].seq >= self.spacing:
                self.kept.append(self.last)
            if len(self.kept) > self._most:
                self.kept, self.spacing = self.kept[::2], 2 * self.spacing

    def nearest(self, fits: Callable[[Mark], bool]) -> Mark:
        """The last mark that fits; `fits` is true up to some mark and false after it."""
        low, high = 0, len(self.kept)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(self.kept[middle]) else (low, middle)
        return self.last if fits(self.last) else self.kept[low]


class Instants:
    """One record's states by instant and by number. Thread-safe; blocking."""

    def __init__(self, record: TableRecord) -> None:
        self.record = record
        self.marks = Marks()
        self._lock = threading.Lock()

    def state(self, cut: Cut) -> State:
        """The state made of every entry up to the first that lies beyond the cut.

        Raises JournalError, StoreError.
        """
        return self._at(lambda mark: cut.holds(mark.at, mark.wall)).state

    def before(self, seq: int) -> State:
        """The state just before an entry.

        Raises ValueError for a number that there is not, JournalError, StoreError.
        """
        found = self._at(lambda mark: mark.seq < seq)
        if found.seq != seq - 1 or not 0 < seq <= self.marks.last.seq:
            raise ValueError(f"the journal has entries 1 to {self.marks.last.seq}")
        return found.state

    def _at(self, fits: Callable[[Mark], bool]) -> Mark:
        with self._lock:
            self._follow()
            mark = self.marks.nearest(fits)
            if mark is self.marks.last:
                return mark
            left = self.marks.last.seq - mark.seq
        with self.record.cursor((mark.seq, mark.hash)) as reader:
            for entry in reader.read(min(left, self.marks.spacing)):
                if not fits(after := mark.then(entry)):
                    break
                mark = after
        return mark

    def _follow(self) -> None:
        """Take in what was added; a journal that is another one now is read from its start."""
        try:
            reader = self.record.cursor((self.marks.last.seq, self.marks.last.hash))
        except JournalError:
            self.marks = Marks()
            reader = self.record.cursor((0, GENESIS))
        with reader:
            while found := reader.read(1000):
                self.marks.add(found)

"""Delay of everything public, in one place: what a feed may know at an instant, as it was `total` seconds ago. (E for its small file)

A delayed feed is folded from the journal up to its horizon, never from what the table says now: so nothing younger can slip through, clocks
are delayed along, and a restart of any process or a change of the delay changes nothing about that. The essay in two sentences:
*the horizon is table time now, less the delay; it moves on with the machine's monotonic clock while the table is away*. And *it never goes
back on its own*: only a longer delay takes it back, since what was shown cannot be unseen, but what comes next must wait.

What is awkward: table time stands still while the table is away, so a table that comes back makes entries that are old by its own time. An
entry must therefore be old enough by the machine's date as well; a date that was set forward is caught by table time, one set back only
makes viewers wait.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from service.journal import Entry, JournalError
from service.referee_fold import fold
from service.referee_state import State
from service.state import document
from service.store import Reader, StoreError

FEEDS: Final = ("public", "overlay", "push")
"""What has a delay of its own: pages and API for guests, the stream's overlay, what is sent to a website."""
LONGEST: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Delay:
    """Seconds a feed lags. `fine` (-30 to 30) matches it to the delay of one's video."""

    seconds: float = 0.0
    fine: float = 0.0

    def __post_init__(self) -> None:
        if not (0 <= self.seconds <= LONGEST and -30 <= self.fine <= 30):
            raise ValueError(f"a delay is 0 to {LONGEST:g} s, its fine adjustment -30 to 30 s; got {self.seconds} and {self.fine}")

    @property
    def total(self) -> float:
        return max(0.0, self.seconds + self.fine)


class Delays:
    """The delays of a machine's feeds, kept in `delay.json`. A file that cannot be read holds everything back: an hour for each feed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._kept = self._read()

    def _read(self) -> dict[str, Delay]:
        try:
            given = json.loads(self.path.read_text(encoding="utf-8"))
            return {feed: Delay(**given[feed]) if feed in given else Delay() for feed in FEEDS}
        except FileNotFoundError:
            return {feed: Delay() for feed in FEEDS}
        except (OSError, ValueError, TypeError):
            return {feed: Delay(LONGEST) for feed in FEEDS}

    def __getitem__(self, feed: str) -> Delay:
        return self._kept.get(feed, Delay())

    def set(self, feed: str, delay: Delay) -> None:
        """Keep a feed's delay, durably before it is used. Raises OSError."""
        kept = {**self._kept, feed: delay}
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps({name: asdict(value) for name, value in kept.items()}) + "\n", encoding="utf-8")
        part.replace(self.path)
        self._kept = kept


class TableTime:
    """Table time as this process knows it: the last word of the table, and the machine's monotonic clock since."""

    def __init__(self) -> None:
        self._at = 0.0
        self._heard = 0.0
        self.known = False

    def heard(self, at: float, now: float) -> None:
        """The table, or its journal's heartbeat, says that it is `at`; `now` is monotonic time."""
        self._at, self._heard, self.known = at, now, True

    def now(self, now: float) -> float:
        return self._at + (now - self._heard) if self.known else 0.0


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a feed's knowledge ends: table time and the machine's date (unix seconds), both."""

    at: float = float("inf")
    wall: float = float("inf")

    def holds(self, at: float, wall: float) -> bool:
        """Whether an entry of that time and date may be known."""
        return at <= self.at and wall <= self.wall


class Horizon:
    """How far one feed may see. `reach` moves it; it goes back only when the delay grew."""

    def __init__(self) -> None:
        self._cut = Cut(float("-inf"), float("-inf"))
        self._total = 0.0

    def reach(self, table_time: float, wall: float, total: float) -> Cut:
        back = total > self._total
        at, date = table_time - total, wall - total
        self._cut = Cut(at, date) if back else Cut(max(self._cut.at, at), max(self._cut.wall, date))
        self._total = total
        return self._cut


class Reads(Protocol):
    """Whatever hands out a record's entries: `service.store.Reader`, or the hall's model."""

    def read(self) -> tuple[Entry, ...]:
        """Every entry since the last call."""
        ...


class Past:
    """The journal as it stood at an instant: entries are folded in order, each once, until the instant goes back."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader: Reads | None = None
        self._waiting: list[Entry] = []
        self._state = State()
        self._cut = Cut(float("-inf"), float("-inf"))

    def open(self) -> Reads:
        """Begin to read the journal, from its start. Raises JournalError, StoreError."""
        return Reader(self.path)

    def state(self, cut: Cut) -> State:
        """The state made of every entry up to the first that lies beyond the cut."""
        if cut.at < self._cut.at or cut.wall < self._cut.wall:
            self._reader, self._waiting, self._state = None, [], State()
        self._cut = cut
        try:
            if self._reader is None:
                self._reader = self.open()
            self._waiting += self._reader.read()
        except (JournalError, StoreError):
            self._reader, self._waiting, self._state = None, [], State()
            return self._state
        due = 0
        for entry in self._waiting:
            if not cut.holds(entry.at, entry.wall):
                break
            self._state = fold(self._state, entry.seq, entry.at, entry.by, entry.body)
            due += 1
        del self._waiting[:due]
        return self._state

    def document(self, cut: Cut) -> dict[str, Any]:
        """The state document as it was at the cut: what the journal says, and nothing that only the live table knows."""
        found = document(self.state(cut), max(cut.at, 0.0))
        return {**found, "sources": {}, "belief": {}, "scene": None}

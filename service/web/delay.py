"""Delay of everything public, in one place: what a feed may know at an instant, as it was `total`
seconds ago. (E for its small file)

A delayed feed is folded from the journal up to its horizon, never from what the table says now: so
nothing younger can slip through, clocks are delayed along, and a restart of any process or a change
of the delay changes nothing about that. The essay in three sentences:
*the horizon is table time now, less the delay; it moves on with the machine's monotonic clock while
     the table is away*. *A longer delay
holds the feed*: it says nothing at all until what it showed last is old enough, so it neither goes
back nor tells anybody anything younger; then it goes on from there. *A shorter one catches up at
once.*

What is awkward: table time stands still while the table is away, so a table that comes back makes
entries that are old by its own time. An entry must therefore be old enough by the machine's date as
well; a date that was set forward is caught by table time, one set back only makes viewers wait.
"""

from __future__ import annotations

import json
import math
import time
from collections import deque
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

from service.journal.chain import Entry, JournalError
from service.journal.store import StoreError
from service.referee.fold import fold
from service.referee.state import State
from service.show.compose import table_document
from service.show.document import TableDocument
from service.web.ports import Cursor, TableRecord

T = TypeVar("T")

FEEDS: Final = ("public", "overlay", "push")
"""What has a delay of its own: pages and API for guests, the stream's overlay, what is sent to a
website.
"""
LONGEST: Final = 3600.0
ROUNDED_S: Final = 0.0006
"""Times stand rounded in documents and journal, to a millisecond at most: without this much an
entry that was shown at once could be too young for the same instant later.
"""


@dataclass(frozen=True, slots=True)
class Delay:
    """Seconds a feed lags. `fine` (-30 to 30) matches it to the delay of one's video."""

    seconds: float = 0.0
    fine: float = 0.0

    def __post_init__(self) -> None:
        if not (0 <= self.seconds <= LONGEST and -30 <= self.fine <= 30):
            raise ValueError(
                f"a delay is 0 to {LONGEST:g} s, its fine adjustment -30 to 30 s; got"
                f" {self.seconds} and {self.fine}"
            )

    @property
    def total(self) -> float:
        """Seconds that the feed lags, fine adjustment included."""
        return max(0.0, self.seconds + self.fine)


UNDELAYED: Final = Delay()


class FeedDelays(Protocol):
    """How late each feed is, and for how long it still says nothing."""

    def __getitem__(self, feed: str) -> Delay: ...

    def held(self, feed: str) -> float: ...


def delay_path(folder: Path) -> Path:
    """Where the pages that keep their own in `folder` keep the delays."""
    return folder / "delay.json"


class Delays:
    """The delays of a machine's feeds, kept in `delay.json`; `unknown` where nobody set any. A file
    that cannot be read holds everything back: an hour for each feed.

    With each delay is kept the date up to which its feed had shown the world when the delay last
    grew, so that the hold that follows outlives a restart.
    """

    def __init__(self, path: Path, unknown: Delay = UNDELAYED) -> None:
        self.path = path
        self._kept: dict[str, Delay] = {}
        self._shown: dict[str, float] = {}
        self._until: dict[str, float] = {}
        try:
            given = json.loads(path.read_text(encoding="utf-8"))
            shown = given.get("shown", {})
            for feed in FEEDS:
                self._kept[feed] = Delay(**given.get(feed, {}))
                date = float(shown.get(feed, 0.0))
                self._shown[feed] = date if math.isfinite(date) else 0.0
        except FileNotFoundError:
            self._kept = dict.fromkeys(FEEDS, unknown)
        except (OSError, ValueError, TypeError, AttributeError):
            self._kept = {feed: Delay(LONGEST) for feed in FEEDS}
        for feed in FEEDS:
            # A date that was set meanwhile can lengthen a hold up to the delay, and never beyond.
            total = self._kept[feed].total
            left = self._shown.get(feed, 0.0) + total - time.time()
            self._until[feed] = time.monotonic() + min(max(left, 0.0), total)

    def __getitem__(self, feed: str) -> Delay:
        return self._kept.get(feed, Delay())

    def held(self, feed: str, now: float | None = None) -> float:
        """Seconds for which this feed still says nothing, because its delay was raised; `now` is
        monotonic time.
        """
        return max(0.0, self._until.get(feed, 0.0) - (time.monotonic() if now is None else now))

    def set(self, feed: str, delay: Delay) -> None:
        """Keep a feed's delay; a shorter one is used once it is on the disk, a longer one at once,
        even where it cannot be kept. Raises OSError.
        """
        now, date = time.monotonic(), time.time()
        more = delay.total - self[feed].total
        left = max(0.0, self.held(feed, now) + more)
        shown = (
            {**self._shown, feed: date + left - delay.total} if left else {**self._shown, feed: 0.0}
        )
        kept = {**self._kept, feed: delay}
        if more > 0:
            self._use(kept, shown, feed, now + left)
        # The dates stand apart: a version that knows nothing of them reads the delays all the same.
        rows = {name: asdict(value) for name, value in kept.items()} | {"shown": shown}
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(rows) + "\n", encoding="utf-8")
        part.replace(self.path)
        self._use(kept, shown, feed, now + left)

    def _use(
        self, kept: dict[str, Delay], shown: dict[str, float], feed: str, until: float
    ) -> None:
        self._kept, self._shown = kept, shown
        self._until[feed] = until


class TableTime:
    """Table time as this process knows it: the last word of the table, and the machine's monotonic
    clock since.
    """

    def __init__(self) -> None:
        self._at = 0.0
        self._heard = 0.0
        self.known = False

    def heard(self, at: float, now: float) -> None:
        """The table, or its journal's heartbeat, says that it is `at`; `now` is monotonic time."""
        self._at, self._heard, self.known = at, now, True

    def now(self, now: float) -> float:
        """Table time in seconds at monotonic time `now`; 0 before anybody said it."""
        return self._at + (now - self._heard) if self.known else 0.0


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a feed's knowledge ends: table time and the machine's date (unix seconds), both; for
    pictures the machine's monotonic clock, which nobody can set."""

    at: float = float("inf")
    wall: float = float("inf")
    seen: float = float("inf")

    def holds(self, at: float, wall: float) -> bool:
        """Whether an entry of that time and date may be known."""
        return at <= self.at + ROUNDED_S and wall <= self.wall + ROUNDED_S


_NOTHING: Final = Cut(float("-inf"), float("-inf"), float("-inf"))


class Horizon:
    """How far one feed may see.

    `reach` moves it; it goes back only when the delay grew, and then while the feed is held.
    """

    def __init__(self) -> None:
        self._cut = _NOTHING
        self._before = _NOTHING
        """How far it saw before the delay grew: no further back does it go once it is no longer
        held, whatever the table's time did.
        """
        self._total: float | None = None

    def reach(
        self,
        table_time: float,
        wall: float,
        total: float,
        now: float = float("inf"),
        *,
        held: bool = True,
    ) -> Cut:
        """`now` is monotonic time.

        `held`: the feed says nothing now, so that it may be taken back.
        """
        at, date = table_time - total, wall - total
        if self._total is not None and total > self._total:
            self._before, self._cut = self._cut, _NOTHING
        if not held:
            self._cut, self._before = _further(self._cut, self._before), _NOTHING
        self._cut, self._total = _further(self._cut, Cut(at, date, now - total)), total
        return self._cut


def _further(one: Cut, other: Cut) -> Cut:
    return Cut(max(one.at, other.at), max(one.wall, other.wall), max(one.seen, other.seen))


class Lately(Generic[T]):
    """What only the live table knows (how the dice lie), remembered for as long as a delay can be:
    at most `most` changes.
    """

    def __init__(self, most: int = 20_000) -> None:
        self._kept: deque[tuple[float, float, T]] = deque(maxlen=most)

    def add(self, at: float, wall: float, value: T) -> None:
        """The table said so at that table time and date."""
        if not self._kept or self._kept[-1][2] != value:
            self._kept.append((at, wall, value))
        while len(self._kept) > 1 and self._kept[1][1] < wall - LONGEST - 60:
            self._kept.popleft()

    def rows(self) -> tuple[tuple[float, float, T], ...]:
        """All that is remembered, each with its table time and date, the oldest first."""
        return tuple(self._kept)

    def newest(self, cut: Cut) -> T | None:
        """The newest that may be known by then, None where nothing is remembered of so long ago."""
        return next(
            (value for at, wall, value in reversed(self._kept) if cut.holds(at, wall)), None
        )


class Past:
    """The journal as it stood at an instant: entries are folded in order, each once, until the
    instant goes back.
    """

    def __init__(self, record: TableRecord) -> None:
        self.record = record
        self._reader: Cursor | None = None
        self._waiting: list[Entry] = []
        self._state = State()
        self._cut = _NOTHING

    def state(self, cut: Cut) -> State:
        """The state made of every entry up to the first that lies beyond the cut."""
        if cut.at < self._cut.at or cut.wall < self._cut.wall:
            self._reader, self._waiting, self._state = None, [], State()
        self._cut = cut
        try:
            if self._reader is None:
                self._reader = self.record.cursor()
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

    def document(self, cut: Cut) -> TableDocument:
        """The state document as it was at the cut."""
        return of_journal(self.state(cut), cut)


def of_journal(state: State, cut: Cut) -> TableDocument:
    """The document of a past state: what the journal says, and nothing that only the live table
    knows.
    """
    found = table_document(state, max(cut.at, 0.0))
    found["sources"], found["belief"], found["scene"] = {}, {}, None
    return found

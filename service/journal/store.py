"""The journal's writer and its readers: entries only ever added, each on the disk before `append`
returns (E).

One writer, SQLite in WAL mode with synchronous=FULL. What was acknowledged stands twice: in the
file or its log, and in `service.journal.tail`. The log is folded into the file at each game's end,
at an adjournment, every 50 entries and when the table stops, so a copy of the file alone misses
little, and nothing after a clean stop. A file that is deleted, replaced or cut while it is written
is noticed at the next entry or heartbeat and written anew. A heartbeat row, rewritten once a second
and as durable, keeps table time and clocks right to a second over a crash.

`Store.open` refuses a file whose chain breaks or whose end is missing (see
`service.journal.mending`); `Reader` still reads everything before the break, from any process.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Final

from service.journal.chain import (
    GENESIS,
    BrokenChainError,
    Entry,
    JournalError,
    NewerJournalError,
    chain,
    checked_entries,
)
from service.journal.entries import Body, Who
from service.journal.erasures import ERASING, Erasures
from service.journal.sqlite_file import Heartbeat as Heartbeat
from service.journal.sqlite_file import InUseError as InUseError
from service.journal.sqlite_file import NotStoredError as NotStoredError
from service.journal.sqlite_file import (
    Row,
    beside,
    check_kind,
    fold_in,
    free_name,
    has_entry,
    insert_rows,
    lock_journal,
    open_read_only,
    open_to_write,
    read_heartbeat,
    rows_after,
    sync_folder,
    texts_holding,
    write_anew,
    write_heartbeat,
)
from service.journal.sqlite_file import StoreError as StoreError
from service.journal.tail import SecondCopy, TailRow, read_tail, tail_path, tail_rows

log = logging.getLogger(__name__)

FOLD_EVERY: Final = 50
FOLDED_AT: Final = frozenset({"table_opened", "game_ended", "match_ended", "adjourned"})
"""Kinds of entries after which the log is folded into the file at the next heartbeat."""


class MissingEntriesError(JournalError):
    """A journal that ends before its last entry, or is another than the one that was written."""


@dataclass(frozen=True, slots=True)
class Mended:
    """What was found wrong with a journal's file and what became of it.

    `code` says which (`service.journal.saying.ALERTS`), `reason` how it was seen.
    `kept`: where the damaged file is now, None where nothing was left of it. `first` and `last`
    number the entries that are missing (0 and 0 for none), `head` is the hash of the last of them.
    `entries` are there again.
    """

    code: str
    reason: str
    kept: Path | None
    entries: int
    first: int = 0
    last: int = 0
    head: str = ""


class Store:
    """The one writer. Use `Store.open`; close it, or use it as a context manager."""

    def __init__(
        self, db: sqlite3.Connection, lock: IO[str], path: Path, past: tuple[Entry, ...]
    ) -> None:
        self._db = db
        self._lock = lock
        self.path = path
        self.past = past
        """Every entry that stood in the file when it was opened."""
        self.mended: list[Mended] = []
        """What was put right while this store is open; whoever says it takes it out."""
        self._entries = list(past)
        self._beat: Heartbeat | None = None
        self._tail = SecondCopy(tail_path(path))
        self._folded = len(past)
        self._fold_due = False
        self._begin_tail()
        self._seen = self._files()

    @classmethod
    def open(cls, path: Path) -> Store:
        """Open or create a journal for writing, after checking its whole chain and its end.

        Raises InUseError when another process writes it, NewerJournalError, BrokenChainError and
        MissingEntriesError (see `service.journal.mending`), JournalError when it is no journal,
        StoreError when the folder cannot be written."""
        lock = lock_journal(path)
        db: sqlite3.Connection | None = None
        try:
            # Asked of a reader, since the last writer that closes folds a damaged log in.
            if (missing := missing_end(path)) is not None:
                raise missing
            db = open_to_write(path)
            past = tuple(checked_entries(rows_after(db, 0), explained=_erasures(db).explains))
            if not fold_in(db, 0):
                log.info("%s: is being read; its log is folded in later", path.name)
            return cls(db, lock, path, past)
        except sqlite3.DatabaseError as error:
            _let_go(db, lock)
            raise StoreError(
                f"{path}: the journal cannot be opened ({error}); check the disk, or name another"
                " file"
            ) from error
        except BaseException:
            _let_go(db, lock)
            raise

    @property
    def seq(self) -> int:
        """Number of the last entry, 0 for none."""
        return len(self._entries)

    @property
    def head(self) -> str:
        """Hash of the last entry: prove the whole journal by keeping it elsewhere."""
        return self._entries[-1].hash if self._entries else GENESIS

    def append(self, bodies: Sequence[tuple[float, float, Who, Body]]) -> tuple[Entry, ...]:
        """Commit (at, wall, by, body) each, all or none, and return when they are on the disk.

        Raises NotStoredError when they are not: the journal and this store stand as before, and the
        same call may be made again.
        """
        if not bodies:
            return ()
        entries = tuple(e for e, _ in chain(bodies, self.head, self.seq))
        try:
            self._look_after(entries[-1].wall)
            insert_rows(self._db, [(e.seq, e.text, e.hash) for e in entries])
        except (sqlite3.DatabaseError, OSError) as error:
            raise NotStoredError(
                f"{self.path}: {len(entries)} entries could not be written ({error}); free space on"
                " the disk, they are kept"
            ) from error
        self._entries += entries
        self._add_to_tail(entries)
        self._fold_due |= any(e.body.kind in FOLDED_AT for e in entries)
        self._seen = self._files()
        return entries

    def beat(self, at: float, wall: float, data: object = None) -> None:
        """Replace the heartbeat, durably; fold the log in where it is time. Raises
        NotStoredError.
        """
        self._beat = Heartbeat(at, wall, data)
        try:
            self._look_after(wall)
            write_heartbeat(self._db, self._beat)
        except (sqlite3.DatabaseError, OSError) as error:
            raise NotStoredError(
                f"{self.path}: the heartbeat could not be written ({error}); free space on the disk"
            ) from error
        if self._fold_due or self.seq - self._folded >= FOLD_EVERY:
            # Nobody waits for this: what it folds in is on the disk already.
            self._fold(0)
        self._seen = self._files()

    def heartbeat(self) -> Heartbeat | None:
        """The last sign of life, None for a new journal."""
        return read_heartbeat(self._db)

    def close(self) -> None:
        """Idempotent. Folds the log in, so that the file alone is the whole record."""
        with suppress(sqlite3.ProgrammingError):
            self._fold(200)
        self._db.close()
        self._tail.close()
        self._lock.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # The second copy
    # ---------------------------------------------------------------------------------------------

    def _fold(self, patience_ms: int) -> None:
        if not fold_in(self._db, patience_ms):
            return
        self._folded, self._fold_due = self.seq, False
        self._begin_tail()

    def _begin_tail(self) -> None:
        """The second copy anew: the last entry that the file itself holds, and all after it."""
        since = max(0, self._folded - 1)
        try:
            self._tail.begin(self._lines(self._entries[since:]))
        except OSError as error:
            log.warning("%s: the newest entries cannot be kept twice now (%s)", self.path, error)
            self._tail.close()

    def _add_to_tail(self, entries: Sequence[Entry]) -> None:
        # The entries are stored: what fails here is tried again, and never makes them unstored.
        try:
            self._tail.add(self._lines(entries))
        except OSError:
            self._begin_tail()

    def _lines(self, entries: Sequence[Entry]) -> list[TailRow]:
        if not entries:
            return []
        before = self._entries[entries[0].seq - 2].hash if entries[0].seq > 1 else GENESIS
        return tail_rows(((e.seq, e.text, e.hash) for e in entries), before)

    # The file, while it is written
    # ---------------------------------------------------------------------------------------------

    def _files(self) -> list[os.stat_result | None]:
        """The file and its log as they lie there, None for one that does not."""
        found: list[os.stat_result | None] = []
        for suffix in ("", "-wal"):
            try:
                found.append(beside(self.path, suffix).stat())
            except FileNotFoundError:
                found.append(None)
        return found

    def _look_after(self, wall: float) -> None:
        """See that the files are those that were written, no shorter; else write them anew.

        SQLite would go on into a file that nobody finds again. Raises OSError,
        sqlite3.DatabaseError.
        """
        for before, now in zip(self._seen, self._files(), strict=True):
            if before is not None and (
                now is None or not os.path.samestat(before, now) or now.st_size < before.st_size
            ):
                self._write_anew(datetime.fromtimestamp(wall).strftime("%Y%m%d-%H%M%S"))
                return
        if not self._tail.lies_there():
            self._begin_tail()

    def _write_anew(self, date: str) -> None:
        """Put a new file with every entry where the journal was; what lies there is kept aside."""
        fresh = beside(self.path, ".new")
        if not self.path.parent.exists():
            self._lock.close()
            self._lock = lock_journal(self.path)
        beat = self._beat or read_heartbeat(self._db)
        write_anew(fresh, [(e.seq, e.text, e.hash) for e in self._entries], beat)
        with suppress(sqlite3.DatabaseError):
            self._db.close()
        kept = None
        if self.path.exists():
            kept = free_name(self.path, date)
            self.path.rename(kept)
        for suffix in ("-wal", "-shm"):
            beside(self.path, suffix).unlink(missing_ok=True)
        fresh.rename(self.path)
        sync_folder(self.path.parent)
        self._db = open_to_write(self.path)
        self._folded, self._fold_due = self.seq, False
        self._begin_tail()
        self._seen = self._files()
        reason = f"{self.path}: was deleted, replaced or cut while it was written"
        self.mended.append(Mended("rewritten", reason, kept, self.seq))


def _let_go(db: sqlite3.Connection | None, lock: IO[str]) -> None:
    if db is not None:
        db.close()
    lock.close()


def _erasures(db: sqlite3.Connection) -> Erasures:
    """What the journal says of names that were erased."""
    return Erasures(partial(texts_holding, db, ERASING))


def missing_end(path: Path) -> MissingEntriesError | None:
    """Why this journal is not the whole record, by the second copy of its newest entries; None
    where it is, or where there is no second copy. Raises OSError, NewerJournalError.
    """
    known = read_tail(tail_path(path))
    if not known:
        return None
    last = known[-1]
    there = 0
    try:
        if path.stat().st_size:
            with closing(open_read_only(path)) as db:
                check_kind(db, path)
                if has_entry(db, last.seq, last.hash):
                    return None
                there = int(db.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()[0])
    except NewerJournalError:
        raise
    except (JournalError, sqlite3.DatabaseError, FileNotFoundError):
        log.debug("%s: cannot be read as a journal", path)
    if there >= last.seq:
        return MissingEntriesError(
            f"{path}: expected entry {last.seq} to be {last.hash[:16]}, which was written last; got"
            " another: this is not the journal that was written here"
        )
    return MissingEntriesError(
        f"{path}: expected {last.seq} entries up to {last.hash[:16]}, got {there}: the end is"
        " missing; start the table, which brings back what it can"
    )


class Reader:
    """Reads a journal that another process may be writing. `read` checks each link on the way.

    `after` is (number, hash) of an entry that was read and checked before: reading goes on from
    there. JournalError where the journal has another entry of that number.
    """

    def __init__(self, path: Path, after: tuple[int, str] = (0, GENESIS)) -> None:
        self.path = path
        self._seq, self._head = after
        self.broken: BrokenChainError | None = None
        """Set once the chain was seen to break; nothing after the break is ever returned."""
        self._db, self._file = self._open()

    def _open(self) -> tuple[sqlite3.Connection, os.stat_result]:
        """A connection at the entry read last, and which file that is. Raises JournalError."""
        try:
            file = self.path.stat()
        except FileNotFoundError:
            raise JournalError(
                f"{self.path}: expected a journal, found no file: start the table first, or name"
                " another file"
            ) from None
        db = open_read_only(self.path)
        try:
            check_kind(db, self.path)
            if self._seq and not has_entry(db, self._seq, self._head):
                raise JournalError(
                    f"{self.path}: expected the journal that was read before, found another: read"
                    " it from its start"
                )
        except BaseException:
            db.close()
            raise
        return db, file

    def _follow(self) -> None:
        """Go on in the file that lies there now: its writer may have written it anew."""
        with suppress(FileNotFoundError):
            if not os.path.samestat(self._file, self.path.stat()):
                old, (self._db, self._file) = self._db, self._open()
                old.close()

    def read(self, most: int | None = None) -> tuple[Entry, ...]:
        """Every entry added since the last call (or the next `most`), up to the first broken link
        (see `broken`). Raises StoreError when busy, JournalError where another journal took its
        place."""
        found: list[Entry] = []
        if self.broken is None:
            self._follow()
            try:
                rows, explains = rows_after(self._db, self._seq), _erasures(self._db).explains
                for entry in islice(checked_entries(rows, self._head, self._seq, explains), most):
                    found.append(entry)
                    self._seq, self._head = entry.seq, entry.hash
            except BrokenChainError as error:
                self.broken = error
        return tuple(found)

    @property
    def head(self) -> str:
        return self._head

    def heartbeat(self) -> Heartbeat | None:
        return read_heartbeat(self._db)

    def tail(self) -> tuple[Row, ...]:
        """The raw rows after the last sound entry, as far as they can be read."""
        rows: list[Row] = []
        with suppress(BrokenChainError):
            rows.extend(rows_after(self._db, self._seq))
        return tuple(rows)

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

"""The journal's file: SQLite in WAL mode with synchronous=FULL, one writer, entries only ever added
(E).

`Store.append` returns after the commit has reached the disk; nothing may be published or lit
before. A heartbeat row, rewritten once a second and as durable, keeps table time and clocks right
to a second over a crash. `Reader` opens the same file read-only, from any process.

Damage is never repaired in place. `Store.open` refuses a file whose chain breaks, `Reader` still
reads everything before the break, and `set_aside` renames the damaged file and begins a new one
that holds the sound entries, so that play can go on.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Final

from service.journal.chain import (
    FORMAT,
    GENESIS,
    BrokenChainError,
    Entry,
    JournalError,
    NewerJournalError,
    chain,
    checked_entries,
)
from service.journal.codec import canonical
from service.journal.entries import Body, Who

APPLICATION: Final = 0x74616B68
"""SQLite's application id of a takhte journal: "takh"."""
BUSY_MS: Final = 2000

SCHEMA: Final = """
CREATE TABLE entries (seq INTEGER PRIMARY KEY, text BLOB NOT NULL, hash TEXT NOT NULL);
CREATE TABLE heartbeat (
 id INTEGER PRIMARY KEY CHECK (id = 1), at REAL NOT NULL, wall REAL NOT NULL, data TEXT NOT NULL
);
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'entries append; nothing is rewritten'); END;
CREATE TRIGGER entries_remain BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'entries append; nothing is deleted'); END;
"""


class StoreError(OSError):
    """The journal's file cannot be used now; the message says why and what to do next.

    Nothing that was committed is lost.
    """


class InUseError(StoreError):
    """Another process writes this journal."""


class NotStoredError(StoreError):
    """These entries are not on the disk (full, or a write failed); the journal stands as before,
    and they may be tried again.
    """


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The last sign of life: table time, the machine's date, and whatever small JSON the table
    keeps with it.
    """

    at: float
    wall: float
    data: object


def _rows(db: sqlite3.Connection, since: int) -> Iterator[tuple[int, bytes, str]]:
    """Rows after number `since`; a page that SQLite cannot read ends in BrokenChainError."""
    seq = since
    try:
        for seq, text, sealed in db.execute(
            "SELECT seq, text, hash FROM entries WHERE seq > ? ORDER BY seq", (since,)
        ):
            yield seq, bytes(text) if isinstance(text, bytes) else str(text).encode(), str(sealed)
    except sqlite3.OperationalError as error:
        raise StoreError(f"the journal cannot be read now: {error}") from error
    except sqlite3.DatabaseError as error:
        raise BrokenChainError(seq + 1, f"the file is damaged there ({error})") from None


def _has(db: sqlite3.Connection, seq: int, sealed: str) -> bool:
    try:
        row = db.execute("SELECT hash FROM entries WHERE seq = ?", (seq,)).fetchone()
    except sqlite3.DatabaseError:
        return False
    return row is not None and row[0] == sealed


def _check_kind(db: sqlite3.Connection, path: Path) -> None:
    """Refuse what is no takhte journal, or one of the future."""
    try:
        application = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise JournalError(
            f"{path}: expected a takhte journal, got a file that SQLite cannot open ({error}): name"
            " another file"
        ) from None
    if application != APPLICATION:
        raise JournalError(
            f"{path}: expected a takhte journal, got another program's database: name another file"
        )
    if version > FORMAT:
        raise NewerJournalError(
            f"{path}: this journal has format {version}, written by a later takhte; this one reads"
            f" up to format {FORMAT}. Install that version again, or name another journal"
        )


def _read_heartbeat(db: sqlite3.Connection) -> Heartbeat | None:
    try:
        row = db.execute("SELECT at, wall, data FROM heartbeat").fetchone()
        return None if row is None else Heartbeat(float(row[0]), float(row[1]), json.loads(row[2]))
    except (sqlite3.DatabaseError, ValueError):
        return None


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
        self._head = past[-1].hash if past else GENESIS
        self._seq = len(past)

    @classmethod
    def open(cls, path: Path) -> Store:
        """Open or create a journal for writing, after checking its whole chain.

        Raises InUseError when another process writes it, NewerJournalError, BrokenChainError (see
        `set_aside`), JournalError when it is no journal, StoreError when the folder cannot be
        written."""
        lock = _lock(path)
        try:
            fresh = not path.exists() or path.stat().st_size == 0
            db = sqlite3.connect(path, isolation_level=None, timeout=BUSY_MS / 1000)
            if not fresh:
                _check_kind(db, path)
            _durable(db)
            if fresh:
                _create(db)
            return cls(db, lock, path, tuple(checked_entries(_rows(db, 0))))
        except sqlite3.DatabaseError as error:
            lock.close()
            raise StoreError(
                f"{path}: the journal cannot be opened ({error}); check the disk, or name another"
                " file"
            ) from error
        except BaseException:
            lock.close()
            raise

    @property
    def seq(self) -> int:
        """Number of the last entry, 0 for none."""
        return self._seq

    @property
    def head(self) -> str:
        """Hash of the last entry: prove the whole journal by keeping it elsewhere."""
        return self._head

    def append(self, bodies: Sequence[tuple[float, float, Who, Body]]) -> tuple[Entry, ...]:
        """Commit (at, wall, by, body) each, all or none, and return when they are on the disk.

        Raises NotStoredError when they are not: the journal and this store stand as before, and the
        same call may be made again.
        """
        if not bodies:
            return ()
        sealed = list(chain(bodies, self._head, self._seq))
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(
                "INSERT INTO entries VALUES (?, ?, ?)",
                [(e.seq, text, e.hash) for e, text in sealed],
            )
            self._db.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            with suppress(sqlite3.DatabaseError):
                self._db.execute("ROLLBACK")
            raise NotStoredError(
                f"{self.path}: {len(sealed)} entries could not be written ({error}); free space on"
                " the disk, they are kept"
            ) from error
        entries = tuple(e for e, _ in sealed)
        self._head, self._seq = entries[-1].hash, entries[-1].seq
        return entries

    def beat(self, at: float, wall: float, data: object = None) -> None:
        """Replace the heartbeat, durably. Raises NotStoredError."""
        try:
            self._db.execute(
                "INSERT OR REPLACE INTO heartbeat VALUES (1, ?, ?, ?)",
                (at, wall, canonical(data).decode()),
            )
        except sqlite3.DatabaseError as error:
            raise NotStoredError(
                f"{self.path}: the heartbeat could not be written ({error}); free space on the disk"
            ) from error

    def heartbeat(self) -> Heartbeat | None:
        """The last sign of life, None for a new journal."""
        return _read_heartbeat(self._db)

    def close(self) -> None:
        """Idempotent."""
        self._db.close()
        self._lock.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _lock(path: Path) -> IO[str]:
    """An exclusive lock held as long as the process lives: the kernel lets it go after kill -9, so
    no stale lock can stop a restart.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_name(path.name + ".lock").open("w")
    except OSError as error:
        raise StoreError(
            f"{path}: expected a folder that can be written, got: {error}. Name another journal"
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise InUseError(
            f"{path}: another takhte writes this journal: stop it, or name another journal"
        ) from None
    return lock


def _durable(db: sqlite3.Connection) -> None:
    """Stated here because the defaults differ from build to build."""
    mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    db.execute("PRAGMA synchronous = FULL")
    if mode != "wal" or db.execute("PRAGMA synchronous").fetchone()[0] != 2:
        raise StoreError(
            f"expected SQLite in WAL mode with synchronous=FULL, got {mode}: keep the journal on a"
            " local disk"
        )


def _create(db: sqlite3.Connection) -> None:
    db.executescript(
        f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; {SCHEMA}"
        " COMMIT;"
    )


class Reader:
    """Reads a journal that another process may be writing. `read` checks each link on the way.

    `after` is (number, hash) of an entry that was read and checked before: reading goes on from
    there. JournalError where the journal has another entry of that number.
    """

    def __init__(self, path: Path, after: tuple[int, str] = (0, GENESIS)) -> None:
        if not path.exists():
            raise JournalError(
                f"{path}: expected a journal, found no file: start the table first, or name another"
                " file"
            )
        self._db = _open_read_only(path)
        self.path = path
        self._seq, self._head = after
        self.broken: BrokenChainError | None = None
        """Set once the chain was seen to break; nothing after the break is ever returned."""
        try:
            _check_kind(self._db, path)
            if self._seq and not _has(self._db, *after):
                raise JournalError(
                    f"{path}: expected the journal that was read before, found another: read it"
                    " from its start"
                )
        except BaseException:
            self._db.close()
            raise

    def read(self, most: int | None = None) -> tuple[Entry, ...]:
        """Every entry added since the last call (or the next `most`), up to the first broken link
        (see `broken`). Raises StoreError when busy."""
        found: list[Entry] = []
        if self.broken is None:
            try:
                for entry in islice(
                    checked_entries(_rows(self._db, self._seq), self._head, self._seq), most
                ):
                    found.append(entry)
                    self._seq, self._head = entry.seq, entry.hash
            except BrokenChainError as error:
                self.broken = error
        return tuple(found)

    @property
    def head(self) -> str:
        return self._head

    def heartbeat(self) -> Heartbeat | None:
        return _read_heartbeat(self._db)

    def tail(self) -> tuple[tuple[int, bytes, str], ...]:
        """The raw rows after the last sound entry, as far as they can be read."""
        rows: list[tuple[int, bytes, str]] = []
        with suppress(BrokenChainError):
            rows.extend(_rows(self._db, self._seq))
        return tuple(rows)

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _open_read_only(path: Path) -> sqlite3.Connection:
    """A reader of a WAL file needs its -shm file: where it is absent and cannot be made, the file
    is at rest and is read as it lies.
    """
    at_rest = not path.with_name(path.name + "-wal").exists() and not os.access(
        path.parent, os.W_OK
    )
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if at_rest else ''}",
        uri=True,
        timeout=BUSY_MS / 1000,
    )


def set_aside(path: Path, date: str) -> tuple[Path, int]:
    """Keep a damaged journal as `NAME.damaged-DATE` and put a new one in its place, with its sound
    entries and last heartbeat.

    Returns the damaged file's new name and how many entries were sound. Raises what `Store.open`
    raises, and StoreError when the name is taken.
    """
    damaged, fresh = (
        path.with_name(f"{path.name}.damaged-{date}"),
        path.with_name(f"{path.name}.new"),
    )
    if damaged.exists():
        raise StoreError(f"{damaged}: expected a free name, got a file of that name: move it away")
    with _lock(path):
        with Reader(path) as reader:
            sound, beat = reader.read(), reader.heartbeat()
        fresh.unlink(missing_ok=True)
        with Store.open(fresh) as store:
            store.append([(e.at, e.wall, e.by, e.body) for e in sound])
            if beat is not None:
                store.beat(beat.at, beat.wall, beat.data)
            if sound and store.head != sound[-1].hash:
                raise StoreError(
                    f"{path}: its sound entries could not be copied byte for byte: keep that file,"
                    " and name another journal"
                )
        # The write-ahead log belongs to the damaged file alone: beside the new one it would be
        # taken for its own.
        for suffix in ("", "-wal"):
            with suppress(FileNotFoundError):
                shutil.copy2(
                    path.with_name(path.name + suffix), damaged.with_name(damaged.name + suffix)
                )
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        fresh.replace(path)
    fresh.with_name(fresh.name + ".lock").unlink(missing_ok=True)
    return damaged, len(sound)

"""The journal's file as SQLite keeps it: opened, locked, checked, folded in (E).

Entries reach the write-ahead log first (`NAME-wal`), where one damaged byte hides everything after
it; `fold_in` brings them into the file itself, so that little ever lies in the log alone.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from service.journal.chain import FORMAT, BrokenChainError, JournalError, NewerJournalError
from service.journal.codec import canonical

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

Row = tuple[int, bytes, str]
"""An entry as it lies in the file: number, bytes, hash."""


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


class EmptiedError(JournalError):
    """A journal whose write-ahead log is gone before anything was folded into the file."""


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The last sign of life: table time, the machine's date, and whatever small JSON the table
    keeps with it.
    """

    at: float
    wall: float
    data: object


# Reading
# -------------------------------------------------------------------------------------------------


def rows_after(db: sqlite3.Connection, since: int) -> Iterator[Row]:
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


def texts_holding(db: sqlite3.Connection, part: bytes) -> list[bytes]:
    """The texts of the entries that hold these bytes, in their order."""
    found = db.execute("SELECT text FROM entries WHERE instr(text, ?) ORDER BY seq", (part,))
    return [bytes(text) for (text,) in found]


def has_entry(db: sqlite3.Connection, seq: int, sealed: str) -> bool:
    """Whether the entry of this number is there, with this hash."""
    try:
        row = db.execute("SELECT hash FROM entries WHERE seq = ?", (seq,)).fetchone()
    except sqlite3.DatabaseError:
        return False
    return row is not None and row[0] == sealed


def check_kind(db: sqlite3.Connection, path: Path) -> None:
    """Refuse what is no takhte journal, one of the future, or one that lost its log."""
    try:
        application = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        emptied = not application and (
            db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
            and not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        )
    except sqlite3.DatabaseError as error:
        raise JournalError(
            f"{path}: expected a takhte journal, got a file that SQLite cannot open ({error}): name"
            " another file"
        ) from None
    if emptied:
        raise EmptiedError(
            f"{path}: expected entries, got an empty file: its write-ahead log ({path.name}-wal) is"
            " gone. Bring that file back, or a backup"
        )
    if application != APPLICATION:
        raise JournalError(
            f"{path}: expected a takhte journal, got another program's database: name another file"
        )
    if version > FORMAT:
        raise NewerJournalError(
            f"{path}: this journal has format {version}, written by a later takhte; this one reads"
            f" up to format {FORMAT}. Install that version again, or name another journal"
        )


def read_heartbeat(db: sqlite3.Connection) -> Heartbeat | None:
    """The last sign of life that the file holds."""
    try:
        row = db.execute("SELECT at, wall, data FROM heartbeat").fetchone()
        return None if row is None else Heartbeat(float(row[0]), float(row[1]), json.loads(row[2]))
    except (sqlite3.DatabaseError, ValueError):
        return None


def open_read_only(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing. A reader of a WAL file needs its -shm file: where it is
    absent and cannot be made, the file is at rest and is read as it lies.
    """
    at_rest = not beside(path, "-wal").exists() and not os.access(path.parent, os.W_OK)
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if at_rest else ''}",
        uri=True,
        timeout=BUSY_MS / 1000,
    )


# Writing
# -------------------------------------------------------------------------------------------------


def open_to_write(path: Path) -> sqlite3.Connection:
    """The one connection that writes; the file is made where there is none, readable by its owner
    alone. Raises sqlite3.DatabaseError, OSError, JournalError.
    """
    if not path.exists() or path.stat().st_size == 0:
        _make(path)
    # A club's machine has other users; SQLite makes -wal and -shm as readable as the file.
    path.chmod(0o600)
    db = _connected(path)
    try:
        check_kind(db, path)
        _durable(db)
    except BaseException:
        db.close()
        raise
    return db


def _make(path: Path) -> None:
    """A journal without entries, there whole or not at all: half of one would be taken for another
    program's file for ever.
    """
    part = beside(path, ".part")
    for suffix in ("", "-wal", "-shm"):
        beside(part, suffix).unlink(missing_ok=True)
        beside(path, suffix).unlink(missing_ok=True)
    os.close(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    with closing(_connected(part)) as db:
        _durable(db)
        db.executescript(
            f"BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT};"
            f" {SCHEMA} COMMIT;"
        )
        fold_in(db)
    part.rename(path)
    sync_folder(path.parent)


def _connected(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, timeout=BUSY_MS / 1000)


def _durable(db: sqlite3.Connection) -> None:
    """Stated here because the defaults differ from build to build."""
    mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    db.execute("PRAGMA synchronous = FULL")
    if mode != "wal" or db.execute("PRAGMA synchronous").fetchone()[0] != 2:
        raise StoreError(
            f"expected SQLite in WAL mode with synchronous=FULL, got {mode}: keep the journal on a"
            " local disk"
        )


def fold_in(db: sqlite3.Connection, patience_ms: int = BUSY_MS) -> bool:
    """Whether all of the write-ahead log is now in the file and the log empty: False while somebody
    reads, for longer than `patience_ms`.
    """
    try:
        db.execute(f"PRAGMA busy_timeout = {patience_ms}")
        busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy
    except sqlite3.DatabaseError:
        return False
    finally:
        with suppress(sqlite3.DatabaseError):
            db.execute(f"PRAGMA busy_timeout = {BUSY_MS}")


def insert_rows(db: sqlite3.Connection, rows: Iterable[Row]) -> None:
    """All or none, durably. Raises sqlite3.DatabaseError."""
    try:
        db.execute("BEGIN IMMEDIATE")
        db.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows)
        db.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.DatabaseError):
            db.execute("ROLLBACK")
        raise


def write_heartbeat(db: sqlite3.Connection, beat: Heartbeat) -> None:
    """Replace the heartbeat, durably. Raises sqlite3.DatabaseError."""
    db.execute(
        "INSERT OR REPLACE INTO heartbeat VALUES (1, ?, ?, ?)",
        (beat.at, beat.wall, canonical(beat.data).decode()),
    )


def write_anew(path: Path, rows: Iterable[Row], beat: Heartbeat | None) -> None:
    """Write a whole new journal under this name, byte for byte these entries; on the disk, with no
    log beside it, when this returns. Raises sqlite3.DatabaseError, OSError.
    """
    for suffix in ("", "-wal", "-shm"):
        beside(path, suffix).unlink(missing_ok=True)
    with closing(open_to_write(path)) as db:
        insert_rows(db, rows)
        if beat is not None:
            write_heartbeat(db, beat)
        if not fold_in(db):
            raise StoreError(f"{path}: cannot be folded into one file; check the disk")


def beside(path: Path, suffix: str) -> Path:
    """The file of this name with something added."""
    return path.with_name(path.name + suffix)


def free_name(path: Path, date: str) -> Path:
    """Where a damaged journal is kept: `NAME.damaged-DATE`, a number added where that is taken."""
    name = beside(path, f".damaged-{date}")
    for number in range(2, 1000):
        if not name.exists():
            return name
        name = beside(path, f".damaged-{date}-{number}")
    raise StoreError(f"{name}: expected a free name, got a file of that name: move some away")


def sync_folder(folder: Path) -> None:
    """What was made, renamed or removed there is on the disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lock_journal(path: Path) -> IO[str]:
    """An exclusive lock held as long as the process lives: the kernel lets it go after kill -9, so
    no stale lock can stop a restart. Raises StoreError, InUseError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = beside(path, ".lock").open("w")
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

"""A journal opened whatever became of its file: the damaged one is kept aside, its sound entries go
on in a new one, and what is missing is named (E).

Damage is never repaired in place and nothing is renumbered in silence: what the second copy of the
newest entries (`service.journal.tail`) has and the file has not is brought back, byte for byte;
what neither has is said, by number and by the hash of its last entry.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

from service.journal.chain import GENESIS, BrokenChainError, JournalError, checked_entries
from service.journal.erasures import Erasures
from service.journal.sqlite_file import (
    EmptiedError,
    Heartbeat,
    Row,
    beside,
    free_name,
    lock_journal,
    sync_folder,
    write_anew,
)
from service.journal.store import Mended, MissingEntriesError, Reader, Store, StoreError
from service.journal.tail import TailRow, read_tail, tail_path


def open_mended(path: Path, date: str) -> Store:
    """The store, after the file was put right where it was damaged; `Store.mended` says what was.

    Raises what `Store.open` raises but for damage.
    """
    try:
        return Store.open(path)
    except (BrokenChainError, MissingEntriesError, EmptiedError) as error:
        found = mend(path, date, str(error))
    store = Store.open(path)
    store.mended.append(found)
    return store


def mend(path: Path, date: str, reason: str) -> Mended:
    """Keep a damaged journal as `NAME.damaged-DATE` and put a new one in its place, with its sound
    entries, those of the second copy that follow them, and its last heartbeat.

    Raises StoreError, InUseError.
    """
    fresh = beside(path, ".new")
    with lock_journal(path):
        sound, after, beat = _sound(path)
        known = read_tail(tail_path(path))
        rows = brought_back(sound, known)
        try:
            write_anew(fresh, rows, _newest(beat, rows))
            kept = _kept_aside(path, date)
            # The log belongs to the damaged file alone: beside the new one it would be taken for
            # its own.
            for suffix in ("-wal", "-shm"):
                beside(path, suffix).unlink(missing_ok=True)
            fresh.replace(path)
            tail_path(path).unlink(missing_ok=True)
            sync_folder(path.parent)
        except (sqlite3.DatabaseError, OSError) as error:
            raise StoreError(
                f"{path}: is damaged, and what is sound cannot be written anew ({error}): make"
                " room, or name another journal"
            ) from error
    beside(fresh, ".lock").unlink(missing_ok=True)
    return _said(reason, kept, rows, after, known)


def brought_back(sound: Sequence[Row], known: Sequence[TailRow]) -> list[Row]:
    """Sound rows and those of the second copy that follow them, link by link."""
    rows = list(sound)
    for row in known:
        head = rows[-1][2] if rows else GENESIS
        if row.seq == len(rows) + 1 and row.before == head:
            rows.append((row.seq, row.text, row.hash))
    return rows


def _sound(path: Path) -> tuple[list[Row], int, Heartbeat | None]:
    """The rows before the first that is damaged, how many lie after them, the last heartbeat."""
    with suppress(JournalError, sqlite3.DatabaseError), closing(Reader(path)) as reader:
        entries = reader.read()
        rows = [(e.seq, e.text, e.hash) for e in entries]
        return rows, len(reader.tail()), reader.heartbeat()
    return [], 0, None


def _newest(beat: Heartbeat | None, rows: Sequence[Row]) -> Heartbeat | None:
    """The heartbeat, or the last entry where that is newer: clocks go on from there."""
    if not rows:
        return beat
    *_, last = checked_entries(rows, explained=Erasures(lambda: (row[1] for row in rows)).explains)
    if beat is None or beat.at < last.at:
        return Heartbeat(last.at, last.wall, beat.data if beat else None)
    return beat


def _kept_aside(path: Path, date: str) -> Path | None:
    """Copies of the damaged file, its log and its second copy; None where nothing is left."""
    kept = free_name(path, date)
    for source, target in (
        (path, kept),
        (beside(path, "-wal"), beside(kept, "-wal")),
        (tail_path(path), tail_path(kept)),
    ):
        with suppress(FileNotFoundError):
            shutil.copy2(source, target)
    return next((name for name in (kept, tail_path(kept)) if name.exists()), None)


def _said(
    reason: str, kept: Path | None, rows: Sequence[Row], after: int, known: Sequence[TailRow]
) -> Mended:
    """What is missing: up to the last entry that was acknowledged, or that lies behind a break."""
    there = {seq: sealed for seq, _, sealed in rows}
    lost = [row for row in known if there.get(row.seq) != row.hash]
    if lost:
        first = min(lost[0].seq, len(rows) + 1)
        return Mended("missing", reason, kept, len(rows), first, lost[-1].seq, lost[-1].hash)
    if after and not known:
        return Mended("missing", reason, kept, len(rows), len(rows) + 1, len(rows) + after)
    return Mended("mended", reason, kept, len(rows))

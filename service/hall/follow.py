"""A table's journal as its publisher reads it: read-only, raw rows, out of the writer's way (E)."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from service.hall.wire import Row
from service.journal.chain import GENESIS, link
from service.journal.erasures import ERASING, Erasures
from service.journal.sqlite_file import texts_holding

log = logging.getLogger(__name__)

LOOK_AGAIN_S: Final = 1.0
"""How often it is looked whether another file lies in the journal's place."""


class JournalReader:
    """The rows of one journal, each checked against the one before.

    A journal that is not there, or cannot be read now, has none.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db: sqlite3.Connection | None = None
        self._file = (0, 0)
        self._looked = 0.0
        self._version = -1
        self._beat: tuple[float, float] | None = None
        self._beat_seen = 0.0
        self.problem = ""

    def changed(self) -> bool:
        """Whether somebody committed since the last call: one look at shared memory, no lock."""
        try:
            db = self._open()
            version = int(db.execute("PRAGMA data_version").fetchone()[0]) if db else -1
        except sqlite3.Error:
            self.close()
            return False
        changed, self._version = version != self._version, version
        return changed

    def rows(self, since: int, most: int, head: str = GENESIS) -> list[Row] | None:
        """Sound rows after number `since`, at most `most`; rows past a break in the chain are never
        handed out. None where entry `since` is not the one whose hash is `head`: another journal
        lies there."""
        try:
            db = self._open()
            if db is None:
                return []
            found = db.execute(
                "SELECT seq, text, hash FROM entries WHERE seq >= ? ORDER BY seq LIMIT ?",
                (since, most + 1),
            ).fetchall()
        except sqlite3.Error as error:
            self._say(
                f"{self.path.name}: the journal cannot be read now ({error}); it is tried again"
            )
            self.close()
            return []
        rows = [
            (int(seq), text if isinstance(text, bytes) else str(text).encode(), str(sealed))
            for seq, text, sealed in found
        ]
        previous, number = GENESIS, 0
        if since:
            if not rows or rows[0][0] != since or rows[0][2] != head:
                return None
            rows.pop(0)
            previous, number = head, since
        stated = Erasures(partial(texts_holding, db, ERASING))
        for index, (seq, text, sealed) in enumerate(rows):
            number += 1
            if seq != number or (link(previous, text) != sealed and not stated.explains(seq, text)):
                self._say(
                    f"{self.path.name}: the chain breaks at entry {number}; what comes after it is"
                    " not sent"
                )
                return rows[:index]
            previous = sealed
        self.problem = ""
        return rows

    def erasures(self, rows: Sequence[Row], head: str) -> list[bytes]:
        """What the journal says of names erased from these rows, which follow the hash `head`; none
        where every row fits its own hash.
        """
        befores = [head, *(sealed for _, _, sealed in rows[:-1])]
        linked = all(link(b, r[1]) == r[2] for b, r in zip(befores, rows, strict=True))
        try:
            db = None if linked else self._open()
            return texts_holding(db, ERASING) if db is not None else []
        except sqlite3.Error:
            self.close()
            return []

    def hash_at(self, seq: int) -> str | None:
        """The hash of an entry of this number, None where there is none."""
        try:
            db = self._open()
            row = (
                db.execute("SELECT hash FROM entries WHERE seq = ?", (seq,)).fetchone()
                if db
                else None
            )
        except sqlite3.Error:
            self.close()
            return None
        return str(row[0]) if row else None

    def last(self) -> int:
        """Number of the last entry, 0 for none."""
        try:
            db = self._open()
            return (
                int(db.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()[0])
                if db
                else 0
            )
        except sqlite3.Error:
            self.close()
            return 0

    def beat(self, now: float) -> tuple[float, float] | None:
        """(table time now, seconds since the table's last sign of life), by this process's
        monotonic clock `now`; None before the first.

        Table time stands still where the table's process does."""
        try:
            db = self._open()
            row = db.execute("SELECT at, wall FROM heartbeat").fetchone() if db else None
        except sqlite3.Error:
            self.close()
            row = None
        if row is None:
            return None
        found = (float(row[0]), float(row[1]))
        if found != self._beat:
            self._beat, self._beat_seen = found, now
        age = now - self._beat_seen
        return found[0] + min(age, 1.5), age

    def close(self) -> None:
        """Let go of the journal."""
        if self._db is not None:
            self._db.close()
        self._db, self._version = None, -1

    def _open(self) -> sqlite3.Connection | None:
        now = time.monotonic()
        if self._db is None or now - self._looked > LOOK_AGAIN_S:
            self._looked = now
            try:
                status = self.path.stat()
            except OSError:
                self.close()
                return None
            if (status.st_dev, status.st_ino) != self._file:
                # A damaged journal was set aside, or an old one brought back: the open file is no
                # longer the table's.
                self.close()
                self._file = (status.st_dev, status.st_ino)
        if self._db is None:
            self._db = sqlite3.connect(
                f"{self.path.resolve().as_uri()}?mode=ro", uri=True, timeout=1, isolation_level=None
            )
        return self._db

    def _say(self, problem: str) -> None:
        if problem != self.problem:
            log.warning("%s", problem)
        self.problem = problem

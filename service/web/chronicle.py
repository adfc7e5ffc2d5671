"""The journal as the web process reads it: read-only, from a file that the table's process is
writing. (E)

Rows are handed out as they were sealed (their canonical JSON text), so history costs no decoding.
`changed` is one `PRAGMA data_version`: cheap enough to ask several times a second.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from service.journal.chain import GENESIS, JournalError
from service.journal.store import Reader, StoreError
from service.referee.fold import replay
from service.referee.state import State
from service.show.compose import table_document
from service.show.document import TableDocument
from service.web.ports import EntryRow, NoJournalError

log = logging.getLogger(__name__)
PAGE: Final = 500
"""Rows read at a time, so that a long history never holds a read transaction while a slow phone
takes it.
"""


class Chronicle:
    """One journal file: a `TableRecord`. Opens lazily and again after a failure: the table may be
    started later than the web.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._watch: sqlite3.Connection | None = None
        self._version = -1
        self._reader: Reader | None = None
        self._state = State()
        self._warned = False

    def _open(self) -> sqlite3.Connection:
        if not self.path.exists():
            raise NoJournalError(f"{self.path.name}: no journal yet: start the table")
        return sqlite3.connect(
            f"{self.path.resolve().as_uri()}?mode=ro", uri=True, timeout=1, isolation_level=None
        )

    def changed(self) -> bool:
        """Whether somebody committed since the last call."""
        try:
            if self._watch is None:
                self._watch = self._open()
            version = int(self._watch.execute("PRAGMA data_version").fetchone()[0])
        except (sqlite3.Error, NoJournalError):
            self.close()
            return False
        changed, self._version = version != self._version, version
        return changed

    def close(self) -> None:
        """Let go of the file; it is opened again when it is asked for."""
        if self._watch is not None:
            self._watch.close()
        self._watch = None

    def rows(self, since: int = 0, limit: int | None = None) -> Iterator[EntryRow]:
        """Entries after number `since`, oldest first, each with its hash. Raises NoJournalError."""
        left = limit
        while left is None or left > 0:
            try:
                with closing(self._open()) as db:
                    many = PAGE if left is None else min(PAGE, left)
                    page = db.execute(
                        "SELECT text, hash FROM entries WHERE seq > ? ORDER BY seq LIMIT ?",
                        (since, many),
                    ).fetchall()
            except sqlite3.Error as error:
                raise NoJournalError(
                    f"{self.path.name}: the journal cannot be read now ({error})"
                ) from error
            for text, sealed in page:
                entry: EntryRow = json.loads(text)
                since = entry["seq"]
                entry["hash"] = sealed
                yield entry
            if len(page) < many:
                return
            left = None if left is None else left - len(page)

    def cursor(self, after: tuple[int, str] = (0, GENESIS)) -> Reader:
        """A reader of what comes after the entry of this number and hash.

        Raises JournalError where there is no such entry, StoreError.
        """
        return Reader(self.path, after)

    def document(self) -> TableDocument | None:
        """The document that the journal alone tells, None where it cannot be read. The clock stands
        as it was at the last heartbeat: nobody's time runs while the table is away.
        """
        try:
            if self._reader is None:
                self._reader = Reader(self.path)
            self._state = replay(self._reader.read(), self._state)
            beat = self._reader.heartbeat()
        except (JournalError, StoreError, ValueError) as error:
            if not self._warned:
                log.warning("%s: %s", self.path.name, error)
            self._warned, self._reader, self._state = True, None, State()
            return None
        self._warned = False
        return table_document(self._state, max(self._state.at, beat.at if beat else 0.0))

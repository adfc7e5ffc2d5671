"""The hall's read model: what was believed of the stream, in one SQLite file that can be made again
from it at any time (E).

Entries, ledgers, refusals and how far the stream was read stand in one file and change in one
transaction: so the model is always what the stream says up to one message. Derived data: WAL with
synchronous=NORMAL; after a power cut it goes on from a little earlier, and is the same again. On a
full disk nothing is taken on, nothing shown that is not stored, and the stream is read again from
there.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypedDict

from service.hall.ledger import Believed, Ledger, MessageRefused, PairedBoard, accept_or_refuse
from service.hall.wire import MessageError, Row, Sealed
from service.journal.chain import GENESIS, Entry, JournalError, checked_entries
from service.journal.erasures import ERASING, Erasures

_SCHEMA: Final = """
CREATE TABLE entry (name TEXT NOT NULL, epoch INTEGER NOT NULL, seq INTEGER NOT NULL, text BLOB \
NOT NULL, hash TEXT NOT NULL,
  PRIMARY KEY (name, epoch, seq)) WITHOUT ROWID;
CREATE TABLE ledger (name TEXT PRIMARY KEY, epoch INTEGER NOT NULL, seq INTEGER NOT NULL, head \
TEXT NOT NULL, number INTEGER NOT NULL);
CREATE TABLE refused (number INTEGER PRIMARY KEY, name TEXT NOT NULL, reason TEXT NOT NULL, text \
TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
FORMAT: Final = 1
MOST_REFUSED: Final = 5000
"""Refusals kept: whoever floods the hall fills nothing."""


class ModelError(OSError):
    """The model cannot be written now (disk full); it stands as before, and the same messages may
    be taken again.
    """


class RefusedLine(TypedDict):
    """A message that was refused: its number in the stream, whose, why, and the server's date."""

    number: int
    table: str
    reason: str
    text: str
    at: float


class Message:
    """One message of the stream: its number, subject, signed bytes, the server's date of it, and
    how many the server had `sent` to this reader with it.
    """

    __slots__ = ("at", "data", "headers", "ident", "number", "sent", "subject")

    def __init__(
        self,
        number: int,
        subject: str,
        data: bytes,
        headers: Mapping[str, str] | None,
        at: float,
        sent: int = 0,
    ) -> None:
        self.number, self.subject, self.data, self.headers, self.at, self.sent = (
            number,
            subject,
            data,
            headers,
            at,
            sent,
        )
        self.ident = str((headers or {}).get("Nats-Msg-Id", ""))


def remove_model(path: Path) -> None:
    """Remove the file, which nobody has open: it is made again from the stream."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


class Model:
    """The file. One writer; `path` is made where it is missing, or was made by another version."""

    def __init__(self, path: Path, hall: str) -> None:
        self.path, self.hall = path, hall
        path.parent.mkdir(parents=True, exist_ok=True)
        self._db = self._open()
        rows = self._db.execute("SELECT name, epoch, seq, head FROM ledger")
        self.ledgers = {name: Ledger(epoch, seq, head) for name, epoch, seq, head in rows}
        kept = dict(self._db.execute("SELECT key, value FROM meta"))
        self.number = int(kept.get("number", 0))
        """The last message of the stream that is in the model."""
        self.ident = kept.get("ident", "")
        """That message's id: a stream that has another there is not the one that was read."""
        self.stream = kept.get("stream", "")

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, isolation_level=None, timeout=5, check_same_thread=False)
        if db.execute("PRAGMA user_version").fetchone()[0] not in (0, FORMAT):
            db.close()
            remove_model(self.path)
            db = sqlite3.connect(
                self.path, isolation_level=None, timeout=5, check_same_thread=False
            )
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        if db.execute("PRAGMA user_version").fetchone()[0] == 0:
            db.executescript(f"BEGIN; PRAGMA user_version = {FORMAT}; {_SCHEMA} COMMIT;")
        return db

    def begin_anew(self, stream: str) -> None:
        """Forget everything: it is read again from the stream of this identity."""
        self._db.close()
        remove_model(self.path)
        self._db = self._open()
        self.ledgers, self.number, self.ident, self.stream = {}, 0, "", stream
        self._db.execute("INSERT INTO meta VALUES ('stream', ?)", (stream,))

    def take(
        self, messages: Sequence[Message], boards: Mapping[tuple[str, str], PairedBoard]
    ) -> list[Believed | MessageRefused]:
        """Judge messages in the stream's order and keep what follows, all or none.

        Raises ModelError; nothing has changed then.
        """
        ledgers, found = dict(self.ledgers), []
        for message in messages:
            verdict = self._judge(ledgers, message, boards)
            if isinstance(verdict, Believed):
                ledgers[verdict.bundle.table] = verdict.ledger
            found.append(verdict)
        try:
            self._db.execute("BEGIN IMMEDIATE")
            for message, verdict in zip(messages, found, strict=True):
                self._keep(message, verdict)
            last = messages[-1]
            meta = [("number", str(last.number)), ("ident", last.ident), ("stream", self.stream)]
            self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta)
            self._db.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise ModelError(
                f"{self.path.name}: the hall's disk takes nothing ({error}); free some room,"
                " nothing is lost"
            ) from error
        self.ledgers, self.number, self.ident = ledgers, last.number, last.ident
        return found

    def _judge(
        self,
        ledgers: Mapping[str, Ledger],
        message: Message,
        boards: Mapping[tuple[str, str], PairedBoard],
    ) -> Believed | MessageRefused:
        table = message.subject.rpartition(".")[2]
        try:
            sealed = Sealed.of(message.data, message.headers)
        except MessageError as error:
            sealed = Sealed(b"", "", str(error))
        return accept_or_refuse(
            ledgers.get(table, Ledger()), boards, self.hall, message.subject, message.number, sealed
        )

    def _keep(self, message: Message, verdict: Believed | MessageRefused) -> None:
        if isinstance(verdict, MessageRefused):
            row = (
                message.number,
                verdict.table[:64],
                verdict.reason.value,
                verdict.text[:300],
                message.at,
            )
            self._db.execute("INSERT OR REPLACE INTO refused VALUES (?, ?, ?, ?, ?)", row)
            self._db.execute(
                "DELETE FROM refused WHERE number < (SELECT max(number) FROM refused) - ?",
                (MOST_REFUSED,),
            )
            return
        bundle, ledger = verdict.bundle, verdict.ledger
        rows = [
            (bundle.table, bundle.epoch, seq, text, sealed) for seq, text, sealed in bundle.rows
        ]
        self._db.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", rows)
        kept = (bundle.table, ledger.epoch, ledger.seq, ledger.head, message.number)
        self._db.execute("INSERT OR REPLACE INTO ledger VALUES (?, ?, ?, ?, ?)", kept)

    # Reading.

    def rows(
        self, table: str, since: int = 0, most: int | None = None, epoch: int | None = None
    ) -> Iterator[Row]:
        """Entries of a table's present record (or of an earlier epoch) after number `since`, page
        by page.
        """
        kept = self.ledgers.get(table)
        number = epoch if epoch is not None else kept.epoch if kept else 0
        left = most
        while left is None or left > 0:
            page = 500 if left is None else min(500, left)
            query = (
                "SELECT seq, text, hash FROM entry WHERE name = ? AND epoch = ? AND seq > ? ORDER"
                " BY seq LIMIT ?"
            )
            found = self._db.execute(query, (table, number, since, page)).fetchall()
            for seq, text, sealed in found:
                since = int(seq)
                yield since, bytes(text), str(sealed)
            if len(found) < page:
                return
            left = None if left is None else left - len(found)

    def entries(self, table: str, since: int = 0, head: str = GENESIS) -> list[Entry]:
        """Entries of a table's present record after number `since`, whose hash is `head`; up to the
        first that this version cannot read.
        """
        found: list[Entry] = []
        try:
            stated = Erasures(partial(self._erasures, table))
            found.extend(checked_entries(self.rows(table, since), head, since, stated.explains))
        except JournalError:
            return found
        return found

    def _erasures(self, table: str) -> list[bytes]:
        """What the table's present record says of names that were erased from it."""
        query = "SELECT text FROM entry WHERE name = ? AND epoch = ? AND instr(text, ?)"
        epoch = self.ledgers[table].epoch if table in self.ledgers else 0
        return [bytes(text) for (text,) in self._db.execute(query, (table, epoch, ERASING))]

    def epochs(self, table: str) -> list[tuple[int, int]]:
        """(epoch, entries) of every record that a table has had."""
        query = "SELECT epoch, count(*) FROM entry WHERE name = ? GROUP BY epoch ORDER BY epoch"
        return [(int(e), int(n)) for e, n in self._db.execute(query, (table,))]

    def refusals(self, table: str | None = None, most: int = 100) -> list[RefusedLine]:
        """Why messages were refused, the newest first."""
        where, values = ("WHERE name = ?", (table, most)) if table else ("", (most,))
        fields = "SELECT number, name, reason, text, at FROM refused"
        query = f"{fields} {where} ORDER BY number DESC LIMIT ?"
        return [
            {"number": n, "table": t, "reason": r, "text": x, "at": at}
            for n, t, r, x, at in self._db.execute(query, values)
        ]

    def size(self) -> dict[str, int]:
        """How many tables, entries and refusals there are, and the stream's last message."""
        entries, refused = (
            self._db.execute(f"SELECT count(*) FROM {name}").fetchone()[0]  # noqa: S608
            for name in ("entry", "refused")
        )
        return {
            "tables": len(self.ledgers),
            "entries": int(entries),
            "refused": int(refused),
            "number": self.number,
        }

    def fingerprint(self) -> str:
        """All ledgers in one text: two models of the same stream have the same."""
        return json.dumps({t: (v.epoch, v.seq, v.head) for t, v in sorted(self.ledgers.items())})

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

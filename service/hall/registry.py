"""What the hall itself knows and no stream can tell it: who is paired, one-time codes, rounds,
overlays, commands (E).

`hall.db` beside the read model: this one cannot be made again, so it is as durable as a journal.
Every method is a transaction of its own.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from service.hall.ledger import PairedBoard

CODE_S: Final = 600
"""A code is good for ten minutes, and once."""
_ALPHABET: Final = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS board
  (name TEXT NOT NULL, key TEXT NOT NULL, link TEXT NOT NULL, since INTEGER NOT NULL, until \
INTEGER, paired_at REAL NOT NULL,
   PRIMARY KEY (name, key));
CREATE TABLE IF NOT EXISTS code (digest TEXT PRIMARY KEY, name TEXT NOT NULL, until REAL NOT NULL);
CREATE TABLE IF NOT EXISTS pairing
  (round INTEGER NOT NULL, name TEXT NOT NULL, white TEXT NOT NULL, black TEXT NOT NULL, length \
INTEGER, ruleset TEXT NOT NULL,
   clock TEXT NOT NULL, PRIMARY KEY (round, name));
CREATE TABLE IF NOT EXISTS overlay (screen TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS command
  (id TEXT PRIMARY KEY, number INTEGER NOT NULL, name TEXT NOT NULL, what TEXT NOT NULL, who TEXT \
NOT NULL, at REAL NOT NULL,
   outcome TEXT NOT NULL, detail TEXT NOT NULL);
"""


class RegistryError(ValueError):
    """What was asked cannot be: what was expected, and what to do next."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """One match of a round: who plays whom at which table.

    What is not said (`length` None, `ruleset` or `clock` empty) is as the hall's event has it;
    without one backgammon: with the table's clock where there is a length, else a money session
    without one.
    """

    round: int
    table: str
    white: str
    black: str
    length: int | None = None
    ruleset: str = ""
    clock: str = ""


@dataclass(frozen=True, slots=True)
class Given:
    """A command and what became of it: sent, done, refused, or unknown (nobody answered)."""

    id: str
    number: int
    table: str
    what: str
    who: str
    at: float
    outcome: str
    detail: str


def _digest(code: str) -> str:
    return hashlib.sha256(
        code.strip().upper().replace("-", "").replace(" ", "").encode()
    ).hexdigest()


class Registry:
    """The file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=True)
        with self._open() as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.executescript(_SCHEMA)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(self.path, timeout=5)
        try:
            db.execute("PRAGMA synchronous = FULL")
            with db:
                yield db
        finally:
            db.close()

    # Pairing boards.

    def code(self, table: str) -> str:
        """A code that lets one board become this table.

        Raises RegistryError for a name that cannot be a table's.
        """
        if not NAME.fullmatch(table):
            raise RegistryError(
                f"expected 1 to 32 letters, digits, - or _ as a table's name, got {table[:40]!r}"
            )
        code = "".join(secrets.choice(_ALPHABET) for _ in range(8))
        with self._open() as db:
            db.execute("DELETE FROM code WHERE until < ?", (time.time(),))
            db.execute(
                "INSERT INTO code VALUES (?, ?, ?)", (_digest(code), table, time.time() + CODE_S)
            )
        return code

    def pair(self, code: str, key: str, link: str, at: int) -> str:
        """The board with this key is from now on the table that the code names; a board that was it
        until now is so no more. `at`: the last message of the stream. Returns the table's name.
        Raises RegistryError."""
        with self._open() as db:
            row = db.execute(
                "DELETE FROM code WHERE digest = ? AND until > ? RETURNING name",
                (_digest(code), time.time()),
            ).fetchone()
            if row is None:
                raise RegistryError(
                    "this code is not known, was used or is older than ten minutes: ask the hall"
                    " for a new one"
                )
            name = str(row[0])
            other = db.execute(
                "SELECT name FROM board WHERE key = ? AND until IS NULL AND name <> ?", (key, name)
            ).fetchone()
            if other:
                raise RegistryError(
                    f"this board is table {other[0]} already: take it off there first"
                )
            db.execute(
                "UPDATE board SET until = ? WHERE name = ? AND key <> ? AND until IS NULL",
                (at, name, key),
            )
            db.execute(
                "INSERT INTO board VALUES (?, ?, ?, ?, NULL, ?) ON CONFLICT (name, key) "
                "DO UPDATE SET link = excluded.link, until = NULL, paired_at = excluded.paired_at",
                (name, key, link, at, time.time()),
            )
        return name

    def retire(self, table: str, at: int) -> None:
        """Nobody is this table from now on; what it said stays."""
        with self._open() as db:
            db.execute("UPDATE board SET until = ? WHERE name = ? AND until IS NULL", (at, table))

    def boards(self) -> dict[tuple[str, str], PairedBoard]:
        """Every board that is or was a table, by (table, key)."""
        with self._open() as db:
            rows = db.execute("SELECT name, key, since, until FROM board").fetchall()
        return {
            (name, key): PairedBoard(name, key, since, until) for name, key, since, until in rows
        }

    def links(self) -> dict[str, str]:
        """The sign-in key of each table's present board."""
        with self._open() as db:
            return dict(db.execute("SELECT name, link FROM board WHERE until IS NULL").fetchall())

    def forget_bounds(self) -> None:
        """The stream was begun anew, with numbers of its own: boards that were replaced count for
        nothing in it, the others from its start."""
        with self._open() as db:
            db.execute("UPDATE board SET until = 0 WHERE until IS NOT NULL")
            db.execute("UPDATE board SET since = 0")

    # Rounds and overlays.

    def set_pairings(self, pairings: Iterable[Pairing]) -> int:
        """Add pairings; one of the same round and table is replaced. Returns how many."""
        rows = [
            (p.round, p.table, p.white, p.black, p.length, p.ruleset, p.clock) for p in pairings
        ]
        with self._open() as db:
            db.executemany("INSERT OR REPLACE INTO pairing VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        return len(rows)

    def pairings(self) -> list[Pairing]:
        """Every pairing, by round and table."""
        with self._open() as db:
            return [
                Pairing(*row) for row in db.execute("SELECT * FROM pairing ORDER BY round, name")
            ]

    def set_overlay(self, screen: str, table: str) -> None:
        """Which table a screen shows; an empty table takes the screen off."""
        with self._open() as db:
            if table:
                db.execute("INSERT OR REPLACE INTO overlay VALUES (?, ?)", (screen, table))
            else:
                db.execute("DELETE FROM overlay WHERE screen = ?", (screen,))

    def overlays(self) -> Mapping[str, str]:
        """The table that each screen shows, by screen."""
        with self._open() as db:
            return dict(db.execute("SELECT screen, name FROM overlay ORDER BY screen").fetchall())

    def forget(self, is_name: Callable[[str], bool], spelled: Collection[str]) -> None:
        """Take a person's name out of pairings and of what is kept of commands."""
        with self._open() as db:
            # What is removed is overwritten, not only unlinked.
            db.execute("PRAGMA secure_delete = ON")
            for side in ("white", "black"):
                rows = db.execute(f"SELECT rowid, {side} FROM pairing").fetchall()  # noqa: S608
                gone = [(row,) for row, name in rows if is_name(name)]
                out = f"UPDATE pairing SET {side} = '' WHERE rowid = ?"  # noqa: S608
                db.executemany(out, gone)
            for word in spelled:
                db.execute("UPDATE command SET who = '' WHERE instr(who, ?)", (word,))
                db.execute("UPDATE command SET detail = '' WHERE instr(detail, ?)", (word,))
        with self._open() as db:
            db.commit()
            db.execute("VACUUM")

    # Commands.

    def command(self, table: str, what: str, who: str) -> tuple[str, int]:
        """(id, number) of a new command, durable before it is sent. Numbers grow with the date, so
        that a registry that was lost and begun anew is not taken for a replay."""
        ident = secrets.token_hex(8)
        with self._open() as db:
            last = db.execute(
                "SELECT coalesce(max(number), 0) FROM command WHERE name = ?", (table,)
            ).fetchone()[0]
            number = max(int(time.time() * 1000), last + 1)
            db.execute(
                "INSERT INTO command VALUES (?, ?, ?, ?, ?, ?, 'sent', '')",
                (ident, number, table, what, who, time.time()),
            )
        return ident, number

    def outcome(self, ident: str, outcome: str, detail: str) -> None:
        """Keep what became of a command."""
        with self._open() as db:
            db.execute(
                "UPDATE command SET outcome = ?, detail = ? WHERE id = ?",
                (outcome, detail[:200], ident),
            )

    def commands(self, table: str | None = None, most: int = 100) -> list[Given]:
        """The newest first."""
        where, values = ("WHERE name = ?", (table, most)) if table else ("", (most,))
        with self._open() as db:
            return [
                Given(*row)
                for row in db.execute(
                    f"SELECT * FROM command {where} ORDER BY number DESC LIMIT ?",  # noqa: S608
                    values,
                )
            ]

    def unanswered(self) -> list[str]:
        """Commands of which it is not known what became of them."""
        with self._open() as db:
            return [
                str(row[0])
                for row in db.execute("SELECT id FROM command WHERE outcome IN ('sent', 'unknown')")
            ]

"""The book of players: one SQLite file beside the journal, readable by its owner only. (E)

What journals tell is read again from them whenever the file is gone; clubs, error rates and who was
erased are kept here alone.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, Self

from rules.board import Side
from service.journal.chain import Entry, JournalError
from service.players.played import (
    START,
    MatchesRead,
    MatchResult,
    Place,
    matches_read,
    same_name,
)
from service.players.standings import BookedMatch

BOOK: Final = "players.sqlite3"
IDENT: Final = 16
"""Hexadecimal digits by which a player is named in addresses: they say nothing of the name."""
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS secret(one INTEGER PRIMARY KEY CHECK (one = 1), key BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS player(
  ident TEXT PRIMARY KEY, name TEXT NOT NULL, club TEXT NOT NULL DEFAULT '', seen REAL NOT NULL);
CREATE TABLE IF NOT EXISTS played(
  ident TEXT PRIMARY KEY, place TEXT NOT NULL, number INTEGER NOT NULL, ended REAL NOT NULL,
  ruleset TEXT NOT NULL, length INTEGER NOT NULL, white TEXT NOT NULL, black TEXT NOT NULL,
  white_score INTEGER NOT NULL, black_score INTEGER NOT NULL, winner TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS report(
  ident TEXT NOT NULL, side TEXT NOT NULL, pr REAL NOT NULL, PRIMARY KEY (ident, side));
CREATE TABLE IF NOT EXISTS erased(
  ident TEXT NOT NULL, until REAL NOT NULL, instead TEXT NOT NULL, PRIMARY KEY (ident, until));
CREATE TABLE IF NOT EXISTS reached(
  place TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL, count INTEGER NOT NULL);
"""


class PlayerBookError(Exception):
    """The book cannot be read or written; one line says which file and what to do."""


class EntriesFrom(Protocol):
    """A journal that is read on from a place."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def read(self) -> tuple[Entry, ...]: ...


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody of the book, by the spelling used last; `seen`: when a match of his ended last."""

    ident: str
    name: str
    club: str
    seen: float


class PlayerBook:
    """Players and their matches. Every method blocks, and raises PlayerBookError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.touch(mode=0o600)
            with self._lock, closing(sqlite3.connect(self.path, timeout=10)) as db:
                # What is erased is overwritten, not only unlinked.
                db.execute("PRAGMA secure_delete = ON")
                db.executescript(_SCHEMA)
                with db:
                    if db.execute("SELECT key FROM secret").fetchone() is None:
                        db.execute("INSERT INTO secret VALUES (1, ?)", (secrets.token_bytes(32),))
                    yield db
        except (sqlite3.Error, OSError) as error:
            raise PlayerBookError(
                f"{self.path}: expected the book of players ({error}); move the file away, and it"
                " is made anew from the journals"
            ) from error

    # From journals

    def follow(self, place: str, journal: Callable[[Place], EntriesFrom]) -> None:
        """Take in what a place's journal has told since the last time; another journal there is
        read from its start. Raises JournalError and StoreError where there is none.
        """
        with self._open() as db:
            row = db.execute(
                "SELECT seq, hash, count FROM reached WHERE place = ?", (place,)
            ).fetchone()
        reached, count = ((row[0], row[1]), row[2]) if row else (START, 0)
        anew = False
        try:
            with journal(reached) as reader:
                entries = reader.read()
        except JournalError:
            if reached == START:
                raise
            reached, count, anew = START, 0, True
            with journal(reached) as reader:
                entries = reader.read()
        self.take(place, matches_read(entries, reached, count), anew=anew)

    def take(self, place: str, read: MatchesRead, *, anew: bool = False) -> None:
        """Take in matches: each once, however often it is told, and as it is told last. `anew`: the
        place has another journal now, and older matches are not found there any more.
        """
        with self._open() as db:
            if anew:
                db.execute("UPDATE played SET place = '' WHERE place = ?", (place,))
            for match in read.matches:
                if match.result is None:
                    db.execute("DELETE FROM played WHERE ident = ?", (match.ident,))
                else:
                    _write_match(db, place, match.result, match.names)
            # A name that was put right since leaves nobody behind.
            db.execute(
                "DELETE FROM player WHERE ident NOT IN"
                " (SELECT white FROM played UNION SELECT black FROM played)"
            )
            db.execute(
                "INSERT OR REPLACE INTO reached VALUES (?, ?, ?, ?)",
                (place, *read.place, read.count),
            )

    def reported(self, match: str, pr: Mapping[Side, float | None]) -> None:
        """Keep the error rates that a report of the match found."""
        with self._open() as db:
            db.executemany(
                "INSERT OR REPLACE INTO report VALUES (?, ?, ?)",
                [(match, side.value, rate) for side, rate in pr.items() if rate is not None],
            )

    # What is known

    def players(self) -> tuple[Player, ...]:
        """Everybody of the book, who played last first."""
        with self._open() as db:
            rows = db.execute(
                "SELECT ident, name, club, seen FROM player ORDER BY seen DESC, ident"
            ).fetchall()
        return tuple(Player(*row) for row in rows)

    def matches(self) -> tuple[BookedMatch, ...]:
        """Every match of the book."""
        with self._open() as db:
            rows = db.execute(
                "SELECT ident, number, ended, ruleset, length, white_score, black_score, winner,"
                " place, white, black FROM played"
            ).fetchall()
            rates: dict[tuple[str, str], float] = {
                (ident, side): pr
                for ident, side, pr in db.execute("SELECT ident, side, pr FROM report")
            }
        return tuple(
            BookedMatch(
                MatchResult(
                    *(row[0], row[1], row[2], row[3], row[4]),
                    (row[5], row[6]),
                    Side(row[7]) if row[7] else None,
                ),
                row[8],
                (row[9], row[10]),
                (rates.get((row[0], "white")), rates.get((row[0], "black"))),
            )
            for row in rows
        )

    # What people decide

    def set_club(self, ident: str, club: str) -> bool:
        """Whether there is such a player, who is of this club from now on."""
        with self._open() as db:
            found = db.execute("UPDATE player SET club = ? WHERE ident = ?", (club, ident))
            return found.rowcount > 0

    def erase(self, ident: str, now: float) -> bool:
        """Whether there was such a player: name and club are gone, and do not come back from the
        journals. His matches stay with somebody who has no name, for his opponents' ratings.
        """
        instead = secrets.token_hex(IDENT // 2)
        with self._open() as db:
            row = db.execute("SELECT seen FROM player WHERE ident = ?", (ident,)).fetchone()
            if row is None:
                return False
            # A match that ended "after" now was dated by a clock that was set back since.
            until = max(now, row[0])
            db.execute("INSERT OR REPLACE INTO erased VALUES (?, ?, ?)", (ident, until, instead))
            db.execute("DELETE FROM player WHERE ident = ?", (ident,))
            for side in ("white", "black"):
                db.execute(
                    f"UPDATE played SET {side} = ? WHERE {side} = ?",  # noqa: S608 - our own words
                    (instead, ident),
                )
        with suppress(PlayerBookError), self._open() as db:
            db.commit()
            db.execute("VACUUM")
        return True


def _write_match(
    db: sqlite3.Connection, place: str, result: MatchResult, names: tuple[str, str]
) -> None:
    white, black = (_player(db, name, result.ended) for name in names)
    db.execute(
        "INSERT OR REPLACE INTO played VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(result.ident, place, result.number, result.ended, result.ruleset, result.length),
            *(white, black, *result.score, result.winner.value if result.winner else ""),
        ),
    )


def _player(db: sqlite3.Connection, name: str, ended: float) -> str:
    """The ident of the player of that name, who is in the book from now on unless he was erased."""
    (key,) = db.execute("SELECT key FROM secret").fetchone()
    said = same_name(name).encode()
    ident = hmac.new(key, said, hashlib.sha256).hexdigest()[:IDENT]
    row = db.execute(
        "SELECT instead FROM erased WHERE ident = ? AND until >= ? ORDER BY until LIMIT 1",
        (ident, ended),
    ).fetchone()
    if row is not None:
        instead: str = row[0]
        return instead
    db.execute(
        "INSERT INTO player(ident, name, seen) VALUES (?, ?, ?) ON CONFLICT(ident) DO UPDATE SET"
        " name = excluded.name, seen = excluded.seen WHERE excluded.seen >= seen",
        (ident, name, ended),
    )
    return ident

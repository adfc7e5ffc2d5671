"""Accounts, sessions and pairing codes: a small SQLite file beside the journal, readable by its
owner only. (E)

Passwords are argon2id hashes; session tokens and pairing codes are 256 and 40 random bits, kept as
SHA-256. Nothing here bans anybody: wrong passwords make the next try slower (per account and per
address), up to `SLOWEST` seconds.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import argon2

from service.journal.entry import Role
from service.web.policy import GUEST, Visitor

SESSION_S: Final = 16 * 3600
"""A session lasts one long tournament day."""
SESSION_ID: Final = 16
"""Hexadecimal digits by which a session is named in lists."""
PAIRING_S: Final = 600
SLOWEST: Final = 8.0
DEVICE_S: Final = 90 * 24 * 3600
"""How long a device is known from which somebody signed in."""
MOST_REMEMBERED: Final = 10_000
"""Names and addresses whose wrong tries are remembered; who tried longest ago is forgotten."""
MOST_AUDITED: Final = 5_000
"""Lines of the audit; older ones go."""
_ALPHABET: Final = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # no 0/O, 1/I/L, U/V mix-ups when read aloud
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS account(name TEXT PRIMARY KEY, hash TEXT NOT NULL, role TEXT NOT NULL, \
tables TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS session
  (token TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, side TEXT, tables TEXT NOT \
NULL, until REAL NOT NULL);
CREATE TABLE IF NOT EXISTS pairing
  (code TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, side TEXT, tables TEXT NOT NULL, \
until REAL NOT NULL);
CREATE TABLE IF NOT EXISTS device(token TEXT PRIMARY KEY, name TEXT NOT NULL, until REAL NOT NULL);
CREATE TABLE IF NOT EXISTS audit(at REAL NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL);
"""


class AccessError(ValueError):
    """An account, password or code that cannot be used: what was expected and what to do next."""


@dataclass(frozen=True, slots=True)
class Account:
    name: str
    role: Role
    tables: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class LetIn:
    """A device or person that is let in: `ident` names it and lets nobody in, `since` is the
    machine's date.
    """

    ident: str
    visitor: Visitor
    since: float


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def session_ident(token: str) -> str:
    """What a session is called where its token must not be told."""
    return _digest(token)[:SESSION_ID]


def _tables(text: str) -> frozenset[str] | None:
    return None if text == "*" else frozenset(filter(None, text.split(",")))


def _text(tables: Iterable[str] | None) -> str:
    return "*" if tables is None else ",".join(sorted(tables))


def tell_first_password(secret: str, home: Path) -> None:
    """Say the director's first password to whoever sits at the terminal. Without one, what is said
    stays in logs: then it is kept in a file for this user alone, and only that is said.
    """
    if sys.stdout.isatty():
        print(
            f"takhte: first start. Sign in as director with the password {secret}  (shown only"
            " once)",
            flush=True,
        )
        return
    file = home / "first-password.txt"
    file.touch(mode=0o600)
    file.write_text(f"{secret}\n")
    print(
        f"takhte: first start. The password of director is in {file}: read it, then delete the"
        " file",
        file=sys.stderr,
        flush=True,
    )


class Access:
    """The file. Every method is a short transaction of its own; `wall` is the machine's date in
    unix seconds.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600, exist_ok=True)
        # OWASP's measure for servers that do other work beside: some 20 ms and 19 MiB a try, so
        # that a crowd of tries takes neither memory nor processor from the game.
        # `lanes.Lanes.hashing` says how many run at once.
        self._hasher = argon2.PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._nobody = ""
        self._failures: dict[str, tuple[int, float]] = {}
        with self._open() as db:
            db.executescript(_SCHEMA)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(self.path, timeout=2)
        try:
            with db:
                yield db
        finally:
            db.close()

    # accounts

    def first_start(self) -> str | None:
        """On the very first start make the account `director` and return its password, to be
        printed once; None afterwards.
        """
        with self._open() as db:
            if db.execute("SELECT 1 FROM account LIMIT 1").fetchone():
                return None
        password = "-".join("".join(secrets.choice(_ALPHABET) for _ in range(4)) for _ in range(4))
        self.set_account("director", password, Role.DIRECTOR, None)
        return password

    def set_account(
        self, name: str, password: str, role: Role, tables: Iterable[str] | None
    ) -> None:
        """Make or replace an account and end its sessions. Raises AccessError."""
        if role not in (Role.ANNOTATOR, Role.ARBITER, Role.DIRECTOR):
            raise AccessError(
                f"accounts are for annotators, arbiters and directors, not for a {role.value}: pair"
                " players' devices instead"
            )
        if len(password) < 8:
            raise AccessError("a password has at least 8 characters")
        with self._open() as db:
            db.execute(
                "INSERT OR REPLACE INTO account VALUES(?,?,?,?)",
                (name, self._hasher.hash(password), role.value, _text(tables)),
            )
            db.execute("DELETE FROM session WHERE name=?", (name,))
            db.execute("DELETE FROM device WHERE name=?", (name,))

    def remove_account(self, name: str) -> None:
        """Remove an account and its sessions. Raises AccessError when it is the last director's."""
        with self._open() as db:
            others = db.execute(
                "SELECT count(*) FROM account WHERE role='director' AND name<>?", (name,)
            ).fetchone()[0]
            if not others:
                raise AccessError(
                    "this is the last director's account: make another director first"
                )
            db.execute("DELETE FROM account WHERE name=?", (name,))
            db.execute("DELETE FROM session WHERE name=?", (name,))
            db.execute("DELETE FROM device WHERE name=?", (name,))

    def accounts(self) -> list[Account]:
        with self._open() as db:
            rows = db.execute("SELECT name, role, tables FROM account ORDER BY name").fetchall()
        return [Account(name, Role(role), _tables(tables)) for name, role, tables in rows]

    def sign_in(self, name: str, password: str) -> str:
        """A session token for a name and password; blocking (argon2 takes about 20 ms).

        Raises AccessError.
        """
        with self._open() as db:
            row = db.execute(
                "SELECT hash, role, tables FROM account WHERE name=?", (name,)
            ).fetchone()
        # An unknown name costs as much time as a known one.
        self._nobody = self._nobody or self._hasher.hash(secrets.token_hex(8))
        try:
            self._hasher.verify(row[0] if row else self._nobody, password)
        except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError):
            row = None
        if row is None:
            raise AccessError("the name or the password is not right")
        return self.open_session(Visitor(name, Role(row[1]), None, _tables(row[2])))

    # devices from which somebody signed in before

    def remember_device(self, name: str) -> str:
        """A token by which this device is known again when the same person signs in."""
        token, now = secrets.token_urlsafe(32), time.time()
        with self._open() as db:
            db.execute("DELETE FROM device WHERE until<?", (now,))
            db.execute("INSERT INTO device VALUES(?,?,?)", (_digest(token), name, now + DEVICE_S))
        return token

    def knows_device(self, name: str, token: str) -> bool:
        """Whether this person signed in from the device before: then nobody else's wrong tries
        make his wait.
        """
        if not 20 < len(token) < 100:
            return False
        with self._open() as db:
            row = db.execute(
                "SELECT name, until FROM device WHERE token=?", (_digest(token),)
            ).fetchone()
        return row is not None and row[0] == name and row[1] > time.time()

    # slowing down, never banning

    def slow_down(self, *keys: str) -> float:
        """Seconds to wait before the next try for these keys (account, address)."""
        now = time.monotonic()
        waits = [0.0]
        for key in keys:
            count, last = self._failures.get(key, (0, 0.0))
            if count and now - last < 600:
                waits.append(min(SLOWEST, 0.25 * 2 ** min(count, 6)))
        return max(waits)

    def failed(self, *keys: str) -> None:
        now = time.monotonic()
        for key in keys:
            self._failures[key] = (self._failures.pop(key, (0, 0.0))[0] + 1, now)
        while len(self._failures) > MOST_REMEMBERED:
            del self._failures[next(iter(self._failures))]

    def succeeded(self, *keys: str) -> None:
        for key in keys:
            self._failures.pop(key, None)

    # sessions and pairing

    def open_session(self, visitor: Visitor) -> str:
        token = secrets.token_urlsafe(32)
        with self._open() as db:
            db.execute("DELETE FROM session WHERE until<?", (time.time(),))
            db.execute(
                "INSERT INTO session VALUES(?,?,?,?,?,?)",
                (
                    _digest(token),
                    visitor.name,
                    visitor.role.value,
                    visitor.side,
                    _text(visitor.tables),
                    time.time() + SESSION_S,
                ),
            )
        return token

    def visitor(self, token: str) -> Visitor:
        """Who a session token belongs to; a guest when it is unknown or has run out."""
        if not 20 < len(token) < 100:
            return GUEST
        with self._open() as db:
            row = db.execute(
                "SELECT name, role, side, tables, until FROM session WHERE token=?",
                (_digest(token),),
            ).fetchone()
        if row is None or row[4] < time.time():
            return GUEST
        return Visitor(row[0], Role(row[1]), row[2], _tables(row[3]))

    def end_session(self, token: str) -> None:
        with self._open() as db:
            db.execute("DELETE FROM session WHERE token=?", (_digest(token),))

    def sessions(self) -> list[LetIn]:
        """Every device and person that is let in now, the newest first."""
        with self._open() as db:
            rows = db.execute(
                "SELECT token, name, role, side, tables, until FROM session WHERE until>?"
                " ORDER BY until DESC",
                (time.time(),),
            ).fetchall()
        return [
            LetIn(
                token[:SESSION_ID],
                Visitor(name, Role(role), side, _tables(tables)),
                until - SESSION_S,
            )
            for token, name, role, side, tables, until in rows
        ]

    def end_named(self, ident: str) -> bool:
        """Whether there was such a session; it is let in no more."""
        with self._open() as db:
            done = db.execute(
                "DELETE FROM session WHERE substr(token, 1, ?)=?", (SESSION_ID, ident)
            )
            return done.rowcount > 0

    def pairing(self, visitor: Visitor) -> str:
        """A code, good once and for ten minutes, that makes a device this visitor."""
        code = "".join(secrets.choice(_ALPHABET) for _ in range(8))
        with self._open() as db:
            db.execute("DELETE FROM pairing WHERE until<?", (time.time(),))
            db.execute(
                "INSERT INTO pairing VALUES(?,?,?,?,?,?)",
                (
                    _digest(code),
                    visitor.name,
                    visitor.role.value,
                    visitor.side,
                    _text(visitor.tables),
                    time.time() + PAIRING_S,
                ),
            )
        return code

    def pair(self, code: str) -> str:
        """A session token for a pairing code, which is used up. Raises AccessError."""
        key = _digest(code.strip().upper().replace("-", "").replace(" ", ""))
        with self._open() as db:
            row = db.execute(
                "DELETE FROM pairing WHERE code=? AND until>? RETURNING name, role, side, tables",
                (key, time.time()),
            ).fetchone()
        if row is None:
            raise AccessError(
                "this code is not known, was used or is older than ten minutes: ask for a new one"
            )
        return self.open_session(Visitor(row[0], Role(row[1]), row[2], _tables(row[3])))

    def forget(self, is_name: Callable[[str], bool], spelled: Iterable[str]) -> str | None:
        """What became of a person here, None for nobody: account, sessions, devices and lines of
        the audit go. The last director's account stays, since nobody else could make another.
        """
        done = 0
        for account in self.accounts():
            if is_name(account.name):
                try:
                    self.remove_account(account.name)
                except AccessError as error:
                    return str(error)
                done += 1
        with self._open() as db:
            # What is removed is overwritten, not only unlinked.
            db.execute("PRAGMA secure_delete = ON")
            for table in ("session", "pairing", "device"):
                names = db.execute(f"SELECT rowid, name FROM {table}").fetchall()  # noqa: S608
                gone = [(row,) for row, name in names if is_name(name)]
                db.executemany(f"DELETE FROM {table} WHERE rowid=?", gone)  # noqa: S608
                done += len(gone)
            for word in spelled:
                found = db.execute(
                    "DELETE FROM audit WHERE instr(lower(who || ' ' || what), lower(?))", (word,)
                )
                done += found.rowcount
        with self._open() as db:
            db.commit()
            db.execute("VACUUM")
        return "account, devices and audit hold the name no more" if done else None

    def audit(self, who: str, what: str) -> None:
        """Keep a line of who did what to accounts, devices and settings."""
        with self._open() as db:
            db.execute("INSERT INTO audit VALUES(?,?,?)", (time.time(), who, what))
            db.execute(
                "DELETE FROM audit WHERE rowid <= (SELECT max(rowid) FROM audit) - ?",
                (MOST_AUDITED,),
            )

    def audited(self, limit: int = 200) -> list[tuple[float, str, str]]:
        with self._open() as db:
            return [
                tuple(row)
                for row in db.execute(
                    "SELECT at, who, what FROM audit ORDER BY at DESC LIMIT ?", (limit,)
                )
            ]

"""Which of the hall's commands this table took, and what became of each: a small SQLite file beside
the journal (E at `OrdersTaken`).

A command is written down before it is carried out: so none is carried out twice, whatever dies in
between. One whose outcome is not known (the machine died just then) stays so; the journal says
whether it was done.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from service.hall.wire import Command
from service.journal.entry import Role
from service.referee.order_table import ORDERS
from service.referee.refusal import Refusal
from service.web.policy import Visitor

KEPT: Final = 200
TOLD: Final = 16
"""So many of the last outcomes go with each status."""
SPEAKERS: Final = frozenset({"annotator", "arbiter", "director"})
AFTER: Final = "look at the table's state, then order it again"


def objection(command: Command, table: str, last: int, now: float | None) -> Refusal | None:
    """Why a command is not carried out, None where it is. `last` is the number of the last command
    taken, `now` table time."""
    if refusal := out_of_place(command, table, now):
        return refusal
    if command.number <= last:
        expected = f"a command above number {last}"
        return Refusal("replayed", expected, str(command.number), AFTER)
    spec = ORDERS.get(command.order)
    if command.role not in SPEAKERS or spec is None or not spec.afar:
        expected = "an order that may be given from afar, by an official"
        return Refusal("not_allowed", expected, f"{command.order} by {command.role}", AFTER)
    if not Visitor(command.name, Role(command.role)).may_order(command.order, table):
        expected = f"an official who may order {command.order}"
        return Refusal("not_allowed", expected, command.role, AFTER)
    return None


def out_of_place(command: Command, table: str, now: float | None) -> Refusal | None:
    """Why neither a command nor a question is heard: meant for another table, or held up."""
    if command.table != table:
        return Refusal("wrong_table", f"a command for table {table}", command.table, AFTER)
    if now is None or now > command.until:
        expected = f"a command before {command.until:.1f} s of table time"
        came = "one that was held up" if now is not None else "no time"
        return Refusal("too_late", expected, came, AFTER)
    return None


class OrdersTaken:
    """The file. `path` is made where it is missing."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None, timeout=2)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS taken (number INTEGER PRIMARY KEY, id TEXT NOT NULL, what"
            " TEXT NOT NULL, done INTEGER, answer TEXT)"
        )

    @property
    def last(self) -> int:
        """Number of the last command taken, 0 for none."""
        return int(self._db.execute("SELECT coalesce(max(number), 0) FROM taken").fetchone()[0])

    def take(self, command: Command) -> None:
        """Durable before the command is carried out."""
        self._db.execute(
            "INSERT INTO taken VALUES (?, ?, ?, NULL, NULL)",
            (command.number, command.id, command.order),
        )
        self._db.execute(
            "DELETE FROM taken WHERE number < (SELECT min(number) FROM (SELECT number FROM taken"
            " ORDER BY number DESC LIMIT ?))",
            (KEPT,),
        )

    def answered(self, number: int, done: bool, answer: str) -> None:
        """`answer`: the entry's number, or the code of the refusal."""
        self._db.execute(
            "UPDATE taken SET done = ?, answer = ? WHERE number = ?", (done, answer, number)
        )

    def outcomes(self) -> tuple[tuple[str, bool, str], ...]:
        """(id, done, entry or code) of the last commands; `unknown` where nobody knows."""
        rows = self._db.execute(
            "SELECT id, done, answer FROM taken ORDER BY number DESC LIMIT ?", (TOLD,)
        ).fetchall()
        return tuple(
            (str(i), bool(done), str(answer) if answer is not None else "unknown")
            for i, done, answer in rows
        )

    def close(self) -> None:
        self._db.close()

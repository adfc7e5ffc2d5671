"""What a desk needs of its table, wherever that table is: its record and a line to it.

Beside the table they are the journal's file and the table's socket (`chronicle`, `tablelink`); at
the hall its model and the hall's line (`service.hall.desk`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol, Self, TypedDict

from service.journal.chain import GENESIS, Entry
from service.journal.codec import Json
from service.referee.refusal import Done


class NoJournalError(OSError):
    """There is no journal to read, or it cannot be read now."""


class TableDownError(ConnectionError):
    """The table's process does not answer; its journal can still be read."""


class ReadableRow(TypedDict):
    """An entry of the journal as plain JSON, as far as anybody may read it."""

    seq: int
    at: float
    wall: float
    kind: str
    body: Mapping[str, Json]


class EntryRow(ReadableRow):
    """An entry as it was sealed, with its hash."""

    by: Mapping[str, Json]
    v: int
    hash: str


class SaidRow(EntryRow):
    """The same with the words for it by language, where it says which rule was broken."""

    why: Mapping[str, str]


class Cursor(Protocol):
    """Entries of one record in order, each handed out once."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def read(self, most: int | None = None) -> tuple[Entry, ...]:
        """The next entries, at most `most`.

        Raises JournalError where another record took this one's place, StoreError.
        """
        ...


class TableRecord(Protocol):
    """One table's journal, to be read only."""

    def rows(self, since: int = 0, limit: int | None = None) -> Iterator[EntryRow]:
        """Entries after number `since`, oldest first, each with its hash. Raises NoJournalError."""
        ...

    def cursor(self, after: tuple[int, str] = (0, GENESIS)) -> Cursor:
        """A reader of what comes after the entry of this number and hash.

        Raises JournalError where there is no such entry, StoreError.
        """
        ...


class TableLine(Protocol):
    """Orders and questions to one table."""

    @property
    def up(self) -> bool:
        """Whether the table's own process answers."""
        ...

    async def ask(self, query: str, args: Mapping[str, Json] | None = None) -> object:
        """The answer to a read-only question. Raises TableDownError, RefusedError."""
        ...

    async def order(self, order: str, args: Mapping[str, Json], by: Mapping[str, Json]) -> Done:
        """The acknowledgement of an order, after the commit.

        Raises TableDownError, RefusedError.
        """
        ...


def row_of(record: TableRecord, seq: int) -> EntryRow | None:
    """One entry by its number, None where there is none. Raises NoJournalError."""
    found = next(record.rows(seq - 1, 1), None)
    return found if found and found["seq"] == seq else None

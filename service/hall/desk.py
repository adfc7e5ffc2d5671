"""A table's desk at the hall: the same pages, feeds and API as at the table itself, from the hall's
model, and orders over the hall's line (E).

A document is made when somebody looks at the table, not at every entry: two hundred tables that
nobody looks at cost nothing here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import Protocol, Self

from rules.dice import Roll
from service.hall.model import Model
from service.hall.view import STOPPED_S, TableView
from service.journal.chain import GENESIS, Entry, JournalError
from service.journal.codec import Json
from service.referee.refusal import Done, Refusal
from service.show.compose import table_document
from service.show.legal import legal_plays
from service.web.delay import FeedDelays
from service.web.desk import Desk
from service.web.ports import EntryRow
from service.web.tablelink import RefusedError


class HallSource(Protocol):
    """What a desk needs of the hall."""

    def source(self, table: str) -> tuple[Model, str]:
        """The model that has this table, and the table's name there."""
        ...

    def view(self, table: str) -> TableView: ...

    async def command(
        self, table: str, order: str, args: Mapping[str, Json], by: Mapping[str, Json]
    ) -> Done:
        """Raises TableDownError, RefusedError."""
        ...

    async def picture(self, table: str, picture: str) -> bytes:
        """Raises TableDownError, RefusedError."""
        ...


class ModelRecord:
    """A table's record as the hall's model has it: a `TableRecord`."""

    def __init__(self, model: Model, table: str) -> None:
        self._model, self._table = model, table

    def rows(self, since: int = 0, limit: int | None = None) -> Iterator[EntryRow]:
        for _, text, sealed in self._model.rows(self._table, since, limit):
            row: EntryRow = json.loads(text)
            row["hash"] = sealed
            yield row

    def cursor(self, after: tuple[int, str] = (0, GENESIS)) -> ModelCursor:
        seq, sealed = after
        if seq and (seq, sealed) not in [
            (number, found) for number, _, found in self._model.rows(self._table, seq - 1, 1)
        ]:
            raise JournalError("the table's record was begun anew")
        return ModelCursor(self._model, self._table, after)


class ModelCursor:
    """Entries of one record, from its start or from a known entry on; another record in its place
    ends it.
    """

    def __init__(self, model: Model, table: str, after: tuple[int, str]) -> None:
        self._model, self._table = model, table
        self._seq, self._head = after
        self._epoch = self._present()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def _present(self) -> int:
        ledger = self._model.ledgers.get(self._table)
        return ledger.epoch if ledger else 0

    def read(self, most: int | None = None) -> tuple[Entry, ...]:
        if self._present() != self._epoch:
            raise JournalError("the table's record was begun anew")
        found = self._model.entries(self._table, self._seq, self._head)[:most]
        if found:
            self._seq, self._head = found[-1].seq, found[-1].hash
        return tuple(found)


class RelayLine:
    """A `TableLine` over the hall's: what the hall can answer by itself it does."""

    def __init__(self, hall: HallSource, table: str) -> None:
        self._hall, self._table = hall, table

    @property
    def up(self) -> bool:
        view = self._hall.view(self._table)
        silent = view.silent(time.monotonic())
        return not silent and view.status is not None and view.status.beat_age <= STOPPED_S

    async def ask(self, query: str, args: Mapping[str, Json] | None = None) -> object:
        if query == "legal_plays":
            thrown = None
            match (args or {}).get("roll"):
                case [int(high), int(low)]:
                    thrown = Roll.of(high, low)
            return legal_plays(self._hall.view(self._table).state, thrown)
        if query == "picture":
            return await self._hall.picture(self._table, str((args or {}).get("picture")))
        raise RefusedError(
            Refusal("not_from_afar", "a question about the game", query, "ask at the table itself")
        )

    async def order(self, order: str, args: Mapping[str, Json], by: Mapping[str, Json]) -> Done:
        return await self._hall.command(self._table, order, args, by)


class Relay:
    """Keeps one table's desk in step with the hall's model."""

    def __init__(self, hall: HallSource, table: str, delays: FeedDelays) -> None:
        self._hall, self._table = hall, table
        self.desk = Desk(
            table,
            ModelRecord(*hall.source(table)),
            RelayLine(hall, table),
            delays,
            look=self.refresh,
        )
        self._seen: tuple[int, int, bool] = (-1, -1, False)

    def refresh(self) -> None:
        """Make the documents anew where the table has moved on, or its clock has to be told again.

        The hall calls it several times a second while somebody looks; so does who comes to look.
        """
        desk, view, now = self.desk, self._hall.view(self._table), time.monotonic()
        seen = (view.epoch, view.seq, desk.connected)
        if view.epoch:
            at = view.table_time(now)
            desk.heard(at, now)
            if seen != self._seen or desk.watched:
                self._seen = seen
                desk.take(table_document(view.state, at))
        if desk.watched:
            desk.beat()

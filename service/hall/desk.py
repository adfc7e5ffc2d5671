"""A table's desk at the hall: the same pages, feeds and API as at the table itself, from the hall's
model, and orders over the hall's line (E).

A document is made when somebody looks at the table, not at every entry: two hundred tables that
nobody looks at cost nothing here.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, Self

from starlette.types import Send

from rules.dice import Roll
from service.hall.model import Model
from service.hall.view import STOPPED_S, TableView
from service.journal.chain import GENESIS, Entry, JournalError
from service.show.document import document
from service.show.legal import legal_plays
from service.web.chronicle import Chronicle
from service.web.delay import Delays, Past
from service.web.desk import VIEWS, Desk
from service.web.feed import Feed
from service.web.instants import Instants, Record
from service.web.tablelink import RefusedError, TableLink


class HallSource(Protocol):
    """What a desk needs of the hall."""

    model: Model

    def view(self, table: str) -> TableView: ...

    async def command(
        self, table: str, order: str, args: Mapping[str, Any], by: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Raises TableDownError, RefusedError."""
        ...


class HallChronicle(Chronicle):
    """A table's record as the hall's model has it."""

    def __init__(self, hall: HallSource, table: str) -> None:
        super().__init__(hall.model.path.parent / f"{table}.journal")
        self._hall, self._table = hall, table

    def changed(self) -> bool:
        return False

    def close(self) -> None:
        return

    def rows(self, since: int = 0, limit: int | None = None) -> Iterator[dict[str, Any]]:
        for _, text, sealed in self._hall.model.rows(self._table, since, limit):
            yield {**json.loads(text), "hash": sealed}

    def document(self) -> dict[str, Any]:
        return {}


class _Reads:
    """Entries of one record, from its start or from a known entry on; another record in its place
    ends it.
    """

    def __init__(self, model: Model, table: str, after: tuple[int, str] = (0, GENESIS)) -> None:
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

    def read(self, limit: int | None = None) -> tuple[Entry, ...]:
        if self._present() != self._epoch:
            raise JournalError("the table's record was begun anew")
        found = self._model.entries(self._table, self._seq, self._head)[:limit]
        if found:
            self._seq, self._head = found[-1].seq, found[-1].hash
        return tuple(found)


class HallPast(Past):
    """What a delayed feed may know of a table."""

    def __init__(self, path: Path, model: Model, table: str) -> None:
        super().__init__(path)
        self._model, self._table = model, table

    def open(self) -> _Reads:
        return _Reads(self._model, self._table)


class HallInstants(Instants):
    """States along a table's record as the hall's model has it."""

    def __init__(self, path: Path, model: Model, table: str) -> None:
        super().__init__(path)
        self._model, self._table = model, table
        self._epoch = -1

    def open(self, after: tuple[int, str]) -> Record:
        ledger = self._model.ledgers.get(self._table)
        epoch = ledger.epoch if ledger else 0
        if epoch != self._epoch and after[0]:
            self._epoch = epoch
            raise JournalError("the table's record was begun anew")
        self._epoch = epoch
        return _Reads(self._model, self._table, after)


class HallLink(TableLink):
    """Orders go over the hall's line; what the hall can answer by itself it does."""

    def __init__(self, hall: HallSource, table: str) -> None:
        super().__init__(Path(table))
        self._hall, self._table = hall, table

    async def ask(self, query: str, args: Mapping[str, Any] | None = None) -> Any:
        if query == "legal_plays":
            said = (args or {}).get("roll")
            return legal_plays(self._hall.view(self._table).state, Roll.of(*said) if said else None)
        raise RefusedError(
            {
                "code": "not_from_afar",
                "expected": "a question about the game",
                "came": query,
                "next": "ask at the table itself",
            }
        )

    async def order(
        self, order: str, args: Mapping[str, Any], by: Mapping[str, Any]
    ) -> dict[str, Any]:
        return await self._hall.command(self._table, order, args, by)


class OnDemand(Feed):
    """A feed whose value is made when somebody comes to look."""

    def __init__(self, refresh: Callable[[], None]) -> None:
        super().__init__()
        self._refresh = refresh

    async def serve(self, send: Send) -> None:
        self._refresh()
        await super().serve(send)


class HallDesk(Desk):
    """One table at the hall. `refresh` is called by the hall several times a second."""

    def __init__(self, hall: HallSource, table: str, delays: Delays) -> None:
        chronicle, link = HallChronicle(hall, table), HallLink(hall, table)
        super().__init__(
            table,
            chronicle.path,
            link.path,
            delays,
            link=link,
            chronicle=chronicle,
            past=lambda path: HallPast(path, hall.model, table),
            instants=HallInstants(chronicle.path, hall.model, table),
        )
        self.feeds = {view: OnDemand(self.refresh) for view in VIEWS}
        self._hall = hall
        self._seen: tuple[int, int, bool] = (-1, -1, False)

    @property
    def watched(self) -> bool:
        return any(feed.viewers for feed in self.feeds.values())

    def start(self) -> None:
        """Nothing of its own: the hall beats for all its desks."""

    async def stop(self) -> None:
        return

    def refresh(self) -> None:
        """Make the documents anew where the table has moved on, or its clock has to be told again."""
        now = time.monotonic()
        view = self._hall.view(self.name)
        up = not view.silent(now) and view.status is not None and view.status.beat_age <= STOPPED_S
        self.link.up = up
        at = view.table_time(now)
        seen = (view.epoch, view.seq, up)
        if view.epoch:
            self._time.heard(at, now)
        if view.epoch and (seen != self._seen or self.watched):
            self._seen = seen
            self._take(document(view.state, at))
        if self.watched:
            self.beat()

    def document(self, view: str) -> dict[str, Any]:
        self.refresh()
        return super().document(view)

"""A hall's server, its line and tables with real journals, in one event loop: what the tests of
this room are made of.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.appliance.joined import Joined
from service.hall.follow import JournalReader
from service.hall.identity import key_id, link_seed, nkey
from service.hall.ledger import Believed, MessageRefused
from service.hall.line import Line
from service.hall.model import Model
from service.hall.nats_line import end
from service.hall.publish import Publisher
from service.hall.registry import Registry
from service.hall.server import Server, ServerPlan
from service.hall.wire import TableStatus
from service.journal.entries import Body, MatchSet, Noted, Role, TableOpened, Who
from service.journal.keys import table_key
from service.journal.store import Store
from tests.ports import free_port

WHO = Who("console", Role.CONSOLE)


async def until(true: Callable[[], Any], seconds: float = 30.0) -> None:
    """Wait for something to become so; a slow machine has half a minute."""
    end = asyncio.get_running_loop().time() + seconds
    while not true():
        if asyncio.get_running_loop().time() > end:
            raise AssertionError("it did not come about in time")
        await asyncio.sleep(0.02)


@dataclass
class Table:
    """A table's journal, written by hand, and its publisher."""

    name: str
    journal: Path
    key: Ed25519PrivateKey
    joined: Joined
    store: Store
    answers: list[dict[str, Any]] = field(default_factory=list)
    publisher: Publisher | None = None
    task: asyncio.Task[None] | None = None
    clock: float = 10.0

    def say(self, *bodies: Body, at: float | None = None) -> None:
        now = (self.store.seq + 1) * 1.0 if at is None else at
        self.store.append([(now, 1_800_000_000.0 + now, WHO, body) for body in bodies])
        self.store.beat(now, 1_800_000_000.0 + now)

    def note(self, count: int, every: float = 1.0) -> None:
        """So many entries, some together as they come at a table, a stretch of `every` seconds for
        each.
        """
        for i in range(0, count, 50):
            some = min(50, count - i)
            self.clock += some * every
            self.say(*(Noted("note", text=str(i + j)) for j in range(some)), at=self.clock)

    def order(self, request: dict[str, Any]) -> dict[str, Any]:
        self.answers.append(request)
        return {"ok": True, "seq": self.store.seq}

    def start(self) -> None:
        self.publisher = Publisher(self.joined, self.key, self.journal, self.order)
        self.task = asyncio.create_task(self.publisher.run())

    async def stop(self) -> None:
        if self.task is not None:
            await end(self.task)
        self.task = None

    def rows(self) -> list[tuple[int, bytes, str]]:
        journal = JournalReader(self.journal)
        found = journal.rows(0, 1_000_000) or []
        journal.close()
        return found


@dataclass
class MadeHall:
    """A hall without pages."""

    folder: Path
    server: Server
    registry: Registry
    key: Ed25519PrivateKey
    verdicts: list[Believed | MessageRefused] = field(default_factory=list)
    statuses: dict[str, TableStatus] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    line: Line = field(init=False)
    model: Model = field(init=False)
    task: asyncio.Task[None] | None = None

    def open(self, address: str = "") -> None:
        public = key_id(self.key.public_key().public_bytes_raw())
        self.model = Model(self.folder / "model.db", "")
        self.line = Line(
            self.registry,
            self.model,
            self.key,
            address or self.server.address,
            self.verdicts.extend,
            self._heard,
            gigabytes=1.0,
        )
        self.model.hall = self.line.hall
        assert self.line.public == public
        self.task = asyncio.create_task(self.line.run())

    def _heard(self, status: TableStatus) -> None:
        self.statuses[status.table] = status

    async def shut(self) -> None:
        if self.task is not None:
            await end(self.task)
        self.model.close()

    def configure(self) -> None:
        self.server.write(nkey(link_seed(self.key)), self.registry.links())

    def pair(self, name: str, key: Ed25519PrivateKey) -> None:
        number = self.model.number if hasattr(self, "model") else 0
        self.registry.pair(
            self.registry.code(name),
            key_id(key.public_key().public_bytes_raw()),
            nkey(link_seed(key)),
            number,
        )
        self.configure()
        self.server.reload()
        if hasattr(self, "line"):
            self.line.boards = self.registry.boards()

    def table(self, name: str, folder: str = "", address: str = "", new: bool = False) -> Table:
        """A table that is paired; a `new` one has given no sign of life yet."""
        home = self.folder / (folder or name)
        key = table_key(home / "table.key")
        self.pair(name, key)
        journal = home / "t.journal"
        store = Store.open(journal)
        hall = key_id(self.key.public_key().public_bytes_raw())
        table = Table(name, journal, key, Joined(hall, address or self.server.address, name), store)
        if not store.seq and not new:
            table.say(
                TableOpened(name, "test"),
                MatchSet("backgammon", length=5, white=f"W{name}", black=f"B{name}"),
            )
        self.tables[folder or name] = table
        return table

    def believed(self, table: Table) -> bool:
        """Whether the hall has this table's record, all of it and nothing else."""
        name, rows = table.joined.table, table.rows()
        return bool(rows) and list(self.model.rows(name)) == rows


@asynccontextmanager
async def hall(folder: Path) -> AsyncIterator[MadeHall]:
    server = Server(ServerPlan("127.0.0.1", free_port(), folder, 1.0))
    made = MadeHall(folder, server, Registry(folder / "hall.db"), table_key(folder / "hall.key"))
    made.configure()
    await asyncio.to_thread(server.start)
    made.open()
    await until(lambda: made.line.up)
    try:
        yield made
    finally:
        for table in made.tables.values():
            await table.stop()
            table.store.close()
        await made.shut()
        await asyncio.to_thread(server.stop)


def played(story: Callable[[MadeHall], Awaitable[None]], folder: Path) -> None:
    """Run a story in a hall."""

    async def run() -> None:
        async with hall(folder) as made:
            await asyncio.wait_for(story(made), 120)

    asyncio.run(run())

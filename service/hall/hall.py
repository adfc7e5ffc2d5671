"""The hall: its server, its line, what it makes of every table, and what it tells them (E).

One event loop; pages are served by `app`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from typing import Final

from service.hall import view as wall
from service.hall.book import TournamentBook
from service.hall.branch import Branches, shown
from service.hall.certificate import line_certificate
from service.hall.config import HallAbout, WallEvent
from service.hall.config import HallConfig as HallConfig
from service.hall.day_document import in_a_line
from service.hall.desk import Relay
from service.hall.floor import Floor
from service.hall.identity import link_seed, nkey
from service.hall.late import UNHEARD, PublicWall, TableDelays
from service.hall.leaf import secret_of
from service.hall.ledger import Believed, MessageRefused
from service.hall.line import Line, LineDownError, UnknownOutcomeError
from service.hall.model import Model
from service.hall.nats_line import end
from service.hall.pictures import picture_from
from service.hall.registry import Registry
from service.hall.server import Server, ServerError, ServerPlan
from service.hall.view import Card, TableView
from service.hall.wall import FRAME_S, WallFeed
from service.hall.wire import Command, TableStatus
from service.journal.codec import CodecError, Json
from service.journal.keys import table_key
from service.referee.refusal import Done, Refusal
from service.settings import version
from service.tournament.day import Day
from service.web.delay import Delays
from service.web.desk import Desk, encode_document
from service.web.ports import TableDownError
from service.web.tablelink import RefusedError

log = logging.getLogger(__name__)

LOOK_S: Final = 1.0
"""How often tables that said nothing are looked at."""
SERVER_S: Final = 1.0


class Hall:
    """`desks`, `relays` that keep them, `views`, and how `late` the public sees each: by table."""

    def __init__(self, config: HallConfig) -> None:
        self.config = config
        self.registry = Registry(config.data / "hall.db")
        self.key = table_key(config.data / "hall.key")
        own = line_certificate(config.data) if config.encrypted else None
        self.certificate = own.text if own is not None else ""
        self.server = Server(
            ServerPlan(
                config.host,
                config.nats_port,
                config.data,
                config.gigabytes,
                own,
                tuple((b, secret_of(self.key, b.name)) for b in config.branches),
                config.leaf_port,
                config.leaf_address,
                config.main,
            )
        )
        self.model = Model(config.data / "model.db", "")
        self.line = Line(
            self.registry,
            self.model,
            self.key,
            self.server.address,
            self.take_entries,
            self.take_status,
            self.forget_entries,
            config.gigabytes,
            self._retired,
            self.certificate,
        )
        self.model.hall = self.line.hall
        self.branches = Branches(config, self.key, self.server.address, self.certificate, self)
        self.delays = Delays(config.data / "delay.json")
        self.views: dict[str, TableView] = {}
        self.desks: dict[str, Desk] = {}
        self.relays: dict[str, Relay] = {}
        self.late: dict[str, TableDelays] = {}
        self.staff, self.guests = WallFeed(), PublicWall()
        self.server_problem = ""
        self.floor: Floor | None = None
        self._dirty: set[str] = set()
        self._unshown: set[str] = set()
        self._marks: dict[str, str] = {}
        self._cards: dict[str, Card] = {}
        self._about_shown = ""
        self._looked = 0.0
        self._tasks: list[asyncio.Task[None]] = []
        self._orders: dict[str, asyncio.Lock] = {}
        self._unanswered = set(self.registry.unanswered())

    # Beginning and end.

    async def start(self) -> None:
        """Begin. Without a server the pages come up all the same, and say so, and it is tried
        again.
        """
        self.loop = asyncio.get_running_loop()
        self.floor = Floor(TournamentBook(self.config.data), self)
        await self._have_server()
        for table in {*self.registry.links(), *self._recorded()}:
            self._make_known(table)
            self._read_back(table)
            await asyncio.sleep(0)
        works = (self.line.run(), self._beat(), self._keep_server(), self.floor.run())
        self._tasks = [asyncio.create_task(work) for work in (*works, *self.branches.works())]

    async def caught_up(self) -> None:
        """Wait until the model holds all of the stream. Raises ServerError where it cannot."""
        while not self.line.up or self.line.behind:
            if problem := self.server_problem or self.line.problem:
                raise ServerError(problem)
            await asyncio.sleep(0.1)

    async def stop(self) -> None:
        await end(*self._tasks)
        self.model.close()
        self.branches.close()
        if self.floor is not None:
            self.floor.book.close()
        await asyncio.to_thread(self.server.stop)

    def configure(self) -> None:
        """Write the server's configuration from who is paired."""
        own, links = nkey(link_seed(self.key)), self.registry.links()
        self.server.write(own, links, self.line.hall)

    async def _keep_server(self) -> None:
        while True:
            await asyncio.sleep(SERVER_S)
            if not self.server.pid and await self._have_server():
                log.warning("nats-server was started again; what it held is on its disk")

    async def _have_server(self) -> bool:
        try:
            self.configure()
            await asyncio.to_thread(self.server.start)
        except (ServerError, OSError) as error:
            if str(error) != self.server_problem:
                log.error("%s", error)
            self.server_problem = str(error)
            return False
        self.server_problem = ""
        return True

    # Who is who.

    async def pair(self, code: str, key: str, link: str) -> str:
        """A board becomes a table. Raises RegistryError."""
        table = self.registry.pair(code, key, link, await self.line.newest())
        await self._paired(table)
        return table

    async def retire(self, table: str) -> None:
        """Nobody is this table any more; its record stays."""
        self.registry.retire(table, await self.line.newest())
        await self._paired(table)

    def _retired(self, table: str) -> None:
        """The line let a board in no more; the server is told."""
        self._tasks.append(asyncio.create_task(self._paired(table)))

    async def _paired(self, table: str) -> None:
        self.line.boards = self.registry.boards()
        self._make_known(table)
        self.configure()
        await asyncio.to_thread(self.server.reload)

    def _make_known(self, table: str) -> None:
        if table not in self.views:
            self.views[table] = TableView(table)
            kept = self.config.data / "delays" / f"{table}.json"
            self.late[table] = TableDelays(self.delays, kept)
            self.relays[table] = Relay(self, table, self.late[table])
            self.desks[table] = self.relays[table].desk
        self._dirty.add(table)

    def view(self, table: str) -> TableView:
        return self.views.get(table) or TableView(table)

    def names(self) -> list[str]:
        """Every table that has a board."""
        return [board.table for board in self.line.boards.values() if board.until is None]

    def source(self, table: str) -> tuple[Model, str]:
        """The model that has this table, and the table's name there."""
        return self.branches.source(table) or (self.model, table)

    def _recorded(self) -> list[str]:
        return [*self.model.ledgers, *self.branches.tables()]

    # What comes in.

    def _read_back(self, table: str) -> None:
        """Fold a table from the model: at the start, and after the stream was read anew."""
        model, name = self.source(table)
        ledger = model.ledgers.get(name)
        if ledger is not None:
            known = self.views[table]
            fresh = TableView(table, status=known.status, heard=known.heard)
            self.views[table] = wall.with_entries(
                fresh, ledger.epoch, model.rows(name), time.monotonic()
            )

    def views_from_model(self) -> dict[str, TableView]:
        """Every table's view as the model alone has it, without a line."""
        for table in self._recorded():
            self._make_known(table)
            self._read_back(table)
        return self.views

    def take_entries(self, verdicts: Sequence[Believed | MessageRefused], branch: str = "") -> None:
        now = time.monotonic()
        for verdict in verdicts:
            if isinstance(verdict, Believed):
                table = shown(branch, verdict.bundle.table)
                self._make_known(table)
                self.views[table] = wall.with_entries(
                    self.views[table], verdict.ledger.epoch, verdict.bundle.rows, now
                )
            elif (table := shown(branch, verdict.table)) in self.views:
                self.views[table] = wall.with_refusal(self.views[table], verdict, now)
                self._dirty.add(table)

    def take_status(self, status: TableStatus, branch: str = "") -> None:
        """Take what a table says of itself."""
        table = shown(branch, status.table)
        self._make_known(table)
        self.views[table] = wall.with_status(
            self.views[table], status, time.monotonic(), time.time()
        )
        if self.late[table].told(status.delays):
            self.desks[table].delayed()
        for ident, done, detail in status.answers:
            if ident in self._unanswered and detail != "unknown":
                self._record_outcome(ident, "done" if done else "refused", detail)

    def _record_outcome(self, ident: str, outcome: str, detail: str) -> None:
        """What became of a command; one that nobody answered is settled by the table's next word of
        it.
        """
        self.registry.outcome(ident, outcome, detail)
        if outcome != "unknown":
            self._unanswered.discard(ident)

    def forget_entries(self, branch: str = "") -> None:
        """A stream is read from its start: what was folded from it is forgotten, who was heard is
        not.
        """
        for table, known in self.views.items():
            if table.rpartition(".")[0] != branch:
                continue
            self.views[table] = TableView(table, status=known.status, heard=known.heard)
            self._dirty.add(table)

    # What goes out.

    async def command(
        self, table: str, order: str, args: Mapping[str, Json], by: Mapping[str, Json]
    ) -> Done:
        """A table's own acknowledgement of an order.

        One at a time for a table. Raises TableDownError, RefusedError.
        """
        async with self._orders.setdefault(table, asyncio.Lock()):
            if refusal := self.branches.objection(table):
                raise RefusedError(refusal)
            known = self.view(table)
            if known.silent(time.monotonic()):
                raise TableDownError(f"table {table} is not heard; nothing was sent")
            name, role = str(by.get("name") or "")[:60], str(by.get("role") or "")
            ident, number = self.registry.command(table, order, f"{name} ({role})")
            self._unanswered.add(ident)
            until = known.table_time(time.monotonic()) + self.config.good_for
            # Whoever sits at the hall's own screen is its director.
            given = Command(
                ident,
                number,
                table,
                order,
                args,
                f"{name}, {self.config.name}",
                "director" if role == "console" else role,
                until,
            )
            try:
                answer = await self.line.order(given)
            except UnknownOutcomeError as error:
                self._record_outcome(ident, "unknown", str(error))
                raise TableDownError(str(error)) from error
            except LineDownError as error:
                self._record_outcome(ident, "refused", "not sent")
                raise TableDownError(str(error)) from error
            except CodecError as error:
                self._record_outcome(ident, "refused", "not sent")
                wrong = Refusal("bad_argument", "arguments as plain JSON", str(error)[:120])
                raise RefusedError(wrong) from error
            if isinstance(answer, Refusal):
                self._record_outcome(ident, "refused", answer.code)
                raise RefusedError(answer)
            done = answer if isinstance(answer, Done) else Done(0)
            self._record_outcome(ident, "done", str(done.seq))
            return done

    async def picture(self, table: str, picture: str) -> bytes:
        """A picture that is kept at a table. Raises TableDownError, RefusedError."""
        if refusal := self.branches.objection(table):
            raise RefusedError(refusal)
        until = self.view(table).table_time(time.monotonic()) + self.config.good_for
        return await picture_from(self.line, table, picture, until)

    def about(self) -> HallAbout:
        """What holds for the hall as a whole: what it does not know, and why."""
        unshown = (
            "cannot be shown as it is now, see the hall's log: table"
            f" {', '.join(sorted(self._unshown))}"
            if self._unshown
            else ""
        )
        problem = self.server_problem or self.line.problem or unshown or self.branches.problem
        about: HallAbout = {
            "up": self.line.up,
            "problem": problem,
            "behind": self.line.behind + self.branches.behind,
            "version": version(),
        }
        if event := self._event(public=False):
            about["event"] = event
        return about

    def _event(self, *, public: bool) -> WallEvent | None:
        if self.floor is None or not self.floor.book.day.opened:
            return None
        return in_a_line(self.told() if public else self.floor.book.day)

    def told(self) -> Day:
        """The tournament as the public may know it now."""
        assert self.floor is not None
        late = {table: delays["public"].total for table, delays in self.late.items()}
        return self.floor.book.told(time.time(), late, UNHEARD.total)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(FRAME_S)
            try:
                self.beat(time.monotonic())
            except Exception:
                # A wall that stands still without a word is worse than any fault: the next beat
                # begins from the views again.
                log.exception("the wall could not be drawn anew; it is tried again")

    def beat(self, now: float) -> None:
        """Publish what changed: the wall's cards, and pages of tables that somebody looks at."""
        looked = set(self._dirty)
        if now - self._looked >= LOOK_S:
            self._looked = now
            looked |= set(self.views)
        self._dirty.clear()
        changed: dict[str, Card] = {}
        for table in looked:
            card = self._card(table, now)
            if card is None:
                continue
            mark = encode_document(
                {
                    **card,
                    "clock": card["clock"]["running"],
                    "matters": [(m["code"], m["side"]) for m in card["matters"]],
                }
            )
            if mark != self._marks.get(table):
                self._marks[table] = mark
                changed[table] = self._cards[table] = {**card, "made": round(now, 3)}
        about = self.about()
        text = encode_document(about)
        if changed or text != self._about_shown:
            self._about_shown = text
            self.staff.put(changed, about)
        self.guests.beat(changed, self.views, self.late, now, self._event(public=True))
        for relay in self.relays.values():
            if relay.desk.watched:
                relay.refresh()
        for feed in (self.staff, self.guests.feed):
            feed.shed(now)

    def _card(self, table: str, now: float) -> Card | None:
        """A table's card. One that cannot be made leaves the last in its place, is told once, and
        takes the wall from no other table.
        """
        try:
            card = wall.card(self.views[table], now, self.config.slow_after)
        except Exception:
            if table not in self._unshown:
                log.exception("table %s cannot be shown as it is now; the others go on", table)
            self._unshown.add(table)
            return None
        self._unshown.discard(table)
        return card

    def cards(self) -> list[Card]:
        """Every card that staff see, in the wall's reading order."""
        return [self._cards[name] for name in wall.by_need(self._cards.values())]

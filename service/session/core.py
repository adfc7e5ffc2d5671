"""One table without threads, ports or pages: what was taken in goes in, in order, with its time;
what was decided is in the journal before anything is shown.

`service.table.process` feeds it from live sources, `service.table.replay` from a recording; both
give it the same things, so the same recording makes the same journal. A disk that is full stops
nothing: what could not be stored is kept, tried again, and neither shown nor acknowledged before.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

from rules.board import Seating, Side
from rules.observation import Observation
from service.journal.chain import Entry
from service.journal.entries import Body, Role, Who
from service.journal.entry import SILENT, TABLE
from service.journal.plain import plain_name
from service.journal.store import NotStoredError
from service.referee.event import seating_of
from service.referee.inputs import Args, Command, Order, Press, SourceChanged, Tick
from service.referee.refusal import Done, OrderError, Reply
from service.session import step as game
from service.session.belief import Session, sure_placement
from service.session.boards import Board, BoardInput
from service.session.settled_placements import to_remember
from service.session.sight import Hint

log = logging.getLogger(__name__)

MOST_UNSTORED: Final = 20_000
"""Entries kept while the disk is full: an evening's; beyond that the table says so and refuses
orders.
"""
RETRY_S: Final = 1.0

Row = tuple[float, float, Who, Body]


class EntryLog(Protocol):
    """`service.journal.store.Store`, or a list in its place."""

    @property
    def seq(self) -> int: ...
    def append(self, bodies: Sequence[Row]) -> tuple[Entry, ...]: ...
    def beat(self, at: float, wall: float, data: object = None) -> None: ...


@dataclass(slots=True)
class Trouble:
    """What is wrong with the table itself, for the page and the log; empty strings where all is
    well.
    """

    storage: str = ""
    recording: str = ""

    def lines(self) -> list[str]:
        return [line for line in (self.storage, self.recording) if line]


@dataclass(slots=True)
class Core:
    """`session` is what was decided, `shown` the last of it that is on the disk: only that may be
    shown.

    `perform` carries a command out, after its entries are stored. `wall` is unix seconds minus
    table time.
    """

    session: Session
    journal: EntryLog
    board: Board | None = None
    perform: Callable[[Command], None] = lambda _: None
    stored: Callable[[tuple[Entry, ...]], None] = lambda _: None
    wall: float = 0.0
    trouble: Trouble = field(default_factory=Trouble)
    shown: Session = field(init=False)
    _waiting: list[Row] = field(default_factory=list)
    _after: list[Callable[[], None]] = field(default_factory=list)
    _tried_at: float = 0.0

    def __post_init__(self) -> None:
        self.shown = self.session

    @property
    def seating(self) -> Seating:
        return seating_of(self.session.state)

    def hint(self) -> Hint:
        """What the game knows of the board now, for whoever reads the next picture."""
        return Hint(self.seating, self.session.state.game.placement, sure_placement(self.session))

    # What comes in
    # ---------------------------------------------------------------------------------------------

    def seen(self, observation: Observation, now: float) -> None:
        """A picture was read."""
        self.step(observation, now)

    def source(self, source: str, ok: bool, reason: str, now: float) -> None:
        self.step(SourceChanged(source, ok, reason), now)

    def port(self, ok: bool, reason: str, now: float) -> None:
        """The board's port was opened, or is gone."""
        if self.board is not None:
            if ok:
                self.board.opened(now)
            else:
                self._take(self.board.closed(now, reason), now)

    def received(self, data: bytes, now: float) -> None:
        """Bytes off the board's wire."""
        if self.board is not None:
            self._take(self.board.receive(data, now), now)

    def pressed(self, button: Press | Order, now: float) -> None:
        """A button that did not come over the board's wire."""
        self._press(button, now)

    def tick(self, now: float) -> None:
        """Time passes: call twenty times a second."""
        if self.board is not None:
            self.board.seating = self.seating
            self._take(self.board.tick(now), now)
        self.step(Tick(), now)
        if self._waiting and now - self._tried_at >= RETRY_S:
            self._store(now)

    def order(self, name: str, args: Args, by: Args, now: float, reply: Reply) -> None:
        """A person's order: answered once it is on the disk, or refused."""
        try:
            who = who_of(by)
            if len(self._waiting) > MOST_UNSTORED:
                raise OrderError(
                    "disk_full",
                    "room on the disk",
                    "none for a long time",
                    "free some room; nothing was lost so far",
                )
            self.step(Order(name, args, who), now)
        except OrderError as e:
            reply(e.refusal)
        else:
            self._then(lambda: reply(Done(self.shown.state.seq)))

    def _take(self, found: Sequence[BoardInput], now: float) -> None:
        for given in found:
            if isinstance(given, Press | Order):
                self._press(given, now)
            else:
                self.step(given, now)

    def _press(self, button: Press | Order, now: float) -> None:
        try:
            self.step(button, now)
        except OrderError as e:
            # A button that means nothing now: no entry, no accusation.
            log.info("a button was pressed and means nothing now: %s", e)

    # What is decided
    # ---------------------------------------------------------------------------------------------

    def step(self, given: game.SessionInput, now: float) -> None:
        """One thing after another: decide, store, then show and do.

        Raises OrderError and changes nothing.
        """
        outcome = game.session_step(self.session, given, now)
        self.session = outcome.session
        if outcome.entries:
            self._waiting += [(now, now + self.wall, outcome.by, body) for body in outcome.entries]
            self._tell_the_board(outcome.entries)
        for command in outcome.commands:
            self._then(partial(self.perform, command))
        if self._waiting:
            if outcome.entries and not (self.trouble.storage and now - self._tried_at < RETRY_S):
                self._store(now)
        else:
            self._show()

    def _tell_the_board(self, entries: Sequence[Body]) -> None:
        """Let the sensors remember how a settled placement reads, or forget one that holds no
        longer.
        """
        if self.board is not None:
            for placement in to_remember(entries, self.session.state.game.placement):
                self.board.settled(placement)

    def begin(self, bodies: Sequence[Body], now: float, by: Who = TABLE) -> None:
        """Entries that the table itself writes: that it was opened, that it came back."""
        for body in bodies:
            self.session = game.fold_own_entry(self.session, body, now, by)
            self._waiting.append((now, now + self.wall, by, body))
        self._store(now)

    def beat(self, now: float, data: object = None) -> None:
        """The durable heartbeat, once a second: what a running clock may lose to a power cut is at
        most that.
        """
        try:
            self.journal.beat(now, now + self.wall, data)
        except NotStoredError as e:
            self._full(str(e))

    def _store(self, now: float) -> None:
        self._tried_at = now
        try:
            entries = self.journal.append(self._waiting)
        except NotStoredError as e:
            self._full(str(e))
            return
        self._waiting.clear()
        if self.trouble.storage:
            log.warning("the disk takes entries again; %d that waited are stored", len(entries))
            self.trouble.storage = ""
        self._show()
        self.stored(entries)

    def _full(self, why: str) -> None:
        if not self.trouble.storage:
            log.error("%s", why)
        self.trouble.storage = why

    def _then(self, act: Callable[[], None]) -> None:
        """Do this once everything decided so far is on the disk."""
        if self._waiting:
            self._after.append(act)
        else:
            act()

    def _show(self) -> None:
        self.shown = self.session
        acts, self._after = self._after, []
        for act in acts:
            act()


def who_of(by: Args) -> Who:
    """Who speaks, from an order's JSON. Raises OrderError."""
    try:
        side = by.get("side")
        return Who(
            plain_name(str(by.get("name", "")), 80),
            Role(by.get("role", "player")),
            Side(side) if side is not None else None,
        )
    except (ValueError, AttributeError):
        roles = ", ".join(r.value for r in Role if r not in SILENT)
        raise OrderError(
            "bad_by", f'"by" with a name, a role ({roles}) and a side or null', str(by)[:80]
        ) from None

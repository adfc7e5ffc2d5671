"""The floor of a tournament: matches called to free tables, results taken from their records (E).

A table's record says what was played: a match called to a table is the next one that the table's
record begins after it was called, whoever set it there. So a hall that was killed asks nobody
anything again, and a name put right at the table does not lose its result.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Collection, Sequence
from typing import Final, Protocol

from service.hall.book import TournamentBook
from service.hall.config import HallConfig
from service.hall.desk import HallSource
from service.hall.registry import Pairing
from service.hall.rounds import order_of
from service.hall.view import MatchLine, TableView, natural
from service.journal import entries_hall as e
from service.journal.entry import Body, Role, Who
from service.referee.state import Phase, State
from service.tournament.day import Day, Place
from service.tournament.field import Ending
from service.tournament.stages import after, forfeits, next_round
from service.web.ports import TableDownError
from service.web.tablelink import RefusedError

log = logging.getLogger(__name__)

HALL: Final = Who("hall", Role.REFEREE)
GRACE_MIN: Final = 3.0
"""Minutes to walk to a table before anybody is late there."""
AGAIN_S: Final = 5.0
"""How soon a table that could not be told is told again."""
LOOK_S: Final = 1.0
FREE: Final = frozenset({Phase.IDLE, Phase.MATCH_OVER})


class FloorTables(HallSource, Protocol):
    """What the floor needs of the hall."""

    config: HallConfig

    def names(self) -> Sequence[str]:
        """Every table that has a board."""
        ...


class Floor:
    """`problems`: why a match's table could not be told, by match."""

    def __init__(self, book: TournamentBook, tables: FloorTables) -> None:
        self.book, self.tables = book, tables
        self.problems: dict[str, str] = {}
        self._told: dict[str, float] = {}

    # What the director asks for.

    async def pair(self, by: Who, lot: int) -> None:
        """Pair the next round, and call what can be called. Raises TournamentError."""
        await self.book.say(by, lambda day: _with_forfeits(day, next_round(day, lot)))
        await self.look()

    async def seat(self, by: Who, match: str, table: str) -> None:
        """Call a match to this table. Raises TournamentError."""
        await self.book.say(by, lambda _: [self._seated(match, table)])
        await self.tell([match])

    async def leave(self, by: Who, name: str) -> None:
        """A player leaves, and loses what was to play. Raises TournamentError."""

        def acts(day: Day) -> list[Body]:
            busy = any(name in (m.first, m.second) for m in day.open_matches())
            number = max(1, len(day.rounds) + (not busy))
            return _with_forfeits(day, [e.PlayerLeft(name, number)])

        await self.book.say(by, acts)

    def _seated(self, match: str, table: str) -> e.MatchSeated:
        view = self.tables.view(table)
        return e.MatchSeated(match, table, view.epoch, view.seq)

    # What goes by itself.

    async def run(self) -> None:
        """Look again and again; a fault is told, and the next look begins anew."""
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                await self.look()
            except Exception:
                log.exception("the tournament's floor could not be looked at; it is tried again")

    async def look(self) -> None:
        """Take in results, and call waiting matches to tables that are free."""
        await self.gather()
        await self.call_waiting()
        now = time.monotonic()
        day = self.book.day
        again = [
            m.id
            for m in day.open_matches()
            if m.id in day.places
            and self._line(day.places[m.id]) is None
            and now - self._told.get(m.id, -1e9) > AGAIN_S
            and not self.tables.view(day.places[m.id].table).silent(now)
        ]
        await self.tell(again)

    async def gather(self) -> None:
        """Enter results of matches that are over at their tables."""
        found = results_of(self.book.day, self.tables)
        if found:
            # By the day as it is when it is written: a director may just have entered one of them.
            await self.book.say(HALL, lambda day: results_of(day, self.tables))
            for result in found:
                self.problems.pop(result.match, None)

    def free(self) -> list[str]:
        """FloorTables where a match can be called now, in the order of their names."""
        now, day = time.monotonic(), self.book.day
        taken = {day.places[m.id].table for m in day.open_matches() if m.id in day.places}
        names = {x.name for x in day.entrants}
        return sorted(
            (
                name
                for name in self.tables.names()
                if name not in taken
                and not self.tables.view(name).silent(now)
                and _is_free(self.tables.view(name).state, names)
            ),
            key=natural,
        )

    async def call_waiting(self) -> None:
        """Call matches that wait for a table to those that are free."""
        day = self.book.day
        waiting = [m.id for m in day.open_matches() if m.id not in day.places]
        pairs = list(zip(waiting, self.free(), strict=False))
        if pairs:
            await self.book.say(HALL, lambda _: [self._seated(m, t) for m, t in pairs])
            await self.tell([m for m, _ in pairs])

    async def tell(self, matches: Sequence[str]) -> None:
        """Tell tables who plays there, by what rules, and when it begins."""
        await asyncio.gather(*(self._tell(match) for match in matches))

    async def _tell(self, ident: str) -> None:
        day = self.book.day
        self._told[ident] = time.monotonic()
        place, match = day.places[ident], day.match(ident)
        by = {"name": "hall", "role": Role.DIRECTOR.value, "side": None}
        number = _round_of(day, ident)
        stage, said = day.stages[day.rounds[number - 1].stage].plan, day.plans.get(number)
        pairing = Pairing(
            number,
            place.table,
            match.first,
            match.second or "",
            (said and said.length) or stage.length,
            (said and said.ruleset) or stage.ruleset,
            (said and said.clock) or stage.clock,
        )
        config = self.tables.config
        texts = (stage.event, said.event if said else "")
        title = f"{day.name} · {match.bout or number}"[:60]
        wait = max(GRACE_MIN, (day.starts.get(number, 0.0) - time.time()) / 60)
        try:
            order = order_of(pairing, config.event, config.rules_text, texts, title)
            await self.tables.command(place.table, "set_match", order, by)
            self.problems.pop(ident, None)
            # Players who sat down already may have begun: then nobody is late.
            with contextlib.suppress(TableDownError, RefusedError):
                minutes = {"minutes": round(wait, 2)}
                await self.tables.command(place.table, "call_match", minutes, by)
        except (TableDownError, RefusedError, ValueError) as error:
            why = error.refusal if isinstance(error, RefusedError) else None
            self.problems[ident] = f"{why.expected}; {why.came}" if why else str(error)
            log.info("table %s could not be told of its match: %s", place.table, error)

    def _line(self, place: Place) -> MatchLine | None:
        return played_at(place, self.tables.view(place.table))


def _is_free(state: State, names: Collection[str]) -> bool:
    """Whether no match is on at a table; one of ours that was called away unbegun is none."""
    if state.phase is Phase.SETTING_UP and not state.game.number and not state.match.finished:
        return set(state.match.names) <= set(names)
    return state.phase in FREE


def _with_forfeits(day: Day, acts: Sequence[Body]) -> list[Body]:
    for act in acts:
        day = after(day, act)
    return [*acts, *forfeits(day)]


def _round_of(day: Day, ident: str) -> int:
    return next(r.number for r in day.rounds if any(m.id == ident for m in r.matches))


def played_at(place: Place, view: TableView) -> MatchLine | None:
    """The match that a table's record began after it was called there; None while it has not."""
    fresh = [m for m in view.matches if view.epoch != place.epoch or m.seq > place.seq]
    return fresh[-1] if fresh else None


def results_of(day: Day, tables: FloorTables) -> list[e.ResultEntered]:
    """What tables report of open matches that are over."""
    found = []
    for match in day.open_matches():
        place = day.places.get(match.id)
        if place is None or match.id in day.deaf:
            continue
        line = played_at(place, tables.view(place.table))
        if line is not None and line.over:
            found.append(_result(match, line, place.table))
    return [r for r in found if r is not None]


def _result(match: e.PairedMatch, line: MatchLine, table: str) -> e.ResultEntered | None:
    names = {match.first, match.second}
    if not names & {line.white, line.black}:
        # Another match was played there: whose it is, the director says.
        return None
    turned = match.first == line.black or match.second == line.white
    score = (line.score[1], line.score[0]) if turned else line.score
    if line.winner:
        ending = Ending.FIRST if (line.winner == "white") is not turned else Ending.SECOND
    elif score[0] == score[1]:
        if match.bout:
            # A knock-out has to have a winner: the director says who.
            return None
        ending = Ending.DRAWN
    else:
        ending = Ending.FIRST if score[0] > score[1] else Ending.SECOND
    return e.ResultEntered(match.id, ending.value, score, False, table, line.seq)

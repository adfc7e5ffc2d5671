"""Nothing public is younger than told, whatever one looks at: two worlds that are alike up to the
delay and different since are asked the same at the same instant, and every answer is the same to
the byte: status, headers, counters, what it weighs.

A match played in simulated time is shown by two pages. One sees all of it as it happens. The other
sees nothing at all of what is younger than the delay. Whatever the first lets out, the second could
not know. `INSTANTS=20000 make test-younger` is the bar.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Self

import httpx
import pytest

from service.hall import wall as wall_module
from service.hall.late import PublicWall, TableDelays
from service.hall.view import TableView, card
from service.journal.chain import GENESIS, Entry, JournalError
from service.journal.store import Reader
from service.referee.fold import replay
from service.referee.state import State
from service.show.compose import table_document
from service.web import delay, desk
from service.web.app import create_app
from service.web.config import WebConfig
from service.web.delay import FEEDS, Delay, Delays
from service.web.desk import Desk
from service.web.policy import PUBLIC
from service.web.ports import TableDownError
from service.web.rights import ENDLESS, ROUTES
from tests.service.web import air
from tests.service.web.hand import HandTable

INSTANTS: Final = int(os.environ.get("INSTANTS", "150"))
LATE_S: Final = 45.0
DATE: Final = 1_900_000_000.0
VIA: Final = {"via": "1.1 x", "host": "localhost"}
NEVER_THE_SAME: Final = frozenset({"/-/ready", "/-/healthy", "/report/{table}/{number}"})
"""They tell of this machine, not of a table; and a report, how far its engine has come."""


class Clock:
    """Time that passes when it is told to; the date goes with it."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now

    def time(self) -> float:
        return DATE + self.now


class SimulatedTable(HandTable):
    """A table whose time is said, not measured."""

    clock = 100.0

    def now(self) -> float:
        return self.clock


def evening(folder: Path) -> tuple[Entry, ...]:
    """Two matches in simulated time, with what spectators are not told: calls, alerts, stops."""
    table = SimulatedTable(folder)
    table.beating = False
    chance = random.Random(11)
    for number in range(2):
        names = {"white": f"Mahsa {number}", "black": "Jan"}
        for moment in air.three_games(table, names, f"Cup {number}", turns=10):
            table.clock += chance.choice([0.4, 2.0, 7.0, 25.0])
            if moment.startswith("played") and chance.random() < 0.2:
                table.order("call_director", side="white")
                table.clock += 3.0
    table.close()
    with Reader(table.journal) as reader:
        return tuple(replace(e, wall=DATE + e.at) for e in reader.read())


def _at(entry: Entry) -> float:
    return entry.at


class Shown:
    """A record that ends where its world's knowledge does; also who reads it."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries, self.until = entries, 0.0

    def known(self, since: int = 0) -> list[Entry]:
        """What is known after an entry; an entry's number is its place."""
        return list(self.entries[since : bisect_right(self.entries, self.until, key=_at)])

    def rows(self, since: int = 0, limit: int | None = None) -> Iterator[Any]:
        for entry in self.known(since)[:limit]:
            row = json.loads(entry.text)
            yield {**row, "at": entry.at, "wall": entry.wall, "hash": entry.hash}

    def cursor(self, after: tuple[int, str] = (0, GENESIS)) -> Reading:
        if after[0] > len(self.known()):
            raise JournalError("no such entry")
        return Reading(self, after[0])


class Reading:
    def __init__(self, shown: Shown, seq: int) -> None:
        self.shown, self.seq = shown, seq

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def read(self, most: int | None = None) -> tuple[Entry, ...]:
        new = tuple(self.shown.known(self.seq)[:most])
        self.seq = new[-1].seq if new else self.seq
        return new


class Line:
    """A table that says how it is, and answers no questions."""

    up = True

    async def ask(self, *_: object) -> object:
        raise TableDownError

    async def order(self, *_: object) -> Any:
        raise NotImplementedError


class World:
    """A page over the evening; `knows` says up to when its table's record and voice go."""

    def __init__(self, folder: Path, entries: Sequence[Entry]) -> None:
        folder.mkdir()
        self.app = create_app(WebConfig(folder / "t1.journal", folder / "t1.sock"))
        self.record, self.state = Shown(entries), State()
        for feed in FEEDS:
            self.app.state.delays.set(feed, Delay(LATE_S))
        self.desk = Desk("t1", self.record, Line(), self.app.state.delays)
        self.app.state.desks["t1"] = self.desk
        transport = httpx.ASGITransport(self.app, client=("127.0.0.1", 5))
        self.client = httpx.AsyncClient(transport=transport, base_url="http://localhost")

    def goes_on(self, at: float, knows: float) -> None:
        """It is `at`; the table tells what it was at `knows`, and nothing younger."""
        self.record.until = knows
        self.state = replay(self.record.known(self.state.seq), self.state)
        self.desk.on_state(table_document(self.state, at))
        self.desk.beat()

    async def answer(self, method: str, path: str, headers: dict[str, str]) -> tuple[Any, ...]:
        got = await self.client.request(method, path, headers={**VIA, **headers})
        return got.status_code, sorted(got.headers.multi_items()), got.content

    def feeds(self) -> list[tuple[Any, ...]]:
        """What sockets and streams would send, with their counters."""
        return [(feed, self.desk.feeds[feed].number, self.desk.feeds[feed].text) for feed in FEEDS]


def addresses() -> list[str]:
    """Every address that a guest may read, with the questions it may be asked."""
    out = []
    for (method, path), right in ROUTES.items():
        if method != "GET" or right not in PUBLIC or path.endswith(ENDLESS):
            continue
        if path in NEVER_THE_SAME or path.startswith("/api/v1/me"):
            continue
        whole = path.replace("{table}", "t1").replace("{code}", "fa").replace("{name}", "club")
        whole = whole.replace("{number}", "1").replace("{step}", "3").replace("{ending}", "mat")
        out.append(whole.replace("{file}", "club.png"))
        if "t1" in whole or path.startswith(("/overlay.", "/state", "/board.", "/score.")):
            out += [f"{whole}?at=1e8", f"{whole}?feed=overlay", f"{whole}?since=3&limit=50"]
    return out


def test_every_answer_is_what_could_be_told_without_the_last_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(desk, "time", clock)
    monkeypatch.setattr(delay, "time", clock)
    entries, chance = evening(tmp_path), random.Random(5)
    live, blind = World(tmp_path / "live", entries), World(tmp_path / "blind", entries)
    last, asked = entries[-1].at + LATE_S + 30, addresses()
    instants = sorted(chance.uniform(entries[0].at, last) for _ in range(INSTANTS))
    clock.now = 0.0

    async def all_instants() -> set[str]:
        seen = set()
        for n, at in enumerate(instants):
            clock.now = at
            live.goes_on(at, at)
            blind.goes_on(at, at - LATE_S)
            path = asked[n % len(asked)]
            method = "HEAD" if chance.random() < 0.05 else "GET"
            headers = {"accept-encoding": chance.choice(["gzip", "identity"])}
            both = [await world.answer(method, path, headers) for world in (live, blind)]
            assert both[0] == both[1], f"{method} {path} at {at}"
            assert live.feeds() == blind.feeds(), f"a feed at {at}"
            seen.add(path)
        return seen

    seen = asyncio.run(all_instants())
    assert len(asked) > INSTANTS or seen == set(asked)
    assert "Mahsa 1" in live.feeds()[0][2], "something was told in the end"


def test_the_halls_wall_is_no_younger_than_its_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same of the hall: cards, frames and their numbers."""
    clock = Clock()
    monkeypatch.setattr(delay, "time", clock)
    monkeypatch.setattr(wall_module, "time", clock)
    entries, chance = evening(tmp_path), random.Random(6)
    halls = Delays(tmp_path / "delay.json")
    halls.set("public", Delay(LATE_S))
    late = {"t1": TableDelays(halls, tmp_path / "t1.json")}
    late["t1"].told(dict.fromkeys(FEEDS, LATE_S))
    clock.now = LATE_S + 1
    cards: list[Any] = []
    walls = {"live": PublicWall(), "blind": PublicWall()}
    instants = sorted(chance.uniform(entries[0].at, entries[-1].at + 99) for _ in range(INSTANTS))
    last = instants[-1] / 2
    state, told, given = State(), 0, dict[str, TableView]()
    for at in instants:
        clock.now = at
        new = bisect_right(entries, at, key=_at)
        state = replay(entries[told:new], state)
        view = TableView("t1", state, epoch=1, heard=at, moved=at)
        for name, wall in walls.items():
            # From the middle on the blind one is told nothing more.
            changed = name == "live" or at <= last
            if changed:
                given[name] = view
            wall.beat(
                {"t1": card(view, at)} if changed and new > told else {},
                {"t1": given[name]},
                late,
                at,
            )
        told = new
        texts = [wall.feed.since(0)["text"] for wall in walls.values()]
        if at <= last + LATE_S:
            assert texts[0] == texts[1] and walls["live"].feed.number == walls["blind"].feed.number
        cards = json.loads(texts[0]).get("cards", [])
        oldest = bisect_right(entries, at - LATE_S, key=_at)
        assert all(shown["seq"] <= oldest for shown in cards), at
        seen = walls["live"].views.get("t1")
        assert seen is None or seen.state.at <= at - LATE_S
    assert cards, "something was told in the end"

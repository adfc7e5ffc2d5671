"""A hall's tables at another host: what leaves the club goes to the relay, whoever watches."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.web.relay import PublicRelay, into_folder
from tests.service.hall.served import ServedHall, await_true
from tests.service.web.test_relay import VIEWERS, Host


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[ServedHall]:
    served = ServedHall(tmp_path)
    yield served
    served.close()


@dataclass
class Leaving:
    """What a hall's server sends: bytes to each program, and how often each path was asked."""

    bytes: Counter[str]
    asked: Counter[str]


@contextmanager
def what_leaves(hall: ServedHall) -> Iterator[Leaving]:
    """Counts on connections that are opened meanwhile."""
    found, app = Leaving(Counter(), Counter()), hall.server.config.loaded_app

    async def counted(scope: Any, receive: Any, send: Any) -> None:
        agent = dict(scope.get("headers", ())).get(b"user-agent", b"").decode()
        found.asked[scope.get("path", "")] += 1

        async def sent(message: Any) -> None:
            found.bytes[agent] += len(message.get("body", b""))
            await send(message)

        await app(scope, receive, sent)

    hall.server.config.loaded_app = counted
    yield found
    hall.server.config.loaded_app = app


def test_a_relay_keeps_every_table_of_the_hall_and_its_matches(
    hall: ServedHall, tmp_path: Path
) -> None:
    """One reader of the hall, whoever watches; its overlay has themes and pictures as a table's."""
    for name in ("r1", "r2"):
        hands = hall.seat(name).hands
        hands.order("set_match", white=f"Mahsa of {name}", black="Jan", length=1)
        hands.order("start_game")
        hands.order("declare_roll", white=[6], black=[2])
        hands.order("resign", side="white", level=1)
        hands.order("accept_resignation", side="black")
    folder = tmp_path / "site"
    folder.mkdir()
    relay = PublicRelay(hall.url, into_folder(folder))
    reading = threading.Thread(target=relay.run, daemon=True)
    site = Host(folder)

    def kept(kind: str) -> str:
        return "".join(path.read_text() for path in folder.glob(f"{kind}/r*.json"))

    with what_leaves(hall) as left:
        reading.start()
        await_true(lambda: all(f"Mahsa of {name}" in kept("matches") for name in ("r1", "r2")))
        assert all(f"Mahsa of {name}" in kept("tables") for name in ("r1", "r2"))
        unwatched = left.asked.copy()
        assert unwatched["/api/v1/tables/r1/events"] == 1 and left.bytes.total() > 1000
        with ThreadPoolExecutor(8) as crowd, httpx.Client(base_url=site.url) as viewer:
            paths = ["/", "/tables.json", "/tables/r1.json", "/tables/r2.json", "/matches/r1.json"]
            asked = crowd.map(lambda i: viewer.get(paths[i % 5]).status_code, range(VIEWERS))
            assert [*asked] == [200] * VIEWERS
            hall.tables["r1"].hands.order("set_match", white="Reza", black="Jan", length=3)
            await_true(lambda: "Reza" in viewer.get("/tables/r1.json").text)
        # Nobody but the relay was sent a byte, and it followed each table once all the while.
        assert {agent.partition("/")[0] for agent in left.bytes} == {"Python-urllib"}
        assert {path: n for path, n in left.asked.items() if path.endswith("/events")} == {
            path: n for path, n in unwatched.items() if path.endswith("/events")
        }
    relay.stop.set()
    reading.join(10)
    site.close()
    assert httpx.get(f"{hall.url}/themes/club.json").json()["error"]["code"] == "no_theme"
    assert httpx.get(f"{hall.url}/board.png?table=r2").headers["content-type"] == "image/png"

"""The hall's pages and routes over real tables: joining, the wall, orders from afar, rounds,
overlays, the archive.
"""

from __future__ import annotations

import asyncio
import io
import json
import random
import re
import sqlite3
import urllib.request
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from rules.words import languages
from service.hall.api import Api
from service.hall.command import rebuild
from service.hall.model import Model
from service.hall.routes import RIGHTS
from service.hall.tournament import Director
from service.journal.entries import Frozen
from service.journal.store import Reader
from service.record.command import main as journal_command
from service.web.rights import WEBSOCKET
from tests.service.hall.served import ServedHall, await_true
from tests.service.web.described import misfits


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHall]:
    served = ServedHall(tmp_path_factory.mktemp("hall"))
    for name in ("t1", "t2"):
        served.seat(name)
    yield served
    served.close()


def get(hall: ServedHall, path: str, **more: Any) -> httpx.Response:
    return httpx.get(hall.url + path, **more)


def cards(hall: ServedHall) -> dict[str, Any]:
    return {c["table"]: c for c in get(hall, "/api/v1/hall/wall").json()["cards"]}


def test_every_route_has_a_right_and_every_right_a_route(hall: ServedHall) -> None:
    def walk(routes: list[Any]) -> Iterator[tuple[str, str]]:
        for route in routes:
            if hasattr(route, "methods") and route.methods:
                yield from ((m, route.path) for m in route.methods if m != "HEAD")
            elif hasattr(route, "path") and type(route).__name__ == "APIWebSocketRoute":
                yield WEBSOCKET, route.path
            elif hasattr(route, "original_router"):
                yield from walk(route.original_router.routes)

    known = set(walk(hall.app.routes))
    assert known and known <= set(RIGHTS)


def test_a_table_that_joined_is_on_the_wall_and_moves(hall: ServedHall) -> None:
    hall.table("t1").begin("Mahsa", "Jan")
    await_true(lambda: cards(hall).get("t1", {}).get("names") == ["Mahsa", "Jan"])
    before = cards(hall)["t1"]
    hall.table("t1").turn()
    await_true(
        lambda: (
            cards(hall)["t1"]["seq"] > before["seq"]
            and cards(hall)["t1"]["white"] != before["white"]
        )
    )
    assert cards(hall)["t1"]["matters"] == [] and not cards(hall)["t1"]["silent"]
    state = get(hall, "/api/v1/tables/t1/state").json()
    assert (
        state["view"] == "staff"
        and state["connected"]
        and state["match"]["players"]["white"]["name"] == "Mahsa"
    )
    history = get(hall, "/api/v1/tables/t1/entries").text.splitlines()
    assert len(history) == state["seq"]


def test_what_lies_beside_a_table_s_own_journal_is_not_here(hall: ServedHall) -> None:
    hall.table("t1")
    await_true(lambda: get(hall, "/api/v1/tables/t1/entries/1").status_code == 200)
    for path in ("camera.jpg", "pictures/p1", "pictures/..%2ftable"):
        answer = get(hall, f"/api/v1/tables/t1/{path}")
        assert answer.status_code == 404 and answer.json()["error"]["expected"], path


def test_a_ruling_travels_to_the_table_and_comes_back_as_its_own_entry(hall: ServedHall) -> None:
    hall.table("t2").begin("Ada", "Bob")
    await_true(
        lambda: (
            cards(hall).get("t2", {}).get("names") == ["Ada", "Bob"]
            and not cards(hall)["t2"]["silent"]
        )
    )
    answer = httpx.post(
        f"{hall.url}/api/v1/tables/t2/orders",
        json={"order": "freeze", "args": {"reason": "a dispute"}},
        timeout=20,
    )
    assert answer.status_code == 200, answer.text
    entry = hall.table("t2").hands.store_entry(answer.json()["seq"])
    assert (
        isinstance(entry.body, Frozen)
        and entry.body.reason == "a dispute"
        and entry.by.name == "console, hall"
    )
    await_true(lambda: cards(hall)["t2"]["need"] == 3)
    assert [m["code"] for m in cards(hall)["t2"]["matters"]] == ["frozen"]
    assert next(iter(cards(hall))) == "t2" or cards(hall)["t2"]["need"] > cards(hall)["t1"]["need"]
    sent = get(hall, "/api/v1/hall/commands?table=t2").json()["commands"][0]
    assert (
        sent["what"] == "freeze"
        and sent["outcome"] == "done"
        and sent["detail"] == str(answer.json()["seq"])
    )
    refused = httpx.post(
        f"{hall.url}/api/v1/tables/t2/orders",
        json={"order": "offer", "args": {"side": "white"}},
        timeout=20,
    )
    assert refused.status_code == 409
    assert get(hall, "/api/v1/hall/commands?table=t2").json()["commands"][0]["outcome"] == "refused"
    assert (
        httpx.post(
            f"{hall.url}/api/v1/tables/t2/orders", json={"order": "unfreeze"}, timeout=20
        ).status_code
        == 200
    )
    await_true(lambda: cards(hall)["t2"]["need"] == 0)


def test_a_table_that_is_not_there_is_told_nothing_and_says_so(hall: ServedHall) -> None:
    hall.code("t9")
    answer = httpx.post(f"{hall.url}/api/v1/tables/t9/orders", json={"order": "freeze"}, timeout=20)
    assert answer.status_code in (404, 503)


def test_guests_see_no_alarm_and_may_do_nothing(hall: ServedHall) -> None:
    hall.app.state.hall.delays.set("public", type(hall.app.state.hall.delays["public"])())
    other = {"host": f"192.0.2.7:{hall.port}"}
    wall = httpx.get(f"{hall.url}/api/v1/hall/wall", headers=other).json()
    assert wall["cards"] and all(c["need"] == 0 and c["matters"] == [] for c in wall["cards"])
    for method, path in RIGHTS:
        if (
            path.startswith("/api/v1/hall")
            and method in ("POST", "PUT")
            and path != "/api/v1/hall/join"
        ):
            at = path.replace("{number}", "1")
            assert (
                httpx.request(method, hall.url + at, headers=other, json={}).status_code == 401
            ), path
    assert httpx.get(f"{hall.url}/api/v1/hall/archive.zip", headers=other).status_code == 401


def test_pairings_go_in_and_results_come_out(hall: ServedHall) -> None:
    text = "round,table,white,black,length\n1,t1,Mahsa,Jan,7\n1,t2,Ada,Bob,7\n2,t1,=Eve,Omid,5\n"
    assert httpx.post(f"{hall.url}/api/v1/hall/rounds", json={"text": text}).json() == {
        "pairings": 3
    }
    wrong = httpx.post(f"{hall.url}/api/v1/hall/rounds", json={"text": "round,table,white\n"})
    assert wrong.status_code == 422 and "black" in wrong.json()["error"]["expected"]
    hall.table("t1").win("black")
    await_true(lambda: _result(hall, 1, "t1")["state"] == "finished")
    found = _result(hall, 1, "t1")
    assert found["winner"] == "Jan"
    assert _result(hall, 2, "t1")["state"] == "waiting"
    told = httpx.post(f"{hall.url}/api/v1/hall/rounds/2/begin", json={}, timeout=20).json()[
        "tables"
    ]
    assert told[0]["ok"], told
    await_true(lambda: _result(hall, 2, "t1")["state"] == "playing")
    csv = get(hall, "/api/v1/hall/results.csv").text
    assert csv.startswith("round,table,white,black,length,white_score") and "'=Eve" in csv


def _result(hall: ServedHall, number: int, table: str) -> dict[str, Any]:
    rows = get(hall, "/api/v1/hall/results.json").json()["results"]
    return next(dict(r) for r in rows if (r["round"], r["table"]) == (number, table))


def test_a_screen_follows_whatever_table_it_is_given(hall: ServedHall) -> None:
    httpx.put(f"{hall.url}/api/v1/hall/overlays", json={"screen": "main", "table": "t2"})
    assert get(hall, "/api/v1/hall/overlays?screen=main").json() == {"table": "t2"}
    assert '"table": "t2"' in get(hall, "/air/main").text
    httpx.put(f"{hall.url}/api/v1/hall/overlays", json={"screen": "main", "table": "t1"})
    assert '"table": "t1"' in get(hall, "/air/main").text
    assert (
        httpx.put(
            f"{hall.url}/api/v1/hall/overlays", json={"screen": "main", "table": "t99"}
        ).status_code
        == 404
    )
    assert get(hall, "/overlay.json?table=t2").json()["view"] == "public"


def test_the_archive_holds_every_table_as_it_sealed_it(hall: ServedHall, tmp_path: Path) -> None:
    text = "round,table,white,black\n1,t1,Mahsa,Jan\n"
    httpx.post(f"{hall.url}/api/v1/hall/rounds", json={"text": text}).raise_for_status()
    if not hall.table("t1").hands.state.seq:
        hall.table("t1").begin("Mahsa", "Jan")
    await_true(lambda: hall.caught_up("t1") and hall.caught_up("t2"))
    data = get(hall, "/api/v1/hall/archive.zip", timeout=60).content
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = set(archive.namelist())
        wanted = {"README.txt", "results.csv", "refusals.json", "commands.json"}
        assert wanted | {"tables/t1/journal.ndjson", "tables/t2/score-sheets.json"} <= names
        for name, path in {
            "tables/t1/t1.journal": "made.journal",
            "tables/t1/witness.json": "witness.json",
            "hall.journal": "hall.journal",
        }.items():
            (tmp_path / path).write_bytes(archive.read(name))
        assert json.loads(archive.read("results.json"))["results"]
    verify = [
        ["made.journal", "--witness", str(tmp_path / "witness.json")],
        ["hall.journal"],
    ]
    for journal, *more in verify:
        assert journal_command(["verify", str(tmp_path / journal), *more]) == 0
    single = get(hall, "/api/v1/tables/t1/export.zip", timeout=60).content
    assert "tables/t1/t1.journal" in zipfile.ZipFile(io.BytesIO(single)).namelist()
    assert get(hall, "/sheet/t1").status_code == 200
    with Reader(tmp_path / "made.journal") as reader, Reader(hall.table("t1").journal) as own:
        made, kept = reader.read(), own.read()
    assert made and made == kept
    assert sqlite3.connect(tmp_path / "made.journal").execute(
        "PRAGMA integrity_check"
    ).fetchone() == ("ok",)


def test_two_may_ask_for_the_archive_at_once(hall: ServedHall) -> None:
    await_true(lambda: hall.caught_up("t1") and hall.caught_up("t2"))
    with ThreadPoolExecutor() as pool:
        both = list(
            pool.map(lambda _: get(hall, "/api/v1/hall/archive.zip", timeout=60).content, range(3))
        )
    assert all(zipfile.ZipFile(io.BytesIO(data)).testzip() is None for data in both)


def test_the_delay_of_the_public_wall_holds_cards_back(hall: ServedHall) -> None:
    kept = hall.app.state.hall.delays
    delay = type(kept["public"])
    other = {"host": f"192.0.2.7:{hall.port}"}

    def seen() -> int:
        """Number of the card that a guest is told who comes now, 0 for none."""
        told = httpx.get(f"{hall.url}/api/v1/hall/wall", headers=other).json()["cards"]
        return next((int(c["seq"]) for c in told if c["table"] == "t2"), 0)

    before = seen()
    kept.set("public", delay(3600))
    try:
        hall.table("t2").turn()
        await_true(lambda: cards(hall)["t2"]["seq"] > before and hall.caught_up("t2"))
        assert seen() == 0
    finally:
        kept.set("public", delay())
    await_true(lambda: seen() > before)


def test_a_hostile_page_or_name_is_not_let_in(hall: ServedHall) -> None:
    foreign = httpx.post(
        f"{hall.url}/api/v1/hall/codes",
        json={"table": "t5"},
        headers={"origin": "http://evil.example"},
    )
    assert foreign.status_code == 403
    assert httpx.get(hall.url, headers={"host": "evil.example"}).status_code == 421
    assert urllib.request.urlopen(hall.url).headers["content-security-policy"]
    assert httpx.post(f"{hall.url}/api/v1/hall/codes", json={"table": "../x"}).status_code == 422
    assert asyncio.run(_first_frame(hall))["cards"]


async def _first_frame(hall: ServedHall) -> Any:
    import websockets

    async with websockets.connect(f"ws://127.0.0.1:{hall.port}/api/v1/hall/live") as socket:
        return json.loads(await socket.recv())


def test_a_hall_that_was_stopped_makes_its_model_again_from_the_stream(tmp_path: Path) -> None:
    served = ServedHall(tmp_path)
    served.seat("t1").begin("Ava", "Ben")
    for _ in range(4):
        served.table("t1").turn()
    await_true(lambda: served.caught_up("t1"))
    config, mark = served.app.state.config, served.app.state.hall.model.fingerprint()
    served.close()
    said = asyncio.run(rebuild(config))
    assert said.startswith("1 tables") and "0 messages refused" in said
    model = Model(config.data / "model.db", "")
    assert model.fingerprint() == mark
    model.close()


def test_every_page_comes_in_every_language_and_says_nothing_of_elsewhere(hall: ServedHall) -> None:
    for path in ("/", "/hall", "/arbiter", "/table", "/docs", "/join", "/sign-in", "/air/nothing"):
        for lang, language in languages().items():
            page = get(hall, f"{path}?lang={lang}")
            assert page.status_code == 200 and f'dir="{language.direction}"' in page.text, path
            assert not re.search(r'(src|href)="(https?:)?//', page.text), (
                "a hall without internet is no case of its own"
            )
    described = get(hall, "/openapi.json").json()
    assert "/api/v1/hall/rounds" in described["paths"] and not misfits(described)


def test_a_command_that_nobody_answered_is_settled_by_the_table_s_next_word(
    hall: ServedHall,
) -> None:
    inner = hall.app.state.hall
    ident, _ = inner.registry.command("t1", "freeze", "Ava (arbiter)")
    inner._unanswered.add(ident)
    inner._record_outcome(ident, "unknown", "no answer")
    assert get(hall, "/api/v1/hall/commands?table=t1").json()["commands"][0]["outcome"] == "unknown"
    status = inner.view("t1").status
    hall.staged(lambda h: h.take_status(replace(status, answers=((ident, True, "unknown"),))))
    assert inner.registry.commands("t1")[0].outcome == "unknown", "the table does not know either"
    hall.staged(lambda h: h.take_status(replace(status, answers=((ident, True, "42"),))))
    assert (inner.registry.commands("t1")[0].outcome, inner.registry.commands("t1")[0].detail) == (
        "done",
        "42",
    )


def test_arguments_that_are_no_json_are_refused_and_not_sent(hall: ServedHall) -> None:
    body = b'{"order":"adjust_clock","args":{"side":"white","bank":NaN}}'
    answer = httpx.post(
        f"{hall.url}/api/v1/tables/t1/orders",
        content=body,
        headers={"content-type": "application/json"},
        timeout=20,
    )
    assert 400 <= answer.status_code < 500


def test_the_demonstration_s_director_sees_to_what_the_wall_says(hall: ServedHall) -> None:
    director = Director(Api(hall.url), 1, random.Random(1))
    table = hall.table("t2")
    table.hands.order("call_director", reason="a question")
    await_true(lambda: cards(hall)["t2"]["need"] == 3 and hall.caught_up("t2"))
    director._see_to(0.0)
    assert cards(hall)["t2"]["need"] == 3, "a person takes a while"
    director._see_to(100.0)
    await_true(lambda: cards(hall)["t2"]["need"] == 0)
    assert all(alert.acknowledged_by for alert in table.hands.state.alerts)

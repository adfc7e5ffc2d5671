"""What a hall tells to whom: nothing younger than the public's feed, and rights at one table end
there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from service.journal.entry import Role
from service.web.delay import Delay, Delays, delay_path
from service.web.policy import Visitor
from tests.service.hall.served import ServedHall, await_true


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedHall]:
    served = ServedHall(tmp_path_factory.mktemp("hall"))
    for name in ("t1", "t2"):
        served.seat(name)
    yield served
    served.close()


def result(hall: ServedHall, number: int, table: str) -> dict[str, Any]:
    rows = httpx.get(f"{hall.url}/api/v1/hall/results.json").json()["results"]
    return next(dict(r) for r in rows if (r["round"], r["table"]) == (number, table))


def test_results_are_as_late_as_the_public_wall(hall: ServedHall) -> None:
    kept = hall.app.state.hall.delays
    delay = type(kept["public"])
    other = {"host": f"192.0.2.7:{hall.port}"}
    text = "round,table,white,black,length\n7,t2,Ada,Bob,7\n"
    httpx.post(f"{hall.url}/api/v1/hall/rounds", json={"text": text})
    hall.table("t2").begin("Ada", "Bob")

    def told(where: str) -> tuple[str, ...]:
        rows = httpx.get(f"{hall.url}/api/v1/hall/{where}", headers=other).json()["results"]
        return next((r["winner"], r["state"]) for r in rows if r["round"] == 7)

    await_true(lambda: hall.caught_up("t2"))
    kept.set("public", delay(3600))
    try:
        before = told("results.json")
        hall.table("t2").win("white")
        await_true(lambda: result(hall, 7, "t2")["state"] == "finished")
        assert told("results.json") == told("rounds") == before
        csv = httpx.get(f"{hall.url}/api/v1/hall/results.csv", headers=other).text
        assert "finished" not in next(line for line in csv.splitlines() if line.startswith("7,"))
    finally:
        kept.set("public", delay())
    await_true(lambda: told("results.json")[1] == "finished")


def test_who_comes_after_the_delay_was_raised_is_told_nothing(hall: ServedHall) -> None:
    kept = hall.app.state.hall.delays
    other = {"host": f"192.0.2.7:{hall.port}"}

    def wall() -> dict[str, Any]:
        found: dict[str, Any] = httpx.get(f"{hall.url}/api/v1/hall/wall", headers=other).json()
        return found

    await_true(lambda: len(wall()["cards"]) == 2)
    kept.set("public", type(kept["public"])(3600))
    try:
        await_true(lambda: not wall()["cards"])
        assert wall()["hall"]["delay"] == 3600
    finally:
        kept.set("public", type(kept["public"])())
    await_true(lambda: len(wall()["cards"]) == 2)


def test_a_tables_own_delay_holds_at_the_hall_too(hall: ServedHall) -> None:
    seated, own = hall.table("t2"), Delays(delay_path(hall.table("t2").folder))
    other = {"host": f"192.0.2.7:{hall.port}"}

    def seen(table: str, what: str = "state") -> dict[str, Any]:
        url = f"{hall.url}/api/v1/tables/{table}/{what}"
        return dict(httpx.get(url, headers=other).json())

    def walled() -> set[str]:
        found = httpx.get(f"{hall.url}/api/v1/hall/wall", headers=other).json()
        return {card["table"] for card in found["cards"]}

    seated.begin("Cyrus", "Dara")
    await_true(lambda: seen("t2").get("seq") == seated.hands.state.seq)
    text = "round,table,white,black,length\n8,t2,Cyrus,Dara,7\n"
    httpx.post(f"{hall.url}/api/v1/hall/rounds", json={"text": text})

    def told() -> str:
        rows = httpx.get(f"{hall.url}/api/v1/hall/results.json", headers=other).json()["results"]
        return str(next(r["state"] for r in rows if r["round"] == 8))

    await_true(lambda: told() == "playing")
    own.set("public", Delay(3600))
    try:
        await_true(lambda: seen("t2")["delay_s"] == 3600)
        before = seen("t2")
        assert before["held_s"] > 3500 and before["seq"] == 0
        seated.turn()
        seated.win("white")
        await_true(lambda: hall.caught_up("t2"))
        await_true(lambda: result(hall, 8, "t2")["state"] == "finished")
        assert seen("t2")["seq"] == 0 and told() == "playing"
        assert walled() == {"t1"} and "held_s" not in seen("t1")
    finally:
        own.set("public", Delay())
    await_true(lambda: seen("t2").get("seq") == seated.hands.state.seq)
    await_true(lambda: told() == "finished" and walled() == {"t1", "t2"})


EVERYWHERE = [
    ("PUT", "/api/v1/accounts/sara", {"role": "director", "password": "a long sentence"}),
    ("PUT", "/api/v1/accounts/director", {"role": "director", "password": "a long sentence"}),
    ("POST", "/api/v1/pairings", {"role": "arbiter", "table": "t2"}),
    ("PUT", "/api/v1/delays/public", {"seconds": 0}),
    ("POST", "/api/v1/hall/codes", {"table": "t2"}),
    ("POST", "/api/v1/hall/retire", {"table": "t2"}),
    ("POST", "/api/v1/hall/rounds", {"text": ""}),
    ("PUT", "/api/v1/hall/overlays", {"screen": "main", "table": "t1"}),
    ("GET", "/api/v1/hall/archive.zip", None),
    ("GET", "/metrics", None),
]


@pytest.mark.parametrize(("method", "path", "body"), EVERYWHERE, ids=lambda v: str(v)[:40])
def test_a_director_of_one_table_is_no_director_of_the_hall(
    hall: ServedHall, method: str, path: str, body: dict[str, Any] | None
) -> None:
    visitor = Visitor("omid", Role.DIRECTOR, None, frozenset({"t1"}))
    token = hall.app.state.access.open_session(visitor)
    headers = {"authorization": f"Bearer {token}", "host": f"192.0.2.7:{hall.port}"}
    answer = httpx.request(method, hall.url + path, json=body, headers=headers)
    assert answer.status_code == 403, answer.text


def test_an_official_of_one_table_is_told_of_that_table_alone(hall: ServedHall) -> None:
    visitor = Visitor("nora", Role.ARBITER, None, frozenset({"t1"}))
    token = hall.app.state.access.open_session(visitor)
    headers = {"authorization": f"Bearer {token}", "host": f"192.0.2.7:{hall.port}"}
    httpx.post(f"{hall.url}/api/v1/tables/t2/orders", json={"order": "freeze", "args": {}})
    for what in ("boards", "commands", "refusals"):
        rows = httpx.get(f"{hall.url}/api/v1/hall/{what}", headers=headers).json()[what]
        assert {row["table"] for row in rows} <= {"t1"}, what
        assert httpx.get(f"{hall.url}/hall", headers=headers).status_code == 200


def test_a_hall_and_a_table_keep_their_sessions_apart_in_one_browser(hall: ServedHall) -> None:
    access, secret = hall.app.state.access, "a long enough password"
    access.set_account("mahsa", secret, Role.ARBITER, None)
    answer = httpx.post(
        f"{hall.url}/api/v1/sign-in",
        json={"name": "mahsa", "password": secret},
        headers={"host": f"192.0.2.7:{hall.port}"},
        timeout=20,
    )
    kept = answer.headers.get_list("set-cookie")
    session = next(c for c in kept if c.startswith("takhte-hall="))
    assert "httponly" in session.lower() and "samesite=strict" in session.lower()
    assert not any(c.startswith("takhte=") for c in kept)
    there = {"host": f"192.0.2.7:{hall.port}"}
    token = session.partition("=")[2].partition(";")[0]
    for name, role in (("takhte-hall", "arbiter"), ("takhte", "guest")):
        me = httpx.get(f"{hall.url}/api/v1/me", headers={**there, "cookie": f"{name}={token}"})
        assert me.json()["role"] == role


def test_a_picture_that_is_kept_at_the_table_comes_when_it_is_asked_for(hall: ServedHall) -> None:
    """Also one of several parts; for staff alone, and from a table that is there."""
    table = hall.table("t1")
    jpeg = b"\xff\xd8" + bytes(range(256)) * 2400
    table.hands.pictures.keep("000007-played", jpeg, time.time())
    path = f"{hall.url}/api/v1/tables/t1/pictures/000007-played"
    await_true(lambda: httpx.get(path).status_code == 200)
    answer = httpx.get(path)
    assert answer.content == jpeg and answer.headers["content-type"] == "image/jpeg"
    assert httpx.get(path, headers={"via": "1.1 proxy"}).status_code in (401, 403)
    assert not [
        c
        for c in httpx.get(f"{hall.url}/api/v1/hall/commands").json()["commands"]
        if "pict" in c["what"]
    ]
    hall.code("t8")
    assert httpx.get(path.replace("t1", "t8")).status_code in (404, 503)

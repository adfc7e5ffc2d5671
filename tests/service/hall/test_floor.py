"""A tournament run over the hall's routes with tables worked by hand: matches are called, results
come in by themselves, a mistake is taken back, a hall that comes back has lost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.hall.book import TournamentBook
from service.journal.keys import HALL_JOURNAL
from service.journal.store import Reader
from service.tournament.stages import tournament_of
from service.web.delay import Delay
from tests.service.hall.served import ServedHall, await_true

API = "/api/v1/hall/tournament"
PLAYERS = "Ada,Shiraz,1700\nBob,Shiraz,1650\nMahsa Rahimi,,1600\nJan de Vries\nEve\nCem\n"
EVENT = '[match]\nlength = 5\n[play]\nmonitor = "arbiter"\n'


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[ServedHall]:
    served = ServedHall(tmp_path)
    for name in ("t1", "t2"):
        served.seat(name)
    yield served
    served.close()


def say(hall: ServedHall, path: str, body: Any = None, method: str = "POST") -> dict[str, Any]:
    answer = httpx.request(method, hall.url + API + path, json=body, timeout=30)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def seen(hall: ServedHall, host: str = "") -> dict[str, Any]:
    headers = {"host": f"{host}:{hall.port}"} if host else {}
    found: dict[str, Any] = httpx.get(hall.url + API, headers=headers, timeout=30).json()
    return found


def matches(hall: ServedHall, number: int = -1) -> dict[str, dict[str, Any]]:
    return {m["id"]: m for m in seen(hall)["rounds"][number]["matches"]}


def opened(hall: ServedHall, *stages: dict[str, Any]) -> None:
    stage = {"system": "swiss", "rounds": 2, "length": 3, "event": EVENT}
    say(hall, "", {"name": "Open", "stages": list(stages) or [stage], "pool": 100, "prizes": [100]})
    say(hall, "/players", {"text": PLAYERS})


def playing(hall: ServedHall, table: str) -> dict[str, Any]:
    """The match that a table was told, once it stands there."""
    await_true(lambda: any(m["table"] == table for m in matches(hall).values()))
    match = next(m for m in matches(hall).values() if m["table"] == table and m["state"] != "over")
    hands = hall.table(table).hands
    await_true(lambda: hands.state.match.names.white == match["first"] or match["problem"])
    assert hands.state.match.names.white == match["first"], match["problem"]
    return match


def begin(hall: ServedHall, table: str) -> None:
    hands = hall.table(table).hands
    with hands.lock:
        hands.order("start_game")
        hands.order("declare_roll", white=[3], black=[1])


def test_a_round_from_entries_to_standings(hall: ServedHall) -> None:
    opened(hall)
    assert seen(hall)["next"] == ""
    await_true(lambda: len(seen(hall)["free"]) == 2)
    found = say(hall, "/next")
    assert [m["state"] for m in found["rounds"][0]["matches"]].count("waiting") == 1
    first, second = playing(hall, "t1"), playing(hall, "t2")
    setting = hall.table("t1").hands.state.match
    assert setting.length == 3 and setting.event.monitor.value == "arbiter"
    assert setting.due is not None, "who is late is counted by the table's clock"

    # A result comes in by itself, and the next match is called to the table that is free.
    begin(hall, "t1")
    await_true(lambda: matches(hall)[first["id"]]["state"] == "playing")
    hall.table("t1").win("black")
    await_true(lambda: matches(hall)[first["id"]]["ending"] == "second")
    third = playing(hall, "t1")
    assert third["id"] not in (first["id"], second["id"])
    wall = httpx.get(f"{hall.url}/api/v1/hall/wall").json()["hall"]
    assert {"round": 1, "matches": 3}.items() <= wall["event"].items()

    # By hand, and a mistake taken back: the table's own record is asked no more.
    say(hall, f"/matches/{third['id']}/result", {"ending": "drawn"})
    say(hall, f"/matches/{first['id']}/result", {"reason": "sat wrongly"}, "DELETE")
    assert matches(hall)[first["id"]]["state"] != "over"
    refused = httpx.post(hall.url + API + "/next", timeout=30)
    assert refused.status_code == 409 and "without a result" in refused.text
    say(hall, f"/matches/{first['id']}/result", {"ending": "first", "score": [3, 1]})
    begin(hall, "t2")
    hall.table("t2").win("white")
    await_true(lambda: seen(hall)["finished"] == 3)
    lines = {line["name"]: line["points"] for line in seen(hall)["stages"][0]["tables"][0]}
    assert lines[first["first"]] == 1.0 and lines[third["first"]] == 0.5

    # Who leaves is paired no more; the day goes to its end.
    say(hall, "/players/Eve/leave")
    say(hall, "/players", {"text": "Late Comer"})
    found = say(hall, "/next")
    paired = {n for m in found["rounds"][1]["matches"] for n in (m["first"], m["second"])}
    assert "Eve" not in paired and "Late Comer" in paired
    for ident, match in matches(hall).items():
        if match["state"] != "bye":
            say(hall, f"/matches/{ident}/result", {"ending": "first", "walkover": True})
    found = seen(hall)
    assert found["over"] and sum(x["prize"] for x in found["entrants"]) == 100
    assert "over" in found["next"]
    csv = httpx.get(hall.url + API + "/standings.csv").text.splitlines()
    assert len(csv) == 8 and csv[0].startswith("place,name")

    # What was done is the journal's, sealed; who comes back has all of it.
    with Reader(hall.folder / "hall" / HALL_JOURNAL) as reader:
        kept = reader.read()
        assert reader.broken is None
    assert tournament_of(entry.body for entry in kept) == hall.app.state.hall.floor.book.day
    acts = [act["kind"] for act in found["acts"]]
    assert acts[0] == "result_entered" and "result_taken_back" in acts


def test_what_a_table_reported_is_told_to_guests_as_late_as_its_feed(hall: ServedHall) -> None:
    delays = hall.app.state.hall.delays
    opened(hall)
    await_true(lambda: len(seen(hall)["free"]) == 2)
    say(hall, "/next")
    first = playing(hall, "t1")
    delays.set("public", Delay(3600))
    hall.table("t1").win("white")
    await_true(lambda: matches(hall)[first["id"]]["state"] == "over")
    guest = seen(hall, "192.0.2.7")
    told = {m["id"]: m for m in guest["rounds"][0]["matches"]}[first["id"]]
    assert told["state"] != "over" and told["ending"] == "" and guest["finished"] == 0
    assert guest["acts"] == [] and guest["free"] == []
    delays.set("public", Delay())
    await_true(lambda: seen(hall, "192.0.2.7")["finished"] == 1)
    for path, body in (("/next", None), ("", {"name": "x", "stages": [{"system": "single"}]})):
        answer = httpx.post(
            hall.url + API + path, json=body, headers={"host": f"192.0.2.7:{hall.port}"}
        )
        assert answer.status_code == 401


def test_a_match_goes_to_another_table_and_a_wrong_word_is_refused(hall: ServedHall) -> None:
    opened(hall, {"system": "single"})
    await_true(lambda: len(seen(hall)["free"]) == 2)
    found = say(hall, "/next")
    by_table = {m["table"]: m for m in found["rounds"][0]["matches"]}
    moved = by_table["t1"]["id"]
    for path, body, status in (
        (f"/matches/{moved}/seat", {"table": "t2"}, 409),
        (f"/matches/{moved}/seat", {"table": "t99"}, 404),
        (f"/matches/{moved}/result", {"ending": "drawn"}, 409),
        ("/matches/7.7/result", {"ending": "first"}, 409),
        ("/players", {"text": "Ada"}, 409),
        ("/players", {"text": "name;rating\nZoe;high"}, 409),
        ("/players/Nobody/leave", None, 409),
        ("/players/Ada/dance", None, 404),
        ("", {"name": "x", "stages": [{"system": "swiss"}]}, 409),
        ("", {"name": "x", "stages": [{"system": "single", "event": "nonsense = 1"}]}, 422),
    ):
        answer = httpx.post(hall.url + API + path, json=body, timeout=30)
        assert answer.status_code == status, (path, answer.text)
        assert answer.json()["error"]["expected"]
    before = seen(hall)
    playing(hall, "t1")
    hall.seat("t3")
    await_true(
        lambda: any(m["table"] == "t3" for m in matches(hall).values()) or seen(hall)["free"]
    )
    say(hall, "/back")
    assert seen(hall)["rounds"] == [] and before["rounds"]


def test_a_hall_that_was_killed_goes_on_with_its_tournament(
    hall: ServedHall, tmp_path: Path
) -> None:
    opened(hall)
    before = hall.app.state.hall.floor.book.day
    kept = tmp_path / "copy"
    kept.mkdir()
    for path in (tmp_path / "hall").glob(f"{HALL_JOURNAL}*"):
        (kept / path.name).write_bytes(path.read_bytes())
    book = TournamentBook(kept)
    assert book.day == before and len(book.day.entrants) == 6
    book.close()

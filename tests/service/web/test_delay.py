"""Nothing public is younger than the delay: the sums, and every public route against the live
state.
"""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.sync.client import connect

from service.journal.chain import Entry
from service.journal.store import Reader
from service.referee.fold import replay
from service.referee.state import State
from service.show.compose import table_document
from service.show.document import StateDocument
from service.web.app import create_app
from service.web.broadcast import lines
from service.web.chronicle import Chronicle
from service.web.config import WebConfig
from service.web.delay import LONGEST, Cut, Delay, Delays, Horizon, Past, TableTime
from service.web.policy import PUBLIC, Right
from service.web.rights import ENDLESS, ROUTES, WEBSOCKET
from service.web.view import visible
from tests.service.table.world import until
from tests.service.web.hand import HandTable
from tests.service.web.serve import Served

PASS, AWAY = (
    st.tuples(st.just("pass"), st.floats(0, 500)),
    st.tuples(st.just("away"), st.floats(0, 500)),
)
DELAY, RESTART = (
    st.tuples(st.just("delay"), st.sampled_from([0.5, 1, 10, 300, 3600])),
    st.tuples(st.just("restart"), st.just(0.0)),
)
STEP = st.tuples(st.just("date set"), st.floats(-4000, 4000))


def walk(steps: list[tuple[str, float]]) -> None:
    """Whatever happens: an entry made t seconds ago by the world's watch is known only once t is
    the delay, and nothing is taken back.
    """
    horizon, table_time, last = Horizon(), TableTime(), Cut(float("-inf"), float("-inf"))
    now, at, date, total = 0.0, 0.0, 1e9, 10.0
    made: list[
        tuple[float, float, float]
    ] = []  # by the world's watch, by the table's time, by the machine's date
    table_time.heard(at, now)
    for what, value in steps:
        if what == "pass":  # the table runs, and says so
            now, at = now + value, at + value
            made.append((now, at, date + now))
            table_time.heard(at, now)
        elif what == "away":  # the world's time passes, the table's does not
            now += value
        elif what == "date set":
            date += value
        elif what == "delay":
            last = Cut(float("-inf"), float("-inf")) if value > total else last
            total = value
        else:  # the web process starts anew and knows the journal's last heartbeat
            horizon, table_time, last = Horizon(), TableTime(), Cut(float("-inf"), float("-inf"))
            table_time.heard(at, now)
        cut = horizon.reach(table_time.now(now), date + now, total)
        assert cut.at >= last.at and cut.wall >= last.wall
        last = cut
        assert not [
            1
            for real, by_table, by_date in made
            if cut.holds(by_table, by_date) and now - real < total - 1e-3
        ]


@given(st.lists(st.one_of(PASS, AWAY, DELAY, RESTART), max_size=30))
def test_nothing_is_known_before_its_time_while_processes_come_and_go(
    steps: list[tuple[str, float]],
) -> None:
    walk(steps)


@given(st.lists(st.one_of(PASS, DELAY, RESTART, STEP), max_size=30))
def test_nothing_is_known_before_its_time_while_the_date_is_set(
    steps: list[tuple[str, float]],
) -> None:
    walk(steps)


def played(folder: Path) -> HandTable:
    table = HandTable(folder)
    table.order(
        "set_match",
        white="Zohreh",
        black="Wilhelmina",
        length=5,
        clock="ours",
        event={"name": "Secret Cup"},
    )
    table.order("start_game")
    table.order("declare_roll", white=[6], black=[2])
    for _ in range(6):
        table.turn()
    return table


def entries(path: Path) -> tuple[Entry, ...]:
    with Reader(path) as reader:
        return reader.read()


def test_the_past_is_what_a_replay_up_to_then_says(tmp_path: Path) -> None:
    table = played(tmp_path)
    found = entries(table.journal)
    past = Past(Chronicle(table.journal))
    instants = [e.at for e in found]
    for at in [*instants, *reversed(instants), instants[3] + 1e-6, -1.0]:
        expected = replay(e for e in found if e.at <= at)
        assert past.state(Cut(at)) == expected
        assert past.document(Cut(at))["seq"] == expected.seq
    table.close()


def test_a_delay_is_kept_and_a_damaged_file_holds_everything_back(tmp_path: Path) -> None:
    path = tmp_path / "delay.json"
    delays = Delays(path)
    assert delays["public"].total == 0
    delays.set("overlay", Delay(300, -2.5))
    assert Delays(path)["overlay"].total == 297.5
    path.write_text("{")
    assert [Delays(path)[feed].total for feed in ("public", "overlay", "push")] == [LONGEST] * 3


@pytest.mark.parametrize(("seconds", "fine"), [(-1, 0), (3601, 0), (0, 31), (float("nan"), 0)])
def test_delays_out_of_range_are_refused(seconds: float, fine: float) -> None:
    with pytest.raises(ValueError, match="3600"):
        Delay(seconds, fine)


LIVE_MARKS = ("Zohreh", "Wilhelmina", "Secret Cup", '"played"', "62:")


def public_answers(served: Served) -> dict[str, str]:
    """Every route that a guest may read, as text, streams included."""
    out: dict[str, str] = {}
    for (method, path), right in ROUTES.items():
        address = path.replace("{table}", "t1").replace("{code}", "fa")
        address = address.replace("{number}", "1").replace("{step}", "1").replace("{ending}", "mat")
        # What the API is says the names of all kinds of entries, and nothing of a match.
        if path == "/openapi.json":
            continue
        if method == "GET" and right in PUBLIC and not path.endswith(ENDLESS):
            for query in (
                ("",) if right is Right.OPEN else ("", "?at=100000", "?feed=staff&view=staff")
            ):
                out[address + query] = httpx.get(
                    served.url + address + query, timeout=10
                ).content.decode(errors="replace")
    for path in ("/api/v1/tables/t1/stream.mjpg", "/api/v1/tables/t1/stream.mjpg?feed=overlay"):
        with httpx.stream("GET", served.url + path, timeout=10) as answer:
            out[path] = next(
                chunk for chunk in answer.iter_bytes() if b"Content-Length" in chunk
            ).decode(errors="replace")
    for path in ("/api/v1/tables/t1/events",):
        with httpx.stream("GET", served.url + path, timeout=10) as answer:
            out[path] = next(line for line in answer.iter_lines() if line.startswith("data: "))
    for path in ("", "?feed=overlay", "?feed=staff"):
        with connect(f"{served.url.replace('http', 'ws')}/api/v1/tables/t1/live{path}") as socket:
            out[f"live{path}"] = str(socket.recv(10))
    return out


def leaks(served: Served) -> list[str]:
    return [
        f"{path}: {mark}"
        for path, text in public_answers(served).items()
        for mark in LIVE_MARKS
        if mark in text
    ]


def test_no_public_route_stream_or_export_is_younger_than_the_delay(tmp_path: Path) -> None:
    """A route without the delay is found by walking them all; also after a restart, and while the
    delay changes.
    """
    served = Served(tmp_path, console=False)
    delays: Delays = served.app.state.delays
    desk = served.app.state.desks["t1"]
    table = served.table
    try:
        for feed in ("public", "overlay", "push"):
            delays.set(feed, Delay(3600))
        table.order(
            "set_match",
            white="Zohreh",
            black="Wilhelmina",
            length=5,
            clock="ours",
            event={"name": "Secret Cup"},
        )
        table.order("start_game")
        table.order("declare_roll", white=[6], black=[2])
        table.turn()
        assert not leaks(served)
        assert json.loads(public_answers(served)["/api/v1/tables/t1/state"])["delay_s"] == 3600
        # What guests were shown is too young when the delay grows: they are told nothing until it
        # is old enough.
        for feed in ("public", "overlay"):
            delays.set(feed, Delay(0))
        desk.delayed()
        shown = public_answers(served)
        for path in (
            "/api/v1/tables/t1/state",
            "/overlay.json",
            "/state.txt",
            "live",
            "live?feed=overlay",
            "/api/v1/tables/t1/events",
        ):
            assert "Zohreh" in shown[path], path
        for feed in ("public", "overlay"):
            delays.set(feed, Delay(60))
        desk.delayed()
        assert not leaks(served)
        # The table goes away; the delay holds.
        table.hub.close()
        assert not leaks(served)
    finally:
        served.close()
    # The web process starts anew over the same journal.
    again = create_app(WebConfig(table.journal, table.socket))
    desk = again.state.desks["t1"]
    again.state.followers["t1"].refresh()
    for view in ("public", "overlay", "push"):
        assert not [mark for mark in LIVE_MARKS if mark in json.dumps(desk.document(view))]
    assert not list(desk.history("public", 0))
    assert "Zohreh" in json.dumps(desk.document("staff"))


def test_staff_see_live_and_may_change_the_delay(served: Served) -> None:
    put = httpx.put(served.url + "/api/v1/delays/public", json={"seconds": 300, "fine": 1.5})
    told = put.json()["public"]
    assert 0 < told.pop("held_s") <= 302
    assert told == {"seconds": 300, "fine": 1.5, "total": 301.5}
    served.table.order("set_match", white="Zohreh", black="B", length=5)
    # The web process hears of it by the table's socket.
    until(lambda: "Zohreh" in httpx.get(served.url + "/api/v1/tables/t1/state").text, "the match")
    assert (
        "Zohreh"
        not in httpx.get(served.url + "/api/v1/tables/t1/state", headers={"via": "1.1 x"}).text
    )
    assert (
        httpx.put(
            served.url + "/api/v1/delays/public", json={"seconds": 0}, headers={"via": "1.1 x"}
        ).status_code
        == 401
    )


def shown_state() -> StateDocument:
    found = visible(table_document(State(), 0.0), "public")
    match, cube = found["match"], found["cube"]
    match["length"], match["players"]["white"]["name"] = 7, "A\nB"
    match["players"]["white"]["score"] = 3
    found["clock"]["white"] = {"bank": 65.2, "delay": 0.0, "flags": 0}
    cube["in_use"], cube["value"], cube["owner"] = True, 2, "white"
    found["plays"] = [
        {
            "game": 1,
            "number": 1,
            "side": "white",
            "roll": [6, 5],
            "origin": "read",
            "text": "24/13",
            "seq": 5,
            "infraction": None,
            "standing": None,
            "by_hand": False,
            "amended": None,
        }
    ]
    found["dice"]["roll"] = [3, 1]
    return found


TEXTS: list[tuple[StateDocument | None, dict[str, str]]] = [
    (None, {"white_name": "", "cube": "", "last_play": "", "delay": "0"}),
    (
        shown_state(),
        {
            "white_name": "A B",
            "white_score": "3",
            "white_clock": "1:06",
            "cube": "2",
            "cube_owner": "white",
            "last_play": "65: 24/13",
            "roll": "31",
        },
    ),
]


@pytest.mark.parametrize(("nard", "word"), [(False, "no play"), (True, "neshast")])
def test_a_turn_without_a_play_in_the_words_of_its_game(nard: bool, word: str) -> None:
    shown = shown_state()
    shown["match"]["nard"] = nard
    shown["plays"][-1]["text"] = "no play"
    assert lines(shown)["last_play"] == f"65: {word}"


@pytest.mark.parametrize(("shown", "expected"), TEXTS)
def test_the_state_as_text(shown: StateDocument | None, expected: dict[str, str]) -> None:
    assert expected.items() <= lines(shown).items()
    assert list(lines(shown)) == list(lines(None))


def test_one_instant_as_it_was(served: Served) -> None:
    served.table.order("set_match", white="Zohreh", black="B", length=5)
    at = served.table.state.at
    served.table.order("start_game")
    shown = httpx.get(f"{served.url}/overlay.json?at={at}").json()
    assert (shown["phase"], shown["at"]) == ("setting-up", pytest.approx(at, abs=0.001))


def test_no_route_was_forgotten() -> None:
    """What a guest may read is delayed, or holds nothing of a table; a new route must be looked at
    here.
    """
    read = {
        path
        for (method, path), right in ROUTES.items()
        if right in PUBLIC - {Right.OPEN} and method != WEBSOCKET
    }
    assert read == {
        "/sheet/{table}",
        "/overlay.json",
        "/state.txt",
        # Pictures hold no words to look for: `test_younger_than_told.py` compares their bytes.
        "/board.png",
        "/score.png",
        "/api/v1/tables",
        "/api/v1/tables/{table}/state",
        "/api/v1/tables/{table}/entries",
        "/api/v1/tables/{table}/events",
        "/api/v1/tables/{table}/stream.jpg",
        "/api/v1/tables/{table}/stream.mjpg",
        # As late as the event says, and never sooner than the public's feed.
        "/api/v1/tables/{table}/analysis",
        "/api/v1/tables/{table}/matches",
        # Matches that are over for the public's feed; `public_answers` asks them too.
        "/matches/{table}",
        "/dice/{table}",
        "/match/{table}/{number}",
        "/match/{table}/{number}/{step}",
        "/picture/{table}/{number}/{step}.svg",
        "/picture/{table}/{number}/{step}.png",
        "/embed/{table}/{number}/{step}",
        "/download/{table}/{number}.{ending}",
        "/report/{table}/{number}",
    }

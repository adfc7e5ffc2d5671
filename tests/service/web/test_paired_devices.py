"""Devices of the table itself, its clock and its camera, and players' phones: what each may see."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from service.journal.entry import Role
from service.journal.store import Reader
from service.web.view import visible
from tests.service.web.serve import Served

T = "/api/v1/tables/t1"
TELLING = (
    f"{T}/entries",
    f"{T}/legal-plays",
    f"{T}/proposal",
    f"{T}/analysis",
    f"{T}/stream.jpg",
    f"{T}/stream.mjpg",
    "/sheet/t1",
    "/overlay.json",
    "/state.txt",
    "/board.png",
    "/score.png",
)
"""Addresses that tell where checkers or dice lie, or did."""


def client(served: Served, token: str) -> httpx.Client:
    """A device somewhere else in the house: never the machine's own screen."""
    headers = {"via": "1.1 proxy", "authorization": f"Bearer {token}"}
    return httpx.Client(base_url=served.url, headers=headers)


def paired(served: Served, role: str, side: str | None = None) -> str:
    made = httpx.post(
        served.url + "/api/v1/pairings", json={"role": role, "side": side, "table": "t1"}
    ).json()
    headers = {"via": "1.1 proxy"}
    found = httpx.post(served.url + "/api/v1/pair", json={"code": made["code"]}, headers=headers)
    token: str = found.json()["token"]
    return token


def followed(served: Served, token: str, query: str = "") -> ClientConnection:
    address = served.url.replace("http", "ws") + f"{T}/live{query}"
    headers = {"via": "1.1 proxy", "authorization": f"Bearer {token}"}
    return connect(address, additional_headers=headers, open_timeout=5)


def playing(served: Served, **event: Any) -> None:
    table = served.table
    table.order("set_match", length=5, white="Anna", clock="ours", event=event)
    table.order("start_game", starter="white")
    table.turn()
    table.order("declare_roll", roll=[6, 5])


def tells_position(document: dict[str, Any]) -> bool:
    board = document["board"]
    return bool(
        any(board["white"])
        or any(board["black"])
        or document["dice"]["roll"]
        or document["plays"]
        or "roll" in document["waits_for"]["args"]
    )


def test_the_tables_clock_shows_no_position_and_no_dice(served: Served) -> None:
    playing(served)
    token = paired(served, "clock")
    with client(served, token) as device:
        assert device.get("/api/v1/me").json()["role"] == "clock"
        for query in ("", "?feed=public", "?at=1000"):
            state = device.get(f"{T}/state{query}").json()
            assert (state["view"], state["match"]["players"]["white"]["name"]) == ("clock", "Anna")
            assert not tells_position(state)
            assert state["clock"]["kind"] == "ours"
        for address in TELLING:
            assert device.get(address).status_code == 403, address
        for query in ("", "?feed=public", "?feed=overlay"):
            with followed(served, token, query) as feed:
                assert not tells_position(json.loads(feed.recv(5)))


def test_the_tables_clock_presses_for_both_and_does_no_more(served: Served) -> None:
    playing(served)
    with client(served, paired(served, "clock")) as device:

        def order(name: str, **args: Any) -> int:
            return device.post(f"{T}/orders", json={"order": name, "args": args}).status_code

        assert order("press", side="black") == 200
        assert order("resign", side="white", level=1) == 200
        assert order("refuse_resignation") == 200
        assert order("call_director") == 200
        assert order("declare_roll", roll=[6, 5]) == 403
        assert order("set_match", length=3) == 403
    with Reader(served.table.journal) as reader:
        said = [entry.by for entry in reader.read() if entry.by.role is Role.CLOCK]
    assert len(said) >= 4 and all(by.side is None for by in said)


def test_the_tables_camera_sees_nothing_and_says_nothing(served: Served) -> None:
    playing(served)
    token = paired(served, "camera")
    with client(served, token) as device:
        for address in (*TELLING, f"{T}/state", f"{T}/events", "/api/v1/tables"):
            assert device.get(address).status_code == 403, address
        order = {"order": "press", "args": {"side": "white"}}
        assert device.post(f"{T}/orders", json=order).status_code == 403
    with pytest.raises(InvalidStatus, match="403"):
        followed(served, token)


@pytest.mark.parametrize("role", ["clock", "camera"])
def test_a_device_of_the_table_is_no_players_phone(served: Served, role: str) -> None:
    playing(served, privacy={"phones": "face_down"})
    with client(served, paired(served, role)) as device:
        assert device.get("/api/v1/me").json()["role"] == role


def test_phones_that_follow_are_let_go_when_they_are_to_lie_face_down(served: Served) -> None:
    playing(served, privacy={"phones": "allowed"})
    token = paired(served, "player", "white")
    with followed(served, token) as feed:
        assert json.loads(feed.recv(5))["view"] == "player"
        served.table.order("end_match")
        served.table.order("set_match", length=5, event={"privacy": {"phones": "face_down"}})
        with pytest.raises(ConnectionClosed):
            while True:
                feed.recv(5)
    with followed(served, token) as feed:
        assert json.loads(feed.recv(5))["view"] == "public"
    with client(served, token) as phone:
        answer = phone.get(f"{T}/proposal")
        assert answer.json()["error"]["code"] == "face_down"
        assert phone.get(f"{T}/state").json()["view"] == "public"
        order = {"order": "press", "args": {}}
        assert phone.post(f"{T}/orders", json=order).json()["error"]["code"] == "face_down"


def test_the_clocks_view_says_nothing_of_an_illegal_play(served: Served) -> None:
    playing(served)
    live = served.app.state.desks["t1"].live
    assert live is not None
    shown = visible({**live, "phase": "illegal"}, "clock")
    assert (shown["phase"], shown["alerts"], shown["scene"]) == ("pressed", [], None)

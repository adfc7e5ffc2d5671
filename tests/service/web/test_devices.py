"""What devices are told and may, and ending one that was lost."""

from __future__ import annotations

import json
from contextlib import suppress

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from service.journal.entry import Role
from service.web.policy import Visitor
from tests.service.web.serve import Served

T = "/api/v1/tables/t1"


def get(served: Served, path: str, visitor: Visitor | None = None) -> httpx.Response:
    headers = {}
    if visitor is not None:
        headers["authorization"] = "Bearer " + served.app.state.access.open_session(visitor)
    return httpx.get(served.url + path, headers=headers)


def test_what_was_ordered_is_in_the_next_state(served: Served) -> None:
    """Fifty orders, each followed at once by a question: none is answered from before."""
    order = served.url + T + "/orders"
    with httpx.Client() as client:
        for number in range(50):
            body = {"order": "note", "args": {"code": "device_seen", "text": str(number)}}
            if number == 0:
                client.post(order, json={"order": "set_match", "args": {"length": 3}})
            done = client.post(order, json=body).json()
            assert client.get(served.url + T + "/state").json()["seq"] >= done["seq"], number


def test_the_device_of_one_side_is_told_no_legal_play(served: Served) -> None:
    """It may declare none either; the tablet that both share may."""
    for side, refused in (("white", True), (None, False)):
        visitor = Visitor("somebody", Role.PLAYER, side, frozenset({"t1"}))
        answer = get(served, T + "/legal-plays", visitor)
        assert (answer.json()["error"]["code"] == "not_allowed") is refused, answer.text


def test_a_lost_phone_is_ended_and_signing_out_ends_both_tokens(served: Served) -> None:
    access = served.app.state.access
    lost = access.open_session(Visitor("lost phone", Role.ARBITER))
    mine = access.open_session(Visitor("sara", Role.ARBITER))
    rows = get(served, "/api/v1/devices").json()["devices"]
    found = next(row for row in rows if row["name"] == "lost phone")
    assert lost not in str(rows) and found["role"] == "arbiter"
    ended = httpx.delete(f"{served.url}/api/v1/devices/{found['id']}")
    assert [row["name"] for row in ended.json()["devices"]] == ["sara"]
    assert access.visitor(lost).role is Role.GUEST and access.visitor(mine).name == "sara"
    assert httpx.delete(f"{served.url}/api/v1/devices/{found['id']}").status_code == 404
    other = access.open_session(Visitor("sara", Role.ARBITER))
    headers = {"authorization": f"Bearer {mine}", "cookie": f"takhte={other}"}
    assert httpx.post(served.url + "/api/v1/sign-out", headers=headers, json={}).status_code == 200
    assert access.visitor(mine).role is access.visitor(other).role is Role.GUEST


def test_what_a_lost_phone_follows_is_closed_at_once(served: Served) -> None:
    """Its socket, its stream of events; and nobody else's."""
    access, live = served.app.state.access, served.url.replace("http", "ws") + T + "/live"
    lost = access.open_session(Visitor("lost phone", Role.ARBITER))
    mine = access.open_session(Visitor("sara", Role.ARBITER))
    by = {token: {"authorization": f"Bearer {token}"} for token in (lost, mine)}
    ident = next(found.ident for found in access.sessions() if found.visitor.name == "lost phone")
    with (
        connect(live, additional_headers=by[lost]) as ended,
        connect(live, additional_headers=by[mine]) as kept,
        httpx.stream("GET", served.url + T + "/events", headers=by[lost]) as events,
    ):
        lines = events.iter_lines()
        assert next(lines).startswith("retry") and ended.recv(10) and kept.recv(10)
        assert httpx.delete(f"{served.url}/api/v1/devices/{ident}").status_code == 200
        with pytest.raises(ConnectionClosed):
            while ended.recv(10):
                pass
        with suppress(httpx.RemoteProtocolError):
            list(lines)
        seen = json.loads(kept.recv(10))["seq"]
        httpx.post(served.url + T + "/orders", json={"order": "set_match", "args": {"length": 3}})
        while json.loads(kept.recv(10))["seq"] <= seen:
            pass
        # A new password ends what was opened with the old one.
        body = {"password": "a long sentence", "role": "arbiter"}
        answer = httpx.put(f"{served.url}/api/v1/accounts/sara", json=body)
        assert answer.status_code == 200, answer.text
        with pytest.raises(ConnectionClosed):
            while kept.recv(10):
                pass


def test_half_a_letter_is_refused_and_the_table_is_not_blamed(served: Served) -> None:
    body = b'{"order": "adjourn", "args": {"reason": "\\ud800"}}'
    headers = {"content-type": "application/json"}
    answer = httpx.post(f"{served.url}{T}/orders", content=body, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "not_text")

"""What somebody tries who has read how such pages are broken into: names, addresses, tokens."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import httpx
import pytest

from service.journal.entry import Role
from service.web.access import AccessError
from service.web.guard import Guard
from service.web.policy import Visitor
from tests.service.web.serve import Served

T = "/api/v1/tables/t1"
FOREIGN = [
    "evil.example",
    "evil.example:80",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil.example#127.0.0.1",
    "evil.example/127.0.0.1",
    "evil.example?127.0.0.1",
    "local",
    "xlocalhost",
    "takhte.local.evil.example",
    "evil.local.",
    "256.256.256.256",
    "[::1",
    "::1]",
    "",
]
"""Hosts by which this machine is not called."""
CLIMBING = [
    "/static/../access.db",
    "/static/..%2faccess.db",
    "/static/%2e%2e/%2e%2e/access.db",
    "/static/js/..%5c..%5caccess.db",
    "/static//etc/passwd",
    "/static/js/%00.js",
    "/words/..%2f..%2ften.json",
    "/words/%2e%2e.json",
    "/sheet/..%2f..%2faccess.db",
    f"{T}/evidence/..%2f..%2faccess.db",
    f"{T}/evidence/..%2f..%2ft1.journal",
    f"{T}/matches/..%2f1.mat",
    "/match/..%2f..%2fetc/1/1",
]


@pytest.mark.parametrize("host", FOREIGN)
def test_a_name_that_is_not_this_machines_reaches_nothing(shared: Served, host: str) -> None:
    """Nobody's page becomes ours by a name that leads here (rebinding)."""
    try:
        answer = httpx.get(f"{shared.url}/api/v1/me", headers={"host": host})
    except httpx.RemoteProtocolError:
        return
    assert answer.status_code in (400, 421), answer.text
    assert "role" not in answer.text


@pytest.mark.parametrize("path", CLIMBING)
def test_no_address_leads_out_of_its_folder(shared: Served, path: str) -> None:
    secret = shared.app.state.access.path.read_bytes()[:16]
    address = httpx.URL(shared.url).copy_with(raw_path=path.encode())
    answer = httpx.get(address, headers={"accept": "text/html"})
    assert answer.status_code in (200, 400, 404, 405, 422), "a page of ours, or none"
    assert secret not in answer.content and b"root:" not in answer.content


def test_a_token_that_somebody_chose_is_never_a_session(shared: Served) -> None:
    """Whoever plants a cookie before somebody signs in, knows nothing afterwards."""
    access = shared.app.state.access
    access.set_account("sara", "a long password", Role.ARBITER, None)
    planted, proxied = "A" * 43, {"via": "1.1 proxy"}
    with httpx.Client(base_url=shared.url, headers=proxied, cookies={"takhte": planted}) as her:
        assert her.get("/api/v1/me").json()["role"] == "guest"
        me = her.post("/api/v1/sign-in", json={"name": "sara", "password": "a long password"})
        assert me.status_code == 200 and me.json()["token"] != planted
    his = httpx.get(f"{shared.url}/api/v1/me", headers=proxied, cookies={"takhte": planted})
    assert his.json()["role"] == "guest"


def test_twelve_who_race_for_a_code_and_one_has_it(shared: Served) -> None:
    access = shared.app.state.access
    code = access.pairing(Visitor("tablet", Role.PLAYER, None, frozenset({"t1"})))
    start = Barrier(12)

    def has_it(_: int) -> bool:
        start.wait()
        try:
            return bool(access.pair(code))
        except AccessError:
            return False

    with ThreadPoolExecutor(12) as pool:
        assert sum(pool.map(has_it, range(12))) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"a":' * 30_000,
        b'{"order":"rule","args":{"text":"\\ud800"}}',
        b'{"order":"rule","args":{"text":NaN}}',
        b'{"order":"' + b"x" * 100_000 + b'"}',
        b'{"order":["rule"]}',
        b"\xff\xfe",
        b"",
    ],
)
def test_whatever_an_order_is_the_table_is_not_blamed(shared: Served, body: bytes) -> None:
    """Refused in words, by whoever may order: neither an error of ours nor a table that is down."""
    sent: dict[str, Any] = {"content": body, "headers": {"content-type": "application/json"}}
    answer = httpx.post(f"{shared.url}{T}/orders", **sent)
    assert 400 <= answer.status_code < 500, answer.text
    assert answer.json()["error"]["code"]
    assert httpx.get(f"{shared.url}{T}/state").status_code == 200


def test_the_gate_keeps_count_of_no_more_than_it_must() -> None:
    """Addresses whose pace is remembered are bounded, whoever comes."""
    guard = Guard(lambda *_: None)  # type: ignore[arg-type, return-value]
    for number in range(30_000):
        guard.pace.wait(str(number), 0.0)
    assert len(guard.pace._left) <= 20_000

"""Webhooks: chosen entries, each once and in order, signed, tried again, and never younger than
told.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import queue
import stat
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.web.webhooks import signature
from tests.service.web.serve import Served

ROUTE = "/api/v1/webhooks"


class Receiver:
    """Another program, which checks signatures as the standard says and keeps what it is sent.

    `answers`: statuses to answer with before everything is well.
    """

    def __init__(self) -> None:
        got: queue.Queue[tuple[str, dict[str, Any]]] = queue.Queue()
        self.got, self.answers, self.secret = got, list[int](), ""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                ident, stamp = self.headers["webhook-id"], self.headers["webhook-timestamp"]
                key = base64.b64decode(receiver.secret.removeprefix("whsec_"))
                mark = hmac.new(key, f"{ident}.{stamp}.".encode() + body, hashlib.sha256).digest()
                assert self.headers["webhook-signature"] == f"v1,{base64.b64encode(mark).decode()}"
                got.put((ident, json.loads(body)))
                self.send_response(receiver.answers.pop(0) if receiver.answers else 204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/told"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self) -> tuple[str, dict[str, Any]]:
        return self.got.get(timeout=20)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.server.shutdown()
    receiver.server.server_close()


def made(served: Served, receiver: Receiver, *events: str) -> dict[str, Any]:
    answer = httpx.post(served.url + ROUTE, json={"url": receiver.url, "events": [*events]})
    assert answer.status_code == 201, answer.text
    hook: dict[str, Any] = answer.json()
    receiver.secret = hook["secret"]
    return hook


def played(served: Served) -> None:
    served.table.order("set_match", white="Mahsa", black="Jan", length=5)
    served.table.order("start_game")
    served.table.order("call_director", side="white")
    served.table.order("declare_roll", white=[6], black=[2])


def test_the_signature_is_the_standards_own_example() -> None:
    made = signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )
    assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_chosen_entries_come_once_in_order_and_again_where_refused(
    served: Served, receiver: Receiver
) -> None:
    hook = made(served, receiver, "match_set", "opening_thrown")
    receiver.answers = [500]
    played(served)
    (refused, first), (again, same), (_, then) = (receiver.next() for _ in range(3))
    assert refused == again and first == same
    assert first["type"] == "match_set" and first["data"]["body"]["white"] == "Mahsa"
    assert then["type"] == "opening_thrown" and then["data"]["table"] == "t1"
    assert then["data"]["seq"] > first["data"]["seq"]
    assert receiver.got.empty()
    (shown,) = httpx.get(served.url + ROUTE).json()["webhooks"]
    tries = [(each["event"], each["tries"], each["status"]) for each in shown["log"]]
    assert tries[-2:] == [("match_set", 2, 204), ("match_set", 1, 500)]
    assert hook["secret"] not in httpx.get(served.url + ROUTE).text
    assert stat.S_IMODE(served.app.state.webhooks.path.stat().st_mode) == 0o600


def test_what_happened_while_the_pages_were_away_is_sent_afterwards(
    tmp_path: Path, receiver: Receiver
) -> None:
    served = Served(tmp_path)
    made(served, receiver, "opening_thrown")
    served.leave()
    played(served)
    served = Served(tmp_path, table=served.table)
    assert receiver.next()[1]["type"] == "opening_thrown"
    served.leave()
    served = Served(tmp_path, table=served.table)
    (shown,) = httpx.get(served.url + ROUTE).json()["webhooks"]
    assert [(tried["event"], tried["status"]) for tried in shown["log"]] == [
        ("opening_thrown", 204)
    ]
    hook = shown["id"]
    assert httpx.post(f"{served.url}{ROUTE}/{hook}/ping").json()["status"] == 204
    assert receiver.next()[1]["type"] == "ping"
    served.close()


def test_nothing_is_sent_before_it_is_old_enough(tmp_path: Path, receiver: Receiver) -> None:
    (tmp_path / "delay.json").write_text('{"push": {"seconds": 3600}}')
    served = Served(tmp_path)
    made(served, receiver, "match_set", "opening_thrown")
    played(served)
    hook = httpx.get(served.url + ROUTE).json()["webhooks"][0]["id"]
    httpx.post(f"{served.url}{ROUTE}/{hook}/ping")
    assert receiver.next()[1]["type"] == "ping"
    assert receiver.got.empty()
    httpx.put(served.url + "/api/v1/delays/push", json={"seconds": 0})
    assert [receiver.next()[1]["type"] for _ in range(2)] == ["match_set", "opening_thrown"]
    served.close()


def test_whoever_wants_nothing_more_is_told_nothing_more(
    served: Served, receiver: Receiver
) -> None:
    made(served, receiver, "match_set", "opening_thrown")
    receiver.answers = [410]
    played(served)
    assert receiver.next()[1]["type"] == "match_set"
    while httpx.get(served.url + ROUTE).json()["webhooks"]:
        pass
    assert receiver.got.empty()


@pytest.mark.parametrize(
    "body",
    [
        {"url": "file:///etc/passwd", "events": ["game_ended"]},
        {"url": "https://club.example", "events": []},
        {"url": "https://club.example", "events": ["alert"]},
    ],
)
def test_what_cannot_be_told_is_refused(served: Served, body: dict[str, Any]) -> None:
    assert httpx.post(served.url + ROUTE, json=body).status_code == 422

"""States sent to a website: delayed like everything public, newest only, failures told once."""

from __future__ import annotations

import json
import queue
import stat
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.web.push import Push, Target
from service.web.sending import AddressError
from tests.service.web.serve import Served


class Website:
    """A website that keeps what it is sent."""

    def __init__(self) -> None:
        got: queue.Queue[tuple[str, str, dict[str, Any]]] = queue.Queue()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                got.put((self.path, self.headers.get("authorization", ""), {}))
                self.send_response(200)
                self.end_headers()

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                got.put((self.path, self.headers.get("authorization", ""), body))
                away = self.path.startswith("/moved")
                self.send_response(302 if away else 204)
                if away:
                    self.send_header("location", "/elsewhere")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.got = got
        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def website() -> Iterator[Website]:
    website = Website()
    yield website
    website.server.shutdown()
    website.server.server_close()


def test_the_website_is_told_after_each_change(served: Served, website: Website) -> None:
    body = {"url": website.url + "/live/{table}", "token": "s3cret"}
    answer = httpx.put(served.url + "/api/v1/push", json=body)
    assert answer.json()["has_token"] and "s3cret" not in answer.text
    assert stat.S_IMODE(served.app.state.push.path.stat().st_mode) == 0o600
    served.table.order("set_match", white="Mahsa", black="Jan", length=5)
    while True:
        path, token, shown = website.got.get(timeout=20)
        if shown["match"]["ruleset"]:
            break
    assert (path, token, shown["view"]) == ("/live/t1", "Bearer s3cret", "public")
    assert shown["match"]["players"]["white"]["name"] == "Mahsa"


def test_the_token_goes_nowhere_but_to_the_address_that_was_set(
    tmp_path: Path, website: Website
) -> None:
    push = Push(tmp_path / "push.json")
    target = Target(website.url + "/moved", "s3cret")
    assert push._post(target, "t1", b"{}") == "the website answered 302"
    assert website.got.get(timeout=20)[0] == "/moved"
    assert website.got.empty()


def test_it_is_as_late_as_its_delay(tmp_path: Path, website: Website) -> None:
    (tmp_path / "delay.json").write_text('{"push": {"seconds": 3600}}')
    served = Served(tmp_path)
    served.app.state.push.set(Target(website.url))
    served.table.order("set_match", white="Mahsa", black="Jan", length=5)
    _, _, shown = website.got.get(timeout=20)
    assert shown["delay_s"] == 3600 and "Mahsa" not in json.dumps(shown)
    served.close()


def test_an_address_that_is_none_is_refused(served: Served) -> None:
    assert (
        httpx.put(served.url + "/api/v1/push", json={"url": "file:///etc/passwd"}).status_code
        == 422
    )
    with pytest.raises(AddressError, match="https"):
        Target("ftp://x")

"""The relay: all tables as files of another host, as late as guests are told; the club serves one
reader, whoever watches.
"""

from __future__ import annotations

import functools
import http.server
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import sync_playwright

from service.web.relay import PublicRelay, into_folder, main, to_host
from tests.service.web.browser import launch, opened
from tests.service.web.serve import Served

VIEWERS = 200


class Host:
    """Another machine's web server, which knows files and nothing else."""

    def __init__(self, folder: Path) -> None:
        handler = functools.partial(Quiet, directory=str(folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        right = self.headers["authorization"] == "Bearer s3cret"
        if right:
            into_folder(Path(self.directory))(self.path.lstrip("/"), body)
        self.send_response(204 if right else 403)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def relayed(served: Served, keep: Callable[[str, bytes], None]) -> Iterator[PublicRelay]:
    relay = PublicRelay(served.url, keep)
    thread = threading.Thread(target=relay.run, daemon=True)
    thread.start()
    yield relay
    relay.stop.set()
    thread.join(10)


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    (tmp_path / "site").mkdir()
    host = Host(tmp_path / "site")
    yield host
    host.close()


def names(folder: Path) -> set[str]:
    """Who plays by the files."""
    try:
        listed = json.loads((folder / "tables.json").read_text())["tables"]
        states = [json.loads((folder / f"tables/{row['name']}.json").read_text()) for row in listed]
    except OSError:
        return set()
    return {player["name"] for s in states for player in s["match"]["players"].values()} - {""}


def seen(told: Callable[[], Any]) -> None:
    """Waits for it; the test's own time limit ends a vain wait."""
    pause = threading.Event()
    while not told():
        pause.wait(0.05)


def finished(served: Served) -> None:
    served.table.order("set_match", white="Mahsa", black="Jan", length=1)
    served.table.order("start_game")
    served.table.order("declare_roll", white=[6], black=[2])
    served.table.order("resign", side="white", level=1)
    served.table.order("accept_resignation", side="black")


def test_viewers_are_served_by_the_host_alone(served: Served, tmp_path: Path, host: Host) -> None:
    folder = tmp_path / "site"
    with relayed(served, into_folder(folder)) as relay:
        served.table.order("set_match", white="Mahsa", black="Jan", length=5)
        served.table.order("start_game")
        seen(lambda: names(folder) == {"Mahsa", "Jan"})
        relay.stop.set()
    served.leave()
    left = relay.read
    with ThreadPoolExecutor(8) as crowd, httpx.Client(base_url=host.url) as viewer:
        paths = ["/", "/tables.json", "/tables/t1.json?v=1", "/static/js/relay.js"]
        answers = list(crowd.map(lambda i: viewer.get(paths[i % 4]).status_code, range(VIEWERS)))
        assert answers == [200] * VIEWERS
    assert relay.read == left
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for lang in ("en", "fa"):
            with opened(browser, host.url, lang=lang) as page:
                asked: list[str] = []
                page.on("request", lambda request, asked=asked: asked.append(request.url))
                page.goto(f"{host.url}/{lang}.html")
                page.get_by_text("Mahsa").wait_for()
                assert page.locator("#tables circle").count() > 29
                page.locator(".tile h2 button").click()
                assert page.locator(".tile h2 button").get_attribute("aria-pressed") == "true"
                assert asked and all(url.startswith(host.url + "/") for url in asked)
        browser.close()


def test_files_are_as_late_as_guests_are_told(tmp_path: Path) -> None:
    (tmp_path / "delay.json").write_text('{"public": {"seconds": 3600}}')
    served, folder = Served(tmp_path), tmp_path / "site"
    finished(served)
    with relayed(served, into_folder(folder)):
        seen(lambda: (folder / "tables/t1.json").exists() and (folder / "matches/t1.json").exists())
        told = [p.read_text() for kind in ("tables", "matches") for p in folder.glob(f"{kind}/*")]
    assert not any("Mahsa" in text for text in told)
    assert json.loads((folder / "matches/t1.json").read_text()) == {"matches": []}
    served.close()


def test_a_host_gets_finished_matches_by_put(served: Served, tmp_path: Path, host: Host) -> None:
    finished(served)
    folder = tmp_path / "site"
    with relayed(served, to_host(host.url, "s3cret")):
        seen(lambda: (folder / "matches/t1.json").exists())
    (match,) = httpx.get(host.url + "/matches/t1.json").json()["matches"]
    assert (match["white_score"], match["black_score"]) == (0, 1)
    assert "Mahsa" in httpx.get(host.url + match["files"]["mat"]).text
    with pytest.raises(OSError, match="403"):
        to_host(host.url, "wrong")("index.html", b"")


def test_asked_wrongly_it_says_what_was_expected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ftp://x", str(tmp_path)]) == 2
    assert "https://" in capsys.readouterr().out

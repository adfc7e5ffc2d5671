"""Who is the console: the machine's own screen, and nobody that a proxy or tunnel leads here.

The pages run as they run at a table (a process of `service.web`); the visitor comes through a
forwarder that passes bytes on as they are (ssh -R, socat, stunnel) or that writes a Host of its own
and nothing else, as nginx does with a bare `proxy_pass`.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.ports import free_port
from tests.service.table.world import until


@contextlib.contextmanager
def pages(folder: Path, *more: str) -> Iterator[tuple[int, int]]:
    """(port, console's port) of a web process over a table that is away."""
    port, console = free_port(), free_port()
    words = ["--journal", str(folder / "a.journal"), "--port", str(port)]
    command = [sys.executable, "-m", "service.web", *words, "--console-port", str(console), *more]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=dict(os.environ))

    def answers() -> bool:
        assert process.poll() is None
        with contextlib.suppress(httpx.HTTPError):
            return httpx.get(f"http://127.0.0.1:{port}/-/healthy").status_code < 500
        return False

    try:
        until(answers, "the pages")
        yield port, console
    finally:
        process.terminate()
        process.wait(20)


@contextlib.contextmanager
def forwarder(target: int, host: bytes) -> Iterator[int]:
    """The port of a forwarder on this machine; `host` is written over the visitor's, if given."""
    door = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = door.accept()
                with near, socket.create_connection(("127.0.0.1", target)) as far:
                    asked = near.recv(65536)
                    if host:
                        asked = re.sub(rb"(?im)^host:[^\r]*", b"Host: " + host, asked, count=1)
                    far.sendall(asked)
                    while data := far.recv(65536):
                        near.sendall(data)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield door.getsockname()[1]
    finally:
        door.close()


def role(port: int, **headers: str) -> str:
    asked = {"connection": "close", **headers}
    return str(httpx.get(f"http://127.0.0.1:{port}/api/v1/me", headers=asked).json()["role"])


def test_only_the_consoles_own_port_makes_the_console(tmp_path: Path) -> None:
    with pages(tmp_path) as (port, console):
        assert role(console) == "console"
        assert role(port) == "guest", "not even at this machine"
        with forwarder(port, b"127.0.0.1:%d" % port) as nginx:
            assert role(nginx) == "guest"
        with forwarder(port, b"") as tunnel:
            assert role(tunnel, host="localhost") == "guest"
            got = httpx.get(
                f"http://127.0.0.1:{tunnel}/api/v1/accounts",
                headers={"host": "localhost", "connection": "close"},
            )
            assert got.status_code == 401


def test_this_machines_browser_is_told_where_its_own_screen_is(tmp_path: Path) -> None:
    with pages(tmp_path) as (port, console):
        page = httpx.get(f"http://127.0.0.1:{port}/").text
        assert f'href="http://127.0.0.1:{console}/"' in page
        away = httpx.get(f"http://127.0.0.1:{port}/", headers={"host": "table.local"}).text
        assert f":{console}" not in away
        assert f":{console}" not in httpx.get(f"http://127.0.0.1:{port}/wall").text


@pytest.mark.parametrize(
    ("believed", "status"),
    [([], 421), (["--allow-host", "club.example"], 200)],
)
def test_a_name_is_ours_where_the_settings_say_so(
    tmp_path: Path, believed: list[str], status: int
) -> None:
    with pages(tmp_path, *believed) as (port, _):
        got = httpx.get(f"http://127.0.0.1:{port}/", headers={"host": "club.example"})
        assert got.status_code == status


def test_a_proxy_that_is_named_speaks_for_its_visitors(tmp_path: Path) -> None:
    """Behind a named proxy https is https: the session's cookie is for https alone."""
    headers = {"x-forwarded-for": "10.0.0.9", "x-forwarded-proto": "https"}
    body = {"role": "player", "table": "t1"}
    with pages(tmp_path, "--proxy", "127.0.0.1") as (port, console):
        made = httpx.post(f"http://127.0.0.1:{console}/api/v1/pairings", json=body).json()
        paired = httpx.post(
            f"http://127.0.0.1:{port}/api/v1/pair", json={"code": made["code"]}, headers=headers
        )
        assert paired.status_code == 200
        assert "secure" in paired.headers["set-cookie"].lower()

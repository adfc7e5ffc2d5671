"""Capacity at the server: who gets one, who gives it up, and that a crowd of silent, slow and lying
visitors takes them from nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.journal.entry import Role
from service.web.access import Access
from service.web.door import WHOLE_S, Capacity, Door, Doorkeeper, Visit
from service.web.guard import BODIES, Guard
from service.web.policy import Visitor
from tests.ports import free_port
from tests.service.table.world import until
from tests.service.web.hand import HandTable


class Wire(asyncio.Transport):
    """A connection that waits with so many bytes to send, and can be ended."""

    def __init__(self, unsent: int = 0) -> None:
        super().__init__()
        self.unsent, self.ended = unsent, False

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def abort(self) -> None:
        self.ended = True


@contextlib.contextmanager
def visits(keeper: Doorkeeper) -> Iterator[list[Visit]]:
    made: list[Visit] = []
    yield made
    for visit in made:
        visit.close()


def comes(keeper: Doorkeeper, made: list[Visit], address: str, now: float, unsent: int = 0) -> bool:
    """Whether one more from there is let in; `made` holds who was."""
    if not keeper.lets_in(address):
        return False
    visit = Visit(socket.socket().detach(), keeper, address)
    visit.transport = Wire(unsent)
    keeper.came(visit, now)
    made.append(visit)
    return True


def ended(visit: Visit) -> bool:
    assert isinstance(visit.transport, Wire)
    return visit.transport.ended


def test_the_newest_of_an_address_is_heard_and_the_silent_make_room() -> None:
    keeper = Doorkeeper(Capacity(most=100, by_address=6, waiting=50, waiting_by_address=3))
    with visits(keeper) as made:
        assert all(comes(keeper, made, "10.0.0.9", now) for now in range(10))
        assert [ended(v) for v in made] == [True] * 7 + [False] * 3
        assert len(keeper) == 3


def test_an_address_that_is_served_has_its_places_and_no_more() -> None:
    keeper = Doorkeeper(Capacity(most=100, by_address=6, waiting=50, waiting_by_address=3))
    with visits(keeper) as made:
        for now in range(6):
            assert comes(keeper, made, "10.0.0.9", now)
            keeper.served(made[-1])
        assert not comes(keeper, made, "10.0.0.9", 7.0)
        assert comes(keeper, made, "10.0.0.10", 7.0)
        made[0].close()
        assert comes(keeper, made, "10.0.0.9", 8.0)
        assert not any(ended(v) for v in made)


def test_a_proxy_may_have_all_but_what_waits_makes_room() -> None:
    places = Capacity(most=20, by_address=2, waiting=8, waiting_by_address=2)
    keeper = Doorkeeper(places, ["10.0.0.1"])
    with visits(keeper) as made:
        assert all(comes(keeper, made, "10.0.0.1", now) for now in range(30))
        assert len(keeper) == places.waiting


def test_when_all_places_are_taken_whoever_does_not_read_makes_room() -> None:
    keeper = Doorkeeper(Capacity(most=4, by_address=4, waiting=4, waiting_by_address=4))
    with visits(keeper) as made:
        for number in range(4):
            assert comes(keeper, made, f"10.0.0.{number}", 0.0, unsent=number % 2 * 1000)
            keeper.served(made[-1])
        keeper.sweep(0.5)
        assert comes(keeper, made, "10.0.1.1", 1.0) and ended(made[1])
        keeper.served(made[-1])
        assert comes(keeper, made, "10.0.1.2", 1.0) and ended(made[3])
        keeper.served(made[-1])
        assert not comes(keeper, made, "10.0.1.3", 1.0)


def test_a_request_has_its_time_and_an_answer_too() -> None:
    keeper = Doorkeeper(Capacity())
    with visits(keeper) as made:
        comes(keeper, made, "10.0.0.1", 0.0)
        comes(keeper, made, "10.0.0.2", 0.0, unsent=5000)
        keeper.served(made[1])
        comes(keeper, made, "10.0.0.3", 0.0)
        for now in range(1, 60):
            keeper.sweep(float(now))
            keeper.waits(made[2], float(now))
            assert ended(made[0]) == (now >= WHOLE_S)
        assert ended(made[1]) and not ended(made[2])


def test_answers_that_nobody_takes_are_bounded_in_all() -> None:
    keeper = Doorkeeper(Capacity())
    with visits(keeper) as made:
        for number in range(20):
            comes(keeper, made, f"10.0.0.{number}", 0.0, unsent=4_000_000)
            keeper.served(made[-1])
        keeper.sweep(0.0)
        assert sum(ended(v) for v in made) == 12


def test_places_are_given_back_by_whoever_leaves() -> None:
    """Hundreds that come and go, over a real door: in the end nobody is there."""
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setblocking(False)
    keeper = Doorkeeper(Capacity(by_address=5, waiting_by_address=2))
    door = Door(listening, keeper)
    peers = []
    for number in range(300):
        peer = socket.socket()
        peer.bind((f"127.0.{number % 7}.{number % 11 + 2}", 0))
        peer.connect(door.getsockname())
        visit, _ = door.accept()
        if number % 3:
            keeper.served(visit)
        if number % 2:
            peers.append((peer, visit))
        else:
            visit.close()
            peer.close()
    for peer, visit in peers:
        visit.close()
        peer.close()
    door.close()
    assert len(keeper) == 0 and not keeper._by_address and not keeper._waiting_from


def test_bodies_of_all_visitors_together_are_bounded() -> None:
    """Four thousand that say 250 kB each and send it a little at a time."""
    guard = Guard(lambda *_: None)  # type: ignore[arg-type, return-value]
    taken = sum(guard.take(64_000) for _ in range(4000))
    assert taken == BODIES // 64_000


# A real page, served as it is served in the evening.


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """A page that may open few files, its port and its folder."""
    folder, port = tmp_path_factory.mktemp("door"), free_port()
    table = HandTable(folder)
    words = [sys.executable, "-m", "service.web", "--journal", str(table.journal)]
    few = ["sh", "-c", 'ulimit -Hn 400; exec "$@"', "sh"]
    options = ["--port", str(port), "--connections", "100"]
    with (folder / "log.txt").open("wb") as said:
        process = subprocess.Popen([*few, *words, *options], stderr=said, env=dict(os.environ))
    try:
        until(lambda: asks(port, "/-/healthy", "127.0.0.2").startswith(b"HTTP/1.1 200"), "the page")
        yield port, folder
    finally:
        process.terminate()
        process.wait(30)
        table.close()


def line(port: int, address: str) -> socket.socket:
    peer = socket.socket()
    peer.settimeout(30)
    peer.bind((address, 0))
    peer.connect(("127.0.0.1", port))
    return peer


def asks(port: int, path: str, address: str, *headers: str) -> bytes:
    with line(port, address) as peer:
        rows = (f"GET {path} HTTP/1.1", "Host: 127.0.0.1", "Connection: close", *headers, "", "")
        peer.sendall("\r\n".join(rows).encode())
        return b"".join(iter(lambda: peer.recv(65536), b""))


def follows(port: int, address: str, *headers: str) -> tuple[socket.socket, bytes]:
    """A feed that was asked for, and what was said first."""
    peer = line(port, address)
    rows = (
        "GET /api/v1/tables/t1/live HTTP/1.1",
        "Host: 127.0.0.1",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        *headers,
        "",
        "",
    )
    peer.sendall("\r\n".join(rows).encode())
    return peer, peer.recv(12)


@contextlib.contextmanager
def crowd(port: int, many: int, said: bytes = b"") -> Iterator[None]:
    """So many visitors from all over, each saying no more than this."""
    peers = []
    for number in range(many):
        peer = line(port, f"127.{number % 50 + 1}.0.{number % 7 + 3}")
        with contextlib.suppress(OSError):
            peer.sendall(said)
        peers.append(peer)
    try:
        yield
    finally:
        for peer in peers:
            peer.close()


SILENT = {
    "nothing": b"",
    "half a line": b"GET /api/v1/tab",
    "headers without an end": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 9000,
    "half a body": b"POST /api/v1/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 8000\r\n"
    b'Content-Type: application/json\r\n\r\n{"name":',
}


@pytest.mark.parametrize("said", SILENT.values(), ids=SILENT.keys())
def test_a_crowd_that_asks_nothing_keeps_nobody_out(page: tuple[int, Path], said: bytes) -> None:
    port, folder = page
    with crowd(port, 600, said):
        for number in range(20):
            answer = asks(port, "/api/v1/tables/t1/state", f"127.9.9.{number + 1}")
            assert answer.startswith(b"HTTP/1.1 200"), answer[:200]
    assert len((folder / "log.txt").read_bytes()) < 20_000


def test_from_an_address_full_of_viewers_staff_still_gets_in(page: tuple[int, Path]) -> None:
    port, folder = page
    token = Access(folder / "access.db").open_session(Visitor("sara", Role.ARBITER))
    bearer, shared = f"Authorization: Bearer {token}", "127.77.0.1"
    peers = []
    try:
        for _ in range(88):
            peer, first = follows(port, shared)
            peers.append(peer)
            assert first.startswith(b"HTTP/1.1 101"), first
        peer, first = follows(port, shared)
        peers.append(peer)
        assert not first.startswith(b"HTTP/1.1 101")
        peer, first = follows(port, shared, bearer)
        peers.append(peer)
        assert first.startswith(b"HTTP/1.1 101"), first
        assert asks(port, "/api/v1/me", shared, bearer).startswith(b"HTTP/1.1 200")
    finally:
        for peer in peers:
            peer.close()


def test_a_stranger_has_little_to_say(page: tuple[int, Path]) -> None:
    port, _ = page
    with line(port, "127.0.0.3") as peer:
        peer.sendall(
            b"POST /api/v1/sign-in HTTP/1.1\r\nHost: 10.0.0.1\r\nContent-Length: 9000\r\n\r\n"
        )
        assert peer.recv(12) == b"HTTP/1.1 413"


def first_word(port: int, said: bytes) -> bytes:
    """How the page's answer to these bytes begins; nothing where it hung up."""
    with (
        line(port, "127.0.0.4") as peer,
        contextlib.suppress(BrokenPipeError, ConnectionResetError),
    ):
        peer.sendall(said)
        return peer.recv(65536)
    return b""


HEAD = b"POST /api/v1/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
CHUNK = b"1000\r\n" + b" " * 4096 + b"\r\n"
ODD = {
    "a header of 200 kB": HEAD + b"X: " + b"x" * 200_000 + b"\r\n\r\n",
    "a length and chunks": HEAD
    + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "two lengths": HEAD + b"Content-Length: 4\r\nContent-Length: 40\r\n\r\n{}{}",
    "chunks without an end": HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNK * 400,
    "JSON without an end": HEAD
    + b"Content-Length: 7000\r\nConnection: close\r\n\r\n"
    + b"[" * 7000,
    "no host": b"GET /api/v1/me HTTP/1.1\r\nConnection: close\r\n\r\n",
    "two hosts": b"GET /api/v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n"
    b"Connection: close\r\n\r\n",
    "another machine's address": b"GET http://evil.example/api/v1/me HTTP/1.1\r\n"
    b"Host: 127.0.0.1\r\nConnection: close\r\n\r\n",
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 600 + b"\r\n\r\n",
}


@pytest.mark.parametrize("said", ODD.values(), ids=ODD.keys())
def test_what_is_no_request_of_ours_is_refused(page: tuple[int, Path], said: bytes) -> None:
    port, _ = page
    found = first_word(port, said)
    assert found == b"" or found.startswith(b"HTTP/1.1 4"), found[:200]
    assert b'"role"' not in found
    assert asks(port, "/api/v1/me", "127.0.0.5").startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("size", [65 * 1024, 10 << 20, 1 << 40])
def test_a_frame_larger_than_any_word_ends_its_feed(page: tuple[int, Path], size: int) -> None:
    port, _ = page
    peer, first = follows(port, "127.0.0.6")
    with peer:
        assert first.startswith(b"HTTP/1.1 101")
        with contextlib.suppress(ConnectionError):
            peer.sendall(b"\x82\xff" + size.to_bytes(8, "big") + b"\0" * 4 + b"x" * 66_000)
            while peer.recv(65536):
                pass
    assert asks(port, "/api/v1/me", "127.0.0.5").startswith(b"HTTP/1.1 200")

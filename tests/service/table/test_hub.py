"""The table's socket: asked, ordered, watched, abused."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.journal.paths import picture_path, socket_path
from service.referee.refusal import Done, Refusal, Reply
from service.table.hub import Hub, HubError
from service.table.requests import OrderRequest, QueryRequest
from service.web.asking import ask


class Table:
    """Acknowledges each order with a number, as the table does after its commit."""

    def __init__(self) -> None:
        self.taken: list[OrderRequest | QueryRequest] = []

    def submit(self, request: OrderRequest | QueryRequest, reply: Reply) -> None:
        self.taken.append(request)
        if request.name == "nonsense":
            reply(Refusal("unknown", "an order", "nonsense", "see docs"))
        else:
            threading.Thread(target=reply, args=(Done(len(self.taken)),)).start()


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[tuple[Hub, Table]]:
    table = Table()
    hub = Hub(tmp_path / "t1.journal.sock", table.submit)
    yield hub, table
    hub.close()


def test_an_order_is_answered_once_it_stands(hub: tuple[Hub, Table]) -> None:
    assert ask(hub[0].path, {"id": "c1", "order": "take", "args": {}, "by": {}}) == {
        "id": "c1",
        "ok": True,
        "seq": 1,
    }
    assert ask(hub[0].path, {"id": "c2", "order": "nonsense"})["error"]["code"] == "unknown"


def test_a_watcher_gets_the_newest_state_now_and_after_each_change(hub: tuple[Hub, Table]) -> None:
    hub[0].publish({"seq": 1})
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(str(hub[0].path))
        line.settimeout(10)
        line.sendall(b'{"id":"w","query":"watch"}\n')
        with line.makefile("rb") as states:
            assert json.loads(states.readline()) == {"state": {"seq": 1}}
            hub[0].publish({"seq": 2})
            seen = [json.loads(states.readline())["state"]["seq"] for _ in range(2)]
            assert seen[0] == 2
            assert seen[1] == 2, "a quiet table beats, so that its watcher knows it lives"


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"[]\n",
        b'{"id":1}\n',
        b"\xff\n",
        b"[" * 5000 + b"\n",
        b'{"order":7}\n',
        b"x" * 300_000 + b"\n",
    ],
)
def test_any_other_line_is_refused_and_the_next_visitor_served(
    hub: tuple[Hub, Table], line: bytes
) -> None:
    with socket.socket(socket.AF_UNIX) as visitor:
        visitor.connect(str(hub[0].path))
        visitor.settimeout(10)
        try:
            visitor.sendall(line)
            with visitor.makefile("rb") as answers:
                assert json.loads(answers.readline())["error"]["code"] == "unreadable"
        except (BrokenPipeError, ConnectionResetError):
            pass
    assert ask(hub[0].path, {"id": "c", "order": "take"})["ok"]


def test_a_crowd_is_turned_away_and_the_table_stays_reachable(hub: tuple[Hub, Table]) -> None:
    crowd = [socket.socket(socket.AF_UNIX) for _ in range(80)]
    try:
        for visitor in crowd:
            visitor.connect(str(hub[0].path))
    finally:
        for visitor in crowd:
            visitor.close()
    for _ in range(5000):
        with contextlib.suppress(OSError):
            assert ask(hub[0].path, {"id": "c", "order": "take"})["ok"]
            return
    pytest.fail("nobody was let in after the crowd had gone")


def test_a_second_table_on_the_same_journal_is_refused(hub: tuple[Hub, Table]) -> None:
    with pytest.raises(HubError, match="another takhte runs this table"):
        Hub(hub[0].path, hub[1].submit)


def test_the_socket_of_a_killed_table_is_taken_over(tmp_path: Path) -> None:
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(tmp_path / "s"))
    left.close()
    Hub(tmp_path / "s", Table().submit).close()
    assert not (tmp_path / "s").exists()


def test_the_socket_is_this_users_alone(hub: tuple[Hub, Table]) -> None:
    assert hub[0].path.stat().st_mode & 0o077 == 0


def test_a_folder_too_deep_for_a_socket_has_one_elsewhere(tmp_path: Path) -> None:
    journal = tmp_path / ("deep/" * 30) / "t1.journal"
    assert len(str(socket_path(journal))) < 100
    assert socket_path(tmp_path / "t1.journal") == tmp_path / "t1.sock"
    assert picture_path(tmp_path / "t1.journal") == tmp_path / "t1.camera.jpg"

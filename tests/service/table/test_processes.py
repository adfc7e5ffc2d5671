"""Real processes: killed, cut off, crowded out.

What was recorded stays, what was running goes on.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import resource
import shutil
import signal
import socket
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.board_spec import reference_board
from firmware_bridge.pty_board import PtyBoard
from firmware_bridge.simulator import Simulator
from service.journal.paths import socket_path
from service.journal.store import Reader, Store
from service.recording.format import Recording
from service.table.replay import replayed
from service.web.asking import ask
from tests.ports import free_port
from tests.service.table.world import Running, running, state, until
from tests.service.tables import CLIP0
from vision.sets import Palette
from vision.tune import Tuned

ORDER = {
    "id": 1,
    "order": "amend",
    "args": {"what": "white", "value": "Anna"},
    "by": {"role": "director", "name": "D"},
}
WHOLE = ("run", "--recording", str(CLIP0))
DEMO = (*WHOLE, "--camera", "none")


def entries(journal: Path) -> list[tuple[int, str]]:
    with Reader(journal) as reader:
        found = [(e.seq, e.body.kind) for e in reader.read()]
        assert reader.broken is None
    return found


def plays(journal: Path) -> list[str]:
    return [p["text"] for p in state(journal)["plays"]]


def test_killed_at_any_moment_it_goes_on_where_it_was(tmp_path: Path) -> None:
    journal = tmp_path / "data/t1.journal"
    arguments = (*DEMO, "--journal", str(journal), "--port", str(free_port()))
    with running(tmp_path, *arguments) as table:
        until(lambda: plays(journal), "a first play", table)
        before = entries(journal)
        table_pid, page_pid = table.child("service.table.process"), table.child("service.web")
        os.kill(page_pid, signal.SIGKILL)
        os.kill(table_pid, signal.SIGKILL)
        until(
            lambda: table.child("service.table.process") not in (0, table_pid),
            "another table",
            table,
        )
        until(lambda: table.child("service.web") not in (0, page_pid), "another page", table)
        found = until(lambda: state(journal), "its word", table)
        assert entries(journal)[: len(before)] == before
        assert "restarted" in [kind for _, kind in entries(journal)]
        assert [p["text"] for p in found["plays"]] == ["8/2 8/3"]
        assert "the table ended (SIGKILL)" in table.said
        table.kill()
    # The parent was killed: its children end by themselves, and let the journal go.
    with running(tmp_path, *arguments) as again:
        until(lambda: len(plays(journal)) >= 2, "the second play", again)
        assert plays(journal)[:2] == ["8/2 8/3", "24/22* 13/8"]
        assert again.end() == 0
    assert entries(journal)[: len(before)] == before
    assert not socket_path(journal).exists()


def test_a_full_disk_stops_nothing_and_loses_nothing(tmp_path: Path) -> None:
    """No file may grow beyond a limit, as on a full disk, until the limit is lifted."""
    journal = tmp_path / "t1.journal"
    with running(tmp_path, *DEMO, "--journal", str(journal), "--no-page") as table:
        until(lambda: state(journal)["phase"] == "to-roll", "the start", table)
        pid, size = (
            table.child("service.table.process"),
            (tmp_path / "t1.journal-wal").stat().st_size,
        )
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        trouble = until(lambda: state(journal)["trouble"], "word of the full disk", table)
        assert "free space on the disk" in trouble[0]
        ordered: dict[str, Any] = {}
        asking = threading.Thread(target=lambda: ordered.update(ask(socket_path(journal), ORDER)))
        asking.start()
        asking.join(60)
        assert ordered["error"]["code"] == "busy", "what is not on the disk is not acknowledged"
        assert state(journal)["match"]["players"]["white"]["name"] == "Light", "nor shown"
        resource.prlimit(
            pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        )
        found = until(
            lambda: (s := state(journal))["match"]["players"]["white"]["name"] == "Anna" and s,
            "the name",
            table,
        )
        assert found["trouble"] == []
        assert "match_amended" in [kind for _, kind in entries(journal)]


def test_what_a_table_recorded_makes_the_same_journal_again(tmp_path: Path) -> None:
    """Read as an earlier evening taught it, too."""
    journal, recorded, film = (tmp_path / n for n in ("t1.journal", "recorded", "film"))
    shutil.copytree(CLIP0, film)
    header = json.loads((film / "recording.json").read_text())
    tuned = Tuned(Palette((180.0, 210.0, 230.0), (40.0, 40.0, 60.0)), 1.5, 9).to_json()
    (film / "recording.json").write_text(json.dumps({**header, "tuned": tuned}))
    whole = ("run", "--recording", str(film), "--no-page", "--record", str(recorded))
    with running(tmp_path, *whole, "--journal", str(journal)) as table:
        until(lambda: plays(journal), "a first play", table)
        assert ask(socket_path(journal), ORDER)["ok"]
        assert table.end() == 0
    found = Recording(recorded)
    assert found.problem is None
    assert found.header.exact and found.header.tuned == tuned
    replayed(found, tmp_path / "again.journal")
    with Reader(journal) as first, Reader(tmp_path / "again.journal") as second:
        assert [(e.hash, e.body.kind) for e in first.read()] == [
            (e.hash, e.body.kind) for e in second.read()
        ]


def refused(folder: Path, *arguments: str) -> str:
    """What a table says that will not start: one line."""
    table = Running(folder, *arguments)
    assert table.process.wait(60) == 1
    usual = (
        "takhte: the page is at",
        "takhte: playing",
        "takhte: live",
        "takhte: the table referees",
    )
    lines = [line for line in table.said.splitlines() if not line.startswith(usual)]
    assert len(lines) == 1, table.said
    return lines[0]


def test_a_journal_of_a_newer_version_is_refused_and_kept(tmp_path: Path) -> None:
    journal = tmp_path / "t1.journal"
    Store.open(journal).close()
    with contextlib.closing(sqlite3.connect(journal)) as db:
        db.execute("PRAGMA user_version = 99")
    before = journal.read_bytes()
    said = refused(tmp_path, *DEMO, "--journal", str(journal), "--no-page")
    assert "later takhte" in said
    assert "Install that version again, or name another journal" in said
    assert journal.read_bytes() == before


def test_a_file_that_is_no_journal_is_refused_and_kept(tmp_path: Path) -> None:
    journal = tmp_path / "t1.journal"
    journal.write_text("shopping list\n" * 100)
    assert "expected a takhte journal" in refused(
        tmp_path, *DEMO, "--journal", str(journal), "--no-page"
    )
    assert journal.read_text().startswith("shopping")


def test_a_taken_port_is_told_with_the_next_step(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused(tmp_path, *DEMO, "--journal", str(tmp_path / "j"), "--port", str(port))
    assert f"port {port} is taken" in said
    assert f"--port {port + 1}" in said


def test_a_second_table_on_the_same_journal_is_refused(tmp_path: Path) -> None:
    journal = tmp_path / "t1.journal"
    with running(tmp_path, *DEMO, "--journal", str(journal), "--no-page") as first:
        until(lambda: state(journal), "the first table", first)
        (tmp_path / "second").mkdir()
        assert "another takhte writes this journal" in refused(
            tmp_path / "second", *DEMO, "--journal", str(journal), "--no-page"
        )
        assert state(journal)


BAD_CAMERAS = {
    "no camera": ("17", "no camera at /dev/video17"),
    "a text file": ("{text}", "notes.mp4"),
    "nothing there": ("nowhere.mp4", "there is no nowhere.mp4"),
}


@pytest.mark.parametrize("name", BAD_CAMERAS)
def test_without_a_camera_the_table_starts_and_says_so(name: str, tmp_path: Path) -> None:
    source, why = BAD_CAMERAS[name]
    text = tmp_path / "notes.mp4"
    text.write_text("not a video at all\n" * 200)
    journal = tmp_path / "t1.journal"
    source = source.format(text=text)
    with running(
        tmp_path,
        "run",
        "--camera",
        source,
        "--board",
        "simulated",
        "--journal",
        str(journal),
        "--no-page",
    ) as table:
        found: dict[str, Any] = until(
            lambda: (s := state(journal))["sources"]["camera"]["state"] == "lost" and s,
            "word of it",
            table,
        )
        assert why in found["sources"]["camera"]["reason"]
        until(lambda: state(journal)["sources"]["board"]["state"] == "ok", "the board", table)
        assert state(journal)["phase"] == "idle", "nothing begins before somebody says so"
        begin = {"order": "set_match", "args": {"length": 5}, "by": {"role": "console"}}
        assert ask(socket_path(journal), {"id": 1, **begin})["ok"]
        # The simulated board shows the start position: seen at rest for long enough, the game
        # begins.
        until(lambda: state(journal)["phase"] == "opening", "the game", table)
        told = [line for line in table.said.splitlines() if "camera: " in line]
        assert len(told) == 1, "one line, once"


def test_a_port_that_is_not_there_is_waited_for(tmp_path: Path) -> None:
    journal = tmp_path / "t1.journal"
    with running(
        tmp_path, "run", "--board", "/dev/ttyNOPE7", "--journal", str(journal), "--no-page"
    ) as table:
        found = until(
            lambda: (s := state(journal))["sources"]["board"]["state"] == "lost" and s,
            "word of it",
            table,
        )
        assert "is the cable in" in found["sources"]["board"]["reason"]
        assert len([line for line in table.said.splitlines() if "board: " in line]) == 1


def test_a_port_that_vanishes_is_told_and_taken_up_again(tmp_path: Path) -> None:
    """A real board's cable: pulled in the middle, pushed in again; the entries say so, and nothing
    else stops.
    """
    journal, cable = tmp_path / "t1.journal", tmp_path / "board"
    with PtyBoard(Simulator(reference_board(), 3)) as board:
        cable.symlink_to(board.address)
        with running(
            tmp_path, "run", "--board", str(cable), "--journal", str(journal), "--no-page"
        ) as table:

            def now(what: str) -> Any:
                return (s := state(journal))["sources"]["board"]["state"] == what and s

            until(lambda: now("ok"), "the board", table)
            board.unplug()
            found = until(lambda: now("lost"), "word of the cable", table)
            assert "is the cable in" in found["sources"]["board"]["reason"]
            assert ask(socket_path(journal), {**ORDER, "order": "call_director", "args": {}})["ok"]
            board.plug()
            cable.unlink()
            cable.symlink_to(board.address)
            until(lambda: now("ok"), "the board again", table)
            kinds = [kind for _, kind in entries(journal)]
            assert (
                kinds.index("source_lost")
                < kinds.index("director_called")
                < kinds.index("source_back")
            )


def test_a_page_that_cannot_be_served_names_the_cause(tmp_path: Path) -> None:
    said = refused(tmp_path, *DEMO, "--journal", str(tmp_path / "j"), "--host", "192.0.2.1")
    assert os.strerror(errno.EADDRNOTAVAIL) in said

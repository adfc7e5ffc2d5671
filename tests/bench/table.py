"""What one table costs, so that a club can choose its machine: CPU, memory and disk of each
process.

First the demo recording through the whole house as fast as it goes, with both sensors and with each
alone. Then the real family of processes over the same recording, with evidence kept as on any
evening; then a camera at ten pictures a second, whose picture is shared with a delay of half a
minute and watched by one viewer.
"""

from __future__ import annotations

import os
import resource
import sqlite3
import tempfile
import threading
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from service.recording.format import Recording
from service.table.options import DEMO
from service.table.replay import replayed
from tests.ports import free_port
from tests.service.table.world import Running, running, state, until
from vision.camera.camera import open_camera

PHOTO = Path(__file__).parents[1] / "data/vision/board_117.jpg"
TURNS_A_DAY = 2000
"""Eight hours of play at a turn in some fifteen seconds."""


@dataclass(frozen=True)
class Size:
    """What is replayed with which sensors, seconds of the evening with real processes that are
    watched (the demo recording takes 66), and seconds of the shared picture.
    """

    replays: str = "camera+board,camera,board"
    evening: float = 66.0
    shared: float = 60.0


SMALLEST: Final = Size(replays="board", evening=1.0, shared=1.0)


def replays(cases: str) -> None:
    found = Recording(DEMO)
    for case in cases.split(","):
        camera, board = "camera" in case, "board" in case
        with tempfile.TemporaryDirectory() as room:
            journal = Path(room) / "journal"
            cpu, wall = time.process_time(), time.perf_counter()
            end = replayed(found, journal, camera, board)
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            size = sum(p.stat().st_size for p in Path(room).iterdir())
        share = cpu / found.length
        took = f"{cpu:.1f} CPU s, {wall:.1f} s for {found.length:.0f} s"
        print(
            f"{case:<13} {share:6.1%} of one core ({took}), {len(end.match.plays)} plays,"
            f" {size} bytes"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory at its peak {peak:.0f} MiB; {os.cpu_count()} cores here")


def family_of(pid: int) -> dict[int, str]:
    """Every process of the family: number and module."""
    found = {pid: "takhte run"}
    children = " ".join(path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children"))
    for child in children.split():
        found |= family_of(int(child))
        words = Path(f"/proc/{child}/cmdline").read_bytes().decode().split("\0")
        found[int(child)] = next(
            (
                w
                for w in words
                if w in ("service.table.process", "service.web", "vision.camera.process")
            ),
            words[0],
        )
    return found


def cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(pid: int) -> float:
    """MiB at its peak; what it shares with others is counted in full."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def watched(table: Running, seconds: float) -> None:
    """Let it run, and say what each process took."""
    before, began = {pid: cpu_of(pid) for pid in family_of(table.process.pid)}, time.monotonic()
    time.sleep(seconds)
    took = time.monotonic() - began
    for pid, name in family_of(table.process.pid).items():
        print(
            f"  {name:<22} {(cpu_of(pid) - before.get(pid, 0.0)) / took:6.1%} of one core,"
            f" {memory_of(pid):5.0f} MiB at its peak"
        )


def evening(seconds: float) -> None:
    """The real processes over the demo recording, in its own time, for so many seconds."""
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room)
        journal = folder / "data/t1.journal"
        with running(
            folder,
            "run",
            "--recording",
            str(DEMO),
            "--journal",
            str(journal),
            "--port",
            str(free_port()),
        ) as table:
            until(lambda: state(journal), "the table", table)
            print("the family over the demo recording, camera and board:")
            watched(table, seconds)
            plays = len(state(journal)["plays"])
            table.end()
        kept = list(journal.with_name("t1.pictures").glob("*.jpg"))
        size = sum(p.stat().st_size for p in kept)
        with closing(sqlite3.connect(journal)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        bytes_ = journal.stat().st_size
    day = TURNS_A_DAY / max(plays, 1)
    print(
        f"  journal {bytes_ / 1000:.0f} kB and {len(kept)} pictures of"
        f" {size / 1000 / max(len(kept), 1):.0f} kB in {plays} turns;"
    )
    print(
        f"  a day of {TURNS_A_DAY} turns: journal {bytes_ * day / 1e6:.0f} MB, pictures"
        f" {size * day / 1e6:.0f} MB until they expire"
    )


def shared(seconds: float) -> None:
    """A camera of 1280x960 or so, its picture on the air for so many seconds."""
    with tempfile.TemporaryDirectory() as room:
        folder, film = Path(room), Path(room) / "film"
        film.mkdir()
        for k in range(1200):
            (film / f"{k:04}.jpg").symlink_to(PHOTO)
        (folder / "takhte.toml").write_text(
            f"[table]\ndata = '{folder / 'data'}'\n[broadcast]\npicture = true\n"
        )
        (folder / "data").mkdir()
        (folder / "data/delay.json").write_text('{"overlay": {"seconds": 30}}')
        port, console = free_port(), free_port()
        base = f"http://127.0.0.1:{port}/api/v1/tables/t1"
        doors = ("--port", str(port), "--console-port", str(console))
        with open_camera(str(film), pace=0.1, broadcast=True) as phone:
            address = until(lambda: phone.broadcast if phone.latest() else None, "the camera")
            with running(folder, "run", *doors, "--camera", address) as table:
                until(lambda: _answers(f"{base}/stream.jpg"), "the picture", table)
                threading.Thread(
                    target=_watch, args=(f"{base}/stream.mjpg?feed=overlay",), daemon=True
                ).start()
                print(
                    "a camera at ten pictures a second, its picture shared 30 s late with one"
                    " viewer:"
                )
                watched(table, seconds)
                told = httpx.get(f"http://127.0.0.1:{console}/api/v1/tables/t1/stream").json()
                print(
                    f"  {told['kept']} pictures wait, {told['megabytes']} MB of"
                    f" {told['megabytes_most']}"
                )


def _answers(address: str) -> bool:
    try:
        answer = httpx.get(address, timeout=5)
    except httpx.HTTPError:
        return False
    return answer.status_code == 200 and "x-why" not in answer.headers


def _watch(address: str) -> None:
    try:
        with httpx.stream("GET", address, timeout=30) as answer:
            for _ in answer.iter_raw():
                pass
    except httpx.HTTPError:
        return


def main(size: Size) -> None:
    replays(size.replays)
    shared(size.shared)
    evening(size.evening)

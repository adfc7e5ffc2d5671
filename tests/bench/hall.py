"""A full hall on one machine: 8 full tables and 192 publishers at a tournament's pace, then a burst
at ten times that (journals in group commit), 50 arbiters (each with the wall and one table open)
and 500 viewers; beside what bare nats-py does with the same messages."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from service.hall.api import ApiError
from service.hall.tournament import Process, Tournament
from tests.ports import free_port

NEEDS: Final = ("nats-server",)


@dataclass(frozen=True)
class Size:
    """Seconds in all; full tables, those that only write at first and in all; arbiters, viewers;
    how many times as fast as a tournament they play, games that they write again and again, turns
    of each; seconds in which what was started comes to rest; and 1 for a line in plain.
    """

    seconds: float = 120.0
    full: int = 8
    few: int = 12
    many: int = 192
    arbiters: int = 50
    viewers: int = 500
    pace: float = 1.0
    games: int = 8
    turns: int = 400
    rest: float = 2.0
    plain: float = 0.0

    @property
    def first(self) -> str:
        return f"{self.full + self.few} tables"

    @property
    def all(self) -> str:
        return f"{self.full + self.many} tables"


SMALLEST: Final = Size(
    5.0, full=1, few=1, many=2, arbiters=1, viewers=2, pace=60.0, games=1, turns=20, rest=0.2
)
TICK = os.sysconf("SC_CLK_TCK")


def used(pid: int) -> tuple[float, float]:
    """(CPU seconds, MB) of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    status = Path(f"/proc/{pid}/status").read_text()
    rss = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    return (int(fields[11]) + int(fields[12])) / TICK, rss / 1024


class Bench:
    """The family of a full hall, and what it has used."""

    def __init__(self, folder: Path, size: Size) -> None:
        self.folder, self.size = folder, size
        full, few, many = (
            [f"{kind}{i}" for i in range(1, n + 1)]
            for kind, n in (("f", size.full), ("s", size.few), ("m", size.many - size.few))
        )
        self.full, self.few, self.many = full, few, many
        self.family = Tournament(
            folder, [*full, *few, *many], free_port(), free_port(), free_port(), 1.0, 1, "club"
        )
        self.family.plain = bool(size.plain)
        self.api = self.family.start_hall("127.0.0.1")
        self.family.join(self.api)
        self.others: dict[str, subprocess.Popen[str]] = {}
        self.started = 0

    def pids(self) -> dict[str, int]:
        found = {"nats-server": int((self.folder / "hall" / "nats.pid").read_text())}
        for name, process in self.family.processes.items():
            if process.process is not None:
                found[name] = process.process.pid
        return found

    def spawn(self, name: str, command: list[str], wait: str = "ready") -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline().startswith(wait)
        self.others[name] = process
        return process

    def start_full(self) -> None:
        live = [
            "service.simulate.live",
            str(self.folder / "tables"),
            *self.full,
            "--own",
            "--factor",
            "1",
            "--length",
            "5",
        ]
        self.family.processes["tables"] = Process("tables", live)
        self.publish("publishers of full tables", self.full)

    def publish(self, name: str, tables: Sequence[str]) -> None:
        journals = [str(self.family.journal(table)) for table in tables]
        self.family.processes[name] = Process(
            name, ["service.hall.publish", "--journal", *journals]
        )
        self.started += len(tables)
        self.family.keep()

    def write(self, name: str, tables: Sequence[str]) -> None:
        games = [str(self.size.games), str(self.size.turns)]
        self.spawn(name, ["tests.bench._hall_tables", *games, str(self.folder / "tables"), *tables])

    def pace(self, factor: float) -> None:
        for name, process in self.others.items():
            if name.startswith("light"):
                assert process.stdin is not None
                process.stdin.write(f"pace {factor}\n")
                process.stdin.flush()

    def phase(self, name: str, seconds: float) -> tuple[float, float]:
        """Let it run; print what each process used, and the memory at each quarter.

        Returns the dates between which it ran.
        """
        # What was started just now has caught up first.
        self.settle()
        pids = self.pids()
        before = {who: used(pid) for who, pid in pids.items()}
        began = time.time()
        memory: dict[str, list[float]] = {who: [before[who][1]] for who in pids}
        for quarter in range(1, 5):
            time.sleep(max(0.0, began + seconds * quarter / 4 - time.time()))
            for who, pid in pids.items():
                memory[who].append(used(pid)[1])
        ended = time.time()
        print(f"{name}, {seconds:.0f} s:")
        for who, pid in pids.items():
            share = 100 * (used(pid)[0] - before[who][0]) / (ended - began)
            quarters = " ".join(f"{mb:6.1f}" for mb in memory[who])
            print(f"  {who:28} CPU {share:5.1f} % of a core   RSS at each quarter {quarters} MB")
        return began, ended

    def settle(self) -> None:
        for _ in range(600):
            with contextlib.suppress(ApiError):
                wall = self.api.get("/api/v1/hall/wall")
                heard = sum(not card["silent"] for card in wall["cards"])
                if wall["hall"]["behind"] == 0 and wall["hall"]["up"] and heard >= self.started:
                    break
            time.sleep(0.2)
        time.sleep(self.size.rest)

    def close(self) -> None:
        for process in self.others.values():
            process.kill()
            process.wait()
        self.family.end()


def latencies(
    folder: Path, sights: Path, began: float, ended: float
) -> Iterator[tuple[str, float]]:
    """(feed, seconds from the entry at its table to the wall) of what was entered between these
    dates.
    """
    walls: dict[str, dict[int, float]] = {}
    for line in sights.read_text().splitlines():
        kind, table, after, upto, at = json.loads(line)
        if table not in walls:
            with contextlib.closing(
                sqlite3.connect(f"file:{folder}/tables/{table}/{table}.journal?mode=ro", uri=True)
            ) as db:
                walls[table] = {
                    seq: json.loads(text)["wall"]
                    for seq, text in db.execute("SELECT seq, text FROM entries")
                }
        for seq in range(after + 1, upto + 1):
            if began <= walls[table].get(seq, 0.0) < ended - 1:
                yield kind, at - walls[table][seq]


def told(name: str, found: list[float]) -> None:
    found.sort()
    if found:
        p50, p99 = 1000 * found[len(found) // 2], 1000 * found[int(len(found) * 0.99)]
        print(
            f"  {name:28} {len(found):6} entries, table to wall: p50 {p50:6.0f} ms   p99 {p99:6.0f}"
            f" ms   most {1000 * found[-1]:6.0f} ms"
        )


def bare(bench: Bench, began: float, ended: float) -> None:
    """The messages that came between these dates, through bare nats-py at the same pace."""
    with contextlib.closing(
        sqlite3.connect(f"file:{bench.folder}/hall/model.db?mode=ro", uri=True)
    ) as db:
        rows = db.execute("SELECT name, text FROM entry").fetchall()
    sent = sorted((json.loads(text)["wall"], table, len(text) + 250) for table, text in rows)
    sent = [row for row in sent if began <= row[0] < ended]
    if not sent:
        print("bare nats-py: no table sent anything meanwhile")
        return
    dump = bench.folder / "dump.jsonl"
    dump.write_text("\n".join(json.dumps(row) for row in sent))
    port, store = free_port(), bench.folder / "bare"
    config = bench.folder / "bare.conf"
    config.write_text(
        json.dumps({"listen": f"127.0.0.1:{port}", "jetstream": {"store_dir": str(store)}})
    )
    program = "/usr/sbin/nats-server" if Path("/usr/sbin/nats-server").exists() else "nats-server"
    server = subprocess.Popen([program, "-c", str(config)], stderr=subprocess.DEVNULL)
    try:
        time.sleep(1)
        halves = {}
        for half in ("receive", "publish"):
            command = [sys.executable, "-m", "tests.bench._hall_bare", str(port), str(dump), half]
            halves[half] = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            if half == "receive":
                assert halves[half].stdout is not None and halves[half].stdout.readline()
        results: dict[str, Any] = {
            half: json.loads(p.communicate()[0]) for half, p in halves.items()
        }
        got, put = results["receive"], results["publish"]
        print(
            f"bare nats-py, the same {got['count']} messages at the same pace: p50 {got['p50']:.1f}"
            f" ms   p99 {got['p99']:.1f} ms   CPU receiver {100 * got['cpu'] / put['seconds']:.1f}"
            f" %, publisher {100 * put['cpu'] / put['seconds']:.1f} %"
        )
    finally:
        server.terminate()
        server.wait()


def main(size: Size) -> None:
    with tempfile.TemporaryDirectory(prefix="takhte-bench-") as name:
        folder = Path(name)
        bench = Bench(folder, size)
        try:
            run(bench, folder, size)
        finally:
            bench.close()


def run(bench: Bench, folder: Path, size: Size) -> None:
    print(
        f"{size.full} full tables, {size.many} publishers, {size.arbiters} arbiters,"
        f" {size.viewers} viewers, {size.seconds:.0f} s in all, {os.cpu_count()} cores"
    )
    sights = folder / "sights.jsonl"
    bench.start_full()
    bench.write("light few", bench.few)
    bench.publish(f"publishers of {size.few}", bench.few)
    clients = [
        "tests.bench._hall_clients",
        str(bench.family.console_port),
        str(size.arbiters),
        str(size.viewers),
        str(sights),
        *bench.full,
        *bench.few,
    ]
    spawned = bench.spawn("clients", clients)
    bench.pace(size.pace)
    few = bench.phase(size.first, size.seconds * 0.15)
    bench.write("light many", bench.many)
    bench.publish(f"publishers of {len(bench.many)}", bench.many)
    bench.pace(size.pace)
    many = bench.phase(size.all, size.seconds * 0.45)
    bench.pace(10 * size.pace)
    faster = f"{size.all}, ten times as fast (journals in group commit)"
    burst = bench.phase(faster, size.seconds * 0.15)
    bench.pace(size.pace)
    # By now every table has played more than a match: what grows still grows for ever.
    calm = bench.phase(f"{size.all}, calm again", size.seconds * 0.15)
    assert spawned.stdin is not None and spawned.stdout is not None
    spawned.stdin.write("end\n")
    spawned.stdin.flush()
    read, lost, frames = (int(word) for word in spawned.stdout.readline().split()[1:])
    print(
        f"clients: {read / 1e6:.0f} MB in {frames} frames, {lost} of"
        f" {2 * size.arbiters + size.viewers} sockets lost"
    )
    for title, (began, ended) in (
        (size.first, few),
        (size.all, many),
        ("burst", burst),
        ("calm again", calm),
    ):
        found: dict[str, list[float]] = {}
        for kind, age in latencies(folder, sights, began, ended):
            found.setdefault(kind, []).append(age)
        for kind, ages in sorted(found.items()):
            told(f"{title}, {kind}", ages)
    wall = bench.api.get("/api/v1/hall/wall")
    print(
        f"refused: {len(bench.api.get('/api/v1/hall/refusals')['refusals'])}; behind:"
        f" {wall['hall']['behind']}"
    )
    bare(bench, many[0], many[0] + min(60.0, many[1] - many[0]))
    bare(bench, burst[0], burst[0] + min(60.0, burst[1] - burst[0]))

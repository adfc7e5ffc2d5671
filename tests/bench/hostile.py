"""A page amid a hostile crowd, beside the same page left alone: `make bench-hostile`.

The real family of processes plays the demo recording; then again with thousands of idle, slow and
lying sockets, two hundred sign-ins at once and five hundred honest viewers, each from an address of
its own. Printed: how long staff waited, the page's memory, and how long after a press the referee's
verdict stood in the journal, with and without.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from service.journal.entry import Role
from service.journal.store import Reader
from service.table.options import DEMO
from service.web.access import Access
from service.web.policy import Visitor
from tests.bench.table import memory_of
from tests.service.table.world import Running, free_port, running, state, until

STAFFS_ADDRESS: Final = "127.9.9.9"


@dataclass(frozen=True)
class Size:
    """Hostile sockets, honest viewers, sign-ins at once, and seconds each evening is watched (the
    demo recording takes 66).
    """

    sockets: int = 5000
    viewers: int = 500
    signers: int = 200
    seconds: float = 62.0


SMALLEST: Final = Size(sockets=60, viewers=5, signers=10, seconds=2.0)


@contextmanager
def crowd(port: int, size: Size) -> Iterator[subprocess.Popen[str]]:
    numbers = (str(n) for n in (port, size.sockets, size.viewers, size.signers))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench._hostile_clients", *numbers],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def heard(process: subprocess.Popen[str]) -> list[int]:
    assert process.stdout is not None
    return [int(word) for word in process.stdout.readline().split()]


def staff_waits(port: int, token: str, seconds: float) -> list[float]:
    """How long an arbiter waited for each page and question, a connection for each; seconds."""
    waits = []
    end = time.monotonic() + seconds
    paths = ("/api/v1/me", "/api/v1/tables/t1/state", "/static/js/board.js", "/arbiter")
    while time.monotonic() < end:
        path = paths[len(waits) % len(paths)]
        began = time.monotonic()
        transport = httpx.HTTPTransport(local_address=STAFFS_ADDRESS)
        with httpx.Client(transport=transport, timeout=30) as client:
            answer = client.get(
                f"http://127.0.0.1:{port}{path}", headers={"authorization": f"Bearer {token}"}
            )
        assert answer.status_code == 200, answer.text
        waits.append(time.monotonic() - began)
        time.sleep(0.05)
    return sorted(waits)


def verdicts(journal: Path) -> list[float]:
    """Seconds of table time from each press to the play that it ended, as recorded."""
    with Reader(journal) as reader:
        entries = reader.read()
    late = []
    pressed = 0.0
    for entry in entries:
        if entry.body.kind == "pressed":
            pressed = entry.at
        if entry.body.kind == "played" and pressed:
            late.append(entry.at - pressed)
    return sorted(late)


def answers(port: int) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(f"http://127.0.0.1:{port}/-/healthy").status_code == 200
    return False


def evening(size: Size, *, hostile: bool) -> None:
    with tempfile.TemporaryDirectory() as room:
        folder, port = Path(room), free_port()
        journal = folder / "data/t1.journal"
        options = ["--recording", str(DEMO), "--journal", str(journal), "--port", str(port)]
        with running(folder, "run", *options) as table:
            until(lambda: state(journal), "the table", table)
            until(lambda: answers(port), "the page", table)
            token = Access(folder / "data/access.db").open_session(Visitor("sara", Role.ARBITER))
            if not hostile:
                watch(table, journal, staff_waits(port, token, size.seconds), "left alone")
                return
            with crowd(port, size) as clients:
                came = heard(clients)
                waits = staff_waits(port, token, size.seconds)
                watch(table, journal, waits, f"amid {came[0]} hostile sockets, {came[1]} viewers")
                assert clients.stdin is not None
                clients.stdin.close()
                told, lost, shown_out = heard(clients)
                print(
                    f"  viewers: {told} of {size.viewers} were told of the game, {lost} lost;"
                    f" hostile ones shown out {shown_out} times"
                )


def watch(table: Running, journal: Path, waits: list[float], what: str) -> None:
    late = verdicts(journal)
    page = table.child("service.web")
    p99 = waits[min(len(waits) - 1, int(len(waits) * 0.99))]
    middle, last = (late[len(late) // 2], late[-1]) if late else (0.0, 0.0)
    print(f"{what}:")
    print(
        f"  staff: {len(waits)} requests, p50 {1000 * waits[len(waits) // 2]:.0f} ms, p99"
        f" {1000 * p99:.0f} ms, most {1000 * waits[-1]:.0f} ms (at most 300 at p99)"
    )
    print(f"  the page's memory at its peak: {memory_of(page):.0f} MiB (at most 300)")
    print(
        f"  {len(late)} verdicts: p50 {middle:.2f} s, most {last:.2f} s after the press", flush=True
    )


def main(size: Size) -> None:
    evening(size, hostile=False)
    evening(size, hostile=True)

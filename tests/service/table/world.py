"""A table as people run it: real processes on a real journal, watched through its socket."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from service.journal.paths import socket_path
from service.web.asking import ask

PATIENCE = 120.0
"""Seconds to wait for what must come: long, so that a busy machine never fails a test."""


class Running:
    """`takhte ARGS` as a child of the test."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.log = folder / "log.txt"
        settings = folder / "takhte.toml"
        if not settings.exists():
            settings.write_text(f"[table]\ndata = '{folder / 'data'}'\n[page]\nconsole_port = 0\n")
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "service.cli", *arguments],
                stdout=log,
                stderr=log,
                env=os.environ | {"TAKHTE_SETTINGS": str(settings)},
            )

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def child(self, module: str) -> int:
        """The process id of a child that runs this module."""
        children = (
            Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        )
        for pid in children:
            with contextlib.suppress(OSError):
                if module.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
                    return int(pid)
        return 0

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(30)


@contextlib.contextmanager
def running(folder: Path, *arguments: str) -> Iterator[Running]:
    found = Running(folder, *arguments)
    try:
        yield found
    finally:
        if found.process.poll() is None:
            found.end()


def until(what: Callable[[], Any], why: str, watched: Running | None = None) -> Any:
    """What it gives once that is true; fails with the log when it never is."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with contextlib.suppress(OSError, KeyError, ValueError):
            if found := what():
                return found
        if watched is not None and watched.process.poll() is not None:
            break
        time.sleep(0.1)
    raise AssertionError(f"{why} never came true; the log:\n{watched.said if watched else ''}")


def state(journal: Path) -> dict[str, Any]:
    """The table's own document."""
    found: dict[str, Any] = ask(socket_path(journal), {"id": 1, "query": "state"})["result"]
    return found

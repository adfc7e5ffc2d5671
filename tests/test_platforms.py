"""docs/platforms.md says what only Linux has, and what every Unix has: each call stands in the
files that it names, and nowhere else.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from service.journal.entries import MatchSet
from service.journal.store import Reader

HOME: Final = Path(__file__).parent.parent
GUIDE: Final = HOME / "docs" / "platforms.md"
ROOMS: Final = ("rules", "vision", "firmware_bridge", "service")
CALLS: Final = {
    # How the guide's row begins, and what the code says. Of the last there is none.
    "V4L2": r"/dev/video|video4linux|CAP_V4L2",
    "`memfd_create`": r"memfd_create|MFD_CLOEXEC",
    "`/dev/shm`": r"/dev/shm",
    "`fdatasync`": r"fdatasync",
    "`/dev/serial/by-id`": r"/dev/serial",
    "Pins": r"/dev/(spidev|gpiochip)",
    "systemd": r"NOTIFY_SOCKET|SOCK_CLOEXEC|/run/systemd|journalctl|/etc/group",
    "`/proc`": r"/proc/",
    "Unix sockets": r"AF_UNIX|unix_(connection|server)",
    "`fcntl.flock`": r"\bflock\b",
    "Pseudo-terminals": r"openpty",
    "`resource`": r"\bresource\.[gs]etrlimit|\bgetrusage",
    "`O_DIRECTORY`": r"O_DIRECTORY",
    "`os.nice`": r"os\.nice|os\.getloadavg",
    "others": r"\b(epoll|inotify|prctl|signalfd|eventfd|pidfd_open|splice|posix_fadvise|"
    r"sched_[gs]etaffinity|posix_fallocate|SO_PEERCRED|SO_BINDTODEVICE|"
    r"TCP_INFO|TCP_QUICKACK|TCP_USER_TIMEOUT)\b",
}


@cache
def code() -> dict[str, str]:
    """Each module's code without its comments and docstrings."""
    found = {}
    for room in ROOMS:
        for path in sorted((HOME / room).rglob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                body = getattr(node, "body", None)
                if isinstance(body, list):
                    node.body = [n for n in body if not _is_text(n)] or [ast.Pass()]
            found[path.relative_to(HOME).as_posix()] = ast.unparse(tree)
    return found


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def told(call: str) -> set[str]:
    """The files of the guide's row of this call."""
    row = re.search(rf"^\| {re.escape(call)}.*$", GUIDE.read_text(encoding="utf-8"), re.M)
    return set(re.findall(r"`([a-z_]+/[\w/]+\.py)`", row[0])) if row else set()


@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_not_every_machine_has_stands_where_the_guide_says(call: str) -> None:
    assert {path for path, text in code().items() if re.search(CALLS[call], text)} == told(call)


ELSEWHERE: Final = """
import os, platform, sys
del os.fdatasync, os.memfd_create
platform.system = lambda: "Darwin"
from pathlib import Path
from vision.camera.sources import SourceError, check_source
from tests.service.web.hand import HandTable
table = HandTable(Path(sys.argv[1]))
table.order("set_match", white="Mahsa", black="Jan", length=1)
table.close()
try:
    check_source("0")
except SourceError as error:
    print(error)
"""
"""A table where nothing of Linux alone is to be had, and its word on a camera by number."""


def test_without_what_linux_alone_has_a_table_keeps_its_journal_and_says_what_a_camera_may_be(
    tmp_path: Path,
) -> None:
    given = [sys.executable, "-c", ELSEWHERE, str(tmp_path)]
    said = subprocess.run(given, capture_output=True, text=True, check=True, cwd=HOME).stdout
    assert "--camera phone" in said and "Darwin gives none" in said
    (journal,) = tmp_path.glob("*.journal")
    with Reader(journal) as reader:
        assert [e.body.white for e in reader.read() if isinstance(e.body, MatchSet)] == ["Mahsa"]

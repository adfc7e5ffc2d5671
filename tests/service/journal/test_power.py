"""The power goes at any moment: every entry that was acknowledged is there at the next start, or,
where the file was deleted as well, its loss is named.

kill -9 proves little of a disk, since the kernel still has what was written. `make test-power` cuts
at a thousand points; CUTS says at how many.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.journal.keys import key_path, table_key
from service.journal.mending import open_mended
from service.journal.store import missing_end
from tests.service.journal.power import STRACE, Call, Disk, File, Write, calls_in

CUTS = int(os.environ.get("CUTS", "60"))
IGNORED = ("-shm", ".lock", ".sock")


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Call]]:
    """The folder that the story was told in, and what the kernel was asked."""
    home = tmp_path_factory.mktemp("power")
    allowed = subprocess.run(
        ["strace", "-o", "/dev/null", "true"], capture_output=True, check=False
    )
    assert not allowed.returncode, (
        f"strace may not trace here: {allowed.stderr.decode()[:200]}: allow ptrace to this user"
    )
    (home / "data").mkdir()
    program = [sys.executable, "-m", "tests.service.journal.power_story", str(home / "data")]
    subprocess.run([*STRACE, str(home / "trace"), *program, str(home / "said")], check=True)
    return home / "data", list(calls_in(home / "trace"))


@pytest.fixture
def room() -> Iterator[Path]:
    """A folder in memory where there is one: it is filled and opened at every cut."""
    memory = Path("/dev/shm")
    place = Path(tempfile.mkdtemp(prefix="takhte-", dir=memory if memory.is_dir() else None))
    yield place
    shutil.rmtree(place)


@pytest.mark.timeout(60 + CUTS)
def test_the_power_goes(story: tuple[Path, list[Call]], room: Path) -> None:
    folder, calls = story
    chance = random.Random(20261122)
    disk = Disk(folder, IGNORED)
    # From the first call that reaches the folder on.
    first = next(n for n, call in enumerate(calls) if any(b"data/" in t for t in call.texts))
    points = sorted(chance.sample(range(first, len(calls)), CUTS))
    taken = 0
    for point in points:
        for call in calls[taken:point]:
            disk.take(call)
        taken = point
        shutil.rmtree(room)
        room.mkdir()
        disk.cut(chance, room)
        check(room, disk.said, f"cut before call {point} ({calls[point].name})")
    assert len([s for s in disk.said if s.startswith("entry")]) > 60, "the story was long enough"


def check(room: Path, said: list[str], where: str) -> None:
    """What was said before the cut is true after it."""
    journal = room / "t.journal"
    heads = {int(s.split()[1]): s.split()[2] for s in said if s.startswith("entry")}
    acknowledged, deleted = max(heads, default=0), not journal.exists()
    with open_mended(journal, "after") as store:
        lost = [m for m in store.mended if m.last]
        if lost:
            # Somebody deleted the file, and the power went before it was written anew.
            assert deleted, f"{where}: {store.mended}"
            assert (lost[0].last, lost[0].head) == (acknowledged, heads[acknowledged]), where
            return
        assert store.seq >= acknowledged, f"{where}: {acknowledged} acknowledged"
        for entry in store.past:
            assert heads.get(entry.seq, entry.hash) == entry.hash, where
        beats = [float(s.split()[1]) for s in said if s.startswith("beat")]
        beat = store.heartbeat()
        known = max(store.past[-1].at if store.past else 0.0, beat.at if beat else 0.0)
        assert known >= max(beats, default=0.0), f"{where}: the clock stood at {max(beats)}"
    assert missing_end(journal) is None
    keys = [s.split()[1] for s in said if s.startswith("key")]
    if keys:
        found = table_key(key_path(journal)).public_key().public_bytes_raw().hex()
        assert found == keys[0], f"{where}: the table has another key"


def test_the_disk_forgets_what_was_not_synced() -> None:
    """The instrument itself: a store that never syncs would be caught."""
    chance = random.Random(1)
    file = File(b"old!", [Write(0, b"new!")])
    assert {file.left(chance) for _ in range(40)} >= {b"old!", b"new!"}
    file.sync()
    assert {file.left(chance) for _ in range(9)} == {b"new!"}
    long = File(b"", [Write(0, b"a" * 1024)])
    left = {file.left(chance) for file in [long] * 200}
    assert b"a" * 512 in left and b"\0" * 512 + b"a" * 512 in left, "torn at a sector"

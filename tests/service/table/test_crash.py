"""kill -9 at random moments, and what the kernel saw: nothing that was acknowledged is ever lost,
nothing is said before it is on the disk.

`make test-crash` kills 200 times; CRASHES says how often, CRASH_ROOM a folder in which the journal
that sensors feed is kept, so that killing goes on where it was stopped.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import threading
from pathlib import Path

import pytest

from service.journal.store import Reader
from tests.service.table.table_process import Process, next_order, numbers_in
from tests.service.tables import CLIP0

CRASHES = int(os.environ.get("CRASHES", "10"))


@pytest.mark.timeout(60 + 30 * CRASHES)
def test_killed_at_random_moments(tmp_path: Path) -> None:
    """A running match by hand: each life is cut off somewhere between two milliseconds and a second
    and a half after its first order.
    """
    journal = tmp_path / "crash.journal"
    chance = random.Random(20261121)
    before: dict[str, float] | None = None
    acked = 0
    for life in range(CRASHES):
        table = Process(journal)
        seen = table.state()
        assert seen["seq"] >= acked, (
            f"life {life}: entry {acked} was acknowledged, {seen['seq']} are there"
        )
        if before is not None:
            # The clock goes on to within a second of what was last shown; the time away is
            # nobody's.
            for side in ("white", "black"):
                drift = before[side] - seen["clock"][side]["bank"] if seen["clock"][side] else 0.0
                assert -1.05 <= drift <= 1.05 + seen["at"] - before["at"], (
                    life,
                    side,
                    before,
                    seen["clock"],
                    seen["at"],
                )
        before = None
        cut = threading.Timer(chance.uniform(0.002, 1.5), table.process.kill)
        cut.start()
        try:
            while True:
                name, args = next_order(seen, chance)
                table.order(name, **args)
                seen = table.state()
                clock = seen["clock"]
                if clock["white"]:
                    before = {
                        "white": clock["white"]["bank"],
                        "black": clock["black"]["bank"],
                        "at": seen["at"],
                    }
        except OSError:
            pass
        cut.join()
        table.kill()
        acked = max([acked, *table.acked])
        count, sound = numbers_in(journal)
        assert sound, f"life {life}: the chain broke"
        assert count >= acked, f"life {life}: entry {acked} was acknowledged, {count} are there"
    with Reader(journal) as reader:
        kinds = [e.body.kind for e in reader.read()]
    assert kinds.count("restarted") == CRASHES - 1, "an entry names each gap"
    assert kinds.count("played") > CRASHES / 2, "a match was running"


@pytest.mark.timeout(60 + 60 * CRASHES)
def test_killed_while_sensors_are_read(tmp_path: Path) -> None:
    """The recorded game, camera and board: entries come of what is seen, and an arbiter rules
    meanwhile. What a state has shown is as good as acknowledged.
    """
    room = Path(os.environ.get("CRASH_ROOM", tmp_path))
    room.mkdir(parents=True, exist_ok=True)
    journal, done = room / "seen.journal", room / "lives"
    world = ("--recording", str(CLIP0))
    banks, at = {"white": 0.0, "black": 0.0}, 0.0
    lives = max(3, CRASHES if CRASHES > 10 else 0)
    # How many lives there were, and the last entry that was acknowledged or shown.
    first, known = map(int, done.read_text().split()) if done.exists() else (0, 0)
    chance = random.Random(20261122 + first)
    for life in range(first, lives):
        table = Process(journal, world=world)
        seen = table.state()
        assert seen["seq"] >= known, f"life {life}: entry {known} was shown"
        for side, clock in ((side, seen["clock"][side]) for side in banks):
            if clock and at:
                drift = banks[side] - clock["bank"]
                assert -1.05 <= drift <= 1.05 + seen["at"] - at, (life, side, drift)
        cut = threading.Timer(chance.uniform(0.2, 2.5), table.process.kill)
        cut.start()
        try:
            while True:
                table.order("rule", text=f"life {life}")
                seen = table.state()
                known, at = max(known, seen["seq"]), seen["at"]
                banks = {s: seen["clock"][s]["bank"] if seen["clock"][s] else 0.0 for s in banks}
        except OSError:
            pass
        cut.join()
        table.kill()
        known = max([known, *table.acked])
        count, sound = numbers_in(journal)
        assert sound, f"life {life}: the chain broke"
        assert count >= known, f"life {life}: entry {known} was acknowledged, {count} are there"
        done.write_text(f"{life + 1} {known}")
    with Reader(journal) as reader:
        kinds = [e.body.kind for e in reader.read()]
    # A run that was stopped and goes on has lives that nobody counted.
    assert kinds.count("restarted") >= lives - 1 and "alert_raised" not in kinds[:3]
    assert kinds.count("ruled") > lives / 2


def _calls(trace: str) -> list[tuple[int, int, str]]:
    """(line it began at, line it returned by, text) of each call of a trace of many threads."""
    found, open_calls = [], {}
    for number, line in enumerate(trace.splitlines()):
        match = re.match(r"(?:\[pid\s+)?(\d+)\]?\s+(.*)", line)
        if not match:
            continue
        thread, text = match[1], match[2]
        if text.endswith("<unfinished ...>"):
            open_calls[thread] = (number, text)
        elif text.startswith("<..."):
            began, first = open_calls.pop(thread, (number, ""))
            found.append((began, number, first + text))
        else:
            found.append((number, number, text))
    return found


def test_nothing_is_published_before_it_is_on_the_disk(tmp_path: Path) -> None:
    """What the kernel saw: for every entry, its bytes written to the log, then a sync of the log
    that returned, then the first answer or state that knows it."""
    journal, trace = tmp_path / "traced.journal", tmp_path / "trace"
    allowed = subprocess.run(
        ["strace", "-o", "/dev/null", "true"], capture_output=True, check=False
    )
    if allowed.returncode:
        pytest.skip(f"strace may not trace here: {allowed.stderr.decode()[:100]}")
    what = "trace=pwrite64,write,fsync,fdatasync,sendto,sendmsg"
    table = Process(journal, ("strace", "-f", "-y", "-s", "9000", "-o", str(trace), "-e", what))
    chance = random.Random(7)
    for _ in range(25):
        name, args = next_order(table.state(), chance)
        table.order(name, **args)
    last = table.state()["seq"]
    table.close()
    calls = _calls(trace.read_text(errors="replace"))
    checked = 0
    for seq in range(1, last + 1):
        mark = re.compile(rf'\\"seq\\":\s?{seq}[,}}]')
        written = next(
            end
            for begin, end, text in calls
            if text.startswith("pwrite64") and "-wal" in text and mark.search(text)
        )
        synced = next(
            end
            for begin, end, text in calls
            if text.startswith(("fdatasync", "fsync")) and "-wal" in text and begin > written
        )
        spoken = next(
            (
                begin
                for begin, _, text in calls
                if text.startswith(("sendto", "sendmsg", "write"))
                and "socket" in text.lower()
                and mark.search(text)
            ),
            None,
        )
        if spoken is not None:
            checked += 1
            assert written < synced < spoken, (
                f"entry {seq}: written at {written}, on the disk at {synced}, spoken of at {spoken}"
            )
    assert checked >= 20, (
        f"only {checked} of {last} entries were spoken of: the trace does not show enough"
    )

"""Tables that only write: real journals, filled at a tournament's pace from so many games of so
many turns that the simulator played.

Lines on stdin: `pace N` plays N times as fast. All that is due at one table goes into one commit
(group commit).
"""

from __future__ import annotations

import heapq
import select
import sys
import time
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from service.journal.entries import TABLE, MatchEnded, MatchSet, TableOpened
from service.journal.store import Store
from tests.service.hall.staged import Said, game

TOGETHER_S = 0.25
BEAT_S = 3.0


def shifted(body: Any, by: float) -> Any:
    """The body as if it had been said so much later."""
    changed = {
        f.name: getattr(body, f.name) + by
        for f in fields(body)
        if f.name.endswith("_at") and isinstance(getattr(body, f.name), float)
    }
    return replace(body, **changed) if changed else body


class Writing:
    """One table. `due` is the table time of its next entry."""

    def __init__(self, folder: Path, name: str, said: Said, number: int) -> None:
        (folder / name).mkdir(parents=True, exist_ok=True)
        self.store = Store.open(folder / name / f"{name}.journal")
        self.said, self.name, self.at = said, name, 0.0
        self.index, self.offset = 0, 0.0
        # They begin apart, as people do.
        self.due = 0.3 * number
        if not self.store.seq:
            self.store.append([(0.0, time.time(), TABLE, TableOpened(name, "bench"))])

    def write(self, now: float) -> int:
        """Everything due by table time `now` in one commit; how many entries."""
        rows = []
        while self.due <= now:
            _, by, body = self.said[self.index]
            if isinstance(body, MatchSet):
                body = replace(body, white=f"W {self.name}", black=f"B {self.name}", length=7)
            rows.append((max(self.due, self.at), time.time(), by, shifted(body, self.offset)))
            self.at = max(self.due, self.at)
            self.index += 1
            if self.index == len(self.said):
                rows.append(
                    (self.at, time.time(), TABLE, MatchEnded(None, (0, 0), "the bench goes on"))
                )
                self.index = 0
                self.due = self.at + 20.0
                self.offset = self.due - self.said[0][0]
            else:
                self.due = max(self.due, self.said[self.index][0] + self.offset)
        if rows:
            self.store.append(rows)
        return len(rows)


def main(words: list[str]) -> None:
    count, turns, folder, names = int(words[0]), int(words[1]), Path(words[2]), words[3:]
    games = [game(seed, turns) for seed in range(count)]
    tables = [Writing(folder, name, games[i % count], i) for i, name in enumerate(names)]
    for table in tables:
        table.offset = table.due - table.said[0][0]
    print("ready", flush=True)
    pace, began, base = 1.0, time.monotonic(), 0.0
    beats = [(time.monotonic() + BEAT_S * i / len(tables), i) for i in range(len(tables))]
    while True:
        if select.select([sys.stdin], [], [], TOGETHER_S)[0]:
            line = sys.stdin.readline()
            if not line:
                return
            base, began, pace = (
                base + (time.monotonic() - began) * pace,
                time.monotonic(),
                float(line.split()[1]),
            )
        now = base + (time.monotonic() - began) * pace
        for table in tables:
            table.write(now)
        while beats and beats[0][0] <= time.monotonic():
            due, i = heapq.heappop(beats)
            tables[i].store.beat(now, time.time())
            heapq.heappush(beats, (due + BEAT_S, i))


if __name__ == "__main__":
    main(sys.argv[1:])

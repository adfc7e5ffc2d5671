"""What `?at=` costs: the state at an instant of a long journal, beside folding the journal from its
start.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from service.journal.entries import TABLE, Noted
from service.journal.store import Reader, Store
from service.referee.fold import replay
from service.web.chronicle import Chronicle
from service.web.delay import Cut
from service.web.instants import SPACING, Instants
from tests.bench.referee import played


@dataclass(frozen=True)
class Size:
    """Turns really played, entries of the journal in all, instants asked for."""

    turns: int = 14
    entries: int = 10_000
    requests: int = 200


SMALLEST: Final = Size(turns=2, entries=500, requests=5)


def main(size: Size) -> None:
    entries = played(size.turns).entries
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "j"
        with Store.open(path) as store:
            store.append([(e.at, e.wall, e.by, e.body) for e in entries])
            after = range(1, size.entries - len(entries) + 1)
            store.append(
                [(entries[-1].at + n, entries[-1].wall + n, TABLE, Noted("x")) for n in after]
            )
            last, count = entries[-1].at + len(after), store.seq
        began = time.perf_counter()
        with Reader(path) as reader:
            replay(reader.read())
        whole = time.perf_counter() - began
        instants = Instants(Chronicle(path))
        began = time.perf_counter()
        instants.state(Cut())
        first = time.perf_counter() - began
        took = []
        for n in range(size.requests):
            began = time.perf_counter()
            instants.state(Cut(last * n / size.requests))
            took.append(time.perf_counter() - began)
    mean, worst = statistics.mean(took), max(took)
    print(f"{count} entries folded from the start        {1000 * whole:8.1f} ms")
    print(
        f"the first request, which leaves the marks    {1000 * first:8.1f} ms  "
        f" {first / whole:6.2f} of it"
    )
    print(
        f"a request after it, at most {SPACING} entries      {1000 * mean:8.1f} ms  "
        f" {mean / whole:6.3f} of it; worst {1000 * worst:.1f} ms"
    )

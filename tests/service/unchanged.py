"""What a later version may change of what an earlier one wrote: its sentences, and nothing else.

Kept journals and documents are compared through `differences`: every value that was there before is
there now and the same. Sentences are left out (codes and facts say the same in every language), and
a later version may add fields of its own.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from service.journal.codec import Json, canonical, encode
from service.journal.entries import Body

SENTENCES = frozenset({"why"})
"""Fields that hold sentences, in bodies and in the state document alike."""
CLOSE = 1e-4
"""How far numbers may be apart: probabilities come from another machine's arithmetic."""


def differences(before: object, now: object, where: str = "") -> Iterator[str]:
    """One line for each value of `before`, sentences aside, that is not the same in `now`."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in before.keys() - SENTENCES:
            if key in now:
                yield from differences(before[key], now[key], f"{where}.{key}")
            else:
                yield f"{where}.{key}: gone"
    elif isinstance(before, Sequence) and isinstance(now, Sequence) and not isinstance(before, str):
        if len(before) != len(now):
            yield f"{where}: {len(before)} values before, {len(now)} now"
        for n, (a, b) in enumerate(zip(before, now, strict=False)):
            yield from differences(a, b, f"{where}[{n}]")
    elif isinstance(before, float) and isinstance(now, int | float):
        if not math.isclose(before, now, rel_tol=CLOSE, abs_tol=CLOSE):
            yield f"{where}: {before} before, {now} now"
    elif before != now:
        yield f"{where}: {before} before, {now} now"


def bodies_in(journal: Path) -> list[Json]:
    """[kind, body] of each entry, as the version that wrote the journal spelt it."""
    with closing(sqlite3.connect(f"file:{journal}?mode=ro&immutable=1", uri=True)) as db:
        rows = [json.loads(text) for (text,) in db.execute("SELECT text FROM entries ORDER BY seq")]
    return [[row["kind"], row["body"]] for row in rows]


def bodies_of(bodies: Iterable[Body]) -> list[Json]:
    """[kind, body] of each body, as this version spells it."""
    return [json.loads(canonical([body.kind, encode(body)])) for body in bodies]

"""The stretches of a film in which the board was not read, each with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rules.observation import Condition, Observation

LEAST_S: Final = 10.0
"""So long a play is never hidden by the hands that make it."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Nothing was read from `began` to `ended`, s; `why` is what was said most often meanwhile."""

    began: float
    ended: float
    why: str


def unread_stretches(observations: Iterable[Observation]) -> tuple[Unread, ...]:
    """Every stretch without a board at rest that lasted `LEAST_S` or longer, in order."""
    found: list[Unread] = []
    began: float | None = None
    last, notes = 0.0, Counter[str]()

    def ends(at: float) -> None:
        if began is not None and notes and at - began >= LEAST_S:
            found.append(Unread(began, at, notes.most_common(1)[0][0]))

    for seen in observations:
        if began is None:
            began = seen.seen_at
        if seen.condition is Condition.AT_REST:
            ends(seen.seen_at)
            began = seen.seen_at
            notes.clear()
        else:
            notes[seen.note] += 1
        last = seen.seen_at
    ends(last)
    return tuple(found)

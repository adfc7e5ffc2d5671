"""The stretches of a film in which the board was not read, or read and not explained, each with the
reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from rules.observation import Condition, Observation
from service.reconcile.reel import Still

LEAST_S: Final = 10.0
"""So long a play is never hidden by the hands that make it."""
CLEAR: Final = -3.0
"""Log-likelihood of what stood on a site from which on a picture denies it."""
CHANGED: Final = 2
"""Sites that have changed where somebody played on; one alone may be misread."""


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


def unexplained(stills: Sequence[Still], last: int) -> tuple[Unread, ...]:
    """What comes after frame `last`, the last that a play explains, where people played on for
    `LEAST_S` or longer; nothing where the board stays as it was.
    """
    known = [still for still in stills if still.frame <= last]
    if not known:
        return ()
    sites, stood = np.arange(len(known[-1].seen)), known[-1].logs.argmax(1)
    for still in stills[len(known) :]:
        denied = still.seen & known[-1].seen & (still.logs[sites, stood] < CLEAR)
        if int(denied.sum()) >= CHANGED and stills[-1].until - still.at >= LEAST_S:
            why = (
                f"what stands there from frame {still.frame} on follows from no play: say what"
                " stood there with --corrections"
            )
            return (Unread(still.at, stills[-1].until, why),)
    return ()

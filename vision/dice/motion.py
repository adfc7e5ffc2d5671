"""Which dice may be rolling still: what only two pictures tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from rules.observation import DieReading, DieStatus
from vision.geometry import BoardMap
from vision.settings import DEFAULT, Thresholds


def in_motion(
    before: Sequence[DieReading],
    now: Sequence[DieReading],
    seconds: float,
    board_map: BoardMap,
    settings: Thresholds = DEFAULT,
) -> tuple[DieReading, ...]:
    """The dice of this frame in the light of the frame before, `seconds` earlier: what was not
    there or elsewhere may be rolling still.

    Doubt falls with time: a die seen for the first time after a long gap is as likely to have come
    to rest long since.
    """
    s = settings.dice
    doubt = 0.5 * math.exp(-max(0.0, seconds) / s.roll_time)
    out = []
    for die in now:
        near = any(_apart(die, other, board_map, s.edge) < s.still for other in before)
        rolling = die.status.get(DieStatus.ROLLING, 0.0) * (0.2 if near else 1.0)
        rolling = rolling if near else max(rolling, doubt)
        rest = sum(p for key, p in die.status.items() if key is not DieStatus.ROLLING) or 1.0
        status = {
            key: p / rest * (1 - rolling)
            for key, p in die.status.items()
            if key is not DieStatus.ROLLING
        }
        out.append(replace(die, status=status | {DieStatus.ROLLING: max(rolling, 1e-4)}))
    return tuple(out)


def _apart(a: DieReading, b: DieReading, board_map: BoardMap, edge: float) -> float:
    """Distance of two readings in edges, from their pixels where both have them."""
    if a.pixel is not None and b.pixel is not None and a.size:
        return math.dist(a.pixel, b.pixel) / a.size
    x, y = (a.where[0] - b.where[0]) * board_map.width, (a.where[1] - b.where[1]) * board_map.height
    return math.hypot(x, y) / edge

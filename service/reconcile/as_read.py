"""What the sites say by themselves: the likeliest placements in which no checker is lost, whatever
the rules allow.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from rules.board import OFF
from service.reconcile.arrays import Logs
from service.reconcile.codes import (
    CODES,
    COUNTS,
    SITES,
    Codes,
    code_of,
    counts_of,
    heights_near,
)

PLAUSIBLE_NATS = 9.0
"""Counts of one site with so much against them, both sources together, are not tried when it is
asked what stands there, nats (6-15). A cost that a person chose.
"""


@lru_cache(maxsize=2)
def _came_from(width: int) -> npt.NDArray[np.intp]:
    """Which two totals each two totals are made of by one more site, by its code, (256, width²);
    width² where by none.
    """
    totals = np.arange(width)
    white, black = np.divmod(np.arange(CODES), COUNTS)
    w, b = totals - white[:, None], totals - black[:, None]
    found = w[:, :, None] * width + b[:, None, :]
    found[(w < 0)[:, :, None] | (b < 0)[:, None, :]] = width * width
    return found.reshape(CODES, width * width)


def what_stands(table: Logs, before: Codes, checkers: int, keep: int = 3) -> list[Codes]:
    """The likeliest placements, (26,) each, with `checkers` a side, best first, at most `keep`.

    By the log tables of all sources together, `table` (26, 256). No rules are asked, only that no
    checker is lost: a chain over the sites with the two totals as its state; whatever is not on the
    board is off. Of a tall pile, as it stood or as it reads, heights near that are tried as well.
    Ties go to what stood there before.
    """
    width = checkers + 1
    if width > COUNTS:
        return []
    cost = -table
    order = range(1, SITES)
    came_from = _came_from(width)
    value = np.full(width * width + 1, np.inf, np.float32)
    value[0] = 0
    ranked = np.argpartition(cost, 4, axis=1)[:, :5].tolist()
    choices: list[tuple[npt.NDArray[np.intp], list[int]]] = []
    for site in order:
        stood = int(before[site])
        likely = {c for c in ranked[site] if cost[site, c] < PLAUSIBLE_NATS}
        near = {*heights_near(stood), *heights_near(int(cost[site].argmin()))}
        candidates = sorted(likely | near)
        extra = [float(cost[site, code]) + 0.5 * (code != stood) for code in candidates]
        made = value[came_from[candidates]] + np.array(extra, np.float32)[:, None]
        choices.append((made.argmin(axis=0), candidates))
        value[:-1] = made.min(axis=0)
    off_white, off_black = counts_of(before[OFF])
    rest = checkers - np.arange(width)
    final = (
        value[:-1].reshape(width, width)
        + 2.0 * np.abs(rest - off_white)[:, None]
        + 2.0 * np.abs(rest - off_black)[None, :]
    )
    if cost[OFF].any():
        final = final + cost[OFF].reshape(COUNTS, COUNTS)[np.ix_(rest, rest)]
    found: list[Codes] = []
    for flat in np.argsort(final, axis=None, kind="stable")[:keep]:
        w, b = divmod(int(flat), width)
        if not np.isfinite(final[w, b]):
            break
        codes = np.zeros(SITES, np.int16)
        codes[OFF] = code_of(checkers - w, checkers - b)
        for site, (chosen, candidates) in zip(reversed(order), reversed(choices), strict=True):
            code = candidates[int(chosen[w * width + b])]
            codes[site] = code
            white, black = counts_of(code)
            w, b = w - white, b - black
        found.append(codes)
    return found

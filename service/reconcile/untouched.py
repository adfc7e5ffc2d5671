"""Sites that read otherwise although nothing was seen to move: nobody has changed them.

A lamp was switched, the reader drifts, several sources take to misreading a pile alike. The same
checkers stand there, read one way before and another way now, and which of the two is wrong its
source cannot say. So it says nothing between the two from then on, whoever asks, until the site
reads as it did, or a hand came and it reads as neither.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from rules.board import Side
from service.reconcile.arrays import Bools, Logs
from service.reconcile.codes import CODES, TALL, Codes, checkers_of
from service.reconcile.tuning import Tuning

_LESS: Final = np.finfo(np.float32).eps
"""The later of the two readings says hardly less than the earlier, nats: what a site reads is what
it read before it changed by itself."""


class Untouched(NamedTuple):
    """Of N sites with a new reading: those (N,) that read what they read since they changed by
    themselves (`alike`), and those that read right again (`over`), or as before they did.
    """

    alike: Bools
    over: Bools


def untouched(
    stood: Codes, held: Codes, now: Codes, new: Bools, right: Bools, lifted: bool = False
) -> Untouched:
    """What nobody has changed of N sites that read `now` (N,).

    `stood` (N,): what their means say; `held` (N,): what they have read since they changed by
    themselves, -1 where they did not; `new` (N,): sites that read otherwise though nothing was seen
    to move; `right` (N,): misread as they stood, and read as is settled now; `lifted`: the dice
    were taken up meanwhile, so that a hand was there after all, which may have borne off.
    """
    over = (held >= 0) & (now == stood)
    new = new & (now != stood) & (now != held)
    new &= ~_of_a_moved_checker(stood, now, new)
    if lifted:
        new &= ~_of_one_taken_off(stood, now, new)
    return Untouched(((held >= 0) & (now == held)) | (new & ~right), over | (new & right))


def sites_changed(mean: Logs, tables: Logs, tuning: Tuning) -> Bools:
    """Whether each of N sites changed, (N,), by its running mean and new table, (N, 16, 16) each.

    It did when both put their own best far above the other's, or those of several sites together.
    """
    n = len(tables)
    flat_mean, flat_new = mean.reshape(n, CODES), tables.reshape(n, CODES)
    rows = np.arange(n)
    old, new = flat_mean.argmax(axis=1), flat_new.argmax(axis=1)
    against_old = flat_new[rows, new] - flat_new[rows, old]
    against_new = flat_mean[rows, old] - flat_mean[rows, new]
    apart = np.minimum(against_old, against_new)
    together = apart > tuning.conflict_nats / 3
    together &= float(apart[together].sum()) > 1.5 * tuning.conflict_nats
    result: Bools = (apart > tuning.conflict_nats) | together
    return result


def between(mean: Logs, tables: Logs) -> Logs:
    """The means (N, 16, 16) that say nothing between what they said and these tables."""
    result: Logs = np.maximum(mean, tables - _LESS)
    return result


def unopposed(tables: Logs) -> Bools:
    """What nothing is said against, in the shape of the tables."""
    result: Bools = tables >= -2 * _LESS
    return result


def reads_of(tables: Logs) -> Codes:
    """What each of N tables (N, 16, 16) reads, (N,): the likeliest."""
    result: Codes = tables.reshape(len(tables), CODES).argmax(axis=1).astype(np.int16)
    return result


def _of_a_moved_checker(stood: Codes, now: Codes, changed: Bools) -> Bools:
    """Those of the `changed` sites (N,) at which a side reads fewer while it reads more at another,
    unless both are piles that nobody counts: no lamp does both. A hand was there between two
    pictures.
    """
    found = np.zeros(len(now), np.bool_)
    for side in Side:
        then, reads = checkers_of(stood, side), checkers_of(now, side)
        more = np.where(changed, reads - then, 0)
        counted = ((more != 0) & (np.minimum(then, reads) < TALL)).any()
        if counted and more.min(initial=0) < 0 < more.max(initial=0):
            found |= more != 0
    return found


def _of_one_taken_off(stood: Codes, now: Codes, changed: Bools) -> Bools:
    """Those of the `changed` sites (N,) at which a side reads fewer, of piles that can be counted,
    and more at none.
    """
    found = np.zeros(len(now), np.bool_)
    for side in Side:
        then, reads = checkers_of(stood, side), checkers_of(now, side)
        more = np.where(changed, reads - then, 0)
        if more.max(initial=0) <= 0:
            found |= (more < 0) & (then < TALL)
    return found

"""How much each source speaks against a hypothesis, with errors that come together counted once.

A hypothesis is a placement as codes (`codes`). A source's **deficit** at a site is how far the
hypothesis lies below the source's own best there, in nats. Adding them all up would take one error
for many: a smear over two points would count twice and a camera's hundredth frame a hundred times.
So (`tuning`):

- one site costs at most `one_site_nats`: what the source gets wrong there in every frame, whatever
  it says of its certainty; between two heights of a tall pile at most `tall_nats`;
- two neighbouring sites cost at most that and `neighbour_nats`: errors come in pairs. Which
  neighbours are taken for a pair is chosen to the hypothesis's favour;
- one source costs at most `one_source_nats`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rules.board import BAR
from rules.observation import Source
from service.reconcile.arrays import Bools, Logs, Nats
from service.reconcile.codes import (
    AXIS,
    CODES,
    COUNTS,
    ONE_CHECKER,
    SITES,
    TALL,
    Codes,
    checkers_of,
    counts_of,
)
from service.reconcile.evidence import Witness
from service.reconcile.settle import Voice
from service.reconcile.tuning import Tuning

IMPOSSIBLE = 1e6
_WHITES, _BLACKS = np.array([counts_of(code) for code in range(CODES)]).T
_SAME_SIDES = ((_WHITES[:, None] > 0) == (_WHITES > 0)) & ((_BLACKS[:, None] > 0) == (_BLACKS > 0))
"""(256, 256): codes with checkers of the same sides."""
_TALL = (np.maximum(_WHITES, _BLACKS) >= TALL) & (np.minimum(_WHITES, _BLACKS) == 0)
_ALIKE = _TALL[:, None] & _TALL & _SAME_SIDES
"""(256, 256): tall piles of one side."""
_APART_BY = np.maximum(abs(_WHITES[:, None] - _WHITES), abs(_BLACKS[:, None] - _BLACKS))
"""(256, 256): by how many checkers two codes differ."""
_IS_BAR = np.arange(SITES) == BAR

_OFFSETS = (np.arange(SITES, dtype=np.int32) * CODES)[None, :]
"""Where each site's table begins in a board's, flattened."""
# Points that lie side by side: 1-12 and 13-24, in White's numbering under every seating; the bar
# and the trays have no neighbours here.
_LEFT = np.array([p for p in range(1, 24) if p != 12], np.intp)
_APART = np.array([True] + [int(_LEFT[i]) != int(_LEFT[i - 1]) + 1 for i in range(1, len(_LEFT))])


def log_tables(voice: Voice, settled: Codes, tuning: Tuning, reach: int = COUNTS) -> Logs:
    """The weighted log tables of a source, (26, 256), zero where it may not speak.

    `reach`: a pile cannot have grown or shrunk by more checkers since `settled`, whatever is read:
    two in a turn, four with a double.

    Where it reads a site as it read it when `settled` (26 codes) was known to stand there, it does
    not speak against nothing having changed, and hardly against a change where something covers it
    (`misread_nats`). Tall piles are told from low ones and from each other's colour as any, but
    hardly counted (`Reach.tall_nats`); so are checkers on the bar (`bar_nats`).
    """
    witness = voice.witness
    flat: Logs = witness.mean.reshape(SITES, CODES)
    read = flat.argmax(axis=1)
    biased = (witness.bias > 0) & (read == witness.read_as)
    wrong_for_good, vague = (
        np.flatnonzero(biased),
        np.flatnonzero(_ALIKE[read].any(axis=1) | (_IS_BAR & (read > 0))),
    )
    covered = np.flatnonzero(_is_covered(witness, read, settled, biased))
    if len(wrong_for_good) or len(vague) or len(covered):
        flat = flat.copy()
        there = settled[wrong_for_good]
        flat[wrong_for_good, there] = np.minimum(
            flat[wrong_for_good, there] + witness.bias[wrong_for_good], 0
        )
        flat[covered] = np.maximum(flat[covered], -tuning.misread_nats)
        most = np.where(biased[vague], tuning.misread_nats, tuning.reach(voice.source).tall_nats)
        most = np.where(vague == BAR, tuning.reach(voice.source).bar_nats, most).astype(np.float32)[
            :, None
        ]
        alike = np.where((vague == BAR)[:, None], _SAME_SIDES[read[vague]], _ALIKE[read[vague]])
        logs = flat[vague]
        if reach < COUNTS:
            best = np.where(alike & (_APART_BY[settled[vague]] <= reach), logs, -np.inf).max(
                axis=1, keepdims=True
            )
            logs = np.where(alike & np.isfinite(best), np.minimum(logs - best, 0), logs)
        flat[vague] = np.where(alike, np.maximum(logs, -most), logs)
    weighted: Logs = flat * voice.weight[:, None]
    return weighted


def _is_covered(witness: Witness, read: Codes, settled: Codes, biased: Bools) -> Bools:
    """Where (26,) a source reads a checker that is none, or none where one stands, for good or
    since that changed by itself: a cup goes on doing so whatever is played under it.
    """
    empty = (read == 0) | (settled == 0) | (witness.held == 0)
    covered: Bools = (biased | (witness.held >= 0)) & empty
    return covered


def nats_against_change(voice: Voice, codes: Codes, settled: Codes) -> Nats:
    """Nats, (26,), by which a source denies that a site is as it was where a hypothesis says so.

    Only where it read rightly what was `settled`, reads otherwise now and weighs in full; without a
    cap, since it was right there before. `codes`, `settled` (26,).
    """
    witness = voice.witness
    flat = witness.mean.reshape(SITES, CODES)
    right_before = witness.read_as == settled
    asked = voice.speaks & (voice.weight >= 1) & right_before & (codes == settled)
    result: Nats = np.where(asked, -flat[np.arange(SITES), codes], 0).astype(np.float32)
    return result


def per_site(table: Logs, codes: Codes) -> Nats:
    """Deficit of each hypothesis at each site, (N, 26), >= 0."""
    result: Nats = np.negative(table.reshape(-1)[codes + _OFFSETS])
    return result


def caps(source: Source, tuning: Tuning) -> Nats:
    """The most that each site may say against a hypothesis, (26,)."""
    return np.full(SITES, tuning.reach(source).one_site_nats, np.float32)


def deficits(table: Logs, codes: Codes, voice: Voice, tuning: Tuning) -> Nats:
    """Nats of this source against each hypothesis, (N,), capped as the module says."""
    return shared(per_site(table, codes), caps(voice.source, tuning), tuning)


def summed_tables(tabled: Sequence[tuple[Voice, Logs]], tuning: Tuning) -> Logs:
    """What all sources say together, (26, 256), each site of each source within its cap."""
    if not tabled:
        return np.zeros((SITES, CODES), np.float32)
    capped = [np.maximum(table, -caps(v.source, tuning)[:, None]) for v, table in tabled]
    result: Logs = np.sum(capped, axis=0)
    return result


def shared(raw: Nats, one_site: Nats | float, tuning: Tuning) -> Nats:
    """Nats against each hypothesis, (N,), from deficits by site (N, 26).

    Capped by site, by neighbouring pair and altogether. `one_site`: the cap of every site, (26,).
    """
    limit = np.broadcast_to(np.asarray(one_site, np.float32), (SITES,))
    capped = np.minimum(raw, limit)
    total = capped.sum(axis=1)
    pairs = np.minimum(
        raw[:, _LEFT] + raw[:, _LEFT + 1],
        np.maximum(limit[_LEFT], limit[_LEFT + 1]) + tuning.neighbour_nats,
    )
    saved = np.maximum(capped[:, _LEFT] + capped[:, _LEFT + 1] - pairs, 0)
    result: Nats = np.minimum(total - _best_pairing(saved), tuning.one_source_nats).astype(
        np.float32
    )
    return result


def in_pairs(capped: Nats, tuning: Tuning) -> Nats:
    """What sites (N, 26) say together, (N,): of two neighbours the lesser only `neighbour_nats`,
    since a checker that lies between two points is one error.
    """
    lesser = np.minimum(capped[:, _LEFT], capped[:, _LEFT + 1])
    saved = np.maximum(lesser - tuning.neighbour_nats, 0)
    result: Nats = (capped.sum(axis=1) - _best_pairing(saved)).astype(np.float32)
    return result


def _best_pairing(saved: Nats) -> Nats:
    """The most that pairs of neighbours save when no site is in two pairs: (N, pairs) -> (N,)."""
    useful = np.flatnonzero(saved.any(axis=0))
    best = np.zeros(len(saved), np.float32)
    if not len(useful):
        return best
    without_last, before, last_column = best, best, -9
    for column in useful:
        joined = column == last_column + 1 and not _APART[column]
        base = without_last if joined else before
        without_last = before
        before = np.maximum(before, base + saved[:, column])
        last_column = int(column)
    return before


def one_checker_elsewhere(table: Logs, base: Codes, one_site: Nats, tuning: Tuning) -> Nats:
    """Nats against every placement that is `base` with one checker at another site, (2, 26, 26).

    By side (`AXIS`), site it leaves and site it comes to; `IMPOSSIBLE` where there is no such
    checker. Two sites that are neighbours count as a pair; the rest of the base keeps its own
    deficits, each site's capped.
    """
    sites = np.arange(SITES)
    here = -table[sites, base]
    rest = np.minimum(here, one_site)
    result = np.full((2, SITES, SITES), IMPOSSIBLE, np.float32)
    for side, step in ONE_CHECKER.items():
        counts = checkers_of(base, side)
        less_ok, more_ok = counts > 0, counts < COUNTS - 1
        less = np.where(less_ok, -table[sites, np.where(less_ok, base - step, base)], IMPOSSIBLE)
        more = np.where(more_ok, -table[sites, np.where(more_ok, base + step, base)], IMPOSSIBLE)
        less_capped, more_capped = np.minimum(less, one_site), np.minimum(more, one_site)
        total = rest.sum() + (less_capped - rest)[:, None] + (more_capped - rest)[None, :]
        for a, b in ((_LEFT, _LEFT + 1), (_LEFT + 1, _LEFT)):
            pair = np.minimum(
                less[a] + more[b], np.maximum(one_site[a], one_site[b]) + tuning.neighbour_nats
            )
            total[a, b] -= np.maximum(less_capped[a] + more_capped[b] - pair, 0)
        total = np.minimum(total, tuning.one_source_nats)
        total[~less_ok, :] = IMPOSSIBLE
        total[:, ~more_ok] = IMPOSSIBLE
        total[sites, sites] = IMPOSSIBLE
        result[AXIS[side]] = total
    return result

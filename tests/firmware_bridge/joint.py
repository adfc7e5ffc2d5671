"""The likeliest placement by the sensors' likelihoods alone, under what any house knows: nothing is
lost or added, and a turn moves four checkers at most.

Dynamic programming over the sites, so that every placement of the kind is weighed, not a list of
guesses. For judging `sensing` only: in the product the one argmax is the verdict's.
"""

from __future__ import annotations

import math

import numpy as np

from rules.board import BAR, OFF, SITES, Placement, Side
from rules.observation import Observation

NEVER = -1e18


def log_likelihood(observation: Observation, placement: Placement) -> float:
    return sum(
        math.log(r.likelihood(placement.white[r.site], placement.black[r.site]))
        for r in observation.sites
    )


def best_conserving(observation: Observation, truth: Placement) -> float:
    """The highest joint log likelihood of any placement with as many checkers of each side on the
    board as in truth: conservation alone.
    """
    white, black = (sum(counts) - counts[OFF] for counts in (truth.white, truth.black))
    best = np.full((white + 1, black + 1), NEVER)
    best[0, 0] = 0.0
    for reading in observation.sites:
        after = np.full_like(best, NEVER)
        floor = math.log(reading.floor)
        listed = {(w, b): math.log(p) for w, b, p in reading.outcomes}
        for w in range(white + 1):
            for b in range(black + 1):
                score = listed.get((w, b))
                if score is None:
                    if w and b:
                        continue
                    score = floor
                shifted = best[: white + 1 - w, : black + 1 - b] + score
                np.maximum(after[w:, b:], shifted, out=after[w:, b:])
        best = after
    return float(best[white, black])


def best_after(observation: Observation, before: Placement, truth: Placement) -> float:
    """The highest joint log likelihood of any placement one side can make of the one before with
    four moves at most, hits included, and with as many checkers borne off as in truth."""
    found = [NEVER]
    for mover in Side:
        if before.counts(mover.other)[OFF] == truth.counts(mover.other)[OFF]:
            found.append(
                _best_of_mover(
                    observation, before, mover, truth.counts(mover)[OFF] - before.counts(mover)[OFF]
                )
            )
    return max(found)


def _best_of_mover(observation: Observation, before: Placement, mover: Side, borne: int) -> float:
    mine, theirs = before.counts(mover), before.counts(mover.other)
    state: dict[tuple[int, int, int], float] = {(0, 0, 0): 0.0}  # (lifted, put, hit) -> score
    for site in SITES:
        if site in (OFF, BAR):
            continue
        state = _with_site(observation, mover, state, site, mine[site], theirs[site])
    best = NEVER
    for (lifted, put, hit), score in state.items():
        for entered in range(min(mine[BAR], 4 - lifted) + 1):
            if lifted + entered != put + borne:
                continue
            own, other = mine[BAR] - entered, theirs[BAR] + hit
            best = max(best, score + _log(observation, BAR, mover, own, other))
    return best


def _with_site(
    observation: Observation,
    mover: Side,
    state: dict[tuple[int, int, int], float],
    site: int,
    mine: int,
    theirs: int,
) -> dict[tuple[int, int, int], float]:
    after: dict[tuple[int, int, int], float] = {}
    for change in range(-min(4, mine), 5):
        hit = int(change > 0 and theirs == 1)
        if change > 0 and theirs > 1:
            continue
        gain = _log(observation, site, mover, mine + change, theirs - hit)
        for (lifted, put, hits), score in state.items():
            key = (lifted + max(0, -change), put + max(0, change), hits + hit)
            if key[0] <= 4 and key[1] <= 4:
                after[key] = max(after.get(key, NEVER), score + gain)
    return after


def _log(observation: Observation, site: int, mover: Side, own: int, other: int) -> float:
    reading = observation.at(site)
    if reading is None:
        return 0.0
    return math.log(
        reading.likelihood(own, other) if mover is Side.WHITE else reading.likelihood(other, own)
    )

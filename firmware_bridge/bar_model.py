"""How likely the bar's sensors would read so, for every number of light and dark checkers there.

Each dish of the bar has one sensor and is far from the others, so the likelihood of the whole is a
sum over who may lie in which dish. A dish's own reading for a pile of so many checkers is a density
over the physics of `physics.py`, drawn once from a fixed seed.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.physics import F64, STACK_HABIT, field_table

Pair = tuple[int, int]

BAR_LIMIT: Final = 8
"""Checkers on the bar that are told apart; more fall to the floor of the reading."""
HIGHEST: Final = 4
"""The highest pile in one dish that is thought of."""
BLUR: Final = 0.02
"""Of a reading (checkers, 1 sigma): calibration, noise, and the neighbouring points' magnets."""
BAR_CLASSES: Final[tuple[Pair, ...]] = tuple(
    (a, b) for a in range(BAR_LIMIT + 1) for b in range(BAR_LIMIT + 1 - a)
)

_DRAWS: Final = 4000
_BINS: Final = np.linspace(-0.2, 2.0, 221)


@lru_cache(maxsize=2)
def _piles(board: BoardSpec) -> F64:
    """(HIGHEST + 1, bins): density of a dish's reading over `_BINS` for each height of pile."""
    rng, table = np.random.default_rng(17), field_table(board.magnet)
    unit = table.at(np.array([0.0]), np.array([board.sensor.gap]))[0]
    at, felt = np.zeros((2, _DRAWS)), np.zeros(_DRAWS)
    width = _BINS[1] - _BINS[0]
    kernel = np.exp(-0.5 * (np.arange(-10, 11) * width / BLUR) ** 2)
    rows = []
    for height in range(HIGHEST + 1):
        counts, _ = np.histogram(felt, bins=np.append(_BINS - width / 2, _BINS[-1] + width / 2))
        rows.append(np.convolve(counts, kernel / kernel.sum(), mode="same") / _DRAWS / width + 1e-6)
        at = at + rng.normal(0, board.bar_jitter, (2, _DRAWS)) / (1 if height == 0 else 2)
        z = np.full(_DRAWS, board.sensor.gap + board.checker_thickness * height)
        felt = felt + table.at(np.hypot(*at), z) * rng.normal(1, board.magnet.spread, _DRAWS) / unit
    return np.array(rows)


@lru_cache(maxsize=2)
def _fillings(dishes: int) -> tuple[NDArray[np.intp], NDArray[np.intp], F64]:
    """Every way to fill the dishes with piles of one colour each: (ways, dishes) states
    -HIGHEST..HIGHEST (dark negative), the class of each way, and its chance within the class."""
    ways, classes, weights = [], [], []
    for states in itertools.product(range(-HIGHEST, HIGHEST + 1), repeat=dishes):
        pair = (sum(s for s in states if s > 0), -sum(s for s in states if s < 0))
        if sum(pair) <= BAR_LIMIT:
            ways.append(states)
            classes.append(BAR_CLASSES.index(pair))
            weights.append(STACK_HABIT ** sum(max(0, abs(s) - 1) for s in states))
    index, weight = np.array(classes), np.array(weights)
    total = np.bincount(index, weight, len(BAR_CLASSES))
    return np.array(ways), index, weight / total[index]


def bar_likelihoods(board: BoardSpec, checkers: F64, known: NDArray[np.bool_]) -> F64:
    """P(values | class) for BAR_CLASSES, scaled to sum to 1; `checkers` are the dishes' values,
    `known` which of them can be believed.
    """
    piles = _piles(board)
    ways, index, chance = _fillings(len(checkers))
    score = chance.copy()
    for dish, value in enumerate(checkers):
        if not known[dish]:
            continue
        by_state = np.array(
            [
                np.interp(value if s >= 0 else -value, _BINS, piles[abs(s)], left=1e-6, right=1e-6)
                for s in range(-HIGHEST, HIGHEST + 1)
            ]
        )
        score *= by_state[ways[:, dish] + HIGHEST]
    result = np.bincount(index, score, len(BAR_CLASSES))
    return np.asarray(result / max(result.sum(), 1e-300))

"""What the sensors said when the house last knew what stands there, and what the difference since then tells.

A pile of ten and one of nine read almost alike, but a checker that is laid on a pile changes its reading by an amount of its own, and
one that was not
touched changes nothing. So a confirmed placement is an anchor: a site whose sensors are as they were holds what it held, and on a
changed pile the sum
of the changes is weighed against what the next checkers up or down would do. Both are mixed with the plain likelihoods, so that an
anchor that was
wrong can still be outvoted by what the sensors say.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.count_model import POINT_CLASSES, Pair
from firmware_bridge.physics import FITS, Fit, Floats, Lying, field_table, lay_next

UNTOUCHED: Final = 0.02
"""No sensor of the site changed by more than this (in checkers): nobody touched it. The least a top checker does is three times that."""
ANCHOR_TRUST: Final = 0.995
"""How far an untouched site is believed to hold what it held."""
CHANGE_TRUST: Final = 0.9
"""How far the sum of changes is believed against the plain reading."""
NUDGE: Final = 0.03
"""Spread of a pile's sum (checkers) because the hand that takes one pushes others."""
ANCHOR_FLOOR: Final = 1e-3
"""A confirmed count that the plain reading holds for less likely than this makes no anchor."""


@dataclass(frozen=True)
class Steps:
    """`mean[k]`, `spread[k]`: what the k-th checker of a pile (from 1) adds to the sum of the point's sensors, in checkers."""

    mean: Floats
    spread: Floats


@lru_cache(maxsize=4)
def pile_steps(board: BoardSpec, fit: Fit) -> Steps:
    """Each checker's share of a pile's reading, over the ways to lay it; drawn from a fixed seed."""
    rng, table = np.random.default_rng(23), field_table(board.magnet)
    unit = table.at(np.array([0.0]), np.array([board.sensor.gap]))[0]
    sensor_y = np.array([board.sensors.places[n].y for n in board.sensors.of_point(1)])
    shares = np.zeros((600, board.per_side))
    for row in shares:
        pile: list[Lying] = []
        bridges: list[bool] = []
        for k in range(board.per_side):
            x, y, layer = lay_next(board, pile, bridges, fit, rng)
            pile.append(Lying(True, x, y, layer))
            z = np.full(len(sensor_y), board.sensor.gap + board.checker_thickness * layer)
            row[k] = table.at(np.hypot(x, sensor_y - y), z).sum() / unit
    return Steps(np.concatenate([[0.0], shares.mean(axis=0)]), np.concatenate([[0.0], shares.std(axis=0)]))


def remembered(board: BoardSpec, fit: str, plain: Floats, anchor: Pair, before: Floats, now: Floats) -> Floats:
    """`plain` likelihoods (by POINT_CLASSES) of one point, sharpened by its anchor: `anchor` stood there when its known sensors read
    `before`."""
    if plain[POINT_CLASSES.index(anchor)] < ANCHOR_FLOOR * plain.max() and _touched(before, now):
        return plain
    if not _touched(before, now):
        held = np.zeros(len(plain))
        held[POINT_CLASSES.index(anchor)] = 1.0
        return np.asarray(ANCHOR_TRUST * held + (1 - ANCHOR_TRUST) * plain)
    if min(anchor) > 0 or max(anchor) == 0 or len(now) < len(board.sensors.of_point(1)):
        return plain
    light = anchor[0] > 0
    change = float((now - before).sum()) * (1 if light else -1)
    chances = _change_chances(pile_steps(board, FITS[fit]), max(anchor), change)
    by_change = np.array([chances[max(pair)] if min(pair) == 0 and (pair[0] > 0) is light else 0.0 for pair in POINT_CLASSES])
    by_change[POINT_CLASSES.index((0, 0))] = chances[0]
    return np.asarray(CHANGE_TRUST * by_change + (1 - CHANGE_TRUST) * plain)


def _touched(before: Floats, now: Floats) -> bool:
    return bool((np.abs(now - before) > UNTOUCHED).any())


def _change_chances(steps: Steps, count: int, change: float) -> Floats:
    """P(this change | so many checkers stand there now), for 0..15, scaled to sum to 1."""
    total = np.cumsum(steps.mean)
    variance = np.cumsum(steps.spread**2)
    spread = np.sqrt(np.abs(variance - variance[count]) + NUDGE**2)
    score = np.exp(-0.5 * ((change - (total - total[count])) / spread) ** 2) / spread + 1e-9
    return np.asarray(score / score.sum())

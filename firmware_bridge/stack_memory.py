"""What the sensors said when the house last knew what stands there, and what the difference since
then tells.

A pile of ten and one of nine read almost alike, but a checker that is laid on a pile changes its
reading by an amount of its own, and one that was not touched changes nothing. So a confirmed
placement is an anchor: a site whose sensors are as they were holds what it held, and on a changed
pile the sum of the changes is weighed against what the next checkers up or down would do. Both are
mixed with the plain likelihoods, so that an anchor that was wrong can still be outvoted by what the
sensors say.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.count_model import POINT_CLASSES, Pair
from firmware_bridge.physics import F64, FITS, MOST, ROW, Fit, field_table, lay_piles

UNTOUCHED: Final = 0.015
"""No sensor of the site changed by more than this (in checkers): nobody touched it. The least that
a top checker does is 0.022 (a test holds it)."""
ANCHOR_TRUST: Final = 0.995
"""How far an untouched site is believed to hold what it held."""
CHANGE_TRUST: Final = 0.9
"""How far the change is believed against the plain reading."""
BEFORE_BLUR: Final = 0.05
CHANGE_BLUR: Final = 0.035
"""How closely a drawn pile must match the reading before, and the change since (checkers a sensor,
1 sigma): hands push neighbours, and the draws are few."""
DRAWS: Final = 3000
UNEXPLAINED: Final = 12.5
"""Log likelihood lost, against a perfect fit, from which on no drawn pile explains what is read:
five sigma in all.
"""
ANCHOR_FLOOR: Final = 1e-3
"""A confirmed count that the plain reading holds for less likely than this makes no anchor."""


@lru_cache(maxsize=4)
def drawn_piles(board: BoardSpec, fit: Fit) -> F64:
    """(draws, 16, sensors of a point): what 0 to 15 checkers of one growing pile make its sensors
    read, in light checkers, over the ways to lay it."""
    rng, table = np.random.default_rng(23), field_table(board.magnet)
    unit = table.at(np.array([0.0]), np.array([board.sensor.gap]))[0]
    sensor_y = np.array([board.sensors.places[n].y for n in board.sensors.of_point(1)])
    x, y = lay_piles(
        rng, np.full(DRAWS, fit.slack), np.full(DRAWS, fit.jitter), board.checker_diameter
    )
    z = board.sensor.gap + board.checker_thickness * (np.arange(MOST) // ROW)
    r = np.hypot(x[:, :, None], y[:, :, None] - sensor_y)
    each = table.at(r, np.broadcast_to(z[None, :, None], r.shape)) / unit
    return np.concatenate([np.zeros((DRAWS, 1, len(sensor_y))), np.cumsum(each, axis=1)], axis=1)


def remembered(board: BoardSpec, fit: str, plain: F64, anchor: Pair, before: F64, now: F64) -> F64:
    """`plain` likelihoods (by POINT_CLASSES) of one point, sharpened by its anchor: `anchor` stood
    there when its known sensors read `before`."""
    if plain[POINT_CLASSES.index(anchor)] < ANCHOR_FLOOR * plain.max() and _touched(before, now):
        return plain
    if not _touched(before, now):
        held = np.zeros(len(plain))
        held[POINT_CLASSES.index(anchor)] = 1.0
        return np.asarray(ANCHOR_TRUST * held + (1 - ANCHOR_TRUST) * plain)
    if min(anchor) > 0 or max(anchor) == 0 or len(now) < len(board.sensors.of_point(1)):
        return plain
    light = anchor[0] > 0
    sign = 1 if light else -1
    chances, explained = _change_chances(
        drawn_piles(board, FITS[fit]), max(anchor), sign * before, sign * now
    )
    by_change = np.array(
        [
            chances[max(pair)] if min(pair) == 0 and (pair[0] > 0) is light else 0.0
            for pair in POINT_CLASSES
        ]
    )
    by_change[POINT_CLASSES.index((0, 0))] = chances[0]
    trust = CHANGE_TRUST * explained
    return np.asarray((trust * by_change + (1 - CHANGE_TRUST) * plain) / (trust + 1 - CHANGE_TRUST))


def _touched(before: F64, now: F64) -> bool:
    return bool((np.abs(now - before) > UNTOUCHED).any())


def _change_chances(piles: F64, count: int, before: F64, now: F64) -> tuple[F64, float]:
    """P(this change | so many checkers stand there now), for 0..15, scaled to sum to 1; and how far
    any drawn pile explains the two readings at all (1: well; towards 0: a checker was taken and
    another laid, and the change says nothing).

    Each drawn pile counts by how well its first `count` checkers explain the reading before; then
    how well its growing or shrinking to n explains the change. The offset of a whole reading (gain,
    neighbours) cancels in the change.
    """
    fits = -0.5 * (((piles[:, count] - before) / BEFORE_BLUR) ** 2).sum(axis=1)
    changes = piles - piles[:, count : count + 1]
    score = fits[:, None] - 0.5 * (((changes - (now - before)) / CHANGE_BLUR) ** 2).sum(axis=2)
    chances = np.exp(score - score.max()).sum(axis=0) + 1e-6
    return np.asarray(chances / chances.sum()), float(np.exp(min(0.0, score.max() + UNEXPLAINED)))

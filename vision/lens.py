"""The lens's first radial error, measured where it bends a board's rails."""

from __future__ import annotations

import math

import numpy as np

from vision.arrays import F64, Pixels
from vision.corners import CornerNetwork, half_corners, see_corners
from vision.geometry import BoardMap, from_corners
from vision.settings import DEFAULT, Thresholds


def with_lens(
    pixels: Pixels,
    board_map: BoardMap,
    corners: CornerNetwork,
    settings: Thresholds = DEFAULT,
    seen: tuple[F64, F64] | None = None,
) -> BoardMap:
    """The map with the lens's first radial error (k1) where the rails are seen to be bent; the same
    map where they are not.

    The four corners say nothing of the lens. The bar's ends do: they lie on the rails half way
    between the corners, and a lens that squeezes the corners leaves them outside the straight line.
    Where the two rails disagree the bow is doubted by as much. `seen`: what `see_corners` says of
    this map, when it was asked already.
    """
    s = settings.calibrate
    upright = board_map.facing(0)
    places, sure = seen or see_corners(pixels, upright, corners)
    ends = half_corners(upright)[4:, :2]
    outward = np.sign(ends[:, 1]) * (places[4:, 1] - ends[:, 1])
    weight = np.where(sure[4:] > s.corner, sure[4:], 0.0).reshape(2, 2)
    if (weight.sum(1) == 0).any():
        return board_map
    rails = (outward.reshape(2, 2) * weight).sum(1) / weight.sum(1)
    bow, doubt = float(rails.mean()), math.hypot(s.bow_sd, float(rails[0] - rails[1]) / 2)
    if abs(bow) < s.bow:
        return board_map
    bent = [_bent(upright, float(k), settings) for k in np.linspace(-0.4, 0.16, 15)]
    costs = [
        ((_bow(upright, m) - bow) / doubt) ** 2 + 2 * math.log1p((m.lens[0] / s.lens_sd) ** 2)
        for m in bent
    ]
    best = bent[int(np.argmin(costs))]
    return (
        best.facing(board_map.orientation, board_map.sure_of_orientation)
        if best.lens[0]
        else board_map
    )


def _bent(upright: BoardMap, k1: float, settings: Thresholds) -> BoardMap:
    """The map of the same corners seen through a lens of that radial error."""
    lens = (round(k1, 3), 0.0, 0.0, 0.0, 0.0)
    return from_corners(
        upright.corners(), upright.size, bar=upright.bar, lens=lens, settings=settings.geometry
    )


def _bow(straight: BoardMap, bent: BoardMap) -> float:
    """How far outside the straight map's rails the bar's ends of a bent map lie, board units."""
    ends = half_corners(straight)[4:, :2]
    at = straight.unproject(bent.project(half_corners(bent)))[4:]
    return float((np.sign(ends[:, 1]) * (at[:, 1] - ends[:, 1])).mean())

"""Tables for cv2.remap: where in a picture each pixel of a straightened one comes from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from vision.arrays import F32, F64
from vision.geometry import BoardMap


def dense_tables(
    board_map: BoardMap,
    xs: F64,
    ys: F64,
    z: float,
    step: int = 8,
) -> tuple[F32, F32]:
    """Maps for cv2.remap for board columns `xs` and rows `ys` at height z: every `step`-th is
    projected, the rest interpolated.
    """
    return tables_at_heights(board_map, xs, ys, (z,), step)


def tables_at_heights(
    board_map: BoardMap, xs: F64, ys: F64, heights: Sequence[float], step: int = 8
) -> tuple[F32, F32]:
    """`dense_tables` of each height, one below the other."""
    i, j = _knots(len(xs), step), _knots(len(ys), step)
    at = np.empty((len(heights), len(j), len(i), 3))
    at[..., 0], at[..., 1] = xs[i], ys[j][:, None]
    at[..., 2] = np.asarray(heights)[:, None, None]
    seen = board_map.project(at.reshape(-1, 3)).astype(np.float32)
    planes = np.ascontiguousarray(seen.reshape(*at.shape[:3], 2).transpose(3, 0, 1, 2))
    x, y = _filled(_filled(planes, i, len(xs), 3), j, len(ys), 2)
    return x.reshape(-1, len(xs)), y.reshape(-1, len(xs))


def _filled(planes: F32, knots: npt.NDArray[np.intp], count: int, axis: int) -> F32:
    """The same along one axis at every whole number below `count`: straight lines from knot to
    knot.
    """
    at = np.interp(np.arange(count), knots, np.arange(len(knots)))
    before = np.minimum(at.astype(np.intp), len(knots) - 2)
    # In steps of 1/32, as cv2.remap interpolates: so the networks were taught.
    part = (np.round(32 * (at - before)) / 32).astype(np.float32)
    steps = np.diff(planes, axis=axis).take(before, axis)
    steps *= part[:, None] if axis == 2 else part
    steps += planes.take(before, axis)
    return steps


def _knots(count: int, step: int) -> npt.NDArray[np.intp]:
    knots = np.arange(0, count, step)
    return knots if knots[-1] == count - 1 else np.append(knots, count - 1)

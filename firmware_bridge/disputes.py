"""Which sensors lie, where the board reads otherwise than the record says.

Two looks at it. `contradicting` needs no odds: something above an empty site, nothing above a full
one, the other colour. `without_which` asks the physics: the one sensor of a site, or two that lie
side by side, without which the site would read as the record says. A sensor that froze among
checkers and two outputs that touch are found only so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.count_model import POINT_CLASSES, Pair
from firmware_bridge.physics import F64
from rules.board import BAR, POINTS, Colour, Placement, Seating

A_CHECKER: Final = 0.3
"""Less than a checker gives to the sensor it lies above, more than its neighbours do."""
DENIED: Final = 0.05
"""A count this much less likely than the best is denied by the site's sensors."""
GRANTED: Final = 0.3
"""And one so likely is granted by those that are left."""

Chances = Callable[[int, NDArray[np.bool_]], F64]
"""Of a geometric point: the likelihood of every class of `POINT_CLASSES`, one row for each row of
sensors (5) that are believed."""


def by_colour(seating: Seating, placement: Placement) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Light and dark checkers of a placement, by White's numbering."""
    return (
        placement.counts(seating.side_of(Colour.LIGHT)),
        placement.counts(seating.side_of(Colour.DARK)),
    )


def contradicting(board: BoardSpec, seating: Seating, placement: Placement, seen: F64) -> set[int]:
    """Sensors whose reading (in checkers) no way of laying this placement out explains: something
    above an empty site, nothing or the other colour above a full row, the other colour above one.
    """
    light, dark = by_colour(seating, placement)
    found: set[int] = set()
    for site in (BAR, *POINTS):
        if light[site] and dark[site]:
            continue
        bar = site == BAR
        sensors = board.sensors.of_bar if bar else board.sensors.of_point(seating.geometric(site))
        count, own = (light[site], 1.0) if light[site] else (dark[site], -1.0)
        for n in sensors:
            reading = own * float(seen[n])
            if count == 0:
                odd = abs(reading) > A_CHECKER
            elif not bar and count >= len(sensors):
                odd = reading < A_CHECKER
            else:
                odd = reading < -A_CHECKER
            if odd:
                found.add(n)
    return found


def without_which(
    board: BoardSpec,
    seating: Seating,
    placement: Placement,
    good: NDArray[np.bool_],
    chances: Chances,
) -> set[int]:
    """Sensors of points whose reading denies the record, and grants it without them."""
    light, dark = by_colour(seating, placement)
    found: set[int] = set()
    for point in POINTS:
        site = seating.site(point)
        pair = (light[site], dark[site])
        if pair in POINT_CLASSES:
            numbers = board.sensors.of_point(point)
            found |= {numbers[k] for k in _liars(pair, good[list(numbers)], point, chances)}
    return found


def _liars(pair: Pair, known: NDArray[np.bool_], point: int, chances: Chances) -> tuple[int, ...]:
    """Slots of a point to be put aside so that `pair` becomes likely: one, else two neighbours."""
    n = len(known)
    if not known.any() or _granted(pair, chances(point, known[None, :]))[0] >= DENIED:
        return ()
    for few in ([(k,) for k in range(n)], [(k, k + 1) for k in range(n - 1)]):
        tried = [slots for slots in few if known[list(slots)].all()]
        if not tried:
            continue
        masks = np.repeat(known[None, :], len(tried), axis=0)
        for row, slots in enumerate(tried):
            masks[row, list(slots)] = False
        granted = np.where(masks.any(axis=1), _granted(pair, chances(point, masks)), 0.0)
        best = int(granted.argmax())
        if granted[best] >= GRANTED:
            return tried[best]
    return ()


def _granted(pair: Pair, chances: F64) -> F64:
    """How likely a class is beside the likeliest, of each row."""
    return np.asarray(chances[:, POINT_CLASSES.index(pair)] / chances.max(axis=1))

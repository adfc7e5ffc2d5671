"""A position that is known for sure, as pictures number it: for learning colours and for telling
which way round a board lies.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rules.board import Colour, Placement, Seating
from vision.checkers import CheckerReading, point_kind


def geometric_counts(placement: Placement, seating: Seating) -> dict[int, tuple[int, int]]:
    """A placement as pictures number it: geometric point -> (light, dark)."""
    light, dark = (placement.counts(seating.side_of(c)) for c in (Colour.LIGHT, Colour.DARK))
    counts = {p: (light[seating.site(p)], dark[seating.site(p)]) for p in range(1, 25)}
    return {p: c for p, c in counts.items() if any(c)}


def explains(reading: CheckerReading, counts: Mapping[int, tuple[int, int]]) -> float:
    """Mean log probability that a reading gives to a position, over the points:

    0 is perfect, below about -1 it is another position.
    """
    total = 0.0
    for point in range(1, 25):
        light, dark = counts.get(point, (0, 0))
        total += float(np.log(max(reading.points[point - 1, point_kind(light, dark)], 1e-4)))
    return total / 24

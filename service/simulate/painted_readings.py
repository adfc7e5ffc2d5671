"""What the real reader says of what few pictures show, on painted boards seen from above: of
checkers that lie between two points, and of empty points under a cup or a box.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from rules.board import POINTS, Placement, Seating, Side
from rules.observation import SiteReading
from service.simulate.measured import HiddenJson, SidewaysJson, in_few_digits
from service.simulate.painted_sense import UNDER, room_beside
from vision.networks import Networks
from vision.reader import read_picture
from vision.synthetic.discs import Sideways
from vision.synthetic.scene import paint, random_counts
from vision.synthetic.truth import PointCounts

SHARES: Final = (0.3, 0.5)
"""How far it lies towards the next point: further, and it stands on that one."""
EMPTY: Final = Placement((0,) * 26, (0,) * 26)
HIDDEN: Final = 0.6
"""Of a point under a thing hardly more than this is in view."""


def sideways_readings(boards: int, seed: int) -> list[SidewaysJson]:
    """One reading a board, of so many boards that have a place for such a checker, whose last
    checker of some point lies three to five tenths of the way to the next.
    """
    networks = Networks()
    return [
        reading
        for number in range(boards)
        for reading in _between(np.random.default_rng((seed, number)), networks)
    ]


def hidden_readings(boards: int, seed: int) -> list[HiddenJson]:
    """The readings of all empty points under a thing, of so many boards with two things each."""
    networks = Networks()
    return [
        reading
        for number in range(boards)
        for reading in _under_things(np.random.default_rng((seed, 1, number)), networks)
    ]


def _under_things(rng: np.random.Generator, networks: Networks) -> Iterator[HiddenJson]:
    """What is read of the empty points of a painted board of which little is in view."""
    counts, bar, off = random_counts(rng)
    scene = paint(rng, counts, bar=bar, off=off, things=2)
    seen = read_picture(scene.frame, scene.board_map, networks, seating=Seating())
    for point in POINTS:
        if point in counts or scene.visible[point - 1] > HIDDEN:
            continue
        reading = seen.at(point)
        if reading is None:
            yield None
        else:
            most = max(p for *_, p in reading.outcomes)
            none, light, dark = (reading.likelihood(*pair) / most for pair in UNDER)
            floor = in_few_digits(min(reading.floor / most, 1.0))
            yield in_few_digits(none), in_few_digits(light), in_few_digits(dark), floor


def _between(rng: np.random.Generator, networks: Networks) -> Iterator[SidewaysJson]:
    """The one reading of a painted board, none where it has no place for such a checker."""
    counts, bar, off = random_counts(rng)
    places = [place for side in Side for place in room_beside(EMPTY, _placement(counts), side)]
    if not places:
        return
    point, beside = places[rng.integers(len(places))]
    lies = Sideways(point, beside, rng.uniform(*SHARES))
    scene = paint(rng, counts, bar=bar, off=off, sideways=lies)
    seen = read_picture(scene.frame, scene.board_map, networks, seating=Seating())
    own, near = seen.at(point), seen.at(beside)
    if own is None or near is None:
        return
    light, dark = counts[point]
    more = (1, 0) if light else (0, 1)
    white, black = counts.get(beside, (0, 0))
    yield (
        _shares(own, (light, dark), (light - more[0], dark - more[1])),
        _shares(near, (white, black), (white + more[0], black + more[1])),
    )


def _placement(counts: PointCounts) -> Placement:
    """The checkers of the points: light is White's, dark Black's."""
    white, black = [0] * 26, [0] * 26
    for point, (light, dark) in counts.items():
        white[point], black[point] = light, dark
    return Placement(tuple(white), tuple(black))


def _shares(
    seen: SiteReading, truly: tuple[int, int], otherwise: tuple[int, int]
) -> tuple[float, float, float]:
    """How likely two pairs of counts are, and any other, the likelier of both being 1."""
    as_it_is, one_off = seen.likelihood(*truly), seen.likelihood(*otherwise)
    most = max(as_it_is, one_off)
    return (
        in_few_digits(as_it_is / most),
        in_few_digits(one_off / most),
        in_few_digits(min(seen.floor / most, 1.0)),
    )

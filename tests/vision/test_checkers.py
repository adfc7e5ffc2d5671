"""From the network's numbers to counts: kinds, sums over boards, likelihoods for Observations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.board import BAR, Colour, Corner, Seating
from tests.vision.weights import NETWORKS
from vision.checkers import (
    KINDS,
    CheckerReading,
    doubt_piles,
    doubtful_piles,
    feet_in_view,
    kind_counts,
    most_likely_board,
    not_seen_not_empty,
    point_kind,
    points_in_view,
    slants,
)
from vision.geometry import from_corners
from vision.reader import site_readings
from vision.settings import DEFAULT

START = {
    24: (2, 0),
    13: (5, 0),
    8: (3, 0),
    6: (5, 0),
    1: (0, 2),
    12: (0, 5),
    17: (0, 3),
    19: (0, 5),
}


def reading(
    counts: dict[int, tuple[int, int]], sure: float = 0.99, covered: tuple[int, ...] = ()
) -> CheckerReading:
    """A reading that gives `sure` to each true count and the rest to its neighbours."""
    points = np.full((24, KINDS), 1e-6)
    for p in range(1, 25):
        k = point_kind(*counts.get(p, (0, 0)))
        points[p - 1, k] = sure
        points[p - 1, k + 1 if k not in (15, 30) else k - 1] = 1 - sure
    points /= points.sum(1, keepdims=True)
    bar = np.zeros((2, 6))
    bar[:, 0] = 1.0
    hidden = np.array([0.9 if p in covered else 0.0 for p in range(1, 25)])
    return CheckerReading(points, hidden, bar, 0.5, np.zeros((5, 24, 36), np.float32))


def test_kinds_name_every_count_once() -> None:
    assert [point_kind(*kind_counts(k)) for k in range(KINDS)] == list(range(KINDS))


def test_fifteen_a_side_settles_an_unsure_pile() -> None:
    """One point torn between five and six: the other checkers say which."""
    torn = reading(START)
    torn.points[5] = 0
    torn.points[5, [5, 6]] = (0.45, 0.55)
    points, _ = most_likely_board(torn)
    assert points[5].argmax() == 5
    assert points[5, 5] > 0.9
    assert np.allclose(points.sum(1), 1)


def test_a_board_no_count_allows_lets_each_site_speak_alone() -> None:
    sixteen = reading({**START, 7: (1, 0)}, sure=1.0)
    points, bar = most_likely_board(sixteen)
    assert (points.argmax(1) == sixteen.points.argmax(1)).all()
    assert bar[0, 0] == 1.0


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=24, max_size=24), st.floats(0.5, 0.999))
def test_probabilities_stay_probabilities(counts: list[int], sure: float) -> None:
    board = {p + 1: (c, 0) if p % 2 else (0, c) for p, c in enumerate(counts)}
    points, bar = most_likely_board(reading(board, sure))
    assert (
        np.isfinite(points).all() and np.allclose(points.sum(1), 1) and np.allclose(bar.sum(1), 1)
    )


def test_covered_points_are_absent_not_empty() -> None:
    r = reading(START, covered=(6, 7))
    assert not points_in_view(r)[5] and points_in_view(r)[0]
    sites = {s.site for s in site_readings(r, NETWORKS.checkers.numbers, Seating())}
    assert sites == set(range(1, 25)) - {6, 7} | {BAR}


def test_only_piles_in_doubt_are_looked_at_again() -> None:
    """Four points of the start hold five: sure ones are counted, one torn between five and six is
    not, a covered one is left.
    """
    numbers = NETWORKS.checkers.numbers
    r = reading(START, sure=0.9999, covered=(19,))
    r.points[11] = 1e-6
    r.points[11, [20, 21]] = (0.6, 0.4)
    points = doubt_piles(
        r.points / r.points.sum(1, keepdims=True),
        numbers.pile_doubt,
        numbers.usual,
    )
    torn = CheckerReading(points, r.covered, r.bar, r.east_right, r.cells)
    assert doubtful_piles(torn, numbers) == [11]


SEATINGS = [Seating(c, h) for c in Colour for h in Corner]


@pytest.mark.parametrize("seating", SEATINGS, ids=lambda s: f"{s.white.value}-{s.home.value}")
def test_each_seating_gets_its_own_numbers(seating: Seating) -> None:
    sites = {s.site: s for s in site_readings(reading(START), NETWORKS.checkers.numbers, seating)}
    for point, (light, dark) in START.items():
        white, black = (light, dark) if seating.white is Colour.LIGHT else (dark, light)
        site = sites[seating.site(point)]
        assert max(site.outcomes, key=lambda o: o[2])[:2] == (white, black)
        assert site.likelihood(white, black) > site.likelihood(0, 0)


HIGH = np.zeros(24, np.bool_)
"""No point is seen so low that a wall may hide its foot."""


@pytest.mark.parametrize(
    ("count", "first_covered", "told"),
    [(0, 6, True), (0, 3, False), (2, 10, True), (2, 8, False), (3, 22, True), (4, 22, False)],
)
def test_a_cup_behind_the_checkers_hides_nothing(
    count: int, first_covered: int, told: bool
) -> None:
    """Point 12 is at the lower left: cells from its end of the strip on are covered."""
    points = np.zeros((24, 31))
    points[:, count] = 1.0
    cells = np.zeros((5, 24, 36), np.float32)
    cells[3, 1 : 23 - first_covered, 5:7] = 1.0
    reading = CheckerReading(points, np.ones(24), np.eye(6)[[0, 0]], 0.5, cells)
    assert bool(feet_in_view(reading, 0, HIGH)[11]) is told
    walled = feet_in_view(reading, 0, ~HIGH)[11]
    assert bool(walled) is (told and count > 0), "a wall may hide what stands on an empty point"
    cells[3, 0, 5] = 1.0
    assert not feet_in_view(reading, 0, HIGH)[11], "what reaches in from outside is an arm"


def test_slants_grow_as_the_camera_comes_down() -> None:
    above = from_corners([(200, 100), (1080, 100), (1080, 860), (200, 860)], (1280, 960))
    low = from_corners([(420, 380), (860, 380), (1150, 640), (130, 640)], (1280, 960))
    assert slants(above).max() < 0.6 < DEFAULT.checkers.low < 0.9 < slants(low).min()


@pytest.mark.parametrize(("covered", "most"), [(0.0, 0.9999), (0.1, 0.98), (0.5, 0.9)])
def test_a_point_that_may_be_covered_is_not_surely_empty(covered: float, most: float) -> None:
    """What stands there is as sure as it was: that was seen."""
    usual, sure = NETWORKS.checkers.numbers.usual, reading(START, 0.9999).points
    points = not_seen_not_empty(sure, np.full(24, covered), usual)
    assert points.sum(1) == pytest.approx(1.0, abs=1e-4)
    empty = np.array([sum(START.get(p, (0, 0))) == 0 for p in range(1, 25)])
    assert points[empty, 0].max() <= most + 1e-9
    assert points[~empty].max(1) == pytest.approx(0.9999, abs=1e-4)

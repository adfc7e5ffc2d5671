"""Which stretches of a film are said not to have been read."""

from __future__ import annotations

import numpy as np
import pytest

from rules.observation import Condition, Observation, Source
from service.film.unread import unexplained, unread_stretches
from service.reconcile.codes import CODES, SITES
from service.reconcile.reel import Still

REST, HAND, DARK = Condition.AT_REST, Condition.MOVING, Condition.DARK


@pytest.mark.parametrize(
    ("film", "expected"),
    [
        ([], []),
        ([(0, REST), (5, HAND), (9, REST)], []),
        ([(0, REST), (5, HAND), (8, DARK), (12, DARK), (20, REST)], [(0, 20, "dark")]),
        ([(0, HAND), (11, HAND)], [(0, 11, "moving")]),
        ([(0, DARK), (12, REST), (13, REST), (20, HAND), (22, HAND)], [(0, 12, "dark")]),
    ],
)
def test_stretches(
    film: list[tuple[float, Condition]], expected: list[tuple[float, float, str]]
) -> None:
    seen = [
        Observation(Source.CAMERA, at, n, condition, note=condition.value)
        for n, (at, condition) in enumerate(film)
    ]
    assert [(u.began, u.ended, u.why) for u in unread_stretches(seen)] == expected


def still(frame: int, until: float, *moved: int) -> Still:
    """A board on which these sites hold a checker more than at first."""
    logs = np.full((SITES, CODES), -12.0, np.float32)
    logs[np.arange(SITES), np.isin(np.arange(SITES), moved).astype(int)] = 0.0
    return Still(frame, until - 2, until, logs, np.ones(SITES, np.bool_))


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        ([still(30, 13, 5, 7), still(40, 30, 5, 7, 8)], [(11, 30, 30)]),
        ([still(30, 13), still(40, 30)], []),
        ([still(30, 13, 5), still(40, 30, 5)], []),
        ([still(30, 13), still(40, 30), still(50, 33, 5, 7)], []),
    ],
    ids=["played on", "as it was", "one site misread", "the film ends in a play"],
)
def test_what_follows_from_no_play_is_said(
    later: list[Still], expected: list[tuple[float, float, int]]
) -> None:
    found = unexplained([still(10, 5), still(20, 8), *later], 20)
    assert [(u.began, u.ended) for u in found] == [(a, b) for a, b, _ in expected]
    assert all(
        f"from frame {frame} on" in u.why for u, (_, _, frame) in zip(found, expected, strict=True)
    )

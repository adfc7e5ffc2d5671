"""Which stretches of a film are said not to have been read."""

from __future__ import annotations

import pytest

from rules.observation import Condition, Observation, Source
from service.film.unread import unread_stretches

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

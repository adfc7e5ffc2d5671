"""Of a die seen from a low camera the finder marks its top and its front, or the front alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rules.observation import DieStatus
from vision.dice.dice import CandidateReading
from vision.dice.find import Candidate
from vision.dice.low import each_die_once
from vision.settings import DEFAULT

S = DEFAULT.dice
AXES = np.array([[30.0, 0.0], [0.0, -17.0]])
"""A camera 35 degrees above the table, a point 30 pixels wide."""


def place(x: float, y: float, slant: float = 1.43) -> Candidate:
    pixel = (400 + 30 * x, 300 - 17 * y)
    return Candidate(pixel, 11.0, 0.36, (2.0, -3.0), x, y, AXES, slant)


def shows(one: Candidate, face: int, sure: float, die: float = 0.95) -> CandidateReading:
    values = tuple(sure if n == face else (1 - sure) / 5 for n in range(1, 7))
    lies = {DieStatus.FLAT: 1.0}
    return CandidateReading(
        one.pixel,
        one.x,
        one.y,
        one.edge,
        11.0,
        die,
        0.0,
        lies,
        values,
        (9, 9, 9),
        one.axes,
        one.slant,
    )


def unseen(places: Sequence[Candidate]) -> tuple[CandidateReading, ...]:
    """What a look higher gives where nothing is."""
    return tuple(shows(one, 1, 0.2, 0.01) for one in places)


def not_asked(places: Sequence[Candidate]) -> tuple[CandidateReading, ...]:
    raise AssertionError


def test_from_above_nothing_is_looked_at_again() -> None:
    two = (place(1, 0, 0.4), place(1, 0.2, 0.4))
    seen = tuple(shows(one, 5, 0.9) for one in two)
    assert each_die_once(two, seen, not_asked, S) is seen


def test_what_surely_shows_a_face_is_not_looked_at_again() -> None:
    two = (place(1, 0), place(3, 0))
    seen = tuple(shows(one, 5, 0.95) for one in two)

    def none_asked(places: Sequence[Candidate]) -> tuple[CandidateReading, ...]:
        assert not places
        return ()

    assert each_die_once(two, seen, none_asked, S) == seen


def test_top_and_front_of_one_die_are_one_die_which_shows_its_top() -> None:
    """Seven pixels apart in the picture: 0.4 of a point on the board would be two that touch."""
    front, top = place(1, 0), place(1, 0.28)
    seen = (shows(front, 4, 0.41, 0.96), shows(top, 5, 0.97, 0.92))
    found = each_die_once((front, top), seen, unseen, S)
    assert [one.die >= S.found for one in found] == [False, True]
    assert found[1] == seen[1]


@pytest.mark.parametrize("apart", [(0.26, 0.02), (0.0, 0.37), (0.19, 0.16)])
def test_two_dice_that_touch_stay_two(apart: tuple[float, float]) -> None:
    # As the finder marked such pairs on rendered stills, a little nearer than they lie.
    two = (place(1, 0), place(1 + apart[0], apart[1]))
    seen = (shows(two[0], 4, 0.8), shows(two[1], 5, 0.8))
    assert each_die_once(two, seen, unseen, S) == seen


def test_of_a_front_the_top_is_read() -> None:
    front = place(1, 0)

    def read(places: Sequence[Candidate]) -> tuple[CandidateReading, ...]:
        assert [one.pixel[1] < front.pixel[1] for one in places] == [True]
        return tuple(shows(one, 3, 0.9) for one in places)

    (found,) = each_die_once((front,), (shows(front, 6, 0.35, 0.77),), read, S)
    assert found.values.index(max(found.values)) + 1 == 3
    (kept,) = each_die_once((front,), (shows(front, 6, 0.85),), read, S)
    assert kept.values.index(max(kept.values)) + 1 == 6


@pytest.mark.parametrize("apart", [(0.02, 0.36), (-0.16, -0.13), (0.04, -0.35), (0.03, 0.38)])
def test_where_two_dice_lie_a_third_beside_one_is_its_front_or_side(
    apart: tuple[float, float],
) -> None:
    # As the finder marked faces of one die on a film from 35 degrees.
    three = (place(4, 0), place(1, 0), place(1 + apart[0], apart[1]))
    seen = tuple(shows(one, face, 0.8) for one, face in zip(three, (2, 4, 5), strict=True))
    found = each_die_once(three, (*seen[:2], shows(three[2], 5, 0.7)), unseen, S)
    assert [one.die >= S.found for one in found] == [True, True, False]


def test_a_third_die_elsewhere_is_a_third_die() -> None:
    three = (place(4, 0), place(1, 0), place(1.3, 0.3))
    seen = tuple(shows(one, 4, 0.8) for one in three)
    assert each_die_once(three, seen, unseen, S) == seen

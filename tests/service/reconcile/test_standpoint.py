"""From where a camera sees the board, late in a game, when each side stands in a row of its own."""

from __future__ import annotations

import pytest

from rules.board import Placement
from rules.observation import Condition, Observation, SiteReading, Source
from service.reconcile.standpoint import AS_IT_IS, OTHERS, Seen, Standpoint

STANDS = Placement.of({1: 5, 2: 2, 0: 8}, {13: 10, 14: 1, 15: 2, 0: 2})


def picture(shown: Placement, number: int) -> Observation:
    readings = tuple(
        SiteReading(s, ((shown.white[s], shown.black[s], 1.0),), 1e-5) for s in range(1, 25)
    )
    return Observation(Source.CAMERA, 10.0 + number, number, Condition.AT_REST, readings)


@pytest.mark.parametrize("shows", OTHERS[1:], ids=[str(n) for n in range(1, len(OTHERS))])
def test_a_camera_that_shows_the_board_as_it_is_again_is_seen_to(shows: Seen) -> None:
    standpoint = Standpoint(shows)
    for number in range(3):
        standpoint = standpoint.of(picture(STANDS, number), [STANDS])
    assert standpoint == Standpoint(AS_IT_IS)


def test_a_turn_of_one_side_is_no_other_standpoint() -> None:
    moved = Placement.of({1: 5, 2: 2, 0: 8}, {13: 6, 14: 5, 15: 2, 0: 2})
    standpoint = Standpoint()
    for number in range(3):
        standpoint = standpoint.of(picture(moved, number), [STANDS])
    assert standpoint == Standpoint()

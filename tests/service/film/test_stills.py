"""Stills of a camera that never sees a hand: what stands elsewhere tells that somebody played."""

from __future__ import annotations

from rules.board import POINTS, Placement
from rules.observation import Condition, Observation, SiteReading, Source
from service.film.stills import stills_and_throws

START = Placement.of({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5})
PLAYED = (
    START,
    Placement.of({24: 2, 13: 4, 10: 1, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5}),
    Placement.of({24: 2, 13: 4, 10: 1, 8: 3, 6: 5}, {1: 1, 5: 1, 12: 5, 17: 3, 19: 5}),
    Placement.of({24: 1, 20: 1, 13: 4, 10: 1, 8: 3, 6: 5}, {1: 1, 5: 1, 12: 5, 17: 3, 19: 5}),
)


def seen(placement: Placement, number: int, least: float) -> Observation:
    """What a camera says that is so sure of each point: everything else is as likely as `least`."""
    sites = tuple(
        SiteReading(p, ((placement.white[p], placement.black[p], 1.0),), least) for p in POINTS
    )
    at = 0.5 * number
    return Observation(Source.CAMERA, at, number, Condition.AT_REST, sites, ())


def stills_of(least: float) -> int:
    film = [seen(p, 12 * k + n, least) for k, p in enumerate(PLAYED) for n in range(12)]
    return len(stills_and_throws(film)[0])


def test_each_play_begins_another_still_though_no_hand_is_seen() -> None:
    """Of a film from 35 degrees, traced without hands, ten stills were made for 44 pictures: only
    what had just been played could end a still.
    """
    assert stills_of(0.001) == len(PLAYED)


def test_several_points_that_are_each_unsure_tell_together_that_somebody_played() -> None:
    """From 35 degrees a point is told from an empty one by 20 to 1 and less."""
    assert stills_of(0.09) == len(PLAYED)

"""From where a camera sees the board, late in a game, when each side stands in a row of its own."""

from __future__ import annotations

import pytest

from rules.board import Placement, Side
from rules.dice import Roll
from rules.observation import Condition, Observation, SiteReading, Source
from rules.position import Position
from rules.ruleset import ruleset
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


WHITE = {1: 3, 2: 2, 3: 3, 5: 2, 7: 1, 24: 4}
BEFORE = Placement.of(WHITE, {19: 1, 20: 4, 21: 2, 22: 5, 23: 3})
AFTER = Placement.of(WHITE, {19: 1, 20: 2, 21: 4, 22: 3, 23: 5})
"""Black has played 1-1, four checkers."""
TURN = Position.of(BEFORE, ruleset("backgammon"), Side.BLACK)


def as_shown(stands: Placement, shows: Seen) -> Placement:
    """What a picture shows of a board from another standpoint."""

    def row(counts: tuple[int, ...]) -> dict[int, int]:
        return {p: counts[shows[p]] for p in range(1, 25) if shows[p] >= 0 and counts[shows[p]]}

    return Placement.of(row(stands.white), row(stands.black))


@pytest.mark.parametrize("roll", [Roll.of(1, 1), None], ids=["read", "unread"])
@pytest.mark.parametrize("shows", OTHERS[1:], ids=[str(n) for n in range(1, len(OTHERS))])
def test_a_board_that_was_pushed_while_a_turn_was_played_is_seen_to(
    shows: Seen, roll: Roll | None
) -> None:
    """Nothing that is on record stands there, however one looks: the play has to be known."""
    standpoint = Standpoint()
    for number in range(3):
        seen = picture(as_shown(AFTER, shows), number)
        standpoint = standpoint.of(seen, [BEFORE], TURN, roll)
    assert standpoint == Standpoint(shows)


def test_a_play_of_the_turn_is_no_other_standpoint() -> None:
    standpoint = Standpoint()
    for number in range(3):
        standpoint = standpoint.of(picture(AFTER, number), [BEFORE], TURN, None)
    assert standpoint == Standpoint()


START = Position.start(ruleset("backgammon"), Side.WHITE).placement


@pytest.mark.parametrize("known", [[STANDS, START], [STANDS]], ids=["start", "record"])
def test_checkers_that_are_set_up_anew_are_no_other_standpoint(known: list[Placement]) -> None:
    """A game given up: moved by a point the picture had a little more of the record in it, and the
    end of the game was never seen (380500 e3 g2).
    """
    standpoint = Standpoint()
    for number in range(3):
        standpoint = standpoint.of(picture(START, number), known)
    assert standpoint == Standpoint()

"""A place that goes on being read otherwise than the record has it: people are asked to compare."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rules.board import OFF, Placement, Side
from rules.observation import Source
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile import Denial, Evidence
from service.reconcile.codes import codes_of
from service.reconcile.evidence import Witness
from tests.service.hands import begun
from tests.service.telling_hands import TellingHands

W, B = Side.WHITE, Side.BLACK
TURNS = (
    (W, (3, 1), ((8, 5), (6, 5))),
    (B, (4, 2), ((8, 4), (6, 4))),
    (W, (6, 5), ((24, 18), (18, 13))),
    (B, (5, 3), ((8, 3), (6, 3))),
    (W, (2, 1), ((13, 11), (6, 5))),
    (B, (6, 4), ((13, 7), (13, 9))),
    (W, (2, 1), ((13, 11), (6, 5))),
)


def evening(
    site: int, read: tuple[int, int], *, board: bool = False, fixed: bool = False
) -> TellingHands:
    """Turns after which a site reads so many of either side to the camera."""
    hands = TellingHands(board=board)
    begun(hands, W, clock="none", length=5)
    for side, roll, moves in TURNS:
        hands.throw(*roll, side=side)
        # It begins under a hand: what changes by itself is a lamp.
        hands.hand_over = True
        hands.wait(0.4).eyes["camera"].misreads[site] = read
        hands.move(*moves, side=side).wait(2)
        alerts = [a for a in hands.state.alerts if a.matter == "denied"]
        if fixed and alerts:
            placement = {side.value: list(hands.placement.counts(side)) for side in (W, B)}
            on_roll = hands.state.game.on_roll.value
            hands.order("set_position", placement=placement, on_roll=on_roll)
        hands.lift().wait(2)
    return hands


def told(hands: TellingHands) -> list[tuple[str, int, int, int]]:
    """Every alert of the evening: whose, its point, what is read and what is recorded."""
    found = (e for e in hands.bodies("alert_raised") if e.matter == "denied")
    return [(e.code, e.facts["point"], e.facts["seen"], e.facts["recorded"]) for e in found]


def test_a_low_point_that_goes_on_reading_one_fewer_is_told_once() -> None:
    assert told(evening(1, (0, 1))) == [("black", 24, 1, 2)]


@pytest.mark.parametrize(
    ("site", "read", "board"),
    [
        (1, (0, 1), True),
        (12, (0, 4), False),
        (10, (1, 0), False),
    ],
)
def test_what_another_source_reads_rightly_a_pile_and_one_checker_too_many_are_no_news(
    site: int, read: tuple[int, int], board: bool
) -> None:
    assert told(evening(site, read, board=board)) == []


def test_a_person_who_says_that_the_record_is_right_is_not_asked_again() -> None:
    hands = evening(1, (0, 1), fixed=True)
    assert told(hands) == [("black", 24, 1, 2)]
    assert not [a for a in hands.state.alerts if a.matter == "denied"]


def read_as(placement: Placement) -> Evidence:
    """What a camera that sees this placement surely has said."""
    new = Witness.new(Source.CAMERA)
    mean = np.full((26, 256), -20.0, np.float32)
    mean[np.arange(26), codes_of(placement)] = 0.0
    frames = np.full(26, 8, np.int32)
    seen = replace(new, mean=mean.reshape(26, 16, 16), frames=frames, rests=8)
    return Evidence(placement, 0.0, (seen,))


def test_the_next_place_is_told_without_the_one_that_people_have_heard_of() -> None:
    record = Position.start(ruleset("backgammon"), W).placement
    one, other = record.moved(B, 1, OFF), record.moved(W, 24, OFF)
    denial = Denial()
    for _ in range(3):
        denial = denial.settled(read_as(one), record)
    assert denial.placement == one
    denial = denial.heard()
    for _ in range(3):
        denial = denial.settled(read_as(one.moved(W, 24, OFF)), record)
    assert denial.placement == other

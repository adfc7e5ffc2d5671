"""A board that differs from the record is never left so in silence: whatever hands did, once it
stands quiet somebody is asked, with answers that end it, and a board put right ends it too.
"""

from __future__ import annotations

import random

import pytest

from rules.board import BAR, OFF, Placement, Side
from rules.dice import Roll
from service.journal.entries import Standing
from service.referee.state import Phase
from tests.service.hands import Hands, begun, stand
from tests.service.telling_hands import TellingHands

QUIET_S = 9.0
SEEDS = range(12)


def disturbed(placement: Placement, rng: random.Random) -> Placement:
    """The placement after hands that know no rules moved a few checkers."""
    for _ in range(rng.randint(2, 5)):
        side = rng.choice(list(Side))
        here = [p for p in range(1, 25) if placement.counts(side)[p]]
        there = [
            p for p in (*range(1, 25), BAR, OFF) if p == BAR or not placement.counts(side.other)[p]
        ]
        placement = placement.moved(side, rng.choice(here), rng.choice(there))
    return placement


def disturbed_table(seed: int) -> tuple[Hands, Placement]:
    """A table in some phase whose checkers were disturbed and then left alone; what stood there."""
    rng = random.Random(seed)
    hands = begun(Hands(board=seed % 2 == 0), clock=("none", "ours")[seed % 3 == 0])
    stood = hands.placement
    if seed % 4:
        hands.throw(rng.randint(1, 6), rng.randint(1, 6))
    hands.put(disturbed(stood, rng), seconds=2)
    if seed % 3 == 0:
        hands.press()
    elif seed % 4:
        hands.lift()
    return hands.wait(QUIET_S), stood


@pytest.mark.parametrize("seed", SEEDS)
def test_a_quiet_board_that_differs_asks_and_can_be_answered(seed: int) -> None:
    hands, _ = disturbed_table(seed)
    if hands.state.phase is not Phase.DIFFERS:
        assert hands.state.alerts, "the board was disturbed, and nobody is told"
        return
    difference = hands.state.turn.difference
    assert difference is not None
    assert difference.options
    assert difference.sites
    assert any(a.matter == "differs" and not a.acknowledged_by for a in hands.state.alerts)
    hands.order("choose_explanation", index=0)
    assert hands.state.phase is not Phase.DIFFERS


@pytest.mark.parametrize("seed", SEEDS)
def test_a_board_put_right_is_no_longer_said_to_differ(seed: int) -> None:
    hands, stood = disturbed_table(seed)
    hands.put(stood, seconds=4)
    assert hands.state.phase is not Phase.DIFFERS


def test_a_turn_played_against_the_rules_and_thrown_over_is_no_position_of_nobody() -> None:
    """White has thrown, moves one checker the wrong way, and Black throws: no press, no word."""
    hands = begun(Hands(board=True), clock="ours")
    hands.throw(3, 1)
    wrong = hands.moved((8, 11))
    hands.put(wrong, seconds=4)
    hands.lift()
    hands.throw(4, 2, side=Side.BLACK).wait(8.0)
    line = hands.state.match.plays[-1]
    assert (line.side, line.roll, line.placement) == (Side.WHITE, Roll(3, 1), wrong)
    assert line.standing is Standing.UNRESOLVED
    assert not any(body.reason for body in hands.bodies("position_set"))
    assert hands.state.game.on_roll is Side.BLACK


def thrown_over() -> Hands:
    """A white checker reads as gone before Black throws; Black is asked, throws over it, and takes
    the dice up before they are read.
    """
    hands = begun(Hands(board=True), clock="ours")
    hands.order("start_clocks", side="white")
    hands.throw(6, 5)
    hands.play_any()
    hands.press(seconds=3)
    hands.put(hands.placement.moved(Side.WHITE, 8, OFF), seconds=QUIET_S + 2)
    hands.expect(Phase.DIFFERS)
    hands.throw(3, 1).wait(1.0)
    assert [body.reason for body in hands.bodies("position_set")] == ["", "played_on"]
    return hands.lift()


def test_what_people_have_thrown_over_is_not_asked_once_more() -> None:
    """It was, and the throw that came then was no turn's (273000 e0 g0)."""
    hands = thrown_over().wait(2 * QUIET_S).expect(Phase.TO_ROLL)
    assert len(hands.bodies("differs")) == 1
    hands.throw(3, 1)
    hands.move((8, 5), (6, 5)).press(seconds=3)
    assert hands.last("played").notation == "8/5 6/5"


def test_another_difference_than_the_one_thrown_over_is_asked() -> None:
    hands = thrown_over()
    hands.put(hands.placement.moved(Side.WHITE, 6, OFF), seconds=2 * QUIET_S)
    assert len(hands.bodies("differs")) == 2


def test_a_checker_taken_off_early_stays_off_where_its_side_plays_on_out_of_turn() -> None:
    """White took a checker off with one back, nobody answered, and it played once more before
    Black: the record laid the checker back, and had one too many (363000 e4 g2).
    """
    table = begun(Hands(board=False), Side.WHITE, clock="ours")
    stand(table, {24: 3, 22: 1, 6: 3, 4: 2, 3: 3, 2: 3}, {24: 2, 13: 2, 7: 1, 6: 2, 5: 2, 2: 6})
    table.throw(5, 3).put(table.moved((6, OFF), side=Side.WHITE)).press(seconds=2.2)
    taken_off = table.placement
    table.throw(4, 2, side=Side.WHITE).wait(6.0)
    table.put(table.moved((22, 16), side=Side.WHITE)).press(Side.WHITE)
    table.throw(4, 1, side=Side.BLACK).wait(6.0)
    placement = table.state.game.placement
    assert placement is not None
    assert placement.counts(Side.WHITE)[OFF] == taken_off.counts(Side.WHITE)[OFF] == 1


def test_a_play_that_was_left_half_made_and_said_so_is_completed_and_pressed_again() -> None:
    """White bore one off, pressed and said that the roll was 5-4; Black saw that the 4 was missing:
    the record kept the half, and every play after it stood on a board that was none (364000 e5 g0).
    """
    table = begun(Hands(), Side.WHITE, clock="ours")
    stand(table, {2: 7, 3: 3, 5: 3, 6: 2}, {1: 3, 3: 4, 8: 5, 13: 3})
    table.throw(5, 4).put(table.moved((5, OFF), side=Side.WHITE)).press(seconds=2.0)
    placement = {side.value: list(table.placement.counts(side)) for side in Side}
    table.order("declare_play", placement=placement, roll=[5, 4])
    table.wait(2.0).expect(Phase.TO_ROLL)
    assert table.last("played").standing is Standing.UNRESOLVED
    table.put(table.moved((6, 2), side=Side.WHITE)).press(Side.WHITE, seconds=5.0)
    assert table.state.game.placement == table.placement
    assert table.last("corrected").notation == "6/2 5/off"
    assert table.state.game.on_roll is Side.BLACK


def test_a_checker_that_vanished_over_a_pile_that_nobody_counts_was_laid_there() -> None:
    """Nobody read the dice of 14/9 4/1, and the board counts one too few on the ace point: what was
    recorded had a checker off that could not be, with 0.6 % for it (364000 e3 g1).
    """
    table = begun(TellingHands(), Side.BLACK, clock="ours")
    stand(table, {1: 10, 3: 3, 10: 2}, {1: 5, 2: 2, 3: 3, 4: 3, 9: 1, 14: 1}, Side.BLACK)
    table.eyes["camera"].misreads[24] = (0, 6)
    table.eyes["board"].misreads[24] = (0, 5)
    table.wait(2.0)
    table.put(table.moved((14, 9), (4, 1), side=Side.BLACK)).press(Side.BLACK, seconds=2.0)
    table.throw(6, 6, side=Side.WHITE).wait(6.0)
    assert table.last("played").placement == table.placement

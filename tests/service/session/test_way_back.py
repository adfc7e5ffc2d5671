"""A record that parted from the board comes back to it: what both sources count alike when dice are
thrown over it is what people play from, whatever the record had.
"""

from __future__ import annotations

from rules.board import OFF
from rules.dice import Roll
from tests.service.hands import check
from tests.service.story import Story
from tests.service.storyteller import Teller


def told(lines: str) -> Teller:
    """A story told with both sensors and a clock, to its end."""
    teller = Teller(Story("way_back", "as its test tells", lines, clock="ours"), "both")
    teller.tell()
    check(teller.hands)
    return teller


def test_a_checker_borne_off_early_is_off_once_its_pile_is_counted() -> None:
    """The board had it one too many, and nobody spoke of it; its side has played on since."""
    teller = told(
        """
        stand to B | W 6:5 7:2 8:2 13:4 14:1 23:1 | B 24:3 13:3 8:2 7:2 6:5
        wait 1
        board reads B 6 as 6
        B 43
        wait 2
        board reads B 6 as 5
        B: 6/off
        B press
        wait 3
        W 54
        wait 1
        W: 14/10 13/8
        W press
        wait 2
        board reads right
        B 55
        wait 1
        B: 7/2 7/2 6/1 6/1
        B press
        wait 2
        W 42
        wait 1
        W: bar/21 10/8
        W press
        wait 2
        """
    )
    assert teller.hands.state.game.placement == teller.hands.placement


def test_a_fallen_checker_that_was_taken_for_borne_off_comes_back() -> None:
    """It falls before Black throws, is missing while it plays, and is put back."""
    teller = told(
        """
        stand to B | W 1:3 2:8 3:2 12:1 14:1 | B 6:1 2:2 1:2
        wait 1
        B lifts B 1
        wait 1
        B 53
        wait 1
        B: 6/3 3/off
        B press
        wait 2
        B lays B 1
        wait 1
        W 32
        wait 1
        W: 12/7
        W press
        wait 2
        """
    )
    assert teller.hands.placement.counts(teller.hands.state.game.on_roll)[OFF] == 11
    assert teller.hands.state.game.placement == teller.hands.placement


def test_a_checker_that_lay_between_two_points_told_no_roll() -> None:
    """Nobody saw Black's dice, and one of its checkers is read on the point beside until White's
    turn: the line is put right, and as several rolls leave that, nobody knows which it was.
    """
    teller = told(
        """
        W turn 31 8/5 6/5
        wait 1
        board reads B 9 as 0
        board reads B 8 as 4
        camera reads B 9 as 0
        camera reads B 8 as 4
        B 64 unread
        wait 3
        B: 24/18 13/9
        B press
        B done
        wait 2
        board reads right
        camera reads right
        wait 1
        W turn 63 24/15
        """
    )
    assert [line.text for line in teller.hands.state.match.plays] == [
        "8/5 6/5",
        "24/18 13/9",
        "24/15",
    ]
    assert teller.hands.state.match.plays[1].roll in (None, Roll.of(6, 4))

"""Does it truly stand so? Verdicts from observations told by hand."""

from __future__ import annotations

import pytest

from rules.board import Side
from rules.dice import Roll
from rules.observation import Source
from rules.play import plays
from service.journal.entry import DiceOrigin
from service.reconcile import Agreed, Awaiting, Illegal, OtherRoll, Pending
from tests.service.tables import Table, play_of, start, two

RULESETS = ["backgammon", "nard", "nard-himly", "nard-bozorgmehr", "narde"]


@pytest.mark.parametrize("name", RULESETS)
@pytest.mark.parametrize("side", Side)
@pytest.mark.parametrize(
    "sources", [(Source.CAMERA,), (Source.SENSORS,), (Source.CAMERA, Source.SENSORS)], ids=len
)
def test_a_legal_play_is_agreed(name: str, side: Side, sources: tuple[Source, ...]) -> None:
    position = start(name, side)
    roll = Roll(6, 5)
    for play in plays(position, roll):
        table = Table(position, roll, sources=sources)
        table.play(play.placement)
        found = table.verdict()
        assert isinstance(found, Agreed), found
        assert found.play.view == play.view
        assert found.roll == roll


def test_a_placement_no_rule_allows_is_illegal_when_both_sources_say_so() -> None:
    position = start("backgammon")
    table = Table(position, Roll(6, 5), declared=True)
    table.play(position.placement.moved(Side.WHITE, 13, 7).moved(Side.WHITE, 6, 7))
    found = table.verdict()
    assert isinstance(found, Illegal), found
    assert found.placement == table.stands


def test_a_source_that_misreads_a_site_for_good_accuses_nobody() -> None:
    position = start("backgammon")
    for source in Source:
        for site in range(1, 25):
            table = Table(position, Roll(6, 5), misread={(source, site): (3, 0)})
            table.play(play_of(position, Roll(6, 5), "24/13"))
            found = table.verdict()
            assert not isinstance(found, Illegal), (source, site, found)


def test_nothing_is_said_under_a_hand() -> None:
    position = start("backgammon")
    table = Table(position, Roll(6, 5), sources=(Source.CAMERA,))
    table.play(play_of(position, Roll(6, 5), "24/13"))
    table.hand()
    assert table.verdict() == Pending("hand")


def test_a_half_made_play_is_no_play_yet() -> None:
    position = start("backgammon")
    table = Table(position, Roll(6, 5), declared=True)
    table.play(position.placement.moved(Side.WHITE, 24, 18))
    found = table.verdict(Awaiting.MOVING)
    assert isinstance(found, Pending), found
    assert found.reason == "half_made"


def test_unread_dice_are_inferred_where_one_roll_explains_the_play() -> None:
    position = start("backgammon")
    table = Table(position, None)
    table.play(play_of(position, Roll(6, 1), "13/7 8/7"), dice=())
    found = table.verdict()
    assert isinstance(found, Agreed), found
    assert (found.roll, found.dice) == (Roll(6, 1), DiceOrigin.INFERRED)


def test_a_roll_misread_by_the_camera_is_no_infraction() -> None:
    position = start("backgammon")
    table = Table(position, Roll(6, 4), read=Roll(6, 1))
    table.play(play_of(position, Roll(6, 4), "24/18 13/9"), dice=two(Roll(6, 1)))
    assert isinstance(table.verdict(), OtherRoll)

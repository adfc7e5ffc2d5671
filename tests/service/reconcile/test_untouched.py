"""A site that reads otherwise although nobody was there was changed by nobody."""

from __future__ import annotations

import pytest

from rules.board import OFF, Placement, Side
from rules.dice import Roll
from rules.observation import Condition, Source
from rules.position import Position
from rules.ruleset import ruleset
from service.reconcile import Agreed, Awaiting, Evidence, Matches, Pending, placement_seen
from service.reconcile.codes import code_of
from tests.service.tables import BOTH, Table, play_of, start, two

CAMERA, SENSORS = Source.CAMERA, Source.SENSORS
LAMP = {6: (4, 0), 8: (2, 0), 1: (0, 1)}
"""What is read of three points of backgammon's start once a lamp was switched: one fewer each."""


def lit(table: Table, *sources: Source, by: Condition | None = None) -> Table:
    """The table after each of these sources has read so by itself."""
    for source in sources:
        if by is not None:
            table.now = round(table.now + 0.3, 3)
            table.say(source, by)
    table.misread = {(source, site): pair for source in sources for site, pair in LAMP.items()}
    return table.rest()


def reads(evidence: Evidence, source: Source, site: int) -> int:
    witness = evidence.witness(source)
    assert witness is not None
    return int(witness.reads[site])


@pytest.mark.parametrize("sources", [(CAMERA,), (SENSORS,), BOTH], ids=len)
@pytest.mark.parametrize("by", [None, Condition.RELIT])
def test_nobody_moved_what_reads_otherwise_by_itself(
    sources: tuple[Source, ...], by: Condition | None
) -> None:
    position = start("backgammon")
    table = lit(Table(position, Roll(6, 5), sources=sources).rest(), *sources, by=by)
    assert isinstance(placement_seen(table.evidence, position.placement, table.now), Matches)
    assert table.verdict(Awaiting.MOVING) == Pending("nothing_moved")
    table.play(play_of(position, Roll(6, 5), "24/13"))
    found = table.verdict()
    assert isinstance(found, Agreed), found
    assert str(found.play) == "24/13"


def test_it_is_read_anew_once_a_hand_came_and_it_reads_as_neither() -> None:
    position = start("backgammon")
    table = lit(Table(position, Roll(3, 1), sources=(CAMERA,)).rest(), CAMERA)
    table.misread = {}
    table.play(play_of(position, Roll(3, 1), "8/5 6/5"))
    found = table.verdict()
    assert isinstance(found, Agreed) and str(found.play) == "8/5 6/5"
    assert reads(table.evidence, CAMERA, 8) == code_of(2, 0)
    table.stands = table.stands.moved(Side.WHITE, 8, 3)
    table.hand().rest()
    assert reads(table.evidence, CAMERA, 8) == code_of(1, 0)


def test_a_source_that_was_blind_does_not_know_whether_somebody_was_there() -> None:
    position = start("backgammon")
    table = lit(Table(position, Roll(6, 5), sources=(CAMERA,)).rest(), CAMERA, by=Condition.DARK)
    assert reads(table.evidence, CAMERA, 6) == code_of(4, 0)


def test_a_source_that_was_silent_does_not_know_either() -> None:
    position = start("backgammon")
    table = Table(position, Roll(6, 5), sources=(CAMERA,)).rest()
    table.now += 5.0
    lit(table, CAMERA)
    assert reads(table.evidence, CAMERA, 6) == code_of(4, 0)


def test_what_one_source_saw_move_the_other_does_not_call_a_lamp() -> None:
    position = start("backgammon")
    table = Table(position, Roll(6, 5)).rest()
    lit(table.hand(), SENSORS)
    assert reads(table.evidence, SENSORS, 6) == code_of(4, 0)


def test_a_checker_that_was_moved_between_two_pictures_was_moved() -> None:
    position = start("backgammon")
    table = Table(position, Roll(3, 1), sources=(CAMERA,)).rest()
    table.stands = play_of(position, Roll(3, 1), "8/5 6/5")
    table.rest()
    found = table.verdict()
    assert isinstance(found, Agreed) and str(found.play) == "8/5 6/5"


def test_what_was_borne_off_between_two_pictures_was_borne_off_if_its_dice_went_as_well() -> None:
    """A film in which no picture shows the hand: two checkers are gone, and so are the dice."""
    white = (3, 1, 1, 2, 3, 3, 2, *(0 for _ in range(19)))
    black = (6, *(4 if p in (22, 24) else 1 if p == 23 else 0 for p in range(1, 26)))
    position = Position.of(Placement(white, black), ruleset("backgammon"), Side.WHITE)
    table = Table(position, Roll(6, 4), sources=(CAMERA,), dice=two(Roll(6, 4))).rest()
    stands = position.placement.moved(Side.WHITE, 6, OFF).moved(Side.WHITE, 4, OFF)
    table.stands = stands
    table.rest()
    assert isinstance(placement_seen(table.evidence, position.placement, table.now), Matches)
    table.stands, table.dice = position.placement, two(Roll(6, 4))
    table.evidence = Evidence.fresh(position.placement, table.now)
    table.rest()
    table.stands, table.dice = stands, ()
    table.rest()
    found = table.verdict()
    assert isinstance(found, Agreed) and str(found.play) == "6/off 4/off"


def test_it_is_over_when_it_reads_as_it_did() -> None:
    position = start("backgammon")
    table = lit(Table(position, Roll(6, 5), sources=(CAMERA,)).rest(), CAMERA)
    table.misread = {}
    table.rest()
    witness = table.evidence.witness(CAMERA)
    assert witness is not None and (witness.held < 0).all()
    assert witness.mean.reshape(26, -1)[6, code_of(4, 0)] < -1


def test_what_is_settled_as_it_reads_since_was_misread_before() -> None:
    position = start("backgammon")
    table = lit(Table(position, Roll(6, 5), sources=(CAMERA,)).rest(), CAMERA)
    stands = position.placement
    for site, side in ((6, Side.WHITE), (8, Side.WHITE), (1, Side.BLACK)):
        stands = stands.moved(side, site, OFF)
    settled = Evidence.fresh(stands, table.now, table.evidence)
    assert reads(settled, CAMERA, 6) == code_of(4, 0)
    witness = settled.witness(CAMERA)
    assert witness is not None and (witness.held < 0).all() and not witness.bias.any()


def test_a_known_misread_that_reads_right_is_none_any_more() -> None:
    """As a board does that is told what stands there."""
    position = start("backgammon")
    table = Table(position, Roll(6, 5), sources=(SENSORS,), misread={(SENSORS, 6): (7, 0)}).rest()
    table.evidence = Evidence.fresh(position.placement, table.now, table.evidence)
    table.misread = {}
    table.rest()
    assert reads(table.evidence, SENSORS, 6) == code_of(5, 0)
    witness = table.evidence.witness(SENSORS)
    assert witness is not None and (witness.held < 0).all() and not witness.bias.any()

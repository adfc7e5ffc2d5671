"""Does it truly stand so? Verdicts from observations told by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rules.board import BAR, OFF, Placement, Side
from rules.dice import Roll
from rules.observation import Condition, Source
from rules.play import plays
from rules.position import Position
from rules.ruleset import ruleset
from service.journal.entry import DiceOrigin
from service.reconcile import (
    Agreed,
    Ambiguous,
    Awaiting,
    Expectation,
    Illegal,
    OtherRoll,
    Pending,
    decide,
    standing,
)
from service.reconcile.codes import code_of
from tests.service.tables import Table, die, play_of, start, two

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


def test_a_play_that_is_not_certain_is_told_as_the_likeliest_once_it_rests() -> None:
    """A three lies there, and the play is one of a five and a two."""
    position = start("backgammon")
    made = play_of(position, Roll(5, 2), "13/8 6/4")
    table = Table(position, None, sources=(Source.CAMERA,))
    table.play(made, dice=(die(3, 0.7),))
    assert table.verdict(Awaiting.MOVING) == Pending("unsettled", likeliest=made)
    table.hand()
    table.rest(0.3)
    found = table.verdict(Awaiting.MOVING)
    assert isinstance(found, Pending), found
    assert found.likeliest is None


def test_a_roll_misread_by_the_camera_is_no_infraction() -> None:
    position = start("backgammon")
    table = Table(position, Roll(6, 4), read=Roll(6, 1))
    table.play(play_of(position, Roll(6, 4), "24/18 13/9"), dice=two(Roll(6, 1)))
    assert isinstance(table.verdict(), OtherRoll)


def test_dice_that_were_read_keep_a_play_of_another_roll_from_hiding_an_illegal_one() -> None:
    """One five of four was played; it would be a whole play of a four and a one, which nobody
    threw: the dice lie there, though no roll was announced.
    """
    position = start("backgammon")
    table = Table(position, None)
    table.play(position.placement.moved(Side.WHITE, 13, 8), dice=two(Roll(5, 5)))
    assert not isinstance(table.verdict(), Agreed)


def test_a_third_die_does_not_make_a_miscount_a_play_of_another_roll() -> None:
    """A five and a four lie there, read, and another four beside them; a five and a three were
    played.
    """
    position = start("backgammon")
    table = Table(position, Roll(5, 4))
    dice = (*two(Roll(5, 4)), die(4, 0.6, north=0.2))
    table.play(play_of(position, Roll(5, 3), "13/8 6/3"), dice=dice)
    assert isinstance(table.verdict(), OtherRoll)


def test_a_checker_that_was_borne_off_does_not_come_back() -> None:
    """Both sources count a pile one too many: the one that is off is not on it again."""
    stood = Placement.of({24: 1, 6: 3, 3: 3, 2: 3, 1: 4, OFF: 1}, {22: 1, 19: 4, 20: 5, 21: 5})
    position = Position.of(stood, ruleset("backgammon"), Side.WHITE)
    both = {(source, 1): (5, 0) for source in (Source.CAMERA, Source.SENSORS)}
    table = Table(position, Roll(4, 2), misread=both)
    after = play_of(position, Roll(4, 2), "24/22*/18")
    table.play(after)
    assert standing(table.evidence, position, table.now) == after


def test_a_pile_that_four_may_have_been_borne_off_does_not_stand_as_it_did_for_sure() -> None:
    """The camera reads five where nine stood, and the board is sure of no number."""
    stood = Placement.of({1: 9, OFF: 6}, {3: 2, 4: 1, 7: 2, 19: 2, 20: 2, 21: 3, 24: 3})
    position = Position.of(stood, ruleset("backgammon"), Side.WHITE)
    table = Table(position, None, sources=(Source.CAMERA,))
    table.play(stood)
    seen = table.evidence.witnesses[0]
    mean = seen.mean.reshape(26, 256).copy()
    mean[1, code_of(9, 0)], mean[1, code_of(5, 0)] = -6.0, 0.0
    evidence = replace(table.evidence, witnesses=(replace(seen, mean=mean.reshape(-1)),))
    found = standing(evidence, position, table.now)
    assert found is None or found.white[1] == 5


def test_a_pile_that_three_turns_changed_does_not_stand_as_two_of_them_may_have_left_it() -> None:
    """Black bears off twice and White once between, unread: seven of eight stand on no board."""
    white = {2: 4, 3: 4, 4: 1, 5: 2, 6: 2, OFF: 2}
    stood = Placement.of(white, {22: 2, 23: 7, OFF: 6})
    position = Position.of(stood, ruleset("backgammon"), Side.BLACK)
    table = Table(position, None, sources=(Source.CAMERA,))
    now_white = {1: 2, 2: 5, 3: 4, 6: 1, OFF: 3}
    table.play(Placement.of(now_white, {23: 5, OFF: 10}))
    seen = table.evidence.witnesses[0]
    mean = seen.mean.reshape(26, 256).copy()
    mean[23, code_of(0, 8)] = mean[23, code_of(0, 6)] = -4.7
    evidence = replace(table.evidence, witnesses=(replace(seen, mean=mean.reshape(-1)),))
    found = standing(evidence, position, table.now)
    assert found is None or found.black[23] == 5


def test_what_would_bring_a_checker_back_is_no_rival_of_what_stands_there() -> None:
    """The camera hardly sees whether one lies on the bar; none that was borne off comes back to
    it.
    """
    stood = Placement.of({21: 3, 3: 4, 2: 6, 1: 2}, {12: 3, 13: 2, 20: 3, 23: 3, 24: 3, OFF: 1})
    position = Position.of(stood, ruleset("backgammon"), Side.WHITE)
    table = Table(position, Roll(6, 2), sources=(Source.CAMERA,))
    after = stood.moved(Side.BLACK, 13, 19)
    table.play(after)
    memory = table.evidence.witnesses[0]
    mean = memory.mean.reshape(26, 256).copy()
    mean[BAR, code_of(0, 1)] = mean[BAR].max() - 1.0
    seen = replace(table.evidence, witnesses=(replace(memory, mean=mean.reshape(-1)),))
    assert standing(seen, position, table.now) == after


def test_a_checker_of_the_other_sides_that_was_moved_is_what_stands_there() -> None:
    """One source alone accuses nobody; unanswered, the record has the board as it was read."""
    position = start("backgammon")
    table = Table(position, Roll(6, 2), sources=(Source.CAMERA,))
    moved = position.placement.moved(Side.BLACK, 12, 18)
    table.play(moved).rest(2.0)
    since, pressed = table.now - 7.0, Awaiting.PRESSED
    asked = Expectation(position, Roll(6, 2), pressed, since=since, watched=True)
    found = decide(table.evidence, asked, table.now)
    assert isinstance(found, Ambiguous)
    assert found.stands is not None and found.stands[0] == moved


def test_what_a_hand_hides_from_one_source_the_other_does_not_tell() -> None:
    position = start("backgammon")
    after = play_of(position, Roll(6, 5), "24/13")
    table = Table(position, Roll(6, 5))
    table.play(after)
    assert standing(table.evidence, position, table.now) == after
    for _ in range(4):
        table.say(Source.CAMERA, Condition.MOVING)
        table.say(Source.SENSORS)
        table.now += 0.1
    assert standing(table.evidence, position, table.now) is None
    table.rest(1.0)
    assert standing(table.evidence, position, table.now) == after


def test_a_pile_that_both_sources_count_as_before_is_asked_about_and_left_as_they_do() -> None:
    """One is borne off too early and nobody reads the dice: a play onto the pile beside it is
    likelier, but for what both see of the pile.
    """
    stood = Placement.of(
        {24: 2, 4: 3, 3: 2, 2: 3, 1: 5}, {18: 1, 19: 2, 20: 2, 21: 2, 22: 3, 23: 5}
    )
    position = Position.of(stood, ruleset("backgammon"), Side.WHITE)
    table = Table(position, None)
    taken = stood.moved(Side.WHITE, 2, OFF)
    found = table.play(taken, dice=()).rest(2.0).verdict(since=table.now - 7.0)
    assert isinstance(found, Ambiguous)
    assert found.denied
    assert found.stands is not None and found.stands[0] == taken
    # A pile that one of them counts as higher is what the likelier play leaves.
    table = Table(position, None)
    laid = play_of(position, Roll(4, 1), "2/1")
    table.misread = {(Source.SENSORS, 1): (5, 0)}
    found = table.play(laid, dice=()).rest(2.0).verdict(since=table.now - 7.0)
    assert not (isinstance(found, Ambiguous) and found.denied)

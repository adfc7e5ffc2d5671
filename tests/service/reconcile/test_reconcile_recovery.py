"""The board and the record differ: explained by little, or offered in order.

And what was once agreed wrongly or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rules.board import Placement, Side
from rules.dice import Roll
from rules.observation import Condition, SiteReading, Source
from rules.play import plays
from rules.position import Position
from rules.ruleset import ruleset
from service.journal.entry import DiceOrigin
from service.reconcile import (
    Agreed,
    Awaiting,
    Blind,
    Differs,
    DoesNotMatch,
    Earlier,
    Evidence,
    Expectation,
    Illegal,
    Matches,
    Pending,
    Unseen,
    decide,
    placement_seen,
)
from tests.service.tables import Table, die, play_of, start


def differs(position: Position, stands: Placement) -> Differs:
    table = Table(position, None)
    table.hand()
    table.stands = stands
    table.rest(3.0)
    found = table.verdict(Awaiting.DIFFERS)
    assert isinstance(found, Differs), found
    return found


def test_the_board_put_back_is_explained_by_nothing() -> None:
    position = start("backgammon")
    found = differs(position, position.placement)
    assert found.certain is not None
    assert found.certain.kind == "unchanged"
    assert found.sites == ()


def test_one_turn_played_in_the_dark_is_explained() -> None:
    position = start("backgammon")
    found = differs(position, play_of(position, Roll(6, 1), "13/7 8/7"))
    assert found.certain is not None
    assert [(str(r), str(p)) for r, p in found.certain.turns] == [("61", "13/7 8/7")]


def test_two_turns_played_in_the_dark_are_explained_where_only_one_way_leads_there() -> None:
    position = start("backgammon")
    first = next(p for p in plays(position, Roll(6, 1)) if str(p) == "13/7 8/7")
    after = position.after(first.view, True)
    second = play_of(after, Roll(3, 1), "8/5 6/5")
    found = differs(position, second)
    assert found.explanations[0].kind == "turns"
    assert [str(p) for _, p in found.explanations[0].turns] == ["13/7 8/7", "8/5 6/5"]


def test_a_new_game_set_up_is_offered_and_not_taken_for_granted() -> None:
    begun = Position.start(start("backgammon").ruleset, Side.WHITE)
    later = Position.of(Placement.of({1: 10, 0: 5}, {24: 10, 0: 5}), begun.ruleset, Side.BLACK)
    found = differs(later, begun.placement)
    assert found.explanations[0].kind == "start"
    assert found.certain is None


def test_a_position_set_up_for_study_is_offered_as_set_by_hand() -> None:
    position = start("backgammon")
    found = differs(position, Placement.of({20: 3, 10: 6, 4: 6}, {5: 7, 9: 8}))
    assert found.explanations[0].kind == "set"
    assert found.certain is None


# What a source that reads a site wrongly for good does, turn after turn.


@pytest.mark.parametrize("source", Source)
@pytest.mark.parametrize("site", [12, 13, 17, 19])
def test_a_lasting_misread_elsewhere_does_not_hold_up_the_game(source: Source, site: int) -> None:
    position = start("backgammon")
    white, black = position.placement.white[site], position.placement.black[site]
    wrong = (max(white - 1, 0), max(black - 1, 0))
    table = Table(position, Roll(6, 1), misread={(source, site): wrong})
    table.rest(0.9)
    # The set-up is settled, so its disagreement is known from now on.
    table.evidence = Evidence.fresh(position.placement, table.now, table.evidence)
    stands = play_of(position, Roll(6, 1), "8/2 6/5" if site == 13 else "24/18 24/23")
    table.play(stands)
    found = table.verdict()
    assert isinstance(found, Agreed), found
    assert found.play.placement == stands


def test_a_six_and_a_seven_that_one_source_confuses_are_no_infraction() -> None:
    """A checker brought down to a pile that the board cannot count: it reads the pile as it was."""
    position = start("backgammon")
    table = Table(position, Roll(6, 2), misread={(Source.SENSORS, 6): (5, 0)})
    table.rest(0.9)
    table.play(play_of(position, Roll(6, 2), "13/7 8/6"))
    assert not isinstance(table.verdict(), Illegal)


def test_dice_lifted_before_the_press_still_count_as_read() -> None:
    position = start("backgammon")
    table = Table(position, Roll(4, 1))
    table.play(play_of(position, Roll(4, 1), "24/23 13/9"))
    table.dice = ()
    table.rest(1.5)
    found = table.verdict()
    assert isinstance(found, Agreed)
    assert (found.roll, found.dice) == (Roll(4, 1), DiceOrigin.READ)


def test_no_source_at_all_is_blind_and_says_why() -> None:
    table = Table(start("backgammon"), Roll(4, 1))
    assert isinstance(table.verdict(), Blind)
    table.rest(0.6)
    table.now += 30
    found = table.verdict()
    assert isinstance(found, Blind)
    assert {s for s, _ in found.sources} == set(Source)


@pytest.mark.parametrize(
    "condition",
    [
        Condition.DARK,
        Condition.OVER_EXPOSED,
        Condition.FROZEN,
        Condition.NO_BOARD,
        Condition.BUMPED,
    ],
)
def test_a_camera_that_cannot_see_leaves_the_word_to_the_board(condition: Condition) -> None:
    position = start("backgammon")
    table = Table(position, Roll(6, 1))
    table.play(play_of(position, Roll(6, 1), "13/7 8/7"))
    table.say(Source.CAMERA, condition)
    assert isinstance(table.verdict(), Agreed)


def test_a_checker_slid_slowly_is_no_play_until_it_arrives() -> None:
    position = start("backgammon")
    table = Table(position, Roll(6, 1), declared=True)
    for point in (12, 11, 10, 9):
        table.play(position.placement.moved(Side.WHITE, 13, point))
        assert isinstance(table.verdict(Awaiting.MOVING), Pending)


def test_the_set_up_is_verified_only_when_every_point_is_seen() -> None:
    position = start("narde")
    table = Table(position, None, sources=(Source.CAMERA,), hidden=frozenset({7}))
    table.rest(1.2)
    assert isinstance(placement_seen(table.evidence, position.placement, table.now), Unseen)
    table.hidden = frozenset()
    table.rest(1.2)
    assert isinstance(placement_seen(table.evidence, position.placement, table.now), Matches)
    table.stands = position.placement.moved(Side.WHITE, 24, 20)
    table.rest(2.1)
    found = placement_seen(table.evidence, position.placement, table.now)
    assert isinstance(found, DoesNotMatch)
    assert 20 in found.sites


class FourOfFive(Table):
    """A table whose camera takes the five on the 5 point for four, though not quite surely."""

    def _sites(self, source: Source) -> Iterator[SiteReading]:
        for reading in super()._sites(source):
            doubt = SiteReading(5, ((4, 0, 1.0), (5, 0, 0.025)), 1e-5)
            yield doubt if reading.site == 5 else reading


def test_a_play_that_is_the_same_whatever_the_turn_before_left_is_agreed() -> None:
    """A film of board 1: White left five on its 5 point, read as four, by 5-1, or bore one off by
    6-5. Nobody said which; Black's 6-3 is a 6-3 either way, though its dice were hardly read.
    """
    rules = ruleset("backgammon")
    white = {1: 3, 2: 3, 3: 2, 5: 4, 6: 2}
    black = {4: 2, 9: 1, 12: 3, 17: 2, 18: 1, 19: 3, 20: 1, 22: 2}
    before = Placement(
        (1, *(white.get(p, 0) for p in range(1, 26))),
        (0, *(black.get(p, 0) for p in range(1, 26))),
    )
    began = Position.of(before, rules, Side.WHITE)
    left = play_of(began, Roll(5, 1), "6/1 6/5")
    other = play_of(began, Roll(6, 5), "6/off 6/1")
    position = Position.of(left, rules, Side.BLACK)
    table = FourOfFive(position, None, sources=(Source.CAMERA,))
    table.rest()
    table.evidence = Evidence.fresh(left, table.now, table.evidence, doubted=(other,), guessed=True)
    thrown = (die(6, 0.2, sure=0.6), die(3, 0.3, sure=0.9))
    table.play(play_of(position, Roll(6, 3), "16/10 8/5"), dice=thrown)
    asked = Expectation(
        position,
        None,
        Awaiting.PRESSED,
        since=table.now - 1.0,
        earlier=Earlier(began, Roll(5, 1), left, ((other, 0.49),)),
    )
    found = decide(table.evidence, asked, table.now)
    assert isinstance(found, Agreed), found
    assert (str(found.play), found.roll) == ("16/10 8/5", Roll(6, 3))
    assert found.play.placement.white == left.white


@pytest.mark.parametrize("roll", [Roll(6, 1), None])
@pytest.mark.parametrize("changed", ["24/18 24/23", "13/7 8/7"])
def test_a_play_that_was_changed_is_told_whether_or_not_its_roll_was_read(
    roll: Roll | None, changed: str
) -> None:
    """A play was entered and another made of it before the other side threw: people were asked,
    though only another play of a roll that it may have been leaves what stood there (260000 e2 g2).
    """
    began = start("backgammon")
    left = next(p for p in plays(began, Roll(6, 1)) if str(p) == "13/6")
    position = began.after(left.view, True)
    table = Table(position, None)
    table.hand()
    table.stands = play_of(began, Roll(6, 1), changed)
    table.rest(3.0)
    earlier = Earlier(began, roll, left.placement)
    asked = Expectation(position, None, Awaiting.DIFFERS, since=table.now - 3.0, earlier=earlier)
    found = decide(table.evidence, asked, table.now)
    assert isinstance(found, Differs) and found.certain is not None, found
    assert found.certain.kind == "revised"
    assert [str(play) for _, play in found.certain.turns] == [changed]

"""What dice that lie there are: a roll, no valid one, strangers beside it, or not known yet."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from rules.dice import ROLLS, Roll
from rules.observation import DieReading, DieStatus
from rules.position import Position
from service.reconcile import (
    Evidence,
    NoDice,
    RollProblem,
    RollRead,
    RollUnread,
    roll_of_dice,
    rolls,
    tracks,
)
from service.reconcile.tuning import DEFAULT
from tests.service.tables import Table, die, start, two


def _dice_seen(position: Position, *dice: object, looks: int = 4, **said: object) -> object:
    table = Table(position, None)
    table.dice = dice  # type: ignore[assignment]
    table.rest(0.3 * looks)
    return roll_of_dice(table.evidence, table.now, **said)  # type: ignore[arg-type]


THROWS = [
    ("two flat dice", (die(6, 0.7), die(5, 0.8)), RollRead),
    ("a leaning die", (die(6, 0.7), die(None, 0.8, DieStatus.COCKED)), RollProblem),
    ("on a checker", (die(6, 0.7), die(3, 0.8, DieStatus.ON_CHECKER)), RollProblem),
    ("off the board", (die(6, 0.7), die(3, 1.2)), RollProblem),
    ("in the wrong half", (die(6, 0.7), die(3, 0.2)), RollProblem),
    ("one die", (die(6, 0.7),), RollUnread),
    ("an unreadable die", (die(6, 0.7), die(None, 0.8)), RollUnread),
    ("nothing", (), NoDice),
]


@pytest.mark.parametrize(("name", "dice", "kind"), THROWS, ids=[t[0] for t in THROWS])
def test_what_lies_there(name: str, dice: tuple[object, ...], kind: type) -> None:
    found = _dice_seen(start("backgammon"), *dice, area=(0.5, 0.0, 1.0, 1.0))
    assert isinstance(found, kind), found


@pytest.mark.parametrize("where", [0.7, 0.2])
def test_a_die_alone_is_called_nothing_however_long_it_lies(where: float) -> None:
    found = _dice_seen(start("backgammon"), die(6, where), looks=12, area=(0.5, 0.0, 1.0, 1.0))
    assert isinstance(found, RollUnread)


@pytest.mark.parametrize(
    ("where", "kind"),
    [
        # One of the two crossed the bar.
        ((0.7, 0.2), "wrong_half"),
        # Both lie where the other side throws: it may have thrown them.
        ((0.2, 0.3), "other_half"),
        # A pair each: the other side could not wait.
        ((0.7, 0.8, 0.2, 0.3), "read"),
        # One of four was not found.
        ((0.7, 0.2, 0.3), "unread"),
        ((0.7, 0.8, 0.2), "unread"),
        ((0.6, 0.7, 0.8), "too_many"),
    ],
)
def test_what_dice_over_both_halves_are(where: tuple[float, ...], kind: str) -> None:
    dice = [die(6 - n, east) for n, east in enumerate(where)]
    found = _dice_seen(start("backgammon"), *dice, looks=4, area=(0.5, 0.0, 1.0, 1.0))
    match found:
        case RollProblem():
            assert found.kind == kind
        case RollRead():
            assert (kind, found.roll) == ("read", Roll(6, 5))
        case _:
            assert isinstance(found, RollUnread) and kind == "unread"


def test_a_die_of_the_other_side_that_came_later_makes_no_roll_unsure() -> None:
    table = Table(start("backgammon"), None)
    table.dice = (die(6, 0.7), die(5, 0.8))
    table.rest(2.0)
    table.dice = (*table.dice, die(4, 0.2))
    table.rest(1.0)
    found = roll_of_dice(table.evidence, table.now, (0.5, 0.0, 1.0, 1.0))
    assert isinstance(found, RollRead) and found.roll == Roll(6, 5)


def test_the_last_rollers_dice_are_not_the_next_roll() -> None:
    position = start("backgammon")
    table = Table(position, None)
    table.dice = two(Roll(6, 5))
    table.rest(1.2)
    table.evidence = Evidence.fresh(position.placement, table.now, table.evidence)
    table.rest(1.2)
    assert isinstance(roll_of_dice(table.evidence, table.now), NoDice)


def test_dice_that_were_lifted_still_speak_for_the_play() -> None:
    table = Table(start("backgammon"), None)
    table.dice = two(Roll(6, 5))
    table.rest(1.2)
    table.dice = ()
    table.rest(1.8)
    dice = rolls.dice_of_turn(table.evidence)
    logs = rolls.roll_logs(dice, DEFAULT)
    assert ROLLS[int(np.argmax(logs))] == Roll(6, 5)


@pytest.mark.parametrize(("beside", "known"), [(0.0, False), (3.0, True)])
def test_a_third_die_that_was_lifted_with_two_may_be_of_the_throw(
    beside: float, known: bool
) -> None:
    """The same as while they lie there; one that was taken away `beside` s before is no matter."""
    table = Table(start("backgammon"), None)
    table.dice = (*two(Roll(6, 5)), die(3, 0.55))
    table.rest(1.2)
    if beside:
        table.dice = two(Roll(6, 5))
        table.rest(beside)
    table.dice = ()
    table.rest(1.8)
    shares = np.exp(rolls.roll_logs(rolls.dice_of_turn(table.evidence), DEFAULT) + rolls.LOG_PRIOR)
    shares /= shares.sum()
    assert bool(shares.max() >= DEFAULT.roll_read) is known
    assert shares[ROLLS.index(Roll(6, 5))] == shares.max() or not known


def test_of_three_dice_any_two_may_be_the_throw() -> None:
    table = Table(start("backgammon"), None)
    table.dice = (*two(Roll(4, 2)), die(6, 0.55))
    table.rest(1.2)
    first, second, stranger = table.evidence.dice
    seen = (dataclasses.replace(first, certainty=0.8), second, stranger)
    shares = np.exp(rolls.roll_logs(seen, DEFAULT) + rolls.LOG_PRIOR)
    shares /= shares.sum()
    assert shares[ROLLS.index(Roll(4, 2))] > 0.2
    assert shares.max() < DEFAULT.roll_read


def test_what_may_be_no_die_is_no_third() -> None:
    """A side of a dark die was found as one more, half surely and with no face, at board 82."""
    table = Table(start("backgammon"), None)
    ghost = dataclasses.replace(die(5, 0.58), certainty=0.6)
    table.dice = (*two(Roll(3, 2)), ghost)
    table.rest(1.2)
    seen = rolls.roll_of_dice(table.evidence, table.now)
    assert isinstance(seen, rolls.RollRead)
    assert seen.roll == Roll(3, 2)
    table.dice = (*two(Roll(3, 2)), dataclasses.replace(ghost, certainty=1.0))
    table.rest(2.4)
    assert isinstance(rolls.roll_of_dice(table.evidence, table.now), rolls.RollProblem)


def test_a_die_thrown_again_to_the_same_place_is_another_throw() -> None:
    lying = tracks.follow_dice((), two(Roll(6, 5)), 1.0, still=True)
    again = tracks.follow_dice(lying, (die(2, 0.7), die(5, 0.8)), 9.0, still=True)
    assert [t.first_at for t in again if max(range(6), key=lambda i: t.logs[i]) == 1] == [9.0]


def test_a_die_turned_by_a_sleeve_keeps_what_was_thrown_while_its_fellow_lies_there() -> None:
    lying: tuple[tracks.Track, ...] = ()
    for n in range(4):
        lying = tracks.follow_dice(lying, (die(5, 0.7), die(2, 0.8)), 1.0 + n, still=True)
    turned = tracks.follow_dice(lying, (die(2, 0.7), die(2, 0.8)), 6.0, still=True)
    assert [t.logs.index(0.0) + 1 for t in turned] == [5, 2]
    both = tracks.follow_dice(lying, (die(2, 0.7), die(6, 0.8)), 6.0, still=True)
    there = [t.logs.index(0.0) + 1 for t in both if t.gone_at is None]
    assert there == [2, 6], "both were thrown again"


def test_of_three_dice_that_came_at_once_a_throw_knows_no_two() -> None:
    lying: tuple[tracks.Track, ...] = ()
    for n in range(4):
        faces = (die(3, 0.57), die(6, 0.78), die(5, 0.5))
        lying = tracks.follow_dice(lying, faces, 1.0 + n / 10, still=True)
    (throw,) = rolls.throws_of(lying, ())
    shares = np.exp(throw.rolls + rolls.LOG_PRIOR)
    shares /= shares.sum()
    assert shares.max() < DEFAULT.roll_read
    assert all(shares[ROLLS.index(Roll(*pair))] > 0.2 for pair in ((6, 3), (5, 3), (6, 5)))


def test_a_die_that_is_pushed_aside_is_the_die_that_was_thrown() -> None:
    lying: tuple[tracks.Track, ...] = ()
    for n in range(4):
        lying = tracks.follow_dice(lying, (die(5, 0.57), die(4, 0.78)), 1.0 + n / 10, still=True)

    def first(dice: tuple[DieReading, ...], at: float) -> list[float]:
        after = tracks.follow_dice(lying, dice, at, still=True)
        return sorted(t.first_at for t in after if t.last_at == at)

    assert first((die(5, 0.57), die(4, 0.4)), 1.4) == [1.0, 1.0]
    assert first((die(5, 0.1), die(4, 0.2)), 1.4) == [1.0, 1.0], "into the other half, both"
    assert first((die(5, 0.57), die(3, 0.4)), 1.4) == [1.0, 1.4], "it shows another face"
    others = tuple(
        dataclasses.replace(d, colour=(250, 250, 250)) for d in (die(5, 0.1), die(4, 0.2))
    )
    assert first(others, 1.4) == [1.4, 1.4], "the other side's own pair"
    pushed = tracks.follow_dice(lying, (die(5, 0.1), die(4, 0.2)), 1.4, still=True)
    assert sorted(t.thrown_to[0] for t in pushed) == [0.57, 0.78], "whose it is, is told by that"
    assert first((die(5, 0.1), die(4, 0.2)), 1.8) == [1.8, 1.8], "time enough to throw them again"


@pytest.mark.parametrize(
    ("thrown", "firsts"),
    [
        ((die(5, 0.1), die(2, 0.2)), [1.4, 1.4]),
        ((die(2, 0.1), die(6, 0.2)), [1.4, 1.4]),
        ((die(4, 0.1), die(5, 0.2)), [1.0, 1.0]),
        ((die(5, 0.1), die(4, 0.2), die(2, 0.3)), [1.0, 1.0, 1.4]),
    ],
    ids=["one face in common", "none", "both, pushed", "both, and a third"],
)
def test_two_dice_that_are_gone_were_thrown_again_where_two_show_another_roll(
    thrown: tuple[DieReading, ...], firsts: list[float]
) -> None:
    """Between two pictures a hand took both up and threw: the 5 of that throw is not the 5 that lay
    there (352000).
    """
    lying: tuple[tracks.Track, ...] = ()
    for n in range(4):
        lying = tracks.follow_dice(lying, (die(5, 0.57), die(4, 0.78)), 1.0 + n / 10, still=True)
    after = tracks.follow_dice(lying, thrown, 1.4, still=True)
    assert sorted(t.first_at for t in after if t.last_at == 1.4) == firsts


def test_a_die_that_another_throw_came_to_lie_on_still_speaks_for_the_play() -> None:
    """The next throw came to lie where one of them had: half of the roll was forgotten, and a play
    one pip off was entered as that of any roll with the other die (353000).
    """
    lying: tuple[tracks.Track, ...] = ()
    for n in range(4):
        lying = tracks.follow_dice(lying, (die(3, 0.31), die(1, 0.56)), 1.0 + n, still=True)
    for n in range(4):
        thrown = (die(3, 0.57), die(1, 0.88))
        lying = tracks.follow_dice(lying, thrown, 9.0 + n / 10, still=True)
    gone = [t for t in lying if t.gone_at is not None]
    assert sorted(t.logs.index(0.0) + 1 for t in gone) == [1, 3]
    assert [t.first_at for t in lying if t.gone_at is None] == [9.0, 9.0]

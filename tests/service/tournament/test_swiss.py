"""Swiss rounds: legal, without a rematch that could be avoided, standings as worked out another
way; a whole event from a Swiss into a bracket.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.tournament.bracket import double_elimination
from service.tournament.draw import draw_numbers, drawn_from
from service.tournament.field import (
    Ending,
    Entrant,
    Field,
    Meeting,
    TournamentError,
    by_lot,
    by_rating,
)
from service.tournament.seating import finishers
from service.tournament.standings import Points, TieBreak, standings
from service.tournament.swiss import Swiss, Within, swiss_round
from tests.service.tournament.playing import (
    bracket_played,
    comings_and_goings,
    other_way,
    swiss_played,
)

BREAKS = (TieBreak.OPPONENTS, TieBreak.BEATEN, TieBreak.RUNNING)
TOURNAMENTS = int(os.environ.get("TOURNAMENTS", "40"))


def legal(field: Field, paired: tuple[Meeting, ...]) -> None:
    number = field.rounds + 1
    here = {e.name for e in field.entrants if e.plays_in(number)}
    seats = [n for m in paired for n in (m.first, m.second) if n is not None]
    assert sorted(seats) == sorted(here), "everybody who plays sits once"
    assert sum(m.second is None for m in paired) == len(here) % 2
    assert all(m.round == number for m in paired)


def same_standings(field: Field) -> None:
    lines = standings(field, breaks=BREAKS)
    wanted = other_way(field)
    assert {p.name: (p.points, *p.breaks) for p in lines} == wanted
    for a, b in itertools.pairwise(lines):
        assert wanted[a.name] >= wanted[b.name]
        assert (a.place == b.place) == (wanted[a.name] == wanted[b.name])


@pytest.mark.parametrize("lot", range(TOURNAMENTS))
def test_a_random_tournament(lot: int) -> None:
    """TOURNAMENTS=200 plays so many."""
    rnd = random.Random(lot)
    many, rounds = rnd.randint(5, 40), rnd.randint(3, 8)
    late, leaving = rnd.randint(0, many // 6), rnd.randint(0, many // 5)
    entrants = comings_and_goings(rnd, many, rounds, late, leaving, rnd.choice([0, 3, 9]))
    wish = Swiss(rnd.choice(list(Within)), rnd.randint(0, 3), breaks=BREAKS)
    field = swiss_played(entrants, rounds, rnd, wish, legal)
    same_standings(field)
    if many >= 4 * rounds:
        assert max(field.met().values()) == 1
        assert max(field.byes().values(), default=0) <= 1 or any(m.walkover for m in field.meetings)


def test_a_day_of_sixty_four() -> None:
    """Seven rounds, one in ten leaves, five come late, some draw; the best sixteen go on into a
    double elimination.
    """
    rnd = random.Random(64)
    entrants = comings_and_goings(rnd, 64, 7, 5, 6, 8)
    field = swiss_played(entrants, 7, rnd, Swiss(apart=2, breaks=BREAKS), legal)
    same_standings(field)
    assert max(field.met().values()) == 1
    assert any(m.ending is Ending.DRAWN for m in field.meetings)
    clubs = {e.name: e.club for e in entrants}
    early = [m for m in field.meetings if m.round <= 2 and m.second is not None]
    assert not [m for m in early if clubs[m.first] == clubs[str(m.second)]]
    stay = [p.name for p in standings(field) if p.name in {e.name for e in field.present(8)}]
    seeds = drawn_from(entrants, stay[:16])
    assert {e.name for e in draw_numbers(seeds)} == set(stay[:16])
    bracket = double_elimination(16)
    seated, endings, _ = bracket_played(bracket, stay[:16], rnd)
    order = finishers(seated, ("winners", "losers", "final"))
    assert [len(group) for group in order] == [1, 1, 1, 1, 2, 2, 4, 4]
    assert len(endings) in (30, 31)


def matchings(names: list[str]) -> Iterator[list[tuple[str, str]]]:
    """Every way to put an even number of players in pairs."""
    if not names:
        yield []
        return
    first, *rest = names
    for other in rest:
        left = [n for n in rest if n != other]
        yield from ([(first, other), *more] for more in matchings(left))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 6))
def test_no_rematch_that_could_be_avoided(lot: int, half: int, rounds: int) -> None:
    """Held against every possible round of up to eight players, long past their first meetings."""

    def seen(field: Field, paired: tuple[Meeting, ...]) -> None:
        met = field.met()

        def again(pairs: list[tuple[str, str]]) -> int:
            return sum(met[frozenset(p)] for p in pairs)

        ours = [(m.first, str(m.second)) for m in paired]
        assert again(ours) == min(map(again, matchings([e.name for e in field.entrants])))

    entrants = tuple(Entrant(f"p{i}") for i in range(2 * half))
    swiss_played(entrants, rounds, random.Random(lot), Swiss(), seen)


@pytest.mark.parametrize("many", [3, 5, 7, 9])
def test_the_bye_goes_round(many: int) -> None:
    """Nobody has a second one before everybody has had one, and the last ranked begins."""
    entrants = by_rating([Entrant(f"p{i}", rating=2000 - i) for i in range(many)])
    first = swiss_round(Field(entrants))
    assert [m.first for m in first if m.second is None] == [f"p{many - 1}"]

    def seen(field: Field, paired: tuple[Meeting, ...]) -> None:
        bye = next(m.first for m in paired if m.second is None)
        had = field.byes()
        if max(field.met().values(), default=0) == 0 or many < 5:
            return
        assert had[bye] == 0

    swiss_played(entrants, min(many - 2, 4), random.Random(1), Swiss(), seen)


def test_neighbours_and_halves() -> None:
    field = Field(tuple(Entrant(str(n)) for n in range(1, 9)))
    pairs = {
        within: [(m.first, m.second) for m in swiss_round(field, Swiss(within))]
        for within in Within
    }
    assert pairs[Within.NEIGHBOURS] == [("1", "2"), ("3", "4"), ("5", "6"), ("7", "8")]
    assert pairs[Within.HALVES] == [("1", "5"), ("2", "6"), ("3", "7"), ("4", "8")]


def test_who_was_late_begins_where_the_event_says() -> None:
    played = (Meeting(1, "a", "b", Ending.FIRST), Meeting(2, "a", "b", Ending.DRAWN))
    field = Field((Entrant("a"), Entrant("b"), Entrant("late", joins=3)), played)
    points = {p.name: p.points for p in standings(field, Points(late=0.5))}
    assert points == {"a": 1.5, "b": 0.5, "late": 1.0}


def test_a_round_waits_for_the_last() -> None:
    field = Field((Entrant("a"), Entrant("b")), (Meeting(1, "a", "b"),))
    with pytest.raises(TournamentError, match="round 1 to be over"):
        swiss_round(field)


def test_a_lot_can_be_drawn_again() -> None:
    entrants = [Entrant(str(n)) for n in range(20)]
    assert by_lot(entrants, 7) == by_lot(entrants, 7) != by_lot(entrants, 8)
    assert sorted(by_lot(entrants, 7), key=lambda e: int(e.name)) == entrants


@pytest.mark.parametrize(
    ("entrants", "meetings", "said"),
    [
        (("a", "a"), (), "once"),
        (("a", " "), (), "empty"),
        (("a",), (Meeting(1, "a", "b"),), "player of this tournament"),
        (("a",), (Meeting(1, "a", "a"),), "twice"),
        (("a",), (Meeting(0, "a", None),), "from 1"),
    ],
)
def test_what_cannot_be(
    entrants: tuple[str, ...], meetings: tuple[Meeting, ...], said: str
) -> None:
    with pytest.raises(TournamentError, match=said):
        Field(tuple(Entrant(n) for n in entrants), meetings)

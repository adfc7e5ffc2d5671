"""Knock-outs: each loses as often as the event says, byes go to the first, seats follow from the
endings alone.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.tournament.bracket import (
    Bracket,
    FromSeed,
    double_elimination,
    seed_order,
    single_elimination,
    with_consolation,
)
from service.tournament.draw import after_groups, draw_numbers, groups_of
from service.tournament.field import Ending, Entrant, Field, Meeting, TournamentError
from service.tournament.prizes import prize_list, prizes_shared
from service.tournament.round_robin import round_robin, without_early_leavers
from service.tournament.seating import Sitter, Vacant, finishers, seating
from tests.service.tournament.playing import bracket_played

LOTS = st.integers(0, 10**6)
MANY = st.integers(2, 40)


def names(many: int) -> list[str]:
    return [f"p{n}" for n in range(1, many + 1)]


def losses(bracket: Bracket, draw: list[str], endings: dict[str, Ending]) -> Counter[str]:
    seated = seating(bracket, draw, endings)
    return Counter(
        s.loser.name for s in seated if s.bout.name in endings and isinstance(s.loser, Sitter)
    )


def test_the_printed_sheet() -> None:
    """The order of a printed sheet of sixteen."""
    assert seed_order(16) == (1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11)


@settings(max_examples=40, deadline=None)
@given(MANY, LOTS)
def test_one_loss_and_out(many: int, lot: int) -> None:
    bracket, draw = single_elimination(many), names(many)
    seated, endings, _ = bracket_played(bracket, draw, random.Random(lot))
    assert len(endings) == many - 1
    assert set(losses(bracket, draw, endings).values()) <= {1}
    order = finishers(seated, ("main",))
    assert sorted(n for group in order for n in group) == sorted(draw)
    assert len(order[0]) == 1


@settings(max_examples=40, deadline=None)
@given(MANY, LOTS)
def test_two_losses_and_out(many: int, lot: int) -> None:
    """2n-2 matches, or one more if the unbeaten finalist loses once."""
    bracket, draw = double_elimination(many), names(many)
    seated, endings, _ = bracket_played(bracket, draw, random.Random(lot))
    order = finishers(seated, ("winners", "losers", "final"))
    lost = losses(bracket, draw, endings)
    (champion,) = order[0]
    assert sorted(n for group in order for n in group) == sorted(draw)
    assert {n: lost[n] for n in draw if n != champion} == {n: 2 for n in draw if n != champion}
    assert len(endings) == 2 * many - 2 + lost[champion] and lost[champion] <= 1


@settings(max_examples=40, deadline=None)
@given(MANY, LOTS, st.integers(1, 4), st.integers(0, 3))
def test_who_goes_down_and_who_leaves(many: int, lot: int, rounds: int, last: int) -> None:
    """Each stage ends whoever leaves, and nobody who left is called."""
    rnd = random.Random(lot)
    for bracket in (with_consolation(many, rounds, last), double_elimination(many)):
        seated, endings, gone = bracket_played(bracket, names(many), rnd, leaving=0.2)
        assert all(Vacant.UNDECIDED not in (s.winner, s.loser) for s in seated)
        assert set(endings) <= {s.bout.name for s in seated}
        assert len(gone) == len(set(gone))


@settings(max_examples=30, deadline=None)
@given(MANY, LOTS)
def test_a_result_taken_back_takes_back_what_followed(many: int, lot: int) -> None:
    """Every seat that is known from some of the endings is the same seat with more of them."""
    rnd = random.Random(lot)
    bracket, draw = double_elimination(many), names(many)
    _, endings, _ = bracket_played(bracket, draw, rnd)
    in_order = [b.name for b in bracket.bouts if b.name in endings]
    some = {n: endings[n] for n in in_order[: rnd.randint(0, len(in_order))]}
    for few, all_of in zip(
        seating(bracket, draw, some), seating(bracket, draw, endings), strict=True
    ):
        for a, b in ((few.first, all_of.first), (few.second, all_of.second)):
            assert a in (Vacant.UNDECIDED, b)


@pytest.mark.parametrize("size", [8, 16, 32, 64])
def test_who_met_above_meets_late_below(size: int) -> None:
    """Whoever comes down after the first round cannot meet in the next two rounds of the losers
    whom they have met; those left over by few can at the very end.
    """
    bracket = double_elimination(size)
    came: dict[str, frozenset[int]] = {}
    early = 0
    rounds = bracket.rounds("losers")
    for b in bracket.bouts:
        sides = [
            frozenset({o.number}) if isinstance(o, FromSeed) else came[o.bout]
            for o in (b.first, b.second)
        ]
        came[b.name] = sides[0] | sides[1]
        if b.stage == "losers" and b.round <= len(rounds) // 2:
            early += len(sides[0] & sides[1])
    assert early == 0


def test_a_consolation_of_sixteen() -> None:
    """Main 15, consolation of the first two rounds' losers 11, last chance of its first losers."""
    bracket = with_consolation(16, rounds=2, last_chance=1)
    counts = Counter(b.stage for b in bracket.bouts)
    assert counts == {"main": 15, "consolation": 11, "last chance": 3}


def test_byes_go_to_the_first() -> None:
    seated = seating(single_elimination(11), names(11), {})
    free = [s.winner.name for s in seated if isinstance(s.winner, Sitter)]
    assert sorted(free) == ["p1", "p2", "p3", "p4", "p5"]


@pytest.mark.parametrize(
    ("endings", "said"),
    [
        ({"main 1.1": Ending.DRAWN}, "play it out"),
        ({"main 2.1": Ending.FIRST}, "enter the earlier bouts first"),
        ({"main 9.1": Ending.FIRST}, "take it away"),
    ],
)
def test_endings_that_cannot_be(endings: dict[str, Ending], said: str) -> None:
    with pytest.raises(TournamentError, match=said):
        seating(single_elimination(4), names(4), endings)


@settings(max_examples=40, deadline=None)
@given(st.integers(4, 40), st.integers(2, 8), LOTS)
def test_clubs_are_apart_in_the_first_round(many: int, clubs: int, lot: int) -> None:
    """Where any order of the last tier keeps them apart: here nobody's club is half of it."""
    rnd = random.Random(lot)
    seeds = [Entrant(n, f"club {rnd.randrange(clubs * 4)}") for n in names(many)]
    draw = draw_numbers(seeds)
    assert sorted(draw, key=str) == sorted(seeds, key=str)
    tiers = [range(1), range(1, 2), *(range(2**k, 2 ** (k + 1)) for k in range(1, 6))]
    for tier in tiers:
        assert {e.name for e in draw[tier.start : tier.stop]} == {
            e.name for e in seeds[tier.start : tier.stop]
        }
    order = seed_order(single_elimination(many).size)
    pairs = [(a, b) for a, b in zip(order[::2], order[1::2], strict=True) if max(a, b) <= many]
    mates = sum(draw[a - 1].club == draw[b - 1].club for a, b in pairs)
    most = Counter(e.club for e in seeds).most_common(1)[0][1]
    assert mates == 0 or most > len(pairs) // 2


def test_groups_then_bracket() -> None:
    """Four groups of four from sixteen in a row; the two first of each go on, group-mates in
    opposite halves.
    """
    seeds = [Entrant(n, f"club {i % 5}") for i, n in enumerate(names(16))]
    groups = groups_of(seeds, 4)
    assert [len(g) for g in groups] == [4] * 4
    for group in groups:
        assert len({e.club for e in group}) == 4
        assert len({seeds.index(e) // 4 for e in group}) == 4
        assert len(round_robin([e.name for e in group])) == 6
    draw = after_groups(groups, 2)
    half = set(seed_order(8)[:4])
    for group in groups:
        sides = {draw.index(e) + 1 in half for e in group[:2]}
        assert sides == {True, False}


def test_who_left_a_round_robin_before_half() -> None:
    plan = round_robin(["a", "b", "c", "d"])
    over = [Meeting(m.round, m.first, m.second, Ending.FIRST) for m in plan if m.round == 1]
    rest = [
        Meeting(m.round, m.first, m.second, Ending.FIRST, walkover="d" in (m.first, m.second))
        for m in plan
        if m.round > 1
    ]
    field = Field((*map(Entrant, "abc"), Entrant("d", leaves=2)), (*over, *rest))
    kept = without_early_leavers(field)
    assert {n for m in kept.meetings for n in (m.first, m.second)} == {"a", "b", "c"}
    assert kept.entrants == field.entrants


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**9), st.lists(st.integers(0, 50), min_size=1, max_size=8), LOTS)
def test_no_coin_is_lost(pool: int, percent: list[int], lot: int) -> None:
    percent = [p * 100 // max(100, sum(percent)) for p in percent]
    prizes = prize_list(pool, percent)
    assert sum(prizes) == pool * sum(percent) // 100
    rnd = random.Random(lot)
    draw, order = names(12), []
    while draw:
        n = rnd.randint(1, 3)
        order.append(draw[:n])
        draw = draw[n:]
    won = prizes_shared(prizes, order)
    assert sum(won.values()) == sum(prizes)
    for group in order:
        got = [won.get(n, 0) for n in group]
        assert max(got) - min(got) <= 1

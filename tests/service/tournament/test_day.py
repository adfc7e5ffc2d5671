"""A whole day by its director's acts: played to its end, taken back and put right, folded again
from the bytes of its journal.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from service.journal import entries_hall as e
from service.journal.chain import chain, checked_entries
from service.journal.entry import Body, Role, Who
from service.journal.store import Reader
from service.tournament.day import Day
from service.tournament.field import TournamentError
from service.tournament.stages import (
    after,
    field_of,
    finishing_order,
    forfeits,
    is_over,
    next_round,
    placings,
    prizes_won,
    seated_of,
    tournament_of,
)
from tests.service.tournament.day_story import summary

KEPT = Path(__file__).parents[1] / "journal" / "data" / "hall-day.journal"
WHO = Who("Mina", Role.DIRECTOR)
DAYS = (
    (e.StagePlan("swiss", rounds=4), e.StagePlan("double", take=4)),
    (e.StagePlan("halves", rounds=3, apart=2), e.StagePlan("consolation", take=8, last_chance=1)),
    (e.StagePlan("groups", rounds=1, groups=3), e.StagePlan("single", take=6)),
    (e.StagePlan("round_robin", rounds=1),),
    (e.StagePlan("double"),),
)


class Desk:
    """A director's desk in memory: every act is tried on the day and kept as it is sealed."""

    def __init__(self, *stages: e.StagePlan, players: int = 0, rated: bool = True) -> None:
        self.acts: list[Body] = []
        self.day = Day()
        self.say(e.TournamentOpened("the open", stages, 1000, (50, 30, 20)))
        for i in range(players):
            club = f"club {i % 4}"
            self.say(e.PlayerEntered(f"p{i}", club, 1500.0 + i if rated else None))

    def say(self, *acts: Body) -> None:
        for act in acts:
            self.day = after(self.day, act)
            self.acts.append(act)

    def kept(self) -> list[Body]:
        """What a reader of its journal gets."""
        sealed = chain((float(i), 1.8e9 + i, WHO, body) for i, body in enumerate(self.acts))
        rows = [(entry.seq, text, entry.hash) for entry, text in sealed]
        return [entry.body for entry in checked_entries(rows)]

    def play(self, rnd: random.Random, matches: Iterable[e.PairedMatch] = ()) -> None:
        for m in matches or self.day.open_matches():
            if m.id in {x.id for x in self.day.open_matches()}:
                drawn = not m.bout and rnd.random() < 0.1
                ending = "drawn" if drawn else rnd.choice(("first", "second"))
                self.say(e.ResultEntered(m.id, ending, table="t1"))


def legal(day: Day) -> None:
    """The last round: everybody who plays sits once, nobody who left does."""
    last = day.rounds[-1]
    seats = [n for m in last.matches for n in (m.first, m.second) if n]
    assert len(seats) == len(set(seats))
    assert not set(seats) & {x.name for x in day.entrants if not x.plays_in(last.number)} or (
        day.stages[last.stage].plan.system in ("round_robin", "groups")
    )


@pytest.mark.parametrize("stages", DAYS, ids=lambda stages: stages[0].system)
@pytest.mark.parametrize("lot", range(3))
def test_a_day_from_entries_to_prizes_and_its_journal_folds_to_it(
    stages: tuple[e.StagePlan, ...], lot: int
) -> None:
    rnd = random.Random(lot)
    desk = Desk(*stages, players=13, rated=lot != 2)
    while not is_over(desk.day):
        if len(desk.day.rounds) == 1:
            desk.say(e.PlayerLeft("p3", len(desk.day.rounds) + 1))
            if stages[0].system in ("swiss", "halves"):
                desk.say(e.PlayerEntered("late", "", 1400.0, joins=len(desk.day.rounds) + 1))
        desk.say(*next_round(desk.day, lot))
        desk.say(*forfeits(desk.day))
        legal(desk.day)
        if rnd.random() < 0.5 and desk.day.open_matches():
            mistaken = desk.day.open_matches()[0]
            desk.play(rnd, [mistaken])
            desk.say(e.ResultTakenBack(mistaken.id, "the other one won"))
            assert mistaken in desk.day.open_matches()
        desk.play(rnd)
    assert tournament_of(desk.kept()) == desk.day
    order = finishing_order(desk.day, desk.day.current)
    assert len(order[0]) == 1
    assert sum(prizes_won(desk.day).values()) == 1000
    with pytest.raises(TournamentError, match="over"):
        next_round(desk.day, lot)
    if stages[0].system in ("swiss", "halves"):
        met = field_of(desk.day, 0).met()
        assert max(met.values()) == 1


def test_a_result_taken_back_takes_back_what_was_called_from_it_and_not_what_was_played() -> None:
    desk = Desk(e.StagePlan("single"), players=4)
    desk.say(*next_round(desk.day, 1))
    a, b = desk.day.open_matches()
    desk.say(e.ResultEntered(a.id, "first"), e.ResultEntered(b.id, "first"))
    desk.say(*next_round(desk.day, 1))
    (final,) = desk.day.open_matches()
    desk.say(e.MatchSeated(final.id, "t1"))
    desk.say(e.ResultTakenBack(a.id))
    assert [m.id for m in desk.day.open_matches()] == [a.id]
    assert not desk.day.places, "nobody is called to a final that is not known"
    desk.say(e.ResultEntered(a.id, "second"))
    desk.say(*next_round(desk.day, 1))
    (final,) = desk.day.open_matches()
    assert {final.first, final.second} == {a.second, b.first}
    desk.say(e.ResultEntered(final.id, "first"))
    with pytest.raises(TournamentError, match="take this ending away"):
        desk.say(e.ResultTakenBack(a.id))
    assert tournament_of(desk.kept()) == desk.day


def test_a_hall_s_journal_that_was_kept_folds_to_what_it_folded_to(tmp_path: Path) -> None:
    path = shutil.copy(KEPT, tmp_path)
    with Reader(Path(path)) as reader:
        entries = reader.read()
        assert reader.broken is None
    wanted = json.loads(KEPT.with_suffix(".json").read_text("utf-8"))
    assert json.loads(json.dumps(summary(tournament_of(x.body for x in entries)))) == wanted


def test_what_cannot_be_is_refused_and_changes_nothing() -> None:
    desk = Desk(e.StagePlan("swiss", rounds=2), players=4)
    desk.say(*next_round(desk.day, 1))
    first, second = desk.day.open_matches()
    desk.say(e.MatchSeated(first.id, "t1", 1, 10))
    before = desk.day
    for wrong in (
        e.TournamentOpened("none", ()),
        e.StagePlanned(0, e.StagePlan("single")),
        e.StagePlanned(1, e.StagePlan("arena")),
        e.PlayerEntered("p1"),
        e.PlayerAmended("p1", "p2"),
        e.PlayerAmended("nobody", "somebody"),
        e.PlayerStruck("p1"),
        e.PlayerReturned("p1"),
        e.RoundPaired(3, 0, ()),
        e.RoundPaired(2, 0, (e.PairedMatch("2.1", "p0", "p1"), e.PairedMatch("2.2", "p1", "p2"))),
        e.RoundTakenBack(7),
        e.MatchSeated(second.id, "t1"),
        e.MatchSeated("9.9", "t2"),
        e.ResultEntered(first.id, "perhaps"),
        e.ResultTakenBack(first.id),
    ):
        with pytest.raises(TournamentError):
            desk.say(wrong)
    assert desk.day is before
    with pytest.raises(TournamentError, match="without a result"):
        next_round(desk.day, 1)
    with pytest.raises(TournamentError, match="opened"):
        after(Day(), e.PlayerEntered("p1"))


def test_a_name_put_right_is_right_everywhere_and_a_round_can_be_taken_back() -> None:
    desk = Desk(e.StagePlan("swiss", rounds=3), e.StagePlan("single", take=2), players=4)
    desk.say(*next_round(desk.day, 1))
    desk.say(e.PlayerAmended("p0", "مهسا رحیمی", "Shiraz", 1800.0))
    names = {n for m in desk.day.rounds[0].matches for n in (m.first, m.second)}
    assert "مهسا رحیمی" in names and "p0" not in names
    desk.say(e.RoundTakenBack(1))
    assert not desk.day.rounds and desk.day.current == -1, "the next tap draws anew"
    desk.say(*next_round(desk.day, 1))
    desk.play(random.Random(1))
    with pytest.raises(TournamentError, match="has a result"):
        desk.say(e.RoundTakenBack(1))
    desk.say(e.PlayerEntered("a mistake", joins=2), e.PlayerStruck("a mistake"))
    desk.say(e.RoundTimed(2, 1.8e9), e.RoundPlanned(2, length=11), e.PrizesPlanned(70, (100,)))
    desk.say(e.StagePlanned(1, e.StagePlan("single", take=4)))
    assert desk.day.starts == {2: 1.8e9} and desk.day.plans[2].length == 11
    for _ in range(2):
        desk.say(*next_round(desk.day, 1))
        desk.play(random.Random(2))
    desk.say(*next_round(desk.day, 1))
    assert len(desk.day.stages[1].names) == 4
    best = [line.name for line in placings(desk.day, 0)[0]]
    assert set(desk.day.stages[1].names) == set(best)
    assert all(s.bout.stage == "main" for s in seated_of(desk.day, 1))
    assert tournament_of(desk.kept()) == desk.day

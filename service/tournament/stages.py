"""What follows from a tournament so far: fields, brackets, standings, the next round."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from service.journal import entries_hall as e
from service.journal.entry import Body
from service.tournament.bracket import (
    Bracket,
    double_elimination,
    single_elimination,
    with_consolation,
)
from service.tournament.day import BRACKETS, SWISS, Day, with_act
from service.tournament.draw import after_groups, draw_numbers, drawn_from, groups_of
from service.tournament.field import Ending, Entrant, Field, Meeting, TournamentError, by_lot
from service.tournament.field import by_rating as rated
from service.tournament.prizes import prize_list, prizes_shared
from service.tournament.round_robin import round_robin, without_early_leavers
from service.tournament.seating import Seated, Sitter, Vacant, finishers, seating
from service.tournament.standings import Placing, standings
from service.tournament.swiss import Swiss, Within, swiss_round

MAIN = frozenset({"main", "winners", "losers", "final"})
"""Stages of a bracket that decide who wins the tournament."""


def first_round(day: Day, stage: int) -> int:
    """The number of a stage's first round, paired or to be paired."""
    found = [r.number for r in day.rounds if r.stage == stage]
    return min(found, default=len(day.rounds) + 1)


def field_of(day: Day, stage: int, group: int = 0) -> Field:
    """A stage's players and meetings (of one group), its rounds from 1."""
    before = first_round(day, stage) - 1
    names = day.stages[stage].groups[group] if day.stages[stage].groups else ()
    entrants = tuple(_within(day.entrant(name), before) for name in names)
    meetings = []
    for round_ in day.rounds:
        if round_.stage != stage:
            continue
        for m in round_.matches:
            if m.group != group:
                continue
            out = day.outcomes.get(m.id)
            meetings.append(
                Meeting(
                    round_.number - before,
                    m.first,
                    m.second,
                    out.ending if out else None,
                    bool(out and out.walkover),
                )
            )
    return Field(entrants, tuple(meetings))


def _within(entrant: Entrant, before: int) -> Entrant:
    joins = max(1, entrant.joins - before)
    leaves = None if entrant.leaves is None else max(joins, entrant.leaves - before)
    return replace(entrant, joins=joins, leaves=leaves)


def bracket_of(day: Day, stage: int) -> Bracket:
    """A drawn stage's bouts."""
    plan = day.stages[stage].plan
    return _bracket(plan.system, len(day.stages[stage].names), plan.rounds, plan.last_chance)


@functools.lru_cache(maxsize=16)
def _bracket(system: str, many: int, rounds: int, last_chance: int) -> Bracket:
    if system == "double":
        return double_elimination(many)
    if system == "consolation":
        return with_consolation(many, rounds or max(1, (many - 1).bit_length() - 1), last_chance)
    return single_elimination(many)


def seated_of(day: Day, stage: int) -> tuple[Seated, ...]:
    """Who sits where in a stage's bracket. Raises TournamentError where results and bouts do not
    go together.
    """
    endings = {
        m.bout: day.outcomes[m.id].ending
        for r in day.rounds
        if r.stage == stage
        for m in r.matches
        if m.bout and m.id in day.outcomes
    }
    names = day.stages[stage].names
    gone = tuple(n for n in day.left if n in names)
    return seating(bracket_of(day, stage), names, endings, gone)


def placings(day: Day, stage: int) -> tuple[tuple[Placing, ...], ...]:
    """The standings of a Swiss or round robin stage, by group."""
    plan = day.stages[stage].plan
    found = []
    for group in range(len(day.stages[stage].groups)):
        field = field_of(day, stage, group)
        if plan.system not in SWISS:
            field = without_early_leavers(field)
        found.append(standings(field))
    return tuple(found)


def finishing_order(day: Day, stage: int) -> tuple[tuple[str, ...], ...]:
    """A stage's players, the best first, those who share a place together."""
    if not day.stages[stage].groups:
        return ()
    if day.stages[stage].plan.system in BRACKETS:
        seated = seated_of(day, stage)
        return finishers(seated, MAIN & {s.bout.stage for s in seated})
    order: dict[tuple[int, int], list[str]] = {}
    for group, lines in enumerate(placings(day, stage)):
        for line in lines:
            order.setdefault((line.place, group), []).append(line.name)
    return tuple(tuple(order[key]) for key in sorted(order))


def prizes_won(day: Day) -> dict[str, int]:
    """What everybody wins of the pool, by the order of the last stage that was drawn."""
    if day.current < 0 or not day.pool:
        return {}
    return prizes_shared(prize_list(day.pool, day.prizes), finishing_order(day, day.current))


def is_over(day: Day) -> bool:
    """Whether the last stage is played to its end."""
    return day.current == len(day.stages) - 1 and stage_over(day)


def stage_over(day: Day) -> bool:
    """Whether the stage that was drawn last is played to its end."""
    at = day.current
    if at < 0 or day.open_matches():
        return False
    plan, played = day.stages[at].plan, sum(r.stage == at for r in day.rounds)
    if plan.system in BRACKETS:
        return all(s.winner is not Vacant.UNDECIDED for s in seated_of(day, at))
    if plan.system in SWISS:
        return played >= plan.rounds
    return played >= max(len(_table(day, g)) for g in range(len(day.stages[at].groups)))


def _table(day: Day, group: int) -> list[list[Meeting]]:
    """Every round of a group's round robin."""
    stage = day.stages[day.current]
    found: dict[int, list[Meeting]] = {}
    for meeting in round_robin(stage.groups[group], max(1, stage.plan.rounds)):
        found.setdefault(meeting.round, []).append(meeting)
    return [found[n] for n in sorted(found)]


def next_round(day: Day, lot: int) -> tuple[Body, ...]:
    """What pairs the next round: a draw where a stage begins, and the matches. Raises
    TournamentError where no round can be paired now.
    """
    acts: list[Body] = []
    if day.current < 0 or stage_over(day):
        if day.current + 1 >= len(day.stages):
            raise TournamentError("every round is played: the tournament is over")
        acts.append(draw(day, lot))
        day = with_act(day, acts[0])
    number = len(day.rounds) + 1
    matches = _matches(day, number)
    if not matches:
        raise TournamentError(
            f"expected round {number - 1} to be over, got {len(day.open_matches())} without a"
            " result; enter the results first"
        )
    acts.append(e.RoundPaired(number, day.current, tuple(matches)))
    return tuple(acts)


def _matches(day: Day, number: int) -> list[e.PairedMatch]:
    stage = day.stages[day.current]
    if stage.plan.system in BRACKETS:
        return _ready(day, number)
    if waiting := day.open_matches():
        raise TournamentError(
            f"expected round {number - 1} to be over, got {len(waiting)} without a result (first"
            f" {waiting[0].first} - {waiting[0].second}); enter the results first"
        )
    if stage.plan.system in SWISS:
        within = Within.HALVES if stage.plan.system == "halves" else Within.NEIGHBOURS
        wish = Swiss(within, stage.plan.apart)
        found = [(0, m) for m in swiss_round(field_of(day, day.current), wish)]
    else:
        turn = number - first_round(day, day.current)
        tables = [_table(day, g) for g in range(len(stage.groups))]
        found = [(g, m) for g, t in enumerate(tables) if turn < len(t) for m in t[turn]]
    return [
        e.PairedMatch(f"{number}.{i}", m.first, m.second, "", g)
        for i, (g, m) in enumerate(found, 1)
    ]


def _ready(day: Day, number: int) -> list[e.PairedMatch]:
    """Bouts that can be played now and are not yet called."""
    called = {m.bout for r in day.rounds if r.stage == day.current for m in r.matches}
    ready = [s for s in seated_of(day, day.current) if s.ready and s.bout.name not in called]
    return [
        e.PairedMatch(f"{number}.{i}", s.first.name, s.second.name, s.bout.name)
        for i, s in enumerate(ready, 1)
        if isinstance(s.first, Sitter) and isinstance(s.second, Sitter)
    ]


def draw(day: Day, lot: int) -> e.StageDrawn:
    """The draw of the next stage: by rating, by what went before, else by lot. Raises
    TournamentError.
    """
    at = day.current + 1
    plan = day.stages[at].plan
    here = [x for x in day.entrants if x.name not in day.left]
    drawn: int | None = None
    seeds: Sequence[Entrant]
    if at > 0 and plan.take:
        before = [n for names in finishing_order(day, at - 1) for n in names if n not in day.left]
        groups = len(day.stages[at - 1].groups)
        if groups > 1 and plan.system in BRACKETS:
            return e.StageDrawn(at, (_of_groups(day, max(1, plan.take // groups)),))
        seeds = drawn_from(day.entrants, before[: plan.take])
    elif any(x.rating is not None for x in here):
        seeds = rated(here)
    else:
        drawn, seeds = lot, by_lot(here, lot)
    if len(seeds) < 2:
        raise TournamentError(f"expected 2 players or more, got {len(seeds)}; enter more")
    if plan.system in BRACKETS:
        seeds = draw_numbers(seeds)
    many = plan.groups if plan.system == "groups" else 1
    found = groups_of(seeds, many) if many > 1 else (tuple(seeds),)
    return e.StageDrawn(at, tuple(tuple(x.name for x in group) for group in found), drawn)


def _of_groups(day: Day, through: int) -> tuple[str, ...]:
    groups = [
        [day.entrant(line.name) for line in lines if line.name not in day.left]
        for lines in placings(day, day.current)
    ]
    return tuple(x.name for x in after_groups(groups, through))


def forfeits(day: Day) -> tuple[e.ResultEntered, ...]:
    """The walkovers of matches whose players have left: in a bracket the seats say so already."""
    found = []
    for m in day.open_matches():
        gone = (m.first in day.left, m.second in day.left)
        if any(gone) and not m.bout:
            ending = Ending.NEITHER if all(gone) else Ending.SECOND if gone[0] else Ending.FIRST
            found.append(e.ResultEntered(m.id, ending.value, walkover=True))
    return tuple(found)


def tournament_of(bodies: Iterable[Body]) -> Day:
    """The tournament that these entries make. Raises TournamentError."""
    return functools.reduce(after, bodies, Day())


def after(day: Day, body: Body) -> Day:
    """The tournament after one more act, with all that follows from it. Raises TournamentError."""
    day = with_act(day, body)
    return _pruned(day) if isinstance(body, _MOVES_SEATS) else day


_MOVES_SEATS = (e.ResultEntered, e.ResultTakenBack, e.PlayerLeft, e.PlayerReturned)


def _pruned(day: Day) -> Day:
    """The tournament without called bouts that are not to be played as they were called: a result
    before them was taken back, or a player left. Raises TournamentError where one was played.
    """
    rounds = []
    for r in day.rounds:
        kept = r.matches
        if day.stages[r.stage].plan.system in BRACKETS:
            seats = {s.bout.name: s for s in seated_of(day, r.stage)}
            kept = tuple(m for m in r.matches if _stands(day, m, seats[m.bout]))
        rounds.append(replace(r, matches=kept))
    while rounds and not rounds[-1].matches:
        rounds.pop()
    ids = {m.id for r in rounds for m in r.matches}
    places = {k: v for k, v in day.places.items() if k in ids}
    return replace(day, rounds=tuple(rounds), places=places)


def _stands(day: Day, match: e.PairedMatch, seat: Seated) -> bool:
    same = (seat.first, seat.second) == (Sitter(match.first), Sitter(match.second or ""))
    if match.id in day.outcomes and not same:
        raise TournamentError(
            f"{match.bout}: {match.first} - {match.second} was played since; take that result back"
            " first"
        )
    return match.id in day.outcomes or (same and seat.winner is Vacant.UNDECIDED)

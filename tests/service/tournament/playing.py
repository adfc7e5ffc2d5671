"""Tournaments that play themselves, and their standings worked out another way: by matrices."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from service.tournament.bracket import Bracket
from service.tournament.field import Ending, Entrant, Field, Meeting
from service.tournament.seating import Seated, Sitter, seating
from service.tournament.swiss import Swiss, swiss_round

SWISS_ENDINGS = (
    [Ending.FIRST] * 9 + [Ending.SECOND] * 8 + [Ending.DRAWN] * 3 + [Ending.NEITHER]
)  # fmt: skip


def swiss_played(
    entrants: tuple[Entrant, ...],
    rounds: int,
    rnd: random.Random,
    wish: Swiss,
    seen: Callable[[Field, tuple[Meeting, ...]], None] = lambda field, meetings: None,
) -> Field:
    """A Swiss from the first round to the last; `seen` looks at each round before it is played."""
    field = Field(entrants)
    for _ in range(rounds):
        paired = swiss_round(field, wish)
        seen(field, paired)
        over = []
        for m in paired:
            if m.second is not None:
                m = replace(m, ending=rnd.choice(SWISS_ENDINGS), walkover=rnd.random() < 0.03)
            over.append(m)
        field = Field(field.entrants, field.meetings + tuple(over))
    return field


def comings_and_goings(
    rnd: random.Random, many: int, rounds: int, late: int, leaving: int, clubs: int
) -> tuple[Entrant, ...]:
    """So many players with ratings and clubs, the last of them late, some who leave."""
    gone = set(rnd.sample(range(many), leaving))
    found = []
    for i in range(many):
        joins = rnd.randint(2, max(2, rounds - 1)) if i >= many - late else 1
        leaves = rnd.randint(joins + 1, rounds + 1) if i in gone else None
        club = f"club {rnd.randrange(clubs)}" if clubs else ""
        rating = None if rnd.random() < 0.1 else float(rnd.randint(1000, 2000))
        found.append(Entrant(f"player {i}", club, rating, joins, leaves))
    return tuple(found)


def bracket_played(
    bracket: Bracket, draw: list[str], rnd: random.Random, leaving: float = 0.0
) -> tuple[tuple[Seated, ...], dict[str, Ending], list[str]]:
    """A bracket played to its end, bout by bout in any order that can be played."""
    endings: dict[str, Ending] = {}
    gone: list[str] = []
    while True:
        seated = seating(bracket, draw, endings, gone)
        ready = [s for s in seated if s.ready]
        busy = [s.name for r in ready for s in (r.first, r.second) if isinstance(s, Sitter)]
        assert len(busy) == len(set(busy)), "nobody is called to two bouts at once"
        if not ready:
            return seated, endings, gone
        each = rnd.choice(ready)
        if rnd.random() < leaving:
            gone.append(rnd.choice([s.name for s in (each.first, each.second)]))
        else:
            endings[each.bout.name] = rnd.choice([Ending.FIRST, Ending.SECOND])


def other_way(field: Field) -> dict[str, tuple[float, float, float, float]]:
    """Points, sum of opponents, Sonneborn-Berger and running total by matrices, in integers."""
    at = {e.name: i for i, e in enumerate(field.entrants)}
    many, rounds = len(at), field.rounds
    met = np.zeros((many, many), int)
    won = np.zeros((many, many), int)  # halves of a win
    free = np.zeros((many, rounds), int)  # halves won without play, by round
    gained = np.zeros((many, rounds), int)
    idle = np.ones((many, rounds), int)
    for m in field.meetings:
        i, r = at[m.first], m.round - 1
        halves = {Ending.FIRST: (2, 0), Ending.SECOND: (0, 2), Ending.DRAWN: (1, 1)}
        a, b = halves.get(m.ending or Ending.FIRST, (0, 0))
        gained[i, r] = a
        if m.second is None or m.walkover:
            free[i, r] = a
        if m.second is not None:
            j = at[m.second]
            gained[j, r] = b
            if m.walkover:
                free[j, r] = b
            else:
                met[i, j] += 1
                met[j, i] += 1
                won[i, j] += a
                won[j, i] += b
                idle[i, r] = idle[j, r] = 0
    points = gained.sum(1)  # halves
    adjusted = won.sum(1) + idle.sum(1)
    faced = met @ adjusted + (free > 0).sum(1) * points  # halves
    beaten = won @ adjusted + free.sum(1) * points  # quarters
    running = gained.cumsum(1).sum(1)
    return {
        name: (points[i] / 2, faced[i] / 2, beaten[i] / 4, running[i] / 2) for name, i in at.items()
    }

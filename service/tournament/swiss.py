"""A Swiss round: who plays whom, by points, without meeting twice.

All wishes go into one number for each possible pair, the graver so heavy that it outweighs every
lighter one of the whole round; one matching over all players then finds the round. So a rematch
happens only where no round without it exists, which pairing from the top down cannot promise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from service.tournament.field import Entrant, Field, Meeting, TournamentError, by_rating
from service.tournament.matching import cheapest_pairs
from service.tournament.standings import USUAL, USUAL_POINTS, Points, TieBreak, standings


class Within(StrEnum):
    """How players with as many points are paired."""

    NEIGHBOURS = "neighbours"
    """First with second, third with fourth: the monrad."""
    HALVES = "halves"
    """The upper half with the lower, each in its order: as in chess."""


@dataclass(frozen=True, slots=True)
class Swiss:
    """What a Swiss event wants of its rounds.

    `apart`: through this round players of one club meet only where they must.
    """

    within: Within = Within.NEIGHBOURS
    apart: int = 0
    worth: Points = USUAL_POINTS
    breaks: tuple[TieBreak, ...] = USUAL


MONRAD = Swiss()


def swiss_round(field: Field, wish: Swiss = MONRAD) -> tuple[Meeting, ...]:
    """The meetings of the next round, the highest first, a bye last. All earlier rounds are over.

    With an odd number the bye goes to one of the lowest who had none yet.
    """
    number = field.rounds + 1
    waiting = [m for m in field.meetings if not m.over]
    if waiting:
        raise TournamentError(
            f"expected round {field.rounds} to be over, got {len(waiting)} without an ending (first"
            f" {waiting[0].first} - {waiting[0].second}); enter the results first"
        )
    ranked, points = _ranked(field, number, wish)
    if not ranked:
        return ()
    costs = _costs(field, ranked, points, wish, number)
    meetings = [
        Meeting(number, ranked[a].name, ranked[b].name if b < len(ranked) else None)
        for a, b in cheapest_pairs(costs)
    ]
    return tuple(sorted(meetings, key=lambda m: m.second is None))


def _ranked(field: Field, number: int, wish: Swiss) -> tuple[list[Entrant], list[float]]:
    """Those who play this round by their standing, then rating, then order; and their points.

    A late entrant's rounds missed count as soon as they join.
    """
    seeded = Field(by_rating(field.entrants), field.meetings)
    here = {e.name: e for e in seeded.present(number)}
    lines = [line for line in standings(seeded, wish.worth, wish.breaks) if line.name in here]
    return [here[line.name] for line in lines], [line.points for line in lines]


def _costs(
    field: Field, ranked: Sequence[Entrant], points: Sequence[float], wish: Swiss, number: int
) -> dict[tuple[int, int], int]:
    """What each pair costs; the number after the last player is the bye."""
    many = len(ranked)
    met, byes = field.met(), field.byes()
    wishes: dict[tuple[int, int], tuple[int, ...]] = {}
    for i, a in enumerate(ranked):
        for j in range(i + 1, many):
            b = ranked[j]
            again = met[frozenset((a.name, b.name))]
            mates = int(number <= wish.apart and a.club != "" and a.club == b.club)
            gap = int((2 * (points[i] - points[j])) ** 2)
            wishes[i, j] = (again, 0, mates, gap, _askew(i, j, points, wish.within))
        if many % 2:
            above = int((2 * (points[i] - points[-1])) ** 2)
            wishes[i, many] = (0, byes[a.name], 0, above, (many - 1 - i) ** 2)
    # Each wish weighs more than all that the lighter ones can come to in a whole round.
    pairs = (many + 1) // 2
    heights = [1 + pairs * max(each) for each in zip(*wishes.values(), strict=True)]
    costs = {}
    for pair, graver_first in wishes.items():
        cost = 0
        for each, height in zip(graver_first, heights, strict=True):
            cost = cost * height + each
        costs[pair] = cost
    return costs


def _askew(i: int, j: int, points: Sequence[float], within: Within) -> int:
    """How far from the wished order this pair of one group of points is, squared."""
    if within is Within.NEIGHBOURS or points[i] != points[j]:
        return (j - i - 1) ** 2
    half = max(1, points.count(points[i]) // 2)
    return (j - i - half) ** 2

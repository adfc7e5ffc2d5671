"""Who plays and what was played: the one value that pairings and standings are worked out from.

A player is found by name everywhere, so that a name stands once in a field.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum


class TournamentError(ValueError):
    """What cannot be in a tournament: what was expected, what came, what to do next."""


class Ending(StrEnum):
    """How a meeting ended, for the first named of the two."""

    FIRST = "first"
    SECOND = "second"
    DRAWN = "drawn"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player of a tournament; `leaves` is the first round that they no longer play."""

    name: str
    club: str = ""
    rating: float | None = None
    joins: int = 1
    leaves: int | None = None

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise TournamentError("expected a name for each player, got an empty one; write a name")
        if self.joins < 1 or (self.leaves is not None and self.leaves < self.joins):
            raise TournamentError(
                f"{self.name}: expected to join in round 1 or later and to leave no earlier, got"
                f" {self.joins} and {self.leaves}; correct the rounds"
            )

    def plays_in(self, number: int) -> bool:
        """Whether they are to be paired in that round."""
        return self.joins <= number and (self.leaves is None or number < self.leaves)


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two players of a round, or one alone with a bye; `ending` is None until it is over.

    `walkover`: it ended without being played, so that these two may still meet.
    A bye may end DRAWN (half a point) or NEITHER (none); otherwise it counts as the rules say.
    """

    round: int
    first: str
    second: str | None
    ending: Ending | None = None
    walkover: bool = False

    @property
    def played(self) -> bool:
        return self.second is not None and self.ending is not None and not self.walkover

    @property
    def over(self) -> bool:
        return self.second is None or self.ending is not None


@dataclass(frozen=True, slots=True)
class Field:
    """The players in the order of their entry or draw, and every meeting so far."""

    entrants: tuple[Entrant, ...]
    meetings: tuple[Meeting, ...] = ()

    def __post_init__(self) -> None:
        names = Counter(e.name for e in self.entrants)
        twice = [name for name, n in names.items() if n > 1]
        if twice:
            raise TournamentError(
                f"expected each name once, got {', '.join(twice)} more than once; add a first name"
                " or a number"
            )
        seen: set[tuple[int, str]] = set()
        for meeting in self.meetings:
            if meeting.round < 1:
                raise TournamentError(
                    f"expected rounds from 1 up, got {meeting.round}; correct the round"
                )
            for name in _who(meeting):
                if name not in names:
                    raise TournamentError(
                        f"round {meeting.round}: expected a player of this tournament, got {name};"
                        " enter them first"
                    )
                if (meeting.round, name) in seen:
                    raise TournamentError(
                        f"round {meeting.round}: expected {name} once, got them twice; take one"
                        " meeting away"
                    )
                seen.add((meeting.round, name))

    @property
    def rounds(self) -> int:
        """The last round that was paired."""
        return max((m.round for m in self.meetings), default=0)

    def present(self, number: int) -> tuple[Entrant, ...]:
        """Who is to be paired in that round."""
        return tuple(e for e in self.entrants if e.plays_in(number))

    def met(self) -> Counter[frozenset[str]]:
        """How often two players were paired with each other, walkovers aside."""
        return Counter(
            frozenset((m.first, m.second))
            for m in self.meetings
            if m.second is not None and not m.walkover
        )

    def byes(self) -> Counter[str]:
        """How often each player had a round without an opponent and won it so."""
        alone = Counter[str]()
        for m in self.meetings:
            won = Ending.FIRST if m.second is None and m.ending is None else m.ending
            if (m.second is None or m.walkover) and won is Ending.FIRST:
                alone[m.first] += 1
            elif m.walkover and won is Ending.SECOND and m.second is not None:
                alone[m.second] += 1
        return alone


def _who(meeting: Meeting) -> Iterator[str]:
    yield meeting.first
    if meeting.second is not None:
        yield meeting.second


def by_rating(entrants: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """Entrants, the highest rating first; those without one last; equals stay in their order."""
    return tuple(
        sorted(entrants, key=lambda e: (e.rating is None, -(e.rating or 0.0)))
    )  # sorted is stable


def by_lot(entrants: Sequence[Entrant], lot: int) -> tuple[Entrant, ...]:
    """Entrants in an order drawn by lot; who knows the number can draw it again and check it."""
    drawn = list(entrants)
    random.Random(lot).shuffle(drawn)
    return tuple(drawn)

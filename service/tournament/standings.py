"""How the players of a field stand: points, then tie-breaks in the order the event chose.

Every count is a whole number of eighths, which a float holds exactly.

A win without an opponent (a bye, a walkover) counts in a player's own sums as one over an opponent
with the same points as theirs: who was given a bye is neither punished nor paid for it. In the sums
of those whom they met, a player's rounds not played (byes, walkovers, before they joined, since
they left) count as drawn, as in FIDE's rules: to have met them early is nobody's fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from service.tournament.field import Ending, Entrant, Field, TournamentError


class TieBreak(StrEnum):
    """What sets apart players with as many points."""

    DIRECT = "direct encounter"
    """Points among themselves, where each of those tied has met all the others."""
    OPPONENTS = "sum of opponents"
    """Also called Buchholz or Solkoff."""
    OPPONENTS_BUT_ONE = "sum of opponents but the lowest"
    BEATEN = "Sonneborn-Berger"
    """The points of those beaten, and half of those drawn with."""
    RUNNING = "running total"
    """The points after each round added up."""
    WINS = "wins"


USUAL = (TieBreak.OPPONENTS, TieBreak.BEATEN, TieBreak.DIRECT)


@dataclass(frozen=True, slots=True)
class Points:
    """What an ending is worth, in halves; `late` is for each round before a player joined."""

    win: float = 1.0
    draw: float = 0.5
    bye: float = 1.0
    late: float = 0.0

    def __post_init__(self) -> None:
        for each in (self.win, self.draw, self.bye, self.late):
            if each < 0 or (2 * each) % 1:
                raise TournamentError(
                    f"expected points in whole halves (0, 0.5, 1, ...), got {each}; round them"
                )


USUAL_POINTS = Points()


@dataclass(frozen=True, slots=True)
class Placing:
    """A player's line in the standings; who could not be set apart shares a place."""

    place: int
    name: str
    points: float
    breaks: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Turn:
    """A round of one player: what it was worth, as a share of a win, and against whom."""

    round: int
    points: float
    share: float
    against: str | None
    own: bool = False


_SHARE: Mapping[Ending, tuple[float, float]] = {
    Ending.FIRST: (1.0, 0.0),
    Ending.SECOND: (0.0, 1.0),
    Ending.DRAWN: (0.5, 0.5),
    Ending.NEITHER: (0.0, 0.0),
}


def standings(
    field: Field, worth: Points = USUAL_POINTS, breaks: Sequence[TieBreak] = USUAL
) -> tuple[Placing, ...]:
    """Every entrant's line, the best first; equals in the order of the field."""
    book = _Book(field, worth)
    tied = [[e.name for e in field.entrants]]
    tied = _split(tied, book.points.__getitem__)
    values: dict[str, tuple[float, ...]] = {e.name: () for e in field.entrants}
    for each in breaks:
        for group in tied:
            for name in group:
                values[name] += (book.value(each, name, group),)
        tied = _split(tied, lambda name: values[name][-1])
    found: list[Placing] = []
    for group in tied:
        place = len(found) + 1
        found += [Placing(place, name, book.points[name], values[name]) for name in group]
    return tuple(found)


def _split(groups: Iterable[list[str]], value: Callable[[str], float]) -> list[list[str]]:
    finer: list[list[str]] = []
    for group in groups:
        for each in sorted({value(name) for name in group}, reverse=True):
            finer.append([name for name in group if value(name) == each])
    return finer


class _Book:
    """Each player's rounds and points, once, for every tie-break to look up."""

    def __init__(self, field: Field, worth: Points) -> None:
        self.rounds = field.rounds
        self.turns: dict[str, list[_Turn]] = {e.name: [] for e in field.entrants}
        for e in field.entrants:
            self.turns[e.name] += [
                _Turn(number, worth.late, 0.0, None)
                for number in range(1, min(e.joins, self.rounds + 1))
                if worth.late
            ]
        for m in field.meetings:
            if m.second is None:
                share = _SHARE[m.ending or Ending.FIRST][0]
                value = worth.bye if share == 1 else worth.draw if share else 0.0
                self.turns[m.first].append(_Turn(m.round, value, share, None, own=share > 0))
            elif m.ending is not None:
                shares = _SHARE[m.ending]
                for name, other, share in zip(
                    (m.first, m.second), (m.second, m.first), shares, strict=True
                ):
                    value = worth.win if share == 1 else worth.draw if share else 0.0
                    against = None if m.walkover else other
                    own = m.walkover and share > 0
                    self.turns[name].append(_Turn(m.round, value, share, against, own))
        self.points = {name: sum(t.points for t in turns) for name, turns in self.turns.items()}
        self.counted = {e.name: self._counted(e, worth) for e in field.entrants}

    def _counted(self, entrant: Entrant, worth: Points) -> float:
        """Their points in the sums of those whom they met."""
        turns = self.turns[entrant.name]
        missed = {n for n in range(1, self.rounds + 1) if not entrant.plays_in(n)}
        missed |= {t.round for t in turns if t.against is None}
        played = sum(t.points for t in turns if t.against is not None)
        return played + worth.win / 2 * len(missed)

    def value(self, each: TieBreak, name: str, group: Sequence[str]) -> float:
        turns = self.turns[name]
        match each:
            case TieBreak.OPPONENTS:
                return sum(self._faced(name))
            case TieBreak.OPPONENTS_BUT_ONE:
                faced = self._faced(name)
                return sum(faced) - min(faced, default=0.0)
            case TieBreak.BEATEN:
                return sum(self._strength(name, t) * t.share for t in turns)
            case TieBreak.RUNNING:
                return sum(t.points * (self.rounds + 1 - t.round) for t in turns)
            case TieBreak.WINS:
                return sum(t.share == 1 and t.against is not None for t in turns)
            case TieBreak.DIRECT:
                return self._among(name, group)

    def _strength(self, name: str, turn: _Turn) -> float:
        if turn.against is not None:
            return self.counted[turn.against]
        return self.points[name] if turn.own else 0.0

    def _faced(self, name: str) -> list[float]:
        return [self._strength(name, t) for t in self.turns[name] if t.own or t.against is not None]

    def _among(self, name: str, group: Sequence[str]) -> float:
        others = set(group)
        for each in group:
            if others - {each} - {t.against for t in self.turns[each]}:
                return 0.0
        return sum(t.points for t in self.turns[name] if t.against in others)

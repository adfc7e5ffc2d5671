"""Everybody against everybody, by the Berger tables."""

from __future__ import annotations

from collections.abc import Sequence

from service.tournament.field import Field, Meeting


def round_robin(names: Sequence[str], times: int = 1, first_round: int = 1) -> tuple[Meeting, ...]:
    """Every round's meetings; with an odd number one player rests each round, without a point.

    The rounds of the second time through have the two sides exchanged, and so on.
    """
    many = len(names) + len(names) % 2
    found = []
    for time in range(times):
        for number in range(many - 1):
            at = first_round + time * (many - 1) + number
            for a, b in _round(many, number):
                if max(a, b) < len(names):
                    first, second = (a, b) if time % 2 == 0 else (b, a)
                    found.append(Meeting(at, names[first], names[second]))
    return tuple(found)


def _round(many: int, number: int) -> list[tuple[int, int]]:
    """A round of the Berger table, from zero: the last player stays, the others go round."""
    ring = many - 1
    turning = number * many // 2 % ring
    last = (turning, ring) if number % 2 == 0 else (ring, turning)
    others = [((turning + k) % ring, (turning - k) % ring) for k in range(1, many // 2)]
    return [last, *others]


def without_early_leavers(field: Field) -> Field:
    """The field without the meetings of those who left before half of theirs were played.

    In a round robin everybody should have met the same opponents; FIDE's handbook C.05 has this
    rule. They stay in the list, without points. Whoever left later keeps their results, and the
    rest are walkovers that the director enters.
    """
    gone = set()
    for entrant in field.entrants:
        theirs = [m for m in field.meetings if entrant.name in (m.first, m.second)]
        if entrant.leaves is not None and 2 * sum(m.played for m in theirs) < len(theirs):
            gone.add(entrant.name)
    kept = tuple(m for m in field.meetings if not gone & {m.first, m.second})
    return Field(field.entrants, kept)

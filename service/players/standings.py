"""From matches to what a player wants to know: rating, head to head, error rate over time. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rules.board import Side
from service.players.formulas import RatingFormula
from service.players.played import MatchResult


@dataclass(frozen=True, slots=True)
class BookedMatch:
    """A match of the book; `players`: White's ident and Black's; `pr`: theirs, where a report of it
    was made. `table` is empty where its page cannot be found any more.
    """

    result: MatchResult
    table: str
    players: tuple[str, str]
    pr: tuple[float | None, float | None] = (None, None)


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """A match with both ratings, White's and Black's, before and after; None where it is not
    rated: a money session, or one without a winner.
    """

    match: BookedMatch
    ratings: tuple[tuple[float, float], tuple[float, float]] | None


@dataclass(frozen=True, slots=True)
class PlayersRating:
    """Where a player stands with one ruleset; `experience`: points of all matches he finished."""

    rating: float
    experience: int


@dataclass(frozen=True, slots=True)
class PlayersMatch:
    """A match as one of the two sees it. `won` None: nobody did."""

    result: MatchResult
    table: str
    opponent: str
    score: tuple[int, int]
    """His own points first."""
    won: bool | None
    rating: tuple[float, float] | None
    pr: float | None


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Matches won and lost against one opponent, and how many there were."""

    opponent: str
    won: int
    lost: int
    matches: int


@dataclass(frozen=True, slots=True)
class Ratings:
    """Every match with what it did to the ratings, oldest first, and where each player stands, by
    (player, ruleset).
    """

    matches: tuple[RatedMatch, ...]
    now: Mapping[tuple[str, str], PlayersRating]

    def of(self, player: str) -> Mapping[str, PlayersRating]:
        """A player's ratings by ruleset."""
        return {game: rating for (who, game), rating in self.now.items() if who == player}


def rate(matches: Iterable[BookedMatch], formula: RatingFormula) -> Ratings:
    """The ratings that follow from these matches, in the order in which they ended. Rulesets are
    rated apart: who is good at one is not yet good at another.
    """
    now: dict[tuple[str, str], PlayersRating] = {}
    rated = []
    new = PlayersRating(formula.start, 0)
    for match in sorted(matches, key=lambda m: (m.result.ended, m.result.ident)):
        result = match.result
        if not result.length or result.winner is None:
            rated.append(RatedMatch(match, None))
            continue
        white, black = ((player, result.ruleset) for player in match.players)
        before = now.get(white, new), now.get(black, new)
        best = 0 if result.winner is Side.WHITE else 1
        winner, loser = before[best], before[1 - best]
        gained, lost = formula.changes(
            winner.rating, loser.rating, result.length, (winner.experience, loser.experience)
        )
        moved = (gained, -lost) if best == 0 else (-lost, gained)
        for key, old, change in zip((white, black), before, moved, strict=True):
            now[key] = PlayersRating(old.rating + change, old.experience + result.length)
        rated.append(
            RatedMatch(
                match,
                (
                    (before[0].rating, now[white].rating),
                    (before[1].rating, now[black].rating),
                ),
            )
        )
    return Ratings(tuple(rated), now)


def matches_of(player: str, ratings: Ratings) -> tuple[PlayersMatch, ...]:
    """A player's matches, the newest first."""
    found = []
    for rated in ratings.matches:
        match = rated.match
        if player not in match.players:
            continue
        own = match.players.index(player)
        side, result = list(Side)[own], match.result
        found.append(
            PlayersMatch(
                result,
                match.table,
                match.players[1 - own],
                (result.score[own], result.score[1 - own]),
                None if result.winner is None else result.winner is side,
                None if rated.ratings is None else rated.ratings[own],
                match.pr[own],
            )
        )
    return tuple(found[::-1])


def heads_to_head(matches: Sequence[PlayersMatch]) -> tuple[HeadToHead, ...]:
    """A player's opponents, whom he met most first."""
    found: dict[str, HeadToHead] = {}
    for match in matches:
        known = found.get(match.opponent, HeadToHead(match.opponent, 0, 0, 0))
        found[match.opponent] = HeadToHead(
            match.opponent,
            known.won + (match.won is True),
            known.lost + (match.won is False),
            known.matches + 1,
        )
    return tuple(sorted(found.values(), key=lambda one: -one.matches))

"""The book of players with what the journals told since it was read last, rated. (E)"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from service.journal.chain import JournalError
from service.journal.store import StoreError
from service.players.book import EntriesFrom, Player, PlayerBook
from service.players.formulas import FormulaError, RatingFormula, own_formulas, read_formulas
from service.players.played import Place
from service.players.standings import PlayersRating, Ratings, rate

CLUBS_OWN: Final = "ratings.toml"
"""The club's own formulas, beside the journal."""


class NoFormulaError(FormulaError):
    """There is no formula of that name; `known` are those there are."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(f"expected one of {', '.join(known)}, got {name[:40]!r}")
        self.known = known


@dataclass(frozen=True, slots=True)
class BookRead:
    """The book as it stands, rated."""

    players: Mapping[str, Player]
    ratings: Ratings
    formula: str
    formulas: Mapping[str, RatingFormula]

    def name(self, ident: str) -> str:
        """A player's name, nothing for who was erased."""
        return self.players[ident].name if ident in self.players else ""

    def played(self, ident: str) -> int:
        """How many matches of a player the book has."""
        return sum(ident in rated.match.players for rated in self.ratings.matches)


def read_book(
    book: PlayerBook,
    journals: Mapping[str, Callable[[Place], EntriesFrom]],
    formula: str,
    folder: Path,
) -> BookRead:
    """The book with what these journals, by their tables' names, told since the last time; the
    club's own formulas lie in `folder`. Blocking.

    Raises NoFormulaError, PlayerBookError, FormulaError, OSError or UnicodeDecodeError. A journal
    that is not there, or cannot be read, is passed over: it has had no players.
    """
    formulas = dict(own_formulas())
    own = folder / CLUBS_OWN
    if own.exists():
        formulas |= read_formulas(own.read_text(encoding="utf-8"), CLUBS_OWN)
    if formula not in formulas:
        raise NoFormulaError(formula, tuple(formulas))
    for table, journal in journals.items():
        with suppress(JournalError, StoreError):
            book.follow(table, journal)
    players = {player.ident: player for player in book.players()}
    return BookRead(players, rate(book.matches(), formulas[formula]), formula, formulas)


def best_rating(ratings: Mapping[str, PlayersRating]) -> PlayersRating | None:
    """The rating with the ruleset that the player played most; None where no match was rated."""
    return max(ratings.values(), key=lambda one: one.experience, default=None)

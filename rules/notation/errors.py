"""What is wrong with a notation, and where."""

from __future__ import annotations

from typing import Final

LONGEST: Final = 5_000_000
"""Characters of one file; the longest real match has about 100,000."""
MOST_GAMES: Final = 1_000
MOST_TURNS: Final = 5_000
"""Turns of one game; the longest real one has a few hundred."""
MOST_ACTIONS: Final = 20_000
"""Actions of one match: some 180 games, and read within two seconds."""
MOST_RESULTS: Final = 1_000_000
"""Boards that the rolls of one match may lead to between them, a rough count: a match of 180 games
has some 600,000, and one that spreads its checkers on purpose is read no longer."""
MOST_SET_UPS: Final = 1_000
"""Boards of one match that are set by hand instead of played."""
HIGHEST_SCORE: Final = 99_999
"""Points of a side; every format has room for them."""
LONGEST_LINE: Final = 1_000
"""Characters of one row of .mat."""
DEEPEST: Final = 64
"""Nested variations or brackets."""


class NotationError(ValueError):
    """A text that is not what it should be, with the line and column (from 1) where that shows; 0
    where there is no such place. `unit` is what is counted where a file has no lines.
    """

    def __init__(self, what: str, line: int = 0, column: int = 0, unit: str = "line") -> None:
        place = f"{unit} {line}" + (f", column {column}" if column else "") + ": " if line else ""
        super().__init__(place + what)
        self.line, self.column = line, column


class CannotCarryError(NotationError):
    """A record that a format has no words for; the message says what, and which format has."""


def another_match(number: int) -> str:
    """What a reader remarks where a file goes on with another match than the one it read."""
    which = f"only match {number} was read, `--match {number + 1}` reads it"
    return f"another match begins here; {which}"

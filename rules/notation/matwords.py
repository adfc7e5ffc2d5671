"""The words of a .mat file's rows as programs and sites write them, and which of them stand where.
Pure.
"""

from __future__ import annotations

import re
from typing import Final

GAME_ROW: Final = re.compile(r"Game\s+(\d{1,6})(?:\s{0,9}(?:[.:]|[-(][^:]{0,60}))?", re.IGNORECASE)
"""How a game begins, without blanks around it; some writers say more behind its number, as in `Game
4 (Crawford)`.
"""
ROW: Final = re.compile(r"\s*\d{1,6}\)")
CELL: Final = re.compile(
    r"\b\d\d\s*:(?:\s*Illegal play\b)?"
    r"|\b(?:Re)?Doubles?\b|\bTakes?\b|\bAccepts?\b|\bBeavers?\b"
    r"|\bDrops?\b|\bPass(?:es)?\b|\bRejects?\b|\bDeclines?\b|\bRefuses?\b"
    r"|\bWins?\b|\bLosse?s\b|\bConcedes?\b|\bResign(?:s|ed)?\b|\bForfeits?\b|\bIllegal play\b",
    re.IGNORECASE,
)
TOLD: Final = re.compile(r"Illegal play\s{0,9}\(", re.IGNORECASE)
TOLD_UP_TO: Final = re.compile(r"\)(?=\s|$)")
SET_UP: Final = re.compile(r"\s*;\s*Set\s?Pos\b", re.IGNORECASE)
POINTS: Final = re.compile(r"(\d{1,5})\s*point", re.IGNORECASE)
WON: Final = re.compile(r"wins?(?:\s{1,9}(?:and\s{1,9})?the\s{1,9}(?:game|match))?", re.IGNORECASE)
"""A win that does not say how many points it was."""
NO_PLAY_KNOWN: Final = re.compile(r"\s*(?:\?+.*|illegal play\b.*)", re.IGNORECASE)
"""What stands in place of the moves where a file does not tell them."""

OFFER: Final = ("double", "redouble", "beaver")
TAKE: Final = ("take", "accept")
DROP: Final = ("drop", "pass", "reject", "decline", "refuse")
GIVEN_UP: Final = ("concede", "resign", "forfeit")
GIVEN_UP_BY: Final = ("concede", "concedes", "resigns", "forfeit", "forfeits")
"""Those of them that stand in the column of who gave up."""
OUTCOME: Final = ("win", "loss", "lose", *GIVEN_UP)
"""How the words begin that say how a game ended; they stand beside the two cells of a row."""
UNKNOWN_ROLL: Final = "00"
NARROWEST: Final = 12
"""Columns that a row's first cell takes at least, blanks among them."""

"""From a journal's entries to who won what: matches that are over, between two who were named."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rules.board import Side
from service.journal import entries as e
from service.journal.chain import GENESIS, Entry
from service.record.match_record import match_records

Place = tuple[int, str]
"""Number and hash of the entry up to which a journal was read."""
START: Final[Place] = (0, GENESIS)
_SAME_LETTERS: Final = str.maketrans({"ي": "ی", "ى": "ی", "ك": "ک", "\u200c": "", "\u0640": ""})


def same_name(name: str) -> str:
    """The name as it is compared: spelled otherwise by case, spaces, a keyboard's Arabic letters or
    joiners, it is the same person's.
    """
    plain = unicodedata.normalize("NFKC", name).translate(_SAME_LETTERS).casefold()
    return " ".join(plain.split())


@dataclass(frozen=True, slots=True)
class MatchResult:
    """How a match ended; `ident` is the hash of the entry that set it up, so it is one match
    wherever its journal lies. `ended` is the machine's date. `length` 0 is a money session, which
    has a winner only where somebody awarded it.
    """

    ident: str
    number: int
    ended: float
    ruleset: str
    length: int
    score: tuple[int, int]
    winner: Side | None


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A match of a journal, White's name and Black's; `result` is None while it is not over, and
    where it was left, or one side was not named.
    """

    ident: str
    names: tuple[str, str]
    result: MatchResult | None


@dataclass(frozen=True, slots=True)
class MatchesRead:
    """What a piece of a journal told, and from where to read on: before the last match that was set
    up, which may still change. `count`: matches begun before that place.
    """

    matches: tuple[PlayedMatch, ...]
    place: Place
    count: int


def matches_read(entries: Iterable[Entry], place: Place = START, count: int = 0) -> MatchesRead:
    """The matches of entries that follow `place`, before which `count` had begun.

    Matches are counted as the pages of finished matches count them.
    """
    parts: list[list[Entry]] = []
    before, begun = place, count
    for entry in entries:
        if isinstance(entry.body, e.MatchSet):
            parts.append([])
            place = before
        if parts:
            parts[-1].append(entry)
        before = (entry.seq, entry.hash)
    found = []
    for part in parts:
        count = begun
        result, names, has_begun = _outcome(part, begun + 1, last=part is parts[-1])
        begun += has_begun
        found.append(PlayedMatch(part[0].hash, names, result))
    return MatchesRead(tuple(found), place, count)


def _outcome(
    part: Sequence[Entry], number: int, *, last: bool
) -> tuple[MatchResult | None, tuple[str, str], bool]:
    """How the match of these entries ended, its names, and whether it had begun at all."""
    (record,) = match_records(part, names=("", ""))
    final = record.final()
    played = [x for x in part if isinstance(x.body, e.PlayEntered)]
    ends = [x for x in part if isinstance(x.body, e.GameEnded | e.MatchEnded)]
    begun = bool(played or final.results)
    white, black = (" ".join(record.names[side].split()) for side in Side)
    length = final.rules.length
    closed = not last or any(isinstance(x.body, e.MatchEnded) for x in part)
    over = final.is_over or (length == 0 and closed)
    named = bool(white and black) and same_name(white) != same_name(black)
    if not (begun and over and named):
        return None, (white, black), begun
    result = MatchResult(
        part[0].hash,
        number,
        (ends or played or part)[-1].wall,
        final.rules.ruleset.name,
        length,
        (final.score.white, final.score.black),
        final.winner,
    )
    return result, (white, black), begun

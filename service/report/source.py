"""The match that a report is of: from a match file, a journal or an archive, with what its record
says of how sure it is. (E)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from rules.board import Side
from rules.dice import Roll
from rules.notation.convert import READERS, read_file
from rules.notation.errors import LONGEST
from rules.notation.record import MatchRecord
from service.journal import entries as e
from service.journal.chain import Entry
from service.journal.entry import DiceOrigin
from service.journal.store import Reader
from service.record.archive import read_archive
from service.record.match_record import match_records
from service.report.decisions import all_throws

DOUBTFUL: Final = 0.99
"""A play that was believed less than this is named as doubtful."""
_ARCHIVE: Final = b'{"key":'


class NoMatchError(Exception):
    """There is no such match; one line says what was expected."""


@dataclass(frozen=True, slots=True)
class Certainty:
    """How sure a record is, turn by turn; None in place of it where a file does not say."""

    turns: int
    by_hand: int
    doubtful: int
    stood: int
    """Plays that broke a rule and stood."""
    guessed_dice: int
    """Rolls that no sensor read: the play explained them."""


@dataclass(frozen=True, slots=True)
class Thrown:
    """A roll of the record; `read`: a sensor or a person read it, else a play explained it."""

    side: Side
    roll: Roll
    read: bool = True


@dataclass(frozen=True)
class ReportedMatch:
    """A match to report on, with its rolls in the order in which they fell."""

    record: MatchRecord
    rolls: tuple[Thrown, ...]
    certainty: Certainty | None = None
    running: bool = False
    """Whether a table may still be playing it."""
    ident: str = ""
    """Hash of the journal's entry that set it up."""
    begun: float = 0.0
    """When it was set up, by the machine's date; 0 for a match file."""


def source_of_record(record: MatchRecord) -> ReportedMatch:
    """What a match file tells: its dice are taken as read."""
    return ReportedMatch(record, tuple(Thrown(side, roll) for _, side, roll in all_throws(record)))


def as_amended(source: ReportedMatch, record: MatchRecord) -> ReportedMatch:
    """The same match with the record that a person put right; of dice that were not said anew it is
    still known whether they were read.
    """
    put_right = source_of_record(record)
    rolls = put_right.rolls
    if len(rolls) == len(source.rolls):
        rolls = tuple(
            replace(now, read=was.read or (now.side, now.roll) != (was.side, was.roll))
            for now, was in zip(rolls, source.rolls, strict=True)
        )
    return replace(source, record=record, rolls=rolls)


def sources_of_entries(entries: Iterable[Entry]) -> list[ReportedMatch]:
    """The matches of a journal that have begun, oldest first."""
    every = tuple(entries)
    records = match_records(every)
    parts: list[list[Entry]] = []
    for entry in every:
        if isinstance(entry.body, e.MatchSet):
            parts.append([])
        if parts:
            parts[-1].append(entry)
    found = []
    for record, part in zip(records, parts, strict=True):
        plays = [x.body for x in part if isinstance(x.body, e.PlayEntered)]
        if not plays and not record.final().results:
            continue
        amended = {x.body.about for x in part if isinstance(x.body, e.PlayCorrected)}
        rolls = tuple(
            Thrown(play.side, play.roll, play.origin is not DiceOrigin.INFERRED)
            for play in plays
            if play.roll is not None
        )
        doubtful = sum(
            isinstance(x.body, e.PlayEntered)
            and x.body.probability is not None
            and x.body.probability < DOUBTFUL
            and x.seq not in amended
            for x in part
        )
        found.append(
            ReportedMatch(
                record,
                rolls,
                Certainty(
                    len(plays),
                    sum(play.by_hand for play in plays),
                    doubtful,
                    sum(bool(play.infraction) for play in plays),
                    sum(not one.read for one in rolls) + sum(play.roll is None for play in plays),
                ),
                running=part is parts[-1] and not _is_over(part, record),
                ident=part[0].hash,
                begun=part[0].wall,
            )
        )
    return found


def _is_over(part: list[Entry], record: MatchRecord) -> bool:
    """A session of money games is over when somebody ended it."""
    return record.final().is_over or any(isinstance(x.body, e.MatchEnded) for x in part)


def read_sources(path: Path) -> list[ReportedMatch]:
    """The matches of a file, whatever it is.

    Raises NotationError, JournalError, StoreError, ArchiveError or OSError.
    """
    with path.open("rb") as file:
        data = file.read(LONGEST + 1)
    if path.suffix.lower() in (*READERS, ".xg"):
        return [source_of_record(read_file(data, path.name, until_trouble=True))]
    if data.startswith(_ARCHIVE):
        return sources_of_entries(read_archive(path.read_bytes()).entries)
    with Reader(path) as reader:
        return sources_of_entries(reader.read())


def source_at(path: Path, number: int | None) -> ReportedMatch:
    """The match of that number (from 1) of a file; where none is said, the first of a match file,
    the last of a journal or archive.

    Raises what `read_sources` raises, and NoMatchError.
    """
    if number is None or path.suffix.lower() not in READERS:
        return _chosen(read_sources(path), number, path)
    with path.open("rb") as file:
        data = file.read(LONGEST + 1)
    return source_of_record(read_file(data, path.name, until_trouble=True, number=number))


def _chosen(sources: list[ReportedMatch], number: int | None, path: Path) -> ReportedMatch:
    """The match of that number (from 1), the last one where none is said. Raises NoMatchError."""
    if not sources:
        raise NoMatchError(f"{path}: no match has begun there")
    if number is None:
        return sources[-1]
    if not 1 <= number <= len(sources):
        raise NoMatchError(f"{path}: match {number} was asked for; it has {len(sources)}")
    return sources[number - 1]

"""A tournament as text that others read and write: CSV for spreadsheets, JSON for all of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from service.journal.plain import plain_name
from service.tournament.field import Ending, Entrant, Field, Meeting, TournamentError
from service.tournament.seating import Seated, Sitter, Vacant
from service.tournament.standings import Placing, TieBreak

ENTRANT_COLUMNS = ("name", "club", "rating", "joins", "leaves")
MOST_ENTRANTS = 2000
MOST_LETTERS = 80
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class _Paper:
    """The JSON of a tournament; `version` changes when an older reader would misread it."""

    version: Literal[1]
    entrants: tuple[Entrant, ...]
    meetings: tuple[Meeting, ...]


_PAPER = TypeAdapter(_Paper)


def field_as_json(field: Field) -> str:
    """The whole tournament as JSON text."""
    paper = _Paper(1, field.entrants, field.meetings)
    return _PAPER.dump_json(paper, indent=1).decode() + "\n"


def field_from_json(text: str) -> Field:
    """The tournament of such a text. Raises TournamentError."""
    try:
        paper = _PAPER.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(each) for each in first["loc"]) or "the text"
        raise TournamentError(
            f"{where}: {first['msg']}, got {str(first['input'])[:40]!r}; correct it there"
        ) from None
    return Field(paper.entrants, paper.meetings)


def entrants_from_csv(text: str) -> tuple[Entrant, ...]:
    """Players from CSV with its header line (commas, semicolons or tabs); only `name` must be
    there. All or none. Raises TournamentError.
    """
    lines = text.lstrip("\ufeff").splitlines()
    head = lines[0] if lines else ""
    reader = csv.DictReader(lines, delimiter=max(",;\t", key=head.count))
    names = [str(n).strip().lower() for n in reader.fieldnames or []]
    if "name" not in names:
        raise TournamentError(
            f"line 1: expected a header with {', '.join(ENTRANT_COLUMNS)} (all but the first may be"
            f" left out), got {head[:60]!r}"
        )
    reader.fieldnames = names
    found = []
    for row in reader:
        values = {k: (v or "").strip() for k, v in row.items() if isinstance(k, str)}
        if any(values.values()):
            found.append(_entrant(reader.line_num, values))
    if not 0 < len(found) <= MOST_ENTRANTS:
        raise TournamentError(
            f"expected 1 to {MOST_ENTRANTS} players, got {len(found)}; write a line for each"
        )
    return Field(tuple(found)).entrants


def _entrant(line: int, row: dict[str, str]) -> Entrant:
    name = row["name"]
    if plain_name(name, MOST_LETTERS) != name:
        raise TournamentError(
            f"line {line}: expected a name of at most {MOST_LETTERS} letters, got {name[:40]!r}"
        )
    rating = _number(line, "rating", row.get("rating", ""))
    joins = _number(line, "joins", row.get("joins", ""))
    leaves = _number(line, "leaves", row.get("leaves", ""))
    return Entrant(
        name,
        plain_name(row.get("club", ""), MOST_LETTERS),
        rating,
        1 if joins is None else int(joins),
        None if leaves is None else int(leaves),
    )


def _number(line: int, column: str, text: str) -> float | None:
    if not text:
        return None
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0 <= found < 100_000 or (column != "rating" and found % 1):
        raise TournamentError(f"line {line}: {column}: expected a number, got {text[:20]!r}")
    return found


def entrants_as_csv(entrants: Iterable[Entrant]) -> str:
    return _table(ENTRANT_COLUMNS, [list(asdict(e).values()) for e in entrants])


def meetings_as_csv(meetings: Iterable[Meeting]) -> str:
    """Every meeting with its ending, as a federation takes them."""
    return _table(
        ("round", "first", "second", "ending", "walkover"),
        [
            [m.round, m.first, m.second or "", m.ending or "", "yes" if m.walkover else ""]
            for m in meetings
        ],
    )


def standings_as_csv(lines: Iterable[Placing], breaks: Sequence[TieBreak]) -> str:
    return _table(
        ("place", "name", "points", *breaks),
        [[p.place, p.name, p.points, *p.breaks] for p in lines],
    )


def cross_table(field: Field, lines: Sequence[Placing]) -> tuple[tuple[str, ...], ...]:
    """A row for each placing and a cell for each round: `3+` won against the player of line 3, `3=`
    drew, `3-` lost, `3` is to be played, `+` `=` `-` had a bye, `3+w` won without play, empty not
    there.
    """
    line = {p.name: n for n, p in enumerate(lines, 1)}
    cells = {(p.name, r): "" for p in lines for r in range(1, field.rounds + 1)}
    for m in field.meetings:
        for name, other, won in (
            (m.first, m.second, Ending.FIRST),
            (m.second, m.first, Ending.SECOND),
        ):
            if name is None:
                continue
            ending = Ending.FIRST if m.second is None and m.ending is None else m.ending
            sign = {None: "", won: "+", Ending.DRAWN: "="}.get(ending, "-")
            against = "" if other is None else str(line[other])
            cells[name, m.round] = against + sign + ("w" if m.walkover else "")
    return tuple(tuple(cells[p.name, r] for r in range(1, field.rounds + 1)) for p in lines)


def draw_sheet(seated: Iterable[Seated]) -> str:
    """A bracket as CSV for paper on the wall: a line for each bout, empty where to be filled."""
    said = {Vacant.UNDECIDED: "", Vacant.NOBODY: "bye"}

    def word(seat: Sitter | Vacant) -> str:
        return seat.name if isinstance(seat, Sitter) else said[seat]

    head = ("stage", "round", "number", "first", "second", "winner")
    rows: list[list[str | float | None]] = []
    for each in seated:
        seats = [word(s) for s in (each.first, each.second, each.winner)]
        rows.append([each.bout.stage, each.bout.round, each.bout.number, *seats])
    return _table(head, rows)


def _table(head: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow([_shown(value) for value in row])
    return out.getvalue()


def _shown(value: str | float | None) -> str:
    """A cell; text that a spreadsheet would take for a formula gets an apostrophe before it."""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else str(value)
    return "" if value is None else f"{value:g}" if value < 1e5 else str(value)

"""Rounds and pairings in, results out: CSV and JSON, both ways the same fields. Pure.

    round,table,white,black,length,ruleset,clock
    1,t7,Mahsa Rahimi,Jan de Vries,7,backgammon,ours

A result is what the table's own record says of that match, never typed anew: a pairing belongs to
the last match of that table with these two names (whichever side each took).
"""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypedDict

from rules.axes import RulesetError
from rules.ruleset import ruleset as named
from service.hall.registry import NAME, Pairing
from service.hall.view import MatchLine, TableView
from service.journal.codec import Json
from service.journal.entries import EventKeys
from service.journal.plain import plain_text
from service.referee.event import event_written

FIELDS: Final = ("round", "table", "white", "black", "length", "ruleset", "clock")
RESULT: Final = (
    "round",
    "table",
    "white",
    "black",
    "length",
    "white_score",
    "black_score",
    "winner",
    "state",
)
MOST: Final = 5000
CLOCKS: Final = ("ours", "external", "none")
_FORMULA: Final = "=+-@\t\r"


class RoundsError(ValueError):
    """A list of pairings that cannot be taken: which line, what was expected, what came."""


@dataclass(frozen=True, slots=True)
class Result:
    """A pairing and how its match stands.

    `state`: waiting (not begun), playing, finished, or unknown (the table is not heard).
    """

    pairing: Pairing
    score: tuple[int, int] = (0, 0)
    winner: str = ""
    state: str = "waiting"


class ResultRow(TypedDict):
    """A result as plain values; the fields are those of `RESULT`, in that order."""

    round: int
    table: str
    white: str
    black: str
    length: int | None
    white_score: int
    black_score: int
    winner: str
    state: str


def read_pairings(text: str, known: Collection[str] = ()) -> list[Pairing]:
    """Pairings from CSV (with its header line; commas, semicolons or tabs) or JSON (a list of
    objects). `known` are the hall's own rulesets. All or none. Raises RoundsError.
    """
    rows = _json(text) if text.lstrip().startswith(("[", "{")) else _csv(text)
    if not 0 < len(rows) <= MOST:
        raise RoundsError(f"expected 1 to {MOST} pairings, got {len(rows)}")
    found = [_pairing(number, row, known) for number, row in rows]
    seen: dict[tuple[int, str], int] = {}
    for (number, _), each in zip(rows, found, strict=True):
        if (each.round, each.table) in seen:
            raise RoundsError(
                f"line {number}: table {each.table} has a match in round {each.round} already, in"
                f" line {seen[each.round, each.table]}"
            )
        seen[each.round, each.table] = number
    return found


def _csv(text: str) -> list[tuple[int, Mapping[str, str]]]:
    lines = text.lstrip("\ufeff").splitlines()
    head = lines[0] if lines else ""
    mark = max(",;\t", key=head.count)
    reader = csv.DictReader(lines, delimiter=mark)
    names = [str(n).strip().lower() for n in reader.fieldnames or []]
    missing = {"round", "table", "white", "black"} - set(names)
    if missing:
        raise RoundsError(
            f"line 1: expected a header with {', '.join(FIELDS)} (the last three may be left out),"
            f" missing {', '.join(sorted(missing))}"
        )
    reader.fieldnames = names
    rows: list[tuple[int, Mapping[str, str]]] = []
    for row in reader:
        if None in row:
            raise RoundsError(
                f"line {reader.line_num}: expected {len(names)} fields, got more; put a name with a"
                " comma in quotes"
            )
        if any((value or "").strip() for value in row.values()):
            rows.append((reader.line_num, {k: (v or "").strip() for k, v in row.items()}))
    return rows


def _json(text: str) -> list[tuple[int, Mapping[str, str]]]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RoundsError(f"expected JSON, got something else: {error}") from None
    rows = found.get("pairings") if isinstance(found, dict) else found
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise RoundsError('expected a list of pairings, or {"pairings": [...]}')
    return [
        (number, {str(k): "" if v is None else str(v) for k, v in row.items()})
        for number, row in enumerate(rows, start=1)
    ]


def _pairing(number: int, row: Mapping[str, str], known: Collection[str]) -> Pairing:
    length = row.get("length", "")
    table, clock = row.get("table", ""), row.get("clock") or ""
    ruleset = row.get("ruleset") or ""
    if not NAME.fullmatch(table):
        raise RoundsError(
            f"line {number}: table: expected 1 to 32 letters, digits, - or _, got {table[:40]!r}"
        )
    if clock and clock not in CLOCKS:
        raise RoundsError(f"line {number}: clock: expected {', '.join(CLOCKS)}, got {clock[:40]!r}")
    try:
        if ruleset and ruleset not in known:
            named(ruleset)
    except RulesetError as error:
        raise RoundsError(f"line {number}: ruleset: {error}") from None
    points = None if length in ("", "0") else _number(number, "length", length, 99)
    return Pairing(
        _number(number, "round", row.get("round", ""), 999),
        table,
        _name(number, row, "white"),
        _name(number, row, "black"),
        points,
        ruleset,
        clock,
    )


def _number(number: int, field: str, value: str, most: int) -> int:
    try:
        found = int(value)
    except ValueError:
        found = 0
    if not 1 <= found <= most:
        raise RoundsError(
            f"line {number}: {field}: expected a whole number from 1 to {most}, got {value[:20]!r}"
        )
    return found


def _name(number: int, row: Mapping[str, str], field: str) -> str:
    """A name as people write it; letters that turn the writing's direction or cannot be seen have
    no place in it.
    """
    text = unicodedata.normalize("NFC", row.get(field, "")).strip()
    if (
        not 0 < len(text) <= 80
        or plain_text(text) != text
        or any(
            unicodedata.category(c) == "Co"
            or c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
            for c in text
        )
    ):
        raise RoundsError(
            f"line {number}: {field}: expected a name of at most 80 letters, got {text[:40]!r}"
        )
    return text


def results(
    pairings: Iterable[Pairing], views: Mapping[str, TableView], now: float
) -> list[Result]:
    """How every pairing stands by the tables' own records."""
    out = []
    for pairing in pairings:
        view = views.get(pairing.table)
        found = _match(pairing, view.matches if view else ())
        if found is None or view is None:
            out.append(Result(pairing))
            continue
        turned = found.white == pairing.black and found.white != pairing.white
        score = (found.score[1], found.score[0]) if turned else found.score
        winner = (
            ""
            if not found.winner
            else pairing.white
            if (found.winner == "white") is not turned
            else pairing.black
        )
        state = "finished" if found.over else "unknown" if view.silent(now) else "playing"
        out.append(Result(pairing, score, winner, state))
    return out


def _match(pairing: Pairing, matches: Sequence[MatchLine]) -> MatchLine | None:
    wanted = {pairing.white, pairing.black}
    return next((m for m in reversed(matches) if {m.white, m.black} == wanted), None)


def rows(found: Iterable[Result]) -> list[ResultRow]:
    """Results as plain values, in the order of `RESULT`."""
    return [
        {
            "round": r.pairing.round,
            "table": r.pairing.table,
            "white": r.pairing.white,
            "black": r.pairing.black,
            "length": r.pairing.length,
            "white_score": r.score[0],
            "black_score": r.score[1],
            "winner": r.winner,
            "state": r.state,
        }
        for r in found
    ]


def as_csv(found: Iterable[Result]) -> str:
    """Results as CSV text, with a header line."""
    return spreadsheet(rows(found))


def spreadsheet(found: Iterable[ResultRow]) -> str:
    """A table for any spreadsheet; a name that one would take for a formula gets an apostrophe
    before it.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, RESULT, lineterminator="\n")
    writer.writeheader()
    for row in found:
        writer.writerow({field: _cell(value) for field, value in row.items()})
    return out.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, str) and value.startswith(tuple(_FORMULA)):
        return f"'{value}"
    return "" if value is None else value


def as_json(found: Iterable[Result]) -> str:
    """Results as JSON text."""
    return json.dumps({"results": rows(found)}, ensure_ascii=False, indent=1) + "\n"


def order_of(
    pairing: Pairing,
    event: EventKeys | None = None,
    rules_text: str = "",
    texts: Sequence[str] = (),
    title: str = "",
) -> dict[str, Json]:
    """The arguments of `set_match` for a pairing: with the hall's whole event where it has one, so
    that the table plays by it whatever it was told before. `texts`: event files whose keys go over
    the hall's, the last first. Raises EventError or RulesetError for one that cannot be read.
    """
    whole = dict(event or {})
    for text in filter(None, texts):
        for section, keys in event_written(text, "the stage's event", rules_text).items():
            below = whole.get(section)
            if isinstance(below, Mapping) and isinstance(keys, Mapping):
                keys = {**below, **keys}
            whole[section] = keys
    name = whole.get("name")
    said = {"ruleset": pairing.ruleset, "length": pairing.length, "clock": pairing.clock}
    # A money session has no length to work a clock's bank out from.
    clock = "ours" if pairing.length else "none"
    usual = {} if whole else {"ruleset": "backgammon", "length": None, "clock": clock}
    round_name = f"{name} · {pairing.round}" if name else f"Round {pairing.round}"
    return {
        "white": pairing.white,
        "black": pairing.black,
        **usual,
        **{key: value for key, value in said.items() if value},
        **({"base": whole, "rules_text": rules_text} if whole else {}),
        "event": {"name": title or round_name},
    }

"""The score sheet: what is printed and signed after a match, as data.

The page that prints it is `service.web`'s.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import TypedDict

from rules.board import Side
from service.journal import entries as e
from service.journal.chain import GENESIS, Entry
from service.journal.codec import Json
from service.journal.erasures import erasures_of
from service.journal.saying import words_for
from service.referee.clock_document import ClockDocument, clock_document
from service.referee.fold import fold
from service.referee.state import State


class SheetRow(TypedDict, total=False):
    """Something that happened in a match: the entry's number, the game, who said so, and what its
    kind has besides.
    """

    seq: int
    game: int
    by: str
    side: str
    code: str
    why: dict[str, str]
    facts: dict[str, Json]
    outcome: str
    penalty: str
    amount: float
    reason: str
    text: str
    about: int | None
    what: str
    violation: int
    consequence: str
    matter: str


class SheetRows(TypedDict):
    """What the arbiter should see, by kind."""

    illegal: list[SheetRow]
    penalties: list[SheetRow]
    rulings: list[SheetRow]
    corrections: list[SheetRow]
    flags: list[SheetRow]
    notes: list[SheetRow]


class GameRow(TypedDict):
    """A game that ended; `seq` is the entry that says so, `head` its hash."""

    seq: int
    head: str
    game: int
    winner: str
    points: int
    reason: str
    result: str
    score: list[int]


class ScoreSheet(SheetRows):
    """One match. `erased`: numbers of its entries whose words are no longer proven, since a
    person's name was erased from them. `began` and `ended` are dates (unix seconds), `entries` the
    first and last entry's number, `head` the last one's hash, `key` the fingerprint of the table's
    key.
    """

    table: str
    event: str
    ruleset: str
    options: dict[str, Json]
    length: int | None
    white: str
    black: str
    score: list[int]
    result: str | None
    games: list[GameRow]
    turns: int
    by_hand: int
    doubtful: list[int]
    clock: ClockDocument
    began: float
    ended: float
    entries: list[int]
    head: str
    erased: list[int]
    key: str


def score_sheets(entries: Iterable[Entry], key: str = "") -> list[ScoreSheet]:
    """One sheet for each match of a journal, oldest first. `key`: the fingerprint of the table's
    key.

    `head` is the hash of the match's last entry: printed on the sheet, it proves the whole journal
    up to there.
    """
    sheets: list[_Sheet] = []
    state, head = State(), GENESIS
    kept = tuple(entries)
    for entry in kept:
        state = fold(state, entry.seq, entry.at, entry.by, entry.body)
        head = entry.hash
        if isinstance(entry.body, e.MatchSet):
            sheets.append(_Sheet(entry))
        if sheets:
            sheets[-1].take(entry, state, head)
    out = {number for each in erasures_of(kept) for number in each.entries}
    return [sheet.document(key, out) for sheet in sheets]


class _Sheet:
    """A sheet being filled in."""

    def __init__(self, first: Entry) -> None:
        self.first = self.last = first
        self.state, self.head = State(), GENESIS
        self.heads: dict[int, str] = {}
        self.rows: SheetRows = {
            "illegal": [],
            "penalties": [],
            "rulings": [],
            "corrections": [],
            "flags": [],
            "notes": [],
        }

    def take(self, entry: Entry, state: State, head: str) -> None:
        self.last, self.state, self.head = entry, state, head
        body = entry.body
        if isinstance(body, e.GameEnded):
            self.heads[entry.seq] = head
        row: SheetRow = {
            "seq": entry.seq,
            "game": state.game.number,
            "by": entry.by.name or entry.by.role.value,
        }
        side = getattr(body, "side", None)
        if isinstance(side, Side):
            row["side"] = side.value
        match body:
            case e.IllegalNoticed():
                self.rows["illegal"].append(
                    row
                    | {
                        "code": body.code,
                        "facts": dict(body.facts),
                        "why": words_for(body.code, body.facts),
                        "outcome": "open",
                    }
                )
            case e.IllegalCorrected() | e.IllegalStood():
                outcome = (
                    "corrected" if isinstance(body, e.IllegalCorrected) else body.standing.value
                )
                for found in self.rows["illegal"]:
                    if found["seq"] == body.noticed:
                        found["outcome"] = outcome
            case e.Penalised():
                self.rows["penalties"].append(
                    row | {"penalty": body.penalty, "amount": body.amount, "reason": body.reason}
                )
            case e.Ruled():
                self.rows["rulings"].append(row | {"text": body.text, "about": body.about})
            case e.PlayCorrected():
                self.rows["corrections"].append(
                    row | {"about": body.about, "text": body.notation, "reason": body.reason}
                )
            case e.MatchAmended():
                self.rows["corrections"].append(row | {"what": body.what, "reason": body.reason})
            case e.Flagged():
                self.rows["flags"].append(
                    row | {"violation": body.violation, "consequence": body.consequence}
                )
            case e.Noted() if body.matter not in ("press_ignored", "press_late"):
                self.rows["notes"].append(row | {"matter": body.matter})

    def document(self, key: str, erased: Set[int]) -> ScoreSheet:
        state = self.state
        setting = state.match.setting
        assert setting is not None
        doubtful = [
            p.seq
            for p in state.match.plays
            if p.amended is None and p.probability is not None and p.probability < 0.99
        ]
        games: list[GameRow] = [
            {
                "seq": g.seq,
                "head": self.heads.get(g.seq, ""),
                "game": g.number,
                "winner": g.winner.value,
                "points": g.points,
                "reason": g.reason,
                "result": g.result,
                "score": list(g.score),
            }
            for g in state.match.finished
        ]
        return {
            "table": state.table,
            "event": state.match.event.name,
            "ruleset": setting.ruleset,
            "options": dict(setting.options),
            "length": state.match.length,
            "white": state.match.names.white,
            "black": state.match.names.black,
            "score": list(state.match.score),
            "result": state.match.result or None,
            "games": games,
            "turns": len(state.match.plays),
            "by_hand": sum(p.by_hand for p in state.match.plays),
            "doubtful": doubtful,
            "clock": clock_document(
                state.match.clock, setting.clock, self.last.at, state.match.flags
            ),
            "began": self.first.wall,
            "ended": self.last.wall,
            "entries": [self.first.seq, self.last.seq],
            "head": self.head,
            "erased": [n for n in sorted(erased) if self.first.seq <= n <= self.last.seq],
            "key": key,
            **self.rows,
        }

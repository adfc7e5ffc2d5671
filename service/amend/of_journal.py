"""A finished match of a journal as the desk begins with it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from service.amend.recorded import Doubt, RecordedMatch, recorded_turns
from service.journal import entries as e
from service.journal.chain import Entry
from service.journal.entry import DiceOrigin
from service.record.match_record import marked_records

SURE: Final = 0.99
"""A table decides most plays with more than this; less is doubtful, as in the report."""


def match_of_journal(entries: Iterable[Entry], ident: str) -> RecordedMatch | None:
    """The match that the entry with this hash set up; None where there is none."""
    part: list[Entry] = []
    for entry in entries:
        if isinstance(entry.body, e.MatchSet):
            if part:
                break
            if entry.hash == ident:
                part.append(entry)
        elif part:
            part.append(entry)
    if not part:
        return None
    (marked,) = marked_records(part)
    opening, turns = recorded_turns(marked.record, marked.marks)
    record = marked.record
    return RecordedMatch(
        record.rules, record.names, turns, opening, record.tags, dict(_doubts(part)), sure=SURE
    )


def _doubts(part: list[Entry]) -> Iterator[tuple[int, Doubt]]:
    """How sure each play is; what was put right at the table is."""
    right = {x.body.about for x in part if isinstance(x.body, e.PlayCorrected)}
    newest = ""
    for entry in part:
        body = entry.body
        before, after = newest, _picture(body)
        newest = after or newest
        if not isinstance(body, e.PlayEntered):
            continue
        by_hand = body.by_hand or entry.seq in right
        why = []
        if body.origin in (DiceOrigin.INFERRED, DiceOrigin.UNKNOWN) and not by_hand:
            why.append("dice_unread")
        if body.recovered and not by_hand:
            why.append("unseen")
        if body.infraction and entry.seq not in right:
            why.append("illegal")
        sure = 1.0 if by_hand else body.probability
        yield entry.seq, Doubt(sure, tuple(why), (before, after), entry.at)


def _picture(body: e.Body) -> str:
    """The name of the last picture that an entry was made from."""
    match body:
        case e.PlayEntered() | e.RollEntered() | e.SetUpVerified():
            return body.pictures[-1] if body.pictures else ""
        case _:
            return ""

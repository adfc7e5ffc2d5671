"""Which entries of the journal a kind of viewer may read, and how much of each: pure, beside `view`
for the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.journal.saying import entry_words
from service.web.ports import EntryRow, ReadableRow, SaidRow

PUBLIC: Final[Mapping[str, frozenset[str]]] = {
    kind: frozenset(fields.split())
    for kind, fields in {
        "match_set": "ruleset options length white black clock score seating",
        "match_amended": "what value",
        "match_called": "due",
        "confirmed": "side",
        "game_started": "number crawford starter",
        "opening_thrown": "white black starter plays origin cube_value",
        "position_set": "placement on_roll cube_value cube_owner",
        "rolled": "side roll origin",
        "neshast": "side roll closed_out",
        "cube_offered": "side value source",
        "cube_taken": "side value source",
        "cube_withdrawn": "side",
        "cube_dropped": "side",
        "cube_beavered": "side value",
        "played": "side roll origin notation placement infraction standing",
        "pressed": "side pressed_at bank used",
        "resigned": "side level answer",
        "turn_reopened": "side about",
        "game_reopened": "number score",
        "game_ended": "number winner points reason result score",
        "match_ended": "winner score reason",
        "corrected": "about roll origin notation placement infraction",
        "penalised": "side penalty amount score",
        "flagged": "side flagged_at violation",
        "adjourned": "",
        "resumed": "",
        "clock_started": "side started_at",
        "clock_stopped": "stopped_at white black",
        "clock_adjusted": "side bank",
    }.items()
}
"""Kinds that a spectator may read, and which fields: no evidence, pictures, probabilities or
alerts, no illegal play that still can be put right, no reasons in free words."""


def readable(entry: EntryRow, view: str) -> ReadableRow | None:
    """The entry as this view may read it, None where it may not.

    Staff read it as it was sealed, and beside it (`why`) the words for it by language, where it has
    some. Players read what the public reads, without its delay.
    """
    if view == "staff":
        why = entry_words(entry["kind"], entry["body"])
        return SaidRow(**entry, why=why) if why else entry
    fields = PUBLIC.get(entry["kind"])
    if fields is None:
        return None
    body = {k: v for k, v in entry["body"].items() if k in fields}
    return {
        "seq": entry["seq"],
        "at": entry["at"],
        "wall": entry["wall"],
        "kind": entry["kind"],
        "body": body,
    }

"""One simulated game as lines of text: what truly happened beside what was recorded, in the order
of table time, for whoever looks for the cause of a wrong entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Final

from rules.board import BAR, OFF, Placement, Side
from service.journal.chain import Entry
from service.journal.entries import Body, PlayEntered, PositionSet, TurnPressed
from service.simulate.evening_desk import EveningDesk
from service.simulate.habit_table import People
from service.simulate.held_against import GameBook
from service.simulate.truth import TrueGame, TrueTurn

SITES: Final = range(OFF, BAR + 1)
UNTOLD: Final = frozenset({"evidence", "told", "alert"})
"""Parts of an entry that say nothing more than the others."""


@dataclass
class TellingBook(GameBook):
    """Counts games like any book, and keeps the story of the one whose name ends with `chosen`."""

    chosen: str = ""
    story: list[str] = field(default_factory=list)

    def end(self, game: TrueGame, desk: EveningDesk, people: People) -> None:
        """The game is over: count it, and keep its story where it was chosen."""
        if game.name.endswith(self.chosen):
            entries = [e for e in desk.acknowledged if e.seq > game.first_seq]
            self.story += told_beside_record(game, entries)
        super().end(game, desk, people)


def told_beside_record(game: TrueGame, entries: Sequence[Entry]) -> Iterator[str]:
    """Lines of one game: each true turn as it begins, each entry as it was written, and after each
    play that was entered where it and the board differ; what corrected it later stands below.
    """
    turns = [(turn.began, 0, _turn(turn)) for turn in game.turns]
    thrown = [(at, 1, f"      {side.value} throws {roll}") for at, side, roll in game.throws]
    recorded = [
        (entry.at, 2, f"    - {_entry(entry.body)}{_against(game, entry)}")
        for entry in entries
        if not isinstance(entry.body, TurnPressed)
    ]
    for at, _, text in sorted(turns + thrown + recorded, key=lambda told: told[:2]):
        yield f"{at:9.1f} {text}"


def placed_otherwise(before: Placement, after: Placement) -> str:
    """What two placements differ in, as `white 5:4->3`; "" for nothing. Site 0 is borne off."""
    told = []
    for side in Side:
        old, new = before.counts(side), after.counts(side)
        changes = [f"{site}:{old[site]}->{new[site]}" for site in SITES if old[site] != new[site]]
        if changes:
            told.append(f"{side.value} {' '.join(changes)}")
    return "; ".join(told)


def _turn(turn: TrueTurn) -> str:
    about = [f"illegal {turn.illegal}"] if turn.illegal else []
    about += [
        word
        for word, so in (("troubled", turn.troubled), ("dice unread", not turn.dice_read))
        if so
    ]
    about += dict.fromkeys(turn.habits)
    moved = placed_otherwise(turn.before, turn.stands[0]) if turn.before and turn.stands else ""
    return (
        f"turn {turn.number} {turn.side.value} {turn.roll}, until {turn.ended:.1f}: {moved} {about}"
    )


def _entry(body: Body) -> str:
    """An entry's kind and what it says, but for placements and evidence."""
    said = {each.name: getattr(body, each.name) for each in fields(body)}
    told = [
        f"{name}={value.value if isinstance(value, Side) else value}"
        for name, value in said.items()
        if value not in (None, "", (), {})
        and not isinstance(value, Placement)
        and name not in UNTOLD
    ]
    return f"{body.kind} {' '.join(told)}"


def _against(game: TrueGame, entry: Entry) -> str:
    """Where a play that was entered leaves another board than the turn of its side that was on, or
    a position is another than any of the last turns.
    """
    made = entry.body
    if not isinstance(made, PlayEntered | PositionSet):
        return ""
    side = made.side if isinstance(made, PlayEntered) else None
    stood = [t for t in game.turns if t.began <= entry.at and t.stands and side in (None, t.side)]
    if not stood or any(made.placement in turn.stands for turn in stood[-3:]):
        return ""
    return f" | BOARD -> RECORD {placed_otherwise(stood[-1].stands[0], made.placement)}"

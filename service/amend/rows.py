"""A match while it is written anew, and its rows. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rules import game as do
from rules.apply import apply
from rules.board import Placement, Side
from rules.dice import Roll
from rules.match import Match
from rules.notation.record import MatchRecord
from service.amend.edits import Said
from service.amend.recorded import RecordedMatch

RowKind = Literal["play", "cube", "end", "score"]


@dataclass(frozen=True, slots=True)
class DeskRow:
    """One line of the record as it is now. `mark` is what an edit of it names: the play's own, else
    the play's before it. `why`: codes of what is doubtful; `done` for a cube or an end.
    """

    mark: int
    kind: RowKind
    game: int
    side: Side | None
    match: Match
    """As it stood before."""
    after: Placement
    roll: Roll | None = None
    text: str = ""
    done: str = ""
    value: int = 0
    score: tuple[int, int] = (0, 0)
    why: tuple[str, ...] = ()
    said: bool = False
    """A person said so at the desk."""
    added: bool = False
    """It is not in what was recorded at all."""

    @property
    def doubtful(self) -> bool:
        return bool(self.why) and not self.said


@dataclass(frozen=True)
class AmendedMatch:
    """The match as it is now."""

    record: MatchRecord
    rows: tuple[DeskRow, ...]


@dataclass
class Amending:
    """The match being written anew."""

    base: RecordedMatch
    match: Match
    said: Mapping[int, list[Said]]
    start: Match
    actions: list[do.Action] = field(default_factory=list)
    rows: list[DeskRow] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    recorded: Placement | None = None
    """What the record has for the board as it stands now: where the two differ, the record carries
    a fault that was put right."""
    left_out: bool = False
    """The game is over here, and the record goes on with it."""

    def act(self, action: do.Action) -> bool:
        """Do it; what cannot be is remarked and left out. Returns whether it was done."""
        try:
            self.match = apply(self.match, action)
        except do.ActionError as error:
            self.remarks.append(f"{type(action).__name__}: {error}")
            return False
        self.actions.append(action)
        return True

    def of(self, mark: int, kind: type[Said]) -> list[Said]:
        return [one for one in self.said.get(mark, ()) if isinstance(one, kind)]

    def row(
        self,
        kind: RowKind,
        mark: int,
        before: Match,
        *,
        side: Side | None = None,
        roll: Roll | None = None,
        text: str = "",
        done: str = "",
        value: int = 0,
        why: tuple[str, ...] = (),
        said: bool = False,
        added: bool = False,
    ) -> None:
        """Note a line of what was just done."""
        stands = self.match.game.placement
        score = (self.match.score.white, self.match.score.black)
        number = before.game.number
        self.rows.append(
            DeskRow(
                *(mark, kind, number, side, before, stands, roll, text, done, value, score),
                why=why,
                said=said,
                added=added,
            )
        )

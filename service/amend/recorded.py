"""A match as it is on record, turn by turn, before anybody puts it right: what the desk begins
with. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from rules import game as do
from rules.board import Placement, Seating, Side
from rules.dice import Roll
from rules.match import MatchRules
from rules.notation.record import MatchRecord


@dataclass(frozen=True, slots=True)
class Doubt:
    """How sure a play is on record, None where nothing says; `why` as codes: dice_unread, illegal,
    unseen. `pictures`: names of what shows the board before and after it, "" for none. `at`:
    seconds, of the film or the table's clock.
    """

    confidence: float | None = None
    why: tuple[str, ...] = ()
    pictures: tuple[str, str] = ("", "")
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class RecordedTurn:
    """A play as recorded. `dice`: what brought the match to its roll; `between`: what was done from
    this play to the next one's dice.
    """

    mark: int
    side: Side
    roll: Roll | None
    after: Placement
    stands: bool = False
    dice: tuple[do.Action, ...] = ()
    between: tuple[do.Action, ...] = ()


@dataclass(frozen=True)
class RecordedMatch:
    """What the desk begins with. `opening`: what was done before the first dice."""

    rules: MatchRules
    names: Mapping[Side, str]
    turns: tuple[RecordedTurn, ...]
    opening: tuple[do.Action, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    doubts: Mapping[int, Doubt] = field(default_factory=dict)
    between: Mapping[int, str] = field(default_factory=dict)
    """Why what was done after the play of a mark is doubtful: cube_unsure, end_unsure."""
    sure: float = 0.9
    """A play that is less sure is doubtful."""
    seating: Seating = field(default_factory=Seating)

    def doubt(self, mark: int) -> Doubt:
        return self.doubts.get(mark, Doubt())


def recorded_turns(
    record: MatchRecord, marks: Iterable[int]
) -> tuple[tuple[do.Action, ...], tuple[RecordedTurn, ...]]:
    """What was done before the first dice, and the turns; `marks`: of each action.

    Raises NotationError for a record that does not replay.
    """
    turns: list[RecordedTurn] = []
    opening: tuple[do.Action, ...] = ()
    waiting: list[do.Action] = []

    for (match, action, _), mark in zip(record.replay(), marks, strict=True):
        if not isinstance(action, do.Played | do.Passed):
            waiting.append(action)
            continue
        # The dice of this play come last; one may have rolled and then given the game up.
        first = 1 + max((n for n, one in enumerate(waiting) if not _is_dice(one)), default=-1)
        if turns:
            turns[-1] = replace(turns[-1], between=tuple(waiting[:first]))
        else:
            opening = tuple(waiting[:first])
        passed = isinstance(action, do.Passed)
        turns.append(
            RecordedTurn(
                mark,
                action.side,
                None if passed else match.game.roll,
                match.game.placement if isinstance(action, do.Passed) else action.after,
                isinstance(action, do.Played) and action.stands,
                tuple(waiting[first:]),
            )
        )
        waiting.clear()
    if turns:
        turns[-1] = replace(turns[-1], between=tuple(waiting))
    else:
        opening = tuple(waiting)
    return opening, tuple(turns)


def _is_dice(action: do.Action) -> bool:
    """Whether an action belongs to the dice that come after it, or are its own."""
    match action:
        case do.Rolled() | do.OpeningDice() | do.Starts():
            return True
        case do.Corrected():
            return action.undo_roll or action.after is not None or action.side is not None
        case _:
            return False

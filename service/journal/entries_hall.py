"""Entries of a hall's own journal: what the director of a tournament decided, and what tables
reported.

Nothing of it stands in a table's journal. `service.tournament.day` folds them; who sits where, how
they stand and who is to be paired follow from them and are never kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from service.journal.entry import Body


@dataclass(frozen=True, slots=True)
class StagePlan:
    """One stage of a tournament: how it pairs, who plays in it, and by what its tables play.

    `system`: swiss, halves, round_robin, groups, single, double or consolation. `rounds`: of a
    Swiss, or how often everybody meets; `take`: the best so many of the stage before, 0 for
    everybody; `groups`: how many; `last_chance`: rounds of a consolation whose losers play on.
    `event` is the text of an event file; what is not said is as the hall's own event has it.
    """

    system: str
    rounds: int = 0
    take: int = 0
    groups: int = 0
    last_chance: int = 0
    apart: int = 0
    length: int | None = None
    ruleset: str = ""
    clock: str = ""
    event: str = ""


@dataclass(frozen=True, slots=True)
class PairedMatch:
    """One match of a round; without `second` it is a bye. `bout` is its name in a bracket."""

    id: str
    first: str
    second: str | None = None
    bout: str = ""
    group: int = 0


@dataclass(frozen=True, slots=True)
class TournamentOpened(Body):
    """A tournament begins, and the journal's earlier one is over. `prizes`: percents by place of
    the `pool`, which is in the smallest coin.
    """

    kind: ClassVar[str] = "tournament_opened"
    name: str
    stages: tuple[StagePlan, ...]
    pool: int = 0
    prizes: tuple[int, ...] = ()
    program: str = ""


@dataclass(frozen=True, slots=True)
class StagePlanned(Body):
    """A stage that has no round yet is planned otherwise, or one more is planned."""

    kind: ClassVar[str] = "stage_planned"
    stage: int
    plan: StagePlan


@dataclass(frozen=True, slots=True)
class PrizesPlanned(Body):
    """What is played for: percents by place of a pool in the smallest coin."""

    kind: ClassVar[str] = "prizes_planned"
    pool: int
    prizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlayerEntered(Body):
    """Somebody plays in the tournament, from round `joins` on."""

    kind: ClassVar[str] = "player_entered"
    name: str
    club: str = ""
    rating: float | None = None
    joins: int = 1


@dataclass(frozen=True, slots=True)
class PlayerAmended(Body):
    """A player's name, club or rating was written wrongly; `before` is the name until now."""

    kind: ClassVar[str] = "player_amended"
    before: str
    name: str
    club: str = ""
    rating: float | None = None


@dataclass(frozen=True, slots=True)
class PlayerStruck(Body):
    """An entry that was a mistake: this player was never there. Only before their first round."""

    kind: ClassVar[str] = "player_struck"
    name: str


@dataclass(frozen=True, slots=True)
class PlayerLeft(Body):
    """A player plays no more, from round `leaves` on."""

    kind: ClassVar[str] = "player_left"
    name: str
    leaves: int


@dataclass(frozen=True, slots=True)
class PlayerReturned(Body):
    """A player who left is there again."""

    kind: ClassVar[str] = "player_returned"
    name: str


@dataclass(frozen=True, slots=True)
class StageDrawn(Body):
    """A stage begins: its players in the order of the draw, or by group. `lot` is the number that
    the order was drawn by, None where it went by rating or by the standings before.
    """

    kind: ClassVar[str] = "stage_drawn"
    stage: int
    groups: tuple[tuple[str, ...], ...]
    lot: int | None = None


@dataclass(frozen=True, slots=True)
class RoundPaired(Body):
    """A round's matches. `by_hand`: the director chose them."""

    kind: ClassVar[str] = "round_paired"
    round: int
    stage: int
    matches: tuple[PairedMatch, ...]
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class RoundTakenBack(Body):
    """The last round was paired by mistake: as if it had not been."""

    kind: ClassVar[str] = "round_taken_back"
    round: int


@dataclass(frozen=True, slots=True)
class RoundTimed(Body):
    """When a round begins, as seconds since 1970; None: not said."""

    kind: ClassVar[str] = "round_timed"
    round: int
    starts: float | None


@dataclass(frozen=True, slots=True)
class RoundPlanned(Body):
    """One round is played otherwise than its stage: what is not said is as the stage has it."""

    kind: ClassVar[str] = "round_planned"
    round: int
    length: int | None = None
    ruleset: str = ""
    clock: str = ""
    event: str = ""


@dataclass(frozen=True, slots=True)
class MatchSeated(Body):
    """A match is to be played at this table, "" for none any more. `epoch` and `seq` say how far
    the table's record had got: its next match after that is this one.
    """

    kind: ClassVar[str] = "match_seated"
    match: str
    table: str
    epoch: int = 0
    seq: int = 0


@dataclass(frozen=True, slots=True)
class ResultEntered(Body):
    """How a match ended: first, second, drawn or neither. `table` is whose record says so, "" where
    the director entered it; then `entry` is the number of the entry that set the match there.
    """

    kind: ClassVar[str] = "result_entered"
    match: str
    ending: str
    score: tuple[int, int] | None = None
    walkover: bool = False
    table: str = ""
    entry: int = 0


@dataclass(frozen=True, slots=True)
class ResultTakenBack(Body):
    """A result was a mistake: the match is open again, and its table's record is asked no more."""

    kind: ClassVar[str] = "result_taken_back"
    match: str
    reason: str = ""

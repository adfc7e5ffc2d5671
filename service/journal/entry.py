"""What every journal entry is made of: who speaks, how a roll came to be known, why an illegal play
stands, and the body they go into.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, TypedDict

from rules.board import Side

Facts = Mapping[str, int | str | Mapping[str, str]]
"""Facts of a case by name: numbers and words; under `said` the sentences by language that an older
entry kept in their place.
"""


class SourceGrounds(TypedDict):
    """One source's last observation: its number, age (s), readings at rest, and nats against the
    likeliest row.
    """

    number: int
    age: float
    rests: int
    against: float


class RowGrounds(TypedDict):
    """An explanation: its probability, kind and roll, and where it differs from the board before,
    each as [site, White's, Black's].
    """

    p: float
    kind: str
    roll: str
    sites: Sequence[Sequence[int]]


class Grounds(TypedDict, total=False):
    """What a play or a finding rests on; of an older entry whatever it kept.

    `doubt`: (source, site, White's, Black's, nats) of sites whose best two counts are close.
    `roll`: the likeliest rolls and their probability. `explanations`: (kind, probability, turns) of
    what may have happened on a board that differs. `facts`: those of the rule that was broken.
    """

    sources: Mapping[str, SourceGrounds]
    rows: Sequence[RowGrounds]
    doubt: Sequence[tuple[str, int, int, int, float]]
    roll: Sequence[tuple[str, float]]
    explanations: Sequence[tuple[str, float, Sequence[str]]]
    facts: Facts


class Role(enum.Enum):
    """In which capacity somebody stands before the table, or speaks to it."""

    GUEST = "guest"
    """Anybody: reads what is public, and never speaks in a journal."""
    REFEREE = "referee"
    """The table itself."""
    PLAYER = "player"
    """A player, or the house tablet that both players share (no side)."""
    ANNOTATOR = "annotator"
    ARBITER = "arbiter"
    DIRECTOR = "director"
    CONSOLE = "console"
    """The machine's own screen: always let in, so that nobody is locked out of a running match."""
    CLOCK = "clock"
    """A device that is the table's clock and buttons: nobody's own, it speaks for both sides."""
    CAMERA = "camera"
    """A device that gives the table its pictures, and never speaks in a journal."""


RULERS: Final = frozenset({Role.ARBITER, Role.DIRECTOR, Role.CONSOLE})
"""Who may rule."""
MANAGERS: Final = RULERS - {Role.ARBITER}
"""Who may decide about the house's hardware, accounts and events."""
STAFF: Final = RULERS | {Role.ANNOTATOR}
"""Who may write in the record and see everything."""
AT_TABLE: Final = STAFF | {Role.PLAYER}
"""Everybody who may speak to the table of anything that concerns it."""
AT_BUTTONS: Final = AT_TABLE | {Role.CLOCK}
"""Who may press what a board's own clock and buttons do as well."""
SILENT: Final = frozenset({Role.GUEST, Role.CAMERA})
"""Who signs no entry."""


@dataclass(frozen=True, slots=True)
class Who:
    """Who said so. `side` is set where a player, or the button at a player's side, speaks.

    Raises ValueError for a guest or a camera.
    """

    name: str = "table"
    role: Role = Role.REFEREE
    side: Side | None = None

    def __post_init__(self) -> None:
        if self.role in SILENT:
            raise ValueError(f"a {self.role.value} signs no entry")


TABLE: Final = Who()


class DiceOrigin(enum.Enum):
    """How a roll came to be known."""

    READ = "read"
    """Seen by the camera."""
    INFERRED = "inferred"
    """The only roll that explains the play."""
    ENTERED = "entered"
    """Said by a person."""
    UNKNOWN = "unknown"
    """Several rolls explain the play and nobody saw the dice; the play itself is sure."""


class Standing(enum.Enum):
    """Why a play that no rule allows is part of the record all the same."""

    NEXT_ROLL = "next-roll"
    """The opponent rolled or doubled before anybody noticed or corrected it."""
    ACCEPTED = "accepted"
    """The opponent, or whoever may, let it stand."""
    RULED = "ruled"
    """The director ruled so."""
    UNRESOLVED = "unresolved"
    """It fits another roll than the one read, and nobody said which of the two it was."""


@dataclass(frozen=True, slots=True)
class Body:
    """What an entry says. `kind` is its name in the journal; `version` counts changes of its fields
    that need an upcast.
    """

    kind: ClassVar[str] = ""
    version: ClassVar[int] = 1

"""What every journal entry is made of: who speaks, how a roll came to be known, why an illegal play
stands, and the body they go into.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from rules.board import Side
from service.journal.codec import Json

Grounds = Mapping[str, Json]


class Role(enum.Enum):
    """In which capacity somebody speaks to the table."""

    REFEREE = "referee"
    """The table itself."""
    PLAYER = "player"
    ANNOTATOR = "annotator"
    ARBITER = "arbiter"
    DIRECTOR = "director"
    CONSOLE = "console"


@dataclass(frozen=True, slots=True)
class Who:
    """Who said so. `side` is set where a player, or the button at a player's side, speaks."""

    name: str = "table"
    role: Role = Role.REFEREE
    side: Side | None = None


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


@dataclass(frozen=True, slots=True)
class Body:
    """What an entry says. `kind` is its name in the journal; `version` counts changes of its fields
    that need an upcast.
    """

    kind: ClassVar[str] = ""
    version: ClassVar[int] = 1

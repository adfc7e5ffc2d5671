"""What a person says of a match that is over, one value each. Pure.

A *mark* names a play: the number of its journal entry, or of the film's frame that first showed
it. What belongs between two plays carries the mark of the one before it, 0 before the first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter, ValidationError

from rules.board import Placement, Side
from rules.dice import Roll

Mark = Annotated[int, Field(ge=0, le=2**53)]
Name = Annotated[str, Field(max_length=200)]
Points = Annotated[int, Field(ge=0, le=10_000)]
MOST_EDITS: Final = 5000


@dataclass(frozen=True, slots=True)
class PlaySaid:
    """The play of this mark left the board so; `roll` None: as it was read. A doubtful play that is
    right is confirmed by saying it as it stands.
    """

    mark: Mark
    placement: Placement
    roll: Roll | None = None
    what: Literal["play"] = "play"


@dataclass(frozen=True, slots=True)
class PlayGone:
    """The play of this mark was never made; `before` stood there all along."""

    mark: Mark
    before: Placement
    what: Literal["gone"] = "gone"


@dataclass(frozen=True, slots=True)
class PlayMissed:
    """After the play of this mark another was made that is not in the record; `side` is needed
    before a game's first play alone, `upto` is the mark of the play that came next.
    """

    mark: Mark
    placement: Placement
    roll: Roll
    side: Side | None = None
    upto: Mark | None = None
    what: Literal["missed"] = "missed"


@dataclass(frozen=True, slots=True)
class CubeSaid:
    """After the play of this mark the side to roll doubled and was answered so; `none`: nobody
    doubled.
    """

    mark: Mark
    answer: Literal["none", "take", "drop", "beaver"]
    what: Literal["cube"] = "cube"


@dataclass(frozen=True, slots=True)
class GameEnds:
    """After the play of this mark the game was given up: `winner` wins so many times the cube."""

    mark: Mark
    winner: Side
    value: Annotated[int, Field(ge=1, le=3)] = 1
    what: Literal["ends"] = "ends"


@dataclass(frozen=True, slots=True)
class ScoreSaid:
    """After the play of this mark (and the end of its game) the score was so."""

    mark: Mark
    white: Points
    black: Points
    what: Literal["score"] = "score"


@dataclass(frozen=True, slots=True)
class MatchSaid:
    """Who played, and to how many points; 0 is a money session."""

    white: Name
    black: Name
    length: Annotated[int, Field(ge=0, le=999)]
    what: Literal["match"] = "match"


Said = Annotated[
    PlaySaid | PlayGone | PlayMissed | CubeSaid | GameEnds | ScoreSaid | MatchSaid,
    Field(discriminator="what"),
]


@dataclass(frozen=True, slots=True)
class Edit:
    """One thing that was said: by whom, and when (seconds since 1970)."""

    by: Name
    at: float
    said: Said


@dataclass(frozen=True, slots=True)
class Edits:
    """What was said of one match, in order; the newest is taken back first."""

    edits: tuple[Edit, ...] = field(default=())


class EditsError(ValueError):
    """A file of edits that cannot be read; the message says what to do."""


_EDITS: Final = TypeAdapter(Edits)


def edits_text(edits: Edits) -> bytes:
    """The edits as JSON."""
    return _EDITS.dump_json(edits, indent=1)


def read_edits(text: bytes, name: str) -> Edits:
    """The edits of such a text. Raises EditsError."""
    try:
        return _EDITS.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise EditsError(
            f"expected what was said at the desk in {name}, {where}: {first['msg']}; move the file"
            " away"
        ) from None

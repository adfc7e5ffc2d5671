"""Shapes of the desk's part of the API: the only place of it that knows pydantic."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rules.board import Placement, Side
from rules.dice import Roll
from service.amend.edits import (
    CubeSaid,
    GameEnds,
    MatchSaid,
    PlayGone,
    PlayMissed,
    PlaySaid,
    Said,
    ScoreSaid,
)
from service.web.schema import SideName

Count = Annotated[int, Field(ge=0, le=15)]
Counts = Annotated[list[Count], Field(min_length=26, max_length=26)]
MarkIn = Annotated[int, Field(ge=0, le=2**53, description="which play; 0: before the first")]
Die = Annotated[int, Field(ge=1, le=6)]
NameIn = Annotated[str, Field(max_length=200)]


class AmendBoard(BaseModel):
    """26 counts a side: what is off, the points 1 to 24 as White numbers them, the bar."""

    model_config = ConfigDict(extra="forbid")
    white: Counts
    black: Counts

    def placement(self) -> Placement:
        return Placement(tuple(self.white), tuple(self.black))


class _SaidIn(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PlaySaidIn(_SaidIn):
    """The play of this mark left the board so; without dice, with those that were read."""

    what: Literal["play"]
    mark: MarkIn
    board: AmendBoard
    dice: tuple[Die, Die] | None = None

    def said(self) -> Said:
        return PlaySaid(self.mark, self.board.placement(), _roll(self.dice))


class PlayGoneIn(_SaidIn):
    """The play of this mark was never made."""

    what: Literal["gone"]
    mark: MarkIn
    before: AmendBoard

    def said(self) -> Said:
        return PlayGone(self.mark, self.before.placement())


class PlayMissedIn(_SaidIn):
    """After the play of this mark another was made that is not on record."""

    what: Literal["missed"]
    mark: MarkIn
    board: AmendBoard
    dice: tuple[Die, Die]
    side: SideName | None = None
    upto: MarkIn | None = Field(None, description="the mark of the play that came next")

    def said(self) -> Said:
        side = None if self.side is None else Side(self.side)
        return PlayMissed(self.mark, self.board.placement(), Roll.of(*self.dice), side, self.upto)


class CubeSaidIn(_SaidIn):
    """After the play of this mark the side to roll doubled, and was answered so."""

    what: Literal["cube"]
    mark: MarkIn
    answer: Literal["none", "take", "drop", "beaver"]

    def said(self) -> Said:
        return CubeSaid(self.mark, self.answer)


class GameEndsIn(_SaidIn):
    """After the play of this mark the game was given up, for so many times the cube."""

    what: Literal["ends"]
    mark: MarkIn
    winner: SideName
    value: Annotated[int, Field(ge=1, le=3)] = 1

    def said(self) -> Said:
        return GameEnds(self.mark, Side(self.winner), self.value)


class ScoreSaidIn(_SaidIn):
    """After the game of this mark's play, the score was so."""

    what: Literal["score"]
    mark: MarkIn
    white: Annotated[int, Field(ge=0, le=10_000)]
    black: Annotated[int, Field(ge=0, le=10_000)]

    def said(self) -> Said:
        return ScoreSaid(self.mark, self.white, self.black)


class MatchSaidIn(_SaidIn):
    """Who played, and to how many points; 0: a money session."""

    what: Literal["match"]
    white: NameIn
    black: NameIn
    length: Annotated[int, Field(ge=0, le=999)]

    def said(self) -> Said:
        return MatchSaid(self.white, self.black, self.length)


def _roll(dice: tuple[int, int] | None) -> Roll | None:
    return None if dice is None else Roll.of(*dice)


SaidIn = Annotated[
    PlaySaidIn | PlayGoneIn | PlayMissedIn | CubeSaidIn | GameEndsIn | ScoreSaidIn | MatchSaidIn,
    Field(discriminator="what"),
]


class AmendIn(BaseModel):
    """One thing that is said of a match."""

    model_config = ConfigDict(extra="forbid")
    seen: Annotated[int, Field(ge=0, description="how many edits you know of: GET tells it")]
    said: SaidIn


class SealIn(BaseModel):
    model_config = ConfigDict(extra="forbid")
    seen: Annotated[int, Field(ge=0, description="how many edits you know of: GET tells it")]


class AmendRow(BaseModel):
    """A line of the record as it is now."""

    mark: int
    kind: Literal["play", "cube", "end", "score"]
    game: int
    side: SideName | None
    dice: tuple[int, int] | None
    text: str = Field(examples=["13/8 6/5"])
    done: str = Field(
        examples=["take"], description="what was done with the cube, how a game ended"
    )
    value: int
    score: tuple[int, int]
    before: AmendBoard
    after: AmendBoard
    why: list[str] = Field(
        examples=[["dice_unread"]],
        description="what is doubtful: unsure, dice_unread, unseen, illegal, follows,"
        " cube_unsure, end_unsure, open",
    )
    doubtful: bool
    said: bool = Field(description="somebody said so here")
    added: bool = Field(description="it is not in what was recorded")
    at: float = Field(description="seconds, of the film or the table's clock")
    pictures: tuple[str, str] = Field(description="addresses of before and after; empty: none kept")


class EditOut(BaseModel):
    by: str
    at: float
    what: str


class SealOut(BaseModel):
    by: str
    at: float


class AmendSeating(BaseModel):
    white: Literal["light", "dark"]
    home: str


class AmendDocument(BaseModel):
    """A match that is being put right."""

    title: str
    ruleset: str
    white: str
    black: str
    length: int
    seating: AmendSeating = Field(description="how the board lies, for drawing")
    facing: str
    rows: list[AmendRow]
    remarks: list[str]
    edits: list[EditOut]
    sealed: SealOut | None


class AmendPlay(BaseModel):
    text: str
    board: AmendBoard


class AmendPlays(BaseModel):
    """The legal plays of a roll, where a play was made or is missing."""

    side: SideName
    before: AmendBoard
    plays: list[AmendPlay]

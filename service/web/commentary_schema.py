"""Shapes of what a commentator is told, and of what he sends to the overlay."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from service.report.gnubg import TroubleCode
from service.web.schema import SideName


class NoteIn(BaseModel):
    """What a commentator sends to the overlay: a line for the lower third, or the last play again.

    Without `table`'s delay it is there at once, else as late as all that the overlay shows.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"text": "A prime of five points", "seconds": 12}]},
    )
    text: Annotated[str, Field(max_length=140, description="empty takes the last one away")] = ""
    seconds: Annotated[float, Field(ge=2, le=600, strict=True)] = 12.0
    replay: bool = Field(False, description="show the last play once more")


class NoteOut(BaseModel):
    number: int = Field(examples=[3])
    text: str = Field(examples=["A prime of five points"])
    until: float = Field(examples=[812.5], description="table time until which it stays")
    replay: bool = False


class TurnOut(BaseModel):
    side: SideName
    roll: str = Field(examples=["65"], description="empty: closed out, nothing thrown")
    text: str = Field(examples=["24/13"], description="empty: an illegal play that stands")
    luck: float | None = Field(
        None, description="equity of the best play of this roll less the equity before it"
    )
    cost: float | None = Field(
        None, description="equity lost by the play; null where nobody knows, or had no choice"
    )
    better: str = Field("", description="what was better", examples=["24/18 13/8"])


class BestOut(BaseModel):
    text: str = Field(examples=["24/18 13/8"])
    equity: float | None = None


class TroubleOut(BaseModel):
    code: TroubleCode
    line: str


class CubeOut(BaseModel):
    """The cube before this roll, equities for the side on roll."""

    no_double: float = Field(examples=[0.412])
    take: float = Field(examples=[0.388], description="doubled and taken")
    drop: float = Field(examples=[1.0], description="doubled and dropped")
    double: bool = Field(description="doubling is right")
    takes: bool = Field(description="taking is right")


class CourseOut(BaseModel):
    """How the match stood before a roll."""

    game: int
    turn: int
    white: float = Field(examples=[0.54], description="White's chance of winning it, 0 to 1")


class CubeAdviceOut(BaseModel):
    """What a formula says of the cube in a race."""

    double: bool
    redouble: bool
    take: bool


class RaceOut(BaseModel):
    """A race without contact, counted as players count it; the side on roll first."""

    keith: list[int] = Field(examples=[[71, 78]])
    keith_says: CubeAdviceOut
    ward: list[float] = Field(examples=[[74.8, 70.0]])
    ward_says: CubeAdviceOut
    effective: list[float | None] = Field(description="effective pips, once all are home")


class CommentaryOut(BaseModel):
    """What a commentator is told.

    Equities are cubeful, for the side on roll, in points of the cube; null where nothing is known.
    """

    table: str = Field(examples=["t1"])
    seq: int = Field(0, description="the newest entry of all this that spectators may read")
    game: int
    pips: dict[SideName, int] | None = None
    turns: list[TurnOut]
    judged: bool = Field(description="whether gnubg knows these rules")
    side: SideName | None = None
    equity: float | None = None
    chances: list[float] = Field(
        description="wins, gammons, backgammons, gammons lost, backgammons lost: 0 to 1"
    )
    best: list[BestOut]
    cube: CubeOut | None = None
    race: RaceOut | None = None
    course: list[CourseOut] = Field(default_factory=list)
    luck: dict[SideName, float] | None = None
    pending: int = Field(description="positions that gnubg was not asked about yet: ask again")
    trouble: TroubleOut | None = None

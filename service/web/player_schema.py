"""Shapes of the players' part of the API: the only place of it that knows pydantic."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from service.web.schema import Line


class PlayersRatingOut(BaseModel):
    ruleset: str = Field(examples=["backgammon"])
    rating: float = Field(examples=[1532.4])
    experience: int = Field(description="points of all matches that were rated", examples=[35])


class PlayerOut(BaseModel):
    id: str = Field(examples=["0123456789abcdef"])
    name: str = Field(examples=["Mahsa"])
    club: str = ""
    seen: float = Field(description="when a match of theirs ended last, seconds since 1970")
    ratings: list[PlayersRatingOut]


class PlayersOut(BaseModel):
    players: list[PlayerOut] = Field(description="who played last first")


class PlayersMatchOut(BaseModel):
    match: str = Field(description="hash of the journal's entry that set the match up")
    table: str
    number: int = Field(description="which match of that table's journal")
    ended: float = Field(description="seconds since 1970")
    ruleset: str
    length: int = Field(description="0: a money session")
    opponent: str = Field(description="empty: somebody who was erased")
    score: tuple[int, int] = Field(description="own points first")
    won: bool | None
    rating_before: float | None = Field(description="none: the match is not rated")
    rating_after: float | None
    pr: float | None = Field(description="error rate, where a report of the match was made")


class HeadToHeadOut(BaseModel):
    opponent: str
    matches: int
    won: int
    lost: int


class PlayerExport(PlayerOut):
    """Everything that the book knows of a player."""

    formula: str = Field(examples=["fibs"])
    matches: list[PlayersMatchOut] = Field(description="the newest first")
    head_to_head: list[HeadToHeadOut]


class ClubIn(BaseModel):
    model_config = ConfigDict(extra="forbid")
    club: Line


class PlayerErased(BaseModel):
    erased: str = Field(description="the id that led to nobody any more from now on")

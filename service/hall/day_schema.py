"""What the tournament's routes take and give."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from service.hall.registry import NAME
from service.tournament.day import SYSTEMS

PLAYER = Field(min_length=1, max_length=80, description="a player's name")


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PlayIn(_In):
    """By what tables play; what is not said is as the stage, then the hall's event, has it."""

    length: int | None = Field(default=None, ge=1, le=99)
    ruleset: str = Field(default="", max_length=60)
    clock: Literal["", "ours", "external", "none"] = ""
    event: str = Field(default="", max_length=40_000, description="text of an event file")


class StageIn(PlayIn):
    system: str = Field(pattern=f"^({'|'.join(SYSTEMS)})$")
    rounds: int = Field(default=0, ge=0, le=99)
    take: int = Field(default=0, ge=0, le=2000)
    groups: int = Field(default=0, ge=0, le=500)
    last_chance: int = Field(default=0, ge=0, le=12)
    apart: int = Field(default=0, ge=0, le=99)


class TournamentIn(_In):
    name: str = Field(min_length=1, max_length=80)
    stages: list[StageIn] = Field(min_length=1, max_length=6)
    pool: int = Field(default=0, ge=0, le=10**12, description="in the smallest coin")
    prizes: list[int] = Field(default=[], max_length=64, description="percents by place")


class PrizesIn(_In):
    pool: int = Field(ge=0, le=10**12)
    prizes: list[int] = Field(max_length=64)


class PlayersIn(_In):
    text: str = Field(
        min_length=1, max_length=240_000, description="a name a line, or CSV with a header"
    )


class PlayerIn(_In):
    name: str = PLAYER
    club: str = Field(default="", max_length=80)
    rating: float | None = Field(default=None, ge=0, lt=100_000)


class RoundTimeIn(_In):
    starts: float | None = Field(default=None, description="seconds since 1970; null: not said")


class SeatIn(_In):
    table: str = Field(pattern=rf"^({NAME.pattern})?$")


class ResultIn(_In):
    ending: Literal["first", "second", "drawn", "neither"]
    score: tuple[int, int] | None = None
    walkover: bool = False


class BackIn(_In):
    reason: str = Field(default="", max_length=200)


class DayMatchOut(BaseModel):
    """A match of a round, as far as it has got."""

    id: str
    round: int
    first: str
    second: str = Field(description="empty: a bye")
    bout: str = Field(description="its name in a bracket")
    group: int
    table: str
    state: Literal["bye", "waiting", "called", "playing", "over"]
    ending: str
    score: list[int] | None
    walkover: bool
    reported: bool = Field(description="the table's own record says so")
    problem: str = Field(description="why the table could not be told; staff only")


class RoundOut(BaseModel):
    number: int
    stage: int
    starts: float | None
    matches: list[DayMatchOut]


class LineOut(BaseModel):
    place: int
    name: str
    club: str
    points: float
    breaks: list[float]
    cells: list[str] = Field(description="the cross-table's cells, by round of the stage")
    left: bool


class SeatOut(BaseModel):
    """A seat of a bout: a name, or what is known of who will sit there."""

    name: str
    state: Literal["sits", "undecided", "nobody"]


class BoutOut(BaseModel):
    bout: str
    part: str
    round: int
    number: int
    seats: list[SeatOut]
    winner: str


class StageOut(BaseModel):
    system: str
    rounds: int
    take: int
    groups: int
    length: int | None
    ruleset: str
    drawn: bool
    tables: list[list[LineOut]] = Field(description="standings by group; none for a bracket")
    bouts: list[BoutOut]


class EntrantOut(BaseModel):
    name: str
    club: str
    rating: float | None
    joins: int
    left: bool
    prize: int


class ActOut(BaseModel):
    """What the director did, newest first."""

    seq: int
    at: float = Field(description="seconds since 1970")
    by: str
    kind: str
    facts: list[str]


class RulesOut(BaseModel):
    """What a round is played by otherwise than its stage."""

    length: int | None
    event: str


class TournamentOut(BaseModel):
    """A tournament as this visitor may see it."""

    name: str = Field(description="empty: none is open")
    stages: list[StageOut]
    rounds: list[RoundOut]
    entrants: list[EntrantOut]
    finished: int = Field(description="matches of the last round that are over")
    matches: int = Field(description="matches of the last round")
    over: bool
    pool: int
    winners: list[list[str]] = Field(description="who finished where in the last stage")
    next: str = Field(description="why the next round cannot be paired; empty: it can; staff only")
    rules: RulesOut | None = Field(description="of the next round; null: as its stage; staff only")
    free: list[str] = Field(description="tables where a match can be called; staff only")
    acts: list[ActOut] = Field(description="staff only")

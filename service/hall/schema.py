"""What the hall's routes take and give."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from service.hall.registry import NAME

_TABLE = Field(pattern=rf"^{NAME.pattern}$", description="a table's name in this hall")


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TableIn(_In):
    table: str = _TABLE


class CodeOut(BaseModel):
    code: str
    address: str
    svg: str
    fingerprint: str


class JoinIn(_In):
    """A board that wants to be a table."""

    code: str = Field(min_length=1, max_length=20)
    key: str = Field(pattern=r"^[0-9a-f]{64}$")
    link: str = Field(pattern=r"^U[A-Z2-7]{55}$")
    signature: str = Field(pattern=r"^[0-9a-f]{128}$")


class JoinAnswer(BaseModel):
    hall: str
    nats: str
    table: str
    page: str
    certificate: str = Field(description="of the line; empty: it is not encrypted")
    signature: str = Field(description="the hall's own, over all of this and the board's key")


class RoundIn(_In):
    text: str = Field(min_length=1, max_length=240_000, description="CSV or JSON")


class OverlayIn(_In):
    screen: str = Field(pattern=r"^[\w-]{1,40}$")
    table: str = Field(default="", pattern=rf"^({NAME.pattern})?$")


class BoardOut(BaseModel):
    """A board's key and which table it is, or was until a message of the stream."""

    table: str
    fingerprint: str
    since: int
    until: int | None


class BoardsOut(BaseModel):
    boards: list[BoardOut]


class ResultOut(BaseModel):
    """A pairing and how its match stands by the table's own record."""

    round: int
    table: str
    white: str
    black: str
    length: int | None
    white_score: int
    black_score: int
    winner: str
    state: str = Field(examples=["playing"])


class ResultsOut(BaseModel):
    results: list[ResultOut]


class TableBegun(BaseModel):
    """Whether a table was told who plays there, and why not."""

    table: str
    ok: bool
    why: str


class BegunOut(BaseModel):
    tables: list[TableBegun]


class ScreenOut(BaseModel):
    """The table that one screen shows, "" for none."""

    table: str


class OverlaysOut(BaseModel):
    """Table by screen."""

    overlays: dict[str, str]


class CommandOut(BaseModel):
    """An order that was sent to a table, and what became of it."""

    table: str
    what: str
    who: str
    at: float
    outcome: str
    detail: str


class CommandsOut(BaseModel):
    commands: list[CommandOut]


class RefusalOut(BaseModel):
    """A message that the hall did not believe."""

    number: int
    table: str
    reason: str
    text: str
    at: float


class RefusalsOut(BaseModel):
    refusals: list[RefusalOut]

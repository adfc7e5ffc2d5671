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


class RoundIn(_In):
    text: str = Field(min_length=1, max_length=240_000, description="CSV or JSON")


class OverlayIn(_In):
    screen: str = Field(pattern=r"^[\w-]{1,40}$")
    table: str = Field(default="", pattern=rf"^({NAME.pattern})?$")

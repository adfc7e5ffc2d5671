"""Shapes of what the API takes and gives, with examples: the only place that knows pydantic."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, JsonValue, RootModel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from rules.text_limits import LONGEST
from service.referee.args import ArgSchema
from service.referee.order_spec import OrderSpec
from service.referee.order_table import ORDERS

TableName = Annotated[str, Field(pattern=r"^([A-Za-z0-9_-]{1,32}\.)?[A-Za-z0-9_-]{1,32}$")]
Line = Annotated[str, Field(max_length=200)]
SideName = Literal["white", "black"]


Responses = dict[int | str, dict[str, Any]]
"""What a route may answer, by status, as FastAPI takes it: parts of an OpenAPI document."""


class Problem(BaseModel):
    """What was expected, what came, what to do next."""

    code: str = Field(examples=["not_legal"])
    expected: str = Field("", examples=["a play of 6-5 from this position"])
    came: str = ""
    next: str = ""


class Failure(BaseModel):
    error: Problem


class OrderIn(BaseModel):
    """An order to the table; each takes arguments of its own."""

    model_config = ConfigDict(extra="forbid")
    order: str = Field(max_length=40)
    args: dict[str, JsonValue] = Field(default_factory=dict, max_length=40)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        made = handler.resolve_ref_schema(handler(core))
        for key in ("properties", "required", "additionalProperties"):
            made.pop(key, None)
        return made | {
            "oneOf": [order_schema(spec) for spec in ORDERS.values()],
            "examples": [
                {"order": "take", "args": {}},
                {
                    "order": "penalise",
                    "args": {"side": "white", "penalty": "warning", "reason": "late"},
                },
            ],
        }


EVENT_TEXT: Final[ArgSchema] = {
    "type": "string",
    "maxLength": LONGEST,
    "description": "an event file in TOML, in the place of `base`",
}


def order_schema(spec: OrderSpec) -> JsonSchemaValue:
    """The JSON schema of one order: its name, and its arguments as the table of orders has them."""
    args = spec.schema()
    if spec.name == "set_match":
        args["properties"]["event_text"] = EVENT_TEXT
    needed = ["order", "args"] if "required" in args else ["order"]
    return {
        "title": spec.name,
        "description": spec.does,
        "type": "object",
        "properties": {"order": {"type": "string", "const": spec.name}, "args": args},
        "required": needed,
        "additionalProperties": False,
    }


class OrderDone(BaseModel):
    """The order was committed as the journal's entry number `seq`."""

    ok: Literal[True] = True
    seq: int | None = Field(None, examples=[130])


class TableOut(BaseModel):
    name: str = Field(examples=["t1"])
    connected: bool = Field(
        description="whether the table's own process answers; its journal can be read either way"
    )
    white: str = ""
    black: str = ""
    phase: str = ""


class Tables(BaseModel):
    tables: list[TableOut]


STATE_SCHEMA: Final = Path(__file__).parent / "static" / "schema" / "state-1.json"
"""Made from the document's one definition in `service.show.document`."""


class StateAnswer(RootModel[Mapping[str, JsonValue]]):
    """The state document, version 1: its JSON schema is served at /api/v1/schema/state-1.json."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        made = handler.resolve_ref_schema(handler(core))
        made.pop("additionalProperties", None)
        described = json.loads(STATE_SCHEMA.read_text(encoding="utf-8"))
        return made | {key: described[key] for key in ("type", "properties", "required")}


class SignIn(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"name": "director", "password": "a long sentence"}]},
    )
    name: Annotated[str, Field(min_length=1, max_length=60)]
    password: Annotated[str, Field(min_length=1, max_length=200)]


class CodeIn(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"code": "7KQ2MX4T"}]}
    )
    code: Annotated[str, Field(min_length=8, max_length=12)]


class Me(BaseModel):
    """Who the server takes this visitor for, and which orders he may give at the table."""

    name: str
    role: str = Field(examples=["guest"])
    side: SideName | None = None
    tables: list[str] | None = Field(None, description="null means every table")
    token: str | None = Field(
        None, description="only in the answer to signing in: also usable as `Authorization: Bearer`"
    )


class DeviceOut(BaseModel):
    """Who is let in, and since when (unix seconds)."""

    id: str
    name: str
    role: str
    side: str | None
    tables: list[str] | None
    since: float


class Devices(BaseModel):
    """Everybody who is let in now."""

    devices: list[DeviceOut]


class PairingIn(BaseModel):
    """Which device to let in: a player's phone (with side), the house tablet (player without side),
    the table's clock or camera, which are nobody's and show no position, an annotator or arbiter.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"role": "player", "side": None, "table": "t1", "name": "tablet 1"}]
        },
    )
    role: Literal["player", "clock", "camera", "annotator", "arbiter"]
    side: SideName | None = None
    table: TableName | None = None
    name: Annotated[str, Field(max_length=60)] = ""


class PairingOut(BaseModel):
    code: str = Field(examples=["7KQ2MX4T"])
    address: str = Field(examples=["http://192.168.1.20:8000/pair?code=7KQ2MX4T"])
    svg: str = Field(description="the address as a QR code")
    seconds: int = Field(examples=[600])


class AccountIn(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"role": "arbiter", "password": "a long sentence", "tables": None}]
        },
    )
    role: Literal["annotator", "arbiter", "director"]
    password: Annotated[str, Field(min_length=8, max_length=200)]
    tables: Annotated[list[TableName], Field(max_length=200)] | None = None


class AccountOut(BaseModel):
    name: str
    role: str
    tables: list[str] | None


class Accounts(BaseModel):
    accounts: list[AccountOut]


class PageHealth(BaseModel):
    status: Literal["ok", "degraded"] = Field(examples=["ok"])
    reasons: list[str] = Field(default_factory=list, examples=[[]])


class Answer(BaseModel):
    """What the table answered to a question."""

    result: object = None


class FinishedMatchOut(BaseModel):
    """A match that is over."""

    number: int = Field(examples=[1], description="its number at this table")
    white: str = Field(examples=["Mahsa Rahimi"])
    black: str = Field(examples=["Jan de Vries"])
    length: int | None = Field(examples=[7], description="null is a money session")
    white_score: int = Field(examples=[7])
    black_score: int = Field(examples=[4])
    winner: SideName | None = Field(examples=["white"])
    games: int = Field(examples=[5])
    page: str = Field(examples=["/match/t1/1/1"])
    files: dict[str, str] = Field(examples=[{"mat": "/download/t1/1.mat"}])


class MatchesOut(BaseModel):
    """Matches that are over for the public, the newest first."""

    matches: list[FinishedMatchOut]


class DelayIn(BaseModel):
    """Seconds that everything public lags behind the table."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"seconds": 300, "fine": -0.4}]}
    )
    seconds: Annotated[float, Field(ge=0, le=3600, strict=True)]
    fine: Annotated[
        float,
        Field(ge=-30, le=30, strict=True, description="added, to match the delay of one's video"),
    ] = 0.0


class DelayOut(BaseModel):
    seconds: float = Field(examples=[300])
    fine: float = Field(examples=[0])
    total: float = Field(examples=[300])
    held_s: int = Field(
        0,
        examples=[0],
        description="for so many seconds the feed says nothing more, since the delay was raised",
    )


class DelaysOut(BaseModel):
    """How far each feed lags:

    `public` (guests' pages and API), `overlay` (what goes on the air), `push` (what is sent to a
    website).
    """

    public: DelayOut
    overlay: DelayOut
    push: DelayOut


class StreamOut(BaseModel):
    """The camera's picture on the air."""

    shared: bool = Field(
        description="consent in the settings; without it nobody gets a picture here"
    )
    why: str = Field(
        description=(
            "why there is no picture now: off, waiting, no-camera, no-board or memory; empty when"
            " there is one"
        )
    )
    every_s: float | None = Field(
        description="seconds between two pictures: a long delay in little memory makes them rarer"
    )
    kept: int = Field(description="pictures that wait for their delay")
    megabytes: float
    megabytes_most: int
    viewers: int


class PushIn(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"url": "https://club.example/live/{table}", "token": "secret"}]
        },
    )
    url: Annotated[
        str,
        Field(
            max_length=400,
            pattern=r"^(https?://[^\s]+)?$",
            description="empty sends nothing; {table} is the name",
        ),
    ]
    token: Annotated[
        str, Field(max_length=400, pattern=r"^[!-~]*$", description="sent as a bearer token")
    ] = ""


class PushOut(BaseModel):
    url: str = Field(examples=["https://club.example/live/{table}"])
    has_token: bool
    sent: int = Field(examples=[12])
    problem: str = ""

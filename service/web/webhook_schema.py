"""Shapes of webhooks, as the API takes and gives them."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from service.web.records import PUBLIC

KINDS: Final = tuple(sorted(PUBLIC))
Url = Annotated[str, Field(max_length=400, pattern=r"^https?://[^\s]+$")]
EventKind = Annotated[str, Field(max_length=40, json_schema_extra={"enum": list(KINDS)})]
Ident = Annotated[str, Field(pattern=r"^[0-9a-f]{8}$", examples=["1f0c22ab"])]


class WebhookIn(BaseModel):
    """A webhook: where to, and which kinds of entries."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"url": "https://club.example/takhte", "events": ["game_ended", "match_ended"]}
            ]
        },
    )
    url: Url
    events: Annotated[list[EventKind], Field(min_length=1, max_length=len(KINDS))]


class DeliveryOut(BaseModel):
    """One try to send a message."""

    at: float = Field(examples=[1767225600.2], description="date, in seconds since 1970")
    table: str = Field(examples=["t1"])
    event: str = Field(examples=["game_ended"])
    seq: int = Field(examples=[212], description="the entry's number; 0 for a ping")
    tries: int = Field(examples=[1])
    status: int = Field(examples=[204], description="0: nobody answered")
    problem: str = Field("", examples=[""], description="empty: it arrived")


class WebhookOut(BaseModel):
    """A webhook; its secret is told once, when it is made."""

    id: Ident
    url: str = Field(examples=["https://club.example/takhte"])
    events: list[str] = Field(examples=[["game_ended", "match_ended"]])
    log: list[DeliveryOut] = Field(description="the last tries, the newest first")


class WebhookMadeOut(WebhookOut):
    secret: str = Field(
        examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        description="signs every message, see standardwebhooks.com; it is not told again",
    )


class WebhooksOut(BaseModel):
    """Every webhook of this machine."""

    webhooks: list[WebhookOut]

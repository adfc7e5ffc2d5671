"""What phones that are clock or camera say to the API, and what it answers them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from service.web.schema import TableName

LARGEST_PICTURE = 500_000
"""Bytes of one picture of a phone."""


class PhoneSaid(BaseModel):
    """What a phone that is clock or camera says on its socket; `service.web.phone_link`."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
    t: Literal["late", "press", "picture"]
    n: Annotated[int, Field(ge=0, le=10**9)]
    ms: Annotated[float, Field(ge=0, le=1e14)]
    what: Annotated[str, Field(max_length=20)] = ""
    size: Annotated[int, Field(ge=0, le=LARGEST_PICTURE)] = 0


PhoneRole = Literal["camera", "clock"]
KnockRole = Literal["camera", "clock", "player", "white", "black", "annotator", "arbiter"]
"""What a device may ask to be let in as; White's and Black's are players' own phones."""


class PhoneDoor(BaseModel):
    """Where a device that is to be let in begins; nothing of it is secret."""

    address: str = Field(examples=["http://192.168.1.20:8000/phone?as=camera&table=t1"])
    name: str = Field(description="the same by a name of the local network; empty without one")
    svg: str = Field(description="the address as a QR code")
    fingerprint: str = Field(description="SHA-256 of the certificate that the browser will show")
    reachable: bool = Field(description="whether other devices reach this page at all")
    https: bool


class KnockIn(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"role": "camera", "table": "t1"}]}
    )
    role: KnockRole
    table: TableName


class KnockOut(BaseModel):
    secret: str
    number: str = Field(examples=["4821"], description="what both screens show")
    seconds: int = Field(examples=[60])


class KnockAnswerIn(BaseModel):
    model_config = ConfigDict(extra="forbid")
    secret: Annotated[str, Field(min_length=20, max_length=100)]


class KnockAnswer(BaseModel):
    """`gone`: knock again."""

    state: Literal["waiting", "in", "gone"]
    role: str = ""


class WaitingKnock(BaseModel):
    ident: str
    number: str = Field(examples=["4821"])
    role: str = Field(examples=["camera"])
    device: str = Field(examples=["Android"])


class KnocksOut(BaseModel):
    """Phones at the door."""

    knocks: list[WaitingKnock]

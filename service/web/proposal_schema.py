"""Shapes of what a match can be set up with, and of what is proposed."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from rules.text_limits import LONGEST


class ChoiceOut(BaseModel):
    """A value that an option may have, with its words by language."""

    value: JsonValue = Field(examples=[True])
    title: dict[str, str] = Field(examples=[{"en": "Who can hit must hit"}])


class OfferOut(BaseModel):
    """An option of a ruleset: `axis` is its name in `options`, `value` what the ruleset itself
    says."""

    axis: str = Field(examples=["mandatory_hit"])
    title: dict[str, str] = Field(examples=[{"en": "Hitting"}])
    value: JsonValue = Field(examples=[False])
    choices: list[ChoiceOut]


class RulesetOut(BaseModel):
    name: str = Field(examples=["backgammon"])
    title: dict[str, str] = Field(examples=[{"en": "Backgammon"}])
    cube: bool = Field(description="whether it is played with a doubling cube")
    options: list[OfferOut]


class ClockOut(BaseModel):
    """A clock preset: `bank` seconds, or `bank_per_point` times the length of the match."""

    name: str = Field(examples=["us-delay"])
    mode: str = Field(examples=["simple"])
    bank: float
    bank_per_point: float = Field(examples=[120])
    delay: float = Field(examples=[12])


class Catalogue(BaseModel):
    rulesets: list[RulesetOut]
    clocks: list[ClockOut]


class TableProposal(BaseModel):
    """What a table answers when it is asked for its proposal."""

    keys: dict[str, JsonValue]
    lasting: bool
    rules_text: str
    clock: str
    seating: dict[str, str]
    buttons: bool


class EventTextIn(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"event_text": "[match]\nlength = 5\n"}]}
    )
    event_text: Annotated[str, Field(max_length=LONGEST)]
    name: Annotated[str, Field(max_length=200)] = ""


class ProposalOut(BaseModel):
    """What the next match would be played by: every key of docs/event-file.md by its dotted name
    (null is usual practice), the clock (none, external or a preset), who sits where, and whether
    anything at the table has a clock's buttons. `base` is what holds for whatever a match does not
    say: the event that was chosen, else usual practice. Say what differs from it."""

    values: dict[str, JsonValue] = Field(examples=[{"match.ruleset": "nard"}])
    base: dict[str, JsonValue] = Field(examples=[{"match.ruleset": "backgammon"}])
    clock: str = Field(examples=["us-delay"])
    seating: dict[str, str] = Field(examples=[{"white": "light", "home": "south-east"}])
    buttons: bool

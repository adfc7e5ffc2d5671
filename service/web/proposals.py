"""What a match can be set up with, and what the next one at a table would be. (E)"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Query, Request

from rules.axes import RulesetError
from rules.event import EventError, clock_plans
from rules.event_keys import KEYS, default, load_event
from rules.offers import Offer, offers, value_of
from rules.ruleset import Ruleset, catalogue, load_rulesets
from rules.words import languages
from service.referee.event import event_keys
from service.web.api import FAILURES, TABLE, UNREADABLE, ask_table
from service.web.authority import desk, problem
from service.web.desk import Desk
from service.web.event_text import event_of_text
from service.web.phones import phones_here
from service.web.ports import TableDownError
from service.web.proposal_schema import (
    Catalogue,
    ClockOut,
    EventTextIn,
    OfferOut,
    ProposalOut,
    RulesetOut,
    TableProposal,
)
from service.web.schema import TableName
from service.web.tablelink import RefusedError

router = APIRouter(tags=["table"])


@router.get("/api/v1/rulesets", response_model=Catalogue)
async def rulesets(
    request: Request,
    table: Annotated[
        TableName | None, Query(description="whose own rulesets; else the first")
    ] = None,
) -> Catalogue:
    """What a match can be set up with: rulesets by name with their titles and options, the club's
    own among them, and clock presets.
    """
    desks: Mapping[str, Desk] = request.app.state.desks
    found = desks.get(table or "") or next(iter(desks.values()), None)
    try:
        text = (await _proposal(found)).rules_text if found is not None else ""
    except (TableDownError, RefusedError):
        # The house's rulesets are known without any table.
        text = ""
    return catalogue_out(known_rulesets(text))


@router.get(f"{TABLE}/proposal", response_model=ProposalOut, responses=FAILURES)
async def proposal(request: Request, table: TableName) -> ProposalOut:
    """What the next match at a table would be played by: what a form proposes, until somebody
    presses Begin.
    """
    found = await _asked(desk(request))
    if phones_here(request).pressing.get(table):
        # A phone that is the clock now has the buttons that the table itself lacks.
        found = found.model_copy(update={"buttons": True})
    return proposed(found)


@router.post(f"{TABLE}/proposal", response_model=ProposalOut, responses={**FAILURES, **UNREADABLE})
async def proposal_of_file(request: Request, table: TableName, given: EventTextIn) -> ProposalOut:
    """What it would be played by with this event file; nothing changes."""
    keys = event_keys(event_of_text(given.event_text))
    now = await _asked(desk(request))
    try:
        load_event(given.event_text, given.name or "the event file", known_rulesets(now.rules_text))
    except EventError as error:
        raise problem(
            422, "event_file", "an event that can be played", str(error), "correct the file"
        ) from error
    return proposed(now.model_copy(update={"keys": keys, "lasting": True, "clock": ""}))


async def _proposal(found: Desk) -> TableProposal:
    return TableProposal.model_validate(await found.link.ask("proposal"))


async def _asked(found: Desk) -> TableProposal:
    """The table's word; its absence is 503."""
    return TableProposal.model_validate(await ask_table(found, "proposal"))


def known_rulesets(rules_text: str) -> Mapping[str, Ruleset]:
    """The rulesets that come with takhte, and a club's own."""
    try:
        own = load_rulesets(rules_text, "the club's rulesets") if rules_text else {}
    except RulesetError:
        own = {}
    return {**catalogue(), **own}


def proposed(found: TableProposal) -> ProposalOut:
    """A table's proposal with every key of an event: what was chosen, else its default."""
    preset = found.keys.get("clock.preset")
    # Nobody could press a clock of ours where there is no button: then only an event names one.
    clock = found.clock if found.clock in ("none", "external") else preset
    usual = {key: default(key) for key in KEYS}
    return ProposalOut.model_validate(
        {
            "values": usual | found.keys,
            "base": usual | (found.keys if found.lasting else {}),
            "clock": clock or (default("clock.preset") if found.buttons else "none"),
            "seating": found.seating,
            "buttons": found.buttons,
        }
    )


def catalogue_out(known: Mapping[str, Ruleset]) -> Catalogue:
    """Rulesets and clock presets with their words in every language."""
    clocks = [
        ClockOut(
            name=name,
            mode=plan.mode.value,
            bank=plan.bank,
            bank_per_point=plan.bank_per_point,
            delay=plan.delay,
        )
        for name, plan in clock_plans().items()
    ]
    return Catalogue(
        rulesets=[
            RulesetOut(
                name=name,
                title=found.titles(),
                cube=found.has_cube,
                options=[_offer_out(found, offer) for offer in offers(found)],
            )
            for name, found in known.items()
        ],
        clocks=clocks,
    )


def _offer_out(ruleset: Ruleset, offer: Offer) -> OfferOut:
    return OfferOut.model_validate(
        {
            "axis": offer.axis,
            "title": _in_every_language(offer.words),
            "value": value_of(ruleset, offer.axis),
            "choices": [
                {"value": choice.value, "title": _in_every_language(choice.words)}
                for choice in offer.choices
            ],
        }
    )


def _in_every_language(words: str) -> dict[str, str]:
    return {code: language.say(words) for code, language in languages().items()}

"""The director's rows of the one table of orders: freezing, ruling, penalties, the event."""

from __future__ import annotations

from typing import Final

from service.journal.entry import MANAGERS, RULERS
from service.referee import clock_orders as clock
from service.referee import orders as play
from service.referee import rulings
from service.referee.order_spec import IN_MATCH, ClockNeed, OrderSpec, Whose, all_but
from service.referee.state import Phase

P = Phase

DIRECTING: Final = (
    # The director's chair.
    OrderSpec(
        "freeze",
        "A dispute: the table is judged no further until `unfreeze`.",
        rulings.freeze,
        RULERS,
        Whose.ANYONE,
        phases=all_but(P.FROZEN),
        when="a table that is not frozen",
        args=(play.REASON,),
        conduct="Director: stop both clocks, freeze the table",
    ),
    OrderSpec(
        "unfreeze",
        "Play goes on where it was, and so does the clock that ran.",
        rulings.unfreeze,
        RULERS,
        Whose.ANYONE,
        phases=(P.FROZEN,),
        args=(play.REASON,),
    ),
    OrderSpec(
        "rule",
        "Enters a ruling; the appeal window of the event opens.",
        rulings.rule,
        RULERS,
        Whose.ANYONE,
        args=(rulings.TEXT, rulings.ABOUT),
    ),
    OrderSpec(
        "call_match",
        "Says when the match begins: who is not there then is late.",
        rulings.call_match,
        RULERS,
        Whose.ANYONE,
        phases=(P.SETTING_UP,),
        when="a match whose first game has not begun",
        args=(rulings.MINUTES,),
        conduct="Clocks: a late start costs points by the minutes",
    ),
    OrderSpec(
        "note",
        "Enters what a person saw that no sensor sees: a device, a touched checker.",
        rulings.note,
        RULERS,
        Whose.ANYONE,
        when=IN_MATCH,
        phases=all_but(P.IDLE),
        args=(rulings.INFRACTION, rulings.SIDE_NOTED, rulings.TEXT_NOTED),
        conduct="Illegal plays: observations with evidence for the director",
    ),
    OrderSpec(
        "close_appeal",
        "Enters what the committee or the chief arbiter decided.",
        rulings.close_appeal,
        RULERS,
        Whose.ANYONE,
        args=(rulings.RULING, rulings.DECISION),
    ),
    OrderSpec(
        "penalise",
        "Gives a penalty.",
        rulings.penalise_by_order,
        RULERS,
        Whose.ANYONE,
        phases=all_but(P.IDLE, P.MATCH_OVER),
        when=IN_MATCH,
        args=(rulings.OFFENDER, rulings.PENALTY, rulings.AMOUNT, play.REASON),
    ),
    OrderSpec(
        "adjust_clock",
        "Sets the time that is left to a side.",
        clock.adjust_clock,
        RULERS,
        Whose.ANYONE,
        clock=ClockNeed.OURS,
        args=(clock.WHOSE_CLOCK, clock.SECONDS, play.REASON),
    ),
    OrderSpec(
        "acknowledge",
        "Says that an alert was looked at.",
        rulings.acknowledge,
        RULERS,
        Whose.ANYONE,
        args=(rulings.ALERT,),
        conduct="Illegal plays: an alert may be for the arbiter alone, and silent",
    ),
    OrderSpec(
        "amend",
        "Puts right what was said wrongly when the match was set.",
        rulings.amend,
        RULERS,
        Whose.ANYONE,
        args=(rulings.WHAT, rulings.VALUE, play.REASON),
        conduct="Director: a wrong match length has rules of its own",
    ),
    OrderSpec(
        "end_match",
        "Ends the match: retired, not shown up, or a money session over; that last one both players"
        " may say themselves.",
        rulings.end_match,
        phases=all_but(P.IDLE, P.MATCH_OVER),
        when=IN_MATCH,
        args=(rulings.WINNER, play.REASON),
        conduct="Director: penalties go up to the match",
    ),
    OrderSpec(
        "choose_event",
        "Chooses the event that every match is played by from now on.",
        rulings.choose_event,
        MANAGERS,
        Whose.ANYONE,
        args=(rulings.EVENT, rulings.RULES_TEXT),
        conduct="Director: the event's rules are the director's",
    ),
)

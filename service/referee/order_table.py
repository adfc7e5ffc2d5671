"""Every order that a table takes, one row each: what it does, who may give it, when, with what.

This table is the only one. The referee asks it before an order is carried out, the page before it
passes one on; buttons, /openapi.json, docs/orders.md and the list in docs/api.md are made from it.
A new order is one function and one row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.journal.entry import AT_BUTTONS, STAFF
from service.referee import buttons, rulings
from service.referee import clock_orders as clock
from service.referee import cube_orders as cube
from service.referee import orders as play
from service.referee import phone_presses as phones
from service.referee import record_orders as record
from service.referee.director_orders import DIRECTING
from service.referee.hardware_orders import HARDWARE
from service.referee.order_spec import IN_MATCH, ClockNeed, OrderSpec, Whose, WhoseTurn, all_but
from service.referee.state import PLAYING, Phase

P = Phase


SPECS: Final = (
    # What players do from the house tablet; with a side in hand, for that side only.
    OrderSpec(
        "press",
        "Ends the turn from the page, as the clock's button does.",
        play.end_turn_order,
        AT_BUTTONS,
        whose=Whose.OWN,
        args=(play.SIDE,),
        afar=False,
    ),
    OrderSpec(
        "button",
        "Presses one of the board's buttons, which means what the moment makes of it: an offer, or"
        " a beaver; take, accept or let stand; drop, refuse or roll again.",
        buttons.press_button,
        AT_BUTTONS,
        args=(buttons.BUTTON,),
        afar=False,
    ),
    OrderSpec(
        "phone_press",
        "Presses the clock or a button of a phone that is the table's clock, at the finger's own"
        " time; the same press again does nothing.",
        phones.phone_press,
        AT_BUTTONS,
        args=(phones.DEVICE, phones.NUMBER, phones.PRESSED, phones.AT, phones.DOUBT),
        afar=False,
        conduct="none: it is the clock that the players press",
    ),
    OrderSpec(
        "declare_roll",
        "Says the roll; in the opening, what each side threw. The word of the other side's own"
        " device counts once both have said the same.",
        play.declare_roll,
        whose=Whose.OWN,
        phases=(P.OPENING, P.TO_ROLL, P.MOVING, P.PRESSED),
        args=(play.ROLL, play.WHITE_DICE, play.BLACK_DICE),
    ),
    OrderSpec(
        "offer",
        "Doubles. What stands illegally from the turn before now stands for good.",
        cube.offer,
        AT_BUTTONS,
        whose=Whose.OWN,
        turn=WhoseTurn.ON_ROLL,
        phases=(P.TO_ROLL, P.ILLEGAL),
        args=(play.SIDE, cube.SOURCE),
    ),
    OrderSpec(
        "take",
        "Takes the double; after a beaver, plays on.",
        cube.take_cube,
        AT_BUTTONS,
        whose=Whose.OWN,
        turn=WhoseTurn.ASKED,
        phases=(P.DOUBLED,),
        args=(play.ANSWERING, cube.SOURCE),
    ),
    OrderSpec(
        "drop",
        "Drops the double: the game ends at the cube's value before it.",
        cube.drop,
        AT_BUTTONS,
        whose=Whose.OWN,
        turn=WhoseTurn.ASKED,
        phases=(P.DOUBLED,),
        args=(play.ANSWERING, cube.SOURCE),
    ),
    OrderSpec(
        "beaver",
        "Takes and redoubles at once, where that was agreed.",
        cube.beaver,
        AT_BUTTONS,
        whose=Whose.OWN,
        turn=WhoseTurn.ASKED,
        phases=(P.DOUBLED,),
        args=(play.ANSWERING,),
    ),
    OrderSpec(
        "resign",
        "Offers to resign.",
        cube.resign,
        AT_BUTTONS,
        whose=Whose.OWN,
        phases=tuple(p for p in Phase if p in PLAYING | {P.OPENING}),
        when="a game in progress",
        args=(play.SIDE, cube.LEVEL),
    ),
    OrderSpec(
        "accept_resignation",
        "Accepts the resignation; the game ends.",
        cube.accept_resignation,
        AT_BUTTONS,
        whose=Whose.OWN,
        turn=WhoseTurn.ASKED,
        args=(play.ANSWERING,),
    ),
    OrderSpec(
        "refuse_resignation",
        "Refuses the resignation; play goes on.",
        cube.refuse_resignation,
        AT_BUTTONS,
        whose=Whose.OWN,
        turn=WhoseTurn.ASKED,
        args=(play.ANSWERING,),
    ),
    OrderSpec(
        "premature_stands",
        "Lets a roll that came too early stand.",
        play.premature_stands,
        AT_BUTTONS,
        whose=Whose.OWN,
        turn=WhoseTurn.INTERRUPTED,
        args=(play.ANSWERING,),
    ),
    OrderSpec(
        "premature_again",
        "Has a roll that came too early thrown again.",
        play.premature_again,
        AT_BUTTONS,
        whose=Whose.OWN,
        turn=WhoseTurn.INTERRUPTED,
        args=(play.ANSWERING,),
    ),
    OrderSpec(
        "call_director",
        "Calls the director; both clocks stop.",
        rulings.call_director,
        AT_BUTTONS,
        whose=Whose.OWN,
        args=(play.REASON,),
    ),
    OrderSpec(
        "appeal",
        "Appeals against a ruling while its window is open.",
        rulings.appeal,
        whose=Whose.OWN,
        args=(rulings.RULING, play.REASON),
    ),
    OrderSpec(
        "stop_clocks",
        "Both clocks rest. A player may do so only where the event lets the side whose turn a"
        " premature roll interrupted pause the clock.",
        clock.stop_clocks,
        AT_BUTTONS,
        whose=Whose.OWN,
        turn=WhoseTurn.INTERRUPTED,
        clock=ClockNeed.RUNNING,
        args=(play.REASON,),
        conduct="Dice: after a premature roll the interrupted side may pause the clock",
    ),
    # What both players agree on at the table.
    OrderSpec(
        "set_match",
        "Sets the match that is to be played. One of which no play is recorded yet is set anew.",
        rulings.set_match,
        phases=all_but(P.FROZEN),
        when="a table that is not frozen, and no play of a match recorded",
        args=(
            rulings.RULESET,
            rulings.OPTIONS,
            rulings.LENGTH,
            rulings.WHITE,
            rulings.BLACK,
            rulings.SEATING,
            rulings.CLOCK,
            rulings.EVENT,
            rulings.SCORE,
            rulings.BASE,
            rulings.CRAWFORD_PLAYED,
            rulings.RULES_TEXT,
        ),
    ),
    OrderSpec(
        "start_game",
        "Begins a game; the set-up is taken as said.",
        play.start_game_order,
        phases=(P.SETTING_UP, P.GAME_OVER),
        args=(play.STARTER,),
    ),
    OrderSpec(
        "confirm",
        "Says that a side is there and agrees with length and clock, as its clock button does"
        " before the first game.",
        play.confirm,
        AT_BUTTONS,
        whose=Whose.OWN,
        phases=(P.SETTING_UP,),
        when="a match whose first game has not begun",
        args=(play.SIDE,),
    ),
    OrderSpec(
        "next_game",
        "Begins the next game; the set-up is taken as said.",
        play.start_game_order,
        phases=(P.SETTING_UP, P.GAME_OVER),
        args=(play.STARTER,),
    ),
    OrderSpec(
        "start_clocks",
        "A clock runs again.",
        clock.start_clocks,
        AT_BUTTONS,
        phases=all_but(P.IDLE, P.GAME_OVER, P.MATCH_OVER, P.ADJOURNED),
        when="a match in progress, but not between two games",
        clock=ClockNeed.RESTING,
        args=(clock.RUNS, play.REASON),
        conduct="Clocks: the lower opening roller starts the other's clock",
    ),
    OrderSpec(
        "change_clock",
        "Plays on with a clock, without one, or with another.",
        clock.change_clock,
        phases=(P.SETTING_UP, P.GAME_OVER),
        when="the time between two games",
        args=(clock.KEPT_BY, clock.PRESET, clock.NEW_BANK, clock.NEW_DELAY, play.REASON),
        conduct="Clocks: a clock is introduced or removed only between games",
    ),
    OrderSpec(
        "roll_again",
        "Both sides agree that the roll does not count.",
        play.roll_again,
        phases=(P.MOVING,),
        args=(play.REASON,),
    ),
    OrderSpec(
        "declare_play",
        "Says a play by its result, with its roll where that is not known yet. One that the record"
        " does not allow is taken, unresolved, where the board shows just that.",
        play.declare_play,
        phases=(P.TO_ROLL, P.MOVING, P.PRESSED, P.ILLEGAL, P.DIFFERS),
        args=(play.NEEDED_PLACEMENT, play.ROLL),
    ),
    OrderSpec(
        "choose_explanation",
        "Chooses what happened, of an ambiguous play or of a board that differs.",
        play.choose_explanation,
        args=(play.INDEX,),
    ),
    OrderSpec(
        "not_so",
        "Says that the board is not as the table takes it; nothing is recorded meanwhile.",
        play.not_so,
        phases=(P.PRESSED,),
    ),
    OrderSpec(
        "let_stand",
        "Lets the illegal play that was noticed stand; or, with a placement, this one although it"
        " is illegal.",
        play.let_stand,
        turn=WhoseTurn.OPPONENT,
        phases=(P.ILLEGAL, P.MOVING, P.PRESSED, P.TO_ROLL, P.DIFFERS),
        args=(play.PLACEMENT, play.ROLL),
    ),
    OrderSpec(
        "adjourn",
        "Stops here, to go on at this score, position, roll and clocks.",
        rulings.adjourn,
        phases=all_but(P.IDLE, P.MATCH_OVER, P.ADJOURNED),
        when=IN_MATCH,
        args=(play.REASON,),
    ),
    OrderSpec(
        "resume",
        "Goes on with an adjourned match.",
        rulings.resume_match,
        phases=(P.ADJOURNED,),
        args=(play.REASON,),
    ),
    # The record.
    OrderSpec(
        "correct_roll",
        "Corrects the roll of a play, which stays as it is; without `seq`, the roll of the turn in"
        " progress.",
        record.correct_roll,
        STAFF,
        Whose.ANYONE,
        args=(record.NEEDED_ROLL, record.SEQ, play.REASON),
    ),
    OrderSpec(
        "correct_play",
        "Corrects a play, and its roll where that was wrong too.",
        record.correct_play,
        STAFF,
        Whose.ANYONE,
        args=(record.NEEDED_SEQ, play.NEEDED_PLACEMENT, play.ROLL, record.REWIND, play.REASON),
    ),
    OrderSpec(
        "set_position",
        "Sets up a position, for study or to go on from one that was played by hand.",
        record.set_position,
        STAFF,
        Whose.ANYONE,
        args=(
            record.POSITION,
            record.ON_ROLL,
            record.CUBE,
            record.CUBE_OWNER,
            record.FIRST_TURNS,
            play.REASON,
        ),
    ),
    *DIRECTING,
    *HARDWARE,
)

ORDERS: Final[Mapping[str, OrderSpec]] = {spec.name: spec for spec in SPECS}
"""Every order by its name."""

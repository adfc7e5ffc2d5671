"""Presses from a phone or tablet that is the table's clock and buttons. They come over a network
that may be away: each is numbered, kept by the phone until the table has it, and may come late or
again. An entry says of each when the finger came down and how surely that is known, before
whatever the press does; a number that is on record already does nothing.
"""

from __future__ import annotations

from typing import Final

from rules.board import Side
from service.journal import entries as e
from service.referee.args import SIDES, NumberArg, TextArg, WholeArg
from service.referee.buttons import BUTTON, BUTTONS, press_button
from service.referee.draft import Draft
from service.referee.inputs import Order, Press
from service.referee.presses import on_press
from service.referee.state import Phase, State

DEVICE: Final = TextArg("device", "the device's own mark", True, 40)
NUMBER: Final = WholeArg("number", "which press of that device, counted from 1", True)
PRESSED: Final = TextArg(
    "pressed", "a side's half of the clock, or a button", True, 20, (*SIDES, *BUTTONS)
)
AT: Final = NumberArg("at", "when the finger came down, table time", True, 0.0, 1e12)
DOUBT: Final = NumberArg("doubt", "seconds by which that may be wrong", False, 0.0, 1e6)
LATE_S: Final = 3.0
"""A press of another button than the clock's that is older means nothing any more: the moment that
it spoke to may have passed.
"""


def phone_press(draft: Draft, order: Order) -> None:
    """Take one press, once."""
    device, number, what = DEVICE.of(order), NUMBER.of(order), PRESSED.of(order)
    if number <= draft.state.phones.get(device, 0):
        return
    at, doubt = min(AT.of(order), draft.now), DOUBT.maybe(order) or 0.0
    draft.say(e.PhonePressed(device, number, what, round(at, 4), round(doubt, 4)))
    side = Side(what) if what in SIDES else None
    if _too_late(draft.state, side, at + doubt, draft.now):
        draft.say(e.Noted("press_late", side, device))
    elif side is not None and draft.state.phase is not Phase.IDLE:
        on_press(draft, Press(side, max(at, _earliest(draft.state)), "phone"))
    elif side is None:
        press_button(draft, Order("button", {BUTTON.name: what}, order.by))


def _earliest(state: State) -> float:
    """Before when no press can speak to the present turn."""
    return max(state.turn.began, state.match.pressed_at if state.phase is Phase.PRESSED else 0.0)


def _too_late(state: State, side: Side | None, latest: float, now: float) -> bool:
    """Whether a press made at `latest` at the latest speaks to a moment that has passed."""
    if side is not None:
        return latest < _earliest(state)
    return latest < now - LATE_S

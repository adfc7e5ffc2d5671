"""What a button of the board means at this moment. Nobody knows whose hand pressed a button in the
middle of the table: it speaks for the side whose word it can be now.

| button | answering a double | answering a resignation | after an early roll | else |
|---|---|---|---|---|
| offer | beaver | | | double |
| take | take | accept | it stands | |
| drop | drop | refuse | roll again | |
| resign | resign | resign a level higher | resign | resign |
| director | call the director, always | | | |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rules.board import Side
from rules.game import resignation_values
from service.journal import entries as e
from service.referee import cube_orders as cube
from service.referee.args import TextArg
from service.referee.draft import Draft
from service.referee.inputs import Args, Order
from service.referee.orders import Act, premature_again, premature_stands
from service.referee.refusal import OrderError
from service.referee.rulings import call_director
from service.referee.state import PLAYING, Phase, State

BUTTONS: Final = ("offer", "take", "drop", "resign", "director")
BUTTON: Final = TextArg("button", "which one", True, 20, BUTTONS)

_AT_A_DOUBLE: Final[Mapping[str, Act]] = {
    "offer": cube.beaver,
    "take": cube.take_cube,
    "drop": cube.drop,
}
_AT_A_RESIGNATION: Final[Mapping[str, Act]] = {
    "take": cube.accept_resignation,
    "drop": cube.refuse_resignation,
}
_AT_AN_EARLY_ROLL: Final[Mapping[str, Act]] = {"take": premature_stands, "drop": premature_again}


def press_button(draft: Draft, order: Order) -> None:
    """What the button means now; one that means nothing is noted and accuses nobody."""
    name = BUTTON.of(order)
    act, args = _meaning(draft.state, name)
    given = Order(name, args, order.by)
    if act is not None and _can(draft, act, given):
        act(draft, given)
    elif name == "offer" and draft.state.phase in PLAYING:
        cube.refuse_cube(draft, draft.state.game.on_roll)
    else:
        draft.say(e.Noted("press_ignored", None, name))


def _can(draft: Draft, act: Act, given: Order) -> bool:
    """Whether an act would be carried out, tried on a draft that is thrown away."""
    try:
        act(Draft(draft.state, draft.now, draft.by), given)
    except OrderError:
        return False
    return True


def _meaning(state: State, name: str) -> tuple[Act | None, Args]:
    if name == "director":
        return call_director, {}
    if name == "resign":
        return (cube.resign, _resignation(state)) if state.phase in PLAYING else (None, {})
    if state.turn.resigning is not None:
        return _AT_A_RESIGNATION.get(name), {}
    if state.phase is Phase.DOUBLED:
        return _AT_A_DOUBLE.get(name), {}
    if name == "offer":
        return cube.offer, {}
    return _AT_AN_EARLY_ROLL.get(name), {}


def _resignation(state: State) -> Args:
    """Whose resignation, and of which level: pressed again it goes up, and from the highest back to
    the lowest.
    """
    assert state.match.ruleset is not None
    values = resignation_values(state.match.ruleset)
    if state.turn.resigning is None:
        return {"side": _speaker(state).value, "level": values[0]}
    side, level = state.turn.resigning
    higher = [value for value in values if value > level]
    return {"side": side.value, "level": higher[0] if higher else values[0]}


def _speaker(state: State) -> Side:
    asked = state.phase is Phase.DOUBLED and state.turn.offer is not None
    return state.turn.offer[0].other if asked and state.turn.offer else state.game.on_roll

"""What people may tell the table about cube and resignations."""

from __future__ import annotations

from typing import Final

from rules.axes import Win
from rules.board import Side
from rules.game import (
    Beavered,
    Corrected,
    Dropped,
    Offered,
    ResignAccepted,
    ResignOffered,
    ResignRefused,
    Taken,
    resignation_win,
)
from rules.match import DeadCube
from service.journal import entries as e
from service.referee.args import TextArg, WholeArg
from service.referee.draft import Draft
from service.referee.entering import stand
from service.referee.inputs import Order
from service.referee.match import applied, end_game, match_of
from service.referee.orders import SIDE, answering, expect, own_turn
from service.referee.refusal import OrderError
from service.referee.state import CUBE_OUT_OF_TURN, Phase, State

LEVEL: Final = WholeArg("level", "how many times the cube, as a game can cost", True, 1, 100)
SOURCE: Final = TextArg(
    "source",
    "what turned the cube: buttons where it is absent",
    choices=("buttons", "camera", "page", "dice"),
)
LAID_BACK: Final = "laid_back"
"""Why a double was none: the cube was laid back where it had been, and nobody had answered."""


def offer(draft: Draft, order: Order) -> None:
    """Double. What stands illegally from the turn before now stands for good."""
    if draft.state.phase is Phase.ILLEGAL:
        stand(draft, e.Standing.NEXT_ROLL)
    side = SIDE.own(order, draft.state.game.on_roll)
    own_turn(order, side)
    expect(draft, Phase.TO_ROLL)
    after = applied(draft.state, Offered(side))
    draft.say(e.CubeOffered(side, after.game.cube.value * 2, SOURCE.maybe(order) or "buttons"))
    draft.sound("ask")


def refuse_cube(draft: Draft, side: Side) -> None:
    """The cube was turned where it may not be: the arbiter hears of it and both players are told
    what holds, once a game; nobody is accused, and play goes on.
    """
    why = why_no_cube(draft.state, side)
    told_before = why in draft.state.game.cube_refused
    if draft.once("cube_out_of_turn"):
        seq = draft.say(e.Noted(CUBE_OUT_OF_TURN, side, why))
        if not told_before:
            draft.alert(CUBE_OUT_OF_TURN, None, why, about=seq)
            draft.sound("ask")


TOO_LATE: Final = "rolled"
"""Why a side may not double that has rolled, or is not on roll: it might have before."""


def why_no_cube(state: State, side: Side) -> str:
    """Why a side may not double now, as a word: no_cube, crawford, owner, limit, dead or rolled."""
    match = match_of(state)
    cube = match.game.cube
    if not cube.limit:
        return "no_cube"
    if match.game.crawford:
        return "crawford"
    if cube.owner not in (None, side):
        return "owner"
    if cube.value * 2 > cube.limit:
        return "limit"
    refused = match.rules.dead_cube is DeadCube.REFUSED and match.cube_is_dead(side)
    return "dead" if refused else TOO_LATE


def _answerer(draft: Draft) -> Side:
    found = draft.state.turn.offer
    assert found is not None
    return found[0].other


def take_cube(draft: Draft, order: Order) -> None:
    """Take the double; after a beaver, play on."""
    side = _answerer(draft)
    answering(order, side)
    cube = applied(draft.state, Taken(side)).game.cube
    # A beaver that is accepted leaves the cube where it is.
    assert cube.owner is not None
    draft.say(e.CubeTaken(cube.owner, cube.value, SOURCE.maybe(order) or "buttons"))


def take_seen_later(draft: Draft, doubler: Side) -> None:
    """The record has a double of this side's in its last turn, taken, that is told only now."""
    value = draft.state.game.cube * 2
    draft.say(e.CubeOffered(doubler, value, e.SEEN_LATER))
    draft.say(e.CubeTaken(doubler.other, value, e.SEEN_LATER))


def withdraw_double(draft: Draft) -> None:
    """The cube lies back where it was, and the side that seemed to double goes on: it was none."""
    found = draft.state.turn.offer
    assert found is not None
    applied(draft.state, Corrected(undo_roll=True))
    draft.say(e.CubeWithdrawn(found[0], LAID_BACK))


def drop(draft: Draft, order: Order) -> None:
    """Drop the double: the game ends at the cube's value before it."""
    side = _answerer(draft)
    answering(order, side)
    after = applied(draft.state, Dropped(side))
    draft.say(e.CubeDropped(side, SOURCE.maybe(order) or "buttons"))
    end_game(draft, after, "dropped")


def beaver(draft: Draft, order: Order) -> None:
    """Take and redouble at once, where that was agreed."""
    side = _answerer(draft)
    answering(order, side)
    cube = applied(draft.state, Beavered(side)).game.cube
    draft.say(e.CubeBeavered(side, cube.value))


def resign(draft: Draft, order: Order) -> None:
    """Offer to resign."""
    side, level = SIDE.own(order), LEVEL.of(order)
    own_turn(order, side)
    applied(draft.state, ResignOffered(side, level))
    draft.say(e.Resigned(side, level))
    draft.sound("ask")


def _resigning(draft: Draft) -> tuple[Side, int]:
    if draft.state.turn.resigning is None:
        raise OrderError("no_question", "a resignation that was offered", "none")
    return draft.state.turn.resigning


def accept_resignation(draft: Draft, order: Order) -> None:
    """The other side accepts; the game ends."""
    loser, level = _resigning(draft)
    answering(order, loser.other)
    after = applied(draft.state, ResignAccepted(loser.other))
    draft.say(e.Resigned(loser, level, "accepted"))
    win = resignation_win(after.rules.ruleset, level)
    end_game(draft, after, "resigned", None if win is Win.SINGLE else win)


def refuse_resignation(draft: Draft, order: Order) -> None:
    """The other side refuses; play goes on."""
    loser, level = _resigning(draft)
    answering(order, loser.other)
    applied(draft.state, ResignRefused(loser.other))
    draft.say(e.Resigned(loser, level, "refused"))

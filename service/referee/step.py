"""The referee: (state, input, now) -> state, entries, commands. The hardest file of the room is its
table; this one only walks it.

What it does. A table tells it what reconcile believes (`Judged`, dice, cube, placements), what was
pressed, what people ordered, and that time passes. It answers with journal entries. The state
changes by folding those entries and in no other way, so that replaying a journal gives the state
that wrote it, whatever was seen meanwhile.

Two rules. *Everything decided is an entry; everything else is a `Watch`*, which is lost without
harm when the process dies. *Which entry may follow in which phase stands in `referee_table.ROWS`*,
from which docs/referee.md is drawn; nothing is decided by a phase that the table does not show.

What is awkward. The press ends the turn, but the board is often at rest only half a second later,
and by then the opponent may have rolled. So the play is judged in a phase of its own (PRESSED), and
dice thrown after it are watched apart from the dice of the turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias, TypeVar

from service.journal import entries as e
from service.referee.attendance import look_for_the_late
from service.referee.clock import ticking
from service.referee.cube_orders import offer, refuse_cube, take_cube
from service.referee.dice import on_opening, on_placement
from service.referee.draft import Draft
from service.referee.flags import look_for_flag
from service.referee.fold import fold, replay
from service.referee.inputs import (
    CubeWatched,
    Input,
    Judged,
    NextRollWatched,
    OpeningWatched,
    Order,
    Outcome,
    PlacementWatched,
    Press,
    RollWatched,
    SourceChanged,
    Tick,
)
from service.referee.order_table import ORDERS
from service.referee.phases import OutOfOrderError
from service.referee.presses import on_press
from service.referee.refusal import OrderError
from service.referee.state import PLAYING, Phase, State
from service.referee.thinking import look_for_delay
from service.referee.throws import on_next_roll, on_roll
from service.referee.turn import on_verdict

__all__ = ["State", "fold", "replay", "step"]

CUBE_SETTLE_S: Final = 1.0
CUBE_SURE: Final = 0.98


def step(state: State, given: Input, now: float) -> Outcome:
    """What follows from one input at table time `now` (seconds, never going back).

    Raises OrderError for an order that cannot be carried out; the state is unchanged then. Same
    state, input and time: same outcome.
    """
    by = (
        given.by
        if isinstance(given, Order)
        else e.Who("", e.Role.PLAYER, given.side)
        if isinstance(given, Press)
        else e.TABLE
    )
    draft = Draft(state, max(now, state.at), by)
    look = _LOOKS.get((type(given), state.phase))
    if look is not None:
        look(draft, given)
    return draft.outcome()


# Time.


def _tick(draft: Draft, given: Tick) -> None:
    state = draft.state
    if ticking(state.match.clock):
        look_for_flag(draft)
    look_for_delay(draft)
    look_for_the_late(draft)
    for ruling in state.match.rulings:
        if not ruling.appealed and ruling.until is not None and draft.now >= ruling.until:
            draft.say(e.AppealClosed(ruling.seq, "window passed"))


# Sources.


def _source(draft: Draft, given: SourceChanged) -> None:
    known = given.source in draft.state.lost
    if given.ok and known:
        draft.say(e.SourceBack(given.source))
    elif not given.ok and not known:
        draft.say(e.SourceLost(given.source, given.reason))
        draft.alert("source_lost", None, given.source, {"reason": given.reason}, told="arbiter")


# The cube, as the camera sees it.


def _cube(draft: Draft, given: CubeWatched) -> None:
    state = draft.state
    word = _cube_word(state, given)
    if word is None or given.p < CUBE_SURE:
        if state.watch.cube is not None:
            draft.watch(cube=None)
        return
    seen = (given.value, word)
    if state.watch.cube != seen:
        draft.watch(cube=seen, cube_since=draft.now)
    elif draft.now - state.watch.cube_since >= CUBE_SETTLE_S:
        draft.watch(cube=None)
        side = state.game.on_roll if word == "offer" else state.game.on_roll.other
        act = offer if word == "offer" else take_cube
        try:
            act(draft, Order(word, {"side": side.value, "source": "camera"}))
        except OrderError:
            refuse_cube(draft, side)


def _cube_word(state: State, given: CubeWatched) -> str | None:
    """`offer` when the cube shows the next value away from its owner's side, `take` when the
    offered value lies at the other side's.
    """
    if (
        state.phase is Phase.TO_ROLL
        and given.value == state.game.cube * 2
        and given.owner is not state.game.on_roll
    ):
        return "offer"
    if (
        state.phase is Phase.DOUBLED
        and state.turn.offer
        and given.value == state.turn.offer[1]
        and given.owner is state.turn.offer[0].other
    ):
        return "take"
    return None


# Orders.


def _order(draft: Draft, given: Order) -> None:
    spec = ORDERS.get(given.name)
    if spec is None or spec.act is None:
        known = sorted(name for name, known in ORDERS.items() if known.act)
        raise OrderError("no_order", "one of " + ", ".join(known), given.name[:40])
    spec.refuse_others(given.by.role)
    spec.refuse_now(draft.state)
    try:
        spec.act(draft, given)
    except OutOfOrderError as error:
        raise OrderError("not_now", "an order that fits the table's phase", str(error)) from None


G = TypeVar("G", bound=Input)
Look: TypeAlias = Callable[[Draft, Input], None]
Looks: TypeAlias = dict[tuple[type, Phase], Look]


def _looks(kind: type[G], look: Callable[[Draft, G], None], phases: Iterable[Phase]) -> Looks:
    """`look` for inputs of this kind in these phases."""

    def look_at(draft: Draft, given: Input) -> None:
        assert isinstance(given, kind)
        look(draft, given)

    return {(kind, phase): look_at for phase in phases}


def _verdict(draft: Draft, given: Judged) -> None:
    on_verdict(draft, given.verdict)


P = Phase
_LOOKS: Final[Looks] = {
    **_looks(Tick, _tick, Phase),
    **_looks(SourceChanged, _source, Phase),
    **_looks(Order, _order, Phase),
    **_looks(Press, on_press, [p for p in Phase if p is not Phase.IDLE]),
    **_looks(Judged, _verdict, PLAYING - {P.DOUBLED}),
    **_looks(RollWatched, on_roll, (P.TO_ROLL, P.MOVING, P.PRESSED)),
    **_looks(NextRollWatched, on_next_roll, (P.TO_ROLL, P.MOVING, P.PRESSED, P.ILLEGAL)),
    **_looks(PlacementWatched, on_placement, (P.SETTING_UP, P.GAME_OVER, P.DIFFERS)),
    **_looks(CubeWatched, _cube, (P.TO_ROLL, P.DOUBLED)),
    **_looks(OpeningWatched, on_opening, (P.OPENING,)),
}
"""Who looks at which input in which phase; what is not named here is not looked at there."""

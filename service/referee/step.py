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

from rules.conduct import AtFlag, News, Penalty, overdue, rung
from service.journal import entries as e
from service.reconcile import Matches, RollRead
from service.referee.clock import ticking
from service.referee.cube_orders import drop, offer, take_cube
from service.referee.dice import (
    ROLL_SETTLE_S,
    enter_roll,
    on_opening,
    on_opening_play,
    on_placement,
)
from service.referee.draft import Draft
from service.referee.fold import fold, replay
from service.referee.inputs import (
    CubeWatched,
    Input,
    Judged,
    NextRollWatched,
    OpeningPlayed,
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
from service.referee.refusal import OrderError
from service.referee.rulings import penalise
from service.referee.state import PLAYING, Phase, State
from service.referee.throws import on_next_roll, on_roll
from service.referee.turn import on_press, on_verdict

__all__ = ["State", "fold", "replay", "step"]

ANEW_S: Final = 3.0
"""The start stands on the board for so long before a game is over by it, s."""
CUBE_EARLY_S: Final = 1.0
"""A cube may be turned so long before the turn before it is seen to be over, s."""


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
        _flag(draft)
    if state.phase in (Phase.TO_ROLL, Phase.MOVING):
        rest = state.watch.rest_since if state.match.clock is not None else None
        rested = None if rest is None else draft.now - rest
        for late in overdue(
            draft.now - state.turn.began,
            rested,
            state.match.event.slow_turn_s,
            state.match.event.missed_press_s,
        ):
            if draft.once(late.value):
                seq = draft.say(e.Noted(late.value, state.game.on_roll))
                draft.alert(late.value, state.game.on_roll, about=seq, news=News.CONDUCT)
    for ruling in state.match.rulings:
        if not ruling.appealed and ruling.until is not None and draft.now >= ruling.until:
            draft.say(e.AppealClosed(ruling.seq, "window passed"))


def _flag(draft: Draft) -> None:
    """The side whose time ran out, once a flag; what follows is the event's."""
    state = draft.state
    clock = state.match.clock
    assert clock is not None
    side = None if clock.flagged else clock.flag(draft.now)
    if side is None or state.phase not in PLAYING | {Phase.OPENING}:
        return
    violation = state.match.flags[side] + 1
    extra = state.match.event.overtime_s
    if extra and side not in clock.overtime_used:
        draft.say(e.Flagged(side, round(draft.now, 3), violation, "overtime", int(extra), True))
        draft.say(e.ClockAdjusted(side, extra, 0.0, "overtime", True))
        draft.sound("flag")
        return
    plan = state.match.event.clock_plan()
    penalty = rung(plan.ladder if plan else (), violation)
    automatic = (
        state.match.event.at_flag is AtFlag.AUTOMATIC and penalty.penalty is not Penalty.DIRECTOR
    )
    seq = draft.say(
        e.Flagged(
            side, round(draft.now, 3), violation, penalty.penalty.value, penalty.amount, automatic
        )
    )
    draft.sound("flag")
    if automatic:
        penalise(draft, side, penalty, "flag_fell")
    else:
        draft.alert("flag", side, "flag_fell", about=seq, news=News.CLOCK)


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
    word = _cube_word(draft.state, given)
    if word is None:
        return
    state = draft.state
    side = state.game.on_roll if word == "offer" else state.game.on_roll.other
    act = offer if word == "offer" else take_cube
    try:
        act(draft, Order(word, {"side": side.value, "source": "camera"}))
    except OrderError:
        # A cube turned where none may be offered is no accusation: it is looked at and left.
        if draft.once("cube_out_of_turn"):
            draft.say(e.Noted("cube_out_of_turn", side))


def _roll_after_double(draft: Draft, given: RollWatched) -> None:
    """The doubler throws: the double was taken, whatever the cube shows."""
    watch, seen = draft.state.watch, given.seen
    if not isinstance(seen, RollRead):
        return
    if watch.roll != seen.roll:
        draft.watch(roll=seen.roll, roll_since=draft.now)
    elif watch.roll_since is not None and draft.now - watch.roll_since >= ROLL_SETTLE_S:
        take_cube(draft, Order("take", {"source": "dice"}))
        if draft.state.phase is Phase.TO_ROLL:
            enter_roll(draft, seen.roll, e.DiceOrigin.READ, seen.p)


def _set_up_anew(draft: Draft, given: PlacementWatched) -> None:
    """The checkers are set up for the next game over an open double: it was dropped."""
    since = draft.state.watch.rest_since
    if not isinstance(given.seen, Matches):
        draft.watch(rest_since=None)
    elif since is None:
        draft.watch(rest_since=draft.now)
    elif draft.now - since >= ANEW_S:
        drop(draft, Order("drop", {"source": "camera"}))


def _cube_word(state: State, given: CubeWatched) -> str | None:
    """`offer` when the cube was turned to the next value in this turn, away from its owner's side;
    `take` when it was moved to the other side's after it was offered.
    """
    if given.since is None:
        return None
    if (
        state.phase is Phase.TO_ROLL
        and given.value == state.game.cube * 2
        and given.owner is not state.game.on_roll
        and given.since > state.turn.began - CUBE_EARLY_S
    ):
        return "offer"
    if (
        state.phase is Phase.DOUBLED
        and state.turn.offer
        and given.value == state.turn.offer[1]
        and given.owner is state.turn.offer[0].other
        and given.since > state.turn.offered_at
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
    **_looks(Press, on_press, PLAYING),
    **_looks(Judged, _verdict, PLAYING - {P.DOUBLED}),
    **_looks(RollWatched, on_roll, (P.TO_ROLL, P.MOVING, P.PRESSED)),
    **_looks(RollWatched, _roll_after_double, (P.DOUBLED,)),
    **_looks(NextRollWatched, on_next_roll, (P.TO_ROLL, P.MOVING, P.PRESSED, P.ILLEGAL)),
    **_looks(PlacementWatched, on_placement, (P.SETTING_UP, P.GAME_OVER, P.DIFFERS)),
    **_looks(PlacementWatched, _set_up_anew, (P.DOUBLED,)),
    **_looks(OpeningPlayed, on_opening_play, (P.OPENING,)),
    **_looks(CubeWatched, _cube, (P.TO_ROLL, P.DOUBLED)),
    **_looks(OpeningWatched, on_opening, (P.OPENING,)),
}
"""Who looks at which input in which phase; what is not named here is not looked at there."""

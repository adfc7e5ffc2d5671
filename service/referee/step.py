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

from rules.observation import eyes_lost
from service.journal import entries as e
from service.referee.attendance import look_for_the_late
from service.referee.clock import ticking
from service.referee.cube_watched import (
    on_cube,
    play_after_double,
    roll_after_double,
    throw_after_double,
)
from service.referee.denied import on_denied
from service.referee.dice import EARLY_PRESS_S, on_opening, on_placement
from service.referee.draft import Draft
from service.referee.flags import look_for_flag
from service.referee.fold import fold, replay
from service.referee.inputs import (
    CubeWatched,
    Input,
    Judged,
    LinesWrong,
    NextRollWatched,
    OpeningPlayed,
    OpeningWatched,
    Order,
    Outcome,
    PlacementWatched,
    PlayedOn,
    PlayedOver,
    Press,
    RecordDenied,
    RollWatched,
    SetUpWatched,
    SourceChanged,
    StandingWatched,
    Tick,
)
from service.referee.lines_put_right import on_lines_wrong
from service.referee.opening_play import on_opening_play
from service.referee.order_table import ORDERS
from service.referee.orders import SIDE
from service.referee.phases import DO_FIRST, OutOfOrderError
from service.referee.played_on import on_played_on, on_standing
from service.referee.presses import on_press
from service.referee.refusal import OrderError
from service.referee.set_up_anew import on_set_up
from service.referee.state import PLAYING, Phase, State
from service.referee.thinking import look_for_delay
from service.referee.throws import on_next_roll, on_roll
from service.referee.turn import on_verdict
from service.referee.unanswered import go_on_without_an_answer
from service.referee.unpressed import end_turn_by_double, end_turn_unseen, on_played_over

__all__ = ["State", "fold", "replay", "step"]


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
        if eyes_lost((given.source,)):
            end_turn_unseen(draft)


# Orders.


def _order(draft: Draft, given: Order) -> None:
    spec = ORDERS.get(given.name)
    if spec is None or spec.act is None:
        known = sorted(name for name, known in ORDERS.items() if known.act)
        raise OrderError("no_order", "one of " + ", ".join(known), given.name[:40])
    spec.refuse_others(given.by.role)
    phase = draft.state.phase
    side = draft.state.game.on_roll
    if given.name == "offer" and SIDE.own(given, side.other) is side.other:
        if phase is Phase.PRESSED:
            # Whoever doubles over what the table still asks about takes it as it stands.
            go_on_without_an_answer(draft)
        end_turn_by_double(draft, side, draft.now)
    try:
        spec.refuse_now(draft.state)
        spec.act(draft, given)
    except OutOfOrderError as error:
        expected = "an order that fits the table's phase"
        raise OrderError("not_now", expected, str(error), DO_FIRST[phase]) from None
    except OrderError as error:
        why = error.refusal
        if why.code != "not_now" or why.next:
            raise
        raise OrderError("not_now", why.expected, why.came, DO_FIRST[phase]) from None


G = TypeVar("G", bound=Input)
Look: TypeAlias = Callable[[Draft, Input], None]
Looks: TypeAlias = dict[tuple[type, Phase], Look]


def _looks(kind: type[G], look: Callable[[Draft, G], None], phases: Iterable[Phase]) -> Looks:
    """`look` for inputs of this kind in these phases."""

    def look_at(draft: Draft, given: Input) -> None:
        assert isinstance(given, kind)
        look(draft, given)

    return {(kind, phase): look_at for phase in phases}


def _opening_played(draft: Draft, given: OpeningPlayed) -> None:
    """The first play of the game stands there; whoever made it may have pressed already."""
    early = draft.state.watch.early_press
    on_opening_play(draft, given)
    state = draft.state
    if early is None or state.phase is P.OPENING or early[0] is not state.game.on_roll:
        return
    if draft.now - early[1] <= EARLY_PRESS_S:
        on_press(draft, Press(early[0], early[1]))


def _verdict(draft: Draft, given: Judged) -> None:
    on_verdict(draft, given.verdict, stood=given.stood)


P = Phase
_LOOKS: Final[Looks] = {
    **_looks(Tick, _tick, Phase),
    **_looks(SourceChanged, _source, Phase),
    **_looks(Order, _order, Phase),
    **_looks(Press, on_press, [p for p in Phase if p is not Phase.IDLE]),
    **_looks(Judged, _verdict, PLAYING - {P.DOUBLED}),
    **_looks(RollWatched, on_roll, (P.TO_ROLL, P.MOVING, P.PRESSED)),
    **_looks(RollWatched, roll_after_double, (P.DOUBLED,)),
    **_looks(NextRollWatched, on_next_roll, (P.TO_ROLL, P.MOVING, P.PRESSED, P.ILLEGAL)),
    **_looks(NextRollWatched, throw_after_double, (P.DOUBLED,)),
    **_looks(PlayedOver, on_played_over, (P.TO_ROLL, P.MOVING)),
    **_looks(PlayedOn, on_played_on, (P.DIFFERS,)),
    **_looks(StandingWatched, on_standing, (P.TO_ROLL, P.MOVING, P.PRESSED)),
    **_looks(StandingWatched, play_after_double, (P.DOUBLED,)),
    **_looks(RecordDenied, on_denied, (P.TO_ROLL, P.MOVING)),
    **_looks(LinesWrong, on_lines_wrong, Phase),
    **_looks(PlacementWatched, on_placement, (P.SETTING_UP, P.GAME_OVER, P.DIFFERS)),
    **_looks(SetUpWatched, on_set_up, PLAYING),
    **_looks(OpeningPlayed, _opening_played, (P.OPENING,)),
    **_looks(CubeWatched, on_cube, (P.TO_ROLL, P.DOUBLED, P.MOVING)),
    **_looks(OpeningWatched, on_opening, (P.OPENING,)),
}
"""Who looks at which input in which phase; what is not named here is not looked at there."""

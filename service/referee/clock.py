"""The clock as the journal moves it: each entry that starts, stops, presses or corrects it carries
its own time.

Table time runs only while the table runs, so a crash costs nobody anything: the clock goes on from
the last heartbeat. The machine's date is never asked, so no step of it can move a clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from rules.board import Side
from rules.clock import Clock, correct, new_game, overtime, pause, press, resume, start, stop, tick
from rules.event import EventFile
from rules.match import Score
from service.journal import entries as e
from service.referee.state import State

if TYPE_CHECKING:
    from service.referee.state import At


def ticking(clock: Clock | None) -> bool:
    """Whether somebody's time runs now."""
    return clock is not None and clock.running is not None and clock.since is not None


def new_clock(body: e.MatchSet, event: EventFile) -> Clock | None:
    """The clock of a match, None where the table keeps none (the club's own, or no clock). Raises
    ValueError for a bank that cannot be."""
    if body.clock != "ours":
        return None
    control = event.time_control(Score(*body.score))
    return None if control is None else Clock.of(control)


def _pressed(clock: Clock, body: e.TurnPressed | e.HandedBack, at: At) -> Clock:
    return _passed(
        clock, body.side, body.pressed_at if isinstance(body, e.TurnPressed) else body.handed_at
    )


def _passed(clock: Clock, side: Side, when: float) -> Clock:
    """A side's turn is over: the other's time begins.

    A clock that was paused stays so, in the other's turn.
    """
    if clock.running is None:
        return start(clock, side.other, when)
    if clock.running is not side:
        return clock
    if clock.since is None:
        return pause(press(resume(clock, when), side, when), when)
    return press(clock, side, max(when, clock.since))


def _played(clock: Clock, body: e.PlayEntered, at: At) -> Clock:
    """A turn that was recorded without a press (explained afterwards, said by a person) passes the
    clock on as well.
    """
    return clock if clock.running is None else _passed(clock, body.side, at.at)


def _started(clock: Clock, body: e.ClockStarted, at: At) -> Clock:
    if clock.running is body.side:
        return resume(clock, body.started_at)
    if clock.running is not None:
        clock = stop(clock, body.started_at)
    return start(clock, body.side, body.started_at)


def _stopped(clock: Clock, body: e.ClockStopped, at: At) -> Clock:
    return pause(clock, body.stopped_at) if ticking(clock) else clock


def _adjusted(clock: Clock, body: e.ClockAdjusted, at: At) -> Clock:
    change = overtime if body.overtime else correct
    return change(clock, body.side, body.bank, at.at)


def _flagged(clock: Clock, body: e.Flagged, at: At) -> Clock:
    return tick(clock, at.at)


def _turned(clock: Clock, body: e.PositionSet, at: At) -> Clock:
    """Set to another side's turn, the clock stands in that side's turn, running or paused as it
    was.
    """
    if clock.running is None or clock.running is body.on_roll:
        return clock
    ran = ticking(clock)
    clock = start(stop(clock, at.at), body.on_roll, at.at)
    return clock if ran else pause(clock, at.at)


def _over(clock: Clock, body: e.Body, at: At) -> Clock:
    return stop(clock, at.at)


def _new_game(clock: Clock, body: e.GameStarted, at: At) -> Clock:
    return new_game(clock, at.at)


def _folded(change: Callable[[Clock, Any, Any], Clock]) -> Callable[[State, Any, Any], State]:
    def fold(state: State, body: Any, at: Any) -> State:
        return state if state.clock is None else replace(state, clock=change(state.clock, body, at))

    return fold


CLOCK_FOLDS: Final[Mapping[type[e.Body], Callable[[State, Any, Any], State]]] = {
    e.TurnPressed: _folded(_pressed),
    e.HandedBack: _folded(_pressed),
    e.PlayEntered: _folded(_played),
    e.PositionSet: _folded(_turned),
    e.ClockStarted: _folded(_started),
    e.ClockStopped: _folded(_stopped),
    e.ClockAdjusted: _folded(_adjusted),
    e.Flagged: _folded(_flagged),
    e.GameStarted: _folded(_new_game),
    e.GameEnded: _folded(_over),
    e.MatchEnded: _folded(_over),
}

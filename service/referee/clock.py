"""The clock as the journal moves it: each entry that starts, stops, presses or corrects it carries
its own time.

Table time runs only while the table runs, so a crash costs nobody anything: the clock goes on from
the last heartbeat. The machine's date is never asked, so no step of it can move a clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, TypeVar

from rules.board import Side
from rules.clock import Clock, correct, new_game, overtime, pause, press, resume, start, stop, tick
from rules.event import EventFile
from rules.match import Score
from service.journal import entries as e
from service.referee.folds import Fold, FoldRow, fold_of
from service.referee.state import At, State

B = TypeVar("B", bound=e.Body)


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


def _press(clock: Clock, body: e.TurnPressed, at: At) -> Clock:
    return _pass_on(clock, body.side, body.pressed_at)


def _hand_back(clock: Clock, body: e.HandedBack, at: At) -> Clock:
    return _pass_on(clock, body.side, body.handed_at)


def _reopen(clock: Clock, body: e.TurnReopened, at: At) -> Clock:
    return _pass_on(clock, body.side, body.reopened_at)


def _pass_on(clock: Clock, side: Side, when: float) -> Clock:
    """The clock after a side's turn: the other's time begins.

    A clock that was paused stays so, in the other's turn.
    """
    if clock.running is None:
        return start(clock, side.other, when)
    if clock.running is not side:
        return clock
    if clock.since is None:
        return pause(press(resume(clock, when), side, when), when)
    return press(clock, side, max(when, clock.since))


def _play(clock: Clock, body: e.PlayEntered, at: At) -> Clock:
    """The clock after a play: a turn that was recorded without a press (explained afterwards, said
    by a person) passes it on as well.
    """
    return clock if clock.running is None else _pass_on(clock, body.side, at.at)


def _offer(clock: Clock, body: e.CubeOffered | e.CubeBeavered, at: At) -> Clock:
    """The clock after a double or a beaver: whoever answers thinks on his own time."""
    over = isinstance(body, e.CubeOffered) and body.source == e.SEEN_LATER
    return clock if over or clock.running is None else _pass_on(clock, body.side, at.at)


def _start(clock: Clock, body: e.ClockStarted) -> Clock:
    if clock.running is body.side:
        return resume(clock, body.started_at)
    if clock.running is not None:
        clock = stop(clock, body.started_at)
    return start(clock, body.side, body.started_at)


def _started(state: State, body: e.ClockStarted, at: At) -> State:
    clock = state.match.clock
    if clock is None:
        return state
    match = replace(state.match, clock=_start(clock, body), rests_for="")
    return replace(state, match=match)


def _stopped(state: State, body: e.ClockStopped, at: At) -> State:
    clock = state.match.clock
    if clock is None or not ticking(clock):
        return state
    clock = pause(clock, body.stopped_at)
    return replace(state, match=replace(state.match, clock=clock, rests_for=body.reason))


def _adjust(clock: Clock, body: e.ClockAdjusted, at: At) -> Clock:
    change = overtime if body.overtime else correct
    return change(clock, body.side, body.bank, at.at)


def _flag(clock: Clock, body: e.Flagged, at: At) -> Clock:
    return tick(clock, at.at)


def _position(clock: Clock, body: e.PositionSet, at: At) -> Clock:
    """The clock set to another side's turn: it stands in that side's turn, running or paused as it
    was.
    """
    if clock.running is None or clock.running is body.on_roll:
        return clock
    ran = ticking(clock)
    clock = start(stop(clock, at.at), body.on_roll, at.at)
    return clock if ran else pause(clock, at.at)


def _stop(clock: Clock, body: e.Body, at: At) -> Clock:
    return stop(clock, at.at)


def _new_game(clock: Clock, body: e.GameStarted, at: At) -> Clock:
    return new_game(clock, at.at)


def _row(kind: type[B], change: Callable[[Clock, B, At], Clock]) -> FoldRow:
    def fold_clock(state: State, body: B, at: At) -> State:
        clock = state.match.clock
        if clock is None:
            return state
        return replace(state, match=replace(state.match, clock=change(clock, body, at)))

    return fold_of(kind, fold_clock)


def _take(state: State, body: e.CubeTaken | e.CubeWithdrawn, at: At) -> State:
    """The state with the clock back with the side on roll once the double is taken, or was none; a
    clock that the answerer's own press has passed on already is left as it is.
    """
    clock, side = state.match.clock, state.game.on_roll
    over = isinstance(body, e.CubeTaken) and body.source == e.SEEN_LATER
    if over or clock is None or clock.running is not side.other:
        return state
    return replace(state, match=replace(state.match, clock=_pass_on(clock, side.other, at.at)))


CLOCK_FOLDS: Final[Mapping[type[e.Body], Fold]] = dict(
    (
        _row(e.TurnPressed, _press),
        _row(e.HandedBack, _hand_back),
        _row(e.TurnReopened, _reopen),
        _row(e.PlayEntered, _play),
        _row(e.CubeOffered, _offer),
        _row(e.CubeBeavered, _offer),
        fold_of(e.CubeTaken, _take),
        fold_of(e.CubeWithdrawn, _take),
        _row(e.PositionSet, _position),
        fold_of(e.ClockStarted, _started),
        fold_of(e.ClockStopped, _stopped),
        _row(e.ClockAdjusted, _adjust),
        _row(e.Flagged, _flag),
        _row(e.GameStarted, _new_game),
        _row(e.GameEnded, _stop),
        _row(e.MatchEnded, _stop),
    )
)

"""What stops and starts the count of a side's own thinking: pauses, and whoever has to answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from service.journal import entries as e
from service.referee.folds import Fold, FoldRow, fold_of
from service.referee.state import At, State, TurnState


def thinking_stopped(turn: TurnState, at: float) -> TurnState:
    """From now on nobody's thinking counts."""
    return turn if turn.stopped_at is not None else replace(turn, stopped_at=at)


def thinking_goes_on(turn: TurnState, at: float) -> TurnState:
    """What was thought before the pause counts, the pause does not."""
    if turn.stopped_at is None:
        return turn
    began = turn.began if turn.timed_from is None else turn.timed_from
    return replace(turn, stopped_at=None, timed_from=began + at - turn.stopped_at)


def _row(kind: type[e.Body], change: Callable[[TurnState, float], TurnState]) -> FoldRow:
    def fold_thinking(state: State, body: e.Body, at: At) -> State:
        return replace(state, turn=change(state.turn, at.at))

    return fold_of(kind, fold_thinking)


THINKING_FOLDS: Final[Mapping[type[e.Body], Fold]] = dict(
    (
        _row(e.Frozen, thinking_stopped),
        _row(e.Adjourned, thinking_stopped),
        _row(e.DirectorCalled, thinking_stopped),
        _row(e.Unfrozen, thinking_goes_on),
        _row(e.Resumed, thinking_goes_on),
        _row(e.ClockStarted, thinking_goes_on),
    )
)

"""Before the first game: who is there, whether both agree with length and clock, and who is late.

A player is there once he says so: with his own clock button, or on the page. A director who calls
the match (`call_match`) starts the count; where nobody confirmed, the first game says that both are
there now, and whoever was late the director knows.
"""

from __future__ import annotations

from typing import Final

from rules.board import Side
from rules.conduct import News, Penalty, late_start
from service.journal import entries as e
from service.referee.draft import Draft
from service.referee.match import begin_game, penalty_facts
from service.referee.state import Phase, State

LATE: Final = "late_start"


def before_first_game(state: State) -> bool:
    """Whether a match is set whose first game has not begun."""
    return state.phase is Phase.SETTING_UP and state.game.number == 0


def awaits_confirmation(state: State) -> bool:
    """Whether the first game may not begin yet, because the event asks both players to confirm."""
    return before_first_game(state) and state.match.event.confirm and not all(state.match.confirmed)


def take_place(draft: Draft, side: Side, source: str) -> None:
    """A side is there; the first time it is told how late it is."""
    if draft.state.match.confirmed[side]:
        return
    draft.say(e.Confirmed(side, source))
    _tell_lateness(draft, side)


def look_for_the_late(draft: Draft) -> None:
    """Who is called and not there: told after the first five minutes, and at forfeit."""
    state = draft.state
    if state.match.due is None or not before_first_game(state):
        return
    for side in Side:
        minutes = _minutes_late(draft)
        step = late_start(minutes, state.match.length or 0)
        if state.match.confirmed[side] or step.penalty is Penalty.WARNING:
            continue
        if draft.once(f"{LATE} {side.value} {step.penalty.value}"):
            _tell_lateness(draft, side)


def open_game(draft: Draft, starter: Side | None) -> None:
    """The next game; with the first, whoever never confirmed is taken to have come by now."""
    due, confirmed = draft.state.match.due, draft.state.match.confirmed
    begin_game(draft, starter)
    if due is not None and not any(confirmed):
        _tell_lateness(draft, None, due)


def _minutes_late(draft: Draft, due: float | None = None) -> float:
    called = draft.state.match.due if due is None else due
    return 0.0 if called is None else (draft.now - called) / 60


def _tell_lateness(draft: Draft, side: Side | None, due: float | None = None) -> None:
    """The director's alert, with the penalty that the usual scale gives; nothing below it."""
    event, minutes = draft.state.match.event, _minutes_late(draft, due)
    step = late_start(minutes, draft.state.match.length or 0)
    if not event.late_start or step.penalty is Penalty.WARNING:
        return
    facts = penalty_facts(draft.state, side or Side.WHITE, step) | {"minutes": int(minutes)}
    seq = draft.say(e.Noted(LATE, side, f"{int(minutes)} min"))
    draft.alert(LATE, side, step.penalty.value, facts, seq, News.CLOCK)

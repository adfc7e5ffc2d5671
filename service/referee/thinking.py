"""How long whoever is to act has thought, on his own time alone: never while the clock rests, the
table is frozen or adjourned, or the other side has to answer."""

from __future__ import annotations

from rules.board import Side
from rules.conduct import News, overdue
from service.journal import entries as e
from service.referee.clock import ticking
from service.referee.draft import Draft
from service.referee.state import Phase, State


def thinker(state: State) -> Side | None:
    """Whose turn it is to roll or play; None where nobody's time counts: an answer to a double or
    a resignation may take its time, on the clock alone.
    """
    if state.turn.resigning is not None:
        return None
    return state.game.on_roll if state.phase in (Phase.TO_ROLL, Phase.MOVING) else None


def thought(state: State, now: float) -> float | None:
    """Seconds that the thinker has had to himself; None where they do not count now. A clock of
    ours counts them, and one that rests or runs for the other side counts none.
    """
    side, clock, turn = thinker(state), state.match.clock, state.turn
    if side is None:
        return None
    if clock is not None:
        return clock.turn_time(now) if ticking(clock) and clock.running is side else None
    if turn.stopped_at is not None:
        return None
    return now - (turn.began if turn.timed_from is None else turn.timed_from)


def look_for_delay(draft: Draft) -> None:
    """Slow play and a missed press, each once a turn."""
    state, event = draft.state, draft.state.match.event
    side, turn_s = thinker(state), thought(state, draft.now)
    if side is None or turn_s is None:
        return
    rested, clock = None, state.match.clock
    if state.watch.rest_since is not None and clock is not None and clock.since is not None:
        rested = draft.now - max(state.watch.rest_since, clock.since)
    for late in overdue(turn_s, rested, event.slow_turn_s, event.missed_press_s):
        if draft.once(late.value):
            seq = draft.say(e.Noted(late.value, side))
            draft.alert(late.value, side, about=seq, news=News.CONDUCT)

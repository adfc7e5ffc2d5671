"""The flag: whose time ran out, and what the event's ladder says that it costs."""

from __future__ import annotations

from rules.conduct import AtFlag, News, Penalty, rung
from service.journal import entries as e
from service.referee.draft import Draft
from service.referee.match import penalty_facts
from service.referee.rulings import penalise
from service.referee.state import PLAYING, Phase


def look_for_flag(draft: Draft) -> None:
    """The side whose time ran out, once a flag; what follows is the event's."""
    state = draft.state
    clock, event = state.match.clock, state.match.event
    assert clock is not None
    side = None if clock.flagged else clock.flag(draft.now)
    if side is None or state.phase not in PLAYING | {Phase.OPENING}:
        return
    at, violation = round(draft.now, 3), state.match.flags[side] + 1
    if event.overtime_s and side not in clock.overtime_used:
        draft.say(e.Flagged(side, at, violation, "overtime", int(event.overtime_s), True))
        draft.say(e.ClockAdjusted(side, event.overtime_s, 0.0, "overtime", True))
        draft.sound("flag")
        return
    plan = event.clock_plan()
    step = rung(plan.ladder if plan else (), violation)
    automatic = event.at_flag is AtFlag.AUTOMATIC and step.penalty is not Penalty.DIRECTOR
    facts = penalty_facts(state, side, step) | {"violation": violation}
    seq = draft.say(
        e.Flagged(side, at, violation, step.penalty.value, step.amount, automatic),
    )
    draft.sound("flag")
    if automatic:
        penalise(draft, side, step, "flag_fell")
    if draft.state.phase is not Phase.MATCH_OVER:
        draft.alert("flag", side, "flag_fell", facts, about=seq, news=News.CLOCK)

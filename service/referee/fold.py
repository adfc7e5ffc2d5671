"""Folding the journal: what each entry makes of the state. The only place where a `State` changes.

An entry carries what was decided (scores, cube values, who begins), so folding asks no rule: a
journal written under an older version of the rules still says what was ruled then. What entries of
play change stands in `fold_play`, of everything around it in `fold_match`, of the clock in `clock`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from service.journal import entries as e
from service.journal.chain import Entry
from service.referee.clock import CLOCK_FOLDS
from service.referee.fold_match import MATCH_FOLDS
from service.referee.fold_play import PLAY_FOLDS
from service.referee.fold_thinking import THINKING_FOLDS
from service.referee.folds import Fold
from service.referee.phases import HALTED, HELD, following, trigger
from service.referee.state import QUESTIONS, At, Phase, State


def fold(state: State, seq: int, at: float, by: e.Who, body: e.Body) -> State:
    """The state after one more entry.

    Raises OutOfOrderError when the machine does not allow it here.
    """
    phase = following(state.phase, state.before, body)
    after, here = state, At(seq, at, by)
    for folds in (MATCH_FOLDS, PLAY_FOLDS, THINKING_FOLDS, CLOCK_FOLDS):
        change: Fold | None = folds.get(type(body))
        after = change(after, body, here) if change else after
    after = _close_alerts(after, body)
    before = after.before
    if phase in HALTED and trigger(body) in HELD:
        before = Phase.TO_ROLL
    if phase is not state.phase and phase in (Phase.FROZEN, Phase.ADJOURNED, Phase.DIFFERS):
        # A table frozen while it was adjourned, or twice, still goes back to where play stopped.
        before = state.before if state.phase in (Phase.FROZEN, Phase.ADJOURNED) else state.phase
        if state.phase is Phase.DIFFERS and phase is not Phase.DIFFERS:
            before = Phase.DIFFERS if state.turn.difference else state.before
    return replace(after, seq=seq, at=at, phase=phase, before=before)


def replay(entries: Iterable[Entry], state: State | None = None) -> State:
    """The state that these entries make, from an empty table unless given."""
    folded = state or State()
    for entry in entries:
        folded = fold(folded, entry.seq, entry.at, entry.by, entry.body)
    return folded


CLOSES: Final[Mapping[type[e.Body], frozenset[str]]] = {
    e.RollEntered: frozenset({"dice", "roll_said", "say_roll"}),
    e.OpeningThrown: frozenset({"dice", "roll_said", "say_roll"}),
    e.TurnPressed: frozenset({"missed_press", "slow_play"}),
    e.CubeOffered: frozenset({"slow_play"}),
    e.CubeTaken: frozenset({"slow_play"}),
    e.CubeWithdrawn: frozenset({"slow_play"}),
    e.PlayEntered: QUESTIONS
    | {
        "missed_press",
        "slow_play",
        "hit_checker",
        "dice",
        "roll_said",
        "cube_out_of_turn",
        "unanswered",
    },
    e.PlayCorrected: frozenset({"unanswered", "denied"}),
    e.HandedBack: QUESTIONS,
    e.Recovered: frozenset({"differs"}),
    e.BoardDiffered: QUESTIONS | {"unanswered", "denied"},
    e.PositionSet: QUESTIONS
    | {"differs", "hit_checker", "dice", "cannot_stand", "unanswered", "denied"},
    e.GameEnded: QUESTIONS
    | {
        "dice",
        "missed_press",
        "slow_play",
        "hit_checker",
        "differs",
        "cannot_stand",
        "roll_said",
        "cube_out_of_turn",
        "unanswered",
        "denied",
        "set_up_anew",
    },
    e.SourceBack: frozenset({"source_lost"}),
    e.Confirmed: frozenset({"late_start"}),
}
"""Alerts that are over by themselves once this happened; all others wait for somebody to
acknowledge them.
"""


READ_OTHERWISE: Final = (e.READ_SO, e.Standing.UNRESOLVED.value)
"""Why a line is corrected that nobody has spoken of."""


def _close_alerts(state: State, body: e.Body) -> State:
    matters = CLOSES.get(type(body))
    if isinstance(body, e.PlayCorrected) and not body.rewinds and body.reason in READ_OTHERWISE:
        # It came with a position: what is asked about that stays open.
        return state
    if not matters or not any(a.matter in matters for a in state.alerts):
        return state
    source = body.source if isinstance(body, e.SourceBack) else None
    late = body.side if isinstance(body, e.Confirmed) else None
    kept = tuple(
        a
        for a in state.alerts
        if a.matter not in matters
        or (source is not None and a.code != source)
        or (late is not None and a.side is not late)
    )
    return replace(state, alerts=kept)

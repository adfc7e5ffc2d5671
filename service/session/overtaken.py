"""A turn that is entered once the next was played already, or is being played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.journal import entries as e
from service.reconcile import Differs
from service.referee.inputs import Input, Judged, PlayedOver, Press, StandingWatched
from service.referee.state import Phase, State
from service.session.belief import Session


def is_overtaken(given: Input, state: State) -> bool:
    """Whether turns are told of over which the next was played, or is being played, as the `state`
    after them has it.
    """
    if isinstance(given, PlayedOver | Press):
        return True
    if isinstance(given, StandingWatched):
        return state.phase is Phase.PRESSED
    verdict = given.verdict if isinstance(given, Judged) else None
    found = verdict.recalled if isinstance(verdict, Differs) else None
    return found is not None and found.overtaken


def is_played_on(session: Session) -> bool:
    """Whether the next turn is being played already when the one that was ended is entered."""
    memory = session.memory
    return memory is not None and memory.moved_on(session.state.match.pressed_at)


def without_readings(session: Session, entries: Sequence[e.Body]) -> Session:
    """The session without what its sources read, where a turn is entered after the next was played:
    else that play would be taken for what they misread of this one.
    """
    if session.evidence is None or not any(isinstance(b, e.PlayEntered) for b in entries):
        return session
    return replace(session, evidence=replace(session.evidence, witnesses=()))

"""The lines of the record as the board was read when they were entered, and since which of them a
record that has just been put right was wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.journal import entries as e
from service.reconcile import LinesRead
from service.referee.inputs import LinesWrong
from service.referee.state import State
from service.session.belief import Session
from service.session.entered import begins_turn


def with_lines(before: State, session: Session, entries: Sequence[e.Body]) -> Session:
    """The session, its state after these entries and its evidence of before them, with what was
    read of the last line; and since which line the record was wrong, where a position in the midst
    of a game puts it right (`LinesWrong`).
    """
    wrong, lines = None, session.lines
    for body in entries:
        match body:
            case e.PositionSet():
                wrong = _lines_wrong(before, lines, body)
            case e.PlayCorrected():
                lines = lines.corrected(body.about, body.placement, rewinds=body.rewinds)
            case e.TurnReopened():
                lines = lines.without(body.about)
            case e.GameStarted() | e.MatchSet():
                lines = LinesRead()
    last = next((body for body in reversed(entries) if begins_turn(body)), None)
    if isinstance(last, e.PlayEntered) and session.evidence is not None:
        # Of turns that are told at once only the last was seen as it left the board.
        line = session.state.match.plays[-1]
        lines = lines.settled(line.seq, line.placement, session.evidence)
    return replace(session, lines=lines, wrong=wrong or session.wrong)


def _lines_wrong(before: State, lines: LinesRead, body: e.PositionSet) -> LinesWrong | None:
    """Since which line the record was wrong, where a position is set; None where the last line was
    read as it is on record.
    """
    recorded, plays = before.game.placement, before.match.plays
    if recorded is None or not plays or plays[-1].game != before.game.number:
        return None
    first = lines.wrong_since(recorded, body.placement)
    if first is None:
        return None
    return LinesWrong(first, plays[-1].seq, recorded, body.placement)

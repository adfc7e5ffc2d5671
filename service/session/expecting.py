"""What reconcile is asked about: the turn in progress, what is known of it, and whether somebody
has looked all the while.
"""

from __future__ import annotations

from typing import Final

from rules.position import PositionError
from service.journal import entries as e
from service.reconcile import Awaiting, Evidence, Expectation, Pending, astray_before_throw
from service.referee.state import Phase
from service.session.belief import Session
from service.session.halves import area_of
from service.session.whose_dice import split_dice

LIFTED_LATE_S: Final = 1.5
"""Dice are lifted with half the play made: for so long it may go on, unless the opponent throws."""


def _late_s(session: Session, evidence: Evidence) -> float:
    """For how long after the end of the turn hands may still be seen that came before it, s."""
    match = session.state.match
    if match.pressed_by == "dice_lifted":
        late = split_dice(session.state, evidence.dice, session.looking_since).late
        return 0.0 if late else LIFTED_LATE_S
    if match.pressed_by == "next_roll" or any(
        not w.source.kind.samples and not w.blind(session.state.at) for w in evidence.witnesses
    ):
        return 0.0
    return session.lag_s


def is_unwatched(session: Session) -> bool:
    """Whether nobody looked all the while since the last turn that somebody vouched for began, nor
    saw since then, in this turn, that the board stood as recorded.
    """
    began, memory, looking = session.state.turn.began, session.memory, session.looking_since
    placement = session.state.game.placement
    if memory is None or placement is None:
        return looking > began
    return looking > min(began, memory.anchors[0].at) and not memory.has_stood(placement, looking)


def may_have_stood_before_double(session: Session) -> bool:
    """Whether what stands otherwise than recorded may have stood so before the cube was offered:
    somebody looks since then, and has not seen since that the board stood as recorded.
    """
    return session.looking_since <= session.state.turn.offered_at and is_unwatched(session)


def awaits_the_board(session: Session, evidence: Evidence, now: float) -> bool:
    """Whether dice lie on a board that stood otherwise than recorded when the camera began to look
    again: whose they are is told by what stands there, which is judged first.
    """
    state, asked = session.state, expectation(session, evidence)
    judged = state.watch.verdict is not None and not isinstance(state.watch.verdict, Pending)
    if state.phase is not Phase.TO_ROLL or asked is None or asked.watched or judged:
        return False
    thrown = [t.first_at for t in evidence.dice if not t.stale]
    if not thrown or now - max(thrown) >= evidence.tuning.patience_s:
        return False
    return astray_before_throw(evidence, asked) is not None


def awaits_the_turns_before(session: Session, evidence: Evidence) -> bool:
    """Whether dice were thrown over checkers that stood otherwise than recorded, and nobody has
    looked at them since: what the turns before were may be told then, and whose roll this is.
    """
    touched = session.state.watch.touched_since
    if session.state.phase is not Phase.TO_ROLL or session.memory is None or touched is None:
        return False
    thrown = [t.first_at for t in evidence.dice if t.gone_at is None and t.first_at > touched]
    return bool(thrown) and session.looked_at < max(thrown) + evidence.tuning.accuse_settle_s


def expectation(session: Session, evidence: Evidence) -> Expectation | None:
    """What reconcile is asked about now; None when no position is there to play from."""
    state = session.state
    try:
        position = state.position()
    except (PositionError, ValueError):
        return None
    stage = {
        Phase.TO_ROLL: Awaiting.AWAITING_ROLL,
        Phase.PRESSED: Awaiting.PRESSED,
        Phase.DIFFERS: Awaiting.DIFFERS,
    }.get(state.phase, Awaiting.MOVING)
    return Expectation(
        position,
        state.turn.roll,
        stage,
        state.match.origin is e.DiceOrigin.ENTERED,
        since=state.match.pressed_at if state.phase is Phase.PRESSED else state.turn.began,
        late_s=_late_s(session, evidence) if state.phase is Phase.PRESSED else 0.0,
        dice_area=area_of(state, state.game.on_roll),
        next_first_turn=state.game.first_turns[state.game.on_roll.other],
        earlier=session.earlier,
        watched=not is_unwatched(session),
        memory=session.memory,
    )

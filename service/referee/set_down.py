"""A whole play that was left standing in a turn whose end nobody pressed for: what stands there by
now tells whether the other side has played over it.
"""

from __future__ import annotations

from typing import Final

from rules.board import Placement, Side
from rules.judge import rolls_explaining
from rules.position import Position, PositionError
from service.journal import entries as e
from service.reconcile import Agreed
from service.referee.draft import Draft
from service.referee.entering import agree, end_turn
from service.referee.state import Phase, State
from service.referee.unanswered import BY_HAND, began_surely
from service.referee.waiting import BEFORE_S


def end_played_over(draft: Draft, stands: Placement, press: tuple[Side, float]) -> bool:
    """Whether a whole play had been left standing, its press forgotten, and what stands there is a
    play of the other side's after it, which has pressed: the first is entered, and the second is
    judged as after its press.
    """
    state, watch, (side, pressed_at) = draft.state, draft.state.watch, press
    left = watch.set_down
    if watch.whole is not None and watch.rest_since is not None:
        # A source that still reads it so keeps it from being known as over.
        left = watch.whole, watch.rest_since
    if left is None or side is state.game.on_roll or not _is_played_over(state, left[0], stands):
        return False
    end_turn(draft, side.other, max(left[1], state.turn.began), e.SEEN_LATER)
    _enter_both(draft, left[0], pressed_at, "button")
    return True


LOOKED_S: Final = 5.0
"""So long after its end it is known, as a rule, what stood there then."""


def awaits_what_stands(state: State, now: float) -> bool:
    """Whether a turn that nobody pressed for had a whole play left standing, and it is not known
    yet what stands there now: the other side may have played since.
    """
    unpressed = state.match.pressed_by not in BY_HAND
    known = state.watch.stood is not None or now - state.match.pressed_at >= LOOKED_S
    return state.watch.set_down is not None and unpressed and not known


def end_played_over_unseen(draft: Draft, stands: Placement) -> bool:
    """Whether a whole play had been left standing before the turn was ended by what came after it,
    and what stands there is a play of the other side's after it that nobody saw made: the first is
    entered, and the second is judged as any turn that was seen to be over.
    """
    state, left = draft.state, draft.state.watch.set_down
    if left is None or state.match.pressed_by in BY_HAND:
        return False
    if not _is_played_over(state, left[0], stands):
        return False
    # Dice that lie there by now were thrown over both.
    thrown = state.watch.next_thrown
    ended = draft.now if thrown is None else max(thrown - BEFORE_S, state.match.pressed_at)
    _enter_both(draft, left[0], ended, e.SEEN_LATER)
    return True


def _is_played_over(state: State, stood: Agreed, stands: Placement) -> bool:
    """Whether what stands there is a play of the other side's after a whole play that had stood."""
    ruleset, other = state.match.ruleset, state.game.on_roll.other
    if ruleset is None or not began_surely(state):
        return False
    try:
        first = state.game.first_turns[other]
        after = Position.of(stood.play.placement, ruleset, other, first)
    except PositionError:
        return False
    return stands != after.placement and bool(rolls_explaining(after, stands))


def _enter_both(draft: Draft, stood: Agreed, ended: float, by: str) -> None:
    """The whole play is entered, and the turn over it has ended."""
    other = draft.state.game.on_roll.other
    agree(draft, stood)
    if draft.state.phase is Phase.TO_ROLL:
        end_turn(draft, other, ended, by)
        # It is looked at only now: neither is asked yet, nor counts as passed over by a throw.
        draft.watch(asked_since=draft.now, raised_at=draft.now)

"""The dice of a turn: what a throw, dice that are lifted and the opponent's dice lead to, in the
phase in which they are seen. `turn` judges the play.

Dice problems are announced after they have lain there for a while, once a throw, and only as long
as the turn has no valid roll.
"""

from __future__ import annotations

import math
from typing import Final

from rules.event import OnChecker, Reroll
from rules.observation import buttons_lost
from service.journal import entries as e
from service.reconcile import Agreed, Ambiguous, NoDice, Pending, RollProblem, RollRead, RollSeen
from service.referee.dice import (
    HALF_AGAIN,
    PROBLEM_SETTLE_S,
    ROLL_SETTLE_S,
    THROWN_AGAIN,
    call_dice,
    enter_roll,
)
from service.referee.draft import Draft
from service.referee.inputs import NextRollWatched, RollWatched
from service.referee.state import Phase, State
from service.referee.turn import agree, ask_both_sides, end_turn, enter_play, stand

LIFTED_S: Final = 0.7
"""No dice for so long at rest means that they were lifted."""
PREMATURE_S: Final = 0.8
STAYED: Final = 0.012
"""A die that lies so near to where one lay was not thrown again, field widths."""
ONE_ROLL: Final = 0.99
"""A roll that explains a play with this share of it is recorded; below, the roll stays open."""


def on_roll(draft: Draft, given: RollWatched) -> None:
    """The dice of the side on roll, before and during its play."""
    seen, state = given.seen, draft.state
    if isinstance(seen, NoDice):
        if state.watch.empty_since is None:
            draft.watch(empty_since=draft.now, roll=None, problem="", called="", called_where=())
    elif state.watch.empty_since is not None or not state.watch.dice_lay:
        draft.watch(empty_since=None, dice_lay=True)
    if state.phase is Phase.TO_ROLL:
        if not _one_again(draft, given):
            _await_roll(draft, seen, given.lying)
        _watch_lifting(draft, seen)
    elif state.phase is Phase.MOVING:
        _watch_lifting(draft, seen)
        if given.again:
            _watch_second_throw(draft, seen)
    elif (
        state.phase is Phase.PRESSED
        and state.turn.roll is None
        and not state.turn.stuck
        and isinstance(seen, RollRead)
    ):
        # Pressed by mistake, and rolled only now: the turn goes on, the clock stays where it was
        # pressed to.
        _await_roll(draft, seen)


def _one_again(draft: Draft, given: RollWatched) -> bool:
    """Whether only one die was thrown again where both must be: said once, and no roll until a
    checker is moved, which says that both sides took the dice as they lie.
    """
    watch = draft.state.watch
    stayed = any(
        math.dist(now, then) <= STAYED for now in given.lying for then in watch.called_where
    )
    if not stayed or not isinstance(given.seen, RollRead) or watch.touched:
        return False
    if watch.roll != given.seen.roll:
        draft.watch(roll=given.seen.roll, roll_since=draft.now)
    elif (
        watch.called != HALF_AGAIN
        and watch.roll_since is not None
        and draft.now - watch.roll_since >= PROBLEM_SETTLE_S
    ):
        call_dice(draft, HALF_AGAIN, given.seen.p, given.seen.roll)
    return True


def _await_roll(draft: Draft, seen: RollSeen, lying: tuple[tuple[float, float], ...] = ()) -> None:
    watch = draft.state.watch
    if isinstance(seen, RollRead):
        if watch.roll != seen.roll:
            draft.watch(roll=seen.roll, roll_since=draft.now, problem="")
        elif watch.roll_since is not None and draft.now - watch.roll_since >= ROLL_SETTLE_S:
            enter_roll(draft, seen.roll, e.DiceOrigin.READ, seen.p)
    elif isinstance(seen, RollProblem):
        if watch.touched:
            # Somebody has moved a checker: both sides took the dice as they lie.
            return
        if watch.problem != seen.kind:
            draft.watch(problem=seen.kind, problem_since=draft.now, roll=None)
        elif draft.now - watch.problem_since >= PROBLEM_SETTLE_S and watch.called != seen.kind:
            if seen.kind == "on_checker" and draft.state.match.event.on_checker is OnChecker.VALID:
                # It counts here, but nobody can read it for certain from above.
                ask_both_sides(draft, "say_roll")
            else:
                call_dice(draft, seen.kind, seen.p)
                both = draft.state.match.event.reroll is Reroll.BOTH
                if both and seen.kind in THROWN_AGAIN:
                    draft.watch(called_where=lying)


def _watch_lifting(draft: Draft, seen: RollSeen) -> None:
    """Without a clock of ours, or without its buttons, lifting the dice ends the turn; else it is
    noted for the director, once.
    """
    state = draft.state
    watch = state.watch
    # Dice that were never read must at least have lain there, and a whole play must stand.
    played = (
        state.match.origin is e.DiceOrigin.READ
        if state.phase is Phase.MOVING
        else watch.dice_lay and watch.whole is not None
    )
    if (
        not isinstance(seen, NoDice)
        or not played
        or watch.empty_since is None
        or draft.now - watch.empty_since < LIFTED_S
    ):
        return
    if _nothing_moved(draft):
        # Picked up to be thrown again: one of them lay cocked, or both sides agree.
        return
    if state.match.clock is None or buttons_lost(state.lost):
        end_turn(draft, state.game.on_roll, watch.empty_since, "dice_lifted")
    elif state.match.clock_used and draft.once("dice_lifted_early"):
        draft.say(e.Noted("dice_lifted_early", state.game.on_roll))


def _nothing_moved(draft: Draft) -> bool:
    """Whether the board stands as before a roll that could be played: its turn cannot be over."""
    verdict = draft.state.watch.verdict
    return (
        isinstance(verdict, Pending)
        and verdict.reason == "nothing_moved"
        and not draft.state.turn.stuck
    )


def _watch_second_throw(draft: Draft, seen: RollSeen) -> None:
    """The dice that were announced are lifted, others lie there, and no checker was moved: a die
    had lain cocked, or both sides agreed. The first throw does not count; the second does, read now
    or told later by the play."""
    watch, thrown = draft.state.watch, draft.state.turn.roll
    read = seen.roll if isinstance(seen, RollRead) else None
    if (
        not _nothing_moved(draft)
        or draft.state.match.origin is not e.DiceOrigin.READ
        or isinstance(seen, NoDice)
    ):
        return
    if watch.problem != "thrown_again" or watch.roll != read:
        draft.watch(problem="thrown_again", problem_since=draft.now, roll=read)
    elif draft.now - watch.problem_since >= (PROBLEM_SETTLE_S if read is None else ROLL_SETTLE_S):
        draft.say(e.RollWithdrawn(draft.state.game.on_roll, thrown, "thrown_again"))
        if isinstance(seen, RollRead):
            enter_roll(draft, seen.roll, e.DiceOrigin.READ, seen.p)


def on_next_roll(draft: Draft, given: NextRollWatched) -> None:
    """Dice in the opponent's half, thrown after this turn's roll."""
    seen, state = given.seen, draft.state
    if _end_turn_by_throw(draft, given):
        return
    if not isinstance(seen, RollRead):
        if state.watch.next_roll is not None:
            draft.watch(next_roll=None)
        return
    if state.watch.next_roll != seen.roll:
        draft.watch(next_roll=seen.roll, next_since=draft.now)
        return
    waited = draft.now - state.watch.next_since
    if state.phase is Phase.ILLEGAL and waited >= ROLL_SETTLE_S:
        stand(draft, e.Standing.NEXT_ROLL)
    elif state.phase is Phase.PRESSED and waited >= ROLL_SETTLE_S:
        _take_likeliest(draft)
    elif (
        state.press_ends_turn
        and (state.watch.whole is not None or _other_dice_lie(state))
        and waited >= PREMATURE_S
        and state.turn.premature is None
        and draft.once("premature")
    ):
        call_dice(draft, "premature", seen.p, seen.roll, state.game.on_roll.other)


def _other_dice_lie(state: State) -> bool:
    """Whether this turn's own dice still lie there beside the opponent's: theirs were thrown by
    nobody else, however much of the play has been made.
    """
    return (
        state.phase is Phase.MOVING
        and state.match.origin is e.DiceOrigin.READ
        and state.watch.empty_since is None
    )


def _end_turn_by_throw(draft: Draft, given: NextRollWatched) -> bool:
    """Where no press is waited for, dice thrown by the opponent while a whole legal play stands end
    the turn, whatever they show: what stood at rest before they lay there is the play."""
    state, thrown_at = draft.state, given.thrown_at
    if (
        (state.press_ends_turn and not state.turn.reopened)
        or thrown_at is None
        or state.phase not in (Phase.MOVING, Phase.TO_ROLL)
    ):
        return False
    stood = state.watch.whole
    if not isinstance(stood, Agreed) or draft.now - thrown_at < PREMATURE_S:
        return False
    end_turn(draft, state.game.on_roll, max(thrown_at - 0.01, state.turn.began), "next_roll")
    agree(draft, stood)
    return True


def _take_likeliest(draft: Draft) -> None:
    """The opponent rolls while the table still asks which play or roll it was: nobody objects, so
    the likeliest is taken, and its probability marks it as doubtful in the record."""
    verdict = draft.state.watch.verdict
    if isinstance(verdict, Ambiguous) and "choose_play" in draft.state.watch.warned:
        made, thrown, p = verdict.options[0]
        share = sum(o[2] for o in verdict.options if o[0].placement == made.placement)
        # A board on which nothing moved is no sign of a play: dice that were picked up to be thrown
        # again look the same.
        if made.moves and share >= 0.5:
            only = p >= ONE_ROLL * share
            enter_play(
                draft,
                made,
                thrown if only else None,
                e.DiceOrigin.INFERRED if only else e.DiceOrigin.UNKNOWN,
                share,
                verdict.grounds,
            )

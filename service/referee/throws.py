"""The dice of a turn: what a throw, dice that are lifted and the opponent's dice lead to, in the
phase in which they are seen. `turn` judges the play.

Dice problems are announced after they have lain there for a while, once a throw, and only as long
as the turn has no valid roll.
"""

from __future__ import annotations

import math
from typing import Final

from rules.event import OnChecker, Reroll
from rules.infraction import Broken
from rules.observation import buttons_lost
from service.journal import entries as e
from service.reconcile import (
    OUTSIDE,
    Agreed,
    Blind,
    Differs,
    Explanation,
    NoDice,
    OtherRoll,
    Pending,
    RollProblem,
    RollRead,
    RollSeen,
    RollUnread,
    Verdict,
)
from service.referee.asking import ask_both_sides
from service.referee.dice import (
    HALF_AGAIN,
    PROBLEM_SETTLE_S,
    RETHROWN,
    ROLL_SETTLE_S,
    THROWN_AGAIN,
    call_dice,
    enter_roll,
)
from service.referee.draft import Draft
from service.referee.entering import (
    agree,
    end_turn,
)
from service.referee.inputs import NextRollWatched, RollWatched
from service.referee.state import Phase, State
from service.referee.turn import ELSEWHERE, enter_story
from service.referee.unanswered import began_surely, go_on_without_an_answer
from service.referee.unpressed import (
    PREMATURE_S,
    before_throw,
    enter_no_play,
    watch_throw_over,
)
from service.referee.waiting import HEARD_S, STAYS_S, TOUCHED_S

LIFTED_S: Final = 0.7
"""No dice for so long at rest means that they were lifted."""
_TELLS_NOTHING: Final = frozenset({"nothing_moved", "hand", "unseen"})
"""Pending for a reason that tells of no play."""
STAYED: Final = 0.006
"""A die that lies so near to where one lay was not thrown again, field widths (some 3 mm): a cost a
person chose. Twice as far says it of dice that were thrown to about where others had lain, in two
of 1,300 turns of tavern people.
"""


def on_roll(draft: Draft, given: RollWatched) -> None:
    """The dice of the side on roll, before and during its play."""
    seen, state = given.seen, draft.state
    if isinstance(seen, NoDice):
        if state.watch.empty_since is None:
            draft.watch(empty_since=draft.now, roll=None, problem="", called="", called_where=())
    elif state.watch.empty_since is not None or not state.watch.dice_lay:
        # What comes to lie there after the press was not thrown before it.
        lay = state.watch.dice_lay or state.phase is not Phase.PRESSED
        draft.watch(empty_since=None, dice_lay=lay, others_lay=given.others)
    if state.phase is Phase.TO_ROLL:
        draft.watch(stirred_at=given.stirred_at, lie_since=given.thrown_at)
        if not _one_again(draft, given):
            _await_roll(draft, given)
        _watch_lifting(draft, given)
    elif state.phase is Phase.MOVING:
        _watch_lifting(draft, given)
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
        _await_roll(draft, given)


def _one_again(draft: Draft, given: RollWatched) -> bool:
    """Whether only one die was thrown again where both must be: said once, and no roll until a
    checker is moved, which says that both sides took the dice as they lie.
    """
    watch = draft.state.watch
    lay_before = given.thrown_at is not None and given.thrown_at <= watch.problem_since
    stayed = lay_before and any(
        math.dist(now, then) <= STAYED for now in given.lying for then in watch.called_where
    )
    if not stayed or not isinstance(given.seen, RollRead) or watch.touched_since is not None:
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


def _await_roll(draft: Draft, given: RollWatched) -> None:
    watch, seen = draft.state.watch, given.seen
    if isinstance(seen, RollRead):
        if watch.roll != seen.roll:
            draft.watch(roll=seen.roll, roll_since=draft.now, problem="")
        elif watch.out_of_turn is not None:
            # The other side seems to have played: that is said, or asked, before this roll counts.
            return
        elif watch.roll_since is not None and draft.now - watch.roll_since >= ROLL_SETTLE_S:
            if given.elsewhere:
                # They lay in the other half, and were played: here people throw where there is
                # room.
                draft.say(e.Noted("dice_anywhere", draft.state.game.on_roll))
                draft.once(ELSEWHERE)
            enter_roll(draft, seen.roll, e.DiceOrigin.READ, seen.p)
    elif isinstance(seen, RollProblem):
        if watch.touched_since is not None:
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
                    draft.watch(called_where=given.lying)


def _watch_lifting(draft: Draft, given: RollWatched) -> None:
    """Without a clock of ours, or without its buttons, lifting the dice ends the turn; else it is
    noted for the director, once.
    """
    state, seen = draft.state, given.seen
    watch = state.watch
    read = state.phase is Phase.MOVING and state.match.origin is e.DiceOrigin.READ
    if (
        not isinstance(seen, NoDice)
        or not (read or watch.dice_lay)
        or watch.empty_since is None
        or draft.now - watch.empty_since < LIFTED_S
    ):
        return
    unseen = watch.verdict is None and not state.turn.stuck
    if (
        unseen
        or _nothing_moved(draft)
        or (
            state.phase is Phase.TO_ROLL
            and not (_something_stands(draft) and _lifted_after_play(state, watch.empty_since))
        )
    ):
        # Picked up to be thrown again: one of them lay cocked, or both sides agree, before anybody
        # has looked at the checkers perhaps. Or nothing could be played, which the opponent's throw
        # will tell.
        return
    if state.match.clock is None or buttons_lost(state.lost):
        # The opponent picks them up to throw, as a rule: they were lifted before that throw lay
        # there, however many pictures it took to be sure of it.
        thrown = math.inf if given.thrown_over_at is None else given.thrown_over_at
        at, stood = min(watch.empty_since, before_throw(state, thrown)), watch.whole
        end_turn(draft, state.game.on_roll, at, "dice_lifted")
        if (
            given.thrown_over_at is not None
            and isinstance(stood, Agreed)
            and began_surely(state)
            and not _is_unsettled(watch.verdict)
        ):
            # The opponent took it for made; in a quick game nobody lets it rest for longer.
            agree(draft, stood)
    elif state.match.clock_used and draft.once("dice_lifted_early"):
        draft.say(e.Noted("dice_lifted_early", state.game.on_roll))


def _is_unsettled(verdict: Verdict | None) -> bool:
    """Whether what stands there is no longer the play alone: the other side may have played, too,
    which the turns tell one after another.
    """
    return isinstance(verdict, Pending) and verdict.reason == "unsettled"


def _lifted_after_play(state: State, empty_since: float) -> bool:
    """Whether dice that nobody read were gone only when checkers had been moved: those that were
    gone before were thrown again, and nobody has seen where.
    """
    touched = state.watch.touched_since
    return touched is None or empty_since >= touched - TOUCHED_S


def _something_stands(draft: Draft) -> bool:
    """Whether checkers were moved in this turn, and no hand hides what stands there now."""
    watch, verdict = draft.state.watch, draft.state.watch.verdict
    if watch.whole is not None:
        return True
    if draft.state.phase is Phase.TO_ROLL and watch.touched_since is None:
        return False
    return verdict is not None and not (
        isinstance(verdict, Blind)
        or (isinstance(verdict, Pending) and verdict.reason in _TELLS_NOTHING)
    )


def _nothing_moved(draft: Draft) -> bool:
    """Whether the board stands as before a roll that could be played: its turn cannot be over."""
    verdict = draft.state.watch.verdict
    unmoved = isinstance(verdict, Pending) and verdict.reason == "nothing_moved"
    return unmoved and not draft.state.turn.stuck


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
        or read == thrown
    ):
        # The same roll lies there, thrown again or only seen again: it counts as it is.
        return
    if watch.problem != RETHROWN or watch.roll != read:
        draft.watch(problem=RETHROWN, problem_since=draft.now, roll=read)
    elif draft.now - watch.problem_since >= (PROBLEM_SETTLE_S if read is None else ROLL_SETTLE_S):
        draft.say(e.RollWithdrawn(draft.state.game.on_roll, thrown, RETHROWN))
        if isinstance(seen, RollRead):
            enter_roll(draft, seen.roll, e.DiceOrigin.READ, seen.p)


def on_next_roll(draft: Draft, given: NextRollWatched) -> None:
    """Dice of the opponent's, thrown after this turn's roll."""
    seen, state = given.seen, draft.state
    if _end_turn_by_throw(draft, given) or watch_throw_over(draft, given):
        return
    if state.phase in (Phase.PRESSED, Phase.ILLEGAL):
        _watch_throw_after(draft, given)
        return
    if not isinstance(seen, RollRead):
        if state.watch.next_roll is not None:
            draft.watch(next_roll=None)
        return
    if state.watch.next_roll != seen.roll:
        draft.watch(next_roll=seen.roll, next_since=draft.now)
    elif (
        state.press_ends_turn
        and (state.turn.roll is not None or state.match.pressed_at <= state.turn.began)
        and (state.watch.whole is not None or _other_dice_lie(state))
        and draft.now - state.watch.next_since >= PREMATURE_S
        and state.turn.premature is None
        and state.watch.called not in OUTSIDE
        and draft.once("premature")
    ):
        call_dice(draft, "premature", seen.p, seen.roll, state.game.on_roll.other)


def _watch_throw_after(draft: Draft, given: NextRollWatched) -> None:
    """The opponent throws while the turn that was ended is still judged or asked about: nobody
    objects, whether or not its dice can be read.
    """
    seen, watch = given.seen, draft.state.watch
    if given.thrown_at is not None and watch.next_thrown is None:
        draft.watch(next_thrown=given.thrown_at)
    if isinstance(seen, RollRead) and watch.next_roll != seen.roll:
        draft.watch(next_roll=seen.roll, next_since=draft.now)
        return
    if isinstance(seen, RollRead):
        lain, due = draft.now - watch.next_since, ROLL_SETTLE_S
    elif isinstance(seen, RollUnread) and given.thrown_at is not None:
        # A whole play that stood when the turn was ended needs no reading of the next throw.
        sure = isinstance(watch.left, Agreed) and watch.asked is None
        lain, due = draft.now - given.thrown_at, ROLL_SETTLE_S if sure else STAYS_S
    else:
        lain, due = 0.0, math.inf
    if not isinstance(seen, RollRead) and watch.next_roll is not None:
        draft.watch(next_roll=None)
    if lain >= due and _was_heard(draft, given):
        go_on_without_an_answer(draft)


def _was_heard(draft: Draft, given: NextRollWatched) -> bool:
    """Whether people rolled on in spite of what was asked or noticed: dice that lay there before it
    was count only once it could be heard.
    """
    raised = draft.state.watch.raised_at
    after = given.thrown_at is not None and given.thrown_at > raised
    return after or draft.now - raised >= HEARD_S


def _other_dice_lie(state: State) -> bool:
    """Whether this turn's own dice still lie there beside the opponent's: theirs were thrown by
    nobody else, however much of the play has been made.
    """
    return (
        state.phase is Phase.MOVING
        and state.match.origin is e.DiceOrigin.READ
        and state.watch.empty_since is None
    )


def _threw_for_lifted(state: State) -> bool:
    """Whether this turn's own dice were read and taken up, and others lie there: a press that is
    waited for was forgotten, whatever was played.
    """
    read = state.phase is Phase.MOVING and state.match.origin is e.DiceOrigin.READ
    return read and state.watch.empty_since is not None


def _end_turn_by_throw(draft: Draft, given: NextRollWatched) -> bool:
    """Where no press is waited for, or it was forgotten, dice thrown by the opponent end the turn,
    whatever they show: what stood at rest before they lay there is the play. What is no whole play,
    or none at all, is judged as after a press.
    """
    state, thrown_at = draft.state, given.thrown_at
    if thrown_at is None or state.phase not in (Phase.MOVING, Phase.TO_ROLL):
        return False
    awaited = state.press_ends_turn and not state.turn.reopened
    if (awaited and not _threw_for_lifted(state)) or draft.now - thrown_at < PREMATURE_S:
        return False
    stood, verdict = state.watch.whole, state.watch.verdict
    unseen = verdict.certain if isinstance(verdict, Differs) else None
    at = before_throw(state, thrown_at)
    if isinstance(stood, Agreed):
        end_turn(draft, state.game.on_roll, at, "next_roll")
        if began_surely(state):
            agree(draft, stood)
    elif unseen is not None and _tells_nothing(state, unseen):
        end_turn(draft, state.game.on_roll, at, "next_roll")
        enter_no_play(draft)
    elif isinstance(verdict, Differs) and unseen is not None and _ends_with_own(unseen):
        # Played while nobody looked: the camera was away, say. Or over another play than recorded.
        end_turn(draft, state.game.on_roll, at, "next_roll")
        enter_story(draft, unseen, verdict.grounds)
    elif state.turn.stuck and not _something_stands(draft):
        end_turn(draft, state.game.on_roll, at, "next_roll")
        enter_no_play(draft)
    elif _may_be_over(draft, draft.now - thrown_at):
        end_turn(draft, state.game.on_roll, at, "next_roll")
    else:
        return False
    return True


def _tells_nothing(state: State, story: Explanation) -> bool:
    """Whether it is a turn without a move, of a roll that allows none, from a board on which only
    the thrower's checkers stand otherwise: such a turn follows any board, and the thrower may be
    playing already, or a checker of its own lies between two points.
    """
    before, side = state.game.placement, state.game.on_roll
    if not state.turn.stuck or story.from_ is None or before is None or story.turns[0][1].moves:
        return False
    return story.from_.counts(side) == before.counts(side)


def _ends_with_own(story: Explanation) -> bool:
    """Whether an explanation ends with one turn of the side on roll."""
    own = story.kind in ("turn", "played_on")
    return own or (story.kind == "revised" and len(story.turns) == 2)


def _may_be_over(draft: Draft, lain: float) -> bool:
    """Whether a turn without a whole play that is certain may be over, now that the opponent's dice
    have lain there for so long, s.
    """
    state, verdict = draft.state, draft.state.watch.verdict
    if state.turn.stuck:
        return True
    if isinstance(verdict, Differs):
        return lain >= STAYS_S
    if _something_stands(draft):
        half = (isinstance(verdict, Pending) and verdict.reason == "half_made") or (
            isinstance(verdict, OtherRoll) and verdict.infraction.code is Broken.BOTH_DICE
        )
        if _other_dice_lie(state):
            # Its own dice lie there still: the opponent was too early, or left them lying and has
            # thrown beside what is a play of them, as far as can be told.
            legal = isinstance(verdict, Pending) and verdict.reason == "unsettled"
            return legal and lain >= STAYS_S
        return lain >= (STAYS_S if half else PREMATURE_S)
    # No die could be played, as it seems: nobody saw what they showed.
    return (
        state.phase is Phase.TO_ROLL
        and state.watch.dice_lay
        and state.watch.touched_since is None
        and draft.once("no_play")
    )

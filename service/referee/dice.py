"""Set-up, opening throw and dice: what leads up to a play.

`service.referee.turn` looks at the rest of a turn.
"""

from __future__ import annotations

import functools
from typing import Final

from rules.board import BAR, Placement, Side
from rules.dice import ROLLS, Roll
from rules.move import Move, write_play
from rules.notation.steps import change_of
from rules.play import plays
from rules.position import Position, PositionError
from service.journal import entries as e
from service.reconcile import OUTSIDE, DoesNotMatch, Matches
from service.referee.asking import TELLS_S
from service.referee.attendance import awaits_confirmation, open_game
from service.referee.clock import ticking
from service.referee.draft import Draft
from service.referee.inputs import UNREAD, OpeningWatched, PlacementWatched
from service.referee.match import (
    DIE_OFF_BOARD,
    opening_starter,
    starts_next,
    stop_clock,
)
from service.referee.state import Phase
from service.referee.waiting import STAYS_S

ROLL_SETTLE_S: Final = 0.3
"""A roll is read the same for so long before it is announced."""


PROBLEM_SETTLE_S: Final = 1.0
"""Dice lie wrong for so long before anybody is asked: players pick a cocked die up by themselves.
"""


OPENING_TELLS_S: Final = 8.0
"""So long the first play is awaited, which tells an opening throw that nobody could read, before
people are asked, where a clock waits for it; a cost a person chose: no longer, since none runs
before it is known."""


def moves_text(before: Position | None, after: Placement) -> str:
    """What a play that no rule allows did, in the usual notation; "" where other things happened
    than one side's checkers moving.
    """
    change = change_of(before, after) if before is not None else None
    if change is None:
        return ""
    return (
        write_play(
            tuple(Move(source, target, target in change.hits) for source, target in change.pairs)
        )
        if change.pairs
        else ""
    )


def position(draft: Draft) -> Position | None:
    """The position of the side on roll; None when a play that stood left checkers where no position
    has them.
    """
    try:
        return draft.state.position()
    except (PositionError, ValueError):
        return None


# The opening and the set-up.


def on_placement(draft: Draft, given: PlacementWatched) -> None:
    """SETTING_UP and GAME_OVER wait for the start; DIFFERS for the board to be put right."""
    if not isinstance(given.seen, Matches):
        if not isinstance(given.seen, DoesNotMatch) and draft.state.phase is not Phase.DIFFERS:
            # A hand that comes to throw takes nothing of the start away.
            return
        sites = given.seen.sites if isinstance(given.seen, DoesNotMatch) else ()
        if draft.state.watch.rest_since is not None or draft.state.watch.sites != sites:
            draft.watch(rest_since=None, sites=sites)
        return
    state = draft.state
    if state.watch.rest_since is None:
        draft.watch(rest_since=draft.now)
    elif draft.now - state.watch.rest_since >= ROLL_SETTLE_S:
        if state.phase is Phase.DIFFERS:
            draft.say(e.Recovered("restored"))
        else:
            if awaits_confirmation(state):
                return
            draft.say(e.SetUpVerified(round(given.seen.p, 6), pictures=(draft.picture("start"),)))
            open_game(draft, starts_next(draft.state))
            closed_out(draft)


def on_opening(draft: Draft, given: OpeningWatched) -> None:
    """Both sides' dice lie in their own halves; they settle before they count."""
    state = draft.state
    thrown = given.white + given.black
    if given.problem == UNREAD:
        _ask_for_opening(draft, given)
    elif given.problem:
        if state.watch.problem != given.problem:
            draft.watch(problem=given.problem, problem_since=draft.now)
        elif (
            draft.now - state.watch.problem_since >= PROBLEM_SETTLE_S
            and state.watch.called != given.problem
        ):
            call_dice(draft, given.problem, None)
    elif not thrown:
        if state.watch.called or state.watch.opening or state.watch.problem:
            draft.watch(called="", opening=(), roll_since=None, problem="", likely=())
    elif state.watch.roll_since is None or state.watch.opening != thrown:
        # Other faces than the equal ones that were called: thrown again without anybody seeing the
        # board empty.
        called = state.watch.called if thrown == state.turn.opening else ""
        draft.watch(opening=thrown, roll_since=draft.now, called=called, problem="", likely=())
    elif draft.now - state.watch.roll_since >= ROLL_SETTLE_S and not state.watch.called:
        thrown_opening(draft, given.white, given.black, e.DiceOrigin.READ, given.p)


def _ask_for_opening(draft: Draft, given: OpeningWatched) -> None:
    """Dice that lie there unread for a while are asked about; whoever plays on answers as well."""
    watch = draft.state.watch
    if watch.problem != UNREAD:
        draft.watch(problem=UNREAD, problem_since=draft.now)
        return
    equal = watch.called and any(w + b == draft.state.turn.opening for w, b in given.likely)
    if draft.now - watch.problem_since < STAYS_S or equal:
        # The equal dice, which were read, may still lie there.
        return
    if watch.likely != given.likely:
        draft.watch(likely=given.likely)
    waited = draft.now - watch.problem_since
    # Whoever moves a checker has won the throw: the play that is being made will tell.
    moved = watch.touched_since is not None
    awaited = TELLS_S if draft.state.match.clock is None or moved else OPENING_TELLS_S
    if waited >= awaited and not any(a.matter == "say_roll" for a in draft.state.alerts):
        draft.alert("say_roll", None, "opening", about=draft.state.seq)
        draft.sound("ask")


def thrown_opening(
    draft: Draft,
    white: tuple[int, ...],
    black: tuple[int, ...],
    origin: e.DiceOrigin,
    p: float | None,
) -> None:
    """What an opening throw leads to under the ruleset."""
    starter, plays_it, cube = opening_starter(draft.state, white, black)
    early = draft.state.watch.early_press
    draft.say(
        e.OpeningThrown(
            white, black, starter, plays_it, origin, None if p is None else round(p, 6), cube
        )
    )
    if starter is None:
        # The same dice still lie there: they are not thrown again until they were lifted.
        draft.watch(called="equal")
        draft.sound("ask")
    else:
        _start_first_clock(draft, starter, early)
        if plays_it:
            _stuck(draft)


EARLY_PRESS_S: Final = 5.0
"""The lower opening roller's press counts when it came so soon before the throw was read, s."""


def _start_first_clock(draft: Draft, starter: Side, early: tuple[Side, float] | None) -> None:
    """The lower opening roller may have pressed before the table had read the throw."""
    clock = draft.state.match.clock
    if clock is None or clock.running is not None or early is None:
        return
    if early[0] is starter.other and draft.now - early[1] <= EARLY_PRESS_S:
        draft.say(e.ClockStarted(starter, round(draft.now, 4), "opening"))


# Dice.

THROWN_AGAIN: Final = frozenset({"cocked", "on_checker", "on_bar", "off_board", *OUTSIDE})
"""What is wrong with dice that were thrown; an early throw is another matter."""
RETHROWN: Final = "thrown_again"
"""Why a roll does not count: its dice were taken up, unplayed, and thrown again."""
HALF_AGAIN: Final = "one_again"
"""Only one die was thrown again, where both must be."""


def call_dice(
    draft: Draft,
    problem: str,
    p: float | None,
    thrown: Roll | None = None,
    side: Side | None = None,
) -> None:
    """Announce dice that are no valid roll: both sides are asked, nobody is accused."""
    event = draft.state.match.event
    again = event.reroll.value if problem != "premature" else "both"
    seq = draft.say(
        e.DiceCalled(
            side or draft.state.game.on_roll, problem, thrown, again, p, (draft.picture("dice"),)
        )
    )
    draft.watch(called=problem)
    if problem == "off_board" and ticking(draft.state.match.clock):
        stop_clock(draft, DIE_OFF_BOARD)
    draft.alert("dice", side or draft.state.game.on_roll, problem, about=seq)
    draft.sound("ask")


def enter_roll(draft: Draft, thrown: Roll, origin: e.DiceOrigin, p: float | None) -> None:
    """A valid roll of the side on roll. What the other side did illegally before it now stands."""
    pictures = (draft.picture("rolled"),)
    draft.say(
        e.RollEntered(
            draft.state.game.on_roll,
            thrown,
            origin,
            None if p is None else round(p, 6),
            pictures=pictures,
        )
    )
    clock = draft.state.match.clock
    if draft.state.match.rests_for == DIE_OFF_BOARD and clock is not None and clock.running:
        draft.say(e.ClockStarted(clock.running, round(draft.now, 4), "rolled"))
    _stuck(draft)


def _stuck(draft: Draft) -> None:
    """Announce a roll that cannot be played."""
    state, now_on = draft.state, position(draft)
    if (
        state.turn.roll is not None
        and now_on is not None
        and not state.turn.stuck
        and not plays(now_on, state.turn.roll)
    ):
        draft.say(e.Neshast(state.game.on_roll, state.turn.roll))


@functools.lru_cache(maxsize=256)
def _shut_out(position: Position) -> bool:
    return not any(plays(position, r) for r in ROLLS)


def closed_out(draft: Draft) -> None:
    """On the bar against a closed home a side need not roll, but must end its turn."""
    state, now_on = draft.state, position(draft)
    if (
        state.phase is not Phase.TO_ROLL
        or now_on is None
        or state.game.placement is None
        or not state.game.placement.counts(state.game.on_roll)[BAR]
    ):
        return
    if _shut_out(now_on):
        draft.say(e.Neshast(state.game.on_roll, None, closed_out=True))

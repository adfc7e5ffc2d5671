"""The first play of a game whose opening throw nobody read: who has made it has won the throw."""

from __future__ import annotations

from rules.play import Play
from rules.position import Position
from service.journal import entries as e
from service.reconcile import Agreed
from service.referee.dice import ROLL_SETTLE_S, enter_roll
from service.referee.draft import Draft
from service.referee.entering import agree, end_turn
from service.referee.inputs import OpeningPlayed
from service.referee.state import State
from service.referee.waiting import BEFORE_S, STAYS_S


def on_opening_play(draft: Draft, given: OpeningPlayed) -> None:
    """A side has made the first play of the game: it begins, wherever the dice lay."""
    stood, since = draft.state.watch.whole, draft.state.watch.rest_since
    made = given.play
    touched = made is not None or not given.untouched
    if touched is not (draft.state.watch.touched_since is not None):
        draft.watch(touched_since=draft.now if touched else None)
    if given.began is not None:
        # Its turn and those after it are told with the next look.
        draft.say(e.OpeningThrown((), (), given.began, False, e.DiceOrigin.INFERRED, None))
    elif isinstance(stood, Agreed) and given.thrown_at is not None:
        half = stood.dice is not e.DiceOrigin.READ and _moves_one(draft.state, stood.play)
        _begin_with(draft, stood)
        if not (half or draft.state.press_ends_turn):
            # What was thrown since is the other side's roll.
            end_turn(draft, stood.play.side, given.thrown_at - BEFORE_S, e.SEEN_LATER)
            agree(draft, stood)
    elif made is None:
        if given.untouched and stood is not None:
            draft.watch(whole=None, rest_since=None)
    elif not isinstance(stood, Agreed) or stood.play != made.play or since is None:
        draft.watch(whole=made, rest_since=draft.now)
    else:
        # Without its dice, half of another throw's play looks the same where one checker was moved.
        half = made.dice is not e.DiceOrigin.READ and _moves_one(draft.state, made.play)
        if draft.now - since >= (STAYS_S if half else ROLL_SETTLE_S):
            _begin_with(draft, made)


def _begin_with(draft: Draft, made: Agreed) -> None:
    """Whoever made the first play has won the opening throw."""
    draft.say(
        e.OpeningThrown((), (), made.play.side, False, e.DiceOrigin.INFERRED, made.probability)
    )
    if made.dice is e.DiceOrigin.READ:
        enter_roll(draft, made.roll, e.DiceOrigin.READ, None)


def _moves_one(state: State, made: Play) -> bool:
    """Whether one checker alone stands elsewhere after a first play."""
    assert state.match.ruleset is not None
    start = Position.start(state.match.ruleset, made.side).placement.counts(made.side)
    now = made.placement.counts(made.side)
    return sum(max(a - b, 0) for a, b in zip(start, now, strict=True)) == 1

"""What the dice of a turn show, and the opponent's next throw; whose they are: `whose_dice`."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Final

from rules.board import Side
from rules.event import DiceArea
from rules.position import PositionError
from service.reconcile import (
    ONE_THROW_S,
    OUTSIDE,
    WHOLE_FIELD,
    Agreed,
    Evidence,
    Matches,
    NoDice,
    Pending,
    Recollection,
    RollProblem,
    RollRead,
    RollUnread,
    may_bear_off_unseen,
    no_play_share,
    placement_seen,
    right_half,
    roll_of_dice,
)
from service.referee.event import seating_of
from service.referee.inputs import Input, NextRollWatched, RollWatched
from service.referee.state import Phase, State
from service.referee.unpressed import dance_thrown_over
from service.session.halves import area_of, halves_of, is_half_ignored
from service.session.halves import lies_inside as _inside
from service.session.whose_dice import GLANCE_S, Dice, may_have_no_play, only_pushed, split_dice


def _may_be_the_others(state: State) -> bool:
    """Whether a throw in the other side's half may be that side's: the side on roll had no play,
    and nobody saw what it threw; or the other one throws again after a dance.
    """
    if state.press_ends_turn:
        return False
    return may_have_no_play(state) or dance_thrown_over(state) is not None


def is_seen_to_play(state: State) -> bool:
    """Whether the side on roll has a play with every throw, and one that is seen."""
    try:
        position = state.position()
        return no_play_share(position) == 0 and not may_bear_off_unseen(position)
    except (PositionError, ValueError):
        return False


def with_dice_of_turn(state: State, evidence: Evidence, looking_since: float) -> Evidence:
    """The evidence that the play is judged by: without dice thrown in the next turn or before."""
    mine = split_dice(state, evidence.dice, looking_since).mine
    stale = tuple(t for t in evidence.dice if t.stale)
    return (
        evidence
        if len(mine) + len(stale) == len(evidence.dice)
        else replace(evidence, dice=mine + stale)
    )


def _is_own_play(state: State) -> bool:
    """Whether what was moved before the roll was announced is a play of the side on roll, or half
    of one: dice in the other half, and that side's own checkers moved, are its turn out of turn.
    """
    verdict = state.watch.verdict
    return (isinstance(verdict, Agreed) and bool(verdict.play.moves)) or (
        isinstance(verdict, Pending) and verdict.reason in OWN_PLAY
    )


OWN_PLAY: Final = frozenset({"half_made", "hit_checker"})
"""Pending for a reason that tells of a play of the side on roll."""


def watch_roll(state: State, evidence: Evidence, looking_since: float, now: float) -> list[Input]:
    """What the dice of the side on roll show before its play, and the opponent's if any lie."""
    dice = split_dice(state, evidence.dice, looking_since)
    area = area_of(state, state.game.on_roll)
    seen = roll_of_dice(replace(evidence, dice=dice.mine), now, area)
    if (
        isinstance(seen, RollProblem)
        and seen.kind in OUTSIDE
        and state.watch.touched_since is not None
        and _is_own_play(state)
    ):
        before = tuple(t for t in dice.mine if t.first_at < state.watch.touched_since)
        played = roll_of_dice(replace(evidence, dice=before), now, WHOLE_FIELD)
        if isinstance(played, RollRead):
            return [RollWatched(played, elsewhere=True)]
    mine = [t for t in dice.mine if t.gone_at is None]
    old_lie_there = any(t.stale and t.gone_at is None for t in evidence.dice)
    if isinstance(seen, RollProblem) and seen.kind in OUTSIDE and old_lie_there:
        # Nobody has rolled while the last roller's dice still lie there; one of them was pushed.
        seen = RollUnread()
    elif not all(_inside(t, area) for t in mine) and _may_be_the_others(state):
        # The other side has thrown as well, and nobody knows yet whether it may.
        seen = RollUnread()
    lying = tuple(t.where for t in mine)
    half = right_half(seating_of(state), state.game.on_roll)
    other = area_of(state, state.game.on_roll.other)
    halves_ignored = is_half_ignored(state)
    learned = halves_ignored and state.match.event.dice_area is DiceArea.RIGHT_HALF
    return [
        RollWatched(
            seen,
            elsewhere=learned and not any(_inside(t, half) for t in mine),
            others=bool(mine) and not halves_ignored and all(_inside(t, other) for t in mine),
            lying=lying,
            thrown_over_at=_thrown_at(dice.late),
            stirred_at=evidence.stirred_at,
            thrown_at=_thrown_at(tuple(mine)),
        ),
        *_next_roll(state, evidence, dice.late, now),
    ]


def _thrown_at(dice: Dice) -> float | None:
    """When the first of these dice was seen, None for no dice."""
    return min((t.first_at for t in dice), default=None)


def after_double(state: State, evidence: Evidence, looking_since: float, now: float) -> list[Input]:
    """What dice show that were thrown over the checkers as they stood, the doubler's or the other
    side's: it was taken.
    """
    placement = state.game.placement
    if placement is None or not isinstance(placement_seen(evidence, placement, now), Matches):
        return []
    return watch_roll(state, evidence, looking_since, now)


def thrown_on_after_double(
    state: State, memory: Recollection | None, *, is_explained: bool
) -> list[NextRollWatched]:
    """That both sides have thrown into their own halves since the double, whatever stands there:
    who drops throws no more in this game, and for the next one each throws one die. Nothing where
    the play `is_explained`: it tells more.
    """
    halves = halves_of(state)
    if is_explained or memory is None or halves is None:
        return []
    since = [t for t in memory.dice if t.first_at > state.turn.offered_at and t.seen_again]
    thrown = []
    for side in Side:
        own = sorted(t.first_at for t in since if _inside(t, halves[side]))
        pairs = (at for first, at in itertools.pairwise(own) if at - first <= ONE_THROW_S)
        thrown.append(next(pairs, None))
    both = [at for at in thrown if at is not None]
    return [NextRollWatched(RollUnread(), max(both))] if len(both) == len(thrown) else []


def roll_and_next(
    state: State, evidence: Evidence, looking_since: float, now: float
) -> list[Input]:
    """This turn's dice while its play is made or judged, and the opponent's next throw."""
    dice = split_dice(state, evidence.dice, looking_since)
    found: list[Input] = []
    lying = [t for t in dice.mine if t.gone_at is None]
    if state.phase is Phase.MOVING:
        known = max(state.match.rolled_at, looking_since + GLANCE_S)
        again = tuple(t for t in lying if t.first_at > known)
        if only_pushed(state, tuple(t for t in evidence.dice if not t.stale), again):
            again = ()
        if again and len(again) == len(lying) and not _other_threw_before(state, evidence, again):
            seen = roll_of_dice(
                replace(evidence, dice=again), now, area_of(state, state.game.on_roll)
            )
            found.append(RollWatched(seen, again=True))
        else:
            seen = RollUnread() if lying else NoDice()
            found.append(RollWatched(seen, thrown_over_at=_thrown_at(dice.late)))
    elif state.phase is Phase.PRESSED and state.turn.roll is None:
        # A throw in the other half is the opponent's, whenever the camera began to look again.
        own = area_of(state, state.game.on_roll)
        new = tuple(t for t in dice.mine if t.first_at > state.match.pressed_at and _inside(t, own))
        found.append(
            RollWatched(
                roll_of_dice(replace(evidence, dice=new), now, area_of(state, state.game.on_roll))
            )
        )
    return [*found, *_next_roll(state, evidence, dice.late, now)]


def _other_threw_before(state: State, evidence: Evidence, again: Dice) -> bool:
    """Whether the other side has thrown since this roll, in its own half, before these dice came:
    then they are no second throw of the same turn.
    """
    if is_half_ignored(state):
        return False
    other = area_of(state, state.game.on_roll.other)
    before = min(t.first_at for t in again) - ONE_THROW_S
    since = [t for t in evidence.dice if state.match.rolled_at < t.first_at < before]
    return sum(_inside(t, other) for t in since if t.seen_again and not t.stale) >= 2


def _next_roll(state: State, evidence: Evidence, late: Dice, now: float) -> list[Input]:
    """What the opponent's dice show, thrown before this turn was decided; nothing when none lie."""
    if len(late) >= 2:
        seen = roll_of_dice(
            replace(evidence, dice=late), now, area_of(state, state.game.on_roll.other)
        )
        return [NextRollWatched(seen, min(t.first_at for t in late))]
    alone = len(late) == 1 and now - late[0].first_at >= evidence.tuning.die_alone_s
    if alone and not any(t.gone_at is None and t not in late for t in evidence.dice):
        # Its fellow is not seen, but nobody leaves one die of the last roll in the other half.
        return [NextRollWatched(RollUnread(), late[0].first_at)]
    return [NextRollWatched(NoDice())] if state.watch.next_roll is not None else []

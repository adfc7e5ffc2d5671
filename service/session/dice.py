"""Whose dice lie there: this turn's, the last roller's, or the opponent's who could not wait.

One shared pair or a pair each, picked up early or left lying, pushed aside to make room for a
checker: what tells them apart is when a die was first seen, and in whose half it lies. What was
there when the camera began to look is nobody's news."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from rules.board import Side
from rules.event import DiceArea
from rules.observation import DieStatus
from rules.ruleset import Opening, ShishBesh
from service.reconcile import rolls
from service.reconcile.evidence import Belief
from service.reconcile.tracks import Track
from service.reconcile.verdict import NoDice, RollProblem, RollUnread
from service.referee.event import seating_of
from service.referee.inputs import Input, NextRollWatched, OpeningWatched, RollWatched
from service.referee.state import Phase, State

GLANCE_S: Final = 1.0
"""Dice seen within so long after the camera began to look (again) may have lain there before."""
ALONE_S: Final = 2.0
"""One die alone counts as the opponent's throw after so long."""
DIE_SURE: Final = 0.97
"""An opening die counts when its face is read with this probability; below, people are asked."""

Dice = tuple[Track, ...]


def area_of(state: State, side: Side) -> rolls.Area:
    """Where a side's dice count, by the event."""
    if state.match.event.dice_area is not DiceArea.RIGHT_HALF:
        return rolls.WHOLE_FIELD
    return rolls.right_half(seating_of(state), side)


def _inside(track: Track, area: rolls.Area) -> bool:
    return area[0] <= track.where[0] <= area[2]


def shares(state: State, dice: Dice, looking_since: float) -> tuple[Dice, Dice]:
    """(this turn's dice, those of the opponent's next throw).

    Dice that are nobody's news are in neither.
    """
    fresh = tuple(t for t in dice if not t.stale)
    known = looking_since + GLANCE_S
    whole = state.match.event.dice_area is not DiceArea.RIGHT_HALF
    own, other = area_of(state, state.game.on_roll), area_of(state, state.game.on_roll.other)
    if state.phase is Phase.TO_ROLL:
        # After a restart the last roller's dice may still lie in its half.
        news = tuple(t for t in fresh if t.first_at > known or (not whole and _inside(t, own)))
        # Thrown after a whole play stood there, or into the other half: the opponent's.
        stood = state.watch.rest_since if whole else None
        late = tuple(
            t
            for t in news
            if t.gone_at is None
            and (stood is not None and t.first_at > stood if whole else not _inside(t, own))
        )
        return (tuple(t for t in news if t not in late), late) if whole else (news, late)
    began = (
        state.match.pressed_at
        if state.phase in (Phase.PRESSED, Phase.ILLEGAL)
        else state.match.rolled_at
    )
    late = tuple(
        t
        for t in fresh
        if t.first_at > max(began, known) and t.gone_at is None and _inside(t, other)
    )
    if whole and any(t.first_at <= began and t.gone_at is None for t in fresh):
        # Wherever dice may lie, a pushed die is told from a thrown one only while none of the old
        # lies there.
        late = ()
    return tuple(t for t in fresh if t not in late), late


def of_turn(state: State, belief: Belief, looking_since: float) -> Belief:
    """The belief without dice that are not this turn's: what the play is judged by."""
    mine, _ = shares(state, belief.dice, looking_since)
    stale = tuple(t for t in belief.dice if t.stale)
    return (
        belief if len(mine) + len(stale) == len(belief.dice) else replace(belief, dice=mine + stale)
    )


def watch_roll(state: State, belief: Belief, looking_since: float, now: float) -> list[Input]:
    """The dice of the side on roll, before its play."""
    mine, late = shares(state, belief.dice, looking_since)
    seen = rolls.roll_of_dice(replace(belief, dice=mine), now, area_of(state, state.game.on_roll))
    old_lie_there = any(t.stale and t.gone_at is None for t in belief.dice)
    if isinstance(seen, RollProblem) and seen.kind in ("missing", "wrong_half") and old_lie_there:
        # Nobody has rolled while the last roller's dice still lie there; one of them was pushed.
        seen = RollUnread()
    return [RollWatched(seen), *_next(state, belief, late, now)]


def roll_and_next(state: State, belief: Belief, looking_since: float, now: float) -> list[Input]:
    """While a roll is played or its play judged: do its dice still lie there, and has the opponent
    thrown?
    """
    mine, late = shares(state, belief.dice, looking_since)
    found: list[Input] = []
    lying = [t for t in mine if t.gone_at is None]
    if state.phase is Phase.MOVING:
        again = tuple(t for t in lying if t.first_at > state.match.rolled_at)
        if again and len(again) == len(lying):
            seen = rolls.roll_of_dice(
                replace(belief, dice=again), now, area_of(state, state.game.on_roll)
            )
            found.append(RollWatched(seen, again=True))
        else:
            found.append(RollWatched(RollUnread() if lying else NoDice()))
    elif state.phase is Phase.PRESSED and state.turn.roll is None:
        new = tuple(t for t in mine if t.first_at > state.match.pressed_at)
        found.append(
            RollWatched(
                rolls.roll_of_dice(
                    replace(belief, dice=new), now, area_of(state, state.game.on_roll)
                )
            )
        )
    return [*found, *_next(state, belief, late, now)]


def _next(state: State, belief: Belief, late: Dice, now: float) -> list[Input]:
    if len(late) >= 2:
        seen = rolls.roll_of_dice(
            replace(belief, dice=late), now, area_of(state, state.game.on_roll.other)
        )
        return [NextRollWatched(seen, min(t.first_at for t in late))]
    alone = len(late) == 1 and now - late[0].first_at >= ALONE_S
    if alone and not any(t.gone_at is None and t not in late for t in belief.dice):
        # Its fellow is not seen, but nobody leaves one die of the last roll in the other half.
        return [NextRollWatched(RollUnread(), late[0].first_at)]
    return [NextRollWatched(NoDice())] if state.watch.next_roll is not None else []


def _opening_problem(state: State, belief: Belief, lying: list[Track], each: int) -> str:
    """Why the dice that lie there are no opening throw, "" when they are, or are not all thrown
    yet.
    """
    if any(t.seen < belief.tuning.roll_readings for t in lying):
        return ""
    for track in lying:
        status = max(track.status, key=lambda s: track.status[s])
        if (
            status not in (DieStatus.FLAT, DieStatus.ROLLING)
            and track.status[status] >= belief.tuning.roll_problem
        ):
            return str(status.value)
    mine = [
        sum(_inside(t, rolls.right_half(seating_of(state), side)) for t in lying) for side in Side
    ]
    return "wrong_half" if len(lying) >= 2 * each and max(mine) > each else ""


def _shish_besh(state: State, belief: Belief, lying: list[Track]) -> Side | None:
    """The side whose 6-5 starts at once, whether or not the other has thrown."""
    if state.match.ruleset is None or state.match.ruleset.shish_besh is not ShishBesh.STARTS:
        return None
    for side in Side:
        mine = [t for t in lying if _inside(t, rolls.right_half(seating_of(state), side))]
        other = [t for t in lying if t not in mine]
        if (
            len(mine) == 2
            and not other
            and all(t.seen >= belief.tuning.roll_readings for t in mine)
        ):
            likely = [t.probabilities(belief.tuning.die_floor) for t in mine]
            if max(likely[0][5] * likely[1][4], likely[0][4] * likely[1][5]) >= DIE_SURE**2:
                return side
    return None


def opening(state: State, belief: Belief, looking_since: float, now: float) -> list[Input]:
    """The opening throw: each side's dice in its own half, every face sure."""
    each = (
        2
        if state.match.ruleset is not None and state.match.ruleset.opening is Opening.TWO_DICE_EACH
        else 1
    )
    lying = [t for t in belief.dice if not t.stale and t.gone_at is None and t.certainty >= 0.5]
    if not lying:
        return [OpeningWatched((), (), 0.0)]
    problem = _opening_problem(state, belief, lying, each)
    if problem:
        return [OpeningWatched((), (), 0.0, problem)]
    p = 1.0
    faces: dict[Side, tuple[int, ...]] = {}
    early = _shish_besh(state, belief, lying)
    for side in Side:
        mine = [t for t in lying if _inside(t, rolls.right_half(seating_of(state), side))]
        if early is not None and side is not early:
            faces[side] = ()
            continue
        if len(mine) != each or any(t.seen < belief.tuning.roll_readings for t in mine):
            return []
        values = []
        for track in mine:
            likely = track.probabilities(belief.tuning.die_floor)
            sure = [i + 1 for i, q in enumerate(likely) if q * track.flat >= DIE_SURE]
            if not sure:
                return []
            values.append(sure[0])
            p *= likely[sure[0] - 1] * track.flat
        faces[side] = tuple(values)
    return [OpeningWatched(faces[Side.WHITE], faces[Side.BLACK], p)]

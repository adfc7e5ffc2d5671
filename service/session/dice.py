"""Whose dice lie there: this turn's, the last roller's, or the opponent's who could not wait.

One shared pair or a pair each, picked up early or left lying, pushed aside to make room for a
checker: what tells them apart is when a die was first seen, and in whose half it lies. Dice that
lay there already when the camera began to look are left out: it is not known who threw them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from rules.axes import Opening, ShishBesh
from rules.board import Side
from rules.event import DiceArea
from rules.observation import DieStatus
from service.reconcile import (
    WHOLE_FIELD,
    Area,
    Evidence,
    NoDice,
    RollProblem,
    RollUnread,
    Track,
    right_half,
    roll_of_dice,
)
from service.referee.event import seating_of
from service.referee.inputs import Input, NextRollWatched, OpeningWatched, RollWatched
from service.referee.state import Phase, State

GLANCE_S: Final = 1.0
"""Dice seen within so long after the camera began to look (again) may have lain there before."""
ALONE_S: Final = 2.0
"""One die alone counts as the opponent's throw after so long."""
DIE_SURE: Final = 0.97
"""An opening die counts when its face is read with this probability; below, people are asked."""

Dice: TypeAlias = tuple[Track, ...]
"""Dice as they are followed over frames, one `Track` a die, in the order in which they came."""


@dataclass(frozen=True, slots=True)
class SplitDice:
    """Dice by the turn they belong to: `mine` of this turn, `late` of the opponent's next throw."""

    mine: Dice
    late: Dice


def area_of(state: State, side: Side) -> Area:
    """Where a side's dice count, by the event."""
    if state.match.event.dice_area is not DiceArea.RIGHT_HALF:
        return WHOLE_FIELD
    return right_half(seating_of(state), side)


def _inside(track: Track, area: Area) -> bool:
    """Whether a die lies in an area, by its distance from west to east alone."""
    return area[0] <= track.where[0] <= area[2]


def split_dice(state: State, dice: Dice, looking_since: float) -> SplitDice:
    """This turn's dice and those of the opponent's next throw.

    The last roller's dice, and dice that may have lain there when the camera began to look
    (`looking_since`, table time), are in neither.
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
        return SplitDice(tuple(t for t in news if t not in late) if whole else news, late)
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
    return SplitDice(tuple(t for t in fresh if t not in late), late)


def with_dice_of_turn(state: State, evidence: Evidence, looking_since: float) -> Evidence:
    """The evidence that the play is judged by: without dice thrown in the next turn or before."""
    mine = split_dice(state, evidence.dice, looking_since).mine
    stale = tuple(t for t in evidence.dice if t.stale)
    return (
        evidence
        if len(mine) + len(stale) == len(evidence.dice)
        else replace(evidence, dice=mine + stale)
    )


def watch_roll(state: State, evidence: Evidence, looking_since: float, now: float) -> list[Input]:
    """What the dice of the side on roll show before its play, and the opponent's if any lie."""
    dice = split_dice(state, evidence.dice, looking_since)
    seen = roll_of_dice(replace(evidence, dice=dice.mine), now, area_of(state, state.game.on_roll))
    old_lie_there = any(t.stale and t.gone_at is None for t in evidence.dice)
    if isinstance(seen, RollProblem) and seen.kind in ("missing", "wrong_half") and old_lie_there:
        # Nobody has rolled while the last roller's dice still lie there; one of them was pushed.
        seen = RollUnread()
    lying = tuple(t.where for t in dice.mine if t.gone_at is None)
    return [RollWatched(seen, lying=lying), *_next_roll(state, evidence, dice.late, now)]


def roll_and_next(
    state: State, evidence: Evidence, looking_since: float, now: float
) -> list[Input]:
    """This turn's dice while its play is made or judged, and the opponent's next throw."""
    dice = split_dice(state, evidence.dice, looking_since)
    found: list[Input] = []
    lying = [t for t in dice.mine if t.gone_at is None]
    if state.phase is Phase.MOVING:
        again = tuple(t for t in lying if t.first_at > state.match.rolled_at)
        if again and len(again) == len(lying):
            seen = roll_of_dice(
                replace(evidence, dice=again), now, area_of(state, state.game.on_roll)
            )
            found.append(RollWatched(seen, again=True))
        else:
            found.append(RollWatched(RollUnread() if lying else NoDice()))
    elif state.phase is Phase.PRESSED and state.turn.roll is None:
        new = tuple(t for t in dice.mine if t.first_at > state.match.pressed_at)
        found.append(
            RollWatched(
                roll_of_dice(replace(evidence, dice=new), now, area_of(state, state.game.on_roll))
            )
        )
    return [*found, *_next_roll(state, evidence, dice.late, now)]


def _next_roll(state: State, evidence: Evidence, late: Dice, now: float) -> list[Input]:
    """What the opponent's dice show, thrown before this turn was decided; nothing when none lie."""
    if len(late) >= 2:
        seen = roll_of_dice(
            replace(evidence, dice=late), now, area_of(state, state.game.on_roll.other)
        )
        return [NextRollWatched(seen, min(t.first_at for t in late))]
    alone = len(late) == 1 and now - late[0].first_at >= ALONE_S
    if alone and not any(t.gone_at is None and t not in late for t in evidence.dice):
        # Its fellow is not seen, but nobody leaves one die of the last roll in the other half.
        return [NextRollWatched(RollUnread(), late[0].first_at)]
    return [NextRollWatched(NoDice())] if state.watch.next_roll is not None else []


def _opening_problem(state: State, evidence: Evidence, lying: list[Track], each: int) -> str:
    """Why the dice that lie there are no opening throw, "" when they are or are still thrown."""
    if any(t.seen < evidence.tuning.roll_readings for t in lying):
        return ""
    for track in lying:
        status = max(track.status, key=lambda s: track.status[s])
        if (
            status not in (DieStatus.FLAT, DieStatus.ROLLING)
            and track.status[status] >= evidence.tuning.roll_problem
        ):
            return str(status.value)
    mine = [sum(_inside(t, right_half(seating_of(state), side)) for t in lying) for side in Side]
    return "wrong_half" if len(lying) >= 2 * each and max(mine) > each else ""


def _shish_besh(state: State, evidence: Evidence, lying: list[Track]) -> Side | None:
    """The side whose 6-5 starts at once, whether or not the other has thrown."""
    if state.match.ruleset is None or state.match.ruleset.shish_besh is not ShishBesh.STARTS:
        return None
    for side in Side:
        mine = [t for t in lying if _inside(t, right_half(seating_of(state), side))]
        other = [t for t in lying if t not in mine]
        if (
            len(mine) == 2
            and not other
            and all(t.seen >= evidence.tuning.roll_readings for t in mine)
        ):
            likely = [t.probabilities(evidence.tuning.die_floor) for t in mine]
            if max(likely[0][5] * likely[1][4], likely[0][4] * likely[1][5]) >= DIE_SURE**2:
                return side
    return None


def opening(state: State, evidence: Evidence, looking_since: float, now: float) -> list[Input]:
    """The opening throw: each side's dice in its own half, every face sure; nothing before that."""
    each = (
        2
        if state.match.ruleset is not None and state.match.ruleset.opening is Opening.TWO_DICE_EACH
        else 1
    )
    lying = [t for t in evidence.dice if not t.stale and t.gone_at is None and t.certainty >= 0.5]
    if not lying:
        return [OpeningWatched((), (), 0.0)]
    problem = _opening_problem(state, evidence, lying, each)
    if problem:
        return [OpeningWatched((), (), 0.0, problem)]
    p = 1.0
    faces: dict[Side, tuple[int, ...]] = {}
    early = _shish_besh(state, evidence, lying)
    for side in Side:
        mine = [t for t in lying if _inside(t, right_half(seating_of(state), side))]
        if early is not None and side is not early:
            faces[side] = ()
            continue
        if len(mine) != each or any(t.seen < evidence.tuning.roll_readings for t in mine):
            return []
        values = []
        for track in mine:
            likely = track.probabilities(evidence.tuning.die_floor)
            sure = [i + 1 for i, q in enumerate(likely) if q * track.flat >= DIE_SURE]
            if not sure:
                return []
            values.append(sure[0])
            p *= likely[sure[0] - 1] * track.flat
        faces[side] = tuple(values)
    return [OpeningWatched(faces[Side.WHITE], faces[Side.BLACK], p)]

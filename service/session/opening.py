"""The opening: what its dice show, and whose the first play is where nobody could read them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from rules.axes import Opening, ShishBesh
from rules.board import Side
from rules.observation import DieStatus
from rules.position import Position
from service.reconcile import (
    Agreed,
    DoesNotMatch,
    Evidence,
    Expectation,
    Pending,
    Track,
    decide,
    placement_seen,
    recall,
    right_half,
)
from service.referee.event import seating_of
from service.referee.inputs import UNREAD, Input, OpeningPlayed, OpeningWatched
from service.referee.state import State
from service.session.belief import Session
from service.session.halves import area_of, is_half_ignored
from service.session.halves import lies_inside as _inside
from service.session.whose_dice import equal_dice, thrown_over_first

OPENING_ALONE_S: Final = 6.0
"""Opening dice that are too few are asked about after so long: the other side may be slow to throw.
"""
MOST_LIKELY: Final = 3
"""So many throws are offered where an opening throw could not be read."""


# The dice.


def _opening_problem(
    state: State, evidence: Evidence, lying: list[Track], each: int, now: float
) -> str:
    """Why the dice that lie there are no opening throw, "" when they are or are still thrown."""
    if any(not t.seen_again for t in lying):
        return ""
    for track in lying:
        status = max(track.status, key=lambda s: track.status[s])
        if (
            status not in (DieStatus.FLAT, DieStatus.ROLLING)
            and track.status[status] >= evidence.tuning.roll_read
        ):
            return str(status.value)
    mine = [sum(_inside(t, right_half(seating_of(state), side)) for t in lying) for side in Side]
    if is_half_ignored(state) or len(lying) < 2 * each or max(mine) <= each:
        return ""
    # Once something was played from the start, they are the dice of a turn.
    played = isinstance(placement_seen(evidence, evidence.placement, now), DoesNotMatch)
    return "" if played else "wrong_half"


def _shish_besh(state: State, evidence: Evidence, lying: list[Track]) -> Side | None:
    """The side whose 6-5 starts at once, whether or not the other has thrown."""
    if state.match.ruleset is None or state.match.ruleset.shish_besh is not ShishBesh.STARTS:
        return None
    for side in Side:
        mine = [t for t in lying if _inside(t, right_half(seating_of(state), side))]
        other = [t for t in lying if t not in mine]
        if len(mine) == 2 and not other and all(t.seen_again for t in mine):
            likely = [t.probabilities(evidence.tuning.die_floor) for t in mine]
            sure = max(likely[0][5] * likely[1][4], likely[0][4] * likely[1][5])
            if _is_read(evidence, sure, mine):
                return side
    return None


def opening(state: State, evidence: Evidence, looking_since: float, now: float) -> list[Input]:
    """The opening throw: each side's dice in its own half, as sure as those of any roll that is
    announced; what they may show where they are not.
    """
    each = (
        2
        if state.match.ruleset is not None and state.match.ruleset.opening is Opening.TWO_DICE_EACH
        else 1
    )
    lying = [t for t in evidence.dice if not t.stale and t.gone_at is None and t.certainty >= 0.5]
    if not lying:
        return [OpeningWatched((), (), 0.0)]
    problem = _opening_problem(state, evidence, lying, each, now)
    if problem:
        return [OpeningWatched((), (), 0.0, problem)]
    early = _shish_besh(state, evidence, lying)
    thrown: list[tuple[Side, Track]] = []
    for side in Side if early is None else (early,):
        mine = [t for t in lying if _inside(t, right_half(seating_of(state), side))]
        if any(not t.seen_again for t in mine):
            return []
        if len(mine) != each:
            # Not thrown yet; or nobody can see it.
            alone = now - max(t.first_at for t in lying)
            return [] if alone < OPENING_ALONE_S else [OpeningWatched((), (), 0.0, UNREAD)]
        thrown += [(side, track) for track in mine]
    read = [_likely_faces(track, evidence.tuning.die_floor) for _, track in thrown]
    p = math.prod(faces[0][1] for faces in read)
    tracks = [track for _, track in thrown]
    flat = min(track.flat for track in tracks)
    if _is_read(evidence, p, tracks):
        return [OpeningWatched(*_by_side(thrown, [faces[0][0] for faces in read]), p * flat)]
    likely = sorted(itertools.product(*read), key=lambda faces: -math.prod(q for _, q in faces))
    throws = tuple(_by_side(thrown, [face for face, _ in faces]) for faces in likely[:MOST_LIKELY])
    return [OpeningWatched((), (), p * flat, UNREAD, throws)]


def _is_read(evidence: Evidence, p: float, thrown: Sequence[Track]) -> bool:
    """Whether an opening throw, with the probability of its faces, is announced: faces and how
    each die lies are asked apart, as of any roll (`reconcile.roll_of_dice`). One number of both
    left an opening unread with a die that seemed to lean by a quarter, though any roll with it was.
    """
    tuning = evidence.tuning
    return p >= tuning.roll_read and min(track.flat for track in thrown) >= tuning.roll_flat


def _likely_faces(track: Track, floor: float) -> list[tuple[int, float]]:
    """The two likeliest faces of a die, each with its probability, best first."""
    found = enumerate(track.probabilities(floor), 1)
    return sorted(found, key=lambda face: -face[1])[:2]


def _by_side(
    thrown: list[tuple[Side, Track]], faces: list[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The faces of White's dice and of Black's."""
    pairs = list(zip(thrown, faces, strict=True))
    white = tuple(face for (side, _), face in pairs if side is Side.WHITE)
    return white, tuple(face for (side, _), face in pairs if side is Side.BLACK)


# The first play.


def opening_play(session: Session, evidence: Evidence, now: float) -> list[Input]:
    """Whose play stands there, where what was thrown is no opening: who plays first has won it."""
    state, eye = session.state, evidence.dice_witness()
    # One die may lie where nobody sees it; a press says that there was a throw at all.
    thrown = any(not t.stale for t in evidence.dice) or state.watch.early_press is not None
    if state.match.ruleset is None or eye is None or eye.blind(now) or not thrown:
        return []
    starts = {side: Position.start(state.match.ruleset, side) for side in Side}
    stood = state.watch.rest_since if isinstance(state.watch.whole, Agreed) else None
    since = state.turn.began
    late = () if stood is None else _thrown_since(evidence, stood)
    equal = equal_dice(state, tuple(t for t in evidence.dice if not t.stale))
    late += tuple(t for t in thrown_over_first(state, equal) if t not in late)
    own = replace(evidence, dice=tuple(t for t in evidence.dice if t not in late + equal))
    verdicts = [
        decide(own, Expectation(start, since=since, dice_area=area_of(state, side)), now)
        for side, start in starts.items()
    ]
    made = [v for v in verdicts if isinstance(v, Agreed) and v.play.moves]
    return [
        OpeningPlayed(
            made[0] if len(made) == 1 else None,
            all(isinstance(v, Pending) and v.reason == "nothing_moved" for v in verdicts),
            min((t.first_at for t in late), default=None),
            None if made else _first_to_play(session, evidence, starts),
        )
    ]


def _thrown_since(evidence: Evidence, at: float) -> tuple[Track, ...]:
    """The dice that lie there and came to lie there after a time."""
    return tuple(t for t in evidence.dice if t.first_at > at and t.gone_at is None and t.seen_again)


def _first_to_play(
    session: Session, evidence: Evidence, starts: Mapping[Side, Position]
) -> Side | None:
    """Whose turn the first was, by the turns that were seen since the game was begun; None where
    they tell of none, or might be told either way.
    """
    if session.memory is None:
        return None
    told = {
        side: recall(session.memory.begun_again(start), evidence) for side, start in starts.items()
    }
    # As the other side's game, its first turn may be told as well, out of turn.
    first = [side for side, found in told.items() if found and found.turns[0].side is side]
    return first[0] if len(first) == 1 else None

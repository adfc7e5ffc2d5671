"""Which of the 21 rolls the dice speak for, and what is wrong with dice that are no valid roll."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from rules.board import BySide, Seating, Side
from rules.dice import ROLLS, Roll
from rules.observation import DieStatus
from service.reconcile.arrays import F64
from service.reconcile.evidence import Evidence
from service.reconcile.reel import Throw
from service.reconcile.tracks import ONE_THROW_S, SAME_PLACE, Track, of_one_pair
from service.reconcile.tuning import DEFAULT, Tuning

Area = tuple[float, float, float, float]
"""Where a die counts: west, south, east, north on the geometric board, field corners at 0 and 1."""

WHOLE_FIELD: Area = (0.0, 0.0, 1.0, 1.0)
LOG_PRIOR: Final[F64] = np.log(np.array([r.weight for r in ROLLS]) / 36.0)
"""(21,) log probability of each of `ROLLS` before any die is seen: 1 or 2 of 36."""
LOG_PRIOR.setflags(write=False)
ALONE_S: Final = DEFAULT.die_alone_s
"""A die that has lain alone for so long was thrown with another that nobody finds, s."""
EDGE: Final = SAME_PLACE / 2
"""A die's centre may be read so far outside its area without a call: half a die."""


@dataclass(frozen=True, slots=True)
class RollRead:
    """A valid roll lies on the board, read with probability `p`."""

    roll: Roll
    p: float


@dataclass(frozen=True, slots=True)
class RollProblem:
    """Dice lie there and are no valid roll.

    `kind` is cocked, on_checker, on_bar, off_board, wrong_half (one of the two), other_half (both:
    the other side may have thrown them) or too_many; `dice` those concerned.
    """

    kind: str
    p: float
    dice: tuple[Track, ...] = ()


@dataclass(frozen=True, slots=True)
class RollUnread:
    """Dice lie there and what they show is not sure yet.

    `best` lists rolls with their probabilities, best first.
    """

    best: tuple[tuple[Roll, float], ...] = ()


@dataclass(frozen=True, slots=True)
class NoDice:
    """No dice of this turn are seen, or no source can see dice."""


RollSeen = RollRead | RollProblem | RollUnread | NoDice

OUTSIDE: Final = frozenset({"wrong_half", "other_half"})
"""Problems of dice that lie where the side on roll does not throw."""
_PROBLEMS = {
    DieStatus.COCKED: "cocked",
    DieStatus.ON_CHECKER: "on_checker",
    DieStatus.ON_BAR: "on_bar",
    DieStatus.OFF_BOARD: "off_board",
}


def right_half(seating: Seating, side: Side) -> Area:
    """The half of the field to the right of the bar as this side sees it: east from the south."""
    return (0.5, 0.0, 1.0, 1.0) if side is seating.south else (0.0, 0.0, 0.5, 1.0)


def dice_of_turn(evidence: Evidence) -> tuple[Track, ...]:
    """Dice thrown since the turn began, those that lie there or else lay there last together; a
    third that was taken up with two as well, since nobody knows which is the stranger.
    """
    mine = [t for t in evidence.dice if not t.stale]
    lying = [t for t in mine if t.gone_at is None]
    if len(lying) >= 2:
        return tuple(lying)
    gone = (t for t in mine if t.gone_at is not None)
    # One die lifted or hidden: its fellow counts when both lay there at once.
    together = lying
    for track in sorted(gone, key=lambda t: (-t.last_at, t.first_at)):
        is_third = len(together) >= 2
        if is_third and (lying or together[0].last_at - track.last_at > ONE_THROW_S):
            break
        if all(_lay_together(track, other) for other in together):
            together = [*together, track]
    return tuple(together)


def _lay_together(one: Track, other: Track) -> bool:
    return one.first_at <= other.last_at and other.first_at <= one.last_at


def dice_pair(dice: tuple[Track, ...]) -> tuple[Track, ...]:
    """The two dice that belong together when more lie there.

    Flat before leaning, sure before unsure, of like colour.
    """
    if len(dice) <= 2:
        return dice
    ranked = sorted(dice, key=lambda t: (-t.flat, -t.certainty))
    first = ranked[0]
    second = min(
        ranked[1:],
        key=lambda t: (t.flat < 0.5, not of_one_pair(first, t), -t.certainty),
    )
    return (first, second)


def _surely_dice(dice: tuple[Track, ...], tuning: Tuning) -> tuple[Track, ...]:
    """The two that surely are dice where there are just two such: what may be none beside them, a
    logo or a die's own side, is no third.
    """
    sure = tuple(t for t in dice if t.certainty >= tuning.roll_read)
    return sure if len(sure) == 2 else dice


def roll_logs(dice: tuple[Track, ...], tuning: Tuning) -> F64:
    """Log-likelihood of each of the 21 rolls by the dice, (21,), 0 at the best.

    All zero when nothing was read. A die that seems to lean says less. Of three or more any two may
    be the throw, as likely as they lie flat.
    """
    dice = _surely_dice(dice, tuning)
    if len(dice) == 4 and _two_pairs(dice):
        dice = dice_pair(dice)
    read = [
        t.probabilities(tuning.die_floor if t.flat >= 0.5 else tuning.leaning_floor) for t in dice
    ]
    if not read:
        return np.zeros(len(ROLLS))
    if len(read) == 1:
        first = read[0]
        likelihood = [(first[r.high - 1] + first[r.low - 1]) / 2 for r in ROLLS]
    else:
        # However much a die leans, it may be one of the throw.
        weights = [t.flat * t.certainty + tuning.leaning_floor for t in dice]
        likelihood = [
            sum(
                weights[a] * weights[b] * _shows(read[a], read[b], r)
                for a, b in itertools.combinations(range(len(read)), 2)
            )
            for r in ROLLS
        ]
    logs = np.log(np.array(likelihood))
    result: F64 = logs - logs.max()
    return result


def _shows(first: tuple[float, ...], second: tuple[float, ...], roll: Roll) -> float:
    """The probability that two dice show this roll."""
    high, low = roll.high - 1, roll.low - 1
    return (first[high] * second[low] + first[low] * second[high]) / 2


def roll_of_dice(evidence: Evidence, now: float, area: Area = WHOLE_FIELD) -> RollSeen:
    """What the dice of this turn say by themselves, where dice count in this area.

    No problem is called while dice roll or a hand hides them, nor that a die lies there alone:
    players see where its fellow is, and far more often it is the camera that does not.
    """
    if evidence.dice_witness() is None:
        return NoDice()
    dice = tuple(
        t for t in evidence.dice if not t.stale and t.gone_at is None and t.certainty >= 0.5
    )
    if not dice:
        return NoDice()
    tuning = evidence.tuning
    dice = _thrown_into(_surely_dice(dice, tuning), area)
    chosen = dice_pair(dice)
    steady = all(t.last_at - t.first_at >= tuning.settle_s for t in chosen)
    best = _best(dice, tuning)
    if not steady:
        return RollUnread(best)
    # One that leans beside two that lie flat was thrown with one of them: the other is a stranger.
    for track in (*chosen, *(t for t in dice if t not in chosen and _leans_with(t, chosen))):
        status = max(track.status, key=lambda s: track.status[s])
        if status in _PROBLEMS and track.status[status] >= tuning.roll_read:
            return RollProblem(_PROBLEMS[status], track.status[status], (track,))
    if len(dice) > 2 and sum(t.flat >= 0.5 for t in dice) > 2 and not _two_pairs(dice):
        if sum(_inside(t.thrown_to, area) for t in dice) <= 2:
            # Some lie where the other side throws: nobody can say which were thrown together.
            return RollUnread(best)
        return RollProblem("too_many", 0.5, dice)
    outside = tuple(t for t in chosen if not _inside(t.thrown_to, area))
    if any(not _inside(t.where, WHOLE_FIELD) for t in outside):
        return RollProblem("off_board", min(t.flat for t in outside), outside)
    if len(chosen) < 2:
        return RollUnread()
    if outside:
        kind = "other_half" if len(outside) == len(chosen) else "wrong_half"
        return RollProblem(kind, min(t.flat for t in outside), outside)
    doubt = min(t.flat for t in chosen)
    if best[0][1] >= tuning.roll_read and doubt >= tuning.roll_flat:
        return RollRead(best[0][0], best[0][1] * doubt)
    return RollUnread(best)


def _thrown_into(dice: tuple[Track, ...], area: Area) -> tuple[Track, ...]:
    """The dice without those that lie elsewhere beside two in the area, where they are two as well
    or came at another time: the other side could not wait.
    """
    here = tuple(t for t in dice if _inside(t.thrown_to, area))
    there = [t for t in dice if t not in here]
    apart = all(abs(t.first_at - own.first_at) > ONE_THROW_S for t in there for own in here)
    return here if len(here) == 2 and (apart or len(there) == 2) else dice


def _leans_with(track: Track, thrown: tuple[Track, ...]) -> bool:
    """Whether a die leans that came to lie there with dice of a throw."""
    leans = track.status.get(DieStatus.COCKED, 0.0) >= 0.5
    return leans and any(abs(track.first_at - t.first_at) <= ONE_THROW_S for t in thrown)


def _two_pairs(dice: tuple[Track, ...]) -> bool:
    """Whether two pairs of two colours lie there: a pair each is normal."""
    return len(dice) == 4 and len({tuple(c // 64 for c in t.colour) for t in dice}) > 1


def _inside(where: tuple[float, float], area: Area) -> bool:
    east, north = where
    return area[0] - EDGE <= east <= area[2] + EDGE and area[1] - EDGE <= north <= area[3] + EDGE


def _best(dice: tuple[Track, ...], tuning: Tuning) -> tuple[tuple[Roll, float], ...]:
    """The three likeliest rolls with their probabilities, best first."""
    logs = roll_logs(dice, tuning) + LOG_PRIOR
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    order = np.argsort(-shares, kind="stable")[:3]
    return tuple((ROLLS[int(i)], float(shares[i])) for i in order)


# Throws over several turns.


def rolls_shown(logs: F64) -> F64:
    """Log-probabilities (21,) of the rolls, by the log-likelihoods (21,) of what dice showed."""
    both = logs + LOG_PRIOR
    result: F64 = both - np.logaddexp.reduce(both)
    return result


def throws_of(
    found: Iterable[Track],
    frames: Sequence[tuple[float, int]],
    tuning: Tuning = DEFAULT,
    halves: BySide[Area] | None = None,
) -> tuple[Throw, ...]:
    """Tracks of dice that lay there together, as throws in order of time.

    `frames`: (time, number) of each frame at rest. `halves`: where each side throws, None where
    people throw where there is room. One die alone is a throw of which half is known.
    """
    left = sorted(found, key=lambda t: (t.first_at, t.where))
    result: list[Throw] = []
    while left:
        first = left.pop(0)
        fellows = [t for t in left if t.first_at <= first.last_at]
        fellow = min(
            fellows,
            key=lambda t: (
                abs(t.first_at - first.first_at) > ONE_THROW_S,
                not of_one_pair(first, t),
                t.first_at,
            ),
            default=None,
        )
        pair = (first,) if fellow is None else (first, fellow)
        if fellow is not None:
            left.remove(fellow)
        # Of three that came to lie there at once nobody knows which is the stranger.
        thirds = [t for t in left if fellow and t.first_at - first.first_at <= ONE_THROW_S]
        lying = (*pair, *thirds) if len(thirds) == 1 else pair
        left = [t for t in left if t not in lying]
        at = max(t.first_at for t in pair)
        valid = (
            min(_p_valid(t) for t in pair)
            * (0.5 if fellow is None else 1.0)
            * min(1.0, 0.7 + 0.15 * min(t.seen for t in pair))
        )
        frame = next((n for when, n in frames if when >= at), -1)
        # A leaning die still counts for what it shows: the players may let it stand.
        flat = tuple(_as_flat(t) for t in lying)
        result.append(
            Throw(
                frame,
                at,
                max(t.last_at for t in pair),
                roll_logs(flat, tuning),
                max(valid, 0.02),
                min(t.first_at for t in pair),
                _side_of(pair, halves),
            )
        )
    return tuple(sorted(result, key=lambda t: t.at))


def _side_of(dice: Sequence[Track], halves: BySide[Area] | None) -> Side | None:
    """The side in whose half all of these dice lie, None where that tells nothing."""
    if halves is None:
        return None
    sides = [s for s in Side if all(_inside(t.thrown_to, halves[s]) for t in dice)]
    return sides[0] if len(sides) == 1 else None


def _p_valid(track: Track) -> float:
    """P(this is a die that lies flat), kept between 0.02 and 0.98."""
    return min(track.flat * track.certainty + 0.02, 0.98)


def _as_flat(track: Track) -> Track:
    """The same die as if it lay flat for certain."""
    return replace(track, status={DieStatus.FLAT: 1.0})

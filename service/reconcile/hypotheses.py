"""Everything that may stand on the board, what it means and its prior.

Likeliest first: a legal result of the roll, far above a half-made play, above the common accidents,
above an illegal play, above a board knocked about. The numbers are shares of turns and are meant to
be wrong by a factor of three without harm; `Tuning` holds the thresholds that the soak chose.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rules.axes import Facing, Landing
from rules.board import BAR, OFF, Side
from rules.dice import ROLLS, Roll
from rules.play import plays
from rules.position import OFF_AT, Position, placement_of, view_of
from rules.race import is_race
from service.reconcile.arrays import F64, Bools
from service.reconcile.codes import (
    ONE_CHECKER,
    SITES,
    Codes,
    checkers_of,
    codes_of,
)
from service.reconcile.rates import RATES


class Kind(enum.IntEnum):
    """What a hypothesis means."""

    LEGAL = 0
    BEFORE = 1
    """Nothing has moved (and something could have)."""
    HALF = 2
    """One die of two played, or fewer of a double's four."""
    HIT_CHECKER = 3
    """A legal play whose hit checker is still on its point, or in a hand."""
    MOVED = 4
    """The mover's own checkers, and those that they hit, stand as no legal play leaves them."""
    OTHERWISE = 5
    """Checkers stand as no turn of the mover could leave them: knocked, taken away, set up anew."""
    MISSING = 6
    """A legal play beside which a checker is gone that was gone before it: it fell, or every source
    misreads its pile."""


SLIP: Final = RATES["slip"].share
"""Share of turns that end with one kind of slip: half of a play, say, or one checker a point off;
as many end with nothing played, or with the hit checker left where it was. Fitted.
"""
KNOCKED = 0.0003
"""Share of turns in which checkers that are not the mover's to move stand elsewhere, one of the
opponent's moved instead (in as many ways as there are to misplay) or the board knocked about
(0.0001-0.01). A cost that a person chose: how much must be seen before a board is asked about.
"""
MOVED_WAYS: Final = RATES["places"].share * (SITES - 1)
"""In how many ways one checker may stand elsewhere: from each place that a side holds, to any
other. The share of misplays is spread over them. Measured, of the places that people held."""
AT_ONCE = 2
"""Rolls prepared at each look:

21 are ready after eleven looks, three seconds of a hand moving checkers.
"""
OFF_NATS = 1.5
"""What a checker borne off against the rules costs more than one moved so, nats (0-3): with trays
unseen one misread site looks just like that. A cost that a person chose.
"""
OTHERWISE_WAYS: Final = MOVED_WAYS**2 / 2
"""The same of two checkers."""
FEWER_OFF: Final = RATES["fewer_off"].share
"""Share of turns of a race in which fewer checkers are borne off than could be. Fitted."""


@dataclass(frozen=True, slots=True)
class Legal:
    """Every result of a roll: `codes` (N, 26), `views` the mover's (N tuples, same order), `shares`
    (N,) how often each of them is played, as logs.
    """

    roll: Roll
    codes: Codes
    views: tuple[tuple[int, ...], ...]
    shares: F64

    def share_of(self, view: tuple[int, ...]) -> float:
        """Log of how often the result with this view of the mover's is played."""
        return float(self.shares[self.views.index(view)])


@lru_cache(maxsize=8)
def _sites_of(facing: Facing, side: Side) -> npt.NDArray[np.intp]:
    """White's numbers of the mover's points 1 to 24, (24,)."""
    found = []
    for p in range(24):
        view = tuple(1 if i == p else 0 for i in range(28))
        found.append(placement_of(view, facing, side).counts(side).index(1))
    return np.array(found, np.intp)


def codes_of_views(views: npt.NDArray[np.int8], facing: Facing, side: Side) -> Codes:
    """Views of the mover (N, 28) as codes (N, 26)."""
    own_weight, other_weight = ONE_CHECKER[side], ONE_CHECKER[side.other]
    points = views[:, :24].astype(np.int16)
    codes = np.zeros((len(views), SITES), np.int16)
    codes[:, _sites_of(facing, side)] = np.where(
        points > 0, points * own_weight, -points * other_weight
    )
    codes[:, BAR] = views[:, 24] * np.int16(own_weight) + views[:, 26] * np.int16(other_weight)
    codes[:, OFF] = views[:, 25] * np.int16(own_weight) + views[:, 27] * np.int16(other_weight)
    return codes


@lru_cache(maxsize=512)
def legal(position: Position, roll: Roll) -> Legal:
    """Every legal result of a roll, sorted: the same input gives the same order everywhere."""
    views = tuple(sorted(plays(position, roll).results))
    return Legal(
        roll,
        codes_of_views(np.array(views, np.int8), position.ruleset.facing, position.side),
        views,
        _shares(position, views),
    )


def _shares(position: Position, views: tuple[tuple[int, ...], ...]) -> F64:
    """How often each result, a view of the mover's, is played: all alike, but that whoever cannot
    be hit any more bears off what can be borne off.
    """
    off = np.array([view[OFF_AT] for view in views])
    most = off == off.max()
    free = position.ruleset.landing is Landing.CLAIM or is_race(position)
    if most.all() or not free:
        return np.full(len(views), -math.log(len(views)))
    fewer = math.log(FEWER_OFF / np.count_nonzero(~most))
    result: F64 = np.where(most, math.log((1 - FEWER_OFF) / np.count_nonzero(most)), fewer)
    return result


@lru_cache(maxsize=256)
def no_play_share(position: Position) -> float:
    """The probability that a throw leaves the side on roll without a play."""
    return sum(roll.weight for roll in ROLLS if not plays(position, roll)) / 36


def prepare(position: Position, look: int) -> None:
    """Compute the plays of some rolls before a verdict needs all 21 of them; changes no answer.

    `look`: number of the look, by which the rolls are chosen.
    """
    for n in range(look * AT_ONCE, (look + 1) * AT_ONCE):
        legal(position, ROLLS[n % len(ROLLS)])


class LegalResults:
    """The turn that a verdict is about: legal results by roll, computed when first asked for.

    `before`: codes (26,) of what stood there when the turn began.
    """

    def __init__(self, position: Position) -> None:
        self.position = position
        self.before = codes_of(position.placement)
        self._legal: dict[Roll, Legal] = {}

    def legal(self, roll: Roll) -> Legal:
        """Every legal result of a roll."""
        found = self._legal.get(roll)
        if found is None:
            found = self._legal[roll] = legal(self.position, roll)
        return found


def hit_checker_left(before: Codes, after: Codes, side: Side) -> list[Codes]:
    """A legal play's results, (26,) each, with a hit checker not on the bar.

    It is still on its point beside the hitter, or in a hand (counted off). `after`: what the play
    leaves.
    """
    unit = ONE_CHECKER[side.other]
    theirs_before, theirs_after = checkers_of(before, side.other), checkers_of(after, side.other)
    result: list[Codes] = []
    if theirs_after[BAR] <= theirs_before[BAR]:
        return result
    in_hand = after.copy()
    in_hand[BAR] -= unit
    in_hand[OFF] += unit
    result.append(in_hand)
    for point in range(1, 25):
        if theirs_before[point] == 1 and theirs_after[point] == 0:
            on_point = after.copy()
            on_point[BAR] -= unit
            on_point[point] += unit
            result.append(on_point)
    return result


def checker_missing(before: Codes, after: Codes, astray: Bools) -> list[Codes]:
    """A legal play's results, (26,) each, with a checker of either side gone from a place that the
    play left alone and that was `astray` (26,) before it. `after`: what the play leaves.
    """
    result: list[Codes] = []
    for side in Side:
        counts, unit = checkers_of(after, side), ONE_CHECKER[side]
        for site in np.flatnonzero((counts > 0) & (before == after) & astray):
            if site != OFF:
                gone = after.copy()
                gone[site] -= unit
                gone[OFF] += unit
                result.append(gone)
    return result


def kinds_of(
    before: Codes, after: Codes, side: Side
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """The kind of each placement `after` (N, 26) that is no legal result, and its checkers astray.

    Two arrays (N,): `Kind`, and how many checkers went astray at least (the mover's moved, others
    displaced).
    """
    theirs_after = checkers_of(after, side.other)
    mine = checkers_of(after, side) - checkers_of(before, side)
    theirs = theirs_after - checkers_of(before, side.other)
    gained, lost = np.maximum(mine, 0).sum(axis=1), np.maximum(-mine, 0).sum(axis=1)
    their_gain, their_loss = np.maximum(theirs, 0), np.maximum(-theirs, 0)
    gains, losses = their_gain.sum(axis=1), their_loss.sum(axis=1)
    on_points = np.ones(SITES, np.bool_)
    on_points[[BAR, OFF]] = False
    hit = np.where((their_loss > 0) & (theirs_after == 0) & on_points, their_loss, 0).sum(axis=1)
    hits_only = (gains == their_gain[:, BAR]) & (losses == gains) & (hit == losses)
    moved = (gained == lost) & (gained > 0) & (gained <= 4) & hits_only
    still = ~((mine != 0).any(axis=1) | (theirs != 0).any(axis=1))
    kind = np.where(still, Kind.BEFORE, np.where(moved, Kind.MOVED, Kind.OTHERWISE)).astype(np.int8)
    astray = np.where(
        still, 0, np.where(moved, gained, np.maximum(gained, lost) + np.maximum(gains, losses))
    ).astype(np.int32)
    return kind, astray


def change_kind(before: Codes, after: Codes, side: Side) -> tuple[Kind, int]:
    """`kinds_of` for one placement."""
    kind, astray = kinds_of(before, after[None, :], side)
    return Kind(int(kind[0])), int(astray[0])


def prior_of(kind: Kind, astray: int, off: bool = False) -> float:
    """Log prior of one hypothesis of a kind other than LEGAL.

    `off`: checkers of the mover's left the board that no legal play bears off.
    """
    match kind:
        case Kind.MOVED:
            return (
                math.log(SLIP / MOVED_WAYS) - 0.7 * max(astray - 1, 0) - (OFF_NATS if off else 0.0)
            )
        case Kind.OTHERWISE if astray == 1:
            return math.log(KNOCKED / MOVED_WAYS)
        case Kind.OTHERWISE:
            return math.log(KNOCKED / OTHERWISE_WAYS) - 1.5 * max(astray - 2, 0)
        case _:
            return math.log(SLIP)


def slip_of(
    position: Position, before: Codes, after: Codes, roll: Roll | None, kind: Kind, astray: int
) -> tuple[Kind, float]:
    """What a placement `after` (26,) that no legal play leaves means, and its log prior: one
    checker moved by one die, by one die the wrong way, or borne off by one before all are home, is
    the commonest slip.
    """
    side = position.side
    if kind is Kind.MOVED and astray == 1:
        ways = ways_by_one_die(before, side)
        move = one_move(before, after, side, position.ruleset.facing)
        by_one_die = move.is_half(roll) or move.is_backwards(roll)
        if by_one_die and _hit_elsewhere(before, after, side):
            return Kind.OTHERWISE, prior_of(Kind.OTHERWISE, 2)
        if move.is_half(roll):
            if move.off and not may_bear_off(position):
                return kind, math.log(SLIP / ways) - OFF_NATS
            return Kind.HALF, math.log(SLIP / ways)
        if move.is_backwards(roll):
            return kind, math.log(SLIP / ways)
    return kind, prior_of(kind, astray, bool(after[OFF] != before[OFF]))


def _hit_elsewhere(before: Codes, after: Codes, side: Side) -> bool:
    """Whether a checker of the other side's is gone from a point on which the mover, who has moved
    one checker by one die, does not stand.
    """
    gone = checkers_of(after, side.other) < checkers_of(before, side.other)
    gone[[OFF, BAR]] = False
    return bool((gone & (checkers_of(after, side) == 0)).any())


class OneMove(NamedTuple):
    """One checker that the mover moved, hits apart: by how many pips, below 0 when it went
    backwards, and whether it was borne off.
    """

    pips: int
    off: bool

    def is_half(self, roll: Roll | None) -> bool:
        """Whether it was moved by a die of the roll; by any die when the roll is unread."""
        dice = _dice_of(roll)
        return self.pips in dice or (self.off and 0 < self.pips < max(dice))

    def is_backwards(self, roll: Roll | None) -> bool:
        """Whether it was moved by a die of the roll the wrong way, as beginners do."""
        return -self.pips in _dice_of(roll)


def ways_by_one_die(before: Codes, side: Side) -> int:
    """In how many ways one checker may be moved by one of two dice: from each place, by each."""
    return 2 * int(np.count_nonzero(checkers_of(before, side)))


def _dice_of(roll: Roll | None) -> tuple[int, ...]:
    return (roll.high, roll.low) if roll else (1, 2, 3, 4, 5, 6)


def one_move(before: Codes, after: Codes, side: Side, facing: Facing) -> OneMove:
    """The move of the one checker that is all that the mover moved, hits apart."""
    gained = (checkers_of(after, side) - checkers_of(before, side)).tolist()
    order = _order_of(facing, side)
    target = gained.index(1)
    return OneMove(order[gained.index(-1)] - order[target], target == OFF)


def may_bear_off(position: Position, side: Side | None = None) -> bool:
    """Whether a side, that on roll unless another is named, may bear off as it stands: none of its
    checkers is before its home, or on the bar.
    """
    view = view_of(position.placement, position.ruleset.facing, side or position.side)
    return view is not None and all(n <= 0 for n in view[6:25])


@lru_cache(maxsize=8)
def _order_of(facing: Facing, side: Side) -> tuple[int, ...]:
    """How far each site is from being borne off, in points: 25 for the bar."""
    order = np.full(SITES, 25, np.intp)
    order[_sites_of(facing, side)] = np.arange(1, 25)
    order[OFF] = 0
    return tuple(order.tolist())


ROLL_INDEX = {roll: i for i, roll in enumerate(ROLLS)}

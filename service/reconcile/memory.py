"""The turn before this one, remembered: what else it may have left, so that what is seen later can
put right what was taken too early.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from rules.board import OFF, POINTS, Placement, Side
from rules.dice import Roll
from rules.judge import rolls_explaining
from rules.play import Play, plays
from rules.position import OFF_AT, Position, PositionError, view_of
from rules.race import HOME_POINTS
from service.journal.entry import Grounds
from service.reconcile.codes import TALL, code_of, codes_of, placement_from
from service.reconcile.hypotheses import Kind
from service.reconcile.tuning import DEFAULT
from service.reconcile.weigh import Weighed

LEAST_P: Final = 1 - DEFAULT.agree
"""Less likely other results of the last turn are forgotten: they kept no play from being agreed."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The last turn of the record: the `position` that it was played from, its `roll` where that
    is known, what it left by the record, and what `others` it may have left, each with its
    probability when it was entered. `inferred`: nobody read the roll, its play told it.
    """

    position: Position
    roll: Roll | None
    placement: Placement
    others: tuple[tuple[Placement, float], ...] = ()
    inferred: bool = False

    def play_to(self, placement: Placement) -> tuple[Roll, Play] | None:
        """The legal play of its roll that leaves this placement, of any where nobody knows it, or
        knows it of a checker that may have lain between two points only; None when none does.
        """
        beside = self.inferred and is_one_shifted(self.placement, placement)
        if self.roll is None or beside:
            return next(iter(rolls_explaining(self.position, placement)), None)
        found = plays(self.position, self.roll).find(placement)
        return None if found is None else (self.roll, found)

    def left(self, placement: Placement) -> Position | None:
        """The next side's position if it left this placement; None where no game goes on there, or
        a checker is gone that nobody may bear off.
        """
        side = self.position.side.other
        if misses_one(self.position, placement):
            return None
        try:
            return Position.of(placement, self.position.ruleset, side)
        except PositionError:
            return None


def misses_one(position: Position, placement: Placement) -> bool:
    """Whether a checker is gone of a side that cannot bear off yet: it fell, or lies unseen."""
    for side in Side:
        more = placement.counts(side)[OFF] > position.placement.counts(side)[OFF]
        view = view_of(placement, position.ruleset.facing, side) if more else None
        if view is not None and any(n > 0 for n in view[6:25]):
            return True
    return False


def is_one_gone(then: Placement, now: Placement) -> bool:
    """Whether one checker is off since `then`, and all others stand where they stood."""
    changes = [
        after - before
        for side in Side
        for before, after in zip(then.counts(side)[1:], now.counts(side)[1:], strict=True)
    ]
    return sorted(filter(None, changes)) == [-1]


def may_bear_off_unseen(position: Position) -> bool:
    """Whether the side on roll bears off from tall piles, of which one checker more or less is
    hardly seen.
    """
    home = [max(n, 0) for n in position.view[:HOME_POINTS]]
    bears_off = sum(home) + position.view[OFF_AT] == position.ruleset.checkers
    return bears_off and max(home) >= TALL


def other_results(
    before: Placement, taken: Placement, grounds: Grounds
) -> tuple[tuple[Placement, float], ...]:
    """What else than `taken` a turn may have left, by the grounds that it was entered on. A checker
    that was missing beside the play is no other play.
    """
    found: dict[Placement, float] = {}
    for row in grounds.get("rows", ()):
        if row["kind"] == Kind.MISSING.name.lower():
            continue
        codes = codes_of(before).copy()
        for site, white, black in row["sites"]:
            codes[site] = code_of(white, black)
        placement = placement_from(codes)
        if placement != taken:
            found[placement] = found.get(placement, 0.0) + row["p"]
    likely = [(placement, p) for placement, p in found.items() if p >= LEAST_P]
    return tuple(sorted(likely, key=lambda other: -other[1]))


def is_one_shifted(then: Placement, now: Placement) -> bool:
    """Whether one checker stands on the point beside its own, and all others where they stood."""
    moved = [
        (site, now.counts(side)[site] - then.counts(side)[site])
        for side in Side
        for site in range(26)
        if now.counts(side)[site] != then.counts(side)[site]
    ]
    points = [site for site, _ in moved if site in POINTS]
    one = len(points) == len(moved) == 2 and abs(points[0] - points[1]) == 1
    return one and sorted(n for _, n in moved) == [-1, 1]


def laid_beside(
    position: Position, roll: Roll | None, left: Placement
) -> tuple[tuple[Placement, float], ...]:
    """What a turn may have left that nobody could say, all as likely as what was read: plays of its
    roll but for a checker that lay between two points, and is put straight as a rule.
    """
    made = () if roll is None else plays(position, roll)
    near = [play.placement for play in made if is_one_shifted(play.placement, left)]
    return tuple((placement, 1 / (len(near) + 1)) for placement in near)


@dataclass(frozen=True, slots=True, eq=False)
class Beginning:
    """One way in which the present turn may have begun: its `position`, this turn `weighed` from
    there, and the probability of the two together among all beginnings; the turn weighed from where
    it began by the record, and the probability of these.
    """

    position: Position
    weighed: Weighed
    share: float
    by_record: Weighed
    share_of_record: float


def likeliest_beginning(
    earlier: Earlier | None,
    position: Position,
    weigh_from: Callable[[Position], Weighed],
    stood: Position | None = None,
) -> Beginning:
    """The beginning of this turn that what is seen now speaks for: as a rule what the record says.

    `weigh_from` weighs the turn from a position; `stood`: what stood there otherwise when the dice
    came to lie there, None for nothing.
    """
    others = earlier.others if earlier is not None else ()
    begun = [(position, math.log(max(1.0 - sum(p for _, p in others), 0.5)))]
    for placement, p in others:
        left = earlier.left(placement) if earlier is not None else None
        if left is not None:
            begun.append((left, math.log(p)))
    if stood is not None and all(start != stood for start, _ in begun):
        # Every source saw it stand so: what is seen now says whether it still did.
        begun.append((stood, begun[0][1]))
    weighed = [(start, weigh_from(start), prior) for start, prior in begun]
    logs = np.array([prior + each.total for _, each, prior in weighed])
    shares = np.exp(logs - np.logaddexp.reduce(logs))
    best = int(np.argmax(shares))
    start, each, _ = weighed[best]
    return Beginning(start, each, float(shares[best]), weighed[0][1], float(shares[0]))

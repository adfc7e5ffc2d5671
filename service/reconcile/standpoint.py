"""From where a camera sees the board, told by what stands there: one that takes the board's one end
for the other, or every point for the next, reads a board that the record, seen so, explains.

No turn sets checkers of both sides down all over the board just as a picture half turned, or moved
by a point, would have them. So a picture that one of these explains far better than that it is seen
as the camera says, is put right, and so are the pictures after it until they are seen as they are
said to be again. What a picture so moved does not show is not seen.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np

from rules.board import BAR, OFF, POINTS, Placement, Side
from rules.dice import ROLLS, Roll
from rules.observation import (
    Condition,
    CubeOwner,
    CubeReading,
    Observation,
    SiteReading,
    Source,
)
from rules.position import Position
from service.reconcile import hypotheses
from service.reconcile.arrays import Bools, Logs
from service.reconcile.codes import CODES, MOST_MOVES, SITES, Codes, checkers_of, codes_of
from service.reconcile.evidence import log_table
from service.reconcile.tuning import DEFAULT

Seen: TypeAlias = tuple[int, ...]
"""By site: which site of the board is read there, -1 for none."""

AS_IT_IS: Final[Seen] = tuple(range(SITES))
HALF_TURNED: Final[Seen] = tuple((p + 11) % 24 + 1 if p in POINTS else p for p in range(SITES))
_BACK: Final = {
    CubeOwner.WHITE: CubeOwner.BLACK,
    CubeOwner.BLACK: CubeOwner.WHITE,
    CubeOwner.CENTRE: CubeOwner.CENTRE,
    CubeOwner.FIELD: CubeOwner.FIELD,
}


def _moved(near: int, far: int) -> Seen:
    """Points 1-12 read `near` points further on, 13-24 `far`; those at the ends are not seen."""
    found = list(AS_IT_IS)
    for row, by in ((range(1, 13), near), (range(13, 25), far)):
        for point in row:
            found[point] = point - by if point - by in row else -1
    return tuple(found)


OTHERS: Final[tuple[Seen, ...]] = (
    HALF_TURNED,
    *(_moved(*by) for by in itertools.product((-1, 0, 1), repeat=2) if by != (0, 0)),
)
"""What a camera may see instead of the board as it is."""


@dataclass(frozen=True, slots=True)
class Standpoint:
    """What a camera truly shows where it says it shows each site, `shows`, as far as is known.

    `doubted_since`: since when its pictures speak for another; until that has lasted they say
    nothing of the checkers.
    """

    shows: Seen = AS_IT_IS
    doubted_since: float | None = None

    def of(
        self,
        seen: Observation,
        stands: Sequence[Placement],
        turn: Position | None = None,
        roll: Roll | None = None,
    ) -> Standpoint:
        """The standpoint after one more picture; `stands`: what may stand on the board, `turn`: the
        turn in progress, of which a play may stand there by now, of this `roll` or of any.
        """
        if seen.condition is not Condition.AT_REST or not seen.sites:
            return self
        better = _better(seen, self.shows, [codes_of(p) for p in stands], turn, roll)
        if better is None:
            return self if self.doubted_since is None else replace(self, doubted_since=None)
        if self.doubted_since is None:
            return replace(self, doubted_since=seen.seen_at)
        if seen.seen_at - self.doubted_since < DEFAULT.accuse_settle_s:
            return self
        return Standpoint(better)

    def put_right(self, seen: Observation) -> Observation:
        """The picture as it shows the board; while that is in doubt, one that shows no checkers."""
        if self.doubted_since is not None:
            return replace(seen, condition=Condition.BUMPED, sites=(), note="standpoint in doubt")
        return seen if self.shows == AS_IT_IS else _put_right(seen, self.shows)


def _put_right(seen: Observation, shows: Seen) -> Observation:
    """The picture with every reading at the site that it is of."""
    sites = tuple(
        SiteReading(shows[reading.site], reading.outcomes, reading.floor)
        for reading in seen.sites
        if shows[reading.site] >= 0
    )
    if shows != HALF_TURNED:
        return replace(seen, sites=sites)
    dice, cube = seen.dice, seen.cube
    if dice is not None:
        dice = tuple(replace(die, where=(1 - die.where[0], 1 - die.where[1])) for die in dice)
    if cube is not None:
        owner = {_BACK[place]: p for place, p in cube.owner.items()}
        cube = CubeReading(cube.shown, owner, cube.pixel)
    return replace(seen, sites=sites, dice=dice, cube=cube)


def _better(
    seen: Observation,
    now: Seen,
    stands: Sequence[Codes],
    turn: Position | None,
    roll: Roll | None,
) -> Seen | None:
    """What the picture shows far more likely than what is thought `now`; None where nothing is."""
    tables, read = _tables_of(seen)
    if not all(_is_apart(tables, read, now, codes) for codes in stands):
        return None
    most = DEFAULT.reach(Source.CAMERA).one_site_nats + DEFAULT.differs_nats
    # The board may have been pushed while a turn was played.
    rolls = ROLLS if roll is None else (roll,)
    played = [] if turn is None else [hypotheses.legal(turn, each).codes for each in rolls]
    known = np.concatenate([np.stack(stands), *played])

    def both(shows: Seen, over: Seen) -> tuple[float, float]:
        common = read & (np.array(shows) >= 0) & (np.array(over) >= 0)
        return _against(tables, common, shows, known), _against(tables, common, over, known)

    def lead(shows: Seen, over: Seen) -> float:
        mine, other = both(shows, over)
        return other - mine

    leads = {shows: lead(shows, now) for shows in (AS_IT_IS, *OTHERS) if shows != now}
    best = max(leads, key=lambda shows: leads[shows])
    if AS_IT_IS in leads and best != AS_IT_IS and lead(best, AS_IT_IS) <= most:
        # A camera that is put straight is likelier than one that is moved once more.
        best = AS_IT_IS
    mine, other = both(best, now)
    if best != AS_IT_IS and 2 * mine > other:
        # It explains little: something else stands there, and nobody has moved the camera.
        return None
    return best if leads[best] > most else None


def _tables_of(seen: Observation) -> tuple[Logs, Bools]:
    """The picture's log tables (26, 256), and which sites (26,) it shows."""
    tables, read = np.zeros((SITES, CODES), np.float32), np.zeros(SITES, np.bool_)
    for reading in seen.sites:
        tables[reading.site] = log_table(reading.outcomes, reading.floor).reshape(CODES)
        read[reading.site] = True
    return tables, read


def _against(tables: Logs, sites: Bools, shows: Seen, codes: Codes) -> float:
    """Nats that a picture says at these sites (26,) against showing the likeliest of `codes` (N,
    26) so.
    """
    denied = -tables[np.arange(SITES), codes[:, list(shows)]]
    most = DEFAULT.reach(Source.CAMERA).one_site_nats
    return float(np.minimum(denied, most)[:, sites].sum(axis=1).min())


def _is_apart(tables: Logs, read: Bools, shows: Seen, codes: Codes) -> bool:
    """Whether a picture has checkers of both sides on points where none of `codes` (26,) stands, or
    more of one elsewhere than a double moves: one turn sets down those of one side.
    """
    sites = read & (np.array(shows) >= 0)
    sites[[OFF, BAR]] = False
    found = tables.argmax(axis=1).astype(np.int16)
    known = codes[list(shows)]
    more = [
        (checkers_of(found, side).astype(np.int16) - checkers_of(known, side))[sites]
        for side in Side
    ]
    if all(bool((each > 0).any()) for each in more):
        return True
    return any(max(each.clip(0).sum(), (-each).clip(0).sum()) > MOST_MOVES for each in more)

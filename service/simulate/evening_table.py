"""The physical table of a simulated evening: checkers, dice, cube, hands and the time; what of it
the sources get to report, and when.

Time passes in looks: a source reports often while something changes and seldom while nothing does,
as much as any verdict reads. A camera may be late, dark, frozen or turned, an object may lie in its
view; a board reports when its checkers have lain still.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from rules.board import POINTS, Placement
from rules.observation import (
    Condition,
    CubeOwner,
    CubeReading,
    DieReading,
    Observation,
    SiteReading,
    Source,
)
from service.simulate.cube_sense import CubeSense
from service.simulate.evening_desk import EveningDesk
from service.simulate.noise import Die, Sense
from service.simulate.painted_sense import seen_with
from service.simulate.physical import STILL_S

SOON_S: Final = 0.25
SELDOM_S: Final = 2.0
LATE_LOOK_S: Final = 0.4
"""While a late stream has pictures on their way, they come as often as this."""
KEYFRAME_S: Final = 1.0
_FACING: Final = {CubeOwner.WHITE: CubeOwner.BLACK, CubeOwner.BLACK: CubeOwner.WHITE}
UPSIDE_DOWN: Final = {p: (p + 11) % 24 + 1 for p in POINTS}
"""Where a camera that is turned by 180 degrees, and does not know it, sees each point."""
PUSHED: Final = {p: p % 12 + 1 if p <= 12 else (p - 12) % 12 + 13 for p in POINTS}
"""Where it sees each point after the board was pushed by one."""


@dataclass
class EveningTable:
    """What truly stands there, and how it is seen.

    `placement` is what stands on the board; `hands`: how many are over it; `weather`: the camera's
    condition, None for a sound one; `covered`: points under an object or a sleeve
    that the camera does not see; `alike`: what both sources read of a site, until it is touched.
    """

    placement: Placement
    senses: dict[Source, Sense]
    cube_sense: CubeSense
    desk: EveningDesk
    now: float
    dice: list[Die] = field(default_factory=list)
    cube: tuple[int, CubeOwner] | None = None
    """The number up and where it lies, None in a hand or off the table."""
    hands: int = 0
    weather: Condition | None = None
    hangs: bool = False
    late_s: float = 0.0
    covered: set[int] = field(default_factory=set)
    alike: dict[int, tuple[tuple[int, int], tuple[int, int]]] = field(default_factory=dict)
    """Site -> (what stands there, what both read)."""
    sideways: dict[int, SiteReading] = field(default_factory=dict)
    """What the camera reads where a checker lies between two points."""
    under: dict[int, SiteReading] = field(default_factory=dict)
    """What it reads where a thing lies on a point and does not hide it for it."""
    view: Mapping[int, int] | None = None
    """Where each point is seen by a camera that is wrong about the board's place."""
    swapped: bool = False
    """The players have changed seats and have not said so."""
    _stream: deque[tuple[float, Observation]] = field(default_factory=deque)
    _changed_at: float = 0.0
    _moved_at: float = 0.0
    _board_at: float = -1.0

    # What happens on it.

    def pass_time(self, seconds: float) -> None:
        """Time passes with the sources looking."""
        end = self.now + seconds
        while self.now < end - 1e-6:
            calm = self.now - self._changed_at
            pause = min(SELDOM_S, max(SOON_S, 0.6 * calm))
            if self._stream:
                pause = min(pause, LATE_LOOK_S)
            self.now = min(end, self.now + pause)
            self._look()

    def hand(self, seconds: float = 0.4) -> None:
        """A hand comes over the board for a while and goes away."""
        self.hands += 1
        self.touch()
        self.pass_time(seconds)
        self.hands -= 1

    def touch(self) -> None:
        """Something changes: the sources look at once, and often."""
        self._changed_at = self.now
        self._look()

    def stand(self, placement: Placement, seconds: float = 0.3) -> None:
        """A hand lays checkers so, and goes away after a while."""
        self.hands += 1
        self.touch()
        self.pass_time(seconds)
        self.placement, self._moved_at = placement, self.now
        self.hands -= 1
        self.touch()

    def shift(self, placement: Placement) -> None:
        """Checkers come to stand so, under a hand that is there already or none."""
        self.placement, self._moved_at = placement, self.now
        self.touch()

    def lay_dice(self, dice: list[Die]) -> None:
        """These dice lie there from now on."""
        self.dice = dice
        self.touch()

    def relight(self, source: Source) -> None:
        """A source's world changed: every reading is drawn anew."""
        if source in self.senses:
            self.senses[source].relit()
        self.touch()

    # What is seen.

    def _look(self) -> None:
        self._camera()
        self._board()
        while self._stream and self._stream[0][0] <= self.now + 1e-6:
            _, seen = self._stream.popleft()
            # A stream does not say when a picture was taken, only that it came.
            self.desk.seen(replace(seen, seen_at=self.now), self.now)
        self.desk.tick(self.now)

    def _camera(self) -> None:
        sense = self.senses.get(Source.CAMERA)
        if sense is None or sense.lost or self.hangs:
            return
        condition = self.weather or (Condition.MOVING if self.hands else Condition.AT_REST)
        hidden = frozenset(self.covered)
        dice = self.dice if condition not in (Condition.DARK, Condition.OVER_EXPOSED) else []
        seen = sense.observe(self._as_seen(), self.now, condition, dice, hidden)
        if self.sideways or self.under:
            seen = seen_with(seen, self.under | self.sideways, self._where_seen())
        seen = replace(seen, cube=self._cube_seen())
        if self.view is UPSIDE_DOWN:
            seen = replace(seen, dice=_half_turned(seen.dice))
        self._stream.append((self.now + self.late_s, seen))

    def _board(self) -> None:
        """The board says that it moves until it has lain still, then what stands there, and then a
        keyframe now and then.
        """
        sense = self.senses.get(Source.SENSORS)
        if sense is None or sense.lost:
            return
        if self.now - self._moved_at < STILL_S:
            seen = sense.observe(self.placement, self.now, Condition.MOVING)
        elif self.now - self._moved_at < 2.0 or self.now - self._board_at >= KEYFRAME_S:
            seen = sense.observe(self._read_alike(), self.now)
        else:
            return
        self._board_at = self.now
        self.desk.seen(seen, self.now)

    def _read_alike(self) -> Placement:
        """What stands there, but for what both sources misread alike."""
        white, black = list(self.placement.white), list(self.placement.black)
        for site, (stood, read) in list(self.alike.items()):
            if (white[site], black[site]) != stood:
                # Touched: it is looked at anew.
                del self.alike[site]
            else:
                white[site], black[site] = read
        return self._swapped(Placement(tuple(white), tuple(black)))

    def _as_seen(self) -> Placement:
        """What stands there as the camera has it: seats, its own place."""
        placement = self._read_alike()
        return placement if self.view is None else _moved_about(placement, self.view)

    def _where_seen(self) -> dict[int, int]:
        """Where the camera sees each point: by how the players sit, and where it thinks it is."""
        view = self.view or {}
        lies = UPSIDE_DOWN if self.swapped else {}
        return {p: view.get(lies.get(p, p), lies.get(p, p)) for p in POINTS}

    def _swapped(self, placement: Placement) -> Placement:
        return _moved_about(placement, UPSIDE_DOWN) if self.swapped else placement

    def _cube_seen(self) -> CubeReading | None:
        if self.cube is None or self.weather is not None:
            return None
        value, place = self.cube
        if self.view is UPSIDE_DOWN:
            place = _FACING.get(place, place)
        return self.cube_sense.reading((value, place))


def _half_turned(dice: tuple[DieReading, ...] | None) -> tuple[DieReading, ...] | None:
    """The dice as a camera that is turned by 180 degrees sees them."""
    if dice is None:
        return None
    return tuple(replace(die, where=(1 - die.where[0], 1 - die.where[1])) for die in dice)


def _moved_about(placement: Placement, view: Mapping[int, int]) -> Placement:
    """The placement with each point's checkers where `view` has that point."""
    white, black = list(placement.white), list(placement.black)
    for point, there in view.items():
        white[there], black[there] = placement.white[point], placement.black[point]
    return Placement(tuple(white), tuple(black))

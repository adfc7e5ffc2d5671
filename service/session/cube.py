"""The cube as it lies, followed over pictures: what counts is that it was turned or moved, not how
it lies. A cube left over from the last game offers nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from rules.board import Side
from rules.observation import CubeOwner, CubeReading
from service.referee.inputs import CubeWatched

SURE: Final = 0.98
"""A cube is read with this probability, value and place together, or not at all."""
SETTLE_S: Final = 1.0
"""It lies in a new way for so long before it counts as moved, s."""
_SIDES: Final = {
    CubeOwner.WHITE: Side.WHITE,
    CubeOwner.BLACK: Side.BLACK,
    CubeOwner.CENTRE: None,
    CubeOwner.FIELD: None,
}

Lie: TypeAlias = tuple[int, Side | None]
"""Its value, and the side it lies at (None: the middle, or the field)."""


@dataclass(frozen=True, slots=True)
class CubeSeen:
    """How the cube lies (`lies`) since when; `since` is None where it lay so when the camera began
    to look. `coming` is another way in which it lies since `coming_since`, not settled yet.
    """

    lies: Lie | None = None
    since: float | None = None
    coming: Lie | None = None
    coming_since: float = 0.0

    def after(self, reading: CubeReading, now: float) -> CubeSeen:
        """What is known of it after one more picture."""
        lie = read_cube(reading)
        if lie is None:
            return self
        if lie == self.lies:
            return self if self.coming is None else replace(self, coming=None)
        if lie != self.coming:
            return replace(self, coming=lie, coming_since=now)
        if now - self.coming_since < SETTLE_S:
            return self
        return CubeSeen(lie, None if self.lies is None else self.coming_since)

    def watched(self) -> list[CubeWatched]:
        """What the referee is told: nothing before the cube was ever seen."""
        return [] if self.lies is None else [CubeWatched(*self.lies, self.since)]


def read_cube(reading: CubeReading) -> Lie | None:
    """Value and place, the likeliest of each; a 64 in the middle means 1. None when not sure."""
    shown, owner = sum(reading.shown.values()), sum(reading.owner.values())
    if shown <= 0 or owner <= 0:
        return None
    value, v = max(reading.shown.items(), key=lambda item: item[1])
    places: dict[Side | None, float] = {}
    for where, likely in reading.owner.items():
        places[_SIDES[where]] = places.get(_SIDES[where], 0.0) + likely
    place, p = max(places.items(), key=lambda item: item[1])
    if v / shown * p / owner < SURE:
        return None
    return (1 if value == 64 and place is None else value, place)

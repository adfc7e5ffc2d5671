"""The cube as it lies, followed over pictures: what counts is that it was turned or moved, not how
it lies. A cube left over from the last game offers nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from rules.observation import CubeOwner, CubeReading
from service.referee.inputs import CUBE_SETTLE_S, CubeWatched

SURE: Final = 0.98
"""The value is read with this probability, or it is not read."""
PLACED: Final = 0.9
"""Where it lies is read with this probability, or nothing is: so all of 41 cubes were, rightly."""

Lie: TypeAlias = tuple[int | None, CubeOwner]
"""Its value, None where that is not read for sure, and where it lies."""


@dataclass(frozen=True, slots=True)
class CubeSeen:
    """How the cube lies (`lies`) since when, how it lay before, and how it lay last before it came
    onto the field (`left`); `since` is None where it lay so when the camera began to look, or
    the game began, whose entry is `game`; `found` is when the camera found it so in the middle of a
    game; `before_since` is as `since`, of how it lay before. `coming` is another way in which it
    lies since `coming_since`, not settled yet. `kept` is what was known when the camera last saw
    the table before it was away, at `kept_at`.
    """

    lies: Lie | None = None
    since: float | None = None
    before: Lie | None = None
    left: Lie | None = None
    game: int = 0
    coming: Lie | None = None
    coming_since: float = 0.0
    found: float | None = None
    kept: CubeSeen | None = None
    kept_at: float = 0.0
    before_since: float | None = None

    def after(self, reading: CubeReading, now: float) -> CubeSeen:
        """What is known of it after one more picture."""
        lie = read_cube(reading)
        if lie is None:
            return self
        if self.lies is not None and _is_alike(lie, self.lies):
            return replace(self, lies=_together(self.lies, lie), coming=None)
        if self.coming is None or not _is_alike(lie, self.coming):
            return replace(self, coming=lie, coming_since=now)
        coming = _together(self.coming, lie)
        if now - self.coming_since < CUBE_SETTLE_S:
            return replace(self, coming=coming)
        if self.lies is None:
            return self._found_again(coming)
        return CubeSeen(
            coming,
            self.coming_since,
            self.lies,
            self._left(),
            self.game,
            before_since=self.since,
        )

    def _left(self) -> Lie | None:
        """How it lies or, on the field, how it lay before."""
        if self.lies is None or self.lies[1] is CubeOwner.FIELD:
            return self.left
        return self.lies

    def _found_again(self, lie: Lie) -> CubeSeen:
        """What is known of it once it is seen to lie so, for the first time or after the camera was
        away: one that shows another number than it did was turned meanwhile.
        """
        kept = self.kept
        if kept is None or kept.lies is None:
            return CubeSeen(lie, game=self.game, found=self.coming_since)
        if _is_alike(lie, kept.lies):
            return replace(kept, lies=_together(kept.lies, lie), coming=None)
        if lie[0] is None or lie[0] == kept.lies[0]:
            return CubeSeen(lie, game=self.game)
        return CubeSeen(lie, self.kept_at, kept.lies, kept._left(), self.game)

    def unseen_since(self, now: float) -> CubeSeen:
        """What is known of it where the camera sees nothing from now on, for a while."""
        kept = self if self.lies is not None else self.kept
        at = now if self.lies is not None else self.kept_at
        return CubeSeen(game=self.game, kept=kept, kept_at=at)

    def in_game(self, game: int) -> CubeSeen:
        """What is known of it in this game, named by the entry that began it: of a new one how it
        lies, and nothing of how it came there.
        """
        if game == self.game:
            return self
        return CubeSeen(self.lies, game=game, coming=self.coming, coming_since=self.coming_since)

    def watched(self) -> list[CubeWatched]:
        """What the referee is told: nothing before the cube was ever seen."""
        if self.lies is None:
            return []
        coming = None if self.coming is None else self.coming[1]
        left_value, left = self.left or (None, None)
        return [
            CubeWatched(
                *self.lies,
                self.since,
                self.before,
                left,
                coming,
                self.found,
                self.before_since,
                left_value,
            )
        ]


def read_cube(reading: CubeReading) -> Lie | None:
    """Value and place, the likeliest of each; a 64 in the middle means 1. The value is None where
    it is not sure, the whole is where the place is not.
    """
    shown, owner = sum(reading.shown.values()), sum(reading.owner.values())
    if owner <= 0:
        return None
    place, p = max(reading.owner.items(), key=lambda item: item[1])
    if p / owner < PLACED:
        return None
    value, v = max(reading.shown.items(), key=lambda item: item[1], default=(0, 0.0))
    if shown <= 0 or v / shown < SURE:
        return None, place
    return (1 if value == 64 and place is CubeOwner.CENTRE else value), place


def _is_alike(one: Lie, other: Lie) -> bool:
    """Whether these may be the same: at one place, showing the same where both are read."""
    return one[1] is other[1] and (one[0] == other[0] or None in (one[0], other[0]))


def _together(known: Lie, lie: Lie) -> Lie:
    """What is known of how it lies after another look that is alike."""
    return known if lie[0] is None else lie

"""Hands whose sensors can be late, dark, frozen or wrong about a site, as a story says."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field, replace
from functools import cache

from rules.board import BAR, OFF, Side
from rules.observation import Condition, Observation, SiteReading, Source
from service.referee.inputs import SourceChanged, Tick
from tests.service.hands import Hands

SIDES = {"W": Side.WHITE, "B": Side.BLACK, "white": Side.WHITE, "black": Side.BLACK}
FRAME_S = 0.2
"""Five pictures a second, as a small machine gives them."""


def site_of(word: str) -> int:
    """A site as a line writes it: a point, bar or off."""
    return {"bar": BAR, "off": OFF}[word] if word in ("bar", "off") else int(word)


@cache
def one_reading(site: int, white: int, black: int) -> SiteReading:
    """A site that is read as so many checkers and hardly as others."""
    return SiteReading(site, ((white, black, 1.0),), 1e-5)


@dataclass
class Eye:
    """A source between the table and the session: what of the truth it gets to report."""

    source: Source
    there: bool = True
    misreads: dict[int, tuple[int, int]] = field(default_factory=dict)
    shown: dict[int, int] = field(default_factory=dict)
    """Where each point is seen by an eye that is wrong about the board's place."""
    half_turned: bool = False
    condition: Condition | None = None
    late_s: float = 0.0
    frozen: bool = False
    number: int = 0
    queue: deque[tuple[float, Observation]] = field(default_factory=deque)


@dataclass
class TellingHands(Hands):
    """Hands whose sensors can be late, dark, frozen or wrong about a site, as a story says."""

    eyes: dict[str, Eye] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.eyes = {"camera": Eye(Source.CAMERA), "board": Eye(Source.SENSORS)}

    def _seen_by(self, eye: Eye) -> Observation:
        camera = eye.source is Source.CAMERA
        condition = eye.condition or (
            Condition.MOVING if self.hand_over and camera else Condition.AT_REST
        )
        dice = self.dice
        if eye.half_turned:
            dice = tuple(replace(d, where=(1 - d.where[0], 1 - d.where[1])) for d in dice)
        return Observation(
            eye.source,
            self.now,
            eye.number,
            condition,
            self._sites_seen_by(eye) if condition is Condition.AT_REST else (),
            dice if camera and condition is not Condition.DARK else () if camera else None,
            self.cube if camera else None,
        )

    def _sites_seen_by(self, eye: Eye) -> tuple[SiteReading, ...]:
        """Nothing sees the trays, as at a table in its default settings."""
        white, black = self.placement.white, self.placement.black
        return tuple(
            one_reading(
                eye.shown.get(site, site), *eye.misreads.get(site, (white[site], black[site]))
            )
            for site in range(1, 26)
        )

    def wait(self, seconds: float = 2.0) -> TellingHands:
        """Time passes; where nothing happens for long, the sensors look seldom."""
        frame = FRAME_S if seconds <= 10 else 1.0
        for _ in range(math.ceil(seconds / frame - 1e-6)):
            self.now = round(self.now + frame, 6)
            for name, eye in self.eyes.items():
                if not eye.there or not (self.camera if name == "camera" else self.board):
                    continue
                if not eye.frozen:
                    eye.number += 1
                    eye.queue.append((self.now + eye.late_s, self._seen_by(eye)))
                while eye.queue and eye.queue[0][0] <= self.now:
                    _, seen = eye.queue.popleft()
                    # A phone's stream does not say when a picture was taken, only that it came.
                    self.give(replace(seen, seen_at=self.now))
            self.give(Tick())
        return self

    def change_eye(self, name: str, does: str) -> None:
        """A source goes, comes back, or sees otherwise from now on, as a story's line says."""
        eye = self.eyes[name]
        if name == "board" and not self.board:
            return
        match does.split():
            case ["gone"]:
                eye.there = False
                self.give(SourceChanged(name, False, "unplugged"))
            case ["back"]:
                eye.there = True
                eye.queue.clear()
                self.give(SourceChanged(name, True))
            case ["reads", "right"]:
                eye.misreads.clear()
            case ["reads", side, point, "as", count]:
                n, who = int(count), SIDES[side]
                site = self.site(who, site_of(point))
                eye.misreads[site] = (n, 0) if who is Side.WHITE else (0, n)
            case ["late", seconds]:
                eye.late_s = float(seconds)
            case ["upside", "down"]:
                eye.shown = {p: (p + 11) % 24 + 1 for p in range(1, 25)}
                eye.half_turned = True
            case ["a", "point", "off"]:
                eye.shown = {p: (p if p % 12 else p - 12) + 1 for p in range(1, 25)}
            case ["straight"]:
                eye.shown, eye.half_turned = {}, False
            case ["frozen"]:
                eye.frozen = True
            case ["thawed"]:
                eye.frozen = False
            case ["sees"]:
                eye.condition = None
            case [condition]:
                eye.condition = Condition(condition)
            case _:
                raise ValueError(does)

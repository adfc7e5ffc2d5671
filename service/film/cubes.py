"""The doubling cube over a film: how it lay, from when to when. Pure."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from rules.board import Side
from rules.observation import CubeOwner, CubeReading, Observation

FACES: Final = (2, 4, 8, 16, 32, 64)
PLACES: Final = (CubeOwner.CENTRE, CubeOwner.WHITE, CubeOwner.BLACK, CubeOwner.FIELD)
AT: Final[Mapping[Side | None, int]] = {None: 0, Side.WHITE: 1, Side.BLACK: 2}
"""Which of `PLACES` a cube lies at that nobody has turned, or that a side owns."""
OFFERED: Final = PLACES.index(CubeOwner.FIELD)
"""Where a cube lies that waits for its answer, as a rule."""
_FLOOR: Final = -6.0
"""Log-likelihood of what a reading does not name."""
_ONE_LOOK: Final = 2.5
"""Nats at most that one reading says for another way of lying: a die is taken for the cube now and
then, and faces are the weakest reading of the camera."""
_TURNED: Final = 6.0
"""Nats of readings from which the cube was turned or moved (cumulative sums, Page 1954)."""

_AGAIN_S: Final = 0.5
"""A reading that is repeated since nothing changed counts anew after so long, s."""

Logs: TypeAlias = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CubeLie:
    """The cube as it lay from `at` to `until`, s; `frame`: number of the first frame.

    `shown` (by `FACES`) and `place` (by `PLACES`): mean log-likelihoods, 0 at the best.
    """

    frame: int
    at: float
    until: float
    shown: Logs
    place: Logs
    looks: int = 1


@dataclass
class CubeWatcher:
    """Takes a camera's observations in order; `finish` gives the lies of the cube."""

    made: list[CubeLie] = field(default_factory=list)
    _open: CubeLie | None = None
    _last: tuple[CubeReading, float] | None = None
    """The last reading that was weighed, and when."""
    _coming: dict[tuple[int, int], tuple[float, CubeLie]] = field(default_factory=dict)
    """By face and place: nats for the cube lying so by now, and the readings that say it."""

    def feed(self, observation: Observation) -> None:
        """Take the next observation; one without a cube says nothing of it."""
        if observation.cube is None:
            return
        new = _lie_of(observation.cube, observation)
        if self._open is None:
            self._open, self._last = new, (observation.cube, new.at)
            return
        if self._is_repeated(observation.cube, new.at):
            self._open = self._open if self._coming else replace(self._open, until=new.at)
            return
        self._last = (observation.cube, new.at)
        self._weigh(self._open, new)
        nats, coming = max(self._coming.values(), key=lambda c: c[0], default=(0.0, new))
        if nats >= _TURNED:
            self.made.append(self._open)
            self._open, self._coming = coming, {}
        elif not self._coming:
            self._open = _joined(self._open, new)

    def _is_repeated(self, reading: CubeReading, at: float) -> bool:
        """Whether a picture in which nothing changed says what it just said."""
        return self._last is not None and reading is self._last[0] and at < self._last[1] + _AGAIN_S

    def _weigh(self, lie: CubeLie, new: CubeLie) -> None:
        """Nothing; what one more reading says for every other way of lying is added up."""
        as_it_lies = new.shown[_best(lie.shown)] + new.place[_best(lie.place)]
        for face, place in itertools.product(range(len(FACES)), range(len(PLACES))):
            said = max(-_ONE_LOOK, min(_ONE_LOOK, new.shown[face] + new.place[place] - as_it_lies))
            before = self._coming.pop((face, place), None)
            nats = said + (before[0] if before else 0.0)
            if nats > 0:
                self._coming[face, place] = (nats, _joined(before[1], new) if before else new)

    def finish(self) -> tuple[CubeLie, ...]:
        """How the cube lay, in order of time; what was not settled at the end is told as it is."""
        coming = max(self._coming.values(), key=lambda c: c[0], default=None)
        last = () if coming is None else (coming[1],)
        return (*self.made, *(() if self._open is None else (self._open, *last)))


def _lie_of(reading: CubeReading, observation: Observation) -> CubeLie:
    """One reading as a lie of its own."""
    return CubeLie(
        observation.number,
        observation.seen_at,
        observation.seen_at,
        _logs({n: reading.shown.get(face, 0.0) for n, face in enumerate(FACES)}),
        _logs({n: reading.owner.get(place, 0.0) for n, place in enumerate(PLACES)}),
    )


def _logs(likely: Mapping[int, float]) -> Logs:
    """Log-likelihoods, 0 at the best."""
    best = max(likely.values())
    if best <= 0:
        return tuple(0.0 for _ in likely)
    return tuple(
        max(_FLOOR, math.log(p / best)) if p > 0 else _FLOOR for _, p in sorted(likely.items())
    )


def _best(logs: Logs) -> int:
    return logs.index(max(logs))


def _joined(lie: CubeLie, new: CubeLie) -> CubeLie:
    """The lie with one more look."""
    share = new.looks / (lie.looks + new.looks)

    def mean(a: Logs, b: Logs) -> Logs:
        mixed = [x * (1 - share) + y * share for x, y in zip(a, b, strict=True)]
        return tuple(m - max(mixed) for m in mixed)

    return replace(
        lie,
        until=new.until,
        shown=mean(lie.shown, new.shown),
        place=mean(lie.place, new.place),
        looks=lie.looks + new.looks,
    )

"""Pictures that wait for their delay: pure, bounded, newest first asked for.

A picture is kept as the JPEG it came as, with the monotonic instant at which it came. Memory is
bounded by `room`: a delay of an hour at ten pictures a second would be gigabytes, so the longer the
delay, the fewer pictures a second are kept, and below one in `SLOWEST` seconds none at all, with
the reason. Why there is no picture (no camera, no board in it) is kept like a picture: it too is
told late.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

SLOWEST: Final = 5.0
"""Seconds between two pictures; where memory allows no more, none is shown."""
LARGEST: Final = 4_000_000
"""Bytes of one picture; a larger one is not kept."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture, or (`why`) the reason why there was none from that instant on.

    `seen`: monotonic seconds.
    """

    seen: float
    jpeg: bytes = b""
    why: str = ""


class Shelf:
    """`room`: bytes at most; `rate`: pictures a second at most; `span`: seconds for which the
    longest delay needs them.
    """

    def __init__(self, room: int, rate: float) -> None:
        self.room, self.rate = room, rate
        self.span = 0.0
        self.size = 0
        self._shots: deque[Shot] = deque()
        self._mean = 0.0

    @property
    def count(self) -> int:
        """How many pictures are kept."""
        return sum(1 for shot in self._shots if shot.jpeg)

    @property
    def spacing(self) -> float:
        """Seconds between two pictures that are kept."""
        # Thinning needs air: a shelf that is always full would be thinned at every picture.
        return max(1 / self.rate, self.span * self._mean / (0.8 * self.room))

    @property
    def too_small(self) -> bool:
        """Whether so long a delay cannot be filled with pictures at all."""
        return self.spacing > SLOWEST

    def put(self, shot: Shot) -> None:
        """The next picture, or the next reason.

        One that comes too soon after the last is not kept.
        """
        last = self._shots[-1] if self._shots else None
        if shot.jpeg:
            if len(shot.jpeg) > LARGEST:
                return
            self._mean = (
                len(shot.jpeg) if not self._mean else 0.95 * self._mean + 0.05 * len(shot.jpeg)
            )
            if last is not None and last.jpeg and shot.seen - last.seen < 0.9 * self.spacing:
                return
            if self.too_small:
                shot = Shot(shot.seen, why="memory")
        if not shot.jpeg and last is not None and last.why == shot.why:
            return
        self._shots.append(shot)
        self.size += len(shot.jpeg)
        self._drop(shot.seen - self.span)

    def newest(self, until: float) -> Shot | None:
        """The newest that came no later than `until`, None when nothing did, or nothing of so long
        ago is kept.
        """
        return next((shot for shot in reversed(self._shots) if shot.seen <= until), None)

    def _drop(self, before: float) -> None:
        """Let go of what no delay needs any more, and of every second picture while there are too
        many bytes.
        """
        while len(self._shots) > 1 and self._shots[1].seen <= before:
            self.size -= len(self._shots.popleft().jpeg)
        while self.size > self.room and len(self._shots) > 1:
            kept = [shot for i, shot in enumerate(reversed(self._shots)) if shot.why or i % 2 == 0]
            self._shots = deque(reversed(kept))
            before_, self.size = self.size, sum(len(shot.jpeg) for shot in kept)
            if self.size == before_:
                self._shots.clear()
                self.size = 0

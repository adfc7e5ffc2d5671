"""The board's clock in host time. Each answered PING bounds the moment the board read its clock:
sent <= that moment <= received.

A resonator is half a per cent off, so the rate is estimated as well: over a day the two clocks part
by minutes, between two pings by microseconds. The board's milliseconds wrap after 49 days and are
unwrapped here.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

WRAP: Final = 1 << 32
KEPT: Final = 64
RATE_SPAN_S: Final = 8.0
"""Samples further apart than this give a rate."""


@dataclass(frozen=True, slots=True)
class PingSample:
    """`board` seconds of the board's clock, unwrapped; read between `sent` and `received` of the
    host's.
    """

    board: float
    sent: float
    received: float

    @property
    def middle(self) -> float:
        return (self.sent + self.received) / 2

    @property
    def doubt(self) -> float:
        return (self.received - self.sent) / 2 + 0.0005


class ClockSync:
    """`add` what PONGs say, then `host_time(ms)` of anything the board stamped."""

    def __init__(self, tolerance: float = 0.005) -> None:
        self._tolerance = tolerance
        self._samples: deque[PingSample] = deque(maxlen=KEPT)
        self._turns, self._last = 0, 0
        self.rate = 1.0
        """Host seconds in one board second."""

    @property
    def ready(self) -> bool:
        return bool(self._samples)

    def add(self, ms: int, sent: float, received: float) -> None:
        """One PONG: board milliseconds, host time of its PING and of its arrival."""
        self._samples.append(PingSample(self._unwrap(ms), sent, received))
        best = sorted(self._samples, key=lambda s: s.doubt)[: max(2, len(self._samples) // 2)]
        first, last = min(best, key=lambda s: s.board), max(best, key=lambda s: s.board)
        span = last.board - first.board
        if span >= RATE_SPAN_S:
            rate = (last.middle - first.middle) / span
            slop = (first.doubt + last.doubt) / span
            if slop < self._tolerance:
                self.rate = min(max(rate, 1 - 2 * self._tolerance), 1 + 2 * self._tolerance)

    def host_time(self, ms: int) -> tuple[float, float]:
        """(host time, doubt) of a board stamp, both in seconds. Needs `ready`."""
        board = self._unwrap(ms)
        drift = self._tolerance if self.rate == 1.0 else self._tolerance / 20

        def doubt(sample: PingSample) -> float:
            return sample.doubt + abs(board - sample.board) * drift

        best = min(self._samples, key=doubt)
        return best.middle + (board - best.board) * self.rate, doubt(best)

    def _unwrap(self, ms: int) -> float:
        """Board seconds, wraps counted: a stamp is taken to lie within 24 days of the newest one
        seen.
        """
        ahead = (ms - self._last + WRAP // 2) % WRAP - WRAP // 2
        total = self._turns * WRAP + self._last + ahead
        if ahead > 0:
            self._turns, self._last = divmod(total, WRAP)
        return total / 1000

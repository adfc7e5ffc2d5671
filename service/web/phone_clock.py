"""A phone's clock in the time of this machine, from the questions that the phone answered. Pure.

Each answer bounds the moment at which the phone looked at its clock: the question was sent before
it, the answer received after it. All bounds together, widened by how fast two clocks may part,
leave a span: its middle is the moment, half of it the doubt. Slow answers widen nothing, since a
tighter bound beside them holds. On a path as slow there as back the middle is right to the
millisecond; on an unequal one the truth still lies within the doubt.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

PARTING: Final = 3e-4
"""Seconds by which two clocks part in one second, at the most."""
WINDOW_S: Final = 8.0
"""Answers within so long are kept as one bound."""
KEPT: Final = 128
"""Bounds that are kept: a quarter of an hour."""
RATE_SPAN_S: Final = 30.0
"""Bounds further apart than this tell how fast the clocks part."""


@dataclass(frozen=True, slots=True)
class Bound:
    """At `phone` (seconds of the phone's clock) this machine's clock less the phone's lay between
    `low` and `high`.
    """

    phone: float
    low: float
    high: float

    def at(self, phone: float, slow: float, fast: float) -> tuple[float, float]:
        """The same at another moment, where the clocks part by `slow` to `fast` a second."""
        apart = phone - self.phone
        if apart < 0:
            slow, fast = fast, slow
        return self.low + slow * apart, self.high + fast * apart


class PhoneClock:
    """`add` what a phone answered, then `time_of` anything that it stamped."""

    def __init__(self) -> None:
        self._bounds: deque[Bound] = deque(maxlen=KEPT)
        self._begun = 0.0
        self.answers = 0
        """How many answers there were."""

    @property
    def ready(self) -> bool:
        """Whether the phone has answered at all."""
        return bool(self._bounds)

    def add(self, phone: float, sent: float, received: float) -> None:
        """One answer: seconds of the phone's clock, and when it was asked and heard from here."""
        self.answers += 1
        new = Bound(phone, sent - phone, received - phone)
        if not self._bounds:
            self._begun = phone
            self._bounds.append(new)
            return
        low, high = self._bounds[-1].at(phone, -PARTING, PARTING)
        joined = Bound(phone, max(low, new.low), min(high, new.high))
        if joined.low > joined.high:
            # The phone slept, or its clock was set: what was known before holds no longer.
            self._bounds.clear()
            self._begun = phone
            self._bounds.append(new)
        elif phone - self._begun < WINDOW_S:
            self._bounds[-1] = joined
        else:
            self._begun = phone
            self._bounds.append(new)

    def time_of(self, phone: float) -> tuple[float, float]:
        """(time of this machine, doubt) of a stamp, seconds. Needs `ready`."""
        slow, fast = self._parting()
        spans = [bound.at(phone, slow, fast) for bound in self._bounds]
        low, high = max(low for low, _ in spans), min(high for _, high in spans)
        if low > high:
            # The clocks part faster than was thought; what is nearest is believed.
            nearest = min(self._bounds, key=lambda b: abs(b.phone - phone))
            low, high = nearest.at(phone, -PARTING, PARTING)
        return phone + (low + high) / 2, (high - low) / 2

    def _parting(self) -> tuple[float, float]:
        """How fast the clocks part, at least and at the most, by bounds far apart."""
        slow, fast = -PARTING, PARTING
        for end in (self._bounds[0], self._bounds[-1]):
            for other in self._bounds:
                first, last = (other, end) if other.phone < end.phone else (end, other)
                span = last.phone - first.phone
                if span >= RATE_SPAN_S:
                    slow = max(slow, (last.low - first.high) / span)
                    fast = min(fast, (last.high - first.low) / span)
        return (slow, fast) if slow <= fast else (-PARTING, PARTING)

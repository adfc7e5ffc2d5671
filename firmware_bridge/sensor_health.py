"""Whether a sensor can be believed, and what is wrong with multiplexers."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from firmware_bridge.findings import SensorFinding


class Health(enum.Enum):
    """Of one sensor."""

    GOOD = "good"
    STUCK = "stuck"
    """At a rail: shorted, unsoldered or dead."""
    NOISY = "noisy"
    ROW = "on a multiplexer that cannot be believed"
    OFF_ZERO = "off zero"
    """Far from what it must read above what is known to stand on its site."""


@dataclass(frozen=True, slots=True)
class SensorHealth:
    health: tuple[Health, ...]
    divider_ok: bool
    rows: tuple[SensorFinding, ...] = ()
    """What is wrong with multiplexers."""

    @property
    def bad(self) -> tuple[int, ...]:
        return tuple(n for n, state in enumerate(self.health) if state is not Health.GOOD)

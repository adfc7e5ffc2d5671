"""What a test of a board finds, as a code with its facts: faces say it in their language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

FINDINGS: Final[Mapping[str, str]] = {
    "one_voltage": "multiplexer {row} answers with one voltage on every channel: its supply, ground"
    " or SIG wire is off",
    "channels_twice": "multiplexer {row} gives every channel twice: its select wire S{line} is off",
    "channel_not_grounded": "multiplexer {row} counts wrong: its grounded channel {channel} reads"
    " {mv} mV",
    "divider_off": "multiplexer {row} counts wrong: its test divider reads {mv} mV, not {wanted}",
    "same_as_another": "multiplexer {row} says the same as multiplexer {other}: their SIG wires"
    " touch",
    "not_let_go": "multiplexer {row} does not let go of its SIG wire ({mv} mV while it is off): its"
    " pull-down or EN wire is off, or SIG touches another",
    "never_off": "no multiplexer can be switched off: the wire to EN is off",
    "sensor_stuck": "sensor {number} is stuck",
    "sensor_noisy": "sensor {number} is noisy",
    "sensor_off_zero": "sensor {number} is off zero",
    "divider_wrong": "the test divider is wrong: a multiplexer counts wrong",
    "all_sound": "all {channels} channels are in order",
    "presses_so_far": "{count} presses and releases so far: press each button and test again",
    "answer_takes": "an answer takes {ms} ms",
    "no_buttons": "this board has no buttons of its own: they are wired to a clock panel",
    "lights_on": "all lights shine white for {seconds} seconds: does any stay dark?",
}
"""Each finding in English, by its code; its facts stand in braces."""


@dataclass(frozen=True, slots=True)
class SensorFinding:
    """One thing that was found; as text it is English."""

    code: str
    facts: tuple[tuple[str, int], ...] = ()

    @classmethod
    def of(cls, code: str, **facts: int) -> SensorFinding:
        return cls(code, tuple(facts.items()))

    def __str__(self) -> str:
        return FINDINGS[self.code].format(**dict(self.facts))

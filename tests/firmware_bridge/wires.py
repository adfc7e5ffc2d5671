"""A link and a simulated board back to back through bytes, in virtual time; and the faults a wire
can have.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from firmware_bridge.board_spec import reference_board
from firmware_bridge.lights import LightScene, led_colours
from firmware_bridge.link import Link, LinkSettings
from firmware_bridge.link_events import EdgeSeen, LinkEvent
from firmware_bridge.simulator import Simulator

Spoil = Callable[[bytes], bytes]


def clean(data: bytes) -> bytes:
    return data


def bit_errors(rng: random.Random, rate: float) -> Spoil:
    """Each bit flips with this probability.

    Draws the gaps between errors, so that a clean byte costs nothing.
    """
    left = [int(rng.expovariate(rate))]

    def spoil(data: bytes) -> bytes:
        out = bytearray(data)
        while left[0] < 8 * len(out):
            out[left[0] // 8] ^= 1 << left[0] % 8
            left[0] += 1 + int(rng.expovariate(rate))
        left[0] -= 8 * len(out)
        return bytes(out)

    return spoil


@dataclass
class Wire:
    """`run(seconds)` moves bytes both ways every `step` and gathers the link's events.

    `cut` = cable pulled: bytes fall on the floor.
    """

    simulator: Simulator
    link: Link
    now: float = 1000.0
    step: float = 0.005
    to_board: Spoil = clean
    to_host: Spoil = clean
    cut: bool = False
    events: list[LinkEvent] = field(default_factory=list)

    def run(self, seconds: float) -> list[LinkEvent]:
        found: list[LinkEvent] = []
        end = self.now + seconds
        while self.now < end - 1e-9:
            self.now += self.step
            up = self.simulator.run(self.now)
            if not self.cut:
                found += self.link.receive(self.to_host(up), self.now)
            found += self.link.tick(self.now)
            down = self.link.data_to_send(self.now)
            if down and not self.cut:
                self.simulator.receive(self.to_board(down), self.now)
        self.events += found
        return found

    def pull(self) -> None:
        self.cut = True
        self.events += self.link.closed(self.now, "cable pulled")

    def push_in(self) -> None:
        self.cut = False
        self.link.opened(self.now)


def wired(seed: int = 1, settings: LinkSettings | None = None, **simulator: object) -> Wire:
    board = reference_board()
    simulated = Simulator(board, seed, **simulator)  # type: ignore[arg-type]
    wire = Wire(simulated, Link(board, settings=settings))
    wire.link.opened(wire.now)
    return wire


def of(kind: type, events: list[LinkEvent]) -> list:  # type: ignore[type-arg]
    return [event for event in events if isinstance(event, kind)]


def press_all(
    wire_: Wire, presses: int, gap: float = 0.05, buttons: int = 2
) -> list[tuple[float, int, bool]]:
    """Press the buttons by turns; returns what the fingers did: (when, which, down)."""
    truth = []
    for n in range(presses):
        for down in (True, False):
            wire_.simulator.press(n % buttons, down)
            truth.append((wire_.now, n % buttons, down))
            wire_.run(gap)
    return truth


def assert_same_presses(
    got: list[EdgeSeen], truth: list[tuple[float, int, bool]], within: float = 0.02
) -> None:
    assert [(p.button, p.down) for p in got] == [(button, down) for _, button, down in truth]
    assert [p.number for p in got] == list(range(got[0].number, got[0].number + len(got)))
    assert max(abs(p.at - at) for p, (at, _, _) in zip(got, truth, strict=True)) < within


def lit(leds: object, wire_: Wire | None = None) -> tuple[tuple[int, ...], ...]:
    """Red, green, blue of every LED as the wire's board shall show a scene, patterns aside."""
    if isinstance(leds, LightScene):
        assert wire_ is not None
        leds = led_colours(leds, reference_board().leds, wire_.link.seating)
    return tuple(led[:3] for led in leds)  # type: ignore[attr-defined]

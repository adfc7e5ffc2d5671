"""Games by hand over a calibrated board, read at every rest: how often the truth is likeliest, and
how honest P(count) is.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from firmware_bridge.board_spec import reference_board
from firmware_bridge.calibration import Calibration
from firmware_bridge.link import Link
from firmware_bridge.link_events import Sensed
from firmware_bridge.physics import counts_per_mv
from firmware_bridge.sensing import Sensing
from firmware_bridge.simulator import Simulator, factory_calibration
from rules.board import BAR, Placement
from rules.observation import Condition, Observation, Source
from tests.firmware_bridge.hands import BACKGAMMON, NARDE, random_game
from tests.firmware_bridge.joint import best_after, best_conserving, log_likelihood
from tests.firmware_bridge.wires import Wire, of
from tests.hardware.emulated import EmulatedBoard


@dataclass
class Tally:
    positions: int = 0
    wrong_conserving: int = 0
    wrong_after: int = 0
    said: list[float] = field(default_factory=list)
    true: list[bool] = field(default_factory=list)

    def judge(self, observation: Observation, before: Placement, truth: Placement) -> None:
        score = log_likelihood(observation, truth) + 1e-9
        self.positions += 1
        self.wrong_conserving += best_conserving(observation, truth) > score
        self.wrong_after += best_after(observation, before, truth) > score

    def count(self, observation: Observation, truth: Placement) -> None:
        """Every listed P(count) of every point, beside whether it is so."""
        for reading in observation.sites:
            if reading.site == BAR:
                continue
            total = sum(p for _, _, p in reading.outcomes)
            for white, black, p in reading.outcomes:
                if p / total > 0.01:
                    self.said.append(p / total)
                    self.true.append(
                        (white, black) == (truth.white[reading.site], truth.black[reading.site])
                    )

    def calibration_error(self) -> float:
        """Mean |said - true| over ten bins of what was said, weighted by how often."""
        said, true = np.array(self.said), np.array(self.true)
        bins = np.clip((said * 10).astype(int), 0, 9)
        return float(
            sum(
                abs(said[bins == k].mean() - true[bins == k].mean()) * (bins == k).mean()
                for k in set(bins.tolist())
            )
        )


def scan(simulator: Simulator, rng: np.random.Generator) -> tuple[int, ...]:
    """What the wire would carry of the board at rest: smoothed noise, quarters of an ADC step."""
    board = simulator.board
    noisy = simulator.table.millivolts() + rng.normal(
        0, board.sensor.noise_mv * 0.4, len(board.sensors.places)
    )
    return tuple(round(float(v)) for v in noisy * counts_per_mv(board))


def play(
    seed: int,
    turns: int,
    tally: Tally,
    *,
    narde: bool = False,
    fit: str = "normal",
    confirm: bool = True,
) -> None:
    """One game on one board of its own parts, tallied at every rest.

    `confirm`: the house tells what it settled, as a referee does.
    """
    simulator = Simulator(reference_board(), seed, fit=fit)
    sensing = Sensing(simulator.board, factory_calibration(simulator, fit))
    rng, noise = random.Random(seed), np.random.default_rng(seed)
    start = NARDE if narde else BACKGAMMON
    simulator.set_placement(start)
    now = settle(sensing, simulator, noise, 0.0)[1]
    sensing.confirm(start)
    for steps, before, after in random_game(start, rng, turns, rotate=narde):
        for step in steps:
            if step.hit:
                simulator.lift(step.target, step.side.other)
                simulator.put(BAR, step.side.other)
            simulator.lift(step.source, step.side)
            simulator.put(step.target, step.side)
        observation, now = settle(sensing, simulator, noise, now)
        tally.judge(observation, before, after)
        tally.count(observation, after)
        if confirm:
            sensing.confirm(after)


def settle(
    sensing: Sensing, simulator: Simulator, noise: np.random.Generator, now: float
) -> tuple[Observation, float]:
    sensing.observe(scan(simulator, noise), now + 1.0)
    found = sensing.observe(scan(simulator, noise), now + 1.3)
    assert found.condition is Condition.AT_REST
    return found, now + 1.3


def laid_out(
    seed: int,
    boards: int,
    count: Callable[[random.Random], Sequence[int]],
    tally: Tally,
    calibration: Calibration | None = None,
) -> None:
    """Independent layouts, every pile laid anew: all 24 points hold what `count` draws (negative:
    dark), read without memory.
    """
    simulator = Simulator(reference_board(), seed)
    sensing = Sensing(simulator.board, calibration or factory_calibration(simulator))
    rng, noise = random.Random(seed), np.random.default_rng(seed)
    for _ in range(boards):
        counts = count(rng)
        white = (0, *(max(n, 0) for n in counts), 0)
        black = (0, *(max(-n, 0) for n in counts), 0)
        simulator.set_placement(Placement(white, black))
        readings = sensing.readings(sensing.calibration.checkers(scan(simulator, noise)))
        tally.count(Observation(Source.SENSORS, 0.0, 0, sites=readings), simulator.placement())


def play_emulated(seed: int, turns: int, tally: Tally, *, narde: bool = False) -> None:
    """A game by moving checkers over the emulated board: firmware, wire, link and sensing, all in
    step.
    """
    board = reference_board()
    twin = Simulator(board, seed)
    with EmulatedBoard(board, seed) as emulated:
        emulated.table.offsets, emulated.table.gains = twin.table.offsets, twin.table.gains
        wire_, sensing = Wire(emulated, Link(board)), Sensing(board, factory_calibration(twin))
        start = NARDE if narde else BACKGAMMON
        emulated.set_placement(start)
        wire_.link.opened(wire_.now)
        seen = rest_of(wire_, sensing, 2.0)
        tally.judge(seen, start, start)
        sensing.confirm(start)
        for steps, before, after in random_game(start, random.Random(seed), turns, rotate=narde):
            for step in steps:
                if step.hit:
                    emulated.lift(step.target, step.side.other)
                    emulated.put(BAR, step.side.other)
                emulated.lift(step.source, step.side)
                wire_.run(0.05)
                emulated.put(step.target, step.side)
            seen = rest_of(wire_, sensing, 0.7)
            tally.judge(seen, before, after)
            sensing.confirm(after)


def rest_of(wire_: Wire, sensing: Sensing, seconds: float) -> Observation:
    """The last of the observations that come within so many seconds; it must be one at rest."""
    seen = [
        sensing.observe(event.values, event.at, event.number)
        for event in of(Sensed, wire_.run(seconds))
    ]
    assert seen[-1].condition is Condition.AT_REST, seen[-1]
    return seen[-1]


def empties(simulator: Simulator, n: int = 16) -> list[tuple[int, ...]]:
    """So many scans of a board as it lies."""
    noise = np.random.default_rng(3)
    return [scan(simulator, noise) for _ in range(n)]

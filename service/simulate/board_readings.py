"""The board's part of the confusions, from `firmware_bridge`'s own physics and sensing: boards of
bought parts, calibrated as people calibrate (empty, then the start position), checkers laid guided,
normally or sloppily. Tall piles are read once by themselves and once, after turns whose placements
were confirmed as the table confirms them, by what changed (`kept`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np

from firmware_bridge.board_spec import BoardSpec, reference_board
from firmware_bridge.calibration import Calibration, by_design, from_empty, from_placement
from firmware_bridge.physics import FITS, counts_per_mv
from firmware_bridge.sensing import Sensing
from firmware_bridge.simulated_table import SimulatedTable
from rules.board import BAR, OFF, POINTS, Placement, Seating, Side
from rules.observation import SiteReading
from service.simulate.measured import Group, LevelJson, add_run, reading_json

FIT_OF: Final = {"good": "guided", "club": "normal", "bad": "sloppy"}
"""Level of a soak -> how checkers lie on the board."""
START: Final = Placement.of({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5})
KEEP_CHANGED: Final = 6
"""Readings kept of each change of a pile that the table had confirmed, in each group."""
TALL: Final = 4
"""Piles that never reach this are counted by themselves; nothing is kept of their changes."""

TURNS: Final = 5
"""Turns followed from each random placement."""

Scan: TypeAlias = Callable[[], Sequence[int]]
"""Reads every sensor once: wire units by sensor number."""


def random_placement(rng: np.random.Generator, both: float = 0.04) -> Placement:
    """Fifteen checkers a side in piles of every height, some on the bar.

    With probability `both` a side may share a point with the other, as hands leave them.
    """
    counts = np.zeros((2, 26), np.int64)
    for side in (0, 1):
        left = 15
        if rng.random() < 0.4:
            counts[side, BAR] = on_bar = int(rng.integers(1, 4))
            left -= on_bar
        if rng.random() < 0.4:
            counts[side, 0] = off = int(rng.integers(0, left))
            left -= off
        height = rng.choice([1.6, 3.0, 6.0, 12.0])
        while left > 0:
            n = int(min(left, max(1, rng.geometric(1 / height))))
            point = int(rng.integers(1, 25))
            if counts[1 - side, point] and rng.random() > both:
                continue
            counts[side, point] += n
            left -= n
    return Placement(tuple(int(n) for n in counts[0]), tuple(int(n) for n in counts[1]))


@dataclass(frozen=True)
class _Bench:
    """A calibrated board of bought parts with checkers on it, and the group of its readings."""

    table: SimulatedTable
    sensing: Sensing
    scan: Scan
    rng: np.random.Generator
    group: Group

    def readings(self) -> tuple[SiteReading, ...]:
        """One scan as readings."""
        return self.sensing.readings(self.sensing.calibration.checkers(self.scan()))


def board_groups(fit: str, groups: int, placements: int, seed: int) -> Iterator[Group]:
    """Readings of so many boards of bought parts, each calibrated once."""
    spec = reference_board()
    unit = counts_per_mv(spec)
    for number in range(groups):
        rng = np.random.default_rng([seed, number])
        table = SimulatedTable(spec, rng, FITS[fit])

        def scan(table: SimulatedTable = table, rng: np.random.Generator = rng) -> list[int]:
            millivolts = table.millivolts()
            return [
                round(v)
                for v in (millivolts + rng.normal(0, spec.sensor.noise_mv, len(millivolts))) * unit
            ]

        table.fit = FITS["guided"]
        calibration = replace(calibrated(spec, table, scan), fit=fit)
        table.fit = FITS[fit]
        bench = _Bench(table, Sensing(spec, calibration, Seating()), scan, rng, {})
        for n in range(placements):
            placement = random_placement(rng)
            table.set_placement(placement, Seating())
            for reading in bench.readings():
                site = reading.site
                truth = (placement.white[site], placement.black[site])
                add_run(bench.group, site, truth, [reading_json(reading)])
            _add_changes(bench, placement, 10.0 * n)
            bench.sensing.forget()
        yield bench.group


def _add_changes(bench: _Bench, placement: Placement, at: float) -> None:
    """Play a few turns from a placement, each confirmed, and keep what tall piles then read.

    They are kept by change, as White's `before>after`.
    """
    sensing = bench.sensing
    runs = bench.group.setdefault("kept", {})
    for turn in range(TURNS):
        sensing.observe(bench.scan(), at + turn)
        sensing.observe(bench.scan(), at + turn + 0.5)
        sensing.confirm(placement)
        after = _some_moves_later(placement, bench.table, bench.rng)
        for reading in bench.readings():
            was, now = ((p.white[reading.site], p.black[reading.site]) for p in (placement, after))
            if (
                reading.site == BAR
                or max(*was, *now) < TALL
                or ((was[0] or now[0]) and (was[1] or now[1]))
            ):
                continue
            black = bool(was[1] or now[1])
            kept = runs.setdefault(f"{max(was)}>{max(now)}", [])
            if len(kept) < KEEP_CHANGED:
                outcomes, floor = reading_json(reading)
                kept.append([([(b, w, p) if black else (w, b, p) for w, b, p in outcomes], floor)])
        placement = after


def _some_moves_later(
    placement: Placement, table: SimulatedTable, rng: np.random.Generator
) -> Placement:
    """The placement after a hand moved up to four checkers, tall piles for preference."""
    side = Side.WHITE if rng.random() < 0.5 else Side.BLACK
    for _ in range(int(rng.integers(1, 5))):
        own, other = placement.counts(side), placement.counts(side.other)
        sources = [p for p in POINTS if own[p]]
        if not sources:
            break
        heights = np.array([own[p] for p in sources], float)
        source = int(rng.choice(sources, p=heights / heights.sum()))
        free = [p for p in POINTS if p != source and not other[p]]
        near = np.array([1.0 + own[p] for p in free])
        target = int(
            rng.choice([*free, OFF], p=np.append(near, near.sum() / 2) / (near.sum() * 1.5))
        )
        table.lift(source, side)
        table.put(target, side)
        placement = placement.moved(side, source, target)
    return placement


def calibrated(spec: BoardSpec, table: SimulatedTable, scan: Scan) -> Calibration:
    """The calibration that people make: empty board, then start position, which is left there."""
    table.clear()
    calibration, _ = from_empty(spec, [scan() for _ in range(20)], "", by_design(spec))
    # People lay the start position tidily when they are asked to.
    table.set_placement(START, Seating())
    return from_placement(spec, calibration, [scan() for _ in range(20)], START, Seating())


def board_levels(groups: int, placements: int, seed: int) -> dict[str, LevelJson]:
    """The board at every level of fit: so many boards each, so many placements a board."""
    return {
        level: {"groups": list(board_groups(fit, groups, placements, seed)), "wrong_together": 0.0}
        for level, fit in FIT_OF.items()
    }

"""Raw sensor values to an Observation: for every site, how likely these values would be for each
number of checkers.

Sensing never decides. It says P(values | light, dark checkers) per site through the count model,
whether the board is at rest, and which sensors can be believed. Borne-off checkers are not sensed:
that site is absent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from firmware_bridge.bar_model import BAR_CLASSES, bar_likelihoods
from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.calibration import Calibration
from firmware_bridge.count_model import POINT_CLASSES, Pair, count_model, point_inputs
from firmware_bridge.disputes import Chances, by_colour, contradicting, without_which
from firmware_bridge.errors import CalibrationError
from firmware_bridge.findings import SensorFinding
from firmware_bridge.physics import F64, FITS, counts_per_mv
from firmware_bridge.sensor_faults import level_faults, row_faults, too_many
from firmware_bridge.sensor_health import Health, SensorHealth
from firmware_bridge.stack_memory import remembered
from rules.board import BAR, POINTS, Colour, Placement, Seating, Side
from rules.observation import Condition, Observation, SiteReading, Source

REST_S: Final = 0.25
"""Without a change for so long, the board is at rest."""
MOVED: Final = 0.02
"""A sensor that changed by more than this (in checkers) since the rest began ends it: ten times its
noise, less than any checker does.
"""
MOVED_IN_NOISE: Final = 0.1
"""The same on a board whose noise lets it never rest: less sharp, and said."""
NOISE_S: Final = 4.0
"""Over about so long: is the board seldom at rest, and is it noise?"""
NOISE_SENSORS: Final = 24
"""So many sensors that each end a rest by next to nothing are noise: a hand moves few, and more."""
STRIKES: Final = 2
"""Rests at which a sensor contradicts what is known to stand above it, before it is put aside."""
JUMPED_PART: Final = 0.5
"""When more than this part of all sensors changes in one scan, the board was bumped or its supply
dipped: no hand covers so much.
"""
JITTER_LIMIT: Final = 6.0
"""Mean size of the turns of a sensor's value (wire units): what noise of 12 units, 15 mV, makes.
"""
STUCK_MOST: Final = 9
"""Scans at a rail that are remembered: noise lifts a stuck sensor off it now and then."""
DOUBT: Final = 0.004
"""Share of every likelihood given evenly to all classes: the physics is not all there is."""
LISTED: Final = 1e-5
"""Outcomes less likely than this are left to the reading's floor."""


class Sensing:
    """Values in, Observations out. It remembers only since when the board lies still; `observe` in
    order of time.

    Raises CalibrationError at once when the calibration does not fit the board.
    """

    def __init__(
        self, board: BoardSpec, calibration: Calibration, seating: Seating | None = None
    ) -> None:
        if len(calibration.zeros) != len(board.sensors.places):
            raise CalibrationError(
                f"the calibration has {len(calibration.zeros)} sensors, {board.name}"
                f" {len(board.sensors.places)}: calibrate this board"
            )
        self.board, self.calibration = board, calibration
        self.seating = seating or Seating()
        model = count_model(board)
        self._model = replace(model, sharpness=model.sharpness * calibration.trust)
        self._points = np.array([board.sensors.of_point(p) for p in POINTS])
        self._bar = np.array(board.sensors.of_bar)
        self._neighbours = [
            (p - 1 if p not in (1, 7, 13, 19) else 0, p + 1 if p not in (6, 12, 18, 24) else 0)
            for p in POINTS
        ]
        self._channels = len(board.sensors.places) // board.multiplexers
        self._real = np.array([place.role in ("point", "bar") for place in board.sensors.places])
        self._unit = counts_per_mv(board)
        self._rest: F64 | None = None
        self._at_rest: F64 | None = None
        """The last values seen at rest, in checkers."""
        self._rest_since = 0.0
        self._bumped = False
        self._stuck = np.zeros(len(self._real), dtype=np.int64)
        self._jitter = np.zeros(len(self._real))
        self._step = np.zeros(len(self._real))
        self._last: F64 | None = None
        self._off_zero: frozenset[int] = frozenset()
        self._strikes: dict[int, int] = {}
        self._rows: dict[int, tuple[SensorFinding, int]] = {}
        self._levels: dict[int, tuple[SensorFinding, int]] = {}
        self._overfull = ""
        self._unrest = 0.0
        """What part of the last seconds the board moved."""
        self._shivering = np.zeros(len(self._real))
        """Which sensors ended a rest by next to nothing, fading."""
        self._watched_at = 0.0
        self._noisy = False
        self._anchor: tuple[F64, dict[int, Pair]] | None = None

    def observe(self, values: Sequence[int], now: float, number: int = 0) -> Observation:
        """One scan (wire units, by sensor number) taken at host time `now`.

        MOVING until it has lain still for a quarter second.
        """
        if len(values) != len(self._real):
            raise CalibrationError(
                f"{len(values)} values came, {self.board.name} has {len(self._real)} sensors"
            )
        raw = np.asarray(values, dtype=float)
        self._watch_health(raw)
        checkers = self.calibration.checkers(values)
        condition, note = self._stillness(checkers, now)
        if condition is not Condition.AT_REST:
            return Observation(Source.SENSORS, now, number, condition, note=note)
        readings = self.readings(checkers)
        self._overfull = too_many(self.board.per_side, readings)
        return Observation(
            Source.SENSORS, now, number, condition, readings, note=self._health_note()
        )

    def hear_levels(self, values: Sequence[int]) -> None:
        """What every multiplexer's line read (wire units) while all were switched off, as boards
        with `wire.FEATURE_LEVELS` report it.

        What is wrong twice is believed. A wire that leaves every multiplexer on is said, and
        nothing else: what they read is right all the same.
        """
        self._levels = {
            row: (fault, self._levels[row][1] + 1 if row in self._levels else 1)
            for row, fault in level_faults(self.board, values).items()
        }

    def readings(self, checkers: F64) -> tuple[SiteReading, ...]:
        """Every site with at least one sensor that can be believed, from values in checkers."""
        good = self.good()
        own = checkers[self._points]
        known = good[self._points]
        chances = self._chances(own, known, self._beside(own, known))
        if self._anchor is not None:
            chances = np.stack(
                [self._remembered(p, chances[p - 1], checkers, known[p - 1]) for p in POINTS]
            )
        found = [
            self._reading(self.seating.site(p), POINT_CLASSES, chances[p - 1])
            for p in POINTS
            if known[p - 1].any()
        ]
        if good[self._bar].any():
            chances_bar = _even(bar_likelihoods(self.board, checkers[self._bar], good[self._bar]))
            found.append(self._reading(BAR, BAR_CLASSES, chances_bar))
        return tuple(sorted(found, key=lambda reading: reading.site))

    def _beside(self, own: F64, known: NDArray[np.bool_]) -> F64:
        """What the sensors of both neighbours of every point say, nought where not believed."""
        own_known = np.where(known, own, 0.0)
        sides = np.zeros((24, 10))
        for k, pair in enumerate(self._neighbours):
            for side, point in enumerate(pair):
                if point:
                    sides[k, 5 * side : 5 * side + 5] = own_known[point - 1]
        return sides

    def good(self) -> NDArray[np.bool_]:
        """Which sensors can be believed now."""
        bad = np.zeros(len(self._real), dtype=bool)
        for number, state in enumerate(self.health().health):
            bad[number] = state is not Health.GOOD
        return self._real & ~bad

    def health(self) -> SensorHealth:
        """Every sensor as the last scans showed it."""
        states = [Health.GOOD] * len(self._real)
        rows = {row: fault for row, (fault, times) in self._rows.items() if times >= 3}
        rows |= {
            row: fault
            for row, (fault, times) in self._levels.items()
            if times >= 2 and not self._never_off
        }
        for n in np.nonzero(self._real)[0]:
            if self._stuck[n] >= 3:
                states[n] = Health.STUCK
            elif n // self._channels in rows:
                states[n] = Health.ROW
            elif self._jitter[n] > JITTER_LIMIT:
                states[n] = Health.NOISY
            elif int(n) in self._off_zero:
                states[n] = Health.OFF_ZERO
        divider = self.board.sensors.divider
        ok = divider is None or self._last is None
        if not ok and divider is not None and self._last is not None:
            ok = (
                abs(self._last[divider] / self._unit - self.board.divider_mv)
                <= self.board.divider_tolerance_mv
            )
        told = tuple(rows[row] for row in sorted(rows))
        if self._never_off:
            told += (SensorFinding.of("never_off"),)
        return SensorHealth(tuple(states), ok, told)

    @property
    def _never_off(self) -> bool:
        times = [times for _, times in self._levels.values()]
        return len(times) == self.board.multiplexers and min(times) >= 2

    def confirm(self, placement: Placement) -> None:
        """The house knows that this placement stands on the board now, at rest: remember how it
        reads, so that tall piles are told by what changes.

        Without it every scan is read by itself, which is honest but vague above five.
        """
        if self._at_rest is None:
            return
        light, dark = by_colour(self.seating, placement)
        self._anchor = (
            self._at_rest.copy(),
            {p: (light[self.seating.site(p)], dark[self.seating.site(p)]) for p in POINTS},
        )

    def forget(self) -> None:
        """What was confirmed holds no longer (the board was set up anew, or bumped)."""
        self._anchor = None

    def known_empty(self, sites: frozenset[int]) -> None:
        """The house knows these sites (White's numbering) to be empty, and the board is at rest: a
        sensor there that is far from its zero is faulty, and slow drift of the others is followed.
        """
        if self._rest is None:
            return
        off = set(self._off_zero)
        zeros = list(self.calibration.zeros)
        for site in sites:
            for n in (
                self.board.sensors.of_bar
                if site == BAR
                else self.board.sensors.of_point(self.seating.geometric(site))
            ):
                reading = float(self._rest[n])
                if abs(reading) > 0.2:
                    off.add(n)
                else:
                    off.discard(n)
                    zeros[n] += 0.05 * reading * self.calibration.gains[n]
        self._off_zero = frozenset(off)
        old = self.calibration
        self.calibration = replace(old, zeros=tuple(zeros))

    def disputed(self, placement: Placement) -> None:
        """The record says that this stands on the board, and the board reads otherwise: a sensor
        that cannot read so above it, rest after rest, is put aside.

        Once is not enough: a hand may be quicker than the record.
        """
        if self._at_rest is None:
            return
        lying = contradicting(self.board, self.seating, placement, self._at_rest)
        lying |= without_which(
            self.board, self.seating, placement, self.good(), self._chances_at_rest()
        )
        self._strikes = {n: self._strikes.get(n, 0) + 1 for n in lying}
        self._off_zero |= {n for n, times in self._strikes.items() if times >= STRIKES}

    def _chances_at_rest(self) -> Chances:
        """Of one point as it lies, for sensors believed by turns."""
        assert self._at_rest is not None
        own = self._at_rest[self._points]
        sides = self._beside(own, self.good()[self._points])

        def chances(point: int, known: NDArray[np.bool_]) -> F64:
            rows = len(known)
            return self._chances(
                np.repeat(own[point - 1 : point], rows, axis=0),
                known,
                np.repeat(sides[point - 1 : point], rows, axis=0),
            )

        return chances

    def _chances(self, own: F64, known: NDArray[np.bool_], sides: F64) -> F64:
        """Both colours are alike to physics, so the mean of the scene and its mirror image in
        colour is fairer than either.
        """
        slack = FITS[self.calibration.fit].slack
        plain = self._model.likelihoods(
            point_inputs(own.astype(np.float32), known, sides.astype(np.float32), slack)
        )
        mirror = self._model.likelihoods(
            point_inputs(-own.astype(np.float32), known, -sides.astype(np.float32), slack)
        )
        swap = [POINT_CLASSES.index((b, a)) for a, b in POINT_CLASSES]
        return np.stack([_even(row) for row in (plain + mirror[:, swap]) / 2])

    def _remembered(self, point: int, plain: F64, checkers: F64, known: NDArray[np.bool_]) -> F64:
        assert self._anchor is not None
        before, counts = self._anchor
        here = self._points[point - 1][known]
        if counts[point] not in POINT_CLASSES or len(here) == 0:
            return plain
        return remembered(
            self.board, self.calibration.fit, plain, counts[point], before[here], checkers[here]
        )

    def _reading(self, site: int, classes: tuple[Pair, ...], chances: F64) -> SiteReading:
        white_light = self.seating.colour_of(Side.WHITE) is Colour.LIGHT
        outcomes = tuple(
            (light, dark, float(p)) if white_light else (dark, light, float(p))
            for (light, dark), p in zip(classes, chances, strict=True)
            if p > LISTED
        )
        return SiteReading(site, outcomes, floor=LISTED)

    def _stillness(self, checkers: F64, now: float) -> tuple[Condition, str]:
        believed = self._real & (self._stuck < 3)
        seen = np.where(believed, checkers, 0.0)
        if self._rest is None:
            self._rest, self._rest_since = seen, now
        change = np.abs(seen - self._rest)
        moved = change > (MOVED_IN_NOISE if self._noisy else MOVED)
        if moved.any():
            self._shivering[moved & (change < MOVED_IN_NOISE)] = 1.0
            self._bumped = bool(moved.sum() > JUMPED_PART * self._real.sum())
            self._rest, self._rest_since = seen, now
        if now - self._rest_since < REST_S:
            if self._bumped:
                return (
                    Condition.BUMPED,
                    "many sensors changed at once: the board was bumped, or its supply dipped",
                )
            self._watch_unrest(1.0, now)
            return Condition.MOVING, self._noise_note()
        self._watch_unrest(0.0, now)
        self._rest = self._rest + 0.1 * (seen - self._rest)
        self._at_rest = seen
        return Condition.AT_REST, ""

    def _watch_unrest(self, moving: float, now: float) -> None:
        """Is it noise that keeps the board from resting?"""
        kept = float(np.exp(-min(1.0, max(0.0, now - self._watched_at)) / NOISE_S))
        self._watched_at = now
        self._unrest = moving + (self._unrest - moving) * kept
        self._shivering *= kept
        if self._unrest > 0.5 and (self._shivering > 0.2).sum() >= NOISE_SENSORS:
            self._noisy = True

    def _noise_note(self) -> str:
        if not self._noisy:
            return ""
        return (
            "all sensors are noisy, small shifts go unseen: look at the 5 V supply, the wires of"
            " the lights and the ground star"
        )

    def _watch_health(self, raw: F64) -> None:
        sensor = self.board.sensor
        low = sensor.rail_mv / 2 * self._unit
        rail = (sensor.supply_mv - sensor.rail_mv / 2) * self._unit
        high = min(rail, sensor.adc_steps * sensor.reference_eighths / 2 - 2)
        at_rail = (raw < low) | (raw > high)
        self._stuck = np.clip(self._stuck + np.where(at_rail, 1, -2), 0, STUCK_MOST)
        self._rows = {
            row: (fault, self._rows[row][1] + 1 if row in self._rows else 1)
            for row, fault in row_faults(self.board, raw).items()
        }
        if self._last is not None:
            # Noise goes up and down by turns; a checker that slides past goes up, then down. Only
            # turns are counted.
            step = raw - self._last
            turn = np.where(
                step * self._step < 0, np.minimum(np.abs(step), np.abs(self._step)), 0.0
            )
            self._jitter += (np.minimum(turn, 60.0) - self._jitter) / 32
            self._step = step
        self._last = raw

    def _health_note(self) -> str:
        state = self.health()
        alone = [n for n in state.bad if state.health[n] is not Health.ROW]
        words = [
            *map(str, state.rows),
            *(f"sensor {n} is {state.health[n].value}" for n in alone[:4]),
        ]
        if len(alone) > 4:
            words.append(f"{len(alone) - 4} more are bad")
        if not state.divider_ok and not state.rows:
            words.append("the test divider is wrong: do not trust the multiplexers")
        if self._overfull and not words:
            words.append(self._overfull)
        if self._noisy:
            words.append(self._noise_note())
        return "; ".join(words)


def _even(chances: F64) -> F64:
    return np.asarray(chances * (1 - DOUBT) + DOUBT / len(chances))

"""Calibration of one board: each sensor's zero and its answer to one checker, kept under the
board's UID and refused for any other.

Three steps, each a pure function of measured values (wire units): the empty board gives zeros and
noise; one light checker right above a sensor (guided by its light) gives that sensor's gain; or,
quicker and coarser, the start position gives the gain of the slots it covers.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.errors import CalibrationError
from firmware_bridge.physics import F64, FITS, counts_per_mv, field_table, one_checker_mv
from rules.board import BAR, Colour, Placement, Seating, Side

FORMAT: Final = 1
NOISE_LIMIT: Final = 12.0
"""A sensor noisier than this (1 sigma, wire units: 15 mV) is broken or badly soldered."""
OFFSET_LIMIT_MV: Final = 150.0
GAIN_RANGE: Final = (0.6, 1.5)
"""Gains outside this part of the board's own are no calibration but a fault: wrong magnet, checker
beside the sensor, dead sensor.
"""
GAPS_MM: Final = (3.5, 11.0)
"""From magnet to sensor, of boards that may be built; the first sensors teach a board's own."""
PART_SPREAD: Final = 0.25
"""How far one sensor under one magnet may lie from the gap's own answer."""
LEARN_FROM: Final = 5
"""So many sensors' answers make a board's own."""


BY_DESIGN_TRUST: Final = 0.4
START_TRUST: Final = 0.45
GUIDED_TRUST: Final = 1.0
"""Tuned so that what is said with 70 % is so in 70 % (tests/board holds it): gains of 5 % spread
and zeros of 20 mV by design, 4 % and known zeros from the start position, under 1 % when guided."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """`zeros` and `noises` in wire units, `gains` in wire units for one light checker right above
    (negative when its pole says so), all by sensor number. `made` says how, in words."""

    uid: str
    zeros: tuple[float, ...]
    gains: tuple[float, ...]
    noises: tuple[float, ...]
    fit: str = "normal"
    made: str = "by design"
    trust: float = BY_DESIGN_TRUST
    """How sharply counts may be read from it, 0 to 1: what is less well known is said with more
    doubt.
    """

    def __post_init__(self) -> None:
        if not len(self.zeros) == len(self.gains) == len(self.noises):
            raise CalibrationError(
                f"{len(self.zeros)} zeros, {len(self.gains)} gains and {len(self.noises)} noises:"
                " one of each a sensor is wanted"
            )
        if self.fit not in FITS:
            raise CalibrationError(f"no fit {self.fit!r}: there are {', '.join(FITS)}")
        if not 0 < self.trust <= 1:
            raise CalibrationError(
                f"a calibration's trust is above 0 and at most 1, not {self.trust}"
            )
        if (
            any(not np.isfinite(value) for value in (*self.zeros, *self.gains, *self.noises))
            or 0.0 in self.gains
        ):
            raise CalibrationError("a zero, gain or noise is no number; calibrate again")

    def checkers(self, values: Sequence[int]) -> F64:
        """Wire units -> light checkers right above (dark: negative), by sensor number."""
        return np.asarray((np.asarray(values, dtype=float) - self.zeros) / self.gains)

    def to_json(self) -> str:
        """The file: the values and their checksum."""
        body = {
            "format": FORMAT,
            "uid": self.uid,
            "made": self.made,
            "fit": self.fit,
            "trust": self.trust,
            "zeros": [round(value, 2) for value in self.zeros],
            "gains": [round(value, 2) for value in self.gains],
            "noises": [round(value, 2) for value in self.noises],
        }
        return json.dumps({**body, "checksum": _checksum(body)}, indent=1) + "\n"


def by_design(board: BoardSpec, uid: str = "") -> Calibration:
    """What a board of perfect parts would have: enough to see owners, not to count stacks."""
    n = len(board.sensors.places)
    unit = counts_per_mv(board)
    middle = board.sensor.supply_mv / 2 * unit
    return Calibration(
        uid, (middle,) * n, (one_checker_mv(board) * unit,) * n, (board.sensor.noise_mv * unit,) * n
    )


def from_json(text: str, uid: str | None = None) -> Calibration:
    """Read a file. `uid`: the board it must be for, in hexadecimal; None takes any. Raises
    CalibrationError with what to do.
    """
    try:
        body = json.loads(text)
        checksum = body.pop("checksum")
        if body["format"] != FORMAT:
            raise CalibrationError(
                f"calibration of format {body['format']}, this takhte reads {FORMAT}: calibrate"
                " again"
            )
        if checksum != _checksum(body):
            raise CalibrationError(
                "the calibration file is damaged (its checksum is wrong): calibrate again, or take"
                " it from a backup"
            )
        numbers = {
            key: tuple(float(value) for value in body[key]) for key in ("zeros", "gains", "noises")
        }
        found = Calibration(
            str(body["uid"]),
            fit=str(body["fit"]),
            made=str(body["made"]),
            trust=float(body.get("trust", GUIDED_TRUST)),
            **numbers,
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, CalibrationError):
            raise
        raise CalibrationError(f"this is no calibration file ({error}): calibrate again") from error
    if uid is not None and found.uid != uid:
        raise CalibrationError(
            f"this calibration is of board {found.uid}, the board here is {uid}: no two boards are"
            " alike, calibrate this one"
        )
    return found


def _checksum(body: Mapping[str, object]) -> str:
    return f"{zlib.crc32(json.dumps(body, sort_keys=True).encode()):08x}"


@dataclass(frozen=True, slots=True)
class SensorFault:
    """One sensor (or the divider) that cannot be right, in words for a person with a soldering
    iron.
    """

    sensor: int
    what: str


def from_empty(
    board: BoardSpec, scans: Sequence[Sequence[int]], uid: str, before: Calibration | None = None
) -> tuple[Calibration, tuple[SensorFault, ...]]:
    """Zeros and noise from at least 8 scans of the empty board; gains are kept from `before` or the
    design's. Faults are reported, never hidden."""
    if len(scans) < 8:
        raise CalibrationError(
            f"{len(scans)} scans of the empty board are too few; take 8 or more (about five"
            " seconds)"
        )
    values = np.asarray(scans, dtype=float)
    if values.shape[1] != len(board.sensors.places):
        raise CalibrationError(
            f"{values.shape[1]} values a scan, {board.name} has {len(board.sensors.places)} sensors"
        )
    zeros, noises = np.median(values, axis=0), values.std(axis=0)
    unit = counts_per_mv(board)
    middle = board.sensor.supply_mv / 2 * unit
    faults: list[SensorFault] = []
    for number, place in enumerate(board.sensors.places):
        off_mv = (zeros[number] - middle) / unit
        if (
            place.role == "divider"
            and abs(zeros[number] / unit - board.divider_mv) > board.divider_tolerance_mv
        ):
            faults.append(
                SensorFault(
                    number,
                    f"the test divider reads {zeros[number] / unit:.0f} mV, not"
                    f" {board.divider_mv:.0f}: a multiplexer counts wrong",
                )
            )
        if place.role not in ("point", "bar"):
            continue
        if abs(off_mv) > OFFSET_LIMIT_MV:
            faults.append(
                SensorFault(
                    number,
                    f"{off_mv:+.0f} mV from the middle with no checker near: dead, unsoldered, or a"
                    " magnet lies there",
                )
            )
        elif noises[number] > NOISE_LIMIT:
            faults.append(
                SensorFault(
                    number,
                    f"noise of {noises[number] / unit:.1f} mV: look for a bad joint or a missing"
                    " capacitor",
                )
            )
    base = before or by_design(board, uid)
    made = Calibration(
        uid,
        tuple(zeros.tolist()),
        base.gains,
        tuple(np.maximum(noises, 0.3).tolist()),
        base.fit,
        "empty board",
        base.trust,
    )
    return made, tuple(faults)


def with_gain(
    board: BoardSpec,
    calibration: Calibration,
    sensor: int,
    values: Sequence[int],
    light: bool = True,
    learnt: Mapping[int, float] | None = None,
) -> Calibration:
    """The calibration with one sensor's gain, from a scan with one checker right above it.

    `learnt`: the gains of sensors done before; enough of them say what this board's gap gives,
    until then any gap of `GAPS_MM` may be. Raises CalibrationError when that cannot be what lies
    there.
    """
    gain = (float(values[sensor]) - calibration.zeros[sensor]) * (1 if light else -1)
    whole = whole_board(board, learnt or {})
    low, high = _gap_range(board) if whole is None else (part * whole for part in GAIN_RANGE)
    part = gain / _design(board)
    if not low <= part <= high:
        raise CalibrationError(
            f"sensor {sensor} answers with {part / (whole or 1):.0%} of what one"
            f" {'light' if light else 'dark'} checker gives: is it right above, the right way up,"
            " and the only one?"
        )
    gains = list(calibration.gains)
    gains[sensor] = gain
    return replace(calibration, gains=tuple(gains), made="LED-guided", trust=GUIDED_TRUST)


def whole_board(board: BoardSpec, learnt: Mapping[int, float]) -> float | None:
    """What part of the design's answer this board's sensors give, as their gains say; None while
    they are too few."""
    if len(learnt) < LEARN_FROM:
        return None
    return float(np.median(list(learnt.values()))) / _design(board)


def settled_gains(
    board: BoardSpec, calibration: Calibration, learnt: Mapping[int, float]
) -> tuple[Calibration, tuple[int, ...]]:
    """The calibration with the board's own gain wherever a sensor has none, and the sensors whose
    gain cannot be theirs: they were learnt before the board's own was known."""
    whole = whole_board(board, learnt)
    if whole is None:
        return calibration, ()
    own = whole * _design(board)
    odd = tuple(n for n, gain in learnt.items() if not GAIN_RANGE[0] <= gain / own <= GAIN_RANGE[1])
    gains = tuple(
        learnt[n] if n in learnt and n not in odd else own for n in range(len(calibration.gains))
    )
    return replace(calibration, gains=gains), odd


def gap_of(board: BoardSpec, whole: float) -> float:
    """The gap (mm) at which one checker gives this part of the design's answer, 2 to 20."""
    gaps = np.linspace(2.0, 20.0, 361)
    fields = field_table(board.magnet).at(np.zeros(len(gaps)), gaps)
    wanted = whole * one_checker_mv(board) / (board.sensor.mv_per_mt * board.magnet.light_pole)
    return float(np.interp(-wanted, -fields, gaps))


def _design(board: BoardSpec) -> float:
    return one_checker_mv(board) * counts_per_mv(board)


def _gap_range(board: BoardSpec) -> tuple[float, float]:
    """The least and the most that one checker gives, in parts of the design's answer."""
    gaps = np.array([*GAPS_MM, board.sensor.gap])
    near, far, design = field_table(board.magnet).at(np.zeros(3), gaps)
    return float(far / design) * (1 - PART_SPREAD), float(near / design) * (1 + PART_SPREAD)


def from_placement(
    board: BoardSpec,
    calibration: Calibration,
    scans: Sequence[Sequence[int]],
    placement: Placement,
    seating: Seating,
) -> Calibration:
    """Gains from a known placement laid tidily, such as the start position: each slot under a
    bottom checker is compared with what the design expects.

    Free play makes a single slot uncertain by several per cent, so a slot's own answer is weighed
    against the whole board's by their variances.
    """
    mean = np.median(np.asarray(scans, dtype=float), axis=0) - np.asarray(calibration.zeros)
    expected = expected_checkers(board, placement, seating)
    design = one_checker_mv(board) * counts_per_mv(board)
    used = [n for n, want in enumerate(expected) if abs(want) > 0.5]
    if not used:
        raise CalibrationError(
            "no checker of this placement lies above a sensor; use the start position"
        )
    wrong = [n for n in used if mean[n] / (expected[n] * design) < 0.3]
    if wrong:
        raise CalibrationError(
            f"{len(wrong)} of {len(used)} slots do not answer as"
            f" {'the start position' if len(used) > 4 else 'this placement'} would (first: sensor"
            f" {wrong[0]}): check that every checker lies in place, and that light and dark are on"
            " their own sides"
        )
    ratios = {n: float(mean[n] / (expected[n] * design)) for n in used}
    whole = float(np.median(list(ratios.values())))
    trust = board.sensor.gain_error**2 / (board.sensor.gain_error**2 + 0.06**2)
    gains = [whole * design * float(np.sign(g)) * float(np.sign(design)) for g in calibration.gains]
    for n, ratio in ratios.items():
        gains[n] = design * (whole + trust * (ratio - whole))
    return replace(calibration, gains=tuple(gains), made="start position", trust=START_TRUST)


def expected_checkers(board: BoardSpec, placement: Placement, seating: Seating) -> F64:
    """What each sensor should read (in light checkers) when a placement's bottom layers lie with
    half their free play.
    """
    fit, table = FITS["normal"], field_table(board.magnet)
    unit = float(table.at(np.array([0.0]), np.array([board.sensor.gap]))[0])
    sx, sy = (
        np.array([getattr(place, axis) for place in board.sensors.places]) for axis in ("x", "y")
    )
    felt = np.zeros(len(sx))
    for side in Side:
        pole = 1.0 if seating.colour_of(side) is Colour.LIGHT else -1.0
        for site, count in enumerate(placement.counts(side)):
            if site == BAR or site == 0:
                continue
            point = seating.geometric(site)
            for k in range(count):
                layer, slot = divmod(k, 5)
                y = board.point_y(
                    point, board.checker_diameter * (slot + 0.5) + fit.slack / 2 * (slot + 1)
                )
                r = np.hypot(sx - board.point_x(point), sy - y)
                felt += (
                    pole
                    * table.at(
                        r, np.full(len(r), board.sensor.gap + board.checker_thickness * layer)
                    )
                    / unit
                )
    return felt

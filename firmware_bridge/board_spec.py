"""BoardSpec: one physical board as `board.toml` describes it, and SensorMap: which sensor number
lies under which site.

The geometric plane is in millimetres, x east and y north from the south-west corner of the playing
field; points have the geometric numbers of pictures (1 south-east, 12 south-west, 13 north-west, 24
north-east). `Seating` alone turns them into White's numbering.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

from firmware_bridge.errors import BoardFileError
from rules.board import BAR


@dataclass(frozen=True, slots=True)
class Magnet:
    """An axially magnetised disc. Remanence in tesla, lengths in mm, `spread` of strength (1
    sigma); `light_pole` +1 when a light checker raises the sensor's voltage."""

    remanence_t: float
    diameter: float
    thickness: float
    spread: float
    light_pole: int


@dataclass(frozen=True, slots=True)
class HallSensor:
    """A linear, ratiometric Hall sensor, `gap` mm below the magnet's near face (the sum of the
    stack-up), and the converter behind it, whose reference is so many eighths of its supply."""

    mv_per_mt: float
    gap: float
    rail_mv: float
    noise_mv: float
    offset_mv: float
    gain_error: float
    supply_mv: float
    adc_steps: int
    reference_eighths: int


@dataclass(frozen=True, slots=True)
class SensorPlace:
    """Where a sensor lies. `role`: "point", "bar", "divider" or "spare"; `site`: geometric point
    1-24, BAR, or -1; `slot` counts from the rim."""

    role: str
    site: int
    slot: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class SensorMap:
    """Sensor number -> place, and back."""

    places: tuple[SensorPlace, ...]

    def of_point(self, geometric: int) -> tuple[int, ...]:
        """Sensor numbers of a geometric point, from the rim inwards."""
        found = [
            (place.slot, n)
            for n, place in enumerate(self.places)
            if place.role == "point" and place.site == geometric
        ]
        return tuple(n for _, n in sorted(found))

    @property
    def of_bar(self) -> tuple[int, ...]:
        """Sensor numbers of the bar, from south to north."""
        return tuple(
            n
            for _, n in sorted(
                (place.slot, n) for n, place in enumerate(self.places) if place.role == "bar"
            )
        )

    @property
    def divider(self) -> int | None:
        return next((n for n, place in enumerate(self.places) if place.role == "divider"), None)


@dataclass(frozen=True, slots=True)
class LedPlan:
    """Which LED numbers stand at which site (geometric), and what they may draw."""

    count: int
    per_point: int
    bar: tuple[int, ...]
    off_south: tuple[int, ...]
    off_north: tuple[int, ...]
    full_ma: float
    idle_ma: float
    cap_ma: float

    def of_point(self, geometric: int) -> tuple[int, ...]:
        """LED numbers of a point, from the rim inwards."""
        return tuple(self.per_point * (geometric - 1) + k for k in range(self.per_point))


@dataclass(frozen=True, slots=True)
class BoardSpec:
    """All that is known of a kind of board before one is calibrated. Lengths in mm."""

    name: str
    width: float
    depth: float
    pitch: float
    bar_width: float
    bar_jitter: float
    checker_diameter: float
    checker_thickness: float
    per_side: int
    magnet: Magnet
    sensor: HallSensor
    sensors: SensorMap
    multiplexers: int
    leds: LedPlan
    buttons: tuple[str, ...]
    divider_mv: float
    divider_tolerance_mv: float
    clock_tolerance: float

    def point_x(self, geometric: int) -> float:
        """East of the middle of a geometric point."""
        column = geometric - 1 if geometric <= 12 else 24 - geometric
        return self.width - self.pitch * (column + 0.5) - (self.bar_width if column >= 6 else 0.0)

    def point_y(self, geometric: int, from_rim: float) -> float:
        """North of a spot so far from the point's own rim."""
        return from_rim if geometric <= 12 else self.depth - from_rim

    @property
    def bar_x(self) -> float:
        return self.width / 2


def load_board(text: str, source: str = "board.toml") -> BoardSpec:
    """Read a board's description. Raises BoardFileError naming the key that is missing or wrong."""
    try:
        return _board(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise BoardFileError(f"{source} is no TOML: {error}") from error
    except KeyError as error:
        raise BoardFileError(
            f"{source} lacks the key {error}; compare it with hardware/board.toml"
        ) from error
    except (TypeError, ValueError, AttributeError) as error:
        raise BoardFileError(f"{source} has a value of the wrong kind: {error}") from error


def reference_board() -> BoardSpec:
    """The board of `hardware/`, from the copy inside the package."""
    text = resources.files("firmware_bridge").joinpath("board.toml").read_text(encoding="utf-8")
    return load_board(text)


def _board(table: dict[str, Any]) -> BoardSpec:
    field, checker, sensor, leds = table["field"], table["checker"], table["sensor"], table["leds"]
    bare = BoardSpec(
        name=str(table["name"]),
        width=float(field["width"]),
        depth=float(field["depth"]),
        pitch=float(field["pitch"]),
        bar_width=float(field["bar_width"]),
        bar_jitter=float(table["bar"]["jitter"]),
        checker_diameter=float(checker["diameter"]),
        checker_thickness=float(checker["thickness"]),
        per_side=int(checker["per_side"]),
        magnet=Magnet(**table["magnet"]),
        sensor=HallSensor(
            gap=round(sum(float(layer["mm"]) for layer in table["stack"]), 3),
            **{
                key: value
                for key, value in sensor.items()
                if key not in ("first", "step", "per_point", "worst_ma")
            },
        ),
        sensors=SensorMap(()),
        multiplexers=int(table["multiplexers"]["count"]),
        leds=LedPlan(
            count=24 * leds["per_point"]
            + len(leds["bar"])
            + len(leds["off_south"])
            + len(leds["off_north"]),
            per_point=int(leds["per_point"]),
            bar=tuple(leds["bar"]),
            off_south=tuple(leds["off_south"]),
            off_north=tuple(leds["off_north"]),
            full_ma=float(leds["full_ma"]),
            idle_ma=float(leds["idle_ma"]),
            cap_ma=float(leds["cap_ma"]),
        ),
        buttons=tuple(table["buttons"]["names"]),
        divider_mv=float(table["divider"]["mv"]),
        divider_tolerance_mv=float(table["divider"]["tolerance_mv"]),
        clock_tolerance=float(table["clock"]["tolerance"]),
    )
    return _with_sensors(bare, table)


def _with_sensors(bare: BoardSpec, table: dict[str, Any]) -> BoardSpec:
    mux, sensor, bar = table["multiplexers"], table["sensor"], table["bar"]
    per_point, points_each, channels = (
        int(sensor["per_point"]),
        int(mux["points_each"]),
        int(mux["channels"]),
    )
    if points_each * int(mux["count"]) != 24 or points_each * per_point + 1 > channels:
        raise ValueError(
            f"{mux['count']} multiplexers of {channels} channels cannot serve 24 points of"
            f" {per_point} sensors, {points_each} points each"
        )
    places: list[SensorPlace] = []
    for number in range(int(mux["count"])):
        for channel in range(channels):
            point, slot = number * points_each + channel // per_point + 1, channel % per_point
            if channel < points_each * per_point:
                y = bare.point_y(point, sensor["first"] + sensor["step"] * slot)
                places.append(SensorPlace("point", point, slot, bare.point_x(point), y))
                continue
            role, _, slot_text = str(
                mux["extra"][number] if channel == points_each * per_point else "spare"
            ).partition(" ")
            if role == "bar":
                places.append(
                    SensorPlace(
                        "bar", BAR, int(slot_text), bare.bar_x, float(bar["ys"][int(slot_text)])
                    )
                )
            elif role in ("spare", "divider"):
                places.append(SensorPlace(role, -1, 0, -1000.0, -1000.0))
            else:
                raise ValueError(f"multiplexers.extra knows bar N, divider and spare, not {role!r}")
    return replace(bare, sensors=SensorMap(tuple(places)))

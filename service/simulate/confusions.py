"""Makes `data/confusions.json`: what the sensors really said of tables that are known. Never edited
by hand.

    python -m service.simulate.confusions --board [--camera RECORDS ... | --assume-camera] [-o FILE]

The board's readings come from `firmware_bridge`'s own physics and sensing: boards of bought parts,
calibrated as people calibrate (empty, then the start position), checkers laid guided, normally or
sloppily; tall piles once by themselves and once, after turns whose placements were confirmed as the
table confirms them, by what changed (`kept`). The camera's come from `service.simulate.pictures`. A
part that is not asked for is kept from the file that is there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np

from firmware_bridge.board_spec import reference_board
from firmware_bridge.calibration import Calibration, by_design, from_empty, from_placement
from firmware_bridge.physics import FITS, counts_per_mv
from firmware_bridge.sensing import Sensing
from firmware_bridge.simulated_table import SimulatedTable
from rules.board import BAR, OFF, POINTS, Placement, Seating, Side
from rules.observation import SiteReading
from service.simulate.assumed import MADE_BY, assumed_camera

FIT_OF: Final = {"good": "guided", "club": "normal", "bad": "sloppy"}
"""Level of a soak -> how checkers lie on the board."""
START: Final = Placement.of({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5})
KEEP: Final = 12
"""Readings kept of each true pair in each group."""
KEEP_CHANGED: Final = 6
"""The same of each change of a pile that the table had confirmed."""
TALL: Final = 4
"""Piles that never reach this are counted by themselves; nothing is kept of their changes."""

TURNS: Final = 5
"""Turns followed from each random placement."""

Group = dict[str, dict[str, list[Any]]]


def shape_of(reading: SiteReading) -> list[Any]:
    """A reading without its site, in few digits: [[[white, black, likelihood] ...], floor]."""
    best = max((p for _, _, p in reading.outcomes), default=1.0)
    # A reader that shares its doubt evenly lists every pair alike: those are its floor.
    floor = (
        max(reading.floor, min((p for _, _, p in reading.outcomes), default=0.0))
        if len(reading.outcomes) > 20
        else reading.floor
    )
    kept = sorted(
        ((w, b, p / best) for w, b, p in reading.outcomes if p > max(1.2 * floor, 2e-4 * best)),
        key=lambda o: -o[2],
    )
    return [[[w, b, _short(p)] for w, b, p in kept], _short(min(floor / best, 1.0))]


def _short(p: float) -> float:
    return float(f"{max(p, 1e-9):.1e}")


def add(group: Group, site: int, truth: tuple[int, int], run: list[Any], keep: int = KEEP) -> None:
    """Keep one run of readings of a site whose truth is known."""
    runs = group.setdefault("bar" if site == BAR else "point", {}).setdefault(
        f"{truth[0]},{truth[1]}", []
    )
    if len(runs) < keep:
        runs.append(run)


def random_placement(rng: np.random.Generator, both: float = 0.04) -> Placement:
    """Fifteen a side in piles of every height, some on the bar, now and then both sides on a point,
    as hands leave them.
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
        sensing = Sensing(spec, calibration, Seating())
        group: Group = {}
        for n in range(placements):
            placement = random_placement(rng)
            table.set_placement(placement, Seating())
            first = sensing.readings(calibration.checkers(scan()))
            for reading in first:
                add(
                    group,
                    reading.site,
                    (placement.white[reading.site], placement.black[reading.site]),
                    [shape_of(reading)],
                )
            _follow(group, sensing, table, scan, placement, rng, 10.0 * n)
            sensing.forget()
        yield group


def _follow(
    group: Group,
    sensing: Sensing,
    table: SimulatedTable,
    scan: Any,
    placement: Placement,
    rng: np.random.Generator,
    at: float,
) -> None:
    """A few turns from a placement, each confirmed: what tall piles read by their changes, as
    White's `before>after`.
    """
    runs = group.setdefault("kept", {})
    for turn in range(TURNS):
        sensing.observe(scan(), at + turn)
        sensing.observe(scan(), at + turn + 0.5)
        sensing.confirm(placement)
        after = _moved(placement, table, rng)
        for reading in sensing.readings(sensing.calibration.checkers(scan())):
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
                outcomes, floor = shape_of(reading)
                kept.append([[[[b, w, p] if black else [w, b, p] for w, b, p in outcomes], floor]])
        placement = after


def _moved(placement: Placement, table: SimulatedTable, rng: np.random.Generator) -> Placement:
    """The placement after somebody's hand moved up to four checkers, from and to tall piles for
    preference.
    """
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


def calibrated(spec: Any, table: SimulatedTable, scan: Any) -> Calibration:
    """As people calibrate: the empty board, then the start position, which is left standing."""
    table.clear()
    calibration, _ = from_empty(spec, [scan() for _ in range(20)], "", by_design(spec))
    # People lay the start position tidily when they are asked to.
    table.set_placement(START, Seating())
    return from_placement(spec, calibration, [scan() for _ in range(20)], START, Seating())


def board_levels(groups: int, placements: int, seed: int) -> dict[str, Any]:
    """Every level of the board."""
    return {
        level: {"groups": list(board_groups(fit, groups, placements, seed)), "wrong_together": 0.0}
        for level, fit in FIT_OF.items()
    }


def together(groups: Sequence[Sequence[tuple[tuple[int, ...], bool]]]) -> float:
    """P(a neighbour is wrong | a point is wrong) over pictures, each a list of (points wrong,
    whole).
    """
    wrong = joint = 0
    for pictures in groups:
        for sites, _ in pictures:
            bad = set(sites) & set(POINTS)
            for site in bad:
                near = [n for n in (site - 1, site + 1) if n in POINTS and {n, site} != {12, 13}]
                wrong += len(near)
                joint += sum(n in bad for n in near)
    return round(joint / wrong, 3) if wrong else 0.0


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m service.simulate.confusions", description=__doc__
    )
    parser.add_argument("--board", action="store_true", help="make the board's part anew")
    parser.add_argument(
        "--camera",
        type=Path,
        nargs="*",
        metavar="RECORDS",
        help="make the camera's part from these records of pictures",
    )
    parser.add_argument(
        "--assume-camera",
        action="store_true",
        help="a camera with stated error rates, where none was measured",
    )
    parser.add_argument("--boards", type=int, default=4, help="boards a level")
    parser.add_argument("--placements", type=int, default=150, help="placements a board")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path(str(resources.files("service.simulate") / "data" / "confusions.json")),
    )
    args = parser.parse_args(argv)
    data: dict[str, Any] = (
        json.loads(args.output.read_text())
        if args.output.exists()
        else {"schema": "takhte-confusions/1", "made_by": {}}
    )
    if args.board:
        data["board"] = board_levels(args.boards, args.placements, args.seed)
        data["made_by"]["board"] = (
            f"--board --boards {args.boards} --placements {args.placements} --seed {args.seed}"
        )
    if args.assume_camera:
        data["camera"], data["made_by"]["camera"] = assumed_camera(args.seed), MADE_BY
    if args.camera:
        from service.simulate.pictures import camera_levels

        data["camera"], data["made_by"]["camera"] = camera_levels(args.camera)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    args.output.write_text(json.dumps(data, separators=(",", ":"), sort_keys=True) + "\n")
    print(f"{args.output}: {args.output.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())


__all__ = ["Side", "add", "board_levels", "main", "random_placement", "shape_of", "together"]

"""Makes `data/confusions.json`: what the sensors really said of tables that are known. Never edited
by hand.

    python -m service.simulate.confusions --board [--camera RECORDS ... | --assume-camera]
        [--cubes RECORDS ...] [--rare RECORDS ...] [--painted BOARDS] [-o FILE]

The board's readings come from `board_readings`, the camera's from records that `pictures` made. A
part that is not asked for is kept from the file that is there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

from service.simulate.assumed import MADE_BY, assumed_camera
from service.simulate.board_readings import board_levels
from service.simulate.camera_readings import camera_levels, cube_readings, rare_readings
from service.simulate.measured import SCHEMA, ConfusionsJson, Group


def _parser() -> argparse.ArgumentParser:
    """The arguments of the command."""
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
        "--cubes",
        type=Path,
        nargs="*",
        metavar="RECORDS",
        help="make the readings of cubes from these records of pictures",
    )
    parser.add_argument(
        "--rare",
        type=Path,
        nargs="*",
        metavar="RECORDS",
        help="make the camera's readings of tall piles and checkers on the bar from these records",
    )
    parser.add_argument(
        "--painted",
        type=int,
        metavar="BOARDS",
        help="make the readings of checkers between two points, and of points under things, from so"
        " many painted boards each",
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
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """0 after the parts that were asked for are made anew and written."""
    args = _parser().parse_args(argv)
    data: ConfusionsJson = (
        json.loads(args.output.read_text())
        if args.output.exists()
        else {"schema": SCHEMA, "made_by": {}}
    )
    if args.board:
        data["board"] = board_levels(args.boards, args.placements, args.seed)
        data["made_by"]["board"] = (
            f"--board --boards {args.boards} --placements {args.placements} --seed {args.seed}"
        )
    if args.assume_camera:
        data["camera"], data["made_by"]["camera"] = assumed_camera(args.seed), MADE_BY
        data["made_by"].pop("rare", None)
    if args.camera:
        kept = {level: part.get("rare") for level, part in data.get("camera", {}).items()}
        data["camera"], data["made_by"]["camera"] = camera_levels(args.camera)
        _with_rare(data, kept)
    if args.rare:
        rare, data["made_by"]["rare"] = rare_readings(args.rare)
        _with_rare(data, rare)
    if args.cubes:
        data["cubes"], data["made_by"]["cubes"] = cube_readings(args.cubes)
    if args.painted:
        # The reader is loaded only where something is read.
        from service.simulate.painted_readings import hidden_readings, sideways_readings

        data["sideways"] = sideways_readings(args.painted, args.seed)
        data["hidden"] = hidden_readings(args.painted, args.seed)
        data["made_by"]["painted"] = f"--painted {args.painted} --seed {args.seed}"
    args.output.parent.mkdir(parents=True, exist_ok=True)
    args.output.write_text(json.dumps(data, separators=(",", ":"), sort_keys=True) + "\n")
    print(f"{args.output}: {args.output.stat().st_size} bytes")
    return 0


def _with_rare(data: ConfusionsJson, rare: Mapping[str, list[Group] | None]) -> None:
    """Nothing; each level of the camera reads so what is seldom seen."""
    for level, groups in rare.items():
        if groups:
            data["camera"][level]["rare"] = groups


if __name__ == "__main__":
    sys.exit(main())

"""Pictures whose truth is known, and what the real reader said of them.

    python -m service.simulate.pictures FOLDER ... -o RECORDS

reads labelled pictures (rendered scenes: `*.json` with `points` beside `*.jpg`; clips too) with
their corners and orientation given, and writes every site's reading beside its truth. `python -m
service.simulate.confusions --camera RECORDS` then makes the camera's part of the confusions of
them. Frames of a clip are one scene seen many times: give stills.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NotRequired, TypedDict

from rules.board import BAR, Seating
from rules.observation import CubeOwner, CubeReading, DieReading, DieStatus, Observation
from service.simulate.camera_readings import DieRecord, PictureRecord, sites_read_wrong
from service.simulate.measured import CUBE_FACES, CubeJson, DieJson, reading_json
from vision.calibrate import BoardNotFound, find_board
from vision.evaluate_dice import nearest_pairs
from vision.frame import Frame, PictureError, load_picture
from vision.networks import Networks
from vision.reader import read_picture

LEAST_VISIBLE: Final = 0.9
"""A point less visible than this has no truth that a reader could be held to."""
OWNER_WORDS: Final = {
    "light": CubeOwner.WHITE,
    "dark": CubeOwner.BLACK,
    "centre": CubeOwner.CENTRE,
}
"""Whose a cube is in the labels, which speak of sets: White's are the light ones."""
NEAR_PX: Final = 0.03
"""A die found no further than this from a true one, in picture widths, may be that die."""


class CheckersTruth(TypedDict):
    """Checkers that truly stand on one site."""

    light: int
    dark: int


class LabelledDie(TypedDict):
    """A die as labelled; `visible` is the share of it that is seen, 0 to 1."""

    value: int
    status: str
    center_px: tuple[float, float]
    in_image: NotRequired[bool]
    visible: NotRequired[float]


class LabelledCube(TypedDict):
    """A cube as labelled: whether there is one, the number up, whose it is ("centre" for nobody's),
    how much is seen.
    """

    present: bool
    shown: int
    owner: str
    in_image: NotRequired[bool]
    visible: NotRequired[float]


class PictureTruth(TypedDict):
    """The labels of a picture, as far as they are used; points by their number as a word."""

    image: str
    field_corners_image: list[list[float]]
    orientation: int
    points: dict[str, CheckersTruth]
    bar: CheckersTruth
    point_visible: NotRequired[dict[str, float]]
    dice: NotRequired[list[LabelledDie]]
    cube: NotRequired[LabelledCube | None]
    view: NotRequired[str]
    theme: NotRequired[str]
    lighting: NotRequired[dict[str, str]]


def picture_records(folders: Sequence[Path]) -> Iterator[PictureRecord]:
    """One record a picture: where it was taken, every site and die with truth and reading."""
    networks = Networks()
    for folder in folders:
        for path in sorted(folder.glob("*.json")):
            truth: PictureTruth = json.loads(path.read_text())
            if not isinstance(truth, dict) or not {"points", "field_corners_image"} <= set(truth):
                continue
            try:
                frame = Frame(load_picture(folder / truth["image"]), 0.0, 0)
                board_map = find_board(
                    frame,
                    networks,
                    corners=truth["field_corners_image"],
                    orientation=truth["orientation"],
                )
            except (PictureError, BoardNotFound, OSError):
                continue
            seen = read_picture(frame, board_map, networks, seating=Seating())
            yield _record(truth, seen, frame.pixels.shape[1])


def _record(truth: PictureTruth, seen: Observation, width: int) -> PictureRecord:
    """What was seen in a picture so many pixels wide, beside its truth."""
    record: PictureRecord = {
        "view": truth.get("view", ""),
        "theme": truth.get("theme", ""),
        "light": truth.get("lighting", {}).get("preset", ""),
        "sites": [],
        "dice": dice_records(truth.get("dice", ()), seen.dice or (), NEAR_PX * width),
    }
    visible = truth.get("point_visible", {})
    for reading in seen.sites:
        key = str(reading.site)
        if reading.site == BAR:
            there = truth["bar"]
        elif key in truth["points"] and visible.get(key, 1.0) >= LEAST_VISIBLE:
            there = truth["points"][key]
        else:
            continue
        record["sites"].append((reading.site, there["light"], there["dark"], reading_json(reading)))
    cube = truth.get("cube")
    if (
        cube
        and cube["present"]
        and cube.get("in_image", True)
        and cube.get("visible", 1.0) >= LEAST_VISIBLE
    ):
        record["cubes"] = [(cube["shown"], _cube_json(cube["owner"], seen.cube))]
    return record


def dice_records(
    truth: Sequence[LabelledDie], seen: Sequence[DieReading], near_px: float
) -> list[DieRecord]:
    """Each true die that lies there to be read, with its reading: of two that touch each has its
    own, also where one of them is too hidden to have a truth.
    """
    dice = [die for die in truth if die.get("in_image", True)]
    places = [die["center_px"] for die in dice]
    found = nearest_pairs(places, [die.pixel for die in seen], [near_px] * len(dice))
    return [
        (die["value"], die["status"], _die_json(seen[found[k]]) if k in found else None)
        for k, die in enumerate(dice)
        if die.get("visible", 1.0) >= LEAST_VISIBLE and die["status"] != "in_motion"
    ]


def _cube_json(owner: str, seen: CubeReading | None) -> CubeJson | None:
    """What was said of a cube, None where none was found or it was another thing elsewhere."""
    if seen is None:
        return None
    shown = sum(seen.shown.values())
    place, sure = max(seen.owner.items(), key=lambda item: item[1])
    if place is not OWNER_WORDS[owner]:
        return None
    likely = [float(f"{seen.shown.get(face, 0.0) / shown:.2e}") for face in CUBE_FACES]
    return likely, round(sure / sum(seen.owner.values()), 4)


def _die_json(die: DieReading) -> DieJson:
    values = [float(f"{v:.2e}") for v in die.values]
    return values, round(die.status.get(DieStatus.FLAT, 0.0), 4)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m service.simulate.pictures", description=__doc__
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="RECORDS")
    args = parser.parse_args(argv)
    rows = list(picture_records(args.folders))
    args.output.write_text(json.dumps({"pictures": rows}) + "\n")
    wrong = sum(len(sites_read_wrong(r)) for r in rows)
    sites = sum(len(r["sites"]) for r in rows)
    print(f"{len(rows)} pictures, {sites} sites, {wrong} read wrong; {args.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

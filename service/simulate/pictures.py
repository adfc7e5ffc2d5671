"""The camera's part of the confusions: what the real reader said of pictures whose truth is known.

    python -m service.simulate.pictures FOLDER ... -o RECORDS

reads labelled pictures (rendered scenes: `*.json` with `points` beside `*.jpg`; clips too) with
their corners and orientation given, and writes every site's reading beside its truth. `confusions
--camera RECORDS` then sorts the pictures into levels by how well they were read as a whole, so that
a level's readings come from pictures of that kind together: of those from above the best third is
good and the broad middle club; of all the last third is bad. Frames of a clip are one scene seen
many times: give stills.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rules.board import BAR, Seating
from rules.observation import DieStatus, Observation
from service.simulate.confusions import Group, add, shape_of, together
from vision.calibrate import BoardNotFound, find_board
from vision.frame import Frame, PictureError, load_picture
from vision.networks import Networks
from vision.reader import read_picture

LEAST_VISIBLE: Final = 0.9
"""A point less visible than this has no truth that a reader could be held to."""
SHARES: Final = {"good": (0.0, 0.34), "club": (0.2, 0.8), "bad": (0.66, 1.0)}
"""Which pictures make a level, by rank of quality; club's are the broad middle."""
NEAR_PX: Final = 0.03
"""A die found so near a true one, in picture widths, is that die."""

Json = dict[str, Any]


def picture_records(folders: Sequence[Path]) -> Iterator[Json]:
    """One row a picture: theme, per-site truth and reading, dice with their truth."""
    networks = Networks()
    for folder in folders:
        for path in sorted(folder.glob("*.json")):
            truth = json.loads(path.read_text())
            if (
                not isinstance(truth, dict)
                or "points" not in truth
                or "field_corners_image" not in truth
            ):
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
            yield _row(truth, seen, frame.pixels.shape[1])


def _row(truth: Json, seen: Observation, width: int) -> Json:
    sites: list[Any] = []
    visible = truth.get("point_visible", {})
    for reading in seen.sites:
        key = str(reading.site)
        if reading.site == BAR:
            pair = (truth["bar"]["light"], truth["bar"]["dark"])
        elif key in truth["points"] and visible.get(key, 1.0) >= LEAST_VISIBLE:
            pair = (truth["points"][key]["light"], truth["points"][key]["dark"])
        else:
            continue
        sites.append([reading.site, *pair, shape_of(reading)])
    dice: list[Any] = []
    for die in truth.get("dice", ()):
        if (
            not die.get("in_image", True)
            or die.get("visible", 1.0) < LEAST_VISIBLE
            or die["status"] == "in_motion"
        ):
            continue
        x, y = die["center_px"]
        near = [
            d
            for d in seen.dice or ()
            if d.pixel and abs(d.pixel[0] - x) + abs(d.pixel[1] - y) < NEAR_PX * width
        ]
        found = max(near, key=lambda d: d.certainty, default=None)
        said = (
            None
            if found is None
            else [
                [float(f"{v:.2e}") for v in found.values],
                round(found.status.get(DieStatus.FLAT, 0.0), 4),
            ]
        )
        dice.append([die["value"], die["status"], said])
    return {
        "view": truth.get("view", ""),
        "theme": truth.get("theme", ""),
        "light": truth.get("lighting", {}).get("preset", ""),
        "sites": sites,
        "dice": dice,
    }


def _wrong(row: Json) -> list[int]:
    return [
        site
        for site, white, black, (outcomes, _) in row["sites"]
        if not outcomes or outcomes[0][:2] != [white, black]
    ]


def _quality(row: Json) -> float:
    """Mean likelihood ratio of the truth to the best, so 1 is perfect."""
    total = 0.0
    for _, white, black, (outcomes, floor) in row["sites"]:
        total += next((p for w, b, p in outcomes if (w, b) == (white, black)), floor)
    return total / max(len(row["sites"]), 1)


def camera_levels(files: Sequence[Path]) -> tuple[Json, str]:
    """The camera's part of the confusions, and how it was made."""
    rows = [row for path in files for row in json.loads(path.read_text())["pictures"]]
    rows.sort(key=lambda r: (-_quality(r), json.dumps(r["sites"])))
    levels: Json = {}
    above = [row for row in rows if row["view"] == "overhead"]
    for level, (low, high) in SHARES.items():
        # A table's camera hangs over the board; one that looks at it from the side is a bad one.
        among = rows if level == "bad" else above
        levels[level] = _level(
            among[int(low * len(among)) : max(int(high * len(among)), int(low * len(among)) + 1)]
        )
    return (
        levels,
        f"--camera, {len(rows)} pictures not trained on, ranked by how well they were read",
    )


def _level(rows: Sequence[Json]) -> Json:
    # One group for each kind of picture: what goes wrong together belongs together.
    kinds: dict[str, list[Json]] = {}
    for row in rows:
        kinds.setdefault(f"{row['theme']}/{row['light']}", []).append(row)
    groups: list[Group] = []
    spare: Group = {}
    for _, members in sorted(kinds.items()):
        group: Group = {}
        for row in members:
            for site, white, black, shape in row["sites"]:
                add(group, site, (white, black), [shape])
                add(spare, site, (white, black), [shape], keep=40)
        groups.append(group)
    flat = {
        str(v): [
            s
            for r in rows
            for value, status, s in r["dice"]
            if value == v and status == "flat" and s
        ]
        for v in range(1, 7)
    }
    every = [s for r in rows for value, status, s in r["dice"] if status == "flat" and s and value]
    for face, found in flat.items():
        if not found:
            flat[face] = [_turned(s, int(face)) for s in every]
    leaning = [
        s
        for r in rows
        for value, status, s in r["dice"]
        if status in ("cocked", "on_checker") and s
    ]
    present = [s for r in rows for value, status, s in r["dice"] if status == "flat" and value]
    return {
        "groups": [*groups[:12], spare],
        "wrong_together": together([[(tuple(_wrong(r)), True) for r in rows]]),
        "dice": flat,
        "cocked": leaning or [[[1 / 6] * 6, 0.1]],
        "missed_die": round(sum(s is None for s in present) / max(len(present), 1), 4),
    }


def _turned(said: Sequence[Any], face: int) -> list[Any]:
    """A reading of another face as one of this face: its best value stands for the truth."""
    values = list(said[0])
    best = max(range(6), key=lambda i: values[i])
    values[best], values[face - 1] = values[face - 1], values[best]
    return [values, said[1]]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m service.simulate.pictures", description=__doc__
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="RECORDS")
    args = parser.parse_args(argv)
    rows = list(picture_records(args.folders))
    args.output.write_text(json.dumps({"pictures": rows}) + "\n")
    wrong = sum(len(_wrong(r)) for r in rows)
    sites = sum(len(r["sites"]) for r in rows)
    print(f"{len(rows)} pictures, {sites} sites, {wrong} read wrong; {args.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())


__all__ = ["Mapping", "camera_levels", "main", "picture_records"]

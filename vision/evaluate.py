"""How often the room is wrong, in units of the game: `python -m vision evaluate DIR`.

DIR holds rendered scenes (`*.json` beside `*.jpg`, truth with `points` and `camera`) or labelled
photos (`manifest.json`). Each picture is read twice: with the field's corners and the orientation
given, and cold. What is counted:

    occupied   points where checkers stand, both numbers right
    boards     all points and the bar right
    wrong      points in full view (0.9) of which something false was said
    silent     points in full view of which nothing was said
    ece        distance between confidences and how often they were right, in tenths
    off        boards with checkers borne off in view of which both numbers were right
    off_none   boards without any in view of which that was said
    off_bad    boards of which a false number was said
    way        boards of which it is said with 0.9 or more which way round they lie
    way_bad    of them said wrongly
    dice       found (recall), no dice (precision), value right; cocked or on a checker likewise
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rules.board import Placement
from rules.observation import Condition
from vision.calibrate import BoardNotFound, find_board
from vision.claims import Counts, count_bar, count_claim, count_map
from vision.evaluate_dice import compare_dice
from vision.frame import Frame, PictureError, load_picture, load_scaled, rescaled
from vision.network import SHIPPED
from vision.networks import Networks
from vision.prediction import PairJson, PredictionJson, predict, prediction_json
from vision.reader import Eye, read_next
from vision.scene_truth import (
    CheckerPair,
    Clip,
    DieTruth,
    PhotoLabel,
    PhotoManifest,
    SceneTruth,
    Share,
    share_of,
)


@dataclass(frozen=True, slots=True)
class LabelledPicture:
    """One picture with its truth. `groups`: the conditions it is counted under."""

    name: str
    path: Path
    corners: list[list[float]]
    orientation: int
    truth: SceneTruth
    groups: tuple[str, ...]

    @property
    def share(self) -> Share:
        """What the picture is for: a rendered one's palette says it, a photo's name."""
        return share_of(self.truth.get("theme", self.name))


@dataclass(slots=True)
class ErrorCounts(Counts):
    """Counts of one condition."""

    pictures: int = 0
    found: int = 0
    bins: list[list[float]] = field(default_factory=lambda: [[0.0, 0.0, 0.0] for _ in range(10)])

    def row(self) -> dict[str, float | None]:
        """The figures by name (see the module's head), None where nothing was counted."""
        total = sum(b[0] for b in self.bins)
        ece = sum(abs(b[1] - b[2]) for b in self.bins) / total if total else None
        return {
            "found": self.found / self.pictures if self.pictures else None,
            "occupied": self.share("occupied_right", "occupied"),
            "wrong": self.share("wrong", "in_view"),
            "silent": self.share("silent", "in_view"),
            "boards": self.share("boards_right", "boards"),
            "bar": self.share("bar_right", "boards"),
            "off": self.share("off_right", "off"),
            "off_none": self.share("off_none_right", "off_none"),
            "off_bad": self.share("off_false", "off_asked"),
            "ece": ece,
            "dice": self.share("dice_found", "dice"),
            "d_prec": self.share("dice_found", "dice_said"),
            "d_value": self.share("value_right", "value"),
            "ck_rec": self.share("cocked_right", "cocked"),
            "ck_prec": self.share("cocked_right", "cocked_said"),
            "cube": self.share("cube_right", "cube"),
            "way": self.share("ways_sure", "ways"),
            "way_bad": self.share("ways_sure_false", "ways_sure"),
        }


def labelled_pictures(folder: Path) -> Iterator[LabelledPicture]:
    """Scenes or photos of a folder, in order of name. Files that are neither are passed over."""
    manifest = folder / "manifest.json"
    if manifest.exists():
        yield from photos(folder, json.loads(manifest.read_text()))
        return
    for path in sorted(folder.glob("*.json")):
        g: SceneTruth = json.loads(path.read_text())
        if not isinstance(g, dict) or "points" not in g or "camera" not in g:
            continue
        hand = g.get("hand_over_field_fraction", 0)
        high = max(v["light"] + v["dark"] for v in g["points"].values())
        groups = (
            "all",
            f"view {g['view']}",
            f"theme {g['theme']}",
            f"light {g['lighting']['preset']}",
            f"style {g['board_style']}",
            f"orientation {g['orientation']}",
            f"position {g['position_kind']}",
            f"stack {'> 5' if high > 5 else '<= 5'}",
            f"hand {'none' if hand < 0.005 else 'some' if hand < 0.08 else 'heavy'}",
        )
        yield LabelledPicture(
            path.stem, folder / g["image"], g["field_corners_image"], g["orientation"], g, groups
        )


def chosen_pictures(
    folder: Path, limit: int | None = None, share: Share | None = None
) -> list[LabelledPicture]:
    """The first `limit` pictures of a folder, of this share alone."""
    cases = [case for case in labelled_pictures(folder) if share is None or case.share is share]
    return cases[:limit]


def photos(folder: Path, manifest: PhotoManifest) -> Iterator[LabelledPicture]:
    """Labelled photos of boards as cases; hidden points count as not in view, dice without a value
    as not required.
    """
    for image in manifest["images"]:
        label: PhotoLabel = image.get("label", {})
        path = folder / image["file"]
        if "corners_px" not in label or not path.exists():
            continue
        points: dict[str, CheckerPair] = {
            str(i + 1): {"light": (p or {}).get("light", 0), "dark": (p or {}).get("dark", 0)}
            for i, p in enumerate(label["points"])
        }
        visible = {str(i + 1): 0.0 if p is None else 1.0 for i, p in enumerate(label["points"])}
        c = label["corners_px"]
        corners = [c["tl"], c["tr"], c["br"], c["bl"]] if isinstance(c, dict) else c
        truth: SceneTruth = {
            "points": points,
            "bar": label.get("bar"),
            "point_visible": visible,
            "dice": _photo_dice(label),
            "cube": None,
        }
        stem = Path(image["file"]).stem
        yield LabelledPicture(stem, path, corners, 0, truth, ("all", f"picture {stem}"))


def _photo_dice(label: PhotoLabel) -> list[DieTruth]:
    dice: list[DieTruth] = []
    for d in label.get("dice") or []:
        cx = d.get("cx")
        if cx is None or d.get("in_hand") or d.get("uncertain"):
            continue
        dice.append(
            {
                "center_px": [cx, d["cy"]],
                "value": d["value"],
                "status": "cocked" if d.get("cocked") else "flat",
                "in_image": True,
                "visible": 1.0,
                "bbox_px": None,
            }
        )
    return dice


NOTHING: Final[PredictionJson] = {
    "points": {str(n): None for n in range(1, 25)},
    "bar": {"light": 0, "dark": 0, "confidence": 0.0},
    "off": None,
    "dice": [],
    "cube": {"present": False},
    "board": {
        "corners_px": [],
        "orientation": 0,
        "orientation_confidence": 0.0,
        "bar_in_points": 0.0,
    },
}
"""What counts where the board was not found."""


def compare(tally: ErrorCounts, truth: SceneTruth, prediction: PredictionJson | None) -> None:
    """Nothing; one picture is counted in `tally`. `prediction` None: the board was not found."""
    tally.pictures += 1
    tally.found += prediction is not None
    tally.add("pictures")
    tally.add("found", int(prediction is not None))
    said = NOTHING if prediction is None else prediction
    whole = True
    for number in range(1, 25):
        want, got = truth["points"][str(number)], said["points"][str(number)]
        right = got is not None and says(got, want)
        if not labelled(truth, str(number)):
            continue
        whole &= right
        if want["light"] + want["dark"]:
            tally.add("occupied")
            tally.add("occupied_right", int(right))
        in_view = truth["point_visible"][str(number)] >= 0.9
        if in_view:
            tally.add("in_view")
            tally.add("wrong", int(got is not None and not right))
            tally.add("silent", int(got is None))
        if got is not None:
            slot = tally.bins[min(9, int(got["confidence"] * 10))]
            slot[0] += 1
            slot[1] += right
            slot[2] += got["confidence"]
            count_claim(tally, got["confidence"], right=right, in_view=in_view)
    bar = truth["bar"]
    bar_right = bar is None or says(said["bar"], bar)
    tally.add("boards")
    tally.add("boards_right", int(whole and bar_right))
    tally.add("bar_right", int(bar_right))
    if bar is not None and prediction is not None:
        empty = bar["light"] + bar["dark"] == 0
        count_bar(tally, said["bar"]["confidence"], right=bar_right, empty=empty)
    compare_off(tally, truth, said.get("off"))
    compare_dice(tally, truth["dice"], said["dice"])
    cube = truth["cube"]
    if cube is not None and (
        not cube.get("present") or (cube["in_image"] and cube["visible"] >= 0.5)
    ):
        tally.add("cube")
        shown, there = said["cube"], bool(cube.get("present"))
        tally.add(
            "cube_right",
            int(bool(shown["present"]) == there and (not there or shown["shown"] == cube["shown"])),
        )


def labelled(truth: SceneTruth, number: str) -> bool:
    """Whether the truth tells what stands on a point: of photos only what is to be seen."""
    return truth["point_visible"][number] > 0 or "camera" in truth


def says(said: PairJson, true: CheckerPair) -> bool:
    """Whether both numbers are right."""
    return said["light"] == true["light"] and said["dark"] == true["dark"]


def compare_off(tally: ErrorCounts, truth: SceneTruth, said: PairJson | None) -> None:
    """Nothing; checkers borne off are counted, those in view and where the truth tells of them."""
    there = truth.get("off_in_image")
    if there is None:
        return
    right = said is not None and says(said, there)
    key = "off" if there["light"] + there["dark"] else "off_none"
    tally.add(key)
    tally.add(f"{key}_right", int(right))
    tally.add("off_asked")
    tally.add("off_false", int(said is not None and not right))


def measure_folder(
    folder: Path,
    *,
    cold: bool,
    limit: int | None = None,
    share: Share | None = None,
    weights: Path = SHIPPED,
) -> tuple[dict[str, ErrorCounts], list[str], float]:
    """Counts by condition, names of boards not wholly right, seconds a picture. `share`: pictures
    of these palettes alone; `weights`: whose are measured.
    """
    tallies: dict[str, ErrorCounts] = {}
    failed: list[str] = []
    spent, number, networks = 0.0, 0, Networks(weights)
    for case in chosen_pictures(folder, limit, share):
        began = time.perf_counter()
        said: PredictionJson | None = None
        try:
            pixels, factor = load_scaled(case.path)
            frame = Frame(pixels)
            corners = None if cold else [rescaled(c, 1 / factor) for c in case.corners]
            # Photos' labels name points by their place in the picture: there is no orientation to
            # be found out.
            way = None if cold and "camera" in case.truth else case.orientation
            board_map = find_board(frame, networks, corners=corners, orientation=way)
            said = prediction_json(predict(frame, board_map, networks), factor=factor)
        except (BoardNotFound, PictureError):
            pass
        spent, number = spent + time.perf_counter() - began, number + 1
        for group in case.groups:
            tally = tallies.setdefault(group, ErrorCounts())
            before = tally.n.get("boards_right", 0)
            compare(tally, case.truth, said)
            if cold and said is not None:
                board = said["board"]
                turned = (board["orientation"], board["orientation_confidence"])
                count_map(
                    tally,
                    [corner or [0.0, 0.0] for corner in board["corners_px"]],
                    case.corners,
                    turned if "camera" in case.truth else None,
                    case.orientation,
                )
            if group == "all" and tally.n["boards_right"] == before:
                failed.append(case.name)
    return tallies, failed, spent / max(1, number)


def table(tallies: dict[str, ErrorCounts]) -> str:
    """One line a condition, shares in percent."""
    lines: list[str] = []
    for name in sorted(tallies, key=lambda n: (n != "all", n)):
        row = tallies[name].row()
        if not lines:
            lines.append(f"{'':26}{'n':>5}" + "".join(f"{k:>9}" for k in row))
        cells = "".join(f"{'-' if v is None else f'{100 * v:.1f}':>9}" for v in row.values())
        lines.append(f"{name:26}{tallies[name].pictures:>5}{cells}")
    return "\n".join(lines)


def measure_clip(folder: Path) -> tuple[ErrorCounts, list[str]]:
    """Follow a recorded game with `look`, the first frame's position known; counts points of frames
    without a hand.

    Returns the tally and the errors, one line each. A frame that was not taken as at rest is silent
    on all its points.
    """
    clip: Clip = json.loads((folder / "clip.json").read_text())
    tally, errors = ErrorCounts(), []
    eye: Eye | None = None
    for number, entry in enumerate(clip["frames"]):
        truth: SceneTruth = json.loads((folder / entry["gt"]).read_text())
        frame = Frame(load_picture(folder / entry["image"]), float(entry["t"]), number)
        known: Placement | None = None
        if eye is None:
            networks = Networks()
            found = find_board(
                frame,
                networks,
                corners=truth["field_corners_image"],
                orientation=truth["orientation"],
            )
            eye = Eye.of(found, networks)
            known = Placement.of(
                {int(p): c["light"] for p, c in truth["points"].items()},
                {int(p): c["dark"] for p, c in truth["points"].items()},
            )
        eye, seen = read_next(eye, frame, known=known)
        if truth["hand_over_field_fraction"] > 0:
            continue
        tally.pictures += 1
        tally.found += seen.condition is Condition.AT_REST
        for point in range(1, 25):
            reading = seen.at(point)
            want = truth["points"][str(point)]
            tally.add("in_view")
            if reading is None:
                tally.add("silent")
                continue
            got = max(reading.outcomes, key=lambda o: o[2])[:2]
            if got != (want["light"], want["dark"]):
                tally.add("wrong")
                errors.append(
                    f"{entry['image']} point {point}: {got}, truly {(want['light'], want['dark'])}"
                )
    return tally, errors

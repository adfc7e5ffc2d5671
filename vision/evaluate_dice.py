"""How often dice are read wrongly: on boards, and in pictures of dice alone."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from vision.claims import Counts
from vision.dice.alone import find_dice_alone
from vision.frame import load_scaled
from vision.network import SHIPPED
from vision.networks import Networks
from vision.prediction import DieJson
from vision.scene_truth import DieTruth, PhotoManifest, Share, share_of

Place = Sequence[float]
"""x, y in pixels."""

_INVALID: Final = ("cocked", "on_checker")


def nearest_pairs(
    true: Sequence[Place], found: Sequence[Place | None], reaches: Sequence[float]
) -> dict[int, int]:
    """For each true place by index, the index of what was found there: nearest pairs first, each
    in one pair at most, none further apart than the true place's reach, in pixels.
    """
    pairs = [
        (gap, i, j)
        for i, place in enumerate(true)
        for j, other in enumerate(found)
        if other is not None and (gap := math.dist(place, other)) <= reaches[i]
    ]
    match: dict[int, int] = {}
    taken: set[int] = set()
    for _, i, j in sorted(pairs):
        if i not in match and j not in taken:
            match[i] = j
            taken.add(j)
    return match


def _reach(box: Sequence[float] | None) -> float:
    return 25.0 if box is None else max(12.0, 1.2 * max(box[2] - box[0], box[3] - box[1]))


def compare_dice(tally: Counts, truth: Sequence[DieTruth], said: Sequence[DieJson]) -> None:
    """Nearest pairs first; a die counts as found within 1.2 of its box (at least 12 pixels; photos
    without boxes: 25).
    """
    reaches = [_reach(d["bbox_px"]) for d in truth]
    match = nearest_pairs([d["center_px"] for d in truth], [q["center_px"] for q in said], reaches)
    required = {
        i
        for i, d in enumerate(truth)
        if d["in_image"] and d["status"] != "in_motion" and d["visible"] >= 0.5
    }
    tally.add("dice_said", sum(1 for i in match if i in required) + len(said) - len(match))
    for i in required:
        d = truth[i]
        hit = said[match[i]] if i in match else None
        tally.add("dice")
        tally.add("dice_found", int(hit is not None))
        if d["status"] == "flat" and d["value"] is not None:
            tally.add("value")
            tally.add("value_right", int(hit is not None and hit["value"] == d["value"]))
        bad, said_bad = d["status"] in _INVALID, hit is not None and hit["status"] in _INVALID
        tally.add("cocked", int(bad))
        tally.add("cocked_said", int(said_bad))
        tally.add("cocked_right", int(bad and said_bad))


def measure_dice_alone(
    folder: Path, *, share: Share | None = None, weights: Path = SHIPPED
) -> Counts:
    """Counts of a folder's photos of dice without a board, none where it has none of them."""
    path, counts, networks = folder / "manifest.json", Counts(), Networks(weights)
    manifest: PhotoManifest = json.loads(path.read_text()) if path.exists() else {"images": []}
    for image in manifest["images"]:
        values, path = image.get("label", {}).get("values"), folder / image["file"]
        if image.get("role") != "dice" or not values or not path.exists():
            continue
        if share is not None and share_of(path.stem) is not share:
            continue
        pixels, _ = load_scaled(path)
        found = find_dice_alone(pixels, networks.dice_finder, networks.dice_reader)
        said = Counter(int(np.argmax(die.values)) + 1 for die in found)
        right = (said & Counter(values)).total()
        counts.add("alone")
        counts.add("alone_right", int(said == Counter(values)))
        counts.add("alone_dice", len(values))
        counts.add("alone_dice_said", len(found))
        counts.add("alone_dice_right", right)
    return counts

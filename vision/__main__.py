"""`python -m vision evaluate DIR`, `python -m vision clip DIR`: the room's public figures."""

from __future__ import annotations

import argparse
from pathlib import Path

from vision.claims import Counts, review_table
from vision.evaluate import chosen_pictures, measure_clip, measure_folder, table
from vision.evaluate_corners import measure_moved
from vision.evaluate_dice import measure_dice_alone
from vision.network import SHIPPED
from vision.networks import Networks
from vision.scene_truth import Share


def main() -> int:
    p = argparse.ArgumentParser("python -m vision")
    words = p.add_subparsers(dest="word", required=True)
    e = words.add_parser(
        "evaluate", help="read every picture of a labelled folder and count the errors"
    )
    e.add_argument("folder", type=Path)
    e.add_argument(
        "--only",
        choices=("calibrated", "cold"),
        help="corners and orientation given, or nothing given",
    )
    e.add_argument("--limit", type=int, help="so many pictures at most")
    e.add_argument(
        "--measured",
        action="store_true",
        help="only the fifth, by hash, that nothing was taught with",
    )
    e.add_argument(
        "--weights", type=Path, default=SHIPPED, help="a folder of others than the shipped ones"
    )
    e.add_argument(
        "--moved", action="store_true", help="also with the corners given wrongly, on purpose"
    )
    c = words.add_parser(
        "clip", help="follow a recorded game from its start position and count the errors"
    )
    c.add_argument("folder", type=Path)
    a = p.parse_args()
    if a.word == "clip":
        tally, errors = measure_clip(a.folder)
        n = tally.n
        print(
            f"{tally.pictures} frames without a hand, {tally.found} taken as at rest;"
            f" {n['in_view']} points:",
            end=" ",
        )
        print(f"{n.get('wrong', 0)} wrong, {n.get('silent', 0)} silent", *errors, sep="\n  ")
        return 0
    columns: dict[str, Counts] = {}
    share = Share.MEASURE if a.measured else None
    for cold in (False, True):
        if a.only == ("calibrated" if cold else "cold"):
            continue
        tallies, failed, seconds = measure_folder(
            a.folder, cold=cold, limit=a.limit, share=share, weights=a.weights
        )
        columns["cold" if cold else "corners given"] = tallies.get("all", Counts())
        print(
            f"\n{'cold' if cold else 'corners and orientation given'}, {seconds * 1000:.0f} ms a"
            f" picture\n{table(tallies)}"
        )
        print(f"boards not wholly right: {' '.join(failed) or 'none'}")
    if a.moved:
        cases = chosen_pictures(a.folder, a.limit, share)
        columns["corners given wrongly"] = measure_moved(cases, Networks(a.weights))
    alone = measure_dice_alone(a.folder, share=share, weights=a.weights)
    if alone.n:
        columns["dice alone"] = alone
    print(f"\n{review_table(columns)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

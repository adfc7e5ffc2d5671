"""`python -m vision evaluate DIR`: the room's public figures."""

from __future__ import annotations

import argparse
from pathlib import Path

from vision.evaluate import measure, table


def main() -> int:
    p = argparse.ArgumentParser("python -m vision")
    words = p.add_subparsers(dest="word", required=True)
    e = words.add_parser("evaluate", help="read every picture of a labelled folder and count the errors")
    e.add_argument("folder", type=Path)
    e.add_argument("--only", choices=("calibrated", "cold"), help="corners and orientation given, or nothing given")
    e.add_argument("--limit", type=int, help="so many pictures at most")
    a = p.parse_args()
    for cold in (False, True):
        if a.only == ("calibrated" if cold else "cold"):
            continue
        tallies, failed, seconds = measure(a.folder, cold=cold, limit=a.limit)
        print(f"\n{'cold' if cold else 'corners and orientation given'}, {seconds * 1000:.0f} ms a picture\n{table(tallies)}")
        print(f"boards not wholly right: {' '.join(failed) or 'none'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""The camera's part of the confusions, from records of pictures whose truth is known (`pictures`).

Pictures are sorted into levels by how well they were read as a whole, so that a level's readings
come from pictures of that kind together: of those from above the best third is good and the broad
middle club; of all the last third is bad.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NotRequired, TypeAlias, TypedDict

from rules.board import BAR
from service.simulate.measured import (
    CUBE_FACES,
    TALL,
    CubeJson,
    CubesJson,
    DieJson,
    Group,
    LevelJson,
    ReadingJson,
    add_run,
    wrong_together,
)

SHARES: Final = {"good": (0.0, 0.34), "club": (0.2, 0.8), "bad": (0.66, 1.0)}
"""Which pictures make a level, by rank of quality; club's are the broad middle."""

SiteRecord: TypeAlias = tuple[int, int, int, ReadingJson]
"""[site, White's, Black's, reading]."""
DieRecord: TypeAlias = tuple[int, str, DieJson | None]
"""[face, status, reading], None where no die was found."""

CubeRecord: TypeAlias = tuple[int, CubeJson | None]
"""[number up, reading], None where none was found."""


class PictureRecord(TypedDict):
    """What was seen in one picture, beside its truth."""

    view: str
    theme: str
    light: str
    sites: list[SiteRecord]
    dice: list[DieRecord]
    cubes: NotRequired[list[CubeRecord]]


def sites_read_wrong(row: PictureRecord) -> list[int]:
    """Sites of a picture whose likeliest counts are not the true ones."""
    return [
        site
        for site, white, black, (outcomes, _) in row["sites"]
        if not outcomes or tuple(outcomes[0][:2]) != (white, black)
    ]


def _quality(row: PictureRecord) -> float:
    """Mean likelihood ratio of the truth to the best, so 1 is perfect."""
    total = 0.0
    for _, white, black, (outcomes, floor) in row["sites"]:
        total += next((p for w, b, p in outcomes if (w, b) == (white, black)), floor)
    return total / max(len(row["sites"]), 1)


def camera_levels(files: Sequence[Path]) -> tuple[dict[str, LevelJson], str]:
    """The camera's part of the confusions, and how it was made."""
    rows = _ranked(files)
    levels = {level: _level(among) for level, among in _by_level(rows).items()}
    return (
        levels,
        f"--camera, {len(rows)} pictures not trained on, ranked by how well they were read",
    )


def rare_readings(files: Sequence[Path]) -> tuple[dict[str, list[Group]], str]:
    """By level, what was read of tall piles and of checkers on the bar, a group for each set; and
    how it was made. The pictures of each file are ranked by themselves.
    """
    sets: dict[str, dict[str, Group]] = {level: {} for level in SHARES}
    count = 0
    for path in files:
        rows = _ranked([path])
        count += len(rows)
        for level, among in _by_level(rows).items():
            for row in among:
                for site, white, black, shape in row["sites"]:
                    if max(white, black) >= (1 if site == BAR else TALL):
                        group = sets[level].setdefault(row["theme"], {})
                        add_run(group, site, (white, black), [shape])
    levels = {level: [group for _, group in sorted(found.items())] for level, found in sets.items()}
    return levels, f"--rare, {count} pictures not trained on, ranked likewise"


def _ranked(files: Sequence[Path]) -> list[PictureRecord]:
    """The pictures of these files, those read best first."""
    rows = [row for path in files for row in json.loads(path.read_text())["pictures"]]
    return sorted(rows, key=lambda r: (-_quality(r), json.dumps(r["sites"])))


def _by_level(rows: Sequence[PictureRecord]) -> dict[str, Sequence[PictureRecord]]:
    """The pictures that make each level, of those ranked. A table's camera hangs over the board;
    one that looks at it from the side is a bad one.
    """
    above = [row for row in rows if row["view"] == "overhead"]
    found: dict[str, Sequence[PictureRecord]] = {}
    for level, (low, high) in SHARES.items():
        among = rows if level == "bad" else above
        start = int(low * len(among))
        found[level] = among[start : max(int(high * len(among)), start + 1)]
    return found


def _level(rows: Sequence[PictureRecord]) -> LevelJson:
    """One level, from the pictures that belong to it."""
    # One group for each kind of picture: what goes wrong together belongs together.
    kinds: dict[str, list[PictureRecord]] = {}
    for row in rows:
        kinds.setdefault(f"{row['theme']}/{row['light']}", []).append(row)
    groups: list[Group] = []
    spare: Group = {}
    for _, members in sorted(kinds.items()):
        group: Group = {}
        for row in members:
            for site, white, black, shape in row["sites"]:
                add_run(group, site, (white, black), [shape])
                add_run(spare, site, (white, black), [shape], keep=40)
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
            flat[face] = [_as_face(s, int(face)) for s in every]
    leaning = [
        s
        for r in rows
        for value, status, s in r["dice"]
        if status in ("cocked", "on_checker") and s
    ]
    present = [s for r in rows for value, status, s in r["dice"] if status == "flat" and value]
    return {
        "groups": [*groups[:12], spare],
        "wrong_together": wrong_together([sites_read_wrong(r) for r in rows]),
        "dice": flat,
        "cocked": leaning or [([1 / 6] * 6, 0.1)],
        "missed_die": round(sum(s is None for s in present) / max(len(present), 1), 4),
    }


def _as_face(die: DieJson, face: int) -> DieJson:
    """A reading of another face as one of this face: its best value stands for the truth."""
    values = list(die[0])
    best = max(range(6), key=lambda i: values[i])
    values[best], values[face - 1] = values[face - 1], values[best]
    return values, die[1]


def cube_readings(files: Sequence[Path]) -> tuple[CubesJson, str]:
    """What was read of the cubes of pictures, and how it was made. A number that no cube showed is
    read as the others were, the likelihoods of the true one and of it exchanged.
    """
    records = [
        cube
        for path in files
        for row in json.loads(path.read_text())["pictures"]
        for cube in row.get("cubes", ())
    ]
    found = [(number, *reading) for number, reading in records if reading is not None]
    shown = {
        str(face): [likely for number, likely, _ in found if number == face]
        or [_as_number(likely, number, face) for number, likely, _ in found]
        for face in CUBE_FACES
    }
    missed = round(1 - len(found) / max(len(records), 1), 4)
    made = f"--cubes, {len(records)} cubes in pictures not trained on"
    return {"shown": shown, "place": [sure for _, _, sure in found], "missed": missed}, made


def _as_number(likely: list[float], number: int, face: int) -> list[float]:
    """A reading of one number as one of another."""
    a, b, values = CUBE_FACES.index(number), CUBE_FACES.index(face), list(likely)
    values[a], values[b] = values[b], values[a]
    return values

"""The form of `data/confusions.json`: what sensors really said of tables that are known.

By source and level it holds groups of readings that were taken together (one picture's light, one
board's magnets); in a group, runs of readings by what truly stood on the site: "white,black" counts
under `point` and `bar`, "before>after" of one pile under `kept`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NotRequired, TypeAlias, TypedDict

from rules.board import BAR, POINTS
from rules.observation import SiteReading

SCHEMA: Final = "takhte-confusions/1"
KEEP: Final = 12
"""Readings kept of each true pair in each group."""

TALL: Final = 6
"""Piles of so many and more are too few in pictures of play, as are checkers on the bar: both have
pictures of their own."""

CUBE_FACES: Final = (2, 4, 8, 16, 32, 64)

ReadingJson: TypeAlias = tuple[list[tuple[int, int, float]], float]
"""A reading without its site: [[[white, black, likelihood], ...], floor]."""
DieJson: TypeAlias = tuple[list[float], float]
"""A die's reading: [likelihoods of the faces 1 to 6, P(flat)]."""
CubeJson: TypeAlias = tuple[list[float], float]
"""A cube's reading: likelihoods of `CUBE_FACES`, and how sure its place is, which was right."""
SidewaysJson: TypeAlias = tuple[tuple[float, float, float], tuple[float, float, float]]
"""What was read of a checker that lies between two points: how likely, on its own point, all that
stand there, one fewer and anything else are; and on the next, what stands there, one more and
anything else.
"""
HiddenJson: TypeAlias = tuple[float, float, float, float] | None
"""What was read of an empty point under a cup or a box: how likely none, one light, one dark and
anything else are, None where the point was said not to be seen.
"""
Group: TypeAlias = dict[str, dict[str, list[list[ReadingJson]]]]
"""point, bar or kept -> what truly stood there -> runs, each some frames of one still site."""


class LevelJson(TypedDict):
    """One source at one level; without dice where the source sees none."""

    groups: list[Group]
    rare: NotRequired[list[Group]]
    """Tall piles and checkers on the bar, of pictures of their own: a group for each set."""
    wrong_together: float
    dice: NotRequired[dict[str, list[DieJson]]]
    cocked: NotRequired[list[DieJson]]
    missed_die: NotRequired[float]
    sees: NotRequired[list[int]]


class CubesJson(TypedDict):
    """What was read of cubes: by the number that truly lay up, likelihoods of `CUBE_FACES`; how
    sure each place was, the likeliest of which was right; the share of cubes that were not found.
    """

    shown: dict[str, list[list[float]]]
    place: list[float]
    missed: float


class ConfusionsJson(TypedDict):
    """The whole file: levels by source, cubes, checkers between two points, points under things,
    and the command that made each part.
    """

    schema: str
    made_by: dict[str, str]
    camera: NotRequired[dict[str, LevelJson]]
    board: NotRequired[dict[str, LevelJson]]
    cubes: NotRequired[CubesJson]
    sideways: NotRequired[list[SidewaysJson]]
    hidden: NotRequired[list[HiddenJson]]


def reading_json(reading: SiteReading) -> ReadingJson:
    """A reading without its site, in few digits, likeliest counts first and best likelihood 1."""
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
    return [(w, b, in_few_digits(p)) for w, b, p in kept], in_few_digits(min(floor / best, 1.0))


def in_few_digits(p: float) -> float:
    return float(f"{max(p, 1e-9):.1e}")


def add_run(
    group: Group, site: int, truth: tuple[int, int], run: list[ReadingJson], keep: int = KEEP
) -> None:
    """Keep one run of readings of a site where (White's, Black's) checkers truly stand."""
    runs = group.setdefault("bar" if site == BAR else "point", {}).setdefault(
        f"{truth[0]},{truth[1]}", []
    )
    if len(runs) < keep:
        runs.append(run)


def wrong_together(pictures: Sequence[Sequence[int]]) -> float:
    """P(a neighbour is wrong | a point is wrong) over pictures, each its points that are wrong."""
    wrong = joint = 0
    for sites in pictures:
        bad = set(sites) & set(POINTS)
        for site in bad:
            near = [n for n in (site - 1, site + 1) if n in POINTS and {n, site} != {12, 13}]
            wrong += len(near)
            joint += sum(n in bad for n in near)
    return round(joint / wrong, 3) if wrong else 0.0

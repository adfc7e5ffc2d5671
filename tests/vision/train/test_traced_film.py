"""What a traced film's pictures show: each picture once, dice thrown once, checkers where they lay,
and a hit one gone before what hit it.
"""

from __future__ import annotations

import random

from tests.bench.match_film import pictures_of
from vision.train.film import PaintedShot
from vision.train.film_generator import FilmChecker, Site
from vision.train.traced_film import ShotLine, TracedTable

BEFORE = {6: (2, 0), 5: (0, 1)}
AFTER = {6: (1, 0), 5: (1, 0)}


def test_what_shows_the_same_is_one_picture_and_dice_that_were_away_are_thrown_anew() -> None:
    shots = [
        PaintedShot(0.0, BEFORE),
        PaintedShot(1.0, BEFORE, dice=(2, 1)),
        PaintedShot(2.0, BEFORE, dice=(2, 1)),
        PaintedShot(3.0, AFTER),
        PaintedShot(4.0, AFTER, dice=(2, 1)),
    ]
    assert [(n, throw) for n, throw, _ in pictures_of(shots)] == [
        (0, -1),
        (1, 0),
        (1, 0),
        (2, 0),
        (3, 1),
    ]


class Laid:
    """Checkers in lists, each with the place it was given in its list."""

    def __init__(self) -> None:
        self.cols: dict[int, list[FilmChecker]] = {p: [] for p in range(1, 25)}
        self.bar: dict[str, list[FilmChecker]] = {"light": [], "dark": []}
        self.off: dict[str, list[FilmChecker]] = {"light": [], "dark": []}

    def add(self, color: str, where: Site, chk: FilmChecker | None = None) -> FilmChecker:
        lists = {"bar": self.bar[color], "off": self.off[color]}
        there = self.cols[where] if isinstance(where, int) else lists[where]
        made: FilmChecker = chk or {"color": color, "x": 0.0, "y": 0.0, "z": 0.0, "_th": 1.0}
        made["y"] = float(len(there))
        there.append(made)
        return made

    def all(self) -> list[FilmChecker]:
        return [c for there in self.cols.values() for c in there]


def line(points: dict[int, tuple[int, int]], bar: tuple[int, int] = (0, 0)) -> ShotLine:
    named = {str(p): n for p, n in points.items()}
    return ShotLine(named, bar, (0, 0), (), True, -1, (64, 0), False)


def test_a_hit_checker_goes_before_what_hit_it_stands() -> None:
    table = object.__new__(TracedTable)
    laid = Laid()
    table.layout, table.rng = laid, random.Random(1)
    table.put(line(BEFORE))
    stays = laid.cols[6][0]
    moved = table.put(line(AFTER, (0, 1)))
    (hitter,) = laid.cols[5]
    assert hitter["color"] == "light" and hitter["y"] == 0.0
    assert laid.cols[6] == [stays] and [c["color"] for c in laid.bar["dark"]] == ["dark"]
    assert len(moved) == 2

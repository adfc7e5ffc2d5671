"""Stills with full bars: checkers where people put them, never in each other or in the cube."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from vision.train import full_bars

if TYPE_CHECKING:
    from vision.train.generator import BarChecker, StillCube, Theme


@dataclass
class Board:
    """What of the generator's board is asked for."""

    d: float = 4.0
    th: float = 1.0
    H: float = 46.0
    bar_h: float = 2.0


@dataclass
class Position:
    pts: list[int] = field(default_factory=lambda: [0, *([5, -5] * 3), *[0] * 18])
    bar: dict[str, int] = field(default_factory=lambda: {"light": 1, "dark": 0})


class Layout:
    """Places checkers as the generator does: on the bar, outwards."""

    def __init__(self, *_: object) -> None:
        self.bar: dict[str, list[BarChecker]] = {"light": [], "dark": []}
        self.fill = self.filled

    def filled(self, pos: Position) -> None:
        for colour, number in pos.bar.items():
            self.bar[colour] = [{"x": 0, "y": 0, "z": 0, "level": 0} for _ in range(number)]


def checkers(light: int, dark: int) -> dict[str, list[BarChecker]]:
    position = Position(bar={"light": light, "dark": dark})
    layout = Layout()
    layout.fill(position)
    return layout.bar


@pytest.mark.parametrize("way", [way for way, _ in full_bars.WAYS[1:]])
@pytest.mark.parametrize("seed", range(8))
def test_checkers_on_the_bar_stand_beside_or_on_each_other(way: str, seed: int) -> None:
    board, bar = Board(), checkers(5, 4)
    full_bars.stand_along(board, random.Random(seed), bar, way)  # type: ignore[arg-type]
    both = [c for some in bar.values() for c in some]
    assert max(abs(c["y"]) for c in both) < board.H / 2
    for k, a in enumerate(both):
        for b in both[:k]:
            if a["level"] == b["level"]:
                assert math.hypot(a["x"] - b["x"], a["y"] - b["y"]) > 0.98 * board.d
    for c in both:
        assert c["z"] == board.bar_h + c["level"] * board.th


def test_more_stand_on_the_bar_and_none_are_lost() -> None:
    most = 0
    for seed in range(60):
        rng, position = random.Random(seed), Position()
        make = full_bars.fuller(Layout)  # type: ignore[arg-type]
        layout = make(Board(), rng, 0.1)  # type: ignore[arg-type]
        layout.fill(position)
        on_points = [sum(max(0, s * n) for n in position.pts) for s in (1, -1)]
        assert [n + len(c) for n, c in zip(on_points, layout.bar.values(), strict=True)] == [16, 15]
        most = max(most, *position.bar.values())
    assert most == 3


@pytest.mark.parametrize(("at", "kept"), [(0.0, False), (20.0, True)])
def test_no_cube_stands_in_a_checker_of_the_bar(at: float, kept: bool) -> None:
    class Look:
        cube_size = 3.0

    cube: StillCube = {"where": "bar_end", "pos": [0.0, at, 3.5]}
    place = full_bars.never_in_a_checker(lambda *_: cube)
    layout = Layout()
    layout.bar = checkers(1, 0)
    asked = (Board(), random.Random(1), Look(), layout)
    assert (place(*asked) is not None) is kept  # type: ignore[arg-type]


def test_half_of_all_bars_are_in_a_sets_own_colour() -> None:
    def theme() -> Theme:
        return {"light": (200, 200, 200), "dark": (30, 30, 30), "rail": ("wood", (120, 60, 20))}

    rails = [full_bars.hiding(theme(), n)["rail"][1] for n in range(300)]
    assert 90 < sum(max(rail) < 50 for rail in rails) < 150
    assert 15 < sum(min(rail) > 180 for rail in rails) < 50
    asked = [full_bars.wanted(random.Random(n), ["a"]) for n in range(60)]
    assert 15 < sum(w["view"] == "oblique" for w in asked) < 45

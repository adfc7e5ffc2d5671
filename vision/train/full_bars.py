"""Stills with many checkers on the bar, for `trace --bars`: none to five of each set, standing as
the generator has them, or in the middle, at the rails, in piles, anywhere along the bar.

Plain Python, since `trace` runs where Blender's `bpy` is.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vision.train.generator import (
        BarChecker,
        BarPlaces,
        CubeLook,
        Geometry,
        PlaceCheckers,
        PlaceCube,
        Scenes,
        StillCheckers,
        StillCube,
        Theme,
        Wanted,
    )

MOST = 5
"""Checkers of a set on the bar that a reader can say."""
WAYS = [("outwards", 4), ("middle", 3), ("ends", 2), ("piles", 1), ("anywhere", 2)]
SIZES = [(576, 432), (640, 360), (720, 480), (768, 576)]


def wanted(rng: random.Random, names: list[str]) -> Wanted:
    """What one still must show, as the generator's `override`: half of them from the side."""
    return {
        "theme": rng.choice(names),
        "position": "barfull",
        "view": rng.choice(["oblique", "overhead"]),
        "odd_dice": rng.random() < 0.2,
        "hand": False,
        "size": rng.choice(SIZES),
    }


def hiding(theme: Theme, number: int) -> Theme:
    """Palette `number`, its rails and bar like the dark set in two of five, like the light one in a
    tenth.
    """
    rng = random.Random(9_200_003 + number)
    trick = rng.random()
    if trick < 0.5:
        r, g, b = (min(250, max(5, c + rng.randint(-18, 18))) for c in theme["dark"])
        if trick < 0.1:
            r, g, b = (min(250, max(5, c + rng.randint(-18, 18))) for c in theme["light"])
        theme["rail"] = (rng.choice(["leather", "wood"]), (r, g, b))
    return theme


def fuller(make: PlaceCheckers) -> PlaceCheckers:
    """The generator's checkers, in two stills of three otherwise along the bar and now and then
    more of them.
    """

    def made(g: Geometry, rng: random.Random, neat: float, base_max: int = 5) -> StillCheckers:
        layout = make(g, rng, neat, base_max)
        fill = layout.fill

        def filled(pos: BarPlaces) -> None:
            for colour, sign in (("light", 1), ("dark", -1)):
                for _ in range(rng.choice([0, 0, 0, 1, 2])):
                    own = [p for p in range(1, 25) if sign * pos.pts[p] > 0]
                    if own and pos.bar[colour] < MOST:
                        pos.pts[rng.choice(own)] -= sign
                        pos.bar[colour] += 1
            fill(pos)
            way = rng.choices([w for w, _ in WAYS], [often for _, often in WAYS])[0]
            if way != "outwards":
                stand_along(g, rng, layout.bar, way)

        layout.fill = filled
        return layout

    return made


def stand_along(
    g: Geometry, rng: random.Random, bar: dict[str, list[BarChecker]], way: str
) -> None:
    """Nothing; the checkers of a bar stand in a row about the middle, from the rails inwards, in a
    pile of each set, or anywhere.
    """
    gap, sign = rng.choice([0.02, 0.1, 0.4]), rng.choice([-1, 1])
    both = [c for checkers in bar.values() for c in checkers]
    step, end = g.d + gap, g.H / 2 - g.d / 2 - rng.uniform(0.05, 1.0)
    if way == "middle":
        first = -(len(both) - 1) / 2 * step + rng.uniform(-1.5, 1.5)
        places = [(sign * (first + k * step), 0) for k in range(len(both))]
    elif way == "anywhere":
        free = end - (len(both) - 1) * step / 2
        cuts = sorted(rng.uniform(-free, free) for _ in both)
        places = [(at + (k - (len(both) - 1) / 2) * step, 0) for k, at in enumerate(cuts)]
        rng.shuffle(places)
    else:
        places = []
        foot = rng.uniform(g.d / 2 + 0.1, end)
        for side, checkers in zip((-sign, sign), bar.values(), strict=True):
            piled = way == "piles"
            places += [
                (side * (foot if piled else end - k * step), k if piled else 0)
                for k in range(len(checkers))
            ]
    for checker, (y, level) in zip(both, places, strict=True):
        loose = 0.12 if level else 0.25
        checker["x"] = rng.gauss(0, loose)
        checker["y"] = y + rng.gauss(0, 0.12 if level else 0.01)
        checker["z"], checker["level"] = g.bar_h + level * g.th, level


def never_in_a_checker(place: PlaceCube) -> PlaceCube:
    """The generator's cube, none where a checker stands on the bar at its place."""

    def placed(
        g: Geometry, rng: random.Random, look: CubeLook, layout: StillCheckers
    ) -> StillCube | None:
        cube = place(g, rng, look, layout)
        if cube is None or not cube["where"].startswith("bar"):
            return cube
        x, y, _ = cube["pos"]
        near = g.d / 2 + 0.8 * look.cube_size
        both = [c for checkers in layout.bar.values() for c in checkers]
        hit = any(math.hypot(c["x"] - x, c["y"] - y) < near for c in both)
        return None if hit else cube

    return placed


def fill_bars(scene: Scenes) -> None:
    """Nothing; the generator makes such bars from now on."""
    scene.Layout = fuller(scene.Layout)
    scene.place_cube = never_in_a_checker(scene.place_cube)

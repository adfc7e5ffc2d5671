"""Traced scenes of palettes of our own: `python trace.py GENERATOR OUT --seed S --minutes N`, run
by the Python that has Blender's `bpy`.

`--hard` makes what readers were seen to get wrong: fields that are adorned (glitter, beads, discs
at the tips, rosettes, friezes, letters), mats and printed boards that have hardly a rail, dark sets
under a hard lamp seen from the side, dice that touch, borne-off checkers.

GENERATOR is the folder of the scene generator (`scene.py`, `themes.py`); this file only thinks up
palettes and says which scenes are wanted: more tall piles and more dice that do not lie flat than
play has, since those are what readers get wrong. It imports nothing of the project, because `bpy`
pins its own numpy. Scenes are named by seed and number and palettes by number (`ours_NNN`), so that
a run can be stopped and gone on with, and so that one palette in ten can be held out
(`train/data.py`).
"""

from __future__ import annotations

import argparse
import colorsys
import importlib
import random
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from vision.scene_truth import Share, share_of
from vision.train import full_bars, wide
from vision.train.adornments import adorned

if TYPE_CHECKING:
    from vision.train.generator import (
        Geometry,
        MakeGeometry,
        PlanDice,
        PlannedDice,
        Rgb,
        Scenes,
        Theme,
        Themes,
        Wanted,
    )

POSITIONS = [
    ("mid", 7),
    ("late", 2),
    ("narde", 4),
    ("stacks", 5),
    ("bearoff", 2),
    ("barfull", 2),
    ("near_empty", 1),
    ("hyper", 1),
    ("empty", 0.5),
    ("start_backgammon", 1),
    ("start_narde", 1.5),
    ("start_nackgammon", 0.4),
    ("start_tapa", 0.8),
]
FIELDS = ["felt", "leather", "cork", "wood"]


def colour(rng: random.Random, value: tuple[float, float], saturation: tuple[float, float]) -> Rgb:
    """Any hue, so bright and so full."""
    r, g, b = colorsys.hsv_to_rgb(rng.random(), rng.uniform(*saturation), rng.uniform(*value))
    return int(255 * r), int(255 * g), int(255 * b)


def earthen(rng: random.Random, value: tuple[float, float]) -> Rgb:
    """Woods, corks and leathers: hues of 10-45 degrees."""
    r, g, b = colorsys.hsv_to_rgb(
        rng.uniform(0.02, 0.125), rng.uniform(0.15, 0.7), rng.uniform(*value)
    )
    return int(255 * r), int(255 * g), int(255 * b)


def near(rng: random.Random, base: Rgb, far: int) -> Rgb:
    """A colour about as far from `base` as `far` in each channel."""
    shift = rng.uniform(-far, far)
    r, g, b = (int(min(250, max(6, c + shift + rng.uniform(-12, 12)))) for c in base)
    return r, g, b


def bright(c: Rgb) -> float:
    """Luma of a colour, 0-255."""
    return 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]


def random_palette(number: int) -> Theme:
    """Palette `number`: the same for every run.

    A third have a point or the field in nearly the colour of a set.
    """
    rng = random.Random(7_000_003 + number)
    light = earthen(rng, (0.75, 1.0)) if rng.random() < 0.6 else colour(rng, (0.6, 1.0), (0.0, 0.6))
    dark = (
        colour(rng, (0.08, 0.35), (0.0, 0.7))
        if rng.random() < 0.6
        else colour(rng, (0.2, 0.75), (0.4, 0.95))
    )
    while bright(light) < bright(dark) + 35:
        light, dark = near(rng, light, 40), near(rng, dark, 60)
    kind = rng.choice(FIELDS)
    field = (
        earthen(rng, (0.25, 0.85))
        if kind in ("cork", "wood")
        else colour(rng, (0.12, 0.9), (0.0, 0.8))
    )
    points = [colour(rng, (0.1, 0.95), (0.0, 0.85)), earthen(rng, (0.15, 0.95))]
    rng.shuffle(points)
    trick = rng.random()
    if trick < 0.12:
        field = near(rng, light, 30)
    elif trick < 0.24:
        field = near(rng, dark, 30)
    elif trick < 0.36:
        points[0] = near(rng, light, 25)
    elif trick < 0.48:
        points[1] = near(rng, dark, 25)
    elif trick < 0.58:
        points = [near(rng, field, 45), near(rng, field, 45)]
    nard = rng.random() < 0.35
    made: Theme = {
        "style": "nard" if nard else "tournament",
        "field": (kind, field),
        "pts": points,
        "rail": (rng.choice(["wood", "leather", "wood"]), earthen(rng, (0.1, 0.8))),
        "light": light,
        "dark": dark,
    }
    if nard and rng.random() < 0.6:
        made["wooden"] = rng.random() < 0.5
    if nard and rng.random() < 0.3:
        made["khatam"] = rng.randint(0, 1)
    return made


COUNTED = {
    "piles": [("narde", 6), ("stacks", 6), ("start_narde", 1), ("start_tapa", 1)],
    "bars": [("barfull", 1)],
}
"""What pictures of play show too seldom: piles of all heights, few of them of fifteen; checkers on
the bar."""
HIGH = [("stacks", 5), ("start_narde", 3), ("start_tapa", 2), ("narde", 2)]


HARD = [
    ("bearoff", 7),
    ("stacks", 5),
    ("late", 3),
    ("narde", 3),
    ("start_narde", 2),
    ("mid", 3),
    ("near_empty", 2),
    ("empty", 1.5),
    ("barfull", 1.5),
]
LAMPS = [
    "hard_lamp",
    "hard_lamp",
    "hard_lamp",
    "two_lamps",
    "window_bars",
    "window_side",
    "mixed_warm_cool",
    "glare",
    "dim",
]


def wanted(rng: random.Random, names: list[str], *, piles: bool, hard: bool) -> Wanted:
    """What one still must show, as the generator's `override`.

    `piles`: only positions with high ones, half of them seen from the side.
    """
    positions = HIGH if piles else HARD if hard else POSITIONS
    lamp: Wanted = {"light": rng.choice(LAMPS)} if hard else {}
    return {
        **lamp,
        "theme": rng.choice(names),
        "position": rng.choices([p for p, _ in positions], [w for _, w in positions])[0],
        "view": "oblique" if rng.random() < (0.5 if piles or hard else 0.27) else "overhead",
        "odd_dice": rng.random() < 0.5,
        "hand": rng.random() < (0.08 if hard else 0.16),
        "size": rng.choice([(1280, 960), (1280, 720)]),
        "size_scale": rng.choice([1.0, 0.75, 0.75, 0.65, 0.65]),
    }


def counted(rng: random.Random, names: list[str], what: str) -> Wanted:
    """What one still must show from which a soak draws how `what` is read (`COUNTED`)."""
    return {
        "theme": rng.choice(names),
        "position": rng.choices([p for p, _ in COUNTED[what]], [w for _, w in COUNTED[what]])[0],
        "view": "overhead",
        "odd_dice": False,
        "hand": False,
        "size": rng.choice([(1280, 960), (1280, 720)]),
        "size_scale": rng.choice([1.0, 0.75, 0.75, 0.65]),
    }


def low(make: MakeGeometry) -> MakeGeometry:
    """The generator's geometry, one board in four with next to no rail and bar: a mat, a printed or
    an inlaid board.
    """

    def made(rng: random.Random, style: str, aruco: bool = False) -> Geometry:
        g = make(rng, style, aruco)
        if rng.random() < 0.25:
            g.rail_h = rng.uniform(0.03, 0.6)
            g.bar_h = min(g.bar_h, g.rail_h)
        return g

    return made


def touching(plan: PlanDice) -> PlanDice:
    """The generator's plan of dice, one in four with two that touch."""

    def planned(rng: random.Random, odd: bool, hand: bool) -> PlannedDice:
        if rng.random() < 0.25:
            pair = rng.randint(0, 1)
            return [
                {"status": "flat", "pair": pair},
                {"status": "flat", "pair": pair, "touch": True},
            ], "touch"
        return plan(rng, odd, hand)

    return planned


def harden(themes: Themes, scene: Scenes) -> None:
    """Let the generator make harder boards and dice."""
    themes.paint_field, scene.Geom, scene.dice_plan = (
        adorned(themes.paint_field),
        low(scene.Geom),
        touching(scene.dice_plan),
    )


def _arguments() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("generator", type=Path)
    p.add_argument("out", type=Path)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--palettes", type=int, default=120)
    p.add_argument(
        "--samples", type=int, default=3, help="per pixel; the generator smooths what noise is left"
    )
    p.add_argument("--minutes", type=float, default=60)
    p.add_argument("--piles", action="store_true", help="positions with high piles alone")
    p.add_argument(
        "--hard",
        action="store_true",
        help="adorned and flat boards, hard lamps, oblique views, dice that touch",
    )
    p.add_argument(
        "--wide", action="store_true", help="low cameras, things on the field, see `wide`"
    )
    p.add_argument(
        "--bars", action="store_true", help="full bars, checkers standing anyhow, see `full_bars`"
    )
    p.add_argument(
        "--counted",
        choices=sorted(COUNTED),
        help="high piles or full bars from above, of palettes that measure: for `simulate`'s pools",
    )
    return p.parse_args()


def _named_palettes(a: argparse.Namespace) -> dict[str, Theme]:
    """The palettes to draw from, by name: the wide ones and those of bars are none that older
    weights were taught with.
    """
    numbers = range(a.palettes)
    if a.wide:
        return {f"wide_{n:03d}": wide.estranged(random_palette(5000 + n), n) for n in numbers}
    if a.bars:
        return {f"bars_{n:03d}": full_bars.hiding(random_palette(20_000 + n), n) for n in numbers}
    return {f"ours_{n:03d}": random_palette(n) for n in numbers}


def _asked(a: argparse.Namespace, chance: random.Random, names: list[str]) -> Wanted:
    """What one still must show."""
    if a.counted:
        return counted(chance, names, a.counted)
    if a.wide:
        return wide.wanted(chance, names)
    if a.bars:
        return full_bars.wanted(chance, names)
    return wanted(chance, names, piles=a.piles, hard=a.hard)


def main() -> None:
    a = _arguments()
    sys.path.insert(0, str(a.generator))
    themes, scene = importlib.import_module("themes"), importlib.import_module("scene")
    if a.hard:
        harden(themes, scene)
    if a.wide:
        wide.widen(scene)
    if a.bars:
        full_bars.fill_bars(scene)
    palettes = _named_palettes(a)
    themes.T.update(palettes)
    names = [n for n in palettes if not a.counted or share_of(n) is Share.MEASURE]
    a.out.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * a.minutes
    index = 0
    while time.monotonic() < end:
        asked = _asked(a, random.Random(a.seed * 1_000_003 + index), names)
        split = f"s{a.seed}"
        if not (a.out / f"{split}_{index:03d}.json").exists():
            try:
                made = scene.make_still(index, a.seed, split, str(a.out), a.samples, 1, 1.0, asked)
                print(index, made["theme"], made["position_kind"], made["render"], flush=True)
            except (RuntimeError, ValueError, IndexError, ZeroDivisionError):
                # The generator finds no room for what was asked now and then; the next scene is
                # another.
                traceback.print_exc()
        index += 1


if __name__ == "__main__":
    main()

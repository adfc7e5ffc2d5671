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
import math
import random
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from vision.train.generator import (
        Geometry,
        MakeGeometry,
        PaintField,
        Picture,
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


def adorned(paint: PaintField) -> PaintField:
    """The generator's painter of fields, two fields in three with something on them that is no
    checker and no die.
    """

    def painted(
        theme: Theme,
        g: Geometry,
        rng: np.random.Generator,
        ppc: int = 26,
        shape: str = "triangle",
    ) -> Picture:
        image = np.ascontiguousarray(paint(theme, g, rng, ppc=ppc, shape=shape))
        for mark in (glitter, tips, rosettes, frieze, letters, bands):
            if rng.random() < 0.2:
                mark(image, g, rng, ppc)
        return image

    return painted


def ink(rng: np.random.Generator) -> tuple[int, int, int]:
    """Any colour, mostly dark or light."""
    base = (
        rng.choice([20, 235]) + rng.integers(-15, 15, 3)
        if rng.random() < 0.4
        else rng.integers(10, 245, 3)
    )
    r, g, b = (int(v) for v in base)
    return r, g, b


def glitter(image: Picture, g: Geometry, rng: np.random.Generator, ppc: int) -> None:
    """Sequins or inlaid chips, on all of the field."""
    height, width = image.shape[:2]
    inks = [ink(rng) for _ in range(3)]
    for _ in range(int(rng.integers(800, 9000))):
        at = (int(rng.integers(width)), int(rng.integers(height)))
        cv2.circle(
            image,
            at,
            int(rng.integers(1, max(2, ppc // 8) + 1)),
            inks[int(rng.integers(3))],
            -1,
            cv2.LINE_AA,
        )


def tips(image: Picture, g: Geometry, rng: np.random.Generator, ppc: int) -> None:
    """A disc, a ring or a drop on each point: at its tip, its middle or its foot."""
    height = image.shape[0]
    where, radius = rng.choice([0.12, 0.5, 1.0, 1.06]), rng.uniform(0.12, 0.46) * g.w * ppc
    inks, thick = (ink(rng), ink(rng)), -1 if rng.random() < 0.6 else max(1, int(radius * 0.25))
    for point in range(1, 25):
        up = where * g.tri_len * ppc
        y = height - 1 - up if point <= 12 else up
        at = (int((g.pt_x(point) + g.W / 2) * ppc), int(y))
        cv2.circle(image, at, int(radius), inks[point % 2], thick, cv2.LINE_AA)
        if thick < 0 and radius > 6:
            cv2.circle(image, at, int(radius * 0.6), inks[1 - point % 2], 2, cv2.LINE_AA)


def halves(g: Geometry, ppc: int) -> list[tuple[float, float]]:
    """Left and right end of each half, pixels."""
    a, b = (g.W / 2 - g.bar_w / 2) * ppc, (g.W / 2 + g.bar_w / 2) * ppc
    return [(0.0, a), (b, g.W * ppc)]


def rosettes(image: Picture, g: Geometry, rng: np.random.Generator, ppc: int) -> None:
    """A round ornament in the middle of each half."""
    petals, radius, inks = (
        int(rng.integers(5, 17)),
        rng.uniform(0.05, 0.16) * g.H * ppc,
        [ink(rng) for _ in range(3)],
    )
    for a, b in halves(g, ppc):
        cx, cy = (a + b) / 2, image.shape[0] / 2
        cv2.circle(image, (int(cx), int(cy)), int(radius), inks[0], -1, cv2.LINE_AA)
        for k in range(petals):
            t = 2 * math.pi * k / petals
            at = (int(cx + 0.6 * radius * math.cos(t)), int(cy + 0.6 * radius * math.sin(t)))
            size = (int(radius * 0.35), max(1, int(radius * 0.12)))
            cv2.ellipse(image, at, size, math.degrees(t), 0, 360, inks[1 + k % 2], -1, cv2.LINE_AA)
        cv2.circle(image, (int(cx), int(cy)), max(1, int(radius * 0.2)), inks[2], -1, cv2.LINE_AA)


def frieze(image: Picture, g: Geometry, rng: np.random.Generator, ppc: int) -> None:
    """Tiles of two colours along the middle, or along rails and bar."""
    n, inks = max(3, int(rng.uniform(0.25, 0.9) * ppc)), (ink(rng), ink(rng))
    height = image.shape[0]
    rows = [height // 2 - n] if rng.random() < 0.5 else [0, height - 2 * n]
    for a, b in halves(g, ppc):
        for row in rows:
            for k, x in enumerate(range(int(a), int(b), n)):
                for j in range(2):
                    cv2.rectangle(
                        image,
                        (x, row + j * n),
                        (min(int(b), x + n), row + (j + 1) * n),
                        inks[(k + j) % 2],
                        -1,
                    )


def letters(image: Picture, g: Geometry, rng: np.random.Generator, ppc: int) -> None:
    """A maker's name."""
    word = "".join(chr(65 + int(k)) for k in rng.integers(0, 26, int(rng.integers(3, 10))))
    a, _ = halves(g, ppc)[int(rng.integers(2))]
    at = (int(a + rng.uniform(0.1, 2) * ppc * g.w), int(image.shape[0] * rng.uniform(0.45, 0.56)))
    cv2.putText(
        image,
        word,
        at,
        int(rng.integers(0, 8)),
        ppc * rng.uniform(0.03, 0.14),
        ink(rng),
        int(rng.integers(1, 6)),
        cv2.LINE_AA,
    )


def bands(image: Picture, g: Geometry, rng: np.random.Generator, ppc: int) -> None:
    """Lines across the points, as of veneers."""
    count, thick, inks = int(rng.integers(1, 5)), int(rng.integers(1, 7)), (ink(rng), ink(rng))
    height = image.shape[0]
    for k in range(count):
        up = int(rng.uniform(0.05, 0.42) * height)
        for y in (up, height - up):
            cv2.line(image, (0, y), (image.shape[1], y), inks[k % 2], thick, cv2.LINE_AA)


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


def main() -> None:
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
    a = p.parse_args()
    sys.path.insert(0, str(a.generator))
    themes, scene = importlib.import_module("themes"), importlib.import_module("scene")
    if a.hard:
        harden(themes, scene)
    names = [f"ours_{number:03d}" for number in range(a.palettes)]
    themes.T.update({name: random_palette(number) for number, name in enumerate(names)})
    a.out.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * a.minutes
    index = 0
    while time.monotonic() < end:
        asked = wanted(random.Random(a.seed * 1_000_003 + index), names, piles=a.piles, hard=a.hard)
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

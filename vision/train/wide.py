"""What readers met too seldom, for `trace --wide`: low and turned cameras, boards over a corner,
things left on the field, high walls, bars and fields that hide a set, two sets equally light,
boards without points, small dice.

Plain Python and numpy, since `trace` runs where Blender's `bpy` is.
"""

from __future__ import annotations

import colorsys
import math
import random
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from vision.train.generator import (
        AddProps,
        Geometry,
        MakeCamera,
        MakeGeometry,
        MakeLook,
        Prop,
        Rgb,
        Scenes,
        Shapes,
        StillLook,
        Theme,
        View,
        Wanted,
    )

POSITIONS = [
    ("mid", 7),
    ("stacks", 4),
    ("start_narde", 3),
    ("start_tapa", 2),
    ("narde", 4),
    ("start_backgammon", 3),
    ("late", 2),
    ("bearoff", 2),
    ("barfull", 4),
    ("near_empty", 1),
    ("empty", 0.5),
]
SIZES = [((576, 432), 6), ((640, 360), 4), ((720, 480), 2), ((960, 720), 1)]
"""Small pictures, many of them: checkers and corners are read as well at 256 pixels, and dice are
painted larger elsewhere (`train.dice`)."""
TURNED = 40.0
"""Degrees by which a board may lie turned in the picture; beyond 45 another side is the bottom."""
ON_FIELD = 98
"""Number in the mask of what lies on the field; the generator's things are 90-118."""


def wanted(rng: random.Random, names: list[str]) -> Wanted:
    """What one still must show, as the generator's `override`. `view` is a name that `aimed` knows
    the rest of.
    """
    view = rng.choices(["low", "oblique", "overhead"], [11, 4, 5])[0]
    return {
        "theme": rng.choice(names),
        "position": rng.choices([p for p, _ in POSITIONS], [w for _, w in POSITIONS])[0],
        "view": view,
        "orientation": rng.choice([0, 180]),
        "odd_dice": rng.random() < 0.5,
        "hand": rng.random() < 0.14,
        "cup_on_field": rng.random() < 0.2,
        "size": rng.choices([s for s, _ in SIZES], [w for _, w in SIZES])[0],
        "base_max": 6 if rng.random() < 0.2 else 5,
        "aruco": False,
    }


def equally_light(theme: Theme, rng: random.Random) -> None:
    """Nothing; the two sets get two hues far apart and nearly one lightness."""
    hue, full = rng.random(), rng.uniform(0.45, 0.95)
    other = hue + rng.uniform(0.3, 0.7)
    level = rng.uniform(60, 150)
    theme["light"] = _of_level(hue, full, level + rng.uniform(7, 26))
    theme["dark"] = _of_level(other, rng.uniform(0.45, 0.95), level)


def _of_level(hue: float, full: float, level: float) -> Rgb:
    """A colour of this hue with this luma (0-255), as full as it can be."""
    r, g, b = colorsys.hsv_to_rgb(hue % 1, full, 1.0)
    gain = level / (0.299 * r + 0.587 * g + 0.114 * b)
    # Grey of the same luma takes what is brighter than a surface can be.
    kept = min(1.0, (248 - level) / max(1.0, gain - level))
    r, g, b = (level + (gain * v - level) * kept for v in (r, g, b))
    return round(r), round(g), round(b)


def estranged(theme: Theme, number: int) -> Theme:
    """Palette `number` with what hides checkers: rails and bar like the dark set, two sets equally
    light, a field without points, one colour for all points.
    """
    rng = random.Random(9_100_019 + number)
    trick = rng.random()
    if trick < 0.28:
        equally_light(theme, rng)
    elif trick < 0.5:
        theme["rail"] = (rng.choice(["leather", "wood"]), _close(rng, theme["dark"], 14))
    elif trick < 0.62:
        theme["pts"] = [theme["field"][1], theme["field"][1]]
    elif trick < 0.72:
        theme["pts"] = [theme["dark"], theme["light"]]
    elif trick < 0.8:
        theme["rail"] = ("leather", _close(rng, theme["light"], 14))
    return theme


def _close(rng: random.Random, base: Rgb, far: int) -> Rgb:
    r, g, b = (min(250, max(5, c + rng.randint(-far, far))) for c in base)
    return r, g, b


def walled(make: MakeGeometry) -> MakeGeometry:
    """The generator's geometry, two boards in five with the high walls of a folding case."""

    def made(rng: random.Random, style: str, aruco: bool = False) -> Geometry:
        g = make(rng, style, aruco)
        if rng.random() < 0.4:
            g.rail_h = rng.uniform(2.6, 5.2)
            g.bar_h = rng.uniform(0.3, 1.0) * g.rail_h if style == "tournament" else g.rail_h
        elif rng.random() < 0.15:
            g.rail_h = rng.uniform(0.05, 0.8)
            g.bar_h = min(g.bar_h, g.rail_h)
        return g

    return made


def aimed(scene: Scenes) -> MakeCamera:
    """The generator's camera where the view is its own, else one that stands low, upright, and
    sees the board over a corner, or hangs above a board that lies turned.
    """
    make = scene.make_camera

    def camera(
        g: Geometry,
        rng: random.Random,
        view: str,
        orientation: int,
        size: tuple[int, int],
        fill_range: tuple[float, float] = (0.78, 0.97),
    ) -> View:
        if view == "oblique":
            return make(g, rng, view, orientation, size, fill_range)
        for _ in range(300):
            made = _one_view(scene, g, rng, view, orientation, size)
            if made is not None:
                return made
        raise RuntimeError("no camera")

    return camera


def _one_view(
    scene: Scenes,
    g: Geometry,
    rng: random.Random,
    view: str,
    orientation: int,
    size: tuple[int, int],
) -> View | None:
    """A camera of this view, None where the board does not fit into the picture."""
    low = view == "low"
    tilt = math.radians(rng.uniform(46, 74) if low else rng.uniform(0, 16))
    aside = rng.uniform(-TURNED, TURNED) if rng.random() < 0.5 else rng.gauss(0, 9)
    around = math.radians(-90 + orientation + max(-TURNED, min(TURNED, aside)))
    distance = rng.uniform(70, 130) if low else rng.uniform(60, 95)
    middle = np.array([(g.x_max + g.x_min) / 2, 0.0, 0.0])
    middle[:2] += rng.uniform(-2, 2), rng.uniform(-2, 2)
    eye = middle + distance * np.array(
        [
            math.sin(tilt) * math.cos(around),
            math.sin(tilt) * math.sin(around),
            math.cos(tilt),
        ]
    )
    # A camera on a stand keeps its upper edge level; one that hangs is turned any way.
    upper = math.degrees(around) + 90 if low else orientation + aside
    turn = scene.look_at(eye, middle, upper + rng.gauss(0, 3))
    box = np.array(
        [
            [x, y, z]
            for x in (g.x_min, g.x_max)
            for y in (g.y_min, g.y_max)
            for z in (-g.base_t, g.rail_h)
        ]
    )
    width, height = size
    seen = box @ turn.T - turn @ eye
    flat = seen[:, :2] / seen[:, 2:]
    least, most = flat.min(0), flat.max(0)
    focal = rng.uniform(0.62, 0.97) * min(
        width / (most[0] - least[0]), height / (most[1] - least[1])
    )
    off = turn.T @ np.array([*((least + most) / 2), 1.0])
    turn = scene.look_at(eye, eye + off * (eye[2] / -off[2]), upper + rng.gauss(0, 3))
    k1 = rng.uniform(-0.12, 0.05)
    made: View = {
        "K": np.array(
            [
                [focal, 0, (width - 1) / 2 + rng.uniform(-8, 8)],
                [0, focal, (height - 1) / 2 + rng.uniform(-8, 8)],
                [0, 0, 1],
            ]
        ),
        "D": np.array([k1, rng.uniform(-0.02, 0.02), 0.0, 0.0, 0.0]),
        "R": turn,
        "C": eye,
        "t": -turn @ eye,
        "f": focal,
        "size": size,
        "tilt": math.degrees(math.acos(min(1.0, -turn[2, 2]))),
        "view": view,
        "fov": 2 * math.degrees(math.atan(width / 2 / focal)),
        "dist": distance,
        "yaw": orientation,
        "rw": 0,
        "rh": 0,
    }
    at = scene.project(made, box)
    if at.min() < 2 or at[:, 0].max() > width - 3 or at[:, 1].max() > height - 3:
        return None
    xs, ys = np.linspace(0, width - 1, 60), np.linspace(0, height - 1, 60)
    border = np.concatenate(
        [np.stack([xs, np.full(60, v)], 1) for v in (0.0, height - 1.0)]
        + [np.stack([np.full(60, v), ys], 1) for v in (0.0, width - 1.0)]
    )
    wide, high = np.abs(scene.undistort_px(made, border)).max(0) * focal + 3
    if wide > width * 0.62 or high > height * 0.64:
        return None
    made["rw"], made["rh"] = 2 * math.ceil(wide), 2 * math.ceil(high)
    return made


def left_lying(add: AddProps) -> AddProps:
    """The generator's things beside the board, in one still in seven a telephone, a card or a box
    on the field too, on whatever stands there.
    """

    def added(shapes: Shapes, rng: random.Random, g: Geometry, want: list[str]) -> list[Prop]:
        props = add(shapes, rng, g, want)
        if rng.random() < 0.14:
            x, y = rng.uniform(-0.42, 0.42) * g.W, rng.uniform(-0.42, 0.42) * g.H
            size = rng.choice([(7.3, 15, 0.8), (9, 13, 0.1), (4, 8, 2.4), (5, 5, 5), (12, 18, 1.2)])
            colour = tuple(rng.randint(15, 235) for _ in range(3))
            z = g.th + size[2] / 2 + 0.02
            shapes.box(
                "left",
                x - size[0] / 2,
                x + size[0] / 2,
                y - size[1] / 2,
                y + size[1] / 2,
                z - size[2] / 2,
                z + size[2] / 2,
                shapes.mat("left", colour, rng.uniform(0.1, 0.8)),
                pid=ON_FIELD,
            )
            props.append({"kind": "left_on_field", "id": ON_FIELD, "pos": [x, y, z]})
        return props

    return added


def small_dice(make: MakeLook) -> MakeLook:
    """The generator's materials and dice, the dice of two stills in five smaller than it has them,
    two thirds of the edge at least.
    """

    def made(
        shapes: Shapes, g: Geometry, theme: Theme, rng: random.Random, nrng: np.random.Generator
    ) -> StillLook:
        look = make(shapes, g, theme, rng, nrng)
        if rng.random() < 0.4:
            scale = rng.uniform(0.66, 0.95)
            look.dice_size *= scale
            for mesh in (look.die_mesh, look.pip_mesh):
                for vertex in mesh.vertices:
                    vertex.co = vertex.co * scale
        return look

    return made


def widen(scene: Scenes) -> None:
    """Nothing; the generator makes such boards, cameras and things from now on."""
    scene.make_camera = aimed(scene)
    scene.Geom = walled(scene.Geom)
    scene.add_props = left_lying(scene.add_props)
    scene.Look = small_dice(scene.Look)

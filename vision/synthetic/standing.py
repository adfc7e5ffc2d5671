"""What stands up from a painted board and hides what is behind it: the bar, the walls of the near
side, cups and boxes that somebody put down on the field.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import F32, F64, Pixels
from vision.geometry import BoardMap
from vision.synthetic.brush import CIRCLE, camera_eye, fill_polygon, hull, tone
from vision.synthetic.discs import Disc, paint_discs
from vision.synthetic.look import Bgr, Look
from vision.synthetic.truth import BACKGROUND, OCCLUDER

_FOOT = -0.4
"""Height of the table below the field."""


@dataclass(frozen=True, slots=True)
class Block:
    """A block along the board's axes, point widths."""

    x: tuple[float, float]
    y: tuple[float, float]
    z: tuple[float, float]
    colour: Bgr


@dataclass(frozen=True, slots=True)
class Cup:
    """A round thing that stands on the field: radii of its foot and of its rim, height; `open`: one
    sees into it.
    """

    x: float
    y: float
    foot: float
    rim: float
    height: float
    open: bool
    colour: Bgr


Thing = Block | Cup


def random_things(rng: np.random.Generator, board: BoardMap, number: int) -> list[Thing]:
    """Cups, boxes, telephones and cards that lie somewhere on the field."""
    things: list[Thing] = []
    for _ in range(number):
        blue, green, red = (float(v) for v in rng.uniform(8, 240, 3))
        x, y = (float(v) for v in rng.uniform(-0.46, 0.46, 2) * (board.width, board.height))
        if rng.random() < 0.6:
            rim = rng.uniform(0.7, 1.15)
            foot = rim * rng.uniform(0.7, 1.05)
            height = rng.uniform(1.2, 2.6)
            things.append(Cup(x, y, foot, rim, height, rng.random() < 0.7, (blue, green, red)))
            continue
        a, b, c = ((1.6, 3.3, 0.2), (2.0, 2.9, 0.03), (0.9, 1.8, 0.5), (1.1, 1.1, 1.1))[
            rng.integers(4)
        ]
        a, b = (a, b) if rng.random() < 0.5 else (b, a)
        # What lies on checkers lies as high as they do.
        z = 0.0 if c > 0.4 else float(rng.choice([0.0, 0.25]))
        here = ((x - a / 2, x + a / 2), (y - b / 2, y + b / 2), (z, z + c))
        things.append(Block(*here, (blue, green, red)))
    return things


def paint_standing(
    image: F32,
    classes: Pixels,
    board: BoardMap,
    discs: Sequence[Disc],
    look: Look,
    things: Sequence[Thing],
    walls: Pixels,
) -> None:
    """Nothing; checkers, the bar and `things` are painted from the farthest to the nearest, so that
    each hides what is behind it. Where the bar hides the field `walls` becomes 1.
    """
    eye = camera_eye(board)
    left = list(discs)
    bar = Block(
        (-look.bar / 2, look.bar / 2),
        (-board.height / 2, board.height / 2),
        (0.0, look.bar_height),
        look.bar_colour,
    )
    aside = abs(float(eye[0])) > look.bar / 2
    ordered: list[Thing] = sorted(things, key=lambda t: -_away(t, eye))
    if aside:
        near = [t for t in ordered if _middle(t)[0] * eye[0] > 0]
        ordered = [*(t for t in ordered if t not in near), bar, *near]
    for thing in ordered:
        behind = [d for d in left if _hides(thing, d, bar, eye)]
        left = [d for d in left if d not in behind]
        paint_discs(image, classes, board, behind, look, shadows=False)
        where = np.zeros(image.shape[:2], np.uint8)
        if isinstance(thing, Cup):
            _paint_cup(image, where, board, thing)
        else:
            _paint_block(image, where, board, thing, eye, look.hinged and thing is bar)
        if thing is bar:
            classes[where > 0] = BACKGROUND
            walls[where > 0] = 1
        else:
            classes[where > 0] = OCCLUDER
    paint_discs(image, classes, board, left, look, shadows=False)


def _hides(thing: Thing, disc: Disc, bar: Block, eye: F64) -> bool:
    """Whether a checker is to be painted before the thing."""
    on_bar = bar.x[0] < disc.x < bar.x[1]
    if thing is bar:
        return not on_bar and disc.x * float(eye[0]) < 0
    return math.hypot(disc.x - eye[0], disc.y - eye[1]) > _away(thing, eye)


def _middle(thing: Thing) -> tuple[float, float]:
    if isinstance(thing, Cup):
        return thing.x, thing.y
    return sum(thing.x) / 2, sum(thing.y) / 2


def _away(thing: Thing, eye: F64) -> float:
    x, y = _middle(thing)
    return math.hypot(x - float(eye[0]), y - float(eye[1]))


def _paint_cup(image: F32, where: Pixels, board: BoardMap, cup: Cup) -> None:
    def ring(radius: float, z: float) -> F64:
        flat = CIRCLE * radius + (cup.x, cup.y)
        return board.project(np.concatenate([flat, np.full((len(flat), 1), z)], 1))

    rim = ring(cup.rim, cup.height)
    outline = hull(np.concatenate([ring(cup.foot, 0.0), rim]))
    fill_polygon(image, outline, tone(cup.colour, 0.7))
    # Brighter towards one side, as a lamp makes what is round.
    middle = outline.mean(0)
    for share in (0.75, 0.45):
        lit = middle + (outline - middle) * (share, 1.0) - ((1 - share) * 0.1 * np.ptp(outline), 0)
        fill_polygon(image, lit, tone(cup.colour, 0.7 + 0.3 * (1 - share)))
    fill_polygon(image, rim, tone(cup.colour, 1.1))
    if cup.open:
        fill_polygon(image, ring(cup.rim * 0.88, cup.height), tone(cup.colour, 0.3))
    fill_polygon(where, outline, 255.0)
    fill_polygon(where, rim, 255.0)


def _paint_block(
    image: F32, where: Pixels, board: BoardMap, block: Block, eye: F64, hinged: bool = False
) -> None:
    """Nothing; those faces are painted that the camera sees."""
    (x0, x1), (y0, y1), (z0, z1) = block.x, block.y, block.z
    sides = (
        (eye[1] < y0, [(x0, y0), (x1, y0)], 0.62),
        (eye[1] > y1, [(x1, y1), (x0, y1)], 0.72),
        (eye[0] < x0, [(x0, y1), (x0, y0)], 0.55),
        (eye[0] > x1, [(x1, y0), (x1, y1)], 0.66),
    )
    for seen, (a, b), light in sides:
        if seen:
            face = board.project([(*a, z0), (*b, z0), (*b, z1), (*a, z1)])
            fill_polygon(image, face, tone(block.colour, light))
            fill_polygon(where, face, 255.0)
    lid = board.project([(x0, y0, z1), (x1, y0, z1), (x1, y1, z1), (x0, y1, z1)])
    fill_polygon(image, lid, tone(block.colour, 1.0))
    fill_polygon(where, lid, 255.0)
    if hinged:
        at = [(-0.02, y0, z1), (0.02, y0, z1), (0.02, y1, z1), (-0.02, y1, z1)]
        fill_polygon(image, board.project(at), tone(block.colour, 0.4))


def paint_near_walls(
    image: F32, classes: Pixels, board: BoardMap, look: Look, walls: Pixels
) -> None:
    """Nothing; the walls between the camera and the field are painted over what they hide, and
    `walls` becomes 1 there.
    """
    eye = camera_eye(board)
    x, y, h = board.width / 2, board.height / 2, look.rail_height
    west, east, north = -x - look.west, x + look.east, y + look.rail
    # Beside a tray the field's own wall is a thin one.
    thin_west, thin_east = (
        0.3 if room > look.rail + 0.3 else room for room in (look.west, look.east)
    )
    near = (
        (eye[1] < -y, Block((west, east), (-north, -y), (_FOOT, h), look.frame)),
        (eye[1] > y, Block((west, east), (y, north), (_FOOT, h), look.frame)),
        (eye[0] < -x, Block((-x - thin_west, -x), (-y, y), (_FOOT, h), look.frame)),
        (eye[0] > x, Block((x, x + thin_east), (-y, y), (_FOOT, h), look.frame)),
        (eye[0] < west, Block((west, west + look.rail), (-north, north), (_FOOT, h), look.frame)),
        (eye[0] > east, Block((east - look.rail, east), (-north, north), (_FOOT, h), look.frame)),
    )
    where = np.zeros(image.shape[:2], np.uint8)
    for hides, wall in near:
        if hides:
            _paint_block(image, where, board, wall, eye)
    # A wall's own shade ends softly where the wood is round.
    image[where > 0] *= 0.97
    classes[where > 0] = BACKGROUND
    cv2.max(walls, (where > 0).astype(np.uint8), dst=walls)

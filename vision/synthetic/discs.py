"""Checkers on a painted board: where human hands put them, and how they look."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from vision.arrays import F32, Pixels
from vision.geometry import BoardMap
from vision.synthetic.brush import CIRCLE, camera_eye, fill_polygon, hull, tone
from vision.synthetic.look import Look
from vision.synthetic.on_bar import anywhere_on_bar
from vision.synthetic.truth import DARK, LIGHT, PointCounts


@dataclass(slots=True)
class Disc:
    """One checker that lies flat: the middle of its foot in board units, its set (LIGHT or DARK),
    and by how much its face is brighter than its set's.
    """

    x: float
    y: float
    z: float
    colour: int
    face: float = 0.0


@dataclass(frozen=True, slots=True)
class Sideways:
    """The last checker of a point lies a share of the way to the point beside it: 0 on its own, 0.5
    half on either.
    """

    point: int
    beside: int
    share: float

    def pushed(self, board: BoardMap) -> float:
        """By how much it lies further east, in points."""
        return self.share * (board.point_x(self.beside) - board.point_x(self.point))


def stand_checkers(
    rng: np.random.Generator,
    board: BoardMap,
    counts: PointCounts,
    bar: tuple[int, int],
    off: tuple[int, int],
    look: Look,
    *,
    bar_anywhere: bool = False,
    sideways: Sideways | None = None,
) -> list[Disc]:
    """Where human hands put the checkers: rows of about five from the rail, then a second layer;
    the bar, from its middle outwards or `bar_anywhere`; the east tray. One checker may lie
    `sideways`.
    """
    d, t = look.checker, look.thickness
    discs: list[Disc] = []
    gap = rng.uniform(0, 0.055)
    sway = rng.choice([0.01, 0.03, 0.06, 0.1]) * d
    row = int(rng.choice([5, 5, 5, 5, 5, 4, 6, 7])) if look.checker * 7.2 < look.height else 5
    staggered = rng.random() < 0.4
    for point, (light, dark) in counts.items():
        s = -1.0 if point <= 12 else 1.0
        place: list[tuple[float, float, int]] = []
        for k in range(light + dark):
            if k < row:
                y = (
                    place[-1][1] - s * (d + gap + abs(rng.normal(0, 0.012)))
                    if k
                    else s * (board.height / 2 - d / 2 - abs(rng.normal(0.02, 0.03)))
                )
                x = board.point_x(point) + float(np.clip(rng.normal(0, sway), -0.2, 0.2))
                place.append((x, y, 0))
                continue
            x, y, level = _above(place, k, row, staggered=staggered and row == 5 and k < 15)
            place.append((x + rng.normal(0, 0.03), y + rng.normal(0, 0.03), level))
        if sideways is not None and sideways.point == point and place:
            x, y, level = place[-1]
            place[-1] = (x + sideways.pushed(board), y, level)
        colours = [LIGHT] * light + [DARK] * dark
        discs += [
            Disc(x, y, level * t, c, rng.uniform(-0.04, 0.04))
            for (x, y, level), c in zip(place, colours, strict=True)
        ]
    on_bar = (
        [Disc(*place) for place in anywhere_on_bar(rng, board, bar, look)]
        if bar_anywhere
        else _on_bar(rng, bar, look)
    )
    return discs + on_bar + _flat_in_tray(board, off, look)


def _above(
    place: list[tuple[float, float, int]], k: int, row: int, *, staggered: bool
) -> tuple[float, float, int]:
    """Where the `k`-th checker of a point lies in a higher layer (x, y, layer): on one, or between
    two.
    """
    if not staggered:
        x, y, _ = place[k - row]
        return x, y, k // row
    level, rest, cap = 0, k, 5
    while rest >= cap:
        rest, level, cap = rest - cap, level + 1, cap - 1
    under = [p for p in place if p[2] == level - 1]
    a, b = under[rest], under[rest + 1]
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, level


def _on_bar(rng: np.random.Generator, bar: tuple[int, int], look: Look) -> list[Disc]:
    d, t = look.checker, look.thickness
    discs = []
    for colour, number in ((LIGHT, bar[0]), (DARK, bar[1])):
        s = -1 if colour == LIGHT else 1
        if look.bar_swapped:
            s = -s
        discs += [
            Disc(
                rng.normal(0, 0.03),
                s * (0.62 + d / 2 + (k % 3) * (d + 0.04)) + rng.normal(0, 0.025),
                look.bar_height + (k // 3) * t,
                colour,
            )
            for k in range(number)
        ]
    return discs


def _flat_in_tray(board: BoardMap, off: tuple[int, int], look: Look) -> list[Disc]:
    if not (look.tray and look.flat_off):
        return []
    d, x = look.checker, board.width / 2 + look.east - look.rail - 0.55
    return [
        Disc(x, s * (board.height / 2 - d * (k // 4 + 0.53)), (k % 4) * look.thickness, colour)
        for s, colour, number in ((-1, LIGHT, off[0]), (1, DARK, off[1]))
        for k in range(number)
    ]


def paint_discs(
    image: F32,
    classes: Pixels,
    board: BoardMap,
    discs: list[Disc],
    look: Look,
    *,
    shadows: bool = True,
) -> None:
    """Nothing; checkers and their shadows are painted into `image`, their sets into `classes`."""
    eye = camera_eye(board)
    if shadows:
        paint_shadows(image, board, discs, look)
    t = look.thickness
    order = sorted(discs, key=lambda q: (round(q.z / t), -math.hypot(q.x - eye[0], q.y - eye[1])))
    for disc in order:
        _paint_disc(image, classes, board, disc, look)


def paint_shadows(image: F32, board: BoardMap, discs: list[Disc], look: Look) -> None:
    """Nothing; where lamps do not reach the field because of checkers it becomes darker."""
    dark_layer = np.zeros(image.shape[:2], np.float32)
    sx, sy = look.shadow
    for disc in discs:
        h = look.thickness + disc.z
        foot = CIRCLE * (look.checker / 2) + (disc.x + sx * h * 0.8, disc.y + sy * h * 0.8)
        ring = np.concatenate([foot, np.full((28, 1), 0.0)], 1)
        fill_polygon(dark_layer, board.project(ring), look.shadow_depth)
    soft = cv2.GaussianBlur(dark_layer, (0, 0), max(0.5, look.shadow_blur * board.size[0] / 640))
    image *= (1 - soft)[..., None]


def _paint_disc(image: F32, classes: Pixels, board: BoardMap, disc: Disc, look: Look) -> None:
    r, t = look.checker / 2, look.thickness
    colour = np.asarray(look.light if disc.colour == LIGHT else look.dark, np.float32)
    base: F32 = colour * (1 + disc.face)
    rings = np.concatenate(
        [
            np.concatenate([CIRCLE * (r * f) + (disc.x, disc.y), np.full((28, 1), disc.z + h)], 1)
            for f, h in ((1.0, 0.0), (1.0, t * 0.8), (0.93, t), (0.72, t), (0.62, t))
        ]
    )
    p = board.project(rings)
    foot, body, top, groove, inner = (p[k * 28 : k * 28 + 28] for k in range(5))
    outline = hull(np.concatenate([foot, body]))
    fill_polygon(image, outline, tone(base, 0.5))
    fill_polygon(image, body, tone(base, 0.8))
    fill_polygon(image, top, tone(base, 1.0))
    if look.relief == 1:
        fill_polygon(image, groove, tone(base, 0.8))
        fill_polygon(image, inner, tone(base, 0.97))
    elif look.relief == 2:
        fill_polygon(image, groove, tone(base, 0.9))
    elif look.relief >= 3:
        fill_polygon(image, groove, tone(look.emblem, 0.9 + 3 * disc.face))
        for k in range(0, 28, look.relief):
            wedge = np.stack([inner[k], inner[(k + 2) % 28], inner.mean(0)])
            fill_polygon(image, wedge, tone(base, 0.75))
    if look.gloss > 0.05:
        spot = np.array(look.shadow) * -1
        near = top.mean(0) + (top[0] - top[14]) * spot[0] * 0.2 + (top[21] - top[7]) * spot[1] * 0.2
        glint = near + (inner - inner.mean(0)) * 0.35
        fill_polygon(image, glint, tone(base + (255 - base) * look.gloss, 1.0))
    fill_polygon(classes, outline, float(disc.colour))

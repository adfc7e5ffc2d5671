"""Painted boards with checkers borne off: trays with dividers, checkers on edge or in piles, piles
on the table, and decoys.

Made of the same brushes as `synthetic`; a file of its own, since the simulator needs none of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from vision.frame import Frame, Pixels
from vision.geometry import BoardMap, Points
from vision.synthetic import scene as synthetic
from vision.synthetic.look import Look, random_look
from vision.synthetic.scene import BACKGROUND, DARK, LIGHT, OCCLUDER, Counts, Scene

Floats = npt.NDArray[Any]
_CIRCLE = synthetic._CIRCLE


@dataclass(frozen=True, slots=True)
class Beside:
    """One checker off the board: set (LIGHT or DARK), its middle in board units, and whether it
    stands on its edge.
    """

    colour: int
    x: float
    y: float
    z: float
    on_edge: bool = False
    tilt: float = 0.0


@dataclass(frozen=True, slots=True)
class BesideScene:
    """A painted scene; what lies beside its field, and the places (right of the field 1 or left -1,
    north 1 or south -1) meant for it.
    """

    scene: Scene
    beside: tuple[Beside, ...]


@dataclass(frozen=True, slots=True)
class _Tray:
    """A tray's floor in board units, and the height of its walls."""

    side: int
    inner: float
    outer: float
    end: float
    pocket: float
    wall: float


def _trays(board: BoardMap, look: Look, divider: float) -> list[_Tray]:
    found = []
    for side, room in ((-1, look.west), (1, look.east)):
        if room > look.rail + 0.3:
            x = board.width / 2
            found.append(
                _Tray(
                    side, x + divider, x + room - look.rail, board.height / 2, 0.6, look.rail_height
                )
            )
    return found


def stand_beside(
    rng: np.random.Generator,
    board: BoardMap,
    look: Look,
    off: tuple[int, int],
    side: int,
    tray: _Tray | None,
    swapped: bool,
) -> list[Beside]:
    """Where people put `off` (light, dark) checkers on one side of the board: light at the south
    end unless `swapped`.
    """
    d, t = look.checker, look.thickness
    found: list[Beside] = []
    style = (
        rng.choice(["edge", "edge", "flat", "rows"])
        if tray
        else rng.choice(["piles", "piles", "rows", "strewn"])
    )
    per = int(rng.choice([1, 2, 3, 4, 4, 5, 5, 6, 7])) if style in ("piles", "flat") else 1
    if tray:
        # No more than five piles find room at an end.
        per = max(per, math.ceil(max(off) / 5))
    floor = 0.0 if tray else -float(rng.uniform(0.15, 0.45))
    gap, sway = rng.uniform(0, 0.04), rng.uniform(0.005, 0.05)
    for colour, number in ((LIGHT, off[0]), (DARK, off[1])):
        end = (-1 if colour == LIGHT else 1) * (-1 if swapped else 1)
        if tray:
            x = side * ((tray.inner + tray.outer) / 2)
            start = board.height / 2 - (
                0.0 if rng.random() < 0.7 or number > 12 else rng.uniform(0, 0.9)
            )
        else:
            x = board.width / 2 + (look.east if side > 0 else look.west)
            x = side * (x + d * rng.uniform(0.6, 1.0))
            start = board.height / 2 - rng.uniform(0, 2.6) + (0.2 if rng.random() < 0.5 else 0)
        for k in range(number):
            if style == "edge":
                y = start - t * (k + 0.55) - gap * k
                found.append(
                    Beside(
                        colour,
                        x + rng.normal(0, 0.015),
                        end * y,
                        floor + d / 2,
                        True,
                        float(rng.normal(0, 0.035)),
                    )
                )
                continue
            column, level = divmod(k, per)
            if tray:
                at = (
                    x + rng.normal(0, sway),
                    start - d * (column + 0.53) - 2 * gap * column + rng.normal(0, sway / 2),
                )
            elif style == "rows":
                row, column = divmod(column, 4)
                # A row as long as its half goes on beside itself.
                at = (
                    x + side * row * (d + 0.05),
                    start - d * (column + 0.53) - 2 * gap * column + rng.normal(0, sway),
                )
            else:
                at = (
                    x + side * (column % 2) * (d + 0.1) + rng.normal(0, sway),
                    start - 0.5 - (column // 2) * (d + 0.1),
                )
            if style == "strewn":
                at = (at[0] + side * abs(rng.normal(0, 0.3)), at[1] + rng.normal(0, 0.2))
            found.append(
                Beside(
                    colour,
                    float(at[0] + rng.normal(0, 0.01)),
                    float(end * at[1]),
                    floor + level * t,
                )
            )
    return found


def _standing(
    image: Floats,
    classes: Pixels,
    board: BoardMap,
    those: list[Beside],
    look: Look,
    rng: np.random.Generator,
) -> None:
    """Checkers on their edges: the rim from above, a bright ridge along it, and the face that is
    turned to the camera.
    """
    eye = synthetic._eye(board)
    r, t = look.checker / 2, look.thickness
    rim, ridge, face = rng.uniform(0.6, 1.05), rng.uniform(0.95, 1.35), rng.uniform(0.5, 1.1)
    bevel, groove = t * rng.uniform(0.1, 0.3), rng.uniform(0.55, 0.8)
    for one in sorted(those, key=lambda q: -abs(q.y - eye[1])):
        base: Floats = np.asarray(look.light if one.colour == LIGHT else look.dark, np.float32) * (
            1 + rng.normal(0, 0.035)
        )
        near = 1 if eye[1] > one.y else -1

        def ring(shift: float, size: float, spot: Beside = one) -> Points:
            upright = _CIRCLE * r * size
            lean = math.tan(spot.tilt)
            y = spot.y + shift + lean * upright[:, 1]
            return board.project(
                np.stack(
                    [spot.x + upright[:, 0], y, np.maximum(spot.z + upright[:, 1], spot.z - r)], 1
                )
            )

        low, high = ring(-t / 2, 0.93), ring(t / 2, 0.93)
        body = [ring(-t / 2 + bevel, 1.0), ring(t / 2 - bevel, 1.0)]
        hull = (
            cv2.convexHull(np.concatenate([low, high, *body]).astype(np.float32))
            .reshape(-1, 2)
            .astype(np.float64)
        )
        synthetic._poly(image, hull, synthetic._shade(base, rim * 0.7))
        middle = (
            cv2.convexHull(np.concatenate(body).astype(np.float32))
            .reshape(-1, 2)
            .astype(np.float64)
        )
        synthetic._poly(image, middle, synthetic._shade(base, rim))
        top = slice(4, 11)
        synthetic._poly(
            image,
            np.concatenate([body[0][top], body[1][top][::-1]]),
            synthetic._shade(base, rim * ridge),
        )
        if look.gloss > 0.2:
            glint = slice(6, 9)
            synthetic._poly(
                image,
                np.concatenate([body[0][glint], body[1][glint][::-1]]),
                synthetic._shade(base + (255 - base) * look.gloss, 1.0),
            )
        if abs(eye[1] - one.y) > 0.1 * eye[2]:
            synthetic._poly(image, high if near > 0 else low, synthetic._shade(base, face))
            if look.relief:
                synthetic._poly(
                    image, ring(near * t / 2, groove), synthetic._shade(base, face * 0.85)
                )
        synthetic._poly(classes, hull, float(one.colour))


def _wall(
    image: Floats,
    board: BoardMap,
    look: Look,
    a: Points,
    b: Points,
    height: float,
    thick: Points,
    shade: float,
) -> None:
    """A wall from a to b on the floor, `thick` (x, y) wide: side and top."""
    low = np.array([[*a, 0.0], [*b, 0.0]])
    up, out = np.array([0, 0, height]), np.array([*thick, 0.0])
    high = low + up
    synthetic._poly(
        image,
        board.project(np.concatenate([low, high[::-1]])),
        synthetic._shade(look.frame, shade * 0.7),
    )
    synthetic._poly(
        image,
        board.project(np.concatenate([high, (high + out)[::-1]])),
        synthetic._shade(look.frame, shade),
    )


def _tray_floor(
    image: Floats, board: BoardMap, look: Look, tray: _Tray, rng: np.random.Generator
) -> None:
    colour = np.asarray(look.field if rng.random() < 0.7 else look.frame, np.float32) * rng.uniform(
        0.6, 1.15
    )
    corners = [
        (tray.side * x, y, 0.0)
        for x, y in (
            (tray.inner, tray.end),
            (tray.outer, tray.end),
            (tray.outer, -tray.end),
            (tray.inner, -tray.end),
        )
    ]
    synthetic._poly(image, board.project(corners), synthetic._shade(colour, 1.0))


def _tray_walls(
    image: Floats,
    board: BoardMap,
    look: Look,
    tray: _Tray,
    *,
    behind: bool,
    rng: np.random.Generator,
) -> None:
    """The walls of a tray that its contents hide (`behind`), or those that hide its contents."""
    eye = synthetic._eye(board)
    s, thin = tray.side, 0.18
    # From the middle of the tray's floor, a wall is in front when the camera is beyond its inner
    # face.
    for x, out in ((s * tray.inner, -s), (s * tray.outer, s)):
        if ((eye[0] - x) * out < 0) is behind:
            width = np.array(
                [out * (tray.inner - board.width / 2 if out == -s else look.rail), 0.0]
            )
            _wall(
                image,
                board,
                look,
                np.array([x, tray.end]),
                np.array([x, -tray.end]),
                tray.wall,
                width,
                1.0,
            )
    for end in (-1, 1):
        y = end * tray.end
        if ((eye[1] - y) * end < 0) is behind:
            a, b = np.array([s * tray.inner, y]), np.array([s * tray.outer, y])
            _wall(image, board, look, a, b, tray.wall, np.array([0.0, end * look.rail]), 1.0)
        if behind:
            inner = end * tray.pocket
            near = inner if (eye[1] - inner) * end > 0 else inner - end * thin
            a, b = np.array([s * tray.inner, near]), np.array([s * tray.outer, near])
            _wall(
                image,
                board,
                look,
                a,
                b,
                tray.wall * 0.8,
                np.array([0.0, -end * thin if near == inner else end * thin]),
                1.05,
            )


def _decoys(
    image: Floats,
    classes: Pixels,
    board: BoardMap,
    look: Look,
    rng: np.random.Generator,
    number: int,
    free: list[Points],
) -> None:
    """Dice, cubes, cups, coins, cards and pens beside the field: no checkers.

    `free`: spots (x, y) where one may lie.
    """
    if rng.random() < 0.15:
        # A cloth with a pattern.
        inks = rng.uniform(10, 245, (3, 3)).astype(np.float32)
        for _ in range(40):
            x = (1 if rng.random() < 0.5 else -1) * (
                board.width / 2 + max(look.east, look.west) + rng.uniform(0.3, 2.5)
            )
            ring = np.c_[
                _CIRCLE * rng.uniform(0.08, 0.4) + (x, rng.uniform(-6, 6)), np.full(28, -0.3)
            ]
            synthetic._poly(
                image, board.project(ring), synthetic._shade(inks[rng.integers(3)], 1.0)
            )
    for _ in range(number):
        if not free:
            return
        x, y = free.pop(int(rng.integers(len(free))))
        ink = rng.uniform(10, 245, 3).astype(np.float32)
        kind = rng.choice(["cube", "cube", "cup", "coin", "card", "pen"])
        if kind == "cube":
            size, turn = rng.uniform(0.3, 0.95), rng.uniform(0, math.pi)
            square = (np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * size / 2) @ np.array(
                [(math.cos(turn), math.sin(turn)), (-math.sin(turn), math.cos(turn))]
            ) + (x, y)
            low, high = np.c_[square, np.zeros(4)], np.c_[square, np.full(4, size)]
            hull = (
                cv2.convexHull(board.project(np.concatenate([low, high])).astype(np.float32))
                .reshape(-1, 2)
                .astype(np.float64)
            )
            synthetic._poly(image, hull, synthetic._shade(ink, 0.6))
            synthetic._poly(image, board.project(high), synthetic._shade(ink, 1.0))
            for _pip in range(int(rng.integers(0, 6))):
                at = np.array((x, y)) + rng.choice([-1, 0, 1], 2) * size * 0.28
                synthetic._poly(
                    image,
                    board.project(np.c_[_CIRCLE[::3] * size * 0.1 + at, np.full(10, size)]),
                    synthetic._shade(255 - ink, 1.0),
                )
        elif kind == "cup":
            r, high_ = rng.uniform(0.6, 1.1), rng.uniform(1.0, 2.2)
            rings = [
                board.project(np.c_[_CIRCLE * r * f + (x, y), np.full(28, h)])
                for f, h in ((1.0, 0), (1.1, high_), (0.95, high_))
            ]
            hull = (
                cv2.convexHull(np.concatenate(rings[:2]).astype(np.float32))
                .reshape(-1, 2)
                .astype(np.float64)
            )
            synthetic._poly(image, hull, synthetic._shade(ink, 0.7))
            synthetic._poly(image, rings[1], synthetic._shade(ink, 1.0))
            synthetic._poly(image, rings[2], synthetic._shade(ink, 0.35))
            synthetic._poly(classes, hull, float(OCCLUDER))
        elif kind == "coin":
            ring = board.project(np.c_[_CIRCLE * rng.uniform(0.2, 0.33) + (x, y), np.zeros(28)])
            synthetic._poly(image, ring, synthetic._shade(ink, 1.0))
        else:
            long, wide = (
                (rng.uniform(0.8, 2.4), rng.uniform(0.7, 1.6))
                if kind == "card"
                else (rng.uniform(1.5, 3.2), 0.14)
            )
            turn = rng.normal(0, 0.2)
            axis = np.array((math.sin(turn), math.cos(turn)))
            across = np.array((axis[1], -axis[0]))
            quad = [
                np.array((x, y)) + a * axis * long / 2 + b * across * wide / 2
                for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
            ]
            synthetic._poly(
                image, board.project([(*q, 0.0) for q in quad]), synthetic._shade(ink, 1.0)
            )


def _reach(rng: np.random.Generator, image: Floats, classes: Pixels, board: BoardMap) -> None:
    """A sleeve or hand over one side of the board."""
    side, end = (1 if rng.random() < 0.5 else -1), (1 if rng.random() < 0.5 else -1)
    x = side * (board.width / 2 + rng.uniform(0, 2.2))
    tip = board.project([(x, end * rng.uniform(0.5, 4.5), 0.8)])[0]
    back = board.project([(x + rng.normal(0, 2), end * (board.height / 2 + 8), 2.0)])[0]
    scale = float(np.linalg.norm(np.diff(board.project([(0, 0, 0.4), (1, 0, 0.4)]), axis=0)))
    ink = rng.uniform(20, 235, 3).astype(np.float32)
    a, b = (tuple(int(v) for v in np.clip(p, -3000, 6000)) for p in (tip, back))
    width = scale * rng.uniform(0.9, 2.0)
    for k, f in ((1.0, 0.7), (0.75, 0.95), (0.4, 1.1)):
        cv2.line(image, a, b, synthetic._shade(ink, f), max(1, int(width * k)), cv2.LINE_AA)
    cv2.line(classes, a, b, OCCLUDER, max(1, int(width)))


def paint_beside(
    rng: np.random.Generator,
    counts: Counts,
    off: tuple[int, int],
    *,
    look: Look | None = None,
    board_map: BoardMap | None = None,
    size: tuple[int, int] = (960, 720),
    orientation: int = 0,
    oblique: bool = False,
    far_side: tuple[int, int] = (0, 0),
    swapped: bool = False,
    decoys: int = 0,
    covered: bool = False,
    dice: int = 2,
) -> BesideScene:
    """Like `synthetic.paint`, with `off` (light, dark) borne off at the board's east and `far_side`
    at its west, in trays where it has any.

    `covered`: a sleeve may lie over them. Orders of magnitude: 960x720 in 60 ms on one core.
    """
    look = look or random_look(rng)
    board = board_map or synthetic.random_camera(rng, look, size, orientation, oblique=oblique)
    image = synthetic._ground(rng, board, look)
    classes: Pixels = np.full(image.shape[:2], BACKGROUND, np.uint8)
    trays = _trays(board, look, float(rng.uniform(0.22, 0.42)))
    by_side = {tray.side: tray for tray in trays}
    beside: list[Beside] = []
    for side, number in ((1, off), (-1, far_side)):
        beside += stand_beside(rng, board, look, number, side, by_side.get(side), swapped)
    for tray in trays:
        _tray_floor(image, board, look, tray, rng)
        _tray_walls(image, board, look, tray, behind=True, rng=rng)
    plain = replace(look, flat_off=False)
    on_board = synthetic._stand(rng, board, counts, (0, 0), (0, 0), plain)
    flat = [
        synthetic._Disc(b.x, b.y, b.z, b.colour, float(rng.uniform(-0.04, 0.04)))
        for b in beside
        if not b.on_edge
    ]
    free = _free(rng, board, look, beside, by_side)
    _decoys(image, classes, board, look, rng, decoys, free)
    synthetic._paint_discs(image, classes, board, on_board + flat, look, rng)
    _standing(image, classes, board, [b for b in beside if b.on_edge], look, rng)
    for tray in trays:
        _tray_walls(image, board, look, tray, behind=False, rng=rng)
    synthetic._dice(image, classes, board, rng, dice)
    if covered:
        if rng.random() < 0.6:
            _reach(rng, image, classes, board)
        else:
            synthetic._cover(image, classes, board, rng)
    pixels = synthetic._expose(image, rng, look)
    total = (off[0] + far_side[0], off[1] + far_side[1])
    has = (-1 in by_side, 1 in by_side)
    scene = Scene(
        Frame(pixels),
        board,
        dict(counts),
        (0, 0),
        total,
        look,
        classes,
        synthetic._visible(board, classes, look),
        has,
    )
    return BesideScene(scene, tuple(beside))


def _free(
    rng: np.random.Generator,
    board: BoardMap,
    look: Look,
    beside: list[Beside],
    trays: dict[int, _Tray],
) -> list[Points]:
    """Spots beside the field where no checker is near."""
    spots = []
    for side, room in ((1, look.east), (-1, look.west)):
        tray = trays.get(side)
        for y in np.arange(-board.height / 2 + 0.5, board.height / 2, 0.9):
            x = side * (
                (tray.inner + tray.outer) / 2
                if tray and rng.random() < 0.7
                else board.width / 2 + room + rng.uniform(0.5, 1.8)
            )
            if all(math.hypot(x - b.x, y - b.y) > 1.3 for b in beside):
                spots.append(np.array((x, y)))
    return spots

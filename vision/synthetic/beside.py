"""Painted boards with checkers borne off: trays with dividers, checkers on edge or in piles, piles
on the table, and decoys.

Made of the same brushes as `synthetic`; a file of its own, since the simulator needs none of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from vision.arrays import F64, Pixels
from vision.frame import Frame
from vision.geometry import BoardMap
from vision.synthetic.clutter import paint_cover, paint_dice
from vision.synthetic.decoys import paint_decoys, paint_sleeve
from vision.synthetic.discs import Disc, paint_discs, stand_checkers
from vision.synthetic.edgewise import BorneOff, paint_edgewise
from vision.synthetic.exposure import expose
from vision.synthetic.ground import paint_ground
from vision.synthetic.look import Look, random_look
from vision.synthetic.tray_walls import Tray, paint_tray_floor, paint_tray_walls, trays_of
from vision.synthetic.truth import (
    BACKGROUND,
    DARK,
    LIGHT,
    PaintedScene,
    PointCounts,
    visible_shares,
)
from vision.synthetic.viewpoint import random_camera


@dataclass(frozen=True, slots=True)
class BesidePlan:
    """What is to lie beside the field. `off`, `far_side`: (light, dark) borne off at the board's
    east and west. `swapped`: light at the north end. `covered`: a sleeve may lie over some of it.
    """

    off: tuple[int, int]
    far_side: tuple[int, int] = (0, 0)
    swapped: bool = False
    decoys: int = 0
    covered: bool = False
    dice: int = 2


@dataclass(frozen=True, slots=True)
class BesideScene:
    """A painted scene; what lies beside its field, and the places (right of the field 1 or left -1,
    north 1 or south -1) meant for it.
    """

    scene: PaintedScene
    beside: tuple[BorneOff, ...]


@dataclass(frozen=True, slots=True)
class _Habit:
    """How one player puts checkers down: `per` a pile, lengths in point widths."""

    style: str
    per: int
    floor: float
    gap: float
    sway: float


def _habit(rng: np.random.Generator, most: int, tray: Tray | None) -> _Habit:
    styles = ["edge", "edge", "flat", "rows"] if tray else ["piles", "piles", "rows", "strewn"]
    style = str(rng.choice(styles))
    per = int(rng.choice([1, 2, 3, 4, 4, 5, 5, 6, 7])) if style in ("piles", "flat") else 1
    if tray:
        # No more than five piles find room at an end.
        per = max(per, math.ceil(most / 5))
    floor = 0.0 if tray else -float(rng.uniform(0.15, 0.45))
    return _Habit(style, per, floor, rng.uniform(0, 0.04), rng.uniform(0.005, 0.05))


def stand_beside(
    rng: np.random.Generator,
    board: BoardMap,
    look: Look,
    off: tuple[int, int],
    side: int,
    tray: Tray | None,
    swapped: bool,
) -> list[BorneOff]:
    """Where people put `off` (light, dark) checkers on one side of the board: light at the south
    end unless `swapped`.
    """
    d = look.checker
    found: list[BorneOff] = []
    habit = _habit(rng, max(off), tray)
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
            if habit.style == "edge":
                y = start - look.thickness * (k + 0.55) - habit.gap * k
                x_here = x + rng.normal(0, 0.015)
                tilt = float(rng.normal(0, 0.035))
                one = BorneOff(colour, x_here, end * y, habit.floor + d / 2, True, tilt)
                found.append(one)
                continue
            column, level = divmod(k, habit.per)
            at = _flat_spot(rng, habit, look, (x, start), side, column, tray is not None)
            z = habit.floor + level * look.thickness
            x_here = float(at[0] + rng.normal(0, 0.01))
            found.append(BorneOff(colour, x_here, float(end * at[1]), z))
    return found


def _flat_spot(
    rng: np.random.Generator,
    habit: _Habit,
    look: Look,
    begin: tuple[float, float],
    side: int,
    column: int,
    in_tray: bool,
) -> tuple[float, float]:
    """Where a checker that lies flat has its middle (x, y): of the pile `column` places on from
    where the row begins.
    """
    (x, start), d, gap, sway = begin, look.checker, habit.gap, habit.sway
    if in_tray:
        at = (
            x + rng.normal(0, sway),
            start - d * (column + 0.53) - 2 * gap * column + rng.normal(0, sway / 2),
        )
    elif habit.style == "rows":
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
    if habit.style == "strewn":
        at = (at[0] + side * abs(rng.normal(0, 0.3)), at[1] + rng.normal(0, 0.2))
    return at


def paint_beside(
    rng: np.random.Generator,
    counts: PointCounts,
    plan: BesidePlan,
    *,
    look: Look | None = None,
    board_map: BoardMap | None = None,
    size: tuple[int, int] = (960, 720),
    orientation: int = 0,
    oblique: bool = False,
) -> BesideScene:
    """A scene like that of `scene.paint`, with what `plan` says beside its field, in trays where
    the board has any. Orders of magnitude: 960x720 in 60 ms on one core.
    """
    look = look or random_look(rng)
    board = board_map or random_camera(rng, look, size, orientation, oblique=oblique)
    image = paint_ground(rng, board, look)
    classes: Pixels = np.full(image.shape[:2], BACKGROUND, np.uint8)
    trays = trays_of(board, look, float(rng.uniform(0.22, 0.42)))
    by_side = {tray.side: tray for tray in trays}
    beside: list[BorneOff] = []
    for side, number in ((1, plan.off), (-1, plan.far_side)):
        beside += stand_beside(rng, board, look, number, side, by_side.get(side), plan.swapped)
    for tray in trays:
        paint_tray_floor(image, board, look, tray, rng)
        paint_tray_walls(image, board, look, tray, behind=True, rng=rng)
    plain = replace(look, flat_off=False)
    on_board = stand_checkers(rng, board, counts, (0, 0), (0, 0), plain)
    flat = [
        Disc(b.x, b.y, b.z, b.colour, float(rng.uniform(-0.04, 0.04)))
        for b in beside
        if not b.on_edge
    ]
    free = _free(rng, board, look, beside, by_side)
    paint_decoys(image, classes, board, look, rng, plan.decoys, free)
    paint_discs(image, classes, board, on_board + flat, look)
    paint_edgewise(image, classes, board, [b for b in beside if b.on_edge], look, rng)
    for tray in trays:
        paint_tray_walls(image, board, look, tray, behind=False, rng=rng)
    paint_dice(image, classes, board, rng, plan.dice)
    if plan.covered:
        if rng.random() < 0.6:
            paint_sleeve(rng, image, classes, board)
        else:
            paint_cover(image, classes, board, rng)
    pixels = expose(image, rng, look)
    total = (plan.off[0] + plan.far_side[0], plan.off[1] + plan.far_side[1])
    has = (-1 in by_side, 1 in by_side)
    scene = PaintedScene(
        Frame(pixels),
        board,
        dict(counts),
        (0, 0),
        total,
        look,
        classes,
        visible_shares(board, classes, look, np.zeros_like(classes), counts),
        has,
    )
    return BesideScene(scene, tuple(beside))


def _free(
    rng: np.random.Generator,
    board: BoardMap,
    look: Look,
    beside: list[BorneOff],
    trays: dict[int, Tray],
) -> list[F64]:
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

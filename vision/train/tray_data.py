"""Strips beside the field with their truths, for `vision.train.trays`: of traced scenes and of
painted ones.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor

from vision import canvas as grid
from vision.arrays import F32, F64, I64, Mask, Pixels
from vision.geometry import BoardMap, GeometryError, from_corners, unit_between
from vision.prepared import PreparedMap
from vision.scene_truth import SceneTruth, Share, share_of
from vision.synthetic import scene as synthetic
from vision.synthetic.beside import BesidePlan, BesideScene, paint_beside
from vision.synthetic.look import random_look
from vision.synthetic.truth import DARK, LIGHT, OCCLUDER
from vision.train.data import traced
from vision.train.dice.scenes import map_of
from vision.trays import (
    CELLS,
    COUNTS,
    LONG,
    PLACES,
    colours_of,
    spot,
    strip_lean,
    strip_tables,
    tray_input,
    tray_strips,
)


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """One training strip. `colours` of the two sets; `rows` N x 2: set 0/1 and row (strip pixels)
    of each checker; `shows` CELLS x 6: what each cell shows, 0 nothing, 1 and 2 the sets, 3
    something over it; `seen` 1, 0 or -1: no word on it."""

    pixels: Pixels
    within: Mask
    colours: F32
    lean: tuple[float, float]
    rows: F32
    shows: I64
    seen: int

    @property
    def counts(self) -> tuple[int, int]:
        """How many of either set lie in the strip."""
        return int((self.rows[:, 0] == 0).sum()), int((self.rows[:, 0] == 1).sum())


@dataclass(frozen=True, slots=True, eq=False)
class BoardWithTrays:
    """A scene as this training needs it, as the picture shows it. `borne` N x 4: set, place, pixel
    x, y of each checker off the board; `regions` 4 x N x 2: pixels spread over each place where
    checkers would lie."""

    pixels: Pixels
    classes: Pixels
    corners: F64
    bar: float
    colours: F32
    borne: F64
    regions: F64

    def seen(self, place: int) -> int:
        """1 when a place can be judged, 0 when it lies outside the picture or under something, -1
        when nobody can say.
        """
        height, width = self.classes.shape
        at = self.regions[place].round().astype(int)
        inside = (at >= 0).all(1) & (at[:, 0] < width) & (at[:, 1] < height)
        at = at[inside]
        share = float((self.classes[at[:, 1], at[:, 0]] != OCCLUDER).sum()) / len(inside)
        here = self.borne[self.borne[:, 1] == place, 2:]
        if ((here < 0) | (here >= (width, height))).any():
            return 0
        return 1 if share > 0.95 else 0 if share < 0.8 else -1


def place_of(right: float, up: float) -> int:
    """Number of the place (of PLACES) on that side."""
    return PLACES.index((1 if right > 0 else -1, 1 if up > 0 else -1))


def region(
    true: BoardMap, x: tuple[float, float], y: tuple[float, float], z: float, place: int
) -> F64:
    """Pixels of 6 x 16 spots of a rectangle: board units outwards and upwards as the picture shows
    them.
    """
    right, up = PLACES[place]
    gx, gy = np.meshgrid(np.linspace(*x, 6), np.linspace(*y, 16))
    return true.facing(0).project(
        np.stack([right * gx.ravel(), up * gy.ravel(), np.full(gx.size, z)], 1)
    )


def cut_short(item: BoardWithTrays, rng: np.random.Generator) -> BoardWithTrays:
    """The same picture cut off somewhere between the board's right corner and its own edge."""
    low = int(item.corners[:, 0].max()) + 4
    if low >= item.pixels.shape[1] - 4:
        return item
    cut = int(rng.integers(low, item.pixels.shape[1]))
    return replace(
        item,
        pixels=np.ascontiguousarray(item.pixels[:, :cut]),
        classes=np.ascontiguousarray(item.classes[:, :cut]),
    )


def canvas_colours(pixels: Pixels, classes: Pixels, board: BoardMap) -> F32:
    """The sets' colours by the truth, measured as `trays.set_colours` measures them."""
    x, y = grid.canvas_tables(board)
    picture = cv2.remap(pixels, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    shown = cv2.remap(classes, x, y, cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT)
    small = cv2.resize(
        picture, None, fx=1 / grid.CELL, fy=1 / grid.CELL, interpolation=cv2.INTER_AREA
    ).astype(np.float32)
    cells = shown[grid.CELL // 2 :: grid.CELL, grid.CELL // 2 :: grid.CELL]
    return colours_of(small, cells == LIGHT, cells == DARK)


def traced_board(path: Path) -> BoardWithTrays | None:
    """One traced scene, None when its picture or mask is missing."""
    item = traced(path)
    truth: SceneTruth = json.loads(path.read_text())
    if item is None:
        return None
    true, dims = map_of(truth), truth["board_dims_cm"]
    turn, unit = (1 if truth["orientation"] == 0 else -1), dims["w"]
    borne = []
    for c in truth["checkers"]:
        if c["location"] != "off":
            continue
        place = place_of(turn * c["pos_cm"][0], turn * c["pos_cm"][1])
        borne.append((c["color"] == "dark", place, *c["center_px"]))
    regions = []
    for place, (right, _) in enumerate(PLACES):
        east = right == turn
        if dims["tray_w"] and (east or dims["left_tray"]):
            inner = dims["W"] / 2 + dims["div_w"]
            x, y, z = (inner, inner + dims["tray_w"]), (dims["pocket"] / 2, dims["H"] / 2), 0.0
        else:
            out = dims["x_max"] if east else -dims["x_min"]
            x, y, z = (
                (out + 0.3 * dims["d"], out + 1.4 * dims["d"]),
                (0.15 * dims["H"], 0.45 * dims["H"]),
                -dims["base_t"],
            )
        regions.append(
            region(true, (x[0] / unit, x[1] / unit), (y[0] / unit, y[1] / unit), z / unit, place)
        )
    board = from_corners(
        item.corners, (item.pixels.shape[1], item.pixels.shape[0]), bar=item.bar_width
    )
    return BoardWithTrays(
        item.pixels,
        item.classes,
        item.corners,
        item.bar_width,
        canvas_colours(item.pixels, item.classes, board),
        np.array(borne, np.float64).reshape(-1, 4),
        np.stack(regions),
    )


def painted_board(made: BesideScene, others: float = 0.35) -> BoardWithTrays:
    """A painted scene likewise.

    `others`: how far from the frame piles on the table begin, point widths.
    """
    scene, m = made.scene, made.scene.board_map
    turn = 1 if m.orientation == 0 else -1
    borne = []
    for one in made.beside:
        pixel = m.project([(one.x, one.y, one.z + (0 if one.on_edge else m.thickness))])[0]
        place = place_of(turn * one.x, turn * one.y)
        borne.append((one.colour == DARK, place, *pixel))
    regions = []
    for place, (right, _) in enumerate(PLACES):
        east = right == turn
        room = scene.look.east if east else scene.look.west
        if scene.trays[int(east)]:
            x, z = (m.width / 2 + 0.35, m.width / 2 + room - scene.look.rail), 0.0
            y = (0.6, m.height / 2)
        else:
            x, z = (m.width / 2 + room + others, m.width / 2 + room + others + 1.0), -0.3
            y = (0.15 * m.height, 0.45 * m.height)
        regions.append(region(m, x, y, z, place))
    upright = from_corners(m.corners(), m.size, bar=m.bar)
    return BoardWithTrays(
        scene.frame.pixels,
        scene.classes,
        m.corners(),
        m.bar,
        canvas_colours(scene.frame.pixels, scene.classes, upright),
        np.array(borne, np.float64).reshape(-1, 4),
        np.stack(regions),
    )


def painted_trays(rng: np.random.Generator) -> BoardWithTrays:
    """A board with checkers borne off, more often than play has them, in one way or another."""
    counts, _, _ = synthetic.random_counts(rng)
    while not len(counts) >= 2 or not all(any(c[k] for c in counts.values()) for k in (0, 1)):
        counts, _, _ = synthetic.random_counts(rng)

    def some() -> int:
        return (
            0
            if rng.random() < 0.25
            else int(rng.integers(1, 16))
            if rng.random() < 0.7
            else int(rng.integers(1, 5))
        )

    look = random_look(rng)
    size = [(960, 720), (1280, 720), (1024, 768), (832, 624)][rng.integers(4)]
    west = (some(), some()) if rng.random() < 0.35 else (0, 0)
    off = (some(), some())
    orientation, oblique = int(rng.choice([0, 180])), rng.random() < 0.3
    made = paint_beside(
        rng,
        counts,
        BesidePlan(
            off,
            west,
            swapped=rng.random() < 0.3,
            decoys=int(rng.choice([0, 0, 1, 2, 4])),
            covered=rng.random() < 0.15,
        ),
        look=look,
        size=size,
        orientation=orientation,
        oblique=oblique,
    )
    item = painted_board(made)
    return cut_short(item, rng) if rng.random() < 0.25 else item


def strips_of(item: BoardWithTrays, rng: np.random.Generator, times: int) -> list[Strip]:
    """`times` strips of every place that shows anything: the first from true corners, the others
    from shaken ones.
    """
    size = (item.pixels.shape[1], item.pixels.shape[0])
    unit = unit_between(item.corners, item.bar)
    found = []
    for time_ in range(times):
        corners = item.corners + (
            rng.normal(0, unit * float(rng.choice([0.01, 0.03, 0.06])), (4, 2)) if time_ else 0
        )
        try:
            board = from_corners(
                corners, size, bar=item.bar * (float(rng.normal(1, 0.02)) if time_ else 1.0)
            )
        except GeometryError:
            continue
        pictures, within = tray_strips(item.pixels, PreparedMap(board))
        for place in range(len(PLACES)):
            here = item.borne[item.borne[:, 1] == place]
            if within[place].mean() < 0.2:
                continue
            rows = np.array(
                [(c, spot(board, place, (x, y))[0]) for c, _, x, y in here], np.float32
            ).reshape(-1, 2)
            found.append(
                Strip(
                    pictures[place],
                    within[place],
                    item.colours,
                    strip_lean(board, place),
                    rows,
                    labels(item.classes, board, place),
                    item.seen(place),
                )
            )
    return found


def labels(classes: Pixels, board: BoardMap, place: int) -> I64:
    """What the middle of each cell shows, see `Strip.shows`."""
    step = LONG // CELLS
    x, y = (np.ascontiguousarray(t[step // 2 :: step, 8::16]) for t in strip_tables(board, place))
    there = cv2.remap(classes, x, y, cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT)
    shown: I64 = np.array([0, 1, 2, 3, 0], np.int64)[there]
    return shown


def shaken_strip(strip: Strip, rng: np.random.Generator) -> Strip:
    """Shifted a little, under another lamp and another lens, the sets called the other way about,
    one of them perhaps not known.
    """
    shift = (int(rng.integers(-3, 4)), int(rng.integers(-1, 2)))
    pixels, within = np.roll(strip.pixels, shift, (0, 1)), np.roll(strip.within, shift, (0, 1))
    rows = strip.rows + np.array([0, shift[0]], np.float32)
    colours = strip.colours.copy()
    # The sets' colours go through the same lamp: two more pixels of the picture.
    both = np.concatenate(
        [pixels.reshape(-1, 3), np.clip(colours[:, :3], 0, 255).astype(np.uint8)]
    )[None]
    if rng.random() < 0.35:
        hsv = cv2.cvtColor(both, cv2.COLOR_BGR2HSV)
        hsv[..., 0] = ((np.arange(256) + int(rng.integers(0, 180))) % 180).astype(np.uint8)[
            hsv[..., 0]
        ]
        both = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR).astype(np.uint8, copy=False)
    both = both[..., rng.permutation(3)] if rng.random() < 0.2 else both
    level = 255 * (np.arange(256) / 255) ** rng.uniform(0.7, 1.4) * rng.uniform(0.6, 1.35)
    curves = [
        np.clip(level * rng.uniform(0.88, 1.12) + rng.uniform(-12, 12), 0, 255).astype(np.uint8)
        for _ in range(3)
    ]
    both = np.stack([curves[c][both[..., c]] for c in range(3)], -1)
    pixels = both[0, :-2].reshape(pixels.shape)
    colours[:, :3] = np.where(colours[:, 3:] > 0, both[0, -2:] + rng.normal(0, 5, (2, 3)), 0)
    if rng.random() < 0.15:
        pixels = cv2.GaussianBlur(pixels, (0, 0), rng.uniform(0.4, 0.9)).astype(
            np.uint8, copy=False
        )
    if rng.random() < 0.3:
        pixels = np.clip(
            pixels + rng.standard_normal(pixels.shape, dtype=np.float32) * rng.uniform(1, 8), 0, 255
        ).astype(np.uint8)
    pixels = np.where(within[..., None], pixels, 0).astype(np.uint8)
    shows = strip.shows
    if rng.random() < 0.5:
        colours, rows = colours[::-1].copy(), np.stack([1 - rows[:, 0], rows[:, 1]], 1)
        shows = np.array([0, 2, 1, 3], np.int64)[shows]
    if rng.random() < 0.08:
        colours[int(rng.integers(2))] = 0
    return Strip(pixels, within, colours, strip.lean, rows, shows, strip.seen)


StripBatch = dict[str, Tensor]


def strip_batch(found: list[Strip]) -> StripBatch:
    """Strips stacked as the network and the losses want them."""
    x = [
        tray_input(s.pixels[None], s.within[None], s.colours, np.array([s.lean], np.float32))
        for s in found
    ]
    cells = np.zeros((len(found), 2, CELLS), np.float32)
    for n, s in enumerate(found):
        for c, row in s.rows:
            at = float(np.clip(row * CELLS / LONG - 0.5, 0, CELLS - 1.001))
            cells[n, int(c), int(at)] += 1 - at % 1
            cells[n, int(c), int(at) + 1] += at % 1
    counts = np.minimum([s.counts for s in found], COUNTS - 1)
    return {
        "x": torch.from_numpy(np.concatenate(x)),
        "cells": torch.from_numpy(cells),
        "counts": torch.from_numpy(counts.astype(np.int64)),
        "shows": torch.from_numpy(np.stack([s.shows for s in found])),
        "seen": torch.tensor([s.seen for s in found]),
    }


def tray_training(
    folders: list[Path], rng: np.random.Generator, *, only_held: bool = False
) -> tuple[list[Strip], list[Strip]]:
    """(training, held out) strips of traced scenes: those with checkers borne off eight times,
    others twice and cut off; held-out ones four times and once."""
    training: list[Strip] = []
    held: list[Strip] = []
    for path in (p for folder in folders for p in sorted(folder.glob("*.json"))):
        try:
            share = share_of(json.loads(path.read_text())["theme"])
            wanted = (Share.FIT,) if only_held else (Share.FIT, Share.LEARN)
            item = traced_board(path) if share in wanted else None
        except (ValueError, KeyError, TypeError, IndexError):
            # A scene being written at this moment.
            continue
        if item is None:
            continue
        if share is Share.FIT:
            held += strips_of(item, rng, 4 if len(item.borne) else 1)
        else:
            training += strips_of(item, rng, 8 if len(item.borne) else 2) + strips_of(
                cut_short(item, rng), rng, 1
            )
    return training, held

"""Training samples: canvases with their truths, from painted scenes and from folders of traced
ones.

A folder of traced scenes holds `*.json` with `*.jpg` and `masks/*.png` beside them, in the form the
project's scene generator writes (field corners, points, bar, off, point_visible, instance mask:
10-59 checkers, 60-75 dice and cube, 80-119 hands and things).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision import canvas as grid
from vision.arrays import F32, F64, I64, Pixels
from vision.corners import half_corners
from vision.geometry import BoardMap
from vision.scene_truth import CheckerPair, SceneTruth, Share, share_of
from vision.synthetic.look import hiding, random_look
from vision.synthetic.scene import paint, random_counts
from vision.synthetic.truth import (
    DARK,
    DICE,
    LIGHT,
    OCCLUDER,
    UNSEEN,
    WALL,
    PaintedScene,
    foot_hidden,
    telling_place,
)
from vision.synthetic.viewpoint import low_camera, random_camera
from vision.train.dice.scenes import map_of


@dataclass(frozen=True, slots=True)
class Labelled:
    """A picture with truth in picture order. `corners` TL TR BR BL; `points` 24 kinds in the order
    of `canvas.image_index`.

    `halves` 8 x 2: pixels of `calibrate.half_corners`, bent by the lens as they are seen. `tops` N
    x 5: of checkers in full view the colour (0 light, 1 dark), middle and half width and height of
    the top, pixels. `bar_tops` N x 3: of checkers on the bar the colour and the middle of the top,
    pixels. `outline`: corners of the whole board with its frame.
    """

    pixels: Pixels
    classes: Pixels
    corners: F64
    halves: F64
    bar_width: float
    points: I64
    visible: F32
    bar: tuple[int, int]
    off: tuple[int, int]
    east_right: bool
    sided: bool
    traced: bool
    tops: F32 = field(default_factory=lambda: np.empty((0, 5), np.float32))
    bar_tops: F32 = field(default_factory=lambda: np.empty((0, 3), np.float32))
    outline: F32 = field(default_factory=lambda: np.empty((0, 2), np.float32))


NO_CHECKERS: Final[CheckerPair] = {"light": 0, "dark": 0}


def label_kind(light: int, dark: int) -> int:
    """The kind (0-30) that a point with these checkers is labelled with."""
    return min(light, 15) if light else 15 + min(dark, 15) if dark else 0


def seen_halves(true: BoardMap) -> F64:
    """Pixels (8 x 2) of `corners.half_corners` as the lens bends them."""
    upright = true.facing(0)
    return upright.project(half_corners(upright))


def from_scene(scene: PaintedScene) -> Labelled:
    """A painted scene with its truth in picture order."""
    m = scene.board_map
    order = [0] * 24
    seen = [0.0] * 24
    for p in range(1, 25):
        i = grid.image_index(p, m.orientation)
        order[i], seen[i] = label_kind(*scene.counts.get(p, (0, 0))), scene.visible[p - 1]
    sided = scene.trays == (False, True)
    return Labelled(
        scene.frame.pixels,
        scene.classes,
        m.corners(),
        seen_halves(m),
        m.bar,
        np.array(order),
        np.array(seen, np.float32),
        scene.bar,
        scene.off,
        m.orientation == 0,
        sided,
        False,
        bar_tops=painted_tops(scene),
    )


def painted_tops(scene: PaintedScene) -> F32:
    """`Labelled.bar_tops` of a painted scene."""
    if not scene.on_bar:
        return np.empty((0, 3), np.float32)
    colours = np.array([[colour == DARK] for *_, colour in scene.on_bar])
    tops = [(x, y, z + scene.look.thickness) for x, y, z, _ in scene.on_bar]
    return np.concatenate([colours, scene.board_map.project(tops)], 1).astype(np.float32)


def traced(path: Path) -> Labelled | None:
    """One traced scene, None when its picture or mask is missing."""
    truth: SceneTruth = json.loads(path.read_text())
    pixels = cv2.imread(str(path.with_suffix(".jpg")))
    mask = cv2.imread(str(path.parent / truth["mask"]), cv2.IMREAD_GRAYSCALE)
    if pixels is None or mask is None:
        return None
    table = np.zeros(256, np.uint8)
    table[60:76], table[80:119] = DICE, OCCLUDER
    for checker in truth["checkers"]:
        table[checker["mask_id"]] = (
            OCCLUDER
            if checker["location"] == "in_hand"
            else LIGHT
            if checker["color"] == "light"
            else DARK
        )
    board = map_of(truth)
    walls = ((mask == FRAME) | (mask == BAR)).astype(np.uint8)
    order, seen = [0] * 24, [0.0] * 24
    for p in range(1, 25):
        i = grid.image_index(p, truth["orientation"])
        here = truth["points"][str(p)]
        order[i], seen[i] = label_kind(here["light"], here["dark"]), truth["point_visible"][str(p)]
        place = telling_place(here["light"] + here["dark"])
        if foot_hidden(p, board, walls, place) > WALL:
            seen[i] = min(seen[i], UNSEEN)
    dims = truth["board_dims_cm"]
    bar, off = truth["bar"] or NO_CHECKERS, truth["off_in_image"]
    sided = bool(dims["tray_w"] and not dims["left_tray"]) or off["light"] + off["dark"] > 0
    return Labelled(
        pixels.astype(np.uint8),
        table[mask],
        np.array(truth["field_corners_image"], np.float64),
        seen_halves(board),
        dims["bar_w"] / dims["w"],
        np.array(order),
        np.array(seen, np.float32),
        (bar["light"], bar["dark"]),
        (off["light"], off["dark"]),
        truth["orientation"] == 0,
        sided,
        True,
        tops_of(truth),
        np.array(
            [
                (c["color"] == "dark", *c["center_px"])
                for c in truth["checkers"]
                if c["location"] == "bar"
            ],
            np.float32,
        ).reshape(-1, 3),
        np.array(list(truth["frame_outer_corners_logical"]), np.float32).reshape(-1, 2),
    )


FRAME, BAR = 2, 4
"""Numbers in the mask of a rendered scene."""


def tops_of(truth: SceneTruth) -> F32:
    """`Labelled.tops` of a traced scene's truth."""
    rows = []
    for checker in truth["checkers"]:
        if checker["visible"] > 0.85 and checker["location"] == "point":
            x0, y0, x1, y1 = checker["top_ellipse_bbox"]
            rows.append(
                (
                    checker["color"] == "dark",
                    (x0 + x1) / 2,
                    (y0 + y1) / 2,
                    (x1 - x0) / 2,
                    (y1 - y0) / 2,
                )
            )
    return np.array(rows, np.float32).reshape(-1, 5)


def stamped(item: Labelled, rng: np.random.Generator) -> Labelled:
    """The item with something on its checkers, as sets of clubs and makers have: a ring, a disc, a
    letter, a bright dome.
    """
    pixels = item.pixels.copy()
    for colour in (0, 1):
        kind, size, strength = rng.integers(5), rng.uniform(0.35, 0.75), rng.uniform(0.25, 0.9)
        if kind == 4:
            continue
        ink = tuple(
            float(v) for v in np.clip(rng.choice([15, 128, 240]) + rng.normal(0, 30, 3), 0, 255)
        )
        letter = chr(65 + int(rng.integers(26)))
        for _, x, y, a, b in item.tops[item.tops[:, 0] == colour]:
            x0, y0, x1, y1 = (round(float(v)) for v in (x - a, y - b, x + a + 1, y + b + 1))
            if x0 < 0 or y0 < 0 or min(x1 - x0, y1 - y0) < 6:
                continue
            piece = pixels[y0:y1, x0:x1]
            drawn, at = piece.copy(), (piece.shape[1] // 2, piece.shape[0] // 2)
            axes = (max(1, round(size * float(a))), max(1, round(size * float(b))))
            if kind < 2:
                cv2.ellipse(
                    drawn,
                    at,
                    axes,
                    0,
                    0,
                    360,
                    ink,
                    -1 if kind == 1 else max(1, axes[1] // 5),
                    cv2.LINE_AA,
                )
            elif kind == 2:
                scale = axes[1] / 14
                cv2.putText(
                    drawn,
                    letter,
                    (at[0] - axes[1] // 2, at[1] + axes[1] // 2),
                    0,
                    scale,
                    ink,
                    max(1, round(2 * scale)),
                    cv2.LINE_AA,
                )
            else:
                up = (at[0] + round(0.2 * axes[0]), at[1] - round(0.25 * axes[1]))
                cv2.ellipse(
                    drawn,
                    up,
                    axes,
                    0,
                    0,
                    360,
                    tuple(min(255.0, v + 90) for v in cv2.mean(piece)[:3]),
                    -1,
                    cv2.LINE_AA,
                )
                drawn = cv2.GaussianBlur(drawn, (0, 0), max(0.8, axes[1] / 3)).astype(
                    np.uint8, copy=False
                )
            pixels[y0:y1, x0:x1] = cv2.addWeighted(drawn, strength, piece, 1 - strength, 0)
    return replace(item, pixels=pixels)


LOW: Final = 0.45
"""Share of painted boards seen from a low stand or turned: there readers err most."""
STARTS: Final[tuple[dict[int, tuple[int, int]], ...]] = (
    {24: (15, 0), 1: (0, 15)},
    {24: (15, 0), 12: (0, 15)},
    {24: (2, 0), 13: (5, 0), 8: (3, 0), 6: (5, 0), 1: (0, 2), 12: (0, 5), 17: (0, 3), 19: (0, 5)},
)


ON_BAR: Final = (0.34, 0.18, 0.16, 0.14, 0.1, 0.08)
"""How often none to five of a set stand on a bar that is meant to be full."""


SMALL: Final = ((448, 336), (448, 336), (480, 320), (512, 384), (640, 480))
"""Sizes of pictures that show a bar as finely as the canvas does, and are soon painted."""


def with_full_bar(
    counts: dict[int, tuple[int, int]], bar: tuple[int, int], rng: np.random.Generator
) -> tuple[dict[int, tuple[int, int]], tuple[int, int]]:
    """The same position (points, bar) with as many of each set on the bar as `ON_BAR` says, where
    the points have so many.
    """
    counts, moved = dict(counts), [0, 0]
    for colour in (0, 1):
        wanted = int(rng.choice(len(ON_BAR), p=ON_BAR)) - bar[colour]
        for _ in range(wanted):
            own = [p for p, c in counts.items() if c[colour]]
            if own:
                point = own[rng.integers(len(own))]
                light, dark = counts[point]
                counts[point] = (light - (colour == 0), dark - (colour == 1))
                moved[colour] += 1
    return counts, (bar[0] + moved[0], bar[1] + moved[1])


def painted_labelled(rng: np.random.Generator, *, full_bar: bool = False) -> Labelled:
    """A painted board as games and mischief make them, nearly half of them seen as readers find
    hardest: from low or turned, walled, with cups on it; one in eight before a wide lens.

    `full_bar`: many checkers on the bar, in three of four boards anywhere along it.
    """
    counts, bar, off = random_counts(rng)
    if full_bar:
        counts, bar = with_full_bar(counts, bar, rng)
    elif rng.random() < 0.06:
        counts, bar, off = dict(STARTS[rng.integers(len(STARTS))]), (0, 0), (0, 0)
    sizes = SMALL if full_bar else ((640, 480), (640, 360), (720, 480), (576, 432))
    size = sizes[rng.integers(len(sizes))]
    orientation, low = int(rng.choice([0, 180])), rng.random() < LOW
    look = random_look(rng)
    if low:
        look = hiding(rng, look)
        camera = low_camera(rng, look, size, orientation)
    else:
        camera = random_camera(rng, look, size, orientation, oblique=rng.random() < 0.3)
    if rng.random() < 0.12:
        # A wide-angle camera: rails bent by a quarter of a point.
        camera = replace(camera, lens=(float(rng.uniform(-0.35, -0.1)), 0.0, 0.0, 0.0, 0.0))
    return from_scene(
        paint(
            rng,
            counts,
            bar=bar,
            off=off,
            look=look,
            board_map=camera,
            size=size,
            covered=rng.random() < 0.2,
            dice=int(rng.choice([0, 1, 2, 2, 2, 4])),
            things=int(rng.choice([0, 1, 2], p=[0.8, 0.17, 0.03])),
            bar_anywhere=full_bar and rng.random() < 0.75,
        ),
    )


class Traced:
    """All traced scenes of some folders, split by palette (`share_of`): most teach, a tenth is held
    out for the numbers beside the weights, and what measures is not even opened.

    `refresh` takes in what has come since.
    """

    def __init__(self, folders: list[Path]) -> None:
        self.folders = folders
        self.training: list[Labelled] = []
        self.held_out: list[Labelled] = []
        self._seen: set[Path] = set()
        self.refresh()

    def refresh(self) -> None:
        """Nothing; traced scenes that have come are taken in."""
        for path in (
            p
            for folder in self.folders
            for p in sorted(folder.glob("*.json"))
            if p not in self._seen
        ):
            try:
                share = share_of(json.loads(path.read_text())["theme"])
                item = None if share is Share.MEASURE else traced(path)
            except (ValueError, KeyError, TypeError, IndexError):
                # A scene being written at this moment; the next refresh finds it whole.
                continue
            if item is not None:
                self._seen.add(path)
                (self.held_out if share is Share.FIT else self.training).append(item)

"""Training examples of the checker network: canvases with their truths, shaken and re-coloured."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision import canvas as grid
from vision.arrays import F32, F64, I64, Pixels
from vision.geometry import BoardMap, from_corners
from vision.synthetic.look import brightness
from vision.synthetic.truth import DARK, LIGHT
from vision.train.data import Labelled

BAR_KINDS = 6


@dataclass(frozen=True, slots=True)
class CanvasExample:
    """One training example, everything on the canvas. `bar_rows`: see `rows_of`."""

    canvas: Pixels
    classes: Pixels
    points: I64
    visible: F32
    bar: tuple[int, int]
    bar_rows: F32
    off: tuple[int, int]
    palette: F32
    east_right: float
    sided: float


def true_map(item: Labelled) -> BoardMap:
    """The map a reader would have from the true corners and the true bar."""
    return from_corners(
        item.corners, (item.pixels.shape[1], item.pixels.shape[0]), bar=item.bar_width
    )


def straight(item: Labelled) -> tuple[Pixels, Pixels]:
    """The item's canvas and its classes, from its true corners."""
    x, y = grid.canvas_tables(true_map(item))
    picture = cv2.remap(item.pixels, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT)
    classes = cv2.remap(item.classes, x, y, cv2.INTER_NEAREST, borderMode=cv2.BORDER_CONSTANT)
    return picture.astype(np.uint8, copy=False), classes.astype(np.uint8, copy=False)


def shaking(rng: np.random.Generator) -> F64 | None:
    """How a canvas would lie had its corners and bar been a little wrong, by up to a fifth of a
    point: so far off are maps whose near edge is hidden (`vision.hidden`). None: as it does.
    """
    if rng.random() < 0.3:
        return None
    unit = grid.POINT * float(rng.choice([0.03, 0.06, 0.12, 0.2]))
    far = np.array([(grid.MARGIN, grid.RAIL), (grid.COLUMNS - grid.MARGIN, grid.RAIL)], np.float32)
    corners = np.concatenate([far, far[::-1] + np.array((0, grid.FIELD_ROWS))]).astype(np.float32)
    moved = (corners + rng.normal(0, unit, (4, 2)) + rng.normal(0, unit, 2)).astype(np.float32)
    return np.asarray(cv2.getPerspectiveTransform(corners, moved), np.float64)


def shaken_canvas(picture: Pixels, classes: Pixels, warp: F64) -> tuple[Pixels, Pixels]:
    """A canvas so shaken. Cheap beside making it anew."""
    size = (grid.COLUMNS, grid.ROWS)
    a = cv2.warpPerspective(picture, warp, size, flags=cv2.INTER_LINEAR)
    b = cv2.warpPerspective(classes, warp, size, flags=cv2.INTER_NEAREST)
    return a.astype(np.uint8, copy=False), b.astype(np.uint8, copy=False)


def on_canvas(item: Labelled) -> F64:
    """Checkers on the bar: their set (0 light, 1 dark), column and row on the item's canvas."""
    if not len(item.bar_tops):
        return np.empty((0, 3))
    board = true_map(item)
    flat = board.unproject(item.bar_tops[:, 1:].astype(np.float64), board.thickness)
    return np.concatenate([item.bar_tops[:, :1], grid.to_canvas(board, flat)], 1)


def rows_of(tops: F64) -> F32:
    """How much of each set's checkers on the bar lies in each row of cells (2 x 24): a checker is
    shared by the two rows that are nearest to its middle.
    """
    rows = np.zeros((2, grid.ROWS // grid.CELL), np.float32)
    for colour, _, row in tops:
        at = float(np.clip((row + 0.5) / grid.CELL - 0.5, 0, len(rows[0]) - 1.001))
        rows[int(colour), int(at)] += 1 - at % 1
        rows[int(colour), int(at) + 1] += at % 1
    return rows


def canvas_example(
    item: Labelled, rng: np.random.Generator | None, ready: tuple[Pixels, Pixels] | None = None
) -> CanvasExample:
    """The item's canvas, as it is (rng None) or shaken, mirrored and re-coloured.

    `ready`: what `straight` gave.
    """
    picture, classes = ready or straight(item)
    tops = on_canvas(item)
    if rng is not None and (warp := shaking(rng)) is not None:
        picture, classes = shaken_canvas(picture, classes, warp)
        if len(tops):
            tops[:, 1:] = cv2.perspectiveTransform(tops[:, None, 1:], warp)[:, 0]
    points, visible, bar, off, east = (
        item.points.copy(),
        item.visible.copy(),
        item.bar,
        item.off,
        item.east_right,
    )
    if rng is not None:
        if rng.random() < 0.5:
            picture, classes = picture[:, ::-1], classes[:, ::-1]
            points, visible = (
                points.reshape(2, 12)[:, ::-1].ravel(),
                visible.reshape(2, 12)[:, ::-1].ravel(),
            )
            east = not east
        if rng.random() < 0.5:
            picture, classes = picture[::-1], classes[::-1]
            tops[:, 2] = grid.ROWS - 1 - tops[:, 2]
            points, visible = (
                points.reshape(2, 12)[::-1].ravel(),
                visible.reshape(2, 12)[::-1].ravel(),
            )
        picture, swapped = recolour(picture, classes, rng)
        if swapped:
            points = np.where(points > 15, points - 15, np.where(points > 0, points + 15, 0))
            classes = np.array([0, 2, 1, 3, 4], np.uint8)[classes]
            bar, off = bar[::-1], off[::-1]
            tops[:, 0] = 1 - tops[:, 0]
    palette = np.zeros(7, np.float32)
    if (
        rng is not None
        and rng.random() < 0.5
        and (classes == LIGHT).any()
        and (classes == DARK).any()
    ):
        means = [picture[classes == c].mean(0) for c in (LIGHT, DARK)]
        palette[:6] = (np.concatenate(means) + rng.normal(0, 6, 6) - 127.5) / 64
        palette[6] = 1
    return CanvasExample(
        np.ascontiguousarray(picture),
        np.ascontiguousarray(classes),
        points,
        visible,
        (bar[0], bar[1]),
        rows_of(tops),
        (off[0], off[1]),
        palette,
        float(east),
        float(item.sided),
    )


def recolour(picture: Pixels, classes: Pixels, rng: np.random.Generator) -> tuple[Pixels, bool]:
    """Another lamp and other dyes; says whether the lighter set has become the darker one."""
    out: Pixels = picture
    if rng.random() < 0.4:
        hsv = cv2.cvtColor(np.ascontiguousarray(picture), cv2.COLOR_BGR2HSV)
        hsv[..., 0] = ((np.arange(256) + int(rng.integers(0, 180))) % 180).astype(np.uint8)[
            hsv[..., 0]
        ]
        out = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR).astype(np.uint8, copy=False)
    strength = rng.uniform(0.5, 1.4)
    mix = strength * np.eye(3) + (1 - strength) / 3
    if rng.random() < 0.15:
        mix = mix[rng.permutation(3)]
    out = cv2.transform(np.ascontiguousarray(out), mix).astype(np.uint8, copy=False)
    level = 255 * (np.arange(256) / 255) ** rng.uniform(0.7, 1.4)
    shift, gain = rng.uniform(-15, 15), rng.uniform(0.6, 1.3)
    curves = [
        np.clip(level * gain * rng.uniform(0.9, 1.1) + shift, 0, 255).astype(np.uint8)
        for _ in range(3)
    ]
    out = cv2.LUT(out, np.stack(curves, 1)[None]).astype(np.uint8, copy=False)
    if rng.random() < 0.25:
        noise = rng.standard_normal(out.shape, dtype=np.float32) * rng.uniform(1, 8)
        out = np.clip(out + noise, 0, 255).astype(np.uint8)
    if rng.random() < 0.2:
        out = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.4, 1.2)).astype(np.uint8, copy=False)
    result = out
    light, dark = classes == LIGHT, classes == DARK
    if not (light.any() and dark.any()):
        return (
            (result, False)
            if rng.random() < 0.5 and brightness_kept(picture, result, classes)
            else (picture.copy(), False)
        )
    a, b = (brightness(cv2.mean(result, where.astype(np.uint8))[:3]) for where in (light, dark))
    # Near-equal sets have no order that a reader could be asked for.
    return (picture.copy(), False) if abs(a - b) < 12 else (result, a < b)


def brightness_kept(before: Pixels, after: Pixels, classes: Pixels) -> bool:
    """With one set alone on the board its name hangs on how it looks beside the rest: keep changes
    that leave it about as bright.
    """
    here = (classes == LIGHT) | (classes == DARK)
    return not here.any() or abs(float(before[here].mean()) - float(after[here].mean())) < 40

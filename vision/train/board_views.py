"""Boards pictured anew for the networks that find them: from elsewhere, under graphics, or none."""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np

from vision.arrays import F64, Pixels
from vision.corners import corner_patches, patch_places
from vision.finder import FINDER_SIZE, finder_view
from vision.geometry import BoardMap, GeometryError, from_corners, unit_between
from vision.synthetic.texture import fractal
from vision.synthetic.truth import LIGHT
from vision.train.canvas_data import recolour
from vision.train.data import Labelled
from vision.whole_field import FIELD_SIZE, field_view, view_places


def taken_anew(item: Labelled, rng: np.random.Generator) -> tuple[Pixels, F64]:
    """The picture as the finder sees it, taken anew: nearer, farther, turned, from another side,
    mirrored, re-coloured, on another table or under a broadcaster's graphics; and the corners in
    it."""
    picture = elsewhere(item, rng) if len(item.outline) and rng.random() < 0.3 else item.pixels
    view, factor = finder_view(picture)
    corners = item.corners * factor
    middle = np.array([FINDER_SIZE[0], FINDER_SIZE[1]]) / 2
    board = np.array([item.pixels.shape[1], item.pixels.shape[0]]) * factor / 2
    # Most lie nearly straight; one in four lies turned, up to where another side is the bottom.
    turn = math.radians(rng.normal(0, 7) if rng.random() < 0.75 else rng.uniform(-40, 40))
    zoom = rng.uniform(0.62, 1.12) if rng.random() < 0.7 else rng.uniform(0.35, 0.7)
    a = zoom * np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    if rng.random() < 0.5:
        a[:, 0] *= -1
    if rng.random() < 0.3:
        a[:, 1] *= -1
    m = np.eye(3)
    m[:2] = np.concatenate(
        [a, (middle - a @ board + rng.uniform(-0.1, 0.1, 2) * FINDER_SIZE)[:, None]], 1
    )
    if rng.random() < 0.5:
        m = from_aside(rng) @ m
    border = cv2.BORDER_CONSTANT if rng.random() < 0.5 else cv2.BORDER_REPLICATE
    seen = cv2.warpPerspective(
        view, m, FINDER_SIZE, flags=cv2.INTER_LINEAR, borderMode=border
    ).astype(np.uint8)
    if rng.random() < 0.2:
        graphics(seen, rng)
    classes = np.zeros(seen.shape[:2], np.uint8)
    classes[:2, :2] = LIGHT
    seen, _ = recolour(seen, classes, rng)
    moved = cv2.perspectiveTransform(corners[None], m)[0]
    return seen, in_order(moved)


def from_aside(rng: np.random.Generator) -> F64:
    """A camera that looks from farther to one side, mostly from the near edge: lines of the far
    edge shrink by up to two in five.
    """
    width, height = FINDER_SIZE
    square = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    far, lower = rng.uniform(0, 0.22), rng.uniform(0, 0.3)
    aside = rng.uniform(-0.06, 0.06)
    moved = (
        square
        + np.array([(far, lower), (-far, lower), (0, 0), (0, 0)]) * FINDER_SIZE
        + np.array([(0, aside), (0, -aside)] * 2) * height
    )
    return np.asarray(cv2.getPerspectiveTransform(square, moved.astype(np.float32)), np.float64)


def elsewhere(item: Labelled, rng: np.random.Generator) -> Pixels:
    """The board cut out along its frame and laid on another table, plain, shaded or cloth."""
    height, width = item.pixels.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    # The frame's foot and the shadow beside it go with it.
    grown = item.outline.mean(0) + (item.outline - item.outline.mean(0)) * rng.uniform(1.0, 1.06)
    cv2.fillConvexPoly(mask, cv2.convexHull(grown.astype(np.int32)), 255, cv2.LINE_AA)
    table = np.empty((height // 8, width // 8, 3), np.float32)
    table[:] = (
        rng.choice([15, 245]) + rng.uniform(-12, 12, 3)
        if rng.random() < 0.5
        else rng.uniform(20, 240, 3)
    )
    grain = fractal(rng, table.shape[0], table.shape[1], rng.uniform(2, 60), rng.uniform(2, 60))
    table *= (1 + rng.uniform(0.0, 0.3) * grain)[..., None]
    wide = cv2.resize(np.clip(table, 0, 255), (width, height), interpolation=cv2.INTER_LINEAR)
    share = (cv2.GaussianBlur(mask, (0, 0), 1.5).astype(np.float32) / 255)[..., None]
    return np.asarray(item.pixels * share + wide * (1 - share), np.uint8)


def graphics(seen: Pixels, rng: np.random.Generator) -> None:
    """A broadcaster's panel along one side, with boxes on it: drawn into the picture."""
    width, height = FINDER_SIZE
    wide = int(rng.uniform(0.08, 0.24) * width)
    x = int(rng.choice([0, width - wide]))
    cv2.rectangle(seen, (x, 0), (x + wide, height), [float(v) for v in rng.uniform(0, 90, 3)], -1)
    for _ in range(int(rng.integers(2, 8))):
        at, size = (
            (x + int(rng.integers(wide)), int(rng.integers(height))),
            rng.integers(4, max(5, wide // 2), 2),
        )
        cv2.rectangle(
            seen,
            at,
            (at[0] + int(size[0]), at[1] + int(size[1])),
            [float(v) for v in rng.uniform(0, 255, 3)],
            -1,
        )


def in_order(corners: F64) -> F64:
    """TL TR BR BL of a field's corners, given in their order around it from any of them and either
    way: the side that runs most nearly from left to right is the upper one.
    """
    x, y = corners.T
    clockwise = float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum()) > 0
    ring = corners if clockwise else corners[::-1]

    def level(start: int) -> float:
        a, b, c, d = np.roll(ring, -start, 0)
        along = (b - a) / np.linalg.norm(b - a) + (c - d) / np.linalg.norm(c - d)
        return float(along[0])

    return np.roll(ring, -max(range(4), key=level), 0)


def nothing(item: Labelled, rng: np.random.Generator) -> Pixels:
    """A picture without a board: a corner of one at most, or cloth and boxes."""
    if rng.random() < 0.5:
        height, width = item.pixels.shape[:2]
        h, w = height // 3, width // 3
        y, x = rng.integers(0, height - h), rng.integers(0, width - w)
        piece = item.pixels[y : y + h, x : x + w]
        return cv2.resize(piece, FINDER_SIZE).astype(np.uint8)
    image = np.empty((FINDER_SIZE[1], FINDER_SIZE[0], 3), np.float32)
    image[:] = rng.uniform(20, 230, 3)
    image *= (
        1
        + rng.uniform(0.02, 0.3)
        * fractal(rng, FINDER_SIZE[1], FINDER_SIZE[0], rng.uniform(3, 60), rng.uniform(3, 60))
    )[..., None]
    for _ in range(int(rng.integers(0, 6))):
        centre, size = (
            (float(rng.uniform(0, 256)), float(rng.uniform(0, 192))),
            (float(rng.uniform(10, 240)), float(rng.uniform(10, 160))),
        )
        box = cv2.boxPoints((centre, size, float(rng.uniform(0, 90))))
        cv2.fillConvexPoly(image, box.astype(np.int32), [float(v) for v in rng.uniform(10, 240, 3)])
    for _ in range(int(rng.integers(0, 12))):
        cv2.circle(
            image,
            (int(rng.integers(256)), int(rng.integers(192))),
            int(rng.integers(3, 30)),
            [float(v) for v in rng.uniform(10, 240, 3)],
            -1,
        )
    return np.clip(image, 0, 255).astype(np.uint8)


Patches = tuple[Pixels, F64]


PATCHES_OFF: Final = (0.03, 0.1, 0.25, 0.5)
FIELD_OFF: Final = (0.05, 0.2, 0.5, 1.0)
"""By how many point widths corners are taken wrongly in lessons, about as often each."""


def off_map(item: Labelled, off: tuple[float, ...], rng: np.random.Generator) -> BoardMap:
    """The map of a wrong bar and of corners that are `off`, one in sixteen by three points."""
    size = (item.pixels.shape[1], item.pixels.shape[0])
    unit = unit_between(item.corners, item.bar_width)
    shake = float(rng.choice(off))
    bar = (
        float(np.clip(item.bar_width * np.exp(rng.normal(0, 0.2)), 0.3, 2.0))
        if rng.random() < 0.6
        else 1.0
    )
    wild = rng.random() < 0.06
    corners = item.corners + (rng.normal(0, 1, (4, 2)) + rng.normal(0, 1, 2)) * unit * (
        3 if wild else shake
    )
    try:
        return from_corners(corners, size, bar=bar)
    except GeometryError:
        return from_corners(item.corners, size, bar=bar)


MIRRORED: Final = ((1, 0, 3, 2, 5, 4, 7, 6), (3, 2, 1, 0, 7, 6, 5, 4))
"""Which of the eight corners stands for which in a view mirrored: left to right, top to bottom."""


def off_field(item: Labelled, rng: np.random.Generator) -> tuple[Pixels, F64 | None]:
    """The straightened field of wrong corners, mirrored and re-coloured, and where in it (8 x 2,
    pixels of the view) the corners truly are; None where the map has hardly any of them in view.
    """
    m = off_map(item, FIELD_OFF, rng)
    away = len(item.outline) and rng.random() < 0.15
    seen = field_view(elsewhere(item, rng) if away else item.pixels, m)
    at = view_places(m.unproject(item.halves))
    width, height = FIELD_SIZE
    if rng.random() < 0.5:
        seen, at = seen[:, ::-1], at[list(MIRRORED[0])]
        at[:, 0] = width - 1 - at[:, 0]
    if rng.random() < 0.5:
        seen, at = seen[::-1], at[list(MIRRORED[1])]
        at[:, 1] = height - 1 - at[:, 1]
    seen, _ = recolour(np.ascontiguousarray(seen), np.zeros(seen.shape[:2], np.uint8), rng)
    inside = ((at > 0) & (at < np.array(FIELD_SIZE) - 1)).all(1)
    return seen, at if int(inside.sum()) >= 5 else None


def off_patches(item: Labelled, rng: np.random.Generator) -> Patches:
    """The eight patches of wrong corners and a wrong bar, re-coloured, and where in them (8 x 2,
    patch pixels) the corners truly are.
    """
    m = off_map(item, PATCHES_OFF, rng)
    picture = item.pixels
    patches, frames = corner_patches(picture, m)
    tall = np.ascontiguousarray(np.concatenate(list(patches)))
    tall, _ = recolour(tall, np.zeros(tall.shape[:2], np.uint8), rng)
    at = patch_places(m.unproject(item.halves), frames)
    return tall.reshape(patches.shape), at

"""Upper faces of dice, cut out of boards crowded with them and as cameras give them: what
`vision.train.dice.pips` teaches with.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.arrays import Pixels
from vision.dice.crops import local_frame
from vision.dice.find import DiceFinder, find_candidates
from vision.dice.upper import CROP, SPAN, STEEPEST, face_crop
from vision.prepared import PreparedMap
from vision.settings import DEFAULT
from vision.train.dice import scenes as data
from vision.train.dice.clutter import clutter
from vision.train.dice.cuts import taken_out
from vision.train.dice.faces import MORE
from vision.train.dice.full import exposed
from vision.train.dice.placing import add_die
from vision.train.dice.scenes import DiceScene
from vision.train.dice.solids import random_die
from vision.train.dice.tracing import random_lighting

_DICE: Final = 30
"""A ground and its exposure cost more than so many dice."""
_ON_STILLS: Final = 0.3
_AS_FOUND: Final = 0.8
"""Share of dice that are cut out where the finder sees them; the rest where they truly lie."""


def painted_die_faces(
    rng: np.random.Generator, stills: Sequence[Path], finder: DiceFinder
) -> Iterator[tuple[Pixels, int]]:
    """The faces of one board crowded with dice, with what is around them, and what each shows less
    one.
    """
    if stills and rng.random() < _ON_STILLS:
        ground = data.still_ground(stills[int(rng.integers(len(stills)))])
    else:
        ground = data.painted_ground(rng)
    top = float(np.percentile(ground.picture[::8, ::8].max(2), 96)) / 255
    lamp = random_lighting(rng, float(np.clip(top * rng.uniform(0.8, 1.25), 0.2, 1.15)))
    if rng.random() < 0.5:
        clutter(rng, ground)
    for _ in range(_DICE):
        add_die(rng, ground, random_die(rng, wider=True), lamp)
    yield from faces_of_dice(rng, exposed(rng, ground), ground, finder)


def faces_of_dice(
    rng: np.random.Generator, pixels: Pixels, scene: DiceScene, finder: DiceFinder
) -> Iterator[tuple[Pixels, int]]:
    """The upper face of each die of a scene that shows one, mostly where the finder sees it."""
    board, settings = scene.board, replace(DEFAULT.dice, candidate=0.05)
    found = find_candidates(pixels, PreparedMap(board), finder, settings)
    for thing in scene.things:
        if thing.kind != data.DIE or not thing.clear or thing.value < 0:
            continue
        if thing.status == data.ROLLING:
            continue
        centre, axes, slant = local_frame(board, thing.x, thing.y, thing.z)
        at, edge = (float(centre[0]), float(centre[1])), thing.edge
        near = min(found, key=lambda one: math.dist(one.pixel, thing.pixel), default=None)
        if (
            near is not None
            and math.dist(near.pixel, thing.pixel) < 0.45 * near.edge_pixels
            and rng.random() < _AS_FOUND
        ):
            at, axes, edge, slant = near.pixel, near.axes, near.edge, near.slant
        if slant < STEEPEST and 0 < at[0] < board.size[0] and 0 < at[1] < board.size[1]:
            yield face_crop(pixels, at, axes, edge, slant, more=MORE), thing.value


def die_as_seen(rng: np.random.Generator, stored: Pixels) -> Pixels:
    """A face as a finder that errs and a camera give it: moved, turned, scaled, mirrored, with the
    top cut a little too high or too low; out of focus, from fewer pixels, moved, in other light.
    """
    askew = 0.25 if rng.random() < 0.3 else 0.06
    turn = int(rng.integers(4)) * np.pi / 2 + rng.normal(0, askew)
    scale = float(np.clip(rng.normal(1, 0.07), 0.8, 1.25))
    turned = scale * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    if rng.random() < 0.5:
        turned = turned @ np.diag((-1.0, 1.0))
    turned = np.diag((1.0, float(rng.uniform(0.9, 1.12)))) @ turned
    crop = taken_out(stored, turned, rng.normal(0, 0.05, 2) * (CROP / SPAN), CROP)
    kind = rng.random()
    if kind < 0.2:
        crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.5, 1.6))), np.uint8)
    elif kind < 0.55:
        width = int(rng.integers(15, 36))
        small = cv2.resize(crop, (width, width), interpolation=cv2.INTER_AREA)
        how = cv2.INTER_LINEAR if rng.random() < 0.8 else cv2.INTER_CUBIC
        crop = np.asarray(cv2.resize(small, (CROP, CROP), interpolation=how), np.uint8)
    elif kind < 0.6:
        length = int(rng.integers(2, 4))
        kernel = np.zeros((length, length), np.float32)
        kernel[length // 2] = 1 / length
        crop = np.asarray(cv2.filter2D(crop, -1, kernel if rng.random() < 0.5 else kernel.T))
    if rng.random() < 0.25:
        crop = crop[:, :, rng.permutation(3)]
    if rng.random() < 0.25:
        crop = 255 - crop
    return np.asarray(crop, np.uint8)

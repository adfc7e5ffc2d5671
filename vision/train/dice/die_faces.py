"""Upper faces of dice, cut out of boards crowded with them and as cameras give them: what
`vision.train.dice.pips` and `vision.train.dice.lies` teach with.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.arrays import F32, F64, I64, Pixels
from vision.dice.crops import local_frame
from vision.dice.find import DiceFinder, find_candidates
from vision.dice.lies import CROP as AROUND
from vision.dice.upper import CROP, SPAN, STEEPEST, face_crop
from vision.prepared import PreparedMap
from vision.settings import DEFAULT
from vision.train.dice import scenes as data
from vision.train.dice.clutter import clutter
from vision.train.dice.cuts import taken_out
from vision.train.dice.face_files import SCENES, Columns, cut, cut_before
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


@dataclass(frozen=True, slots=True, eq=False)
class DieFaces:
    """N faces with what is around them (N x 72 x 72 x 3), what each shows less one (-1: so far
    leaning that none is up), how it lies (`scenes.FLAT` and so on) and the slant there.
    """

    crops: Pixels
    values: I64
    statuses: I64
    slants: F32


DieFace = tuple[Pixels, int, int, float]
"""One row of `DieFaces`."""


def painted_die_faces(
    rng: np.random.Generator, stills: Sequence[Path], finder: DiceFinder
) -> Iterator[DieFace]:
    """The faces of one board crowded with dice."""
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
) -> Iterator[DieFace]:
    """The upper face of each die of a scene that does not roll, mostly where the finder sees it."""
    board, settings = scene.board, replace(DEFAULT.dice, candidate=0.05)
    found = find_candidates(pixels, PreparedMap(board), finder, settings)
    for thing in scene.things:
        if thing.kind != data.DIE or not thing.clear or thing.status == data.ROLLING:
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
            crop = face_crop(pixels, at, axes, edge, slant, more=MORE)
            yield crop, thing.value, thing.status, slant


def cut_die_faces(folder: Path, name: str, seed: int, scenes: int, stills: Sequence[Path]) -> None:
    """Nothing; files of so many scenes in a folder, those that are there already left alone."""
    finder = DiceFinder.load()

    def boards(rng: np.random.Generator) -> Columns:
        rows = [row for _ in range(SCENES) for row in painted_die_faces(rng, stills, finder)]
        crops, values, statuses, slants = zip(*rows, strict=True)
        return {
            "crops": np.stack(crops),
            "values": np.array(values, np.int64),
            "statuses": np.array(statuses, np.int64),
            "slants": np.array(slants, np.float32),
        }

    cut(folder, name, seed, scenes, boards)


def kept_die_faces(folder: Path, name: str) -> DieFaces:
    """All faces of a folder whose files begin with a name. Raises ValueError when there is none."""
    return DieFaces(**cut_before(folder, name))


def die_as_seen(rng: np.random.Generator, stored: Pixels) -> Pixels:
    """A face as a finder that errs and a camera give it, CROP wide: moved, turned, scaled and
    mirrored, the top cut a little too high or low; out of focus, from fewer pixels, in other light.
    """
    askew = 0.25 if rng.random() < 0.3 else 0.06
    turn = int(rng.integers(4)) * np.pi / 2 + rng.normal(0, askew)
    turned = _moved(rng, turn, float(np.clip(rng.normal(1, 0.07), 0.8, 1.25)))
    turned = np.diag((1.0, float(rng.uniform(0.9, 1.12)))) @ turned
    return _filmed(rng, taken_out(stored, turned, rng.normal(0, 0.05, 2) * (CROP / SPAN), CROP))


def lie_as_seen(rng: np.random.Generator, stored: Pixels) -> Pixels:
    """The same with what is around it, `lies.CROP` wide, up left up: a turned side is no tilt."""
    turned = _moved(rng, rng.normal(0, 0.06), float(np.clip(rng.normal(1, 0.06), 0.85, 1.2)))
    return _filmed(rng, taken_out(stored, turned, rng.normal(0, 0.04, 2) * (CROP / SPAN), AROUND))


def _moved(rng: np.random.Generator, turn: float, scale: float) -> F64:
    """Turned and scaled, and mirrored as often as not."""
    turned = scale * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return turned @ np.diag((-1.0, 1.0)) if rng.random() < 0.5 else turned


def _filmed(rng: np.random.Generator, crop: Pixels) -> Pixels:
    size, kind = crop.shape[0], rng.random()
    if kind < 0.2:
        crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.5, 1.6))), np.uint8)
    elif kind < 0.55:
        width = round(float(rng.uniform(0.31, 0.75)) * size)
        small = cv2.resize(crop, (width, width), interpolation=cv2.INTER_AREA)
        how = cv2.INTER_LINEAR if rng.random() < 0.8 else cv2.INTER_CUBIC
        crop = np.asarray(cv2.resize(small, (size, size), interpolation=how), np.uint8)
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

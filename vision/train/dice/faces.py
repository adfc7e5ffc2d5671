"""Upper faces of doubling cubes, cut out of boards that cubes were traced onto, and as cameras give
them: what `vision.train.dice.cube` teaches with.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.arrays import I64, Pixels
from vision.dice.crops import local_frame
from vision.dice.find import HEIGHT, Candidate, DiceFinder, find_candidates
from vision.dice.number import FACES
from vision.dice.upper import CROP, RAISED, SPAN, STEEPEST, face_crop
from vision.prepared import PreparedMap
from vision.settings import DEFAULT
from vision.train.dice import scenes as data
from vision.train.dice.clutter import clutter
from vision.train.dice.cuts import taken_out
from vision.train.dice.face_files import SCENES, Columns, cut, cut_before
from vision.train.dice.full import exposed
from vision.train.dice.not_cubes import Place, odd_cube, put_card
from vision.train.dice.placing import add_cube, add_die, is_free
from vision.train.dice.scenes import DiceScene
from vision.train.dice.solids import random_die
from vision.train.dice.tracing import random_lighting

MORE: Final = 12
"""Pixels around a crop that are kept beside it, so that a batch may turn, move and scale it."""
_CUBES: Final = 30
"""A ground and its exposure cost more than so many cubes."""
_PLACES: Final = (0.1, 0.1, 0.2, 0.6)
_ON_STILLS: Final = 0.3
_LOW: Final = 0.45
"""Share of painted boards seen from a low stand, where a side looks as large as the top."""
_STEEP: Final = 0.7
"""Slant from which on the sides of a cube can be read."""
_UPPER: Final = 0.45
"""So far from the middle of an upper face, in its edges, a crop shows that face."""
_BESIDE: Final = 0.75
"""From so far on it shows something else."""

NONE: Final = len(FACES)
"""The label of what is no cube."""

Faces = tuple[Pixels, I64]
"""N crops with what is around them (N x 72 x 72 x 3), and which of the columns of the network that
they teach each shows.
"""


def faces_of(
    pixels: Pixels, scene: DiceScene, others: Iterable[Place] = ()
) -> Iterator[tuple[Pixels, int]]:
    """The upper face of each cube of a scene with what is around it, and which of FACES it is; what
    lies at `others`, as none.
    """
    board = scene.board
    cubes = [t for t in scene.things if t.kind == data.CUBE and t.clear]
    labelled = [((t.x, t.y, t.z, t.edge), NONE if t.value < 0 else t.value) for t in cubes]
    for (x, y, z, edge), label in (*labelled, *((place, NONE) for place in others)):
        centre, axes, slant = local_frame(board, x, y, z)
        if slant < STEEPEST and (centre > 0).all() and (centre < board.size).all():
            at = float(centre[0]), float(centre[1])
            yield face_crop(pixels, at, axes, edge, slant, more=MORE), label


def places(pixels: Pixels, scene: DiceScene, finder: DiceFinder) -> tuple[Candidate, ...]:
    """Where the finder sees dice and cubes, the doubtful ones too."""
    settings = replace(DEFAULT.dice, candidate=0.05)
    return find_candidates(pixels, PreparedMap(scene.board), finder, settings)


def as_found(
    rng: np.random.Generator, pixels: Pixels, scene: DiceScene, found: Sequence[Candidate]
) -> Iterator[tuple[Pixels, int]]:
    """What is shown of cubes where the finder sees them: their upper faces; and their sides, which
    bear numbers too, as none.
    """
    board = scene.board
    cubes = [t for t in scene.things if t.kind == data.CUBE and t.clear]
    tops = [board.project(np.array([(t.x, t.y, t.z + t.edge / 2)]))[0] for t in cubes]
    for one in found:
        at = np.array(one.pixel) + one.axes[:, 1] * (RAISED * one.edge * one.slant)
        gaps = [
            float(np.abs(np.linalg.solve(one.axes, at - top)).max()) / t.edge
            for t, top in zip(cubes, tops, strict=True)
        ]
        k = int(np.argmin(gaps)) if gaps else 0
        if not gaps or gaps[k] > 2 or _UPPER < gaps[k] < _BESIDE or one.slant >= STEEPEST:
            continue
        value = cubes[k].value if gaps[k] <= _UPPER else -1
        crop = face_crop(pixels, one.pixel, one.axes, one.edge, one.slant, more=MORE)
        yield crop, NONE if value < 0 else value
    for t, top in zip(cubes, tops, strict=True):
        _, axes, slant = local_frame(board, t.x, t.y, t.z)
        down = float(rng.uniform(0.8, 1.3)) * (1 + slant) / 2 + RAISED * slant
        x, y = top - axes[:, 1] * (down * t.edge)
        if _STEEP < slant < STEEPEST and 0 < x < board.size[0] and 0 < y < board.size[1]:
            yield face_crop(pixels, (float(x), float(y)), axes, t.edge, slant, more=MORE), NONE


def mistaken(
    rng: np.random.Generator, scene: DiceScene, found: Sequence[Candidate]
) -> Iterator[Place]:
    """Where no cube lies: what the finder would have read, dice, and anywhere."""
    cubes = [(t.pixel, t.edge) for t in scene.things if t.kind == data.CUBE]
    for one in found:
        unit = one.edge_pixels / one.edge
        if all(math.dist(one.pixel, pixel) > edge * unit for pixel, edge in cubes):
            yield one.x, one.y, HEIGHT, one.edge
    for t in scene.things:
        if t.kind == data.DIE:
            yield t.x, t.y, t.z, t.edge * float(rng.uniform(0.9, 1.8))
    bare = replace(scene, discs=[])
    for _ in range(4):
        x = float(rng.uniform(-0.55, 0.55)) * scene.board.width
        y = float(rng.uniform(-0.55, 0.55)) * scene.board.height
        if is_free(bare, x, y, 0.35):
            yield x, y, HEIGHT, float(rng.uniform(0.4, 0.9))


def painted_faces(
    rng: np.random.Generator, stills: Sequence[Path], finder: DiceFinder
) -> Iterator[tuple[Pixels, int]]:
    """The faces of one board full of cubes."""
    if stills and rng.random() < _ON_STILLS:
        ground = data.still_ground(stills[int(rng.integers(len(stills)))])
    else:
        ground = data.painted_ground(rng, _LOW)
    ground.things = [t for t in ground.things if t.kind != data.CUBE]
    top = float(np.percentile(ground.picture[::8, ::8].max(2), 96)) / 255
    lamp = random_lighting(rng, float(np.clip(top * rng.uniform(0.8, 1.25), 0.2, 1.15)))
    clutter(rng, ground)
    cards = [put_card(rng, ground) for _ in range(5)]
    for k in range(_CUBES):
        add_cube(rng, ground, lamp, _PLACES, odd_cube(rng) if k % 6 == 5 else None)
    for _ in range(4):
        add_die(rng, ground, random_die(rng, wider=True), lamp)
    pixels = exposed(rng, ground)
    others = [card for card in cards if card is not None and is_free(ground, *card[:2], 0.3)]
    found = places(pixels, ground, finder)
    yield from faces_of(pixels, ground, (*others, *mistaken(rng, ground, found)))
    yield from as_found(rng, pixels, ground, found)


def _stacked(faces: Sequence[tuple[Pixels, int]]) -> Faces:
    return np.stack([crop for crop, _ in faces]), np.array([n for _, n in faces], np.int64)


def cut_faces(folder: Path, name: str, seed: int, scenes: int, stills: Sequence[Path]) -> None:
    """Nothing; files of so many scenes in a folder, those that are there already left alone."""
    finder = DiceFinder.load()

    def boards(rng: np.random.Generator) -> Columns:
        rows = [row for _ in range(SCENES) for row in painted_faces(rng, stills, finder)]
        crops, numbers = _stacked(rows)
        return {"crops": crops, "numbers": numbers}

    cut(folder, name, seed, scenes, boards)


def kept_faces(folder: Path, name: str) -> Faces:
    """All faces of a folder whose files begin with a name. Raises ValueError when there is none."""
    held = cut_before(folder, name)
    return held["crops"], held["numbers"]


def rendered_faces(stills: Sequence[Path]) -> Faces | None:
    """The faces of cubes rendered in stills, and what is none there; None without stills."""
    rng, finder = np.random.default_rng(0), DiceFinder.load()
    found: list[tuple[Pixels, int]] = []
    for path in sorted(set(stills)):
        scene = data.still_ground(path)
        pixels = scene.picture.astype(np.uint8)
        seen = places(pixels, scene, finder)
        found += faces_of(pixels, scene, mistaken(rng, scene, seen))
        found += as_found(rng, pixels, scene, seen)
    return _stacked(found) if found else None


def as_seen(rng: np.random.Generator, stored: Pixels) -> Pixels:
    """A face as a finder that errs and a camera give it: moved, turned, scaled, with the top cut
    too high or too low; out of focus, from fewer pixels, moved, in other light.
    """
    quarter = int(rng.integers(4)) * np.pi / 2
    turn, scale = quarter + rng.normal(0, 0.08), float(np.clip(rng.normal(1, 0.1), 0.75, 1.3))
    turned = scale * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    turned = np.diag((1.0, float(rng.uniform(0.85, 1.18)))) @ turned
    shift = rng.normal(0, 0.07, 2) * (CROP / SPAN)
    crop = taken_out(stored, turned, shift, CROP)
    kind = rng.random()
    if kind < 0.25:
        crop = np.asarray(cv2.GaussianBlur(crop, (0, 0), float(rng.uniform(0.5, 2.0))), np.uint8)
    elif kind < 0.55:
        width = int(rng.integers(16, 40))
        small = cv2.resize(crop, (width, width), interpolation=cv2.INTER_AREA)
        how = cv2.INTER_LINEAR if rng.random() < 0.7 else cv2.INTER_CUBIC
        crop = np.asarray(cv2.resize(small, (CROP, CROP), interpolation=how), np.uint8)
    elif kind < 0.65:
        length = int(rng.integers(2, 6))
        kernel = np.zeros((length, length), np.float32)
        kernel[length // 2] = 1 / length
        crop = np.asarray(cv2.filter2D(crop, -1, kernel if rng.random() < 0.5 else kernel.T))
    if rng.random() < 0.25:
        crop = crop[:, :, rng.permutation(3)]
    if rng.random() < 0.15:
        crop = 255 - crop
    return np.asarray(crop, np.uint8)

"""Upper faces of dice, and what is taken for one and is none, cut out of boards crowded with both
and as cameras give them: what `vision.train.dice.pips` and `vision.train.dice.lies` teach with.
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
from vision.dice.find import HEIGHT, Candidate, DiceFinder, find_candidates
from vision.dice.lies import CROP as AROUND
from vision.dice.upper import CROP, RAISED, SPAN, STEEPEST, face_crop
from vision.prepared import PreparedMap
from vision.settings import DEFAULT
from vision.train.dice import scenes as data
from vision.train.dice.clutter import clutter
from vision.train.dice.cuts import taken_out
from vision.train.dice.face_files import SCENES, Columns, cut, cut_before
from vision.train.dice.faces import MORE
from vision.train.dice.full import exposed
from vision.train.dice.not_cubes import odd_cube, put_card
from vision.train.dice.placing import add_cube, add_die
from vision.train.dice.scenes import DiceScene
from vision.train.dice.solids import random_die
from vision.train.dice.tracing import random_lighting

_DICE: Final = 30
"""A ground and its exposure cost more than so many dice."""
_CUBES: Final = 3
_CARDS: Final = 2
_PLACES: Final = (0.1, 0.1, 0.2, 0.6)
_ON_STILLS: Final = 0.3
_AS_FOUND: Final = 0.8
"""Share of dice that are cut out where the finder sees them; the rest where they truly lie."""
_SEEN: Final = 60
"""So many places that the finder sees are looked at."""
_ANYWHERE: Final = 6
"""Places of no die on a board that the finder would pass over."""
_STEEP: Final = 0.7
"""Slant from which on the sides of a die can be read."""
_UPPER: Final = 0.45
"""So far from the middle of an upper face, in its edges, a crop shows that face."""
_BESIDE: Final = 0.75
"""From so far on it shows something else."""

NOT_UP: Final = -1
"""The value of a die that leans so far that no face is up, or rolls."""
NO_DIE: Final = -2
"""The value of what is no die."""


@dataclass(frozen=True, slots=True, eq=False)
class DieFaces:
    """N faces with what is around them (N x 72 x 72 x 3), what each shows less one (or NOT_UP, or
    NO_DIE), how it lies (`scenes.FLAT` and so on, -1 for no die) and the slant there.
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
    """The faces of one board crowded with dice, and what is taken for dice there."""
    if stills and rng.random() < _ON_STILLS:
        ground = data.still_ground(stills[int(rng.integers(len(stills)))])
    else:
        ground = data.painted_ground(rng)
    top = float(np.percentile(ground.picture[::8, ::8].max(2), 96)) / 255
    lamp = random_lighting(rng, float(np.clip(top * rng.uniform(0.8, 1.25), 0.2, 1.15)))
    if rng.random() < 0.5:
        clutter(rng, ground)
    for _ in range(int(rng.integers(_CARDS + 1))):
        put_card(rng, ground)
    for k in range(int(rng.integers(_CUBES + 1))):
        add_cube(rng, ground, lamp, _PLACES, odd_cube(rng) if k % 3 == 2 else None)
    for _ in range(_DICE):
        add_die(rng, ground, random_die(rng, wider=True), lamp)
    pixels = exposed(rng, ground)
    found = _places(pixels, ground, finder)
    yield from faces_of_dice(rng, pixels, ground, found)
    yield from no_dice(rng, pixels, ground, found)


def rendered_die_faces(stills: Sequence[Path]) -> DieFaces | None:
    """The faces of dice rendered in stills, and what is none there; None without stills."""
    rng, finder = np.random.default_rng(0), DiceFinder.load()
    rows: list[DieFace] = []
    for path in sorted(set(stills)):
        scene = data.still_ground(path)
        pixels = scene.picture.astype(np.uint8)
        found = _places(pixels, scene, finder)
        rows += faces_of_dice(rng, pixels, scene, found)
        rows += no_dice(rng, pixels, scene, found)
    return DieFaces(**_columns(rows)) if rows else None


def _places(pixels: Pixels, scene: DiceScene, finder: DiceFinder) -> tuple[Candidate, ...]:
    """Where the finder sees dice and cubes, the doubtful ones too."""
    settings = replace(DEFAULT.dice, candidate=0.05, candidates=_SEEN)
    return find_candidates(pixels, PreparedMap(scene.board), finder, settings)


def faces_of_dice(
    rng: np.random.Generator, pixels: Pixels, scene: DiceScene, found: Sequence[Candidate]
) -> Iterator[DieFace]:
    """The upper face of each die of a scene, mostly where the finder sees it (`found`)."""
    board = scene.board
    for thing in scene.things:
        if thing.kind != data.DIE or not thing.clear:
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
            value = NOT_UP if thing.status == data.ROLLING else thing.value
            yield crop, value, thing.status, slant


def no_dice(
    rng: np.random.Generator, pixels: Pixels, scene: DiceScene, found: Sequence[Candidate]
) -> Iterator[DieFace]:
    """What is no upper face of a die, as `faces_of_dice` cuts them: what the finder sees beside
    dice (`found`), cubes, sides of dice that are seen as well as their tops, and anywhere.
    """
    board = scene.board
    hidden = [t for t in scene.things if not t.clear]
    tops = [
        (board.project(np.array([(t.x, t.y, t.z + t.edge / 2)]))[0], t)
        for t in scene.things
        if t.kind == data.DIE and t.clear
    ]
    for pixel, axes, edge, slant in (
        *((np.array(one.pixel), one.axes, one.edge, one.slant) for one in found),
        *(_at(scene, *place) for place in _elsewhere(rng, scene)),
    ):
        unit = float(np.linalg.norm(axes[:, 0]))
        at = pixel + axes[:, 1] * (RAISED * edge * slant)
        if (
            slant >= STEEPEST
            or not ((pixel > 0).all() and (pixel < board.size).all())
            or any(math.dist(t.pixel, pixel) < t.edge * unit for t in hidden)
            or any(
                np.abs(np.linalg.solve(axes, at - top)).max() < _BESIDE * t.edge for top, t in tops
            )
        ):
            continue
        where = float(pixel[0]), float(pixel[1])
        yield face_crop(pixels, where, axes, edge, slant, more=MORE), NO_DIE, -1, slant
    for top, t in tops:
        _, axes, slant = local_frame(board, t.x, t.y, t.z)
        down = float(rng.uniform(0.8, 1.3)) * (1 + slant) / 2 + RAISED * slant
        x, y = (top - axes[:, 1] * (down * t.edge)).tolist()
        if (
            _STEEP < slant < STEEPEST
            and t.status == data.FLAT
            and 0 < x < board.size[0]
            and 0 < y < board.size[1]
        ):
            yield face_crop(pixels, (x, y), axes, t.edge, slant, more=MORE), NO_DIE, -1, slant


def _at(
    scene: DiceScene, x: float, y: float, z: float, edge: float
) -> tuple[F64, F64, float, float]:
    """Pixel, axes, edge and slant of a place on the board."""
    centre, axes, slant = local_frame(scene.board, x, y, z)
    return centre, axes, edge, slant


def _elsewhere(
    rng: np.random.Generator, scene: DiceScene
) -> Iterator[tuple[float, float, float, float]]:
    """x, y, height and edge of cubes, and of places anywhere on the board and around it."""
    for t in scene.things:
        if t.kind == data.CUBE:
            yield t.x, t.y, t.z, t.edge * float(rng.uniform(0.5, 1.1))
    for _ in range(_ANYWHERE):
        x = float(rng.uniform(-0.6, 0.6)) * scene.board.width
        y = float(rng.uniform(-0.6, 0.6)) * scene.board.height
        yield x, y, HEIGHT, float(rng.uniform(0.24, 0.6))


def cut_die_faces(folder: Path, name: str, seed: int, scenes: int, stills: Sequence[Path]) -> None:
    """Nothing; files of so many scenes in a folder, those that are there already left alone."""
    finder = DiceFinder.load()

    def boards(rng: np.random.Generator) -> Columns:
        return _columns(
            [row for _ in range(SCENES) for row in painted_die_faces(rng, stills, finder)]
        )

    cut(folder, name, seed, scenes, boards)


def _columns(rows: Sequence[DieFace]) -> Columns:
    crops, values, statuses, slants = zip(*rows, strict=True)
    return {
        "crops": np.stack(crops),
        "values": np.array(values, np.int64),
        "statuses": np.array(statuses, np.int64),
        "slants": np.array(slants, np.float32),
    }


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

"""Films painted from what stands on a board, shot by shot: one board of an unseen palette, the same
checkers in the same places, dice and cube traced, hands between.

A shot is painted in a tenth of a second; a rendered one takes eight.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from vision.arrays import F32, F64
from vision.frame import Frame
from vision.geometry import BoardMap
from vision.synthetic.clutter import paint_cover
from vision.synthetic.discs import Disc, paint_discs, stand_checkers
from vision.synthetic.exposure import expose
from vision.synthetic.ground import paint_ground
from vision.synthetic.look import Look, random_look
from vision.synthetic.truth import PointCounts
from vision.synthetic.viewpoint import random_camera
from vision.train.dice.solids import (
    TURNS,
    Solid,
    random_cube,
    random_die,
    rotation_about,
    up_face,
)
from vision.train.dice.tracing import Lighting, Pose, paint_solid, random_lighting

_NOISE: Final = 2.0
"""Of a sensor, from shot to shot, brightness 0-255."""
_GAP: Final = 0.25
"""Between a die and what lies beside it, point widths."""


@dataclass(frozen=True, slots=True)
class PaintedShot:
    """What one picture shows, `at` seconds: geometric points and bar as (light, dark), borne off
    likewise, values of two dice in the half that is `east` of the bar or not, the cube's face and
    place (0 the middle of the bar, -1 and 1 its ends, None on the field), a hand.
    """

    at: float
    counts: PointCounts
    bar: tuple[int, int] = (0, 0)
    off: tuple[int, int] = (0, 0)
    dice: tuple[int, ...] = ()
    east: bool = True
    cube: tuple[int, int | None] | None = None
    hand: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PaintedBoard:
    """One board before one camera. The same `seed` gives the same board, lamps and hands."""

    seed: int
    look: Look
    board: BoardMap
    ground: F32
    lamp: Lighting
    die: Solid
    cube: Solid

    @classmethod
    def of(cls, seed: int, size: tuple[int, int] = (1024, 768), *, oblique: bool) -> PaintedBoard:
        """A board of this seed, seen from above or (`oblique`) from a player's side."""
        rng = np.random.default_rng(seed)
        look = random_look(rng)
        board = random_camera(rng, look, size, 0, oblique=oblique)
        ground = paint_ground(rng, board, look)
        bright = float(np.percentile(ground[::8, ::8].max(2), 96)) / 255
        lamp = random_lighting(rng, float(np.clip(bright, 0.4, 1.1)))
        return cls(seed, look, board, ground, lamp, random_die(rng), random_cube(rng))

    def shoot(self, shot: PaintedShot, number: int) -> Frame:
        """The picture of a shot."""
        picture, look, board = self.ground.copy(), self.look, self.board
        standing = self._standing(shot)
        classes = np.zeros(picture.shape[:2], np.uint8)
        paint_discs(picture, classes, board, standing, look)
        if shot.cube is not None:
            self._put_cube(picture, *shot.cube)
        for _, pose in self.thrown(shot):
            paint_solid(picture, board, self.die, pose, self.lamp)
        if shot.hand:
            paint_cover(picture, classes, board, np.random.default_rng((self.seed, number)))
        # One lamp for the whole film; what changes from picture to picture is the sensor's noise.
        pixels = expose(picture, np.random.default_rng(self.seed), look)
        rng = np.random.default_rng((self.seed, 1, number))
        grain = rng.standard_normal(pixels.shape, np.float32) * _NOISE
        return Frame((pixels + grain).clip(0, 255).astype(np.uint8), shot.at, number)

    def _standing(self, shot: PaintedShot) -> list[Disc]:
        """Every checker; a point's own lie where they lay in every shot."""
        found = []
        sites: Mapping[int, tuple[PointCounts, tuple[int, int], tuple[int, int]]] = {
            **{p: ({p: c}, (0, 0), (0, 0)) for p, c in shot.counts.items()},
            25: ({}, shot.bar, (0, 0)),
            26: ({}, (0, 0), shot.off),
        }
        for site, (counts, bar, off) in sites.items():
            rng = np.random.default_rng((self.seed, 2, site))
            found += stand_checkers(rng, self.board, counts, bar, off, self.look)
        return found

    def _put_cube(self, picture: F32, face: int, place: int | None) -> None:
        """The cube is traced where it lies."""
        board, edge = self.board, self.cube.edge
        if place is None:
            x, y, floor = 0.25 * board.width, 0.0, 0.0
        else:
            x, y = 0.0, place * (board.height / 2 - 0.5)
            floor = self.look.bar_height
        pose = Pose((x, y, floor + edge / 2), _showing(self.cube, face, 0.1), floor)
        paint_solid(picture, board, self.cube, pose, self.lamp)

    def thrown(self, shot: PaintedShot) -> list[tuple[int, Pose]]:
        """What each die of a shot shows, and where it lies: flat, where nothing else does."""
        rng = np.random.default_rng((self.seed, 3, *shot.dice, int(shot.east)))
        standing, lying = self._standing(shot), list[tuple[float, float]]()
        found: list[tuple[int, Pose]] = []
        for value in shot.dice:
            place = self._free(rng, standing, lying, east=shot.east)
            if place is None:
                continue
            lying.append(place)
            rotation = _showing(self.die, value, float(rng.uniform(0, 2 * math.pi)))
            found.append((value, Pose((*place, self.die.edge / 2), rotation, 0.0)))
        return found

    def _free(
        self,
        rng: np.random.Generator,
        standing: list[Disc],
        lying: list[tuple[float, float]],
        *,
        east: bool,
    ) -> tuple[float, float] | None:
        """A place in one half, None where there is none."""
        board, edge = self.board, self.die.edge
        for _ in range(200):
            x = rng.uniform(board.bar / 2 + edge, board.width / 2 - edge) * (1 if east else -1)
            y = rng.uniform(-0.5, 0.5) * (board.height - 2 * edge)
            checkers = (math.hypot(d.x - x, d.y - y) - board.checker / 2 for d in standing)
            dice = (math.hypot(a - x, b - y) - edge for a, b in lying)
            if min((*checkers, *dice), default=9.0) > edge + _GAP:
                return x, y
        return None


def filmed(shots: Iterable[PaintedShot], painted: PaintedBoard) -> Iterator[Frame]:
    """The pictures of a film, in order."""
    for number, shot in enumerate(shots):
        yield painted.shoot(shot, number)


def _showing(solid: Solid, face: int, yaw: float) -> F64:
    """The solid turned so that this face is up."""
    spun = rotation_about((0, 0, 1), yaw)
    for turn in TURNS:
        rotation: F64 = spun @ turn
        if up_face(solid, rotation)[0] == face:
            return rotation
    raise ValueError(f"no face shows {face}: expected one of {solid.values}")

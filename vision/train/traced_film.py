"""A film's pictures traced one by one from what stands on a board: `python traced_film.py GENERATOR
SHOTS.jsonl OUT --palette N`, run by the Python that has Blender's `bpy`; with `--oblique` from a
player's side, `TILT=55` in the environment degrees from straight above.

SHOTS is written by `python -m tests.bench match_film write=SHOTS`, one line a picture. A checker
that no line moves stays where it lay, to the hair; dice lie as they were thrown. Pictures that are
there already are not traced again, so a run can be stopped and gone on with. It imports nothing of
the project outside `train`, because `bpy` pins its own numpy.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.train.trace import random_palette

if TYPE_CHECKING:
    from vision.train.film_generator import (
        FilmChecker,
        FilmCube,
        FilmDie,
        FilmScenes,
        FilmThemes,
        Site,
    )

SETS: Final = ("light", "dark")
QUALITY: Final = 90


@dataclass(frozen=True, slots=True)
class ShotLine:
    """One line of SHOTS: geometric points, bar and tray as (light, dark); dice, the half they lie
    in and the number of their throw; the cube's face and place (0 the middle of the bar, -1 and 1
    its ends, None on the field); whether a hand is over what changed.
    """

    points: dict[str, tuple[int, int]]
    bar: tuple[int, int]
    off: tuple[int, int]
    dice: tuple[int, ...]
    east: bool
    throw: int
    cube: tuple[int, int | None]
    hand: bool

    @classmethod
    def of(cls, text: str) -> ShotLine:
        """From a line of the file. Raises TypeError where a part is missing."""
        return cls(**json.loads(text))

    def standing(self, of: int) -> dict[Site, int]:
        """How many checkers of set `of` each site holds."""
        sites: dict[Site, int] = {int(p): n[of] for p, n in self.points.items() if n[of]}
        return {**sites, "bar": self.bar[of], "off": self.off[of]}


@dataclass
class TracedTable:
    """One board under the generator's lamps before its camera, and what lies on it."""

    scenes: FilmScenes
    themes: FilmThemes
    palette: int
    seed: int
    size: tuple[int, int]
    orientation: int
    oblique: bool
    samples: int
    half: Path
    dice: list[FilmDie] = field(default_factory=list)
    throw: int = -1

    def __post_init__(self) -> None:
        s, name = self.scenes, f"film_{self.palette:03d}"
        self.themes.T[name] = random_palette(self.palette)
        theme = self.themes.T[name]
        rng, grain = random.Random(self.seed), np.random.default_rng(self.seed)
        self.rng, self.grain = rng, grain
        self.scene = s.Scene(1)
        # A film is one table: an inlaid box without trays bears off onto the table.
        self.geometry = s.Geom(rng, theme["style"], False)
        self.geometry.th = min(self.geometry.th, 1.0)
        self.layout = s.Layout(self.geometry, rng, 0.05, 5)
        view = "oblique" if self.oblique else "overhead"
        self.camera = s.make_camera(
            self.geometry, rng, view, self.orientation, self.size, (0.86, 0.93)
        )
        self.look = s.Look(self.scene, self.geometry, theme, rng, grain)
        s.build_board(self.scene, self.geometry, theme, rng, grain, "wood_dark", False, "triangle")
        self.lamps = s.add_lights(self.scene, "two_lamps", rng, self.camera, self.geometry)
        self.scene.set_camera(self.camera)
        self.maps = s.remap_tables(self.camera)
        self.exposure = s.post_params(rng, "two_lamps")
        self.skin = s.SKINS[self.seed % len(s.SKINS)]

    def put(self, line: ShotLine) -> list[FilmChecker]:
        """The checkers that were moved so that what stands is what the line says."""
        wanted = [line.standing(of) for of in range(2)]
        spare: dict[str, list[FilmChecker]] = {}
        # A hit one goes first, so that what hit it stands where it stood.
        for colour, stand in zip(SETS, wanted, strict=True):
            spare[colour] = []
            for site, there in self._lists(colour).items():
                own = [n for n, c in enumerate(there) if c["color"] == colour]
                for n in own[stand.get(site, 0) :][::-1]:
                    spare[colour].append(there.pop(n))
        moved = []
        for colour, stand in zip(SETS, wanted, strict=True):
            for site, number in stand.items():
                there = self._lists(colour)[site]
                for _ in range(number - sum(c["color"] == colour for c in there)):
                    chk = spare[colour].pop() if spare[colour] else None
                    moved.append(self.layout.add(colour, site, chk))
        return moved

    def _lists(self, colour: str) -> dict[Site, list[FilmChecker]]:
        lay = self.layout
        lists: dict[Site, list[FilmChecker]] = {"bar": lay.bar[colour], "off": lay.off[colour]}
        return lists | dict(lay.cols.items())

    def throw_dice(self, line: ShotLine) -> list[FilmDie]:
        """The dice as they lie, thrown anew where the line's throw is another."""
        if line.dice and line.throw != self.throw:
            rng = random.Random(self.seed * 1009 + line.throw)
            one: dict[str, str | int] = {"status": "flat", "pair": int(line.east)}
            plan = [dict(one) for _ in line.dice]
            lying: list[FilmDie] = []
            for _ in range(60):
                lying = self.scenes.place_dice(
                    self.geometry, self.layout, rng, plan, self.look.dice_size
                )
                if len(lying) == len(line.dice):
                    break
            for die, value in zip(lying, line.dice, strict=False):
                die["R"], die["value"] = self.scenes.die_R(value, rng.uniform(0, 360)), value
            self.dice, self.throw = lying, line.throw
        return self.dice if line.dice else []

    def shoot(self, line: ShotLine, number: int, moved: list[FilmChecker]) -> cv2.typing.MatLike:
        """The picture of a line whose checkers stand already."""
        s, g = self.scenes, self.geometry
        self.scene.clear_dyn()
        if line.hand:
            at = moved[-1] if moved else None
            # Nothing moved: the hand is over the middle, where the cube is turned or dice lie.
            x, y, z = (at["x"], at["y"], at["z"]) if at else (0.2 * g.W, 0.0, 0.0)
            rng = random.Random(self.seed * 131 + number)
            way = (-90 if line.east else 90) + rng.uniform(-18, 18)
            s.add_arm(self.scene, rng, (x, y, z + g.th * 1.4), way, "pinch", skin=self.skin)
        checkers = self.layout.all()
        for checker in checkers:
            checker["_th"] = g.th
        s.add_checkers(self.scene, self.look, checkers)
        s.add_dice(self.scene, self.look, self.throw_dice(line))
        self._cube(*line.cube)
        light = self.scene.render_linear(self.samples, str(self.half))
        grain = np.random.default_rng((self.seed, number))
        return s.isp(light, self.camera, self.maps, self.rng, grain, self.exposure)

    def _cube(self, face: int, place: int | None) -> None:
        """The cube is where the line says."""
        g, edge = self.geometry, self.look.cube_size
        x, y, z = 0.35 * g.W, 0.0, edge / 2
        if place is not None:
            x, y, z = 0.0, place * (g.H / 2 - edge * 0.7), g.bar_h + edge / 2
        turned = {-1: 0.0, 1: 180.0}.get(place or 0, 90.0)
        shown: FilmCube = {"shown": face, "pos": [x, y, z], "yaw": turned + 4}
        self.scenes.add_cube(self.scene, self.look, shown)


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("generator", type=Path)
    p.add_argument("shots", type=Path)
    p.add_argument("out", type=Path)
    p.add_argument("--palette", type=int, default=9001, help="those under 6000 teach")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--oblique", action="store_true", help="from a player's side")
    p.add_argument("--orientation", type=int, choices=(0, 180), default=0)
    p.add_argument("--size", default="896x560", help="WIDTHxHEIGHT, pixels")
    p.add_argument("--samples", type=int, default=3, help="light paths a pixel")
    p.add_argument("--still", action="store_true", help="leave pictures with a hand out")
    p.add_argument("--most", type=int, default=0, help="pictures traced in this run, 0 all")
    a = p.parse_args()
    sys.path.insert(0, str(a.generator))
    themes, scenes = importlib.import_module("themes"), importlib.import_module("scene")
    width, height = (int(n) for n in a.size.split("x"))
    table = TracedTable(
        scenes,
        themes,
        a.palette,
        a.seed,
        (width, height),
        a.orientation,
        a.oblique,
        a.samples,
        a.out / "half.exr",
    )
    a.out.mkdir(parents=True, exist_ok=True)
    lines = [ShotLine.of(text) for text in a.shots.read_text().splitlines()]
    made = 0
    for number, line in enumerate(lines):
        if line.hand and a.still:
            table.put(line)
            continue
        kept = a.out / f"{number:04d}.jpg"
        moved = table.put(line)
        table.throw_dice(line)
        if kept.exists() and number:
            continue
        began = time.monotonic()
        picture = table.shoot(line, number, moved)
        if not kept.exists():
            half = kept.with_suffix(".part.jpg")
            cv2.imwrite(str(half), picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
            half.replace(kept)
        made += 1
        print(f"{number + 1} of {len(lines)}, {time.monotonic() - began:.1f} s", flush=True)
        if a.most and made >= a.most:
            break


if __name__ == "__main__":
    main()

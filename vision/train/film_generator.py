"""What `traced_film` knows of the scene generator beside `generator`; types alone, read by no
program.
"""

from __future__ import annotations

import random
from typing import Protocol, TypedDict

import numpy as np

from vision.train.generator import (
    F64,
    Geometry,
    MakeCamera,
    MakeGeometry,
    Picture,
    Rgb,
    Theme,
    View,
)

Site = int | str
"""A point 1-24, "bar" or "off"."""


class FilmChecker(TypedDict):
    """A checker that lies somewhere, centimetres."""

    color: str
    x: float
    y: float
    z: float
    _th: float


class FilmDie(TypedDict):
    """A die that lies somewhere."""

    R: F64
    value: int


class FilmCube(TypedDict):
    """The cube where it lies."""

    shown: int
    pos: list[float]
    yaw: float


class FilmLayout(Protocol):
    """The generator's checkers, each where it was put."""

    cols: dict[int, list[FilmChecker]]
    bar: dict[str, list[FilmChecker]]
    off: dict[str, list[FilmChecker]]

    def add(self, color: str, where: Site, chk: FilmChecker | None = None) -> FilmChecker: ...

    def all(self) -> list[FilmChecker]: ...


class FilmLook(Protocol):
    """Materials of a film's checkers and dice."""

    dice_size: float
    cube_size: float


class FilmScene(Protocol):
    """The generator's scene under construction."""

    def clear_dyn(self) -> None: ...

    def set_camera(self, cam: View) -> None: ...

    def render_linear(self, samples: int, tmp: str) -> F64: ...


class MakeLayout(Protocol):
    """The generator's empty table."""

    def __call__(
        self, g: Geometry, rng: random.Random, neat: float, base_max: int, /
    ) -> FilmLayout: ...


class MakeFilmLook(Protocol):
    """The generator's choice of materials."""

    def __call__(
        self,
        scene: FilmScene,
        g: Geometry,
        theme: Theme,
        rng: random.Random,
        grain: np.random.Generator,
        /,
    ) -> FilmLook: ...


class MakeScene(Protocol):
    """An empty scene."""

    def __call__(self, threads: int, /) -> FilmScene: ...


class FilmThemes(Protocol):
    """The generator's `themes.py`."""

    T: dict[str, Theme]


class FilmScenes(Protocol):
    """The generator's `scene.py`, as far as a film asks it."""

    Scene: MakeScene
    Geom: MakeGeometry
    Layout: MakeLayout
    Look: MakeFilmLook
    make_camera: MakeCamera
    SKINS: list[Rgb]

    def build_board(
        self,
        scene: FilmScene,
        g: Geometry,
        theme: Theme,
        rng: random.Random,
        grain: np.random.Generator,
        table: str,
        aruco: bool,
        shape: str,
        /,
    ) -> object: ...

    def add_lights(
        self, scene: FilmScene, name: str, rng: random.Random, cam: View, g: Geometry, /
    ) -> object: ...

    def remap_tables(self, cam: View, /) -> tuple[F64, F64]: ...

    def post_params(self, rng: random.Random, light: str, /) -> dict[str, float]: ...

    def place_dice(
        self,
        g: Geometry,
        lay: FilmLayout,
        rng: random.Random,
        plan: list[dict[str, str | int]],
        edge: float,
        /,
    ) -> list[FilmDie]: ...

    def die_R(self, value: int, yaw: float, /) -> F64: ...

    def add_arm(
        self,
        scene: FilmScene,
        rng: random.Random,
        target: tuple[float, float, float],
        degrees: float,
        pose: str,
        /,
        *,
        skin: Rgb,
    ) -> object: ...

    def add_checkers(
        self, scene: FilmScene, look: FilmLook, checkers: list[FilmChecker], /
    ) -> None: ...

    def add_dice(self, scene: FilmScene, look: FilmLook, dice: list[FilmDie], /) -> None: ...

    def add_cube(self, scene: FilmScene, look: FilmLook, cube: FilmCube, /) -> None: ...

    def isp(
        self,
        light: F64,
        cam: View,
        maps: tuple[F64, F64],
        rng: random.Random,
        grain: np.random.Generator,
        exposure: dict[str, float],
        /,
    ) -> Picture: ...

"""What `trace` knows of the scene generator and asks of it; types alone, read by no program."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Protocol, TypedDict

import numpy as np
import numpy.typing as npt

Rgb = tuple[int, int, int]


Picture = npt.NDArray[np.uint8]
F64 = npt.NDArray[np.float64]


class Geometry(Protocol):
    """What the generator knows of a board, centimetres."""

    x_min: float
    x_max: float
    y_min: float
    y_max: float
    base_t: float
    th: float
    w: float
    W: float
    H: float
    bar_w: float
    bar_h: float
    rail_h: float
    tri_len: float
    d: float

    def pt_x(self, point: int) -> float:
        """Middle of a point, from the board's."""


class PaintField(Protocol):
    """The generator's painter of fields."""

    def __call__(
        self,
        theme: Theme,
        g: Geometry,
        rng: np.random.Generator,
        ppc: int = 26,
        shape: str = "triangle",
    ) -> Picture: ...


MakeGeometry = Callable[[random.Random, str, bool], Geometry]


PlannedDice = tuple[list[dict[str, str | int]], str]


PlanDice = Callable[[random.Random, bool, bool], PlannedDice]


class Theme(TypedDict, total=False):
    """A theme as the generator takes it."""

    style: str
    field: tuple[str, Rgb]
    pts: list[Rgb]
    rail: tuple[str, Rgb]
    light: Rgb
    dark: Rgb
    wooden: bool
    khatam: int


class Wanted(TypedDict, total=False):
    """What one still must show, as the generator's `override`."""

    aruco: bool
    base_max: int
    cup_on_field: bool
    orientation: int
    light: str
    theme: str
    position: str
    view: str
    odd_dice: bool
    hand: bool
    size: tuple[int, int]
    size_scale: float


class View(TypedDict):
    """A camera: OpenCV's matrices, the focal length in pixels, sizes of the picture and of what is
    rendered for it.
    """

    K: F64
    D: F64
    R: F64
    C: F64
    t: F64
    f: float
    size: tuple[int, int]
    tilt: float
    view: str
    fov: float
    dist: float
    yaw: int
    rw: int
    rh: int


class MakeCamera(Protocol):
    """The generator's choice of a camera."""

    def __call__(
        self,
        g: Geometry,
        rng: random.Random,
        view: str,
        orientation: int,
        size: tuple[int, int],
        fill_range: tuple[float, float] = (0.78, 0.97),
    ) -> View: ...


class Material(Protocol):
    """What something is made of."""


class Shapes(Protocol):
    """The generator's scene under construction."""

    def mat(self, name: str, color: tuple[int, ...], rough: float) -> Material: ...

    def box(
        self,
        name: str,
        x0: float,
        x1: float,
        y0: float,
        y1: float,
        z0: float,
        z1: float,
        mat: Material,
        pid: int,
    ) -> None: ...


class Prop(TypedDict):
    """A thing on or beside the board, its number in the mask."""

    kind: str
    id: int
    pos: list[float]


AddProps = Callable[[Shapes, random.Random, Geometry, list[str]], list[Prop]]


class Vertex(Protocol):
    """A corner of a mesh; its place can be multiplied."""

    co: F64


class Mesh(Protocol):
    """A body's surface."""

    vertices: list[Vertex]


class StillLook(Protocol):
    """Materials and meshes of a still's checkers and dice."""

    dice_size: float
    die_mesh: Mesh
    pip_mesh: Mesh


MakeLook = Callable[[Shapes, Geometry, Theme, random.Random, np.random.Generator], StillLook]


class BarChecker(TypedDict):
    """A checker's middle, the foot it stands on, and its layer."""

    x: float
    y: float
    z: float
    level: int


class BarPlaces(Protocol):
    """The generator's position: checkers of the 24 points, dark ones negative, and on the bar."""

    pts: list[int]
    bar: dict[str, int]


class StillCheckers(Protocol):
    """Where the generator's checkers stand; `fill` places those of a position."""

    bar: dict[str, list[BarChecker]]
    fill: Callable[[BarPlaces], None]


class PlaceCheckers(Protocol):
    """The generator's choice of how checkers stand."""

    def __call__(
        self, g: Geometry, rng: random.Random, neat: float, base_max: int = 5
    ) -> StillCheckers: ...


class StillCube(TypedDict):
    """The doubling cube: what it stands on, and its middle."""

    where: str
    pos: list[float]


class CubeLook(Protocol):
    """What the generator knows of a still's cube."""

    cube_size: float


PlaceCube = Callable[[Geometry, random.Random, CubeLook, StillCheckers], StillCube | None]


class Themes(Protocol):
    """The generator's `themes.py`."""

    T: dict[str, Theme]
    paint_field: PaintField


class Scenes(Protocol):
    """The generator's `scene.py`."""

    Geom: MakeGeometry
    dice_plan: PlanDice
    Look: MakeLook
    make_camera: MakeCamera
    add_props: AddProps
    Layout: PlaceCheckers
    place_cube: PlaceCube

    def look_at(self, eye: F64, target: F64, yaw: float, /) -> F64: ...

    def project(self, cam: View, pts: F64, /) -> F64: ...

    def undistort_px(self, cam: View, px: F64, /) -> F64: ...

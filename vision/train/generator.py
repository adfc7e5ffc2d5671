"""What `trace` knows of the scene generator and asks of it; types alone, read by no program."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Protocol, TypedDict

import numpy as np
import numpy.typing as npt

Rgb = tuple[int, int, int]


Picture = npt.NDArray[np.uint8]


class Geometry(Protocol):
    """What the generator knows of a board, centimetres."""

    w: float
    W: float
    H: float
    bar_w: float
    bar_h: float
    rail_h: float
    tri_len: float

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

    light: str
    theme: str
    position: str
    view: str
    odd_dice: bool
    hand: bool
    size: tuple[int, int]
    size_scale: float


class Themes(Protocol):
    """The generator's `themes.py`."""

    T: dict[str, Theme]
    paint_field: PaintField


class Scenes(Protocol):
    """The generator's `scene.py`."""

    Geom: MakeGeometry
    dice_plan: PlanDice

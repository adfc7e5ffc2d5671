"""The truth beside a rendered scene or a labelled photo, as its JSON has it; keys that a reader of
pictures needs, no others. Lengths in centimetres (`_cm`) or pixels (`_px`).
"""

from __future__ import annotations

import enum
import zlib
from typing import Final, TypedDict

MEASURED: Final = ("H_beige_lowcontrast", "L_teal_inlay", "M_navy_red")
"""Palettes of the public scenes that nothing was ever taught with."""


class Share(enum.Enum):
    """What a palette's pictures, or a photo, are for."""

    LEARN = "learn"
    FIT = "fit"
    """For the few numbers beside the weights: temperatures, priors, what is certain."""
    MEASURE = "measure"
    """For saying how good the whole is, and for nothing else."""


def share_of(name: str) -> Share:
    """What the pictures of a palette, or a photo's file, are for: by its name alone, so that every
    machine and every year says the same. A fifth measures and a tenth fits; the public palettes
    have no number and teach, but for `MEASURED`.
    """
    if name in MEASURED:
        return Share.MEASURE
    if not name.rsplit("_", 1)[-1].isdigit():
        return Share.LEARN
    tenth = zlib.crc32(name.encode()) % 10
    return Share.MEASURE if tenth < 2 else Share.FIT if tenth == 2 else Share.LEARN


class CheckerPair(TypedDict):
    """Checkers of both sets."""

    light: int
    dark: int


class CheckerTruth(TypedDict):
    """One checker. `location`: point, bar, off or in_hand."""

    mask_id: int
    color: str
    location: str
    pos_cm: list[float]
    center_px: list[float]
    visible: float
    top_ellipse_bbox: list[float]
    on_edge: bool


class DieTruth(TypedDict, total=False):
    """One die. `value`, `bbox_px`: None where a label does not tell."""

    center_px: list[float]
    bbox_px: list[float] | None
    value: int | None
    status: str
    in_image: bool
    visible: float
    up_face: int
    pos_cm: list[float]


class CubeTruth(TypedDict, total=False):
    """The doubling cube; the rest only where it is `present`."""

    present: bool
    shown: int
    in_image: bool
    visible: float
    center_px: list[float]
    bbox_px: list[float]


class BoardDims(TypedDict):
    """A rendered board: point width, field, bar, trays, checkers, height of the table's top."""

    w: float
    W: float
    H: float
    d: float
    th: float
    bar_w: float
    bar_h: float
    div_w: float
    tray_w: float
    pocket: float
    base_t: float
    x_min: float
    x_max: float
    left_tray: bool


class CameraTruth(TypedDict):
    """The camera of a rendered scene, in OpenCV's terms."""

    K: list[list[float]]
    R_board_to_cam: list[list[float]]
    t_board_to_cam: list[float]
    dist: list[float]


class SceneLighting(TypedDict):
    """How a scene is lit."""

    preset: str


class SceneTruth(TypedDict, total=False):
    """A whole scene; a photo's label has points, bar, point_visible, dice and cube alone."""

    image: str
    mask: str
    image_size: list[int]
    camera: CameraTruth
    board_dims_cm: BoardDims
    field_corners_image: list[list[float]]
    frame_outer_corners_logical: list[list[float]]
    orientation: int
    theme: str
    view: str
    lighting: SceneLighting
    board_style: str
    position_kind: str
    hand_over_field_fraction: float
    points: dict[str, CheckerPair]
    point_visible: dict[str, float]
    bar: CheckerPair | None
    off_in_image: CheckerPair
    checkers: list[CheckerTruth]
    dice: list[DieTruth]
    cube: CubeTruth | None


class PhotoCorners(TypedDict):
    """The field's corners by name."""

    tl: list[float]
    tr: list[float]
    br: list[float]
    bl: list[float]


class PhotoDie(TypedDict, total=False):
    """One die of a photo, its middle in pixels."""

    cx: float | None
    cy: float
    value: int
    in_hand: bool
    uncertain: bool
    cocked: bool


class PhotoPoint(TypedDict, total=False):
    """What stands on a point of a photo; what is missing is none."""

    light: int
    dark: int


class PhotoLabel(TypedDict, total=False):
    """What a person saw on a photo; points from 1, None where hidden."""

    corners_px: PhotoCorners | list[list[float]]
    points: list[PhotoPoint | None]
    bar: CheckerPair | None
    dice: list[PhotoDie] | None
    values: list[int]
    """Of dice without a board."""


class LabelledPhoto(TypedDict, total=False):
    """A photo's file, what it shows (`role` dice: dice without a board) and its label."""

    file: str
    role: str
    label: PhotoLabel


class PhotoManifest(TypedDict):
    """`manifest.json` of a folder of photos."""

    images: list[LabelledPhoto]


class ClipFrame(TypedDict):
    """One frame of a recorded game: picture, truth, seconds."""

    image: str
    gt: str
    t: float


class Clip(TypedDict):
    """`clip.json` of a recorded game."""

    frames: list[ClipFrame]

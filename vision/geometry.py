"""BoardMap: where each spot of a board lies in a picture, at any height above the field.

**Geometric board coordinates**: origin in the middle of the playing field on its surface, x east, y
            north, z up, the unit is the width
of one point. Point 1 is south-east, 12 south-west, 13 north-west, 24 north-east. `orientation` 0 =
the picture shows south at the bottom; 180 = the camera is turned, so that point 1 is in the
picture's top left.

The camera is a 3x4 matrix onto a picture without lens errors, then the lens (OpenCV's k1 k2 p1 p2
k3 about `centre` with `focal`). Four corners alone give the homography of the field; the focal
length comes from the perspective where there is any and from a prior where there is none, since it
only moves the tops of stacks. Source of the constraints: Zhang 2000, eqs 3 and 4 (columns of K^-1 H
are orthogonal and as long as the board's proportions say).
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Final, Self

import cv2
import numpy as np
import numpy.typing as npt

from vision.arrays import F64
from vision.finding_settings import GeometrySettings
from vision.settings import DEFAULT

CORNER_NAMES: Final = ("TL", "TR", "BR", "BL")


class GeometryError(ValueError):
    """Corners or a map file that cannot be a board seen by a camera."""


@dataclass(frozen=True, slots=True)
class BoardMap:
    """Where a board lies in pictures of `size` (width, height).

    `camera`: 3x4 row-major, board units -> lens-free pixels. `lens`: k1, k2, p1, p2, k3. `bar` and
    `height`: width of the bar and length of the field south to north, in point widths (the field is
    12 + bar wide). `checker` and `thickness`: diameter and thickness of a checker in point widths.
    `sure_of_place`: probability that the corners are right, less than 1 where a picture neither
    shows nor denies them. `sure_of_orientation`: that `orientation` is, if the corners are (1.0
    when somebody said so).
    """

    size: tuple[int, int]
    camera: tuple[float, ...]
    focal: float
    centre: tuple[float, float]
    lens: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)
    bar: float = 1.05
    height: float = 11.0
    checker: float = 0.935
    thickness: float = 0.225
    orientation: int = 0
    sure_of_orientation: float = 1.0
    sure_of_place: float = 1.0

    def __post_init__(self) -> None:
        if self.orientation not in (0, 180):
            raise GeometryError(f"orientation is 0 or 180, got {self.orientation}")
        if len(self.camera) != 12 or not all(
            math.isfinite(v) for v in (*self.camera, *self.lens, self.focal)
        ):
            raise GeometryError("the camera matrix needs 12 finite numbers")
        if not (0.1 <= self.bar <= 4 and 6 <= self.height <= 20 and self.focal > 0):
            raise GeometryError(
                f"no board: bar {self.bar:.2f} (0.1-4), field {self.height:.2f} (6-20) point"
                f" widths, focal length {self.focal:.0f}"
            )

    @property
    def width(self) -> float:
        """Width of the field in point widths: twelve points and the bar."""
        return 12 + self.bar

    @property
    def unit_pixels(self) -> float:
        """Pixels of a point's width along the edge of the field that is at the picture's top."""
        return unit_between(self.corners(), self.bar)

    @property
    def matrix(self) -> F64:
        """The camera, 3 x 4."""
        return np.array(self.camera, np.float64).reshape(3, 4)

    @property
    def intrinsics(self) -> F64:
        """The camera's own matrix, 3 x 3 pixels: focal length and middle."""
        return np.array(
            [[self.focal, 0, self.centre[0]], [0, self.focal, self.centre[1]], [0, 0, 1]],
            np.float64,
        )

    def project(self, points: npt.ArrayLike) -> F64:
        """Board points (N x 3, units of point widths) to pixels (N x 2)."""
        p = np.asarray(points, np.float64).reshape(-1, 3)
        m = self.matrix
        q = p @ m[:, :3].T + m[:, 3]
        flat: F64 = q[:, :2] / np.where(np.abs(q[:, 2:]) < 1e-9, 1e-9, q[:, 2:])
        return self._bent(flat)

    def _bent(self, flat: F64) -> F64:
        """Lens-free pixels to pixels."""
        if not any(self.lens):
            return flat
        x = (flat - np.array(self.centre)) / self.focal
        # Far outside the picture the polynomial folds back: hold the radius where it still makes
        # sense.
        r2 = np.minimum((x * x).sum(1), 2.0)
        k1, k2, p1, p2, k3 = self.lens
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        bent: F64 = x * radial[:, None]
        if p1 or p2:
            xy = x[:, 0] * x[:, 1]
            bent += np.stack(
                [
                    2 * p1 * xy + p2 * (r2 + 2 * x[:, 0] ** 2),
                    p1 * (r2 + 2 * x[:, 1] ** 2) + 2 * p2 * xy,
                ],
                1,
            )
        bent *= self.focal
        bent += np.array(self.centre)
        return bent

    def unproject(self, pixels: npt.ArrayLike, z: float | npt.ArrayLike = 0.0) -> F64:
        """Pixels (N x 2) to the board points (N x 2) at height z (one number, or one a pixel) that
        are seen there.
        """
        px = np.ascontiguousarray(np.asarray(pixels, np.float64).reshape(-1, 2))
        if any(self.lens) and len(px):
            px = (
                cv2.undistortPoints(
                    px.reshape(-1, 1, 2), self.intrinsics, np.array(self.lens), P=self.intrinsics
                )
                .reshape(-1, 2)
                .astype(np.float64)
            )
        if isinstance(z, (int, float)):
            return self._flat_at(px, z)
        heights = np.broadcast_to(np.asarray(z, np.float64), (len(px),))
        out = np.empty((len(px), 2))
        for height in np.unique(heights):
            here = heights == height
            out[here] = self._flat_at(px[here], float(height))
        return out

    def _flat_at(self, flat: F64, z: float) -> F64:
        """Lens-free pixels to the board points at height z."""
        m = self.matrix
        plane = np.linalg.inv(np.stack([m[:, 0], m[:, 1], m[:, 2] * z + m[:, 3]], 1))
        q = np.concatenate([flat, np.ones((len(flat), 1))], 1) @ plane.T
        return np.asarray(q[:, :2] / q[:, 2:], np.float64)

    def corners(self) -> F64:
        """The field's corners in the picture, 4 x 2, TL TR BR BL as the picture shows them."""
        x, y = self.width / 2, self.height / 2
        s = 1 if self.orientation == 0 else -1
        return self.project(
            [(-s * x, s * y, 0), (s * x, s * y, 0), (s * x, -s * y, 0), (-s * x, -s * y, 0)]
        )

    def point_x(self, point: int) -> float:
        """Middle of geometric point 1-24, board units."""
        column = point - 1 if point <= 12 else 24 - point
        if not 0 <= column < 12:
            raise ValueError(f"geometric points are 1-24, got {point}")
        return self.bar / 2 + 5.5 - column if column < 6 else -self.bar / 2 + 5.5 - column

    def point_polygon(self, point: int, z: float = 0.0) -> F64:
        """Pixels (4 x 2) of the strip of a geometric point: from the rail to the middle of the
        field.
        """
        x, y = self.point_x(point), (-1 if point <= 12 else 1) * self.height / 2
        return self.project([(x - 0.5, y, z), (x + 0.5, y, z), (x + 0.5, 0, z), (x - 0.5, 0, z)])

    def turned(self) -> BoardMap:
        """The same picture read the other way round."""
        return self.facing(180 - self.orientation)

    def facing(self, orientation: int, sure: float = 1.0) -> BoardMap:
        """The same picture with the given orientation."""
        if orientation == self.orientation:
            return replace(self, sure_of_orientation=sure)
        m = self.matrix.copy()
        m[:, :2] *= -1
        return replace(
            self,
            camera=tuple(float(v) for v in m.ravel()),
            orientation=orientation,
            sure_of_orientation=sure,
        )

    def quarter_turned(self) -> BoardMap:
        """The map of the same picture turned clockwise by 90 degrees, pixels and all."""
        width, height = self.size
        turn = np.array([[0, -1, height - 1], [1, 0, 0], [0, 0, 1]])
        k1, k2, p1, p2, k3 = self.lens
        return replace(
            self,
            size=(height, width),
            camera=tuple(float(v) for v in (turn @ self.matrix).ravel()),
            centre=(height - 1 - self.centre[1], self.centre[0]),
            lens=(k1, k2, p2, -p1, k3),
        )

    def lies_across(self) -> bool:
        """Whether the field's long sides run along the picture's short ones."""
        corners = self.corners()
        along = np.abs(corners[1] - corners[0] + corners[2] - corners[3])
        return bool((along[0] < along[1]) == (self.size[0] > self.size[1]))

    def scaled(self, factor: float) -> BoardMap:
        """The map of the same picture resized by `factor` (pixel centres at whole numbers)."""
        shift = (factor - 1) / 2
        t = np.array([[factor, 0, shift], [0, factor, shift], [0, 0, 1]])
        width, height = round(self.size[0] * factor), round(self.size[1] * factor)
        centre = (self.centre[0] * factor + shift, self.centre[1] * factor + shift)
        return replace(
            self,
            size=(width, height),
            camera=tuple(float(v) for v in (t @ self.matrix).ravel()),
            focal=self.focal * factor,
            centre=centre,
        )

    def warped(self, warp: npt.NDArray[np.float64]) -> BoardMap:
        """The map of a picture whose pixels were moved by a 3x3 warp of small effect."""
        camera = warp @ self.matrix
        return replace(self, camera=tuple(float(v) for v in (camera / camera[2, 3]).ravel()))

    def resized(self, size: tuple[int, int]) -> BoardMap:
        """The map for the same view at another resolution.

        Raises GeometryError when the proportions differ.
        """
        factor = size[0] / self.size[0]
        if abs(size[1] - self.size[1] * factor) > 2 + 0.01 * size[1]:
            raise GeometryError(
                f"the map is of {self.size[0]}x{self.size[1]} pictures, this one has"
                f" {size[0]}x{size[1]}: find the board again"
            )
        return replace(self.scaled(factor), size=size)

    def to_json(self) -> str:
        """The map as a file's text."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return json.dumps({"format": "takhte-board-map/1", **fields}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Raises GeometryError for anything that `to_json` did not write."""
        try:
            d = json.loads(text)
            if d.pop("format") != "takhte-board-map/1":
                raise GeometryError("not a board map: its format is not takhte-board-map/1")
            for name in ("camera", "lens"):
                d[name] = tuple(float(v) for v in d[name])
            d["size"] = (int(d["size"][0]), int(d["size"][1]))
            d["centre"] = (float(d["centre"][0]), float(d["centre"][1]))
            return cls(**d)
        except GeometryError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
            raise GeometryError(
                f"not a board map ({error}): write one with `takhte read PICTURE --map FILE`"
            ) from error


def unit_between(corners: F64, bar: float) -> float:
    """Pixels of a point's width along the upper edge of a field with these corners (4 x 2)."""
    return float(np.linalg.norm(corners[1] - corners[0])) / (12 + bar)


def from_corners(
    corners: npt.ArrayLike,
    size: tuple[int, int],
    *,
    orientation: int = 0,
    sure_of_orientation: float = 1.0,
    bar: float | None = None,
    lens: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0),
    settings: GeometrySettings = DEFAULT.geometry,
) -> BoardMap:
    """The map for four field corners (pixels, TL TR BR BL as the picture shows them) in a picture
    of `size` (width, height).

    Raises GeometryError when the corners are no convex quadrilateral in that order or far smaller
    than a board can be.
    """
    c = np.asarray(corners, np.float64).reshape(-1, 2)
    check_corners(c, size)
    bar = settings.bar if bar is None else bar
    centre = ((size[0] - 1) / 2, (size[1] - 1) / 2)
    coarse = np.linspace(settings.hfov_low, settings.hfov_high, 10)
    first = min(
        (_pose(c, float(h), size, centre, bar, lens, settings) for h in coarse), key=lambda p: p[0]
    )
    fine = first[3] + (coarse[1] - coarse[0]) * np.array([-0.6, -0.3, 0.0, 0.3, 0.6])
    _, focal, matrix, _, height_ = min(
        (_pose(c, float(h), size, centre, bar, lens, settings) for h in fine), key=lambda p: p[0]
    )
    matrix = matrix / matrix[2, 3]
    height = float(np.clip(height_, 6.5, 19.5))
    matrix[:, 1] *= height_ / height
    found = BoardMap(
        size, tuple(float(v) for v in matrix.ravel()), float(focal), centre, lens, bar, height
    )
    return found.facing(orientation, sure_of_orientation)


def _pose(
    corners: F64,
    hfov: float,
    size: tuple[int, int],
    centre: tuple[float, float],
    bar: float,
    lens: tuple[float, ...],
    settings: GeometrySettings,
) -> tuple[float, float, F64, float, float]:
    """(cost, focal length, 3x4 camera, hfov, length of the field) if the camera's field of view
    were `hfov` degrees.
    """
    f = max(size) / 2 / math.tan(math.radians(hfov) / 2)
    w2 = (12 + bar) / 2
    flat = _straight(corners, f, centre, lens)
    # The board's length is not known yet: let y run -1/2..1/2 and read the length off the second
    # column.
    square = np.array([(-w2, 0.5), (w2, 0.5), (w2, -0.5), (-w2, -0.5)], np.float32)
    h = cv2.getPerspectiveTransform(square, flat.astype(np.float32)).astype(np.float64)
    k = np.array([[f, 0, centre[0]], [0, f, centre[1]], [0, 0, 1]])
    a = np.stack([(h[0] - centre[0] * h[2]) / f, (h[1] - centre[1] * h[2]) / f, h[2]])
    n1, n2 = float(np.linalg.norm(a[:, 0])), float(np.linalg.norm(a[:, 1]))
    height = n2 / n1
    skew = float(a[:, 0] @ a[:, 1]) / (n1 * n2)
    cost = (skew / settings.skew_sd) ** 2 + (
        (height / (12 + bar) - settings.aspect) / settings.aspect_sd
    ) ** 2
    cost += ((hfov - settings.hfov) / settings.hfov_sd) ** 2
    up = np.cross(a[:, 0], a[:, 1]) / n2 * (1 if a[2, 2] > 0 else -1)
    return cost, f, np.stack([h[:, 0], h[:, 1] / height, k @ up, h[:, 2]], 1), hfov, height


def _straight(
    pixels: F64, focal: float, centre: tuple[float, float], lens: tuple[float, ...]
) -> F64:
    if not any(lens):
        return pixels
    k = np.array([[focal, 0, centre[0]], [0, focal, centre[1]], [0, 0, 1]])
    return (
        cv2.undistortPoints(pixels.reshape(-1, 1, 2), k, np.array(lens), P=k)
        .reshape(-1, 2)
        .astype(np.float64)
    )


def check_corners(corners: F64, size: tuple[int, int]) -> None:
    """Raises GeometryError unless four corners (TL TR BR BL) span a convex board of sensible size,
    clockwise in the picture.
    """
    if corners.shape != (4, 2) or not np.isfinite(corners).all():
        raise GeometryError(
            "four corners x,y are needed (top left, top right, bottom right, bottom left), got"
            f" shape {corners.shape}"
        )
    edges = np.roll(corners, -1, 0) - corners
    turns = edges[:, 0] * np.roll(edges, -1, 0)[:, 1] - edges[:, 1] * np.roll(edges, -1, 0)[:, 0]
    if (turns <= 0).any():
        raise GeometryError(
            "the corners cross or run the wrong way: give top left, top right, bottom right, bottom"
            " left as the picture shows them"
        )
    area = float(cv2.contourArea(corners.astype(np.float32)))
    if area < 0.01 * size[0] * size[1] or area < 60 * 60:
        raise GeometryError(
            f"the corners span {area:.0f} pixels of {size[0]}x{size[1]}: the board must be larger"
            " in the picture"
        )
    if (np.abs(corners) > 4 * max(size)).any():
        raise GeometryError("the corners lie far outside the picture")

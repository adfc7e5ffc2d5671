"""Solids traced ray by ray into a picture: distance field, one lamp and the sky, shadows."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.arrays import F32, F64, Mask
from vision.geometry import BoardMap
from vision.train.dice.solids import FACE, Solid

_SUPER: Final = 2


@dataclass(frozen=True, slots=True)
class Lighting:
    """Unit vector towards the lamp, share of light that comes from everywhere, depth and softness
    (point widths) of shadows, brightness.
    """

    towards: tuple[float, float, float]
    ambient: float
    shadow: float
    soft: float
    bright: float


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Centre and rotation (columns: the solid's axes on the board); `floor` = height of what it
    lies on.
    """

    centre: tuple[float, float, float]
    rotation: F64
    floor: float


def random_lighting(rng: np.random.Generator, bright: float) -> Lighting:
    """A lamp somewhere above, so bright."""
    angle, lean = rng.uniform(0, 2 * math.pi), rng.uniform(0.05, 1.1)
    v = np.array([lean * math.cos(angle), lean * math.sin(angle), 1.0])
    v /= np.linalg.norm(v)
    return Lighting(
        (float(v[0]), float(v[1]), float(v[2])),
        rng.uniform(0.35, 0.85),
        rng.uniform(0.1, 0.65),
        rng.uniform(0.02, 0.25),
        bright,
    )


def ink_at(solid: Solid, p: F64, axis: npt.NDArray[np.intp]) -> F32:
    """Ink 0-1 at points of the surface (N x 3, half edges) whose largest coordinate is `axis`."""
    rows = np.arange(len(p))
    sign = np.sign(p[rows, axis])
    # Seen from outside, u runs right and v runs up on each face.
    u = p[rows, (axis + 1) % 3] * sign
    v = p[rows, (axis + 2) % 3]
    face = axis * 2 + (sign < 0)
    column = np.clip(((u + 1) / 2 * FACE).astype(int), 0, FACE - 1)
    row = np.clip(((1 - v) / 2 * FACE).astype(int), 0, FACE - 1)
    return np.asarray(solid.faces[face, row, column], np.float32)


def paint_solid(
    picture: F32,
    board: BoardMap,
    solid: Solid,
    pose: Pose,
    lamp: Lighting,
    *,
    blur: tuple[float, float] = (0, 0),
) -> F32 | None:
    """Paint a solid and its shadow into `picture` (HxWx3 float32, changed in place); `blur` =
    motion in pixels.

    Returns the solid's coverage (HxW in its window, at the window's place, see the second value of
    `window`), None when out of the picture.
    """
    height, width = picture.shape[:2]
    box = window(board, solid, pose, (width, height), blur)
    if box is None:
        return None
    x0, y0, x1, y1 = box
    _shade_ground(picture, board, solid, pose, lamp)
    colour, cover = _trace(board, solid, pose, lamp, box, picture[y0:y1, x0:x1])
    if max(abs(blur[0]), abs(blur[1])) > 0.7:
        kernel = _streak(blur)
        colour, cover = (
            np.asarray(cv2.filter2D(q, -1, kernel), np.float32) for q in (colour, cover)
        )
    patch = picture[y0:y1, x0:x1]
    patch *= (1 - cover)[..., None]
    patch += colour
    return np.asarray(cover, np.float32)


def window(
    board: BoardMap,
    solid: Solid,
    pose: Pose,
    size: tuple[int, int],
    blur: tuple[float, float] = (0, 0),
) -> tuple[int, int, int, int] | None:
    """x0, y0, x1, y1 of the pixels around a solid; None when less than half its window lies within
    the picture.
    """
    half = np.array(list(itertools.product((-1, 1), repeat=3))) * solid.edge / 2
    px = board.project(half @ pose.rotation.T + pose.centre)
    more = 2 + max(abs(blur[0]), abs(blur[1])) / 2
    low, high = px.min(0) - more, px.max(0) + more
    x0, y0 = max(0, int(low[0])), max(0, int(low[1]))
    x1, y1 = min(size[0], int(high[0]) + 2), min(size[1], int(high[1]) + 2)
    if (x1 - x0) < 0.5 * (high[0] - low[0]) or (y1 - y0) < 0.5 * (high[1] - low[1]):
        return None
    return x0, y0, x1, y1


def _streak(blur: tuple[float, float]) -> F32:
    length = max(abs(blur[0]), abs(blur[1]))
    n = int(length) * 2 // 2 + 3
    n += 1 - n % 2
    kernel = np.zeros((n, n), np.float32)
    mid = n // 2
    a, b = (
        (round(mid - blur[0] / 2), round(mid - blur[1] / 2)),
        (round(mid + blur[0] / 2), round(mid + blur[1] / 2)),
    )
    cv2.line(kernel, a, b, 1.0, 1, cv2.LINE_AA)
    return kernel / max(float(kernel.sum()), 1e-6)


def _shade_ground(picture: F32, board: BoardMap, solid: Solid, pose: Pose, lamp: Lighting) -> None:
    """The shadow on the floor of the solid: its outline along the lamp's rays, softened; and the
    dark line where it touches.
    """
    half = np.array(list(itertools.product((-1, 1), repeat=3))) * solid.edge / 2
    corners = half @ pose.rotation.T + pose.centre
    rise = np.maximum(corners[:, 2] - pose.floor, 0)
    l = np.array(lamp.towards)  # noqa: E741
    feet = corners[:, :2] - rise[:, None] * l[:2] / l[2]
    outline = board.project(np.c_[feet, np.full(8, pose.floor)])
    near = board.project(
        [
            (pose.centre[0], pose.centre[1], pose.floor),
            (pose.centre[0] + 1, pose.centre[1], pose.floor),
        ]
    )
    unit = float(np.linalg.norm(near[1] - near[0]))
    height, width = picture.shape[:2]
    sigma = max(0.4, lamp.soft * solid.edge / 0.36 * unit)
    contact = board.project(
        np.c_[corners[:, :2] + (corners[:, :2] - pose.centre[:2]) * 0.12, np.full(8, pose.floor)]
    )
    for shape, depth, soft in (
        (outline, lamp.shadow, sigma),
        (contact, 0.35, max(0.4, 0.05 * unit)),
    ):
        low, high = shape.min(0) - 3 * soft, shape.max(0) + 3 * soft
        x0, y0, x1, y1 = (
            max(0, int(low[0])),
            max(0, int(low[1])),
            min(width, int(high[0]) + 2),
            min(height, int(high[1]) + 2),
        )
        if x1 - x0 < 2 or y1 - y0 < 2:
            continue
        mask = np.zeros((y1 - y0, x1 - x0), np.float32)
        hull = cv2.convexHull((shape - (x0, y0)).astype(np.float32)).reshape(-1, 2)
        cv2.fillConvexPoly(mask, np.round(hull * 16).astype(np.int32), depth, cv2.LINE_AA, 4)
        picture[y0:y1, x0:x1] *= (1 - cv2.GaussianBlur(mask, (0, 0), soft))[..., None]


def _trace(
    board: BoardMap,
    solid: Solid,
    pose: Pose,
    lamp: Lighting,
    box: tuple[int, int, int, int],
    ground: F32,
) -> tuple[F32, F32]:
    """Premultiplied colour and coverage of the window."""
    x0, y0, x1, y1 = box
    w, h = x1 - x0, y1 - y0
    corner = np.array(
        [(x0 - 0.5, y0 - 0.5), (x1 - 0.5, y0 - 0.5), (x0 - 0.5, y1 - 0.5), (x1 - 0.5, y1 - 0.5)]
    )
    if any(board.lens):
        k = board.intrinsics
        corner = (
            cv2.undistortPoints(corner.reshape(-1, 1, 2), k, np.array(board.lens), P=k)
            .reshape(-1, 2)
            .astype(np.float64)
        )
    fx = (np.arange(w * _SUPER) + 0.5) / (w * _SUPER)
    fy = (np.arange(h * _SUPER) + 0.5) / (h * _SUPER)
    top = corner[0] * (1 - fx)[:, None] + corner[1] * fx[:, None]
    bottom = corner[2] * (1 - fx)[:, None] + corner[3] * fx[:, None]
    flat = top[None] * (1 - fy)[:, None, None] + bottom[None] * fy[:, None, None]
    inverse = np.linalg.inv(board.matrix[:, :3])
    eye = -inverse @ board.matrix[:, 3]
    rays = (
        np.concatenate([flat.reshape(-1, 2), np.ones((flat.shape[0] * flat.shape[1], 1))], 1)
        @ inverse.T
    )
    rays *= np.where(rays[:, 2] > 0, -1.0, 1.0)[:, None]
    rays /= np.linalg.norm(rays, axis=1)[:, None]
    half = solid.edge / 2
    o = (eye - pose.centre) @ pose.rotation / half
    d = rays @ pose.rotation
    p, hit = _meet(solid, o, d)
    out = np.zeros((len(d), 4), np.float32)
    if hit.any():
        out[hit, :3] = _light(solid, pose, lamp, p[hit], d[hit], ground)
        out[hit, 3] = 1 - solid.clear * (1 - 0.9 * ink_at(solid, p[hit], np.abs(p[hit]).argmax(1)))
        out[hit, :3] *= out[hit, 3:]
    image = out.reshape(h, _SUPER, w, _SUPER, 4).mean((1, 3))
    return np.ascontiguousarray(image[..., :3]), np.ascontiguousarray(image[..., 3])


def _meet(solid: Solid, o: F64, d: F64) -> tuple[F64, Mask]:
    """Where rays meet the solid (half edges): points and which do."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (-1 - o) / d, (1 - o) / d
    near, far = np.minimum(a, b).max(1), np.maximum(a, b).min(1)
    maybe = near < far
    t = np.where(maybe, near, 0.0)
    inner = 1 - solid.round
    index = np.flatnonzero(maybe)
    distance = np.full(len(d), 1.0)
    for _ in range(6):
        p = o + t[index, None] * d[index]
        q = np.abs(p) - inner
        box = np.sqrt((np.maximum(q, 0) ** 2).sum(1)) + np.minimum(q.max(1), 0) - solid.round
        distance[index] = np.maximum(box, np.sqrt((p * p).sum(1)) - solid.ball)
        t[index] += distance[index]
    return o + t[:, None] * d, maybe & (distance < 0.03)


def _light(solid: Solid, pose: Pose, lamp: Lighting, p: F64, d: F64, ground: F32) -> F64:
    """Colour of surface points: body and ink under lamp and sky, mirror of the lamp, a trace of
    what lies around.
    """
    inner = 1 - solid.round
    n = np.sign(p) * np.maximum(np.abs(p) - inner, 1e-9)
    ball = np.sqrt((p * p).sum(1)) > solid.ball - 0.02
    n[ball] = p[ball]
    n /= np.linalg.norm(n, axis=1)[:, None]
    normal, ray = n @ pose.rotation.T, d @ pose.rotation.T
    axis = np.abs(p).argmax(1)
    ink = ink_at(solid, p, axis)[:, None]
    l = np.array(lamp.towards)  # noqa: E741
    facing = np.maximum(normal @ l, 0)[:, None]
    # What faces up gets the sky, what faces sideways half of it and the colour of the ground.
    sky = 0.55 + 0.45 * normal[:, 2:]
    lit = (lamp.ambient * sky + (1 - lamp.ambient) * facing / l[2]) * lamp.bright
    around = np.asarray(ground.reshape(-1, 3).mean(0), np.float64)
    glow = 0.35 * solid.clear
    colour = (np.array(solid.body) * (1 - ink) + np.array(solid.ink) * ink) * (
        lit * (1 - glow) + glow * lamp.bright
    )
    colour += around * 0.12 * np.maximum(0.4 - normal[:, 2:], 0)
    mirror = ray - 2 * (ray * normal).sum(1)[:, None] * normal
    shine = np.maximum(mirror @ l, 0)[:, None] ** (20 + 60 * solid.gloss)
    fresnel = 0.04 + 0.5 * solid.gloss * (1 - np.abs((ray * normal).sum(1)))[:, None] ** 4
    colour = colour + 255 * lamp.bright * (
        0.9 * solid.gloss * shine + fresnel * np.maximum(mirror[:, 2:], 0) * 0.6
    )
    return np.asarray(np.minimum(colour, 262.0), np.float64)

"""Boards painted by numpy and OpenCV in tens of milliseconds: scenes for tests, an eye for the
simulator and quantity for training.

True in perspective, lens, the height of stacks, occlusion order and cast shadows; painted, not
traced: no reflections of one thing in another. Everything is drawn from one
`numpy.random.Generator`, so that a seed is a scene.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.frame import Frame, Pixels
from vision.geometry import BoardMap, Points
from vision.synthetic.look import Look, field_texture, fractal, random_look

Counts = Mapping[int, tuple[int, int]]
"""Geometric point -> (light, dark) checkers; points not named are empty."""
Floats = npt.NDArray[Any]

BACKGROUND, LIGHT, DARK, OCCLUDER, DICE = range(5)
"""Classes of `Scene.classes`."""
_CIRCLE: Final = np.stack(
    [
        np.cos(np.linspace(0, 2 * np.pi, 28, endpoint=False)),
        np.sin(np.linspace(0, 2 * np.pi, 28, endpoint=False)),
    ],
    1,
)
_SHIFT: Final = 4


@dataclass(frozen=True, slots=True)
class Scene:
    """A painted picture and all that is true of it.

    `classes` is HxW uint8; `visible`: share of each point 1-24 not covered.
    """

    frame: Frame
    board_map: BoardMap
    counts: Counts
    bar: tuple[int, int]
    off: tuple[int, int]
    look: Look
    classes: Pixels = field(repr=False)
    visible: tuple[float, ...] = ()
    trays: tuple[bool, bool] = (False, False)


@dataclass(slots=True)
class _Disc:
    x: float
    y: float
    z: float
    colour: int
    face: float = 0.0


def random_camera(
    rng: np.random.Generator, look: Look, size: tuple[int, int], orientation: int, *, oblique: bool
) -> BoardMap:
    """A camera above the board, like a phone on an arm (or held, `oblique`), the whole board in
    view.
    """
    width, length = 12 + look.bar, look.height
    east = width / 2 + look.east
    west = width / 2 + look.west
    north = length / 2 + look.rail
    tilt = math.radians(rng.uniform(22, 47) if oblique else rng.uniform(0, 15))
    azimuth = math.radians(-90 + rng.normal(0, 18)) if oblique else rng.uniform(0, 2 * math.pi)
    distance = rng.uniform(18, 32) if oblique else rng.uniform(14, 23)
    turn = math.radians(orientation)
    azimuth += turn
    away = np.array(
        [math.sin(tilt) * math.cos(azimuth), math.sin(tilt) * math.sin(azimuth), math.cos(tilt)]
    )
    middle = np.array([(east - west) / 2, 0, 0])
    eye = middle + distance * away
    roll = turn + math.radians(rng.normal(0, 2.5))
    z = -away
    x = np.cross(z, np.array([-math.sin(roll), math.cos(roll), 0]))
    x /= np.linalg.norm(x)
    rotation = np.stack([x, np.cross(z, x), z])
    box = np.array(
        [(a, b, c) for a in (-west, east) for b in (-north, north) for c in (0, look.rail_height)]
    )
    q = (box - eye) @ rotation.T
    q = q[:, :2] / q[:, 2:]
    low, high = q.min(0), q.max(0)
    fill = rng.uniform(0.72, 0.97)
    focal = fill * min(size[0] / (high[0] - low[0]), size[1] / (high[1] - low[1]))
    room = (np.array(size) - (high - low) * focal) / 2 * 0.8
    shift = -(low + high) / 2 * focal + rng.uniform(-1, 1, 2) * np.maximum(room, 0)
    centre = ((size[0] - 1) / 2, (size[1] - 1) / 2)
    # Off-axis aim is drawn as a shift of the lens-free picture; the lens then bends about the
    # picture's middle.
    k = np.array([[focal, 0, centre[0] + shift[0]], [0, focal, centre[1] + shift[1]], [0, 0, 1]])
    matrix = k @ np.concatenate([rotation, (-rotation @ eye)[:, None]], 1)
    k1 = rng.uniform(-0.1, 0.04) if rng.random() < 0.8 else 0.0
    lens = (k1, rng.uniform(-0.02, 0.02) if k1 else 0.0, 0.0, 0.0, 0.0)
    camera = tuple(float(v) for v in (matrix / matrix[2, 3]).ravel())
    return BoardMap(
        size,
        camera,
        float(focal),
        centre,
        lens,
        look.bar,
        length,
        look.checker,
        look.thickness,
        orientation,
    )


def _stand(
    rng: np.random.Generator,
    board: BoardMap,
    counts: Counts,
    bar: tuple[int, int],
    off: tuple[int, int],
    look: Look,
) -> list[_Disc]:
    """Where human hands put the checkers: rows of about five from the rail, then a second layer;
    the bar; the east tray.
    """
    d, t = look.checker, look.thickness
    discs: list[_Disc] = []
    gap = rng.uniform(0, 0.055)
    sway = rng.choice([0.01, 0.03, 0.06, 0.1]) * d
    row = int(rng.choice([5, 5, 5, 5, 5, 4, 6, 7])) if look.checker * 7.2 < look.height else 5
    staggered = rng.random() < 0.4
    for point, (light, dark) in counts.items():
        s = -1.0 if point <= 12 else 1.0
        place: list[tuple[float, float, int]] = []
        for k in range(light + dark):
            if k < row:
                y = (
                    place[-1][1] - s * (d + gap + abs(rng.normal(0, 0.012)))
                    if k
                    else s * (board.height / 2 - d / 2 - abs(rng.normal(0.02, 0.03)))
                )
                place.append(
                    (board.point_x(point) + float(np.clip(rng.normal(0, sway), -0.2, 0.2)), y, 0)
                )
                continue
            if staggered and row == 5 and k < 15:
                level, rest, cap = 0, k, 5
                while rest >= cap:
                    rest, level, cap = rest - cap, level + 1, cap - 1
                under = [p for p in place if p[2] == level - 1]
                x, y = (
                    (under[rest][0] + under[rest + 1][0]) / 2,
                    (under[rest][1] + under[rest + 1][1]) / 2,
                )
            else:
                level = k // row
                x, y, _ = place[k - row]
            place.append((x + rng.normal(0, 0.03), y + rng.normal(0, 0.03), level))
        colours = [LIGHT] * light + [DARK] * dark
        discs += [
            _Disc(x, y, level * t, c, rng.uniform(-0.04, 0.04))
            for (x, y, level), c in zip(place, colours, strict=True)
        ]
    for colour, number in ((LIGHT, bar[0]), (DARK, bar[1])):
        s = -1 if colour == LIGHT else 1
        if look.bar_swapped:
            s = -s
        discs += [
            _Disc(
                rng.normal(0, 0.03),
                s * (0.62 + d / 2 + (k % 3) * (d + 0.04)) + rng.normal(0, 0.025),
                look.bar_height + (k // 3) * t,
                colour,
            )
            for k in range(number)
        ]
    if look.tray and look.flat_off:
        for colour, number in ((LIGHT, off[0]), (DARK, off[1])):
            s = -1 if colour == LIGHT else 1
            x = board.width / 2 + look.east - look.rail - 0.55
            discs += [
                _Disc(x, s * (board.height / 2 - d * (k // 4 + 0.53)), (k % 4) * t, colour)
                for k in range(number)
            ]
    return discs


def _poly(
    image: npt.NDArray[Any], points: Points, colour: float | tuple[float, float, float]
) -> None:
    fixed = np.round(np.clip(points, -4000, 8000) * (1 << _SHIFT)).astype(np.int32)
    cv2.fillConvexPoly(image, fixed, colour, cv2.LINE_AA if image.ndim == 3 else cv2.LINE_8, _SHIFT)


def _shade(colour: tuple[float, ...] | Floats, factor: float) -> tuple[float, float, float]:
    c = np.clip(np.asarray(colour, np.float32) * factor, 0, 255)
    return float(c[0]), float(c[1]), float(c[2])


def _ground(rng: np.random.Generator, board: BoardMap, look: Look) -> Floats:
    """Table, frame and field, without anything standing on them."""
    width, height = board.size
    table = fractal(rng, height // 2, width // 2, look.table_grain * 4, look.table_grain * 4)
    image = cv2.resize(
        np.array(look.table, np.float32) * (1 + 0.08 * table[..., None]), (width, height)
    )
    if look.table_check:
        yy, xx = np.mgrid[0:height, 0:width]
        odd = ((xx // look.table_check) + (yy // look.table_check)) % 2 == 1
        image[odd] *= 0.75
    x, y, rail, top = board.width / 2, board.height / 2, look.rail, look.rail_height
    west, east, north = -x - look.west, x + look.east, y + rail

    def ring(z: float) -> Points:
        return board.project(
            [(west, north, z), (east, north, z), (east, -north, z), (west, -north, z)]
        )

    shadow = ring(0.0) + np.array(look.shadow) * board.focal * 0.0015
    _poly(image, shadow, _shade(image.mean((0, 1)), 0.5))
    _poly(
        image,
        cv2.convexHull(np.concatenate([ring(-0.4), ring(top)]).astype(np.float32))
        .reshape(-1, 2)
        .astype(np.float64),
        _shade(look.frame, 0.55),
    )
    _poly(image, ring(top), _shade(look.frame, 1.0))
    # The field through the lens: look up each pixel of its surroundings in the texture of the board
    # plane.
    texture, scale, margin = field_texture(rng, board, look)
    step = 8
    gx, gy = np.meshgrid(np.arange(0, width + step, step), np.arange(0, height + step, step))
    at = board.unproject(np.stack([gx.ravel(), gy.ravel()], 1)).reshape(*gx.shape, 2)
    u = ((at[..., 0] + x + margin) * scale).astype(np.float32)
    v = ((y + margin - at[..., 1]) * scale).astype(np.float32)
    dense_x, dense_y = (
        np.meshgrid(
            np.arange(width, dtype=np.float32) / step, np.arange(height, dtype=np.float32) / step
        )[i]
        for i in (0, 1)
    )
    look_x, look_y = (
        cv2.remap(w, dense_x, dense_y, cv2.INTER_LINEAR).astype(np.float32, copy=False)
        for w in (u, v)
    )
    painted = cv2.remap(texture, look_x, look_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    inside = np.zeros((height, width), np.uint8)
    edge = np.linspace(0, 1, 9)[:-1, None]
    quad = [np.array(p) for p in ((-x, y, 0.0), (x, y, 0.0), (x, -y, 0.0), (-x, -y, 0.0))]
    outline = board.project(
        np.concatenate([(1 - edge) * quad[i] + edge * quad[(i + 1) % 4] for i in range(4)])
    )
    cv2.fillPoly(
        inside, [np.round(outline * (1 << _SHIFT)).astype(np.int32)], 255, cv2.LINE_AA, _SHIFT
    )
    for side, there in ((-1, look.west > rail + 0.3), (1, look.east > rail + 0.3)):
        if there:
            a, b = side * (x + 0.3), side * (x + (look.east if side > 0 else look.west) - rail)
            _poly(
                image,
                board.project([(a, y, 0), (b, y, 0), (b, -y, 0), (a, -y, 0)]),
                _shade(look.field, 0.8),
            )
            for s in (-1, 1):
                _poly(
                    image,
                    board.project(
                        [
                            (a, s * 0.5, top),
                            (b, s * 0.5, top),
                            (b, s * 0.65, top),
                            (a, s * 0.65, top),
                        ]
                    ),
                    _shade(look.frame, 1.05),
                )
    blend = (inside.astype(np.float32) / 255)[..., None]
    image = image * (1 - blend) + painted * blend
    # Walls that hide a strip of the field on the near side, the bar's top.
    for here, beyond in (
        (quad[0], quad[1]),
        (quad[1], quad[2]),
        (quad[2], quad[3]),
        (quad[3], quad[0]),
    ):
        up = np.array([0, 0, top])
        wall = board.project(np.stack([here, beyond, beyond + up, here + up]))
        floor_side = cv2.pointPolygonTest(
            outline.astype(np.float32), tuple(float(v) for v in wall[2:].mean(0)), True
        )
        _poly(image, wall, _shade(look.frame, 0.6 if floor_side > 0 else 0.75))
    half, h = look.bar / 2, look.bar_height
    base = board.project([(-half, y, 0), (half, y, 0), (half, -y, 0), (-half, -y, 0)])
    lid = board.project([(-half, y, h), (half, y, h), (half, -y, h), (-half, -y, h)])
    _poly(
        image,
        cv2.convexHull(np.concatenate([base, lid]).astype(np.float32))
        .reshape(-1, 2)
        .astype(np.float64),
        _shade(look.frame, 0.6),
    )
    _poly(image, lid, _shade(look.bar_colour, 1.0))
    if look.hinged:
        _poly(
            image,
            board.project([(-0.02, y, h), (0.02, y, h), (0.02, -y, h), (-0.02, -y, h)]),
            _shade(look.bar_colour, 0.4),
        )
    return image


def _paint_discs(
    image: Floats,
    classes: Pixels,
    board: BoardMap,
    discs: list[_Disc],
    look: Look,
    rng: np.random.Generator,
) -> None:
    eye = _eye(board)
    r, t = look.checker / 2, look.thickness
    dark_layer = np.zeros(image.shape[:2], np.float32)
    sx, sy = look.shadow
    for disc in discs:
        ring = np.concatenate(
            [
                _CIRCLE * r + (disc.x + sx * (t + disc.z) * 0.8, disc.y + sy * (t + disc.z) * 0.8),
                np.full((28, 1), 0.0),
            ],
            1,
        )
        _poly(dark_layer, board.project(ring), look.shadow_depth)
    soft = cv2.GaussianBlur(dark_layer, (0, 0), max(0.5, look.shadow_blur * board.size[0] / 640))
    image *= (1 - soft)[..., None]
    order = sorted(discs, key=lambda q: (round(q.z / t), -math.hypot(q.x - eye[0], q.y - eye[1])))
    spot = np.array(look.shadow) * -1
    for disc in order:
        base: Floats = np.asarray(look.light if disc.colour == LIGHT else look.dark, np.float32) * (
            1 + disc.face
        )
        rings = np.concatenate(
            [
                np.concatenate(
                    [_CIRCLE * (r * f) + (disc.x, disc.y), np.full((28, 1), disc.z + h)], 1
                )
                for f, h in ((1.0, 0.0), (1.0, t * 0.8), (0.93, t), (0.72, t), (0.62, t))
            ]
        )
        p = board.project(rings)
        foot, body, top, groove, inner = (p[k * 28 : k * 28 + 28] for k in range(5))
        hull = (
            cv2.convexHull(np.concatenate([foot, body]).astype(np.float32))
            .reshape(-1, 2)
            .astype(np.float64)
        )
        _poly(image, hull, _shade(base, 0.5))
        _poly(image, body, _shade(base, 0.8))
        _poly(image, top, _shade(base, 1.0))
        if look.relief == 1:
            _poly(image, groove, _shade(base, 0.8))
            _poly(image, inner, _shade(base, 0.97))
        elif look.relief == 2:
            _poly(image, groove, _shade(base, 0.9))
        elif look.relief >= 3:
            _poly(image, groove, _shade(look.emblem, 0.9 + 3 * disc.face))
            for k in range(0, 28, look.relief):
                _poly(
                    image,
                    np.stack([inner[k], inner[(k + 2) % 28], p[4 * 28 :].mean(0)]),
                    _shade(base, 0.75),
                )
        if look.gloss > 0.05:
            near = (
                p[2 * 28 : 3 * 28].mean(0)
                + (top[0] - top[14]) * spot[0] * 0.2
                + (top[21] - top[7]) * spot[1] * 0.2
            )
            glint = near + (inner - inner.mean(0)) * 0.35
            _poly(image, glint, _shade(base + (255 - base) * look.gloss, 1.0))
        _poly(classes, hull, float(disc.colour))


def _eye(board: BoardMap) -> Points:
    m = board.matrix
    return np.asarray(-np.linalg.solve(m[:, :3], m[:, 3]), np.float64)


def _dice(
    image: Floats, classes: Pixels, board: BoardMap, rng: np.random.Generator, number: int
) -> None:
    """Cubes of a checker's third with pips; enough to teach a checker reader what is no checker
    (the dice reader has its own data).
    """
    eye = _eye(board)
    ink = np.array([rng.uniform(0, 255, 3), rng.uniform(0, 255, 3)], np.float32)
    for _ in range(number):
        s = rng.uniform(0.32, 0.62) if rng.random() < 0.8 else rng.uniform(0.55, 0.75)
        x, y, a = (
            rng.uniform(-6, 6),
            rng.uniform(-5, 5) * (0.4 if rng.random() < 0.7 else 1),
            rng.uniform(0, math.pi),
        )
        square = (
            np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
            * s
            / 2
            @ np.array([(math.cos(a), math.sin(a)), (-math.sin(a), math.cos(a))])
        )
        z = 0.25 if rng.random() < 0.15 else 0.0
        low, high = (
            np.c_[square + np.array((x, y)), np.full(4, z)],
            np.c_[square + np.array((x, y)), np.full(4, z + s)],
        )
        faces = [
            (np.stack([low[i], low[(i + 1) % 4], high[(i + 1) % 4], high[i]]), 0.55 + 0.12 * i)
            for i in range(4)
        ]
        faces.sort(key=lambda f: -float(np.linalg.norm(f[0].mean(0) - eye)))
        for face, light in faces:
            _poly(image, board.project(face), _shade(ink[0], light))
            _poly(classes, board.project(face), float(DICE))
        _poly(image, board.project(high), _shade(ink[0], 1.0))
        _poly(classes, board.project(high), float(DICE))
        for _pip in range(int(rng.integers(1, 7))):
            c = np.array((x, y)) + rng.choice([-1, 0, 1], 2) @ (square[:2] * 0.5)
            _poly(
                image,
                board.project(np.c_[_CIRCLE[::3] * s * 0.1 + c, np.full(10, z + s)]),
                _shade(ink[1], 1.0),
            )


def _cover(image: Floats, classes: Pixels, board: BoardMap, rng: np.random.Generator) -> None:
    """A hand with its sleeve, or a cup or a phone, over some of the board."""
    skin = np.array(
        [
            (165, 190, 232),
            (140, 172, 222),
            (112, 146, 198),
            (78, 108, 160),
            (52, 72, 112),
            (40, 54, 84),
        ][rng.integers(6)],
        np.float32,
    )
    if rng.random() < 0.3:
        skin = rng.uniform(10, 240, 3).astype(np.float32)
    scale = float(np.linalg.norm(np.diff(board.project([(0, 0, 0.4), (1, 0, 0.4)]), axis=0)))
    tip = board.project([(rng.uniform(-6.5, 6.5), rng.uniform(-6, 6), 0.5)])[0]
    toward = math.radians((90 if rng.random() < 0.5 else -90) + rng.normal(0, 30))
    if rng.random() < 0.1:
        toward = rng.uniform(0, 2 * math.pi)
    back = np.array([math.cos(toward), math.sin(toward)])
    layer, where = image.copy(), np.zeros(image.shape[:2], np.uint8)

    def limb(a: Points, b: Points, width: float, colour: Floats) -> None:
        pa, pb = (tuple(int(v) for v in np.clip(q, -3000, 6000)) for q in (a, b))
        for k, f in ((1.0, 0.7), (0.75, 0.95), (0.4, 1.1)):
            cv2.line(layer, pa, pb, _shade(colour, f), max(1, int(width * k)), cv2.LINE_AA)
        cv2.line(where, pa, pb, 255, max(1, int(width)))

    if rng.random() < 0.15:
        # A cup or a phone put down on the board.
        r = scale * rng.uniform(0.8, 1.7)
        cv2.circle(layer, (int(tip[0]), int(tip[1])), int(r), _shade(skin, 1.0), -1, cv2.LINE_AA)
        cv2.circle(
            layer, (int(tip[0]), int(tip[1])), int(r * 0.85), _shade(skin, 0.4), -1, cv2.LINE_AA
        )
        cv2.circle(where, (int(tip[0]), int(tip[1])), int(r), 255, -1)
    else:
        palm = tip + back * scale * 2.3
        across = np.array([-back[1], back[0]])
        for k in range(4):
            knuckle = palm + across * scale * (k - 1.5) * 0.55
            end = (
                tip
                + across * scale * (k - 1.5) * rng.uniform(0.15, 0.55)
                + back * scale * rng.uniform(0, 0.9)
            )
            limb(knuckle, end, scale * rng.uniform(0.4, 0.55), skin)
        limb(
            palm + across * scale,
            tip + across * scale * 0.4 + back * scale * 0.5,
            scale * 0.55,
            skin,
        )
        wrist = palm + back * scale * 1.6
        limb(palm, wrist, scale * 1.9, skin)
        limb(wrist, wrist + back * scale * 9, scale * 1.3, skin)
        cuff = wrist + back * scale * rng.uniform(0, 3)
        limb(
            cuff,
            cuff + back * scale * 14,
            scale * rng.uniform(1.7, 2.6),
            rng.uniform(15, 230, 3).astype(np.float32),
        )
    shade = cv2.GaussianBlur(
        np.roll(where, (int(scale * 0.3), int(scale * 0.3)), (0, 1)).astype(np.float32) / 255,
        (0, 0),
        scale * 0.25 + 0.5,
    )
    image *= (1 - 0.4 * shade)[..., None]
    over = cv2.GaussianBlur(where, (3, 3), 0).astype(np.float32)[..., None] / 255
    image[:] = image * (1 - over) + layer * over
    classes[where > 0] = OCCLUDER


def _expose(image: Floats, rng: np.random.Generator, look: Look) -> Pixels:
    """Lamps, the sensor and the coder between the scene and the file."""
    height, width = image.shape[:2]
    lit = np.empty((2, 2), np.float32)
    lit[:] = rng.uniform(1 - look.uneven, 1 + look.uneven, (2, 2))
    image = image * cv2.resize(lit, (width, height), interpolation=cv2.INTER_LINEAR)[..., None]
    if rng.random() < 0.35:
        # Glare of a lamp, or the bars of a window.
        yy, xx = np.mgrid[0:height, 0:width].astype(np.float32)
        cx, cy, sx, sy = (
            rng.uniform(0, width),
            rng.uniform(0, height),
            rng.uniform(0.04, 0.25) * width,
            rng.uniform(0.04, 0.25) * width,
        )
        blob = np.exp(-(((xx - cx) / sx) ** 2) - ((yy - cy) / sy) ** 2)
        image = image + (rng.uniform(20, 130) * blob)[..., None]
    if rng.random() < 0.2:
        yy, xx = np.mgrid[0:height, 0:width].astype(np.float32)
        a, w = rng.uniform(0, math.pi), rng.uniform(0.06, 0.3) * width
        stripe = ((xx * math.cos(a) + yy * math.sin(a)) / w % 2 < rng.uniform(0.3, 1.5)).astype(
            np.float32
        )
        image = (
            image
            * (1 - rng.uniform(0.15, 0.55) * cv2.GaussianBlur(stripe, (0, 0), rng.uniform(0.6, 6)))[
                ..., None
            ]
        )
    gain = rng.uniform(0.6, 1.3)
    image = image * (gain * rng.uniform(0.9, 1.1, 3).astype(np.float32))
    if rng.random() < 0.5:
        image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.3, 1.1))
    noise = rng.standard_normal((height, width, 1), dtype=np.float32) + 0.5 * rng.standard_normal(
        (height, width, 3), dtype=np.float32
    )
    image = image + noise * rng.uniform(0.5, 7)
    out: Pixels = np.clip(
        255 * (np.clip(image, 0, 420) / 255) ** rng.uniform(0.8, 1.25), 0, 255
    ).astype(np.uint8)
    ok, packed = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 95))])
    decoded = cv2.imdecode(packed, cv2.IMREAD_COLOR) if ok else None
    return out if decoded is None else decoded.astype(np.uint8, copy=False)


def paint(
    rng: np.random.Generator,
    counts: Counts,
    *,
    bar: tuple[int, int] = (0, 0),
    off: tuple[int, int] = (0, 0),
    look: Look | None = None,
    board_map: BoardMap | None = None,
    size: tuple[int, int] = (640, 480),
    orientation: int = 0,
    oblique: bool = False,
    covered: bool = False,
    dice: int = 2,
    plain_light: bool = False,
) -> Scene:
    """One picture of checkers standing as `counts` says. With `look` and `board_map` given, the
    same board and camera again.

    `plain_light` leaves noise, glare and uneven lamps out. Orders of magnitude: 640x480 in 25 ms on
    one core.
    """
    look = look or random_look(rng)
    board = board_map or random_camera(rng, look, size, orientation, oblique=oblique)
    image = _ground(rng, board, look)
    classes: Pixels = np.zeros(image.shape[:2], np.uint8)
    discs = _stand(rng, board, counts, bar, off, look)
    _paint_discs(image, classes, board, discs, look, rng)
    _dice(image, classes, board, rng, dice)
    if covered:
        _cover(image, classes, board, rng)
    pixels = np.clip(image, 0, 255).astype(np.uint8) if plain_light else _expose(image, rng, look)
    shown_off = off if look.tray and look.flat_off else (0, 0)
    trays = (look.west > look.rail + 0.3, look.east > look.rail + 0.3)
    return Scene(
        Frame(pixels),
        board,
        dict(counts),
        bar,
        shown_off,
        look,
        classes,
        _visible(board, classes, look),
        trays,
    )


def _visible(board: BoardMap, classes: Pixels, look: Look) -> tuple[float, ...]:
    shares = []
    height, width = classes.shape
    for point in range(1, 25):
        s = -1 if point <= 12 else 1
        gx, gy = np.meshgrid(
            board.point_x(point) + np.linspace(-0.42, 0.42, 5),
            s * (board.height / 2 - np.linspace(0.05, 5 * look.checker, 12)),
        )
        px = (
            board.project(
                np.stack([gx.ravel(), gy.ravel(), np.full(gx.size, look.thickness / 2)], 1)
            )
            .round()
            .astype(int)
        )
        inside = (px[:, 0] >= 0) & (px[:, 0] < width) & (px[:, 1] >= 0) & (px[:, 1] < height)
        px = px[inside]
        shares.append(float((classes[px[:, 1], px[:, 0]] != OCCLUDER).sum() / len(inside)))
    return tuple(shares)


def random_counts(
    rng: np.random.Generator,
) -> tuple[dict[int, tuple[int, int]], tuple[int, int], tuple[int, int]]:
    """A position as matches, nard and mischief make them: (points, bar, off)."""
    counts: dict[int, tuple[int, int]] = {}
    free = [int(p) for p in rng.permutation(24) + 1]
    kind = rng.random()
    bar, off = [0, 0], [0, 0]
    for colour in (0, 1):
        left = 15
        if kind < 0.12:
            left = int(rng.integers(0, 6))
        elif kind < 0.35:
            left = int(rng.integers(4, 16))
        if rng.random() < 0.15:
            bar[colour] = min(left, int(rng.choice([1, 1, 1, 2, 2, 3, 4])))
            left -= bar[colour]
        off[colour] = 15 - left - bar[colour] if rng.random() < 0.6 else 0
        while left > 0:
            if kind > 0.75:
                pile = int(rng.choice([1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 15]))
            else:
                pile = int(rng.choice([1, 1, 2, 2, 2, 3, 3, 4, 5, 5, 6, 7]))
            pile = min(left, pile)
            counts[free.pop()] = (pile, 0) if colour == 0 else (0, pile)
            left -= pile
    return counts, (bar[0], bar[1]), (off[0], off[1])

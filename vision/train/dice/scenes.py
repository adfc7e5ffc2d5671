"""Scenes full of dice and cubes with their truth; `dice_cuts` cuts them into what the two networks
of the dice reader learn from.

Grounds are painted boards (`vision.synthetic`) and, where a folder is given, rendered stills with
their truth; on them traced dice (`dice_paint`) lie flat, lean on checkers, rails and each other,
lie on checkers, on the bar, on the table, or roll.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from vision.arrays import F32, F64, Pixels
from vision.dice.crops import local_frame
from vision.geometry import BoardMap
from vision.synthetic import scene as synthetic
from vision.synthetic.discs import paint_discs, stand_checkers
from vision.synthetic.exposure import expose
from vision.synthetic.ground import paint_ground
from vision.synthetic.look import Look, random_look
from vision.synthetic.viewpoint import random_camera
from vision.train.dice import solids as paint

NONE, DIE, CUBE = range(3)
FLAT, COCKED, ON_CHECKER, ROLLING = range(4)
SHOWN: Final = (2, 4, 8, 16, 32, 64)


@dataclass(slots=True)
class Thing:
    """A die or a cube in a scene:

    `centre` in pixels and on the board; `status`/`value` -1 = not to be learnt from.
    """

    kind: int
    x: float
    y: float
    z: float
    edge: float
    pixel: tuple[float, float]
    status: int = -1
    value: int = -1
    clear: bool = True
    """Visible enough to be asked for."""
    made: tuple[paint.Solid, F64] | None = None
    """What was painted and how it is turned; None for things of a rendered still."""


@dataclass(slots=True)
class Scene:
    picture: F32
    board: BoardMap
    discs: list[tuple[float, float, float]]
    """Checkers: x, y and height of the top."""
    bar_height: float
    base: float
    """Height of the table (negative)."""
    things: list[Thing] = field(default_factory=list)
    look: Look | None = None
    """Of a painted board, which has not been before a camera yet; None for a rendered still."""


def painted_ground(rng: np.random.Generator) -> Scene:
    """A painted board without dice, before the camera."""
    size = ((1280, 960), (1280, 720), (1024, 768), (1600, 1200))[
        rng.choice(4, p=[0.4, 0.3, 0.2, 0.1])
    ]
    look = random_look(rng)
    board = random_camera(
        rng, look, size, 0 if rng.random() < 0.6 else 180, oblique=rng.random() < 0.3
    )
    counts, bar, off = synthetic.random_counts(rng)
    # The painter's own steps, without its dice and before its camera: what is put on here goes
    # through the camera too.
    picture = paint_ground(rng, board, look)
    standing = stand_checkers(rng, board, counts, bar, off, look)
    paint_discs(picture, np.zeros(picture.shape[:2], np.uint8), board, standing, look)
    discs = [(d.x, d.y, d.z + look.thickness) for d in standing]
    return Scene(picture, board, discs, look.bar_height, -0.4, look=look)


def still_ground(path: Path) -> Scene:
    """A rendered still with the truth beside it (the format of the scene renderer)."""
    truth: dict[str, Any] = json.loads(path.with_suffix(".json").read_text())
    picture = cv2.imread(str(path))
    if picture is None:
        raise ValueError(f"{path} is no picture")
    board = map_of(truth)
    d = truth["board_dims_cm"]
    w = d["w"]
    scene = Scene(picture.astype(np.float32), board, [], d["bar_h"] / w, -d["base_t"] / w)
    scene.discs = [
        (c["pos_cm"][0] / w, c["pos_cm"][1] / w, c["pos_cm"][2] / w)
        for c in truth["checkers"]
        if c["location"] in ("point", "bar") and not c["on_edge"]
    ]
    names = {
        "flat": FLAT,
        "on_bar": FLAT,
        "off_board": FLAT,
        "cocked": COCKED,
        "on_checker": ON_CHECKER,
        "in_motion": ROLLING,
    }
    for die in truth["dice"]:
        x, y, z = (v / w for v in die["pos_cm"])
        clear = bool(die["in_image"] and die["visible"] >= 0.5)
        # The edge is not written down: a flat die's centre is half an edge above what it lies on.
        edge = _edge_of(die, scene, z)
        scene.things.append(
            Thing(
                DIE,
                x,
                y,
                z,
                edge,
                tuple(die["center_px"]),
                names[die["status"]],
                die["up_face"] - 1,
                clear,
            )
        )
    cube = truth["cube"]
    if cube["present"]:
        ((x, y),) = board.unproject([cube["center_px"]], 0.3)
        side = max(cube["bbox_px"][2] - cube["bbox_px"][0], cube["bbox_px"][3] - cube["bbox_px"][1])
        _, axes, _ = local_frame(board, float(x), float(y), 0.3)
        edge = float(np.clip(0.8 * side / np.linalg.norm(axes[:, 0]), 0.45, 0.8))
        clear = bool(cube["in_image"] and cube["visible"] >= 0.5)
        scene.things.append(
            Thing(
                CUBE,
                float(x),
                float(y),
                0.3,
                edge,
                tuple(cube["center_px"]),
                -1,
                SHOWN.index(cube["shown"]),
                clear,
            )
        )
    return scene


def _edge_of(die: dict[str, Any], scene: Scene, z: float) -> float:
    floors = {"flat": 0.0, "off_board": scene.base, "on_bar": scene.bar_height}
    if die["status"] in floors:
        return float(np.clip(2 * (z - floors[die["status"]]), 0.25, 0.5))
    return 0.37


def map_of(truth: dict[str, Any]) -> BoardMap:
    """The exact map of a rendered picture, from the truth's camera."""
    c, d = truth["camera"], truth["board_dims_cm"]
    k, w = np.array(c["K"]), d["w"]
    m = k @ np.concatenate(
        [np.array(c["R_board_to_cam"]) * w, np.array(c["t_board_to_cam"])[:, None]], 1
    )
    camera = tuple(float(v) for v in (m / m[2, 3]).ravel())
    lens = tuple(float(v) for v in c["dist"])
    return BoardMap(
        (truth["image_size"][0], truth["image_size"][1]), camera, float(k[0, 0]), (float(k[0, 2]), float(k[1, 2])),
        (lens[0], lens[1], lens[2], lens[3], lens[4]), d["bar_w"] / w, d["H"] / w, d["d"] / w, d["th"] / w, truth["orientation"],
    )  # fmt: skip


def _free(
    scene: Scene, x: float, y: float, room: float, but: tuple[float, float, float] | None = None
) -> bool:
    r = scene.board.checker / 2
    if any(math.hypot(d[0] - x, d[1] - y) < r + room for d in scene.discs if d is not but):
        return False
    return all(math.hypot(t.x - x, t.y - y) > room + t.edge * 0.72 for t in scene.things)


def _flat(rng: np.random.Generator, scene: Scene, solid: paint.Solid) -> tuple[float, float] | None:
    b = scene.board
    for _ in range(40):
        x = rng.uniform(
            b.bar / 2 + solid.edge * 0.75, b.width / 2 - solid.edge * 0.75
        ) * rng.choice([-1, 1])
        y = rng.uniform(-1, 1) * (b.height / 2 - solid.edge * 0.8)
        if _free(scene, x, y, solid.edge * 0.72):
            return x, y
    return None


def _cocked(
    rng: np.random.Generator, scene: Scene, solid: paint.Solid
) -> tuple[float, float, F64, float] | None:
    """x, y, rotation, height of the centre of a die that leans on a checker's rim, a wall, another
    die, or on nothing that is seen.
    """
    b, e = scene.board, solid.edge
    rims = [d for d in scene.discs if d[2] < 1.5 * b.thickness]
    for _ in range(40):
        kind = rng.random()
        turn = rng.uniform(0, 2 * math.pi)
        away = np.array([math.cos(turn), math.sin(turn)])
        lean = rng.uniform(0.2, 0.75)
        but = None
        if kind < 0.55 and rims and b.thickness < 0.7 * e:
            but = rims[rng.integers(len(rims))]
            lean = math.asin(min(0.95, b.thickness / e)) + rng.uniform(0.01, 0.12)
            foot = np.array(but[:2]) + away * (b.checker / 2 + b.thickness / math.tan(lean))
        elif kind < 0.8:
            side = rng.integers(4)
            sx = rng.choice([-1, 1])
            away = np.array([(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)][side])
            wall = np.array(
                [(b.width / 2, 0), (-b.width / 2, 0), (0, b.height / 2), (0, -b.height / 2)][side],
                np.float64,
            )
            if side < 2 and rng.random() < 0.4:
                wall[0] = math.copysign(b.bar / 2, -wall[0])
            wall[1 if side < 2 else 0] = (
                rng.uniform(-b.height / 2 + e, b.height / 2 - e)
                if side < 2
                else sx * rng.uniform(b.bar / 2 + e, b.width / 2 - e)
            )
            lean = rng.uniform(0.22, 0.78)
            foot = wall + away * e * math.cos(lean)
        elif scene.things and kind < 0.9:
            other = scene.things[rng.integers(len(scene.things))]
            foot = np.array([other.x, other.y]) + away * (
                0.5 * other.edge + e * math.cos(lean) * rng.uniform(0.5, 1.0)
            )
        else:
            foot = np.array(
                [rng.uniform(-1, 1) * (b.width / 2 - e), rng.uniform(-1, 1) * (b.height / 2 - e)]
            )
        # The face rises towards what it leans on, about its ground edge.
        uphill = -np.array([away[0], away[1], 0.0])
        tilt = paint.about(np.cross(uphill, (0, 0, 1)), lean)
        yaw = math.atan2(away[1], away[0]) + (
            rng.normal(0, 0.04) if kind < 0.8 else rng.normal(0, 0.5)
        )
        rotation = tilt @ paint.about((0, 0, 1), yaw) @ paint.TURNS[rng.integers(24)]
        centre = np.append(foot, 0.0) + tilt @ (uphill * e / 2 + np.array([0, 0, e / 2]))
        x, y = float(centre[0]), float(centre[1])
        inside = (
            abs(y) < b.height / 2 - 0.4 * e and b.bar / 2 + 0.4 * e < abs(x) < b.width / 2 - 0.4 * e
        )
        touching = 0.8 <= kind < 0.9
        if inside and (touching or _free(scene, x, y, 0.6 * e, but)):
            return x, y, rotation, max(float(centre[2]), paint.lowest(solid, rotation))
    return None


def _beside(
    rng: np.random.Generator, scene: Scene, solid: paint.Solid
) -> tuple[paint.Solid, F64, float, float] | None:
    """Solid, rotation and place of a die next to the last one if that lies flat: two times in three
    its twin, along one of its edges.
    """
    last = scene.things[-1] if scene.things else None
    if (
        last is None
        or last.made is None
        or last.kind != DIE
        or last.status != FLAT
        or last.z > last.edge
    ):
        return None
    b = scene.board
    _, axes, _ = local_frame(b, last.x, last.y, last.z)
    for _ in range(12):
        a = rng.uniform(0, 2 * math.pi)
        reach, aside, turned = (
            rng.uniform(1.0, 1.25),
            0.0,
            paint.about((0, 0, 1), a) @ paint.TURNS[rng.integers(24)],
        )
        if rng.random() < 0.67:
            solid, rotation = last.made
            level = int(np.abs(rotation[2]).argmin())
            yaw = math.atan2(rotation[1, level], rotation[0, level])
            a = yaw + int(rng.integers(4)) * math.pi / 2
            reach, aside = 1.0 + abs(rng.normal(0, 0.03)), rng.normal(0, 0.12) * rng.integers(2)
            turned = (
                paint.about((0, 0, 1), yaw + rng.normal(0, 0.03)) @ paint.TURNS[rng.integers(24)]
            )
        e = solid.edge
        reach *= (last.edge + e) / 2
        x = last.x + reach * math.cos(a) - aside * e * math.sin(a)
        y = last.y + reach * math.sin(a) + aside * e * math.cos(a)
        # What is painted later hides what was before: it must be nearer to the camera.
        nearer = (
            float((b.project([(x, y, last.z)])[0] - np.array(last.pixel)) @ axes[:, 1])
            < 0.3 * float(axes[:, 1] @ axes[:, 1]) * e
        )
        inside = abs(y) < b.height / 2 - e and b.bar / 2 + e < abs(x) < b.width / 2 - e
        if (
            nearer
            and inside
            and _free(Scene(scene.picture, b, scene.discs, 0, 0, scene.things[:-1]), x, y, 0.7 * e)
        ):
            return solid, turned, x, y
    return None


def add_die(rng: np.random.Generator, scene: Scene, solid: paint.Solid, lamp: paint.Lamp) -> None:
    """Put one die somewhere and paint it."""
    b, e = scene.board, solid.edge
    rotation, floor, status = paint.lying(rng), 0.0, FLAT
    kind = rng.choice(
        ["flat", "pair", "cocked", "on_checker", "bar", "table", "rolling"],
        p=[0.2, 0.24, 0.22, 0.16, 0.05, 0.08, 0.05],
    )
    z = e / 2
    blur = (0.0, 0.0)
    spot: tuple[float, float] | None = None
    if kind == "pair" and (beside := _beside(rng, scene, solid)):
        solid, rotation, *spot_ = beside
        spot = (spot_[0], spot_[1])
    elif kind == "cocked":
        leaning = _cocked(rng, scene, solid)
        if leaning:
            spot, rotation, z, status = leaning[:2], leaning[2], leaning[3], COCKED
    elif kind == "on_checker" and scene.discs:
        tops = [
            d
            for d in scene.discs
            if not any(
                o[2] > d[2] + 0.05 and math.hypot(o[0] - d[0], o[1] - d[1]) < 0.9 * b.checker
                for o in scene.discs
            )
        ]
        disc = tops[rng.integers(len(tops))] if tops else scene.discs[0]
        a, r = rng.uniform(0, 2 * math.pi), rng.uniform(0, max(0.05, b.checker / 2 - 0.3 * e))
        x, y = disc[0] + r * math.cos(a), disc[1] + r * math.sin(a)
        if _free(Scene(scene.picture, b, [], 0, 0, scene.things), x, y, 0.7 * e):
            spot, floor, z, status = (x, y), disc[2], disc[2] + e / 2, ON_CHECKER
    elif kind == "bar":
        x, y = (
            rng.uniform(-1, 1) * max(0.0, b.bar / 2 - 0.6 * e),
            rng.uniform(-1, 1) * (b.height / 2 - e),
        )
        if _free(scene, x, y, 0.75 * e):
            spot, floor, z = (x, y), scene.bar_height, scene.bar_height + e / 2
    elif kind == "table":
        x, y = rng.uniform(-1, 1) * (b.width / 2 + 3), rng.uniform(-1, 1) * (b.height / 2 + 2.2)
        if max(abs(x) - b.width / 2, abs(y) - b.height / 2) > 1.1 and _free(scene, x, y, 0.75 * e):
            spot, floor, z = (x, y), scene.base, scene.base + e / 2
    elif kind == "rolling":
        axis = rng.normal(size=3)
        rotation, status = (
            paint.about(axis / np.linalg.norm(axis), rng.uniform(0, 3)) @ rotation,
            ROLLING,
        )
        spot = _flat(rng, scene, solid)
        z = paint.lowest(solid, rotation) + (0.0 if rng.random() < 0.4 else rng.uniform(0, 0.8))
        if rng.random() < 0.7:
            length, a = rng.uniform(2, 14) * b.size[0] / 1280, rng.uniform(0, 2 * math.pi)
            blur = (length * math.cos(a), length * math.sin(a))
    if spot is None:
        spot, z, floor, status, rotation = (
            _flat(rng, scene, solid),
            e / 2,
            0.0,
            FLAT,
            paint.lying(rng),
        )
    if spot is None:
        return
    _paint(
        scene, DIE, solid, paint.Pose((spot[0], spot[1], z), rotation, floor), lamp, status, blur
    )


def add_cube(
    rng: np.random.Generator,
    scene: Scene,
    lamp: paint.Lamp,
    shares: tuple[float, ...] = (0.4, 0.2, 0.25, 0.15),
) -> None:
    """Put a doubling cube where cubes stand: on the bar or its ends, in trays, on the table, in the
    field, in these `shares`.
    """
    b, solid = scene.board, paint.random_cube(rng)
    side = rng.choice([-1, 1])
    places = (
        (0.0, rng.choice([0.0, b.height / 2 - 0.5]) * side, scene.bar_height),
        (side * (b.width / 2 + rng.uniform(0.8, 1.2)), rng.uniform(-1, 1) * b.height / 2, 0.0),
        (rng.uniform(-0.4, 0.4) * b.width, side * (b.height / 2 + rng.uniform(0.9, 2)), scene.base),
        (rng.uniform(-0.45, 0.45) * b.width, rng.uniform(-0.45, 0.45) * b.height, 0.0),
    )
    x, y, floor = places[rng.choice(4, p=shares)]
    if not _free(scene, x, y, solid.edge * 0.75):
        return
    quarter = int(rng.integers(4)) * math.pi / 2
    yaw = quarter + rng.normal(0, 0.12) if rng.random() < 0.8 else rng.uniform(0, 2 * math.pi)
    rotation = paint.about((0, 0, 1), yaw) @ paint.TURNS[rng.integers(24)]
    _paint(
        scene,
        CUBE,
        solid,
        paint.Pose((x, y, floor + solid.edge / 2), rotation, floor),
        lamp,
        -1,
        (0.0, 0.0),
    )


def _paint(
    scene: Scene,
    kind: int,
    solid: paint.Solid,
    pose: paint.Pose,
    lamp: paint.Lamp,
    status: int,
    blur: tuple[float, float],
) -> None:
    if paint.draw(scene.picture, scene.board, solid, pose, lamp, blur=blur) is None:
        return
    (pixel,) = scene.board.project([pose.centre])
    shown, tilt = paint.up_face(solid, pose.rotation)
    value = SHOWN.index(shown) if kind == CUBE else shown - 1
    if tilt > 38 or status == ROLLING:
        value = -1
    x, y, z = pose.centre
    scene.things.append(
        Thing(
            kind,
            x,
            y,
            z,
            solid.edge,
            (float(pixel[0]), float(pixel[1])),
            status,
            value,
            True,
            (solid, pose.rotation),
        )
    )


def clutter(rng: np.random.Generator, scene: Scene) -> None:
    """What is taken for dice: glints, studs, groups of dots, blank tiles, letters, coins."""
    b = scene.board
    for _ in range(rng.integers(0, 10)):
        x, y = rng.uniform(-1, 1) * (b.width / 2 + 1.5), rng.uniform(-1, 1) * (b.height / 2 + 1.5)
        if not _free(Scene(scene.picture, b, [], 0, 0, scene.things), x, y, 0.6):
            continue
        centre, axes, _ = local_frame(b, x, y, 0.0)
        unit = float(np.linalg.norm(axes[:, 0]))
        colour, kind = paint.random_colour(rng), rng.integers(5)
        at = (int(centre[0] * 16), int(centre[1] * 16))
        if kind == 0:
            radius = (
                max(1, int(rng.uniform(0.02, 0.2) * unit)),
                max(1, int(rng.uniform(0.02, 0.2) * unit)),
            )
            layer = np.zeros(scene.picture.shape[:2], np.float32)
            cv2.ellipse(
                layer,
                (int(centre[0]), int(centre[1])),
                radius,
                rng.uniform(0, 180),
                0,
                360,
                rng.uniform(60, 220),
                -1,
                cv2.LINE_AA,
            )
            scene.picture += cv2.GaussianBlur(layer, (0, 0), rng.uniform(0.5, 3))[..., None]
        elif kind == 1:
            n, pitch, size = (
                rng.integers(2, 6),
                rng.uniform(0.08, 0.25) * unit,
                rng.uniform(0.02, 0.06) * unit,
            )
            for i in range(n):
                for j in range(n):
                    dot = (
                        int((centre[0] + i * pitch + (j % 2) * pitch / 2) * 16),
                        int((centre[1] + j * pitch) * 16),
                    )
                    cv2.circle(
                        scene.picture, dot, max(8, int(size * 16)), colour, -1, cv2.LINE_AA, 4
                    )
        elif kind == 2:
            cv2.circle(
                scene.picture,
                at,
                int(rng.uniform(0.1, 0.4) * unit * 16),
                colour,
                -1,
                cv2.LINE_AA,
                4,
            )
            cv2.circle(
                scene.picture,
                at,
                int(rng.uniform(0.02, 0.1) * unit * 16),
                paint.random_colour(rng),
                -1,
                cv2.LINE_AA,
                4,
            )
        elif kind == 3:
            ink = np.zeros(scene.picture.shape[:2], np.uint8)
            text = str(rng.choice(["8:32", "BG", "R", "Nard", "2026", "oo", ":::", "XXII"]))
            cv2.putText(
                ink,
                text,
                (int(centre[0]), int(centre[1])),
                int(rng.integers(0, 5)),
                rng.uniform(0.006, 0.02) * unit,
                255,
                2,
                cv2.LINE_AA,
            )
            scene.picture[ink > 100] = colour
        else:
            size = rng.uniform(0.2, 0.9)
            quad = cv2.boxPoints(
                (
                    (float(centre[0]), float(centre[1])),
                    (size * unit, size * unit * rng.uniform(0.3, 1)),
                    rng.uniform(0, 90),
                )
            )
            cv2.fillConvexPoly(
                scene.picture, np.round(quad * 16).astype(np.int32), colour, cv2.LINE_AA, 4
            )


def exposed(rng: np.random.Generator, scene: Scene) -> Pixels:
    """The picture as a camera gives it."""
    image = scene.picture
    if scene.look is not None:
        return expose(image, rng, scene.look)
    image = image * rng.uniform(0.8, 1.2) * rng.uniform(0.94, 1.06, 3).astype(np.float32)
    if rng.random() < 0.4:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), rng.uniform(0.3, 0.9)), np.float32)
    image = image + rng.standard_normal(image.shape, dtype=np.float32) * rng.uniform(0, 5)
    _, packed = cv2.imencode(
        ".jpg",
        np.clip(image, 0, 255).astype(np.uint8),
        [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 96))],
    )
    decoded = cv2.imdecode(packed, cv2.IMREAD_COLOR)
    assert decoded is not None
    return np.asarray(decoded, np.uint8)


def full_scene(rng: np.random.Generator, ground: Scene, dice: int, cubes: int = 0) -> Pixels:
    """Things put on a ground; the picture.

    `cubes` more of them than boards have: their numbers are learnt from few scenes.
    """
    top = float(np.percentile(ground.picture[::8, ::8].max(2), 96)) / 255
    lamp = paint.random_lamp(rng, float(np.clip(top * rng.uniform(0.8, 1.25), 0.2, 1.15)))
    clutter(rng, ground)
    if rng.random() < 0.6 and not any(t.kind == CUBE for t in ground.things):
        add_cube(rng, ground, lamp)
    for _ in range(cubes):
        add_cube(rng, ground, lamp, (0.1, 0.1, 0.2, 0.6))
    sorts = [paint.random_die(rng) for _ in range(2 + dice // 3)]
    for _ in range(dice):
        add_die(rng, ground, sorts[rng.integers(len(sorts))], lamp)
    return exposed(rng, ground)

"""Where dice and cubes lie in a scene: flat, leaning, on checkers, in pairs, rolling."""

from __future__ import annotations

import math

import numpy as np

from vision.arrays import F64
from vision.dice.crops import local_frame
from vision.dice.number import FACES
from vision.train.dice import solids as paint
from vision.train.dice.scenes import (
    COCKED,
    CUBE,
    DIE,
    FLAT,
    ON_CHECKER,
    ROLLING,
    DiceScene,
    Thing,
)
from vision.train.dice.tracing import Lighting, Pose, paint_solid


def is_free(
    scene: DiceScene, x: float, y: float, room: float, but: tuple[float, float, float] | None = None
) -> bool:
    """Whether nothing but `but` lies within `room` of a place on the board."""
    r = scene.board.checker / 2
    if any(math.hypot(d[0] - x, d[1] - y) < r + room for d in scene.discs if d is not but):
        return False
    return all(math.hypot(t.x - x, t.y - y) > room + t.edge * 0.72 for t in scene.things)


def _flat(
    rng: np.random.Generator, scene: DiceScene, solid: paint.Solid
) -> tuple[float, float] | None:
    b = scene.board
    for _ in range(40):
        x = rng.uniform(
            b.bar / 2 + solid.edge * 0.75, b.width / 2 - solid.edge * 0.75
        ) * rng.choice([-1, 1])
        y = rng.uniform(-1, 1) * (b.height / 2 - solid.edge * 0.8)
        if is_free(scene, x, y, solid.edge * 0.72):
            return x, y
    return None


def _cocked(
    rng: np.random.Generator, scene: DiceScene, solid: paint.Solid
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
        tilt = paint.rotation_about(np.cross(uphill, (0, 0, 1)), lean)
        yaw = math.atan2(away[1], away[0]) + (
            rng.normal(0, 0.04) if kind < 0.8 else rng.normal(0, 0.5)
        )
        rotation = tilt @ paint.rotation_about((0, 0, 1), yaw) @ paint.TURNS[rng.integers(24)]
        centre = np.append(foot, 0.0) + tilt @ (uphill * e / 2 + np.array([0, 0, e / 2]))
        x, y = float(centre[0]), float(centre[1])
        inside = (
            abs(y) < b.height / 2 - 0.4 * e and b.bar / 2 + 0.4 * e < abs(x) < b.width / 2 - 0.4 * e
        )
        touching = 0.8 <= kind < 0.9
        if inside and (touching or is_free(scene, x, y, 0.6 * e, but)):
            return x, y, rotation, max(float(centre[2]), paint.lowest(solid, rotation))
    return None


def _beside(
    rng: np.random.Generator, scene: DiceScene, solid: paint.Solid
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
            paint.rotation_about((0, 0, 1), a) @ paint.TURNS[rng.integers(24)],
        )
        if rng.random() < 0.67:
            solid, rotation = last.made
            level = int(np.abs(rotation[2]).argmin())
            yaw = math.atan2(rotation[1, level], rotation[0, level])
            a = yaw + int(rng.integers(4)) * math.pi / 2
            reach, aside = 1.0 + abs(rng.normal(0, 0.03)), rng.normal(0, 0.12) * rng.integers(2)
            turned = (
                paint.rotation_about((0, 0, 1), yaw + rng.normal(0, 0.03))
                @ paint.TURNS[rng.integers(24)]
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
            and is_free(
                DiceScene(scene.picture, b, scene.discs, 0, 0, scene.things[:-1]), x, y, 0.7 * e
            )
        ):
            return solid, turned, x, y
    return None


def _beside_a_checker(
    rng: np.random.Generator, scene: DiceScene, solid: paint.Solid
) -> tuple[tuple[float, float], F64] | None:
    """Place and rotation of a die that lies flat and touches a checker, with a face or an edge, or
    nearly touches it: what is taken for leaning.
    """
    b, e = scene.board, solid.edge
    low = [d for d in scene.discs if d[2] < 1.5 * b.thickness]
    for _ in range(20 if low else 0):
        disc = low[rng.integers(len(low))]
        away, turned = rng.uniform(0, 2 * math.pi), rng.uniform(-math.pi / 4, math.pi / 4)
        gap = abs(rng.normal(0, 0.04)) if rng.random() < 0.8 else rng.uniform(0, 0.2)
        # Half a face as the checker sees it: from half an edge to half a diagonal.
        reach = b.checker / 2 + gap + e / 2 * (math.cos(turned) + abs(math.sin(turned)))
        x, y = disc[0] + reach * math.cos(away), disc[1] + reach * math.sin(away)
        inside = abs(y) < b.height / 2 - 0.6 * e and b.bar / 2 + 0.6 * e < abs(x)
        if inside and abs(x) < b.width / 2 - 0.6 * e and is_free(scene, x, y, 0.6 * e, disc):
            turns = paint.TURNS[rng.integers(24)]
            return (x, y), paint.rotation_about((0, 0, 1), away + turned) @ turns
    return None


def add_die(rng: np.random.Generator, scene: DiceScene, solid: paint.Solid, lamp: Lighting) -> None:
    """Put one die somewhere and paint it."""
    b, e = scene.board, solid.edge
    rotation, floor, status = paint.lying(rng), 0.0, FLAT
    kind = rng.choice(
        ["flat", "pair", "beside", "cocked", "on_checker", "bar", "table", "rolling"],
        p=[0.14, 0.2, 0.16, 0.22, 0.14, 0.04, 0.06, 0.04],
    )
    z = e / 2
    blur = (0.0, 0.0)
    spot: tuple[float, float] | None = None
    if kind == "pair" and (beside := _beside(rng, scene, solid)):
        solid, rotation, *spot_ = beside
        spot = (spot_[0], spot_[1])
    elif kind == "beside" and (touching := _beside_a_checker(rng, scene, solid)):
        spot, rotation = touching
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
        if is_free(DiceScene(scene.picture, b, [], 0, 0, scene.things), x, y, 0.7 * e):
            spot, floor, z, status = (x, y), disc[2], disc[2] + e / 2, ON_CHECKER
    elif kind == "bar":
        x, y = (
            rng.uniform(-1, 1) * max(0.0, b.bar / 2 - 0.6 * e),
            rng.uniform(-1, 1) * (b.height / 2 - e),
        )
        if is_free(scene, x, y, 0.75 * e):
            spot, floor, z = (x, y), scene.bar_height, scene.bar_height + e / 2
    elif kind == "table":
        x, y = rng.uniform(-1, 1) * (b.width / 2 + 3), rng.uniform(-1, 1) * (b.height / 2 + 2.2)
        if max(abs(x) - b.width / 2, abs(y) - b.height / 2) > 1.1 and is_free(
            scene, x, y, 0.75 * e
        ):
            spot, floor, z = (x, y), scene.base, scene.base + e / 2
    elif kind == "rolling":
        axis = rng.normal(size=3)
        rotation, status = (
            paint.rotation_about(axis / np.linalg.norm(axis), rng.uniform(0, 3)) @ rotation,
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
    _paint(scene, DIE, solid, Pose((spot[0], spot[1], z), rotation, floor), lamp, status, blur)


def add_cube(
    rng: np.random.Generator,
    scene: DiceScene,
    lamp: Lighting,
    shares: tuple[float, ...] = (0.4, 0.2, 0.25, 0.15),
    cube: paint.Solid | None = None,
) -> None:
    """Put a doubling cube, or `cube`, where cubes stand: on the bar or its ends, in trays, on the
    table, in the field, in these `shares`.
    """
    b, solid = scene.board, cube or paint.random_cube(rng, wider=True)
    side = rng.choice([-1, 1])
    places = (
        (0.0, rng.choice([0.0, b.height / 2 - 0.5]) * side, scene.bar_height),
        (side * (b.width / 2 + rng.uniform(0.8, 1.2)), rng.uniform(-1, 1) * b.height / 2, 0.0),
        (rng.uniform(-0.4, 0.4) * b.width, side * (b.height / 2 + rng.uniform(0.9, 2)), scene.base),
        (rng.uniform(-0.45, 0.45) * b.width, rng.uniform(-0.45, 0.45) * b.height, 0.0),
    )
    x, y, floor = places[rng.choice(4, p=shares)]
    if not is_free(scene, x, y, solid.edge * 0.75):
        return
    quarter = int(rng.integers(4)) * math.pi / 2
    yaw = quarter + rng.normal(0, 0.12) if rng.random() < 0.8 else rng.uniform(0, 2 * math.pi)
    rotation = paint.rotation_about((0, 0, 1), yaw) @ paint.TURNS[rng.integers(24)]
    _paint(
        scene,
        CUBE,
        solid,
        Pose((x, y, floor + solid.edge / 2), rotation, floor),
        lamp,
        -1,
        (0.0, 0.0),
    )


def _paint(
    scene: DiceScene,
    kind: int,
    solid: paint.Solid,
    pose: Pose,
    lamp: Lighting,
    status: int,
    blur: tuple[float, float],
) -> None:
    if paint_solid(scene.picture, scene.board, solid, pose, lamp, blur=blur) is None:
        return
    (pixel,) = scene.board.project([pose.centre])
    shown, tilt = paint.up_face(solid, pose.rotation)
    value = shown - 1 if kind == DIE else FACES.index(shown) if shown in FACES else -1
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

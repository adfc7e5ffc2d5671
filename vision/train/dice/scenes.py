"""Scenes full of dice and cubes with their truth; `cuts` cuts them into what the two networks
of the dice reader learn from.

Grounds are painted boards (`vision.synthetic`) and, where a folder is given, rendered stills with
their truth; on them traced dice (`solids`) lie flat, lean on checkers, rails and each other,
lie on checkers, on the bar, on the table, or roll.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.arrays import F32, F64
from vision.dice.crops import local_frame
from vision.dice.number import FACES
from vision.geometry import BoardMap
from vision.scene_truth import DieTruth, SceneTruth
from vision.synthetic import scene as synthetic
from vision.synthetic.discs import paint_discs, stand_checkers
from vision.synthetic.ground import paint_ground
from vision.synthetic.look import Look, hiding, random_look
from vision.synthetic.viewpoint import low_camera, random_camera
from vision.train.dice import solids as paint

NONE, DIE, CUBE = range(3)
FLAT, COCKED, ON_CHECKER, ROLLING = range(4)
LOW: Final = 0.3
"""Share of painted boards seen from a low stand, or lying turned."""


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
class DiceScene:
    """A board with what lies on it, as a picture of floats that has not been before a camera."""

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


def painted_ground(rng: np.random.Generator, low: float = LOW) -> DiceScene:
    """A painted board without dice, before the camera; `low`: the share seen from a low stand, or
    lying turned.
    """
    size = ((1280, 960), (1280, 720), (1024, 768), (1600, 1200))[
        rng.choice(4, p=[0.4, 0.3, 0.2, 0.1])
    ]
    look, orientation = random_look(rng), 0 if rng.random() < 0.6 else 180
    if rng.random() < low:
        look = hiding(rng, look)
        board = low_camera(rng, look, size, orientation)
    else:
        board = random_camera(rng, look, size, orientation, oblique=rng.random() < 0.4)
    counts, bar, off = synthetic.random_counts(rng)
    # The painter's own steps, without its dice and before its camera: what is put on here goes
    # through the camera too.
    picture = paint_ground(rng, board, look)
    standing = stand_checkers(rng, board, counts, bar, off, look)
    paint_discs(picture, np.zeros(picture.shape[:2], np.uint8), board, standing, look)
    discs = [(d.x, d.y, d.z + look.thickness) for d in standing]
    return DiceScene(picture, board, discs, look.bar_height, -0.4, look=look)


def still_ground(path: Path) -> DiceScene:
    """A rendered still with the truth beside it (the format of the scene renderer)."""
    truth: SceneTruth = json.loads(path.with_suffix(".json").read_text())
    picture = cv2.imread(str(path))
    if picture is None:
        raise ValueError(f"{path} is no picture")
    board = map_of(truth)
    d = truth["board_dims_cm"]
    w = d["w"]
    scene = DiceScene(picture.astype(np.float32), board, [], d["bar_h"] / w, -d["base_t"] / w)
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
        column, row = die["center_px"]
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
                (column, row),
                names[die["status"]],
                die["up_face"] - 1,
                clear,
            )
        )
    cube = truth["cube"]
    if cube is not None and cube["present"]:
        column, row = cube["center_px"]
        ((x, y),) = board.unproject([(column, row)], 0.3)
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
                (column, row),
                -1,
                FACES.index(cube["shown"]),
                clear,
            )
        )
    return scene


def _edge_of(die: DieTruth, scene: DiceScene, z: float) -> float:
    floors = {"flat": 0.0, "off_board": scene.base, "on_bar": scene.bar_height}
    if die["status"] in floors:
        return float(np.clip(2 * (z - floors[die["status"]]), 0.25, 0.5))
    return 0.37


def map_of(truth: SceneTruth) -> BoardMap:
    """The exact map of a rendered picture, from the truth's camera."""
    c, d = truth["camera"], truth["board_dims_cm"]
    k, w = np.array(c["K"]), d["w"]
    m = k @ np.concatenate(
        [np.array(c["R_board_to_cam"]) * w, np.array(c["t_board_to_cam"])[:, None]], 1
    )
    camera = tuple(float(v) for v in (m / m[2, 3]).ravel())
    lens = tuple(float(v) for v in c["dist"])
    return BoardMap(
        (truth["image_size"][0], truth["image_size"][1]),
        camera,
        float(k[0, 0]),
        (float(k[0, 2]), float(k[1, 2])),
        (lens[0], lens[1], lens[2], lens[3], lens[4]),
        d["bar_w"] / w,
        d["H"] / w,
        d["d"] / w,
        d["th"] / w,
        truth["orientation"],
    )

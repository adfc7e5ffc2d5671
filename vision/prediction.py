"""What `takhte read` says of one picture: the board as a whole, with confidences, in the schema of
the public scenes.

    {"points": {"1": {"light": 2, "dark": 0, "confidence": 0.98}, ..., "24": null}, "bar": {...},
    "off": {...},
     "dice": [...], "cube": {...}}

Unlike an Observation this decides: it is for people and for measuring. Points that are hidden, or
read with less confidence than `settings.checkers.confident`, are null: never a guess. So is `off`,
the checkers borne off, when a place for them is not in view.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from rules.observation import CubeReading, DieReading, DieStatus
from vision.arrays import F64
from vision.canvas import canvas
from vision.checkers import (
    completed,
    if_elsewhere,
    kind_counts,
    most_likely_board,
    points_in_view,
)
from vision.dice.alone import LoneDie
from vision.dice.cube import find_cube
from vision.dice.dice import find_dice, look_for_dice
from vision.frame import Frame, rescaled
from vision.geometry import BoardMap
from vision.networks import Networks
from vision.pool import WorkPool, begun
from vision.prepared import PreparedMap
from vision.sets import Palette
from vision.settings import DEFAULT, Thresholds
from vision.trays import believed, borne_off, in_view, look_beside, on_board


class PairJson(TypedDict):
    """Checkers of both sets, and how sure that is (0-1)."""

    light: int
    dark: int
    confidence: float


class DieJson(TypedDict):
    """One die; `value` null where no face is at least as likely as not."""

    value: int | None
    value_confidence: float
    status: str
    certainty: float
    center_px: list[float] | None


class CubeJson(TypedDict, total=False):
    """The cube; the rest only where it is `present`. `owner`: light, dark, centre or field, where
    one lies that waits for its answer.
    """

    present: bool
    shown: int
    owner: str
    center_px: list[float] | None


class BoardJson(TypedDict):
    """Where the board lies and which way round."""

    corners_px: list[list[float] | None]
    orientation: int
    orientation_confidence: float
    bar_in_points: float


class PredictionJson(TypedDict):
    """What `takhte read --json` writes; null for what is not said."""

    points: dict[str, PairJson | None]
    bar: PairJson
    off: PairJson | None
    dice: list[DieJson]
    cube: CubeJson
    board: BoardJson


@dataclass(frozen=True, slots=True, eq=False)
class Prediction:
    """One picture's board: `points` 24 x 31 and `bar` 2 x 6 probabilities, `visible` 24, dice and
    cube. A point's row sums to less than 1 where it may be its other end, and that is not seen.

    `off`: probabilities (16,) of the number of light and of dark checkers borne off, None when a
    place for them is not in view.
    """

    board_map: BoardMap
    points: F64
    bar: F64
    visible: tuple[bool, ...]
    dice: tuple[DieReading, ...]
    cube: CubeReading | None
    off: tuple[F64, F64] | None = None

    def point(self, number: int) -> tuple[int, int, float]:
        """(light, dark, confidence) of a geometric point, whether or not it may be said."""
        kind = int(self.points[number - 1].argmax())
        return (*kind_counts(kind), float(self.points[number - 1, kind]))


def predict(
    frame: Frame,
    board_map: BoardMap,
    networks: Networks,
    settings: Thresholds = DEFAULT,
    *,
    palette: Palette | None = None,
    pool: WorkPool | None = None,
) -> Prediction:
    """One picture read wholly; `pool`: as of `reader.read_picture`.

    A map unsure of its orientation makes the points that depend on it unsure in the same measure.
    """
    board, numbers = PreparedMap(board_map), networks.checkers.numbers
    finder, reader = networks.dice_finder, networks.dice_reader
    things = begun(pool, lambda: look_for_dice(frame.pixels, board, finder, reader, settings))
    straight = canvas(frame.pixels, board)
    reading = networks.checkers.read(straight, board_map.orientation, palette)
    reading = completed(reading, frame.pixels, board, numbers, networks.piles, settings.checkers)
    visible = points_in_view(reading, settings.checkers)
    points, bar = most_likely_board(reading, settings.checkers)
    beside = look_beside(frame.pixels, board, straight, reading, networks.trays, settings.trays)
    off = None
    if in_view(beside, board_map.orientation, board_map.sure_of_orientation, settings.trays):
        off = believed(
            borne_off(beside, networks.trays.numbers.none, settings.trays),
            on_board(reading),
            not bool(visible.all()),
            settings.trays,
        )
    doubt = 1 - board_map.sure_of_orientation
    if doubt > 1e-3:
        turn = np.roll(np.arange(24), 12)
        # A point that is not seen speaks for nothing, were the board turned round.
        points = (1 - doubt) * points + doubt * np.where(visible[:, None], points, 0.0)[turn]
    points = if_elsewhere(points, board_map, numbers.usual)
    seen = things()
    dice = find_dice(seen, board_map, settings)
    cube = find_cube(frame.pixels, seen, board_map, networks.cube, settings)
    return Prediction(board_map, points, bar, tuple(bool(v) for v in visible), dice, cube, off)


def prediction_json(
    prediction: Prediction, settings: Thresholds = DEFAULT, *, factor: float = 1.0
) -> PredictionJson:
    """The schema above; places in pixels of a picture `factor` times as large as the one that was
    read (`frame.load_scaled`).
    """
    points: dict[str, PairJson | None] = {}
    board = prediction.board_map
    certain = board.sure_of_orientation > 0.999 and board.sure_of_place == 1
    least = settings.checkers.confident if certain else settings.checkers.confident_way
    for number in range(1, 25):
        light, dark, confidence = prediction.point(number)
        sayable = prediction.visible[number - 1] and confidence >= least
        points[str(number)] = (
            {"light": light, "dark": dark, "confidence": round(confidence, 4)} if sayable else None
        )
    bar = [int(row.argmax()) for row in prediction.bar]
    sure = round(float(prediction.bar.max(1).prod()), 4)
    m = prediction.board_map
    return {
        "points": points,
        "bar": {"light": bar[0], "dark": bar[1], "confidence": sure},
        "off": off_json(prediction.off, settings),
        "dice": [die_json(d, factor) for d in prediction.dice],
        "cube": cube_json(prediction.cube, factor),
        "board": {
            "corners_px": [_place((float(x), float(y)), factor) for x, y in m.corners()],
            "orientation": m.orientation,
            "orientation_confidence": round(sure_of_both(m), 4),
            "bar_in_points": round(m.bar, 3),
        },
    }


def sure_of_both(board_map: BoardMap) -> float:
    """How sure it is which way round the board lies, 0.5-1: of one that lies elsewhere nothing is
    known.
    """
    return 0.5 + (board_map.sure_of_orientation - 0.5) * board_map.sure_of_place


def _place(spot: tuple[float, float] | None, factor: float) -> list[float] | None:
    return None if spot is None else [round(v, 2) for v in rescaled(spot, factor)]


def off_json(off: tuple[F64, F64] | None, settings: Thresholds = DEFAULT) -> PairJson | None:
    """Null where a place for borne-off checkers is not in view, or where it is not sure enough how
    many lie there.
    """
    if off is None:
        return None
    light, dark = (int(row.argmax()) for row in off)
    confidence = float(off[0][light] * off[1][dark])
    if confidence < settings.trays.confident:
        return None
    return {"light": light, "dark": dark, "confidence": round(confidence, 4)}


def die_json(die: DieReading, factor: float) -> DieJson:
    """A die, its place in pixels of a picture `factor` times as large."""
    return _die_json(die.values, die.status, die.certainty, die.pixel, factor)


def lone_die_json(die: LoneDie, factor: float) -> DieJson:
    """The same of a die in a picture without a board."""
    return _die_json(die.values, die.lies, die.certainty, die.pixel, factor)


def _die_json(
    values: Sequence[float],
    lies: Mapping[DieStatus, float],
    certainty: float,
    pixel: tuple[float, float] | None,
    factor: float,
) -> DieJson:
    top = max(range(6), key=lambda v: values[v])
    total = sum(values)
    status = max(lies, key=lambda s: lies[s])
    sure = values[top] / total if total > 0 else 0.0
    return {
        "value": top + 1 if sure >= 0.5 else None,
        "value_confidence": round(sure, 4),
        "status": status.value,
        "certainty": round(certainty, 4),
        "center_px": _place(pixel, factor),
    }


def cube_json(cube: CubeReading | None, factor: float) -> CubeJson:
    """The cube, its place in pixels of a picture `factor` times as large."""
    if cube is None:
        return {"present": False}
    shown = max(cube.shown, key=lambda v: cube.shown[v])
    owner = max(cube.owner, key=lambda o: cube.owner[o])
    # Geometric seating: White is the light set.
    name = {"white": "light", "black": "dark"}.get(owner.value, owner.value)
    return {
        "present": True,
        "shown": shown,
        "owner": name,
        "center_px": _place(cube.pixel, factor),
    }


def prediction_text(prediction: Prediction, name: str, settings: Thresholds = DEFAULT) -> str:
    """The board as a person reads it, north at the top, one letter a set:

    L light, D dark, ? not seen.
    """
    said = prediction_json(prediction, settings)

    def cell(number: int) -> str:
        p = said["points"][str(number)]
        return (
            "  ?"
            if p is None
            else "  ."
            if not p["light"] + p["dark"]
            else f"{'L' if p['light'] else 'D'}{p['light'] or p['dark']}".rjust(3)
        )

    def row(numbers: Sequence[int]) -> str:
        return "".join(cell(n) for n in numbers[:6]) + " |" + "".join(cell(n) for n in numbers[6:])

    bar = said["bar"]
    dice = ", ".join(f"{d['value'] or '?'} {d['status']}" for d in said["dice"]) or "none"
    cube, off = said["cube"], said["off"]
    beside = f"{off['light']} light, {off['dark']} dark" if off else "not seen"
    m = prediction.board_map
    lines = [
        f"{name}: orientation {m.orientation} ({sure_of_both(m):.0%})",
        row(range(13, 25)),
        row(range(12, 0, -1)),
        f"bar: {bar['light']} light, {bar['dark']} dark; off: {beside}",
        f"dice: {dice}; cube: {cube['shown'] if cube['present'] else 'not in view'}",
    ]
    return "\n".join(lines)

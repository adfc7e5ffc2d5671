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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rules.observation import CubeReading, DieReading
from vision.arrays import F64
from vision.canvas import canvas
from vision.checkers import (
    Palette,
    completed,
    evaluate,
    interpret,
    kind_counts,
    most_likely_board,
    seen,
)
from vision.dice.cube import find_cube
from vision.dice.dice import find_dice
from vision.frame import Frame, rescaled
from vision.geometry import BoardMap
from vision.settings import DEFAULT, Settings
from vision.trays import believed, borne_off, in_view, look_beside, on_board

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """One picture's board: `points` 24 x 31 and `bar` 2 x 6 probabilities, `visible` 24, dice and
    cube.

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


def believe(
    frame: Frame,
    board_map: BoardMap,
    settings: Settings = DEFAULT,
    *,
    palette: Palette | None = None,
) -> Belief:
    """Read one picture wholly.

    A map unsure of its orientation makes the points that depend on it unsure in the same measure.
    """
    board = canvas(frame.pixels, board_map)
    reading = completed(
        interpret(evaluate(board, palette), board_map.orientation),
        frame.pixels,
        board_map,
        settings.checkers,
    )
    visible = seen(reading, settings.checkers)
    points, bar = most_likely_board(reading, settings.checkers)
    beside = look_beside(frame.pixels, board_map, board, reading, settings.trays)
    off = None
    if in_view(beside, board_map.orientation, board_map.sure_of_orientation, settings.trays):
        off = believed(
            borne_off(beside, settings.trays),
            on_board(reading),
            not bool(visible.all()),
            settings.trays,
        )
    doubt = 1 - board_map.sure_of_orientation
    if doubt > 1e-3:
        turn = np.roll(np.arange(24), 12)
        points = (1 - doubt) * points + doubt * points[turn]
        visible = visible & visible[turn]
    dice = find_dice(frame.pixels, board_map, settings)
    cube = find_cube(frame.pixels, board_map, settings)
    return Belief(board_map, points, bar, tuple(bool(v) for v in visible), dice, cube, off)


def to_json(belief: Belief, settings: Settings = DEFAULT, *, factor: float = 1.0) -> Json:
    """The schema above; places in pixels of a picture `factor` times as large as the one that was
    read (`frame.load_scaled`).
    """

    def at(spot: Sequence[float] | None) -> list[float] | None:
        return (
            None
            if spot is None
            else [round(v, 2) for v in rescaled((float(spot[0]), float(spot[1])), factor)]
        )

    points: Json = {}
    certain = belief.board_map.sure_of_orientation > 0.999
    least = settings.checkers.confident if certain else settings.checkers.confident_way
    for number in range(1, 25):
        light, dark, confidence = belief.point(number)
        sayable = belief.visible[number - 1] and confidence >= least
        points[str(number)] = (
            {"light": light, "dark": dark, "confidence": round(confidence, 4)} if sayable else None
        )
    bar = [int(row.argmax()) for row in belief.bar]
    m = belief.board_map
    return {
        "points": points,
        "bar": {
            "light": bar[0],
            "dark": bar[1],
            "confidence": round(float(belief.bar.max(1).prod()), 4),
        },
        "off": off_json(belief.off, settings),
        "dice": [die_json(d) | {"center_px": at(d.pixel)} for d in belief.dice],
        "cube": cube_json(belief.cube)
        | ({} if belief.cube is None else {"center_px": at(belief.cube.pixel)}),
        "board": {
            "corners_px": [at(c) for c in m.corners()],
            "orientation": m.orientation,
            "orientation_confidence": round(m.sure_of_orientation, 4),
            "bar_in_points": round(m.bar, 3),
        },
    }


def off_json(off: tuple[F64, F64] | None, settings: Settings = DEFAULT) -> Json | None:
    """Null where a place for borne-off checkers is not in view, or where it is not sure enough how
    many lie there.
    """
    if off is None:
        return None
    light, dark = (int(row.argmax()) for row in off)
    confidence = float(off[0][light] * off[1][dark])
    return (
        {"light": light, "dark": dark, "confidence": round(confidence, 4)}
        if confidence >= settings.trays.confident
        else None
    )


def die_json(die: DieReading) -> Json:
    """Value null where no face is at least as likely as not."""
    top = max(range(6), key=lambda v: die.values[v])
    total = sum(die.values)
    status = max(die.status, key=lambda s: die.status[s])
    sure = die.values[top] / total if total > 0 else 0.0
    return {
        "value": top + 1 if sure >= 0.5 else None,
        "value_confidence": round(sure, 4),
        "status": status.value,
        "certainty": round(die.certainty, 4),
    }


def cube_json(cube: CubeReading | None) -> Json:
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
    }


def to_text(belief: Belief, name: str, settings: Settings = DEFAULT) -> str:
    """The board as a person reads it, north at the top, one letter a set:

    L light, D dark, ? not seen.
    """
    said = to_json(belief, settings)

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
    m = belief.board_map
    lines = [
        f"{name}: orientation {m.orientation} ({m.sure_of_orientation:.0%})",
        row(range(13, 25)),
        row(range(12, 0, -1)),
        f"bar: {bar['light']} light, {bar['dark']} dark; off: {beside}",
        f"dice: {dice}; cube: {cube['shown'] if cube['present'] else 'not in view'}",
    ]
    return "\n".join(lines)

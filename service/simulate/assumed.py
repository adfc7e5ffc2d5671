"""A camera that was not measured: stated error rates in place of readings, for a soak without
pictures to measure on.

    level   a site misread   a count above five   a die misread or unsure   a die not found
    good    0.0005           3 times as often      0.002                     0.002
    club    0.002            6 times               0.01                      0.01
    bad     0.015            6 times               0.04                      0.04

A figure that rests on this says so: `made_by` in the file, and the first line that `takhte
simulate` prints.
"""

from __future__ import annotations

import random
from typing import Final

from service.simulate.measured import DieJson, Group, LevelJson, ReadingJson

LEVELS: Final = {
    "good": (0.0005, 1.0, 3.0, 0.002),
    "club": (0.002, 0.8, 6.0, 0.01),
    "bad": (0.015, 0.6, 6.0, 0.04),
}
"""Share of sites misread, how sharp the others are (powers of ten are multiplied by it), how much
worse piles above five are, dice wrong."""
GROUPS: Final = 4
RUNS: Final = 9
MADE_BY: Final = "--assume-camera: assumed, not measured; see service/simulate/assumed.py"


def assumed_camera(seed: int) -> dict[str, LevelJson]:
    """Every level of an assumed camera."""
    rng = random.Random(seed)
    return {level: _level(rng, *parameters) for level, parameters in LEVELS.items()}


def _level(rng: random.Random, wrong: float, sharp: float, tall: float, dice: float) -> LevelJson:
    """One level, by its rates (`LEVELS`)."""
    groups: list[Group] = []
    for _ in range(GROUPS):
        # Some lights are three times as bad as the best.
        here = wrong * (0.5 + 2.5 * rng.random() ** 3)
        point: dict[str, list[list[ReadingJson]]] = {}
        for n in range(16):
            for white, black in ((n, 0), (0, n)):
                share = here * (0.2 if n == 0 else 1.0 if n <= 5 else tall)
                point[f"{white},{black}"] = [
                    _run(rng, white, black, share, sharp / (1 if n <= 5 else 2))
                    for _ in range(RUNS)
                ]
        both = {
            f"{w},{b}": [_run(rng, w, b, here, sharp) for _ in range(3)]
            for w in range(1, 5)
            for b in range(1, 5)
        }
        bar = {key: runs for key, runs in point.items() if max(map(int, key.split(","))) <= 4}
        groups.append({"point": {**point, **both}, "bar": {**bar, **both}})
    faces = {str(face): [_die(rng, face, dice) for _ in range(50)] for face in range(1, 7)}
    leaning = [
        ([round(rng.uniform(0.05, 0.4), 3) for _ in range(6)], round(rng.uniform(0.01, 0.3), 3))
        for _ in range(30)
    ]
    return {
        "groups": groups,
        "wrong_together": 0.3,
        "dice": faces,
        "cocked": leaning,
        "missed_die": dice,
    }


def _run(
    rng: random.Random, white: int, black: int, wrong: float, sharp: float
) -> list[ReadingJson]:
    """A run of one frame of a still site."""
    n = white + black
    likely = {(white, black): 1.0}
    for step in (-1, 1, -2, 2):
        if n + step >= 0 and not (white and black):
            other = (n + step if white or not black else 0, n + step if black else 0)
            likely[other] = 10 ** (-rng.uniform(1.5, 4) * sharp) * (0.3 if abs(step) == 2 else 1.0)
    if rng.random() < wrong and len(likely) > 1:
        taken = rng.choice([pair for pair in likely if pair != (white, black)])
        likely[white, black], likely[taken] = 10 ** -rng.uniform(0.3, 3), 1.0
    outcomes = [(w, b, _short(p * 10 ** rng.uniform(-0.15, 0.15))) for (w, b), p in likely.items()]
    return [(outcomes, 1e-5)]


def _die(rng: random.Random, face: int, wrong: float) -> DieJson:
    """A reading of a flat die."""
    values = [10 ** -rng.uniform(2, 4) for _ in range(6)]
    values[face - 1] = 1.0
    if rng.random() < wrong:
        values[rng.randrange(6)] = rng.choice((0.5, 1.0, 3.0))
    return [_short(v / sum(values)) for v in values], round(1 - 10 ** -rng.uniform(1.3, 3), 4)


def _short(p: float) -> float:
    return float(f"{p:.2e}")

"""Checkers on the bar of a painted board, along all of it and in any order."""

from __future__ import annotations

import numpy as np

from vision.geometry import BoardMap
from vision.synthetic.look import Look
from vision.synthetic.truth import DARK, LIGHT

Place = tuple[float, float, float, int]
"""Board x and y, height of the foot, set (LIGHT or DARK)."""


def anywhere_on_bar(
    rng: np.random.Generator, board: BoardMap, bar: tuple[int, int], look: Look
) -> list[Place]:
    """Where people put hit checkers: in a row about the middle, from the rails inwards, from
    beside the middle outwards, in one pile of each set, or with room between them.
    """
    colours = [LIGHT] * bar[0] + [DARK] * bar[1]
    step = look.checker + float(rng.choice([0.0, 0.02, 0.1, 0.25]))
    end = board.height / 2 - look.checker / 2 - float(rng.uniform(0, 0.3))
    sign, number = float(rng.choice([-1, 1])), len(colours)
    step = min(step, 2 * end / max(1, number - 1))
    room = end - (number - 1) * step / 2
    levels = [0] * number
    way = rng.random()
    if way < 0.35:
        if rng.random() < 0.3:
            rng.shuffle(colours)
        first = -(number - 1) / 2 * step + float(np.clip(rng.normal(0, 0.5), -room, room))
        along = [sign * (first + k * step) for k in range(number)]
    elif way < 0.55:
        rng.shuffle(colours)
        gaps = np.sort(rng.uniform(-room, room, number))
        along = [float(gaps[k]) + (k - (number - 1) / 2) * step for k in range(number)]
    else:
        inwards = rng.random() < 0.4
        foot = end if inwards else float(rng.uniform(look.checker / 2, 1.6))
        free = end - (look.checker / 2 if inwards else foot)
        row = min(int(rng.choice([1, 2, 3, 3, 4, 5, 5])), 1 + int(free / step))
        along = []
        for side, count in ((-sign, bar[0]), (sign, bar[1])):
            for k in range(count):
                along.append(side * (foot + (-1 if inwards else 1) * (k % row) * step))
                levels[len(along) - 1] = k // row
    sway = float(rng.choice([0.02, 0.06, 0.12]))
    return [
        (
            float(np.clip(rng.normal(0, sway), -0.45 * look.bar, 0.45 * look.bar)),
            float(np.clip(y + rng.normal(0, 0.02), -end, end)),
            look.bar_height + level * look.thickness,
            colour,
        )
        for y, level, colour in zip(along, levels, colours, strict=True)
    ]

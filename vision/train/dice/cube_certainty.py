"""Fits how finder, reader and the cube's own network together make a certainty that a cube lies
there, on whole painted scenes with cards and cubes of other numbers among the dice: writes it
beside the temperature.

`python -m vision.train.dice.cube_certainty --out OUT`
"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from vision.arrays import F64
from vision.dice.cube import odds_of
from vision.dice.dice import look_for_dice
from vision.dice.number import read_number
from vision.network import numbers_json
from vision.networks import Networks
from vision.prepared import PreparedMap
from vision.settings import DEFAULT
from vision.train.dice import scenes as data
from vision.train.dice.fitting import logistic
from vision.train.dice.full import full_scene
from vision.train.dice.not_cubes import odd_cube, put_card
from vision.train.dice.placing import add_cube
from vision.train.dice.tracing import random_lighting
from vision.train.weights_folder import made_in


def cube_odds(seed: int, scenes: int, networks: Networks) -> F64:
    """N x 3: whether it is a cube, log odds by finder and reader, log odds by its own network, of
    every place of painted scenes that is asked about.
    """
    rng, rows = np.random.default_rng(seed), []
    for k in range(scenes):
        ground = data.painted_ground(rng, 0.15)
        # No more of them than tables have.
        if k % 6 == 0:
            put_card(rng, ground)
        if k % 12 == 0:
            lamp = random_lighting(rng, float(rng.uniform(0.4, 1.0)))
            add_cube(rng, ground, lamp, (0.1, 0.1, 0.3, 0.5), odd_cube(rng))
        pixels, board = full_scene(rng, ground, int(rng.integers(0, 6))), PreparedMap(ground.board)
        cubes = [t.pixel for t in ground.things if t.kind == data.CUBE and t.value >= 0]
        for one in look_for_dice(pixels, board, networks.dice_finder, networks.dice_reader):
            if one.cube >= DEFAULT.cube.asked:
                face = read_number(pixels, one.pixel, one.axes, one.edge, one.slant, networks.cube)
                near = any(math.dist(at, one.pixel) < 0.6 * one.edge_pixels for at in cubes)
                rows.append((float(near), odds_of(one.cube), odds_of(face.there)))
    return np.array(rows, np.float64).reshape(-1, 3)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="vision.train.dice.cube_certainty", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("train-out"))
    parser.add_argument("--scenes", type=int, default=600)
    parser.add_argument("--seed", type=int, default=977)
    asked = parser.parse_args(arguments)
    weights = made_in(asked.out)
    networks = Networks(weights)
    rows = cube_odds(asked.seed, asked.scenes, networks)
    x = np.c_[np.ones(len(rows)), rows[:, 1:]]
    fitted = [round(float(w), 4) for w in logistic(x, rows[:, 0])]
    said = x @ np.array(fitted) > 0
    found, false = int(rows[said, 0].sum()), int((1 - rows[said, 0]).sum())
    print(
        f"{len(rows)} places, {int(rows[:, 0].sum())} cubes: {found} found, {false} false; {fitted}"
    )
    certainty = dict(zip(("bias", "reader", "face"), fitted, strict=True))
    numbers = replace(networks.cube.numbers, certainty=certainty)
    (weights / "cube.json").write_text(numbers_json(numbers))


if __name__ == "__main__":
    main()

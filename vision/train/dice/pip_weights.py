"""Fits how much the dice reader and the network of the upper face weigh in what a die shows, on
whole scenes that neither was taught with: writes it beside that network.

`python -m vision.train.dice.pip_weights [--stills DIR…] --out OUT`
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np

from vision.arrays import F32
from vision.dice.dice import DiceReader, values_said
from vision.dice.find import DiceFinder, find_candidates
from vision.dice.pips import PipNumbers, face_logits, together
from vision.dice.upper import STEEPEST
from vision.network import numbers_json
from vision.prepared import PreparedMap
from vision.settings import DEFAULT
from vision.train.dice import scenes as data
from vision.train.dice.full import exposed, full_scene
from vision.train.dice.shards import training_stills
from vision.train.weights_folder import made_in

_STEPS: Final = tuple(round(0.05 * k, 2) for k in range(31))
"""Weights that are tried."""
_ON_STILLS: Final = 0.3

Said = tuple[list[F32], list[F32], list[int]]
"""Of each die: the dice reader's probabilities, the face's logits, and its value less one."""


def said_of_dice(
    seed: int, scenes: int, stills: Sequence[Path], finder: DiceFinder, reader: DiceReader
) -> Said:
    """What both networks say of every flat die that the finder sees in so many scenes."""
    rng = np.random.default_rng(seed)
    by_reader: list[F32] = []
    by_face: list[F32] = []
    true: list[int] = []
    for _ in range(scenes):
        still = bool(stills) and rng.random() < _ON_STILLS
        ground = (
            data.still_ground(stills[int(rng.integers(len(stills)))])
            if still
            else data.painted_ground(rng, 0.15)
        )
        pixels = exposed(rng, ground) if still else full_scene(rng, ground, 10)
        found = find_candidates(pixels, PreparedMap(ground.board), finder, DEFAULT.dice)
        lying = [
            (one, t.value)
            for t in ground.things
            if t.kind == data.DIE and t.clear and t.status == data.FLAT and t.value >= 0
            for one in found
            if math.dist(one.pixel, t.pixel) < 0.4 * one.edge_pixels and one.slant < STEEPEST
        ]
        if lying:
            places = [one for one, _ in lying]
            by_reader += list(values_said(pixels, places, reader))
            by_face += list(face_logits(pixels, places, reader.pips))
            true += [value for _, value in lying]
    return by_reader, by_face, true


def best_weights(said: Said, numbers: PipNumbers) -> tuple[PipNumbers, float]:
    """The weights under which what is true is likeliest, and what it costs then, nats a die."""
    by_reader, by_face, true = np.stack(said[0]), np.stack(said[1]), np.array(said[2])

    def cost(tried: PipNumbers) -> float:
        likely = together(by_reader, by_face, tried)[np.arange(len(true)), true]
        return float(-np.log(np.maximum(likely, 1e-9)).mean())

    every = (replace(numbers, weights={"reader": a, "face": b}) for a, b in product(_STEPS, _STEPS))
    cheapest = min(every, key=cost)
    return cheapest, cost(cheapest)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="vision.train.dice.pip_weights", description=__doc__)
    parser.add_argument("--stills", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, default=Path("train-out"))
    parser.add_argument("--scenes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=978)
    asked = parser.parse_args(arguments)
    weights = made_in(asked.out)
    reader = DiceReader.load(weights)
    stills = [s for folder in asked.stills for s in training_stills(folder, held_out=True)]
    said = said_of_dice(asked.seed, asked.scenes, stills, DiceFinder.load(weights), reader)
    fitted, cost = best_weights(said, reader.pips.numbers)
    right = together(np.stack(said[0]), np.stack(said[1]), fitted).argmax(1) == np.array(said[2])
    alone = np.stack(said[0]).argmax(1) == np.array(said[2])
    print(
        f"{len(right)} dice: right {right.mean():.4f}, by the reader alone {alone.mean():.4f};"
        f" weights {dict(fitted.weights)}, {cost:.4f} nats"
    )
    (weights / "pips.json").write_text(numbers_json(fitted))


if __name__ == "__main__":
    main()

"""Fits how much the dice reader and the two networks of the upper face weigh in what a die shows
and how it lies, on whole scenes that none was taught with: writes it beside those networks.

`python -m vision.train.dice.die_weights [--stills DIR…] --out OUT`
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Final, TypeVar

import numpy as np

from vision.arrays import F32, F64, I64
from vision.dice import lies, pips
from vision.dice.dice import DiceReader, said_alone
from vision.dice.find import DiceFinder, find_candidates
from vision.dice.lies import LieNumbers
from vision.dice.pips import PipNumbers
from vision.dice.upper import STEEPEST
from vision.network import numbers_json
from vision.prepared import PreparedMap
from vision.settings import DEFAULT
from vision.train.dice import scenes as data
from vision.train.dice.fitting import fit_arguments
from vision.train.dice.full import exposed, full_scene
from vision.train.dice.shards import training_stills
from vision.train.weights_folder import made_in

_STEPS: Final = tuple(round(0.05 * k, 2) for k in range(31))
"""Weights that are tried."""
_COARSE: Final = tuple(round(0.1 * k, 2) for k in range(16))
_HEARD: Final = tuple(round(0.1 * k, 2) for k in range(5, 11))
"""The reader is heard of how a die lies: it has learned from dice rendered in stills, the network
of the face from traced ones alone, and most of these scenes are traced too."""
_ODD: Final = tuple(round(0.25 * k, 2) for k in range(-12, 5))
_RARER: Final = 0.3
"""Weight of a die that is odd: three in ten are, on purpose, more than half way from play."""
_ON_STILLS: Final = 0.3
_DICE: Final = 10


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """N dice: what the reader says of values and ways of lying, what the faces say of both, and
    what is true (a value of -1 is not to be told).
    """

    values: F32
    ways: F32
    shown: F32
    lying: F32
    value: I64
    way: I64


def said_of_dice(
    seed: int, scenes: int, stills: Sequence[Path], finder: DiceFinder, reader: DiceReader
) -> Said:
    """What the networks say of every die at rest that the finder sees in so many scenes."""
    rng, settings = np.random.default_rng(seed), DEFAULT.dice
    rows: list[tuple[F32, F32, F32, F32]] = []
    true: list[tuple[int, int]] = []
    for _ in range(scenes):
        still = bool(stills) and rng.random() < _ON_STILLS
        ground = (
            data.still_ground(stills[int(rng.integers(len(stills)))])
            if still
            else data.painted_ground(rng, 0.15)
        )
        pixels = exposed(rng, ground) if still else full_scene(rng, ground, _DICE)
        found = find_candidates(pixels, PreparedMap(ground.board), finder, settings)
        there = [
            (one, (t.value, t.status))
            for t in ground.things
            if t.kind == data.DIE and t.clear and t.status != data.ROLLING
            for one in found
            if math.dist(one.pixel, t.pixel) < 0.4 * one.edge_pixels and one.slant < STEEPEST
        ]
        if there:
            places = [one for one, _ in there]
            values, ways = said_alone(pixels, places, reader, settings)
            every = np.ones(len(places), np.bool_)
            faces, shown = pips.surest_faces(pixels, places, reader.shows, every)
            lying = lies.lie_logits(pixels, faces, reader.lying)
            rows += zip(values, ways, shown, lying, strict=True)
            true += [each for _, each in there]
    values, ways, shown, lying = (np.stack(column) for column in zip(*rows, strict=True))
    value, way = np.array(true).T
    return Said(values, ways, shown, lying, value, way)


N = TypeVar("N", PipNumbers, LieNumbers)


def _cheapest(tried: Iterable[tuple[N, F32]], true: I64, weigh: F64) -> tuple[N, float]:
    """Under which numbers what is true is likeliest, and what it costs then, nats a die."""
    rows = np.arange(len(true))

    def cost(likely: F32) -> float:
        nats = -np.log(np.maximum(likely[rows, true], 1e-9))
        return float((nats * weigh).sum() / weigh.sum())

    costs = [(cost(likely), k, numbers) for k, (numbers, likely) in enumerate(tried)]
    best = min(costs, key=lambda row: row[:2])
    return best[2], best[0]


def best_pips(said: Said, numbers: PipNumbers) -> tuple[PipNumbers, float]:
    """The weights of what flat dice show."""
    flat = (said.way == data.FLAT) & (said.value >= 0)
    every = (replace(numbers, weights={"reader": a, "face": b}) for a, b in product(_STEPS, _STEPS))
    tried = ((n, pips.together(said.values[flat], said.shown[flat], n)) for n in every)
    return _cheapest(tried, said.value[flat], np.ones(int(flat.sum())))


def best_lies(said: Said, numbers: LieNumbers) -> tuple[LieNumbers, float]:
    """The weights of how dice lie."""
    every = (
        replace(numbers, weights={"reader": a, "face": b, "odd": c})
        for a, b, c in product(_HEARD, _COARSE, _ODD)
    )
    tried = ((n, lies.together(said.ways, said.lying, n)) for n in every)
    return _cheapest(tried, said.way, np.where(said.way == data.FLAT, 1.0, _RARER))


def _odd_words(ways: F32, said: Said) -> str:
    odd, true = ways[:, : len(lies.LIES)].argmax(1) != data.FLAT, said.way != data.FLAT
    return f"{(odd & true).sum()} of {true.sum()} odd ones called, {(odd & ~true).sum()} flat ones"


def main(arguments: list[str] | None = None) -> None:
    asked = fit_arguments("die_weights", __doc__, 200, 978).parse_args(arguments)
    weights = made_in(asked.out)
    reader = DiceReader.load(weights)
    stills = [s for folder in asked.stills for s in training_stills(folder, held_out=True)]
    said = said_of_dice(asked.seed, asked.scenes, stills, DiceFinder.load(weights), reader)
    shows, cost = best_pips(said, reader.shows.numbers)
    flat = said.way == data.FLAT
    right, alone = (
        float((likely.argmax(1) == said.value)[flat].mean())
        for likely in (pips.together(said.values, said.shown, shows), said.values)
    )
    print(
        f"{flat.sum()} flat dice: right {right:.4f}, by the reader alone {alone:.4f}; weights"
        f" {dict(shows.weights)}, {cost:.4f} nats"
    )
    lying, cost = best_lies(said, reader.lying.numbers)
    print(
        f"{len(said.way)} dice: {_odd_words(lies.together(said.ways, said.lying, lying), said)}; by"
        f" the reader alone {_odd_words(said.ways, said)}; weights {dict(lying.weights)},"
        f" {cost:.4f} nats"
    )
    (weights / "pips.json").write_text(numbers_json(shows))
    (weights / "lies.json").write_text(numbers_json(lying))


if __name__ == "__main__":
    main()

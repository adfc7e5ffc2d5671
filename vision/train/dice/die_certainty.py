"""Fits how finder, dice reader and the network of the upper face make a certainty that a die lies
there, on whole scenes that none was taught with: writes it beside that network.

`python -m vision.train.dice.die_certainty [--stills DIR…] --out OUT`
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from vision.arrays import F64
from vision.dice import pips
from vision.dice.dice import DiceReader, dice_before_faces
from vision.dice.find import DiceFinder, find_candidates
from vision.network import numbers_json
from vision.prepared import PreparedMap
from vision.settings import DEFAULT
from vision.train.dice import scenes as data
from vision.train.dice.fitting import fit_arguments, logistic
from vision.train.dice.full import exposed, full_scene
from vision.train.dice.shards import training_stills
from vision.train.weights_folder import made_in

_DICE: Final = 5
"""As many dice at the most lie in a scene: two are play's, and the others teach more of dice."""
_NEAR: Final = 0.4
_BESIDE: Final = 0.9
"""So many edges off, in the picture, a place shows the die; farther off something else."""


def die_odds(
    seed: int, scenes: int, stills: Sequence[Path], finder: DiceFinder, reader: DiceReader
) -> F64:
    """N x 4: whether it is a die, and its log odds by the finder, by the reader against nothing and
    by its upper face, of every place of whole scenes that the network of the face is asked about.
    """
    rng, settings = np.random.default_rng(seed), DEFAULT.dice
    rows: list[tuple[float, ...]] = []
    for k in range(scenes):
        still = bool(stills) and k % 4 != 0
        ground = (
            data.still_ground(stills[int(rng.integers(len(stills)))])
            if still
            else data.painted_ground(rng, 0.15)
        )
        pixels = (
            exposed(rng, ground)
            if still
            else full_scene(rng, ground, int(rng.integers(0, _DICE + 1)))
        )
        found = find_candidates(pixels, PreparedMap(ground.board), finder, settings)
        if not found:
            continue
        asked, odds, shown = dice_before_faces(pixels, found, reader, settings)
        said = np.c_[odds, pips.odds_by_face(shown)]
        for one, wanted, row in zip(found, asked.tolist(), said.tolist(), strict=True):
            gaps = [
                (math.dist(t.pixel, one.pixel) / one.edge_pixels, t)
                for t in ground.things
                if t.kind == data.DIE
            ]
            gap, thing = min(gaps, key=lambda each: each[0], default=(9.0, None))
            if not wanted or _NEAR < gap < _BESIDE or (thing and gap < _NEAR and not thing.clear):
                continue
            rows.append((float(gap <= _NEAR), *row))
    return np.array(rows, np.float64).reshape(-1, 4)


def main(arguments: list[str] | None = None) -> None:
    asked = fit_arguments("die_certainty", __doc__, 400, 979).parse_args(arguments)
    weights = made_in(asked.out)
    reader = DiceReader.load(weights)
    stills = [s for folder in asked.stills for s in training_stills(folder, held_out=True)]
    rows = die_odds(asked.seed, asked.scenes, stills, DiceFinder.load(weights), reader)
    x = np.c_[np.ones(len(rows)), rows[:, 1:]]
    fitted = [round(float(w), 4) for w in logistic(x, rows[:, 0])]
    true, said = rows[:, 0] > 0, x @ np.array(fitted) > 0
    print(
        f"{len(rows)} places: {(said & true).sum()} of {true.sum()} dice,"
        f" {(said & ~true).sum()} false; {fitted}"
    )
    certainty = dict(zip(pips.CERTAINTY, fitted, strict=True))
    numbers = replace(reader.shows.numbers, certainty=certainty)
    (weights / "pips.json").write_text(numbers_json(numbers))


if __name__ == "__main__":
    main()

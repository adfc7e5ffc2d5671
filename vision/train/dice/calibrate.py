"""Fits how finder and reader together make a certainty, on whole scenes of held-out palettes:
writes it beside the temperatures.

`python -m vision.train.dice.calibrate [--stills DIR…]`
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from vision.dice.dice import DiceReader, kind_logits
from vision.dice.find import DiceFinder, find_candidates
from vision.network import numbers_json
from vision.prepared import PreparedMap
from vision.settings import DEFAULT
from vision.train.dice import scenes as data
from vision.train.dice.fitting import fit_arguments, logistic
from vision.train.dice.full import exposed, full_scene
from vision.train.dice.shards import training_stills
from vision.train.weights_folder import made_in


def candidate_odds(
    seed: int, scenes: int, stills: list[Path], finder: DiceFinder, reader: DiceReader
) -> list[tuple[str, int, float, float]]:
    """(die or cube, whether it is one, finder's logit, reader's log odds) of every candidate of
    whole scenes.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(scenes):
        still = bool(stills) and k % 4 != 0
        ground = (
            data.still_ground(stills[rng.integers(len(stills))])
            if still
            else data.painted_ground(rng)
        )
        # A painted board has no dice but those put on it; a still has its own, and no more decoys
        # than boards have.
        pixels = exposed(rng, ground) if still else full_scene(rng, ground, int(rng.integers(0, 6)))
        candidates = find_candidates(pixels, PreparedMap(ground.board), finder, DEFAULT.dice)
        logits = kind_logits(pixels, candidates, reader)
        for candidate, row in zip(candidates, logits, strict=True):
            reach = 0.6 * candidate.edge_pixels
            close = [
                t for t in ground.things if math.dist(t.pixel, candidate.pixel) < max(5.0, reach)
            ]
            if any(not t.clear for t in close):
                continue
            for kind, of_finder in zip((data.DIE, data.CUBE), candidate.logits, strict=True):
                odds = float(row[kind] - np.logaddexp.reduce(np.delete(row, kind)))
                name = reader.columns.kind.names[kind]
                rows.append((name, int(any(t.kind == kind for t in close)), of_finder, odds))
    return rows


def main(arguments: list[str] | None = None) -> None:
    asked = fit_arguments("calibrate", __doc__, 240, 977).parse_args(arguments)
    weights = made_in(asked.out)
    finder, reader = DiceFinder.load(weights), DiceReader.load(weights)
    stills = [s for folder in asked.stills for s in training_stills(folder, held_out=True)]
    rows = candidate_odds(asked.seed, asked.scenes, stills, finder, reader)
    certainty = {}
    for name in ("die", "cube"):
        mine = np.array([r[1:] for r in rows if r[0] == name], np.float64)
        x = np.c_[np.ones(len(mine)), mine[:, 1:]]
        w = logistic(x, mine[:, 0])
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        right = float(((p > 0.5) == mine[:, 0]).mean())
        bins = np.clip((p * 10).astype(int), 0, 9)
        error = sum(abs(mine[bins == b, 0].sum() - p[bins == b].sum()) for b in range(10)) / len(p)
        print(
            f"{name}: {len(mine)} places, {int(mine[:, 0].sum())} true, right {right:.4f},"
            f" calibration error {error:.4f}, {w.round(3)}"
        )
        fitted = (round(float(v), 4) for v in w)
        certainty[name] = dict(zip(("bias", "finder", "reader"), fitted, strict=True))
    (weights / "dice_read.json").write_text(
        numbers_json(replace(reader.numbers, certainty=certainty))
    )


if __name__ == "__main__":
    main()

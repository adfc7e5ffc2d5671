"""Scenes cut and stored, a file for every few dozen scenes:

`python -m vision.train.dice.shards OUT --scenes N [--stills DIR]`.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt

from vision.arrays import F32, Pixels
from vision.dice.find import DiceFinder
from vision.network import SHIPPED
from vision.scene_truth import Share, share_of
from vision.train.dice import cuts
from vision.train.dice import scenes as data
from vision.train.dice.full import exposed, full_scene

PER_SHARD = 25


@dataclasses.dataclass(frozen=True, slots=True)
class Shard:
    """`tiles` N x 192 x 192 x 3; `marks` M x 6: tile, kind, column, row, edge in pixels, clear;
    `near` K x 56 x 56 x 3, `wide` K x 48 x 48 x 3 (crops with what is around them, `cuts.MORE`)
    with `slant` K and `labels` K x 3: kind, status, value (-1 = not to be learnt from)."""

    tiles: Pixels
    marks: F32
    near: Pixels
    wide: Pixels
    slant: F32
    labels: npt.NDArray[np.int8]


def theme_of(still: Path) -> str:
    """The palette of a rendered still."""
    return str(json.loads(still.with_suffix(".json").read_text())["theme"])


def training_stills(folder: Path, *, held_out: bool) -> list[Path]:
    """Rendered stills of the palettes for learning, or of those kept back; large ones count four
    times, their dice are sharp.
    """
    found = []
    for path in sorted(folder.glob("*.jpg")):
        if not path.with_suffix(".json").exists():
            continue
        if share_of(theme_of(path)) is (Share.FIT if held_out else Share.LEARN):
            found += [path] * (4 if path.stat().st_size > 110_000 else 1)
    return found


def make_shard(
    seed: int,
    stills: list[Path],
    scenes: int = PER_SHARD,
    *,
    mined: bool = False,
    cubes: int = 0,
    crowded: bool = False,
    low: bool = False,
    as_they_are: bool = False,
    weights: Path = SHIPPED,
) -> Shard:
    """Every scene of a shard comes from its seed and its ground alone. `mined`: crops where the
    finder of `weights` looks, beside the others. `crowded`: as many dice as find room; a ground and
    its exposure cost more than thirty dice. `low`: every painted board seen from a low stand, or
    lying turned.

    `as_they_are`: only stills, with the dice that were rendered in them and no others; each die is
    cut out twice.
    """
    rng, finder = np.random.default_rng(seed), DiceFinder.load(weights)
    tiles: list[Pixels] = []
    marks: list[tuple[float, ...]] = []
    near: list[Pixels] = []
    wide: list[Pixels] = []
    slant: list[float] = []
    labels: list[tuple[int, int, int]] = []
    for _ in range(scenes):
        # Mining is for what is taken for dice: mostly the surfaces of stills, with few dice on
        # them.
        ground = (
            data.still_ground(stills[rng.integers(len(stills))])
            if stills and rng.random() < (1 if as_they_are else 0.85 if mined else 0.55)
            else data.painted_ground(rng, 1.0 if low else data.LOW)
        )
        few = mined or rng.random() < 0.2
        if as_they_are:
            pixels = exposed(rng, ground)
        else:
            least, most = (16, 40) if crowded else (0, 3) if few else (4, 14)
            pixels = full_scene(rng, ground, int(rng.integers(least, most)), cubes)
        for tile, things in cuts.tiles(rng, pixels, ground, 4):
            marks += [(len(tiles), *thing) for thing in things]
            tiles.append(tile)
        cut = list(cuts.crops(rng, pixels, ground, 3))
        if as_they_are:
            cut += cuts.crops(rng, pixels, ground, 0)
        if mined or as_they_are:
            cut += cuts.found_crops(pixels, ground, finder)
        for a, b, s, kind, status, value in cut:
            near.append(a)
            wide.append(b)
            slant.append(s)
            labels.append((kind, status, value))
    return Shard(
        np.stack(tiles),
        np.array(marks, np.float32).reshape(-1, 6),
        np.stack(near),
        np.stack(wide),
        np.array(slant, np.float32),
        np.array(labels, np.int8),
    )


def save_shard(path: Path, shard: Shard) -> None:
    """Written whole or not at all: a fit may read the folder meanwhile."""
    half = path.with_suffix(".part")
    with half.open("wb") as file:
        np.savez(file, **{f.name: getattr(shard, f.name) for f in dataclasses.fields(Shard)})
    half.rename(path)


def load_shard(path: Path, *, tiles: bool = True) -> Shard:
    """A shard as `save_shard` wrote it; without `tiles`, four fifths of it, for who only reads."""
    with np.load(path) as stored:
        names = [f.name for f in dataclasses.fields(Shard) if tiles or f.name != "tiles"]
        held = {name: stored[name] for name in names}
        return Shard(**{"tiles": np.empty((0, 0, 0, 3), np.uint8), **held})


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="vision.train.dice.shards", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--scenes", type=int, default=2400)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument(
        "--stills",
        type=Path,
        nargs="*",
        default=[],
        help="folders of rendered stills with their truth",
    )
    parser.add_argument(
        "--held-out", action="store_true", help="palettes and seeds for calibration"
    )
    parser.add_argument(
        "--mined",
        action="store_true",
        help="a second round: show the reader what the finder of vision/weights finds",
    )
    parser.add_argument(
        "--weights", type=Path, default=SHIPPED, help="whose finder is asked where to look"
    )
    parser.add_argument("--cubes", type=int, default=0, help="so many cubes a scene more")
    parser.add_argument("--crowded", action="store_true", help="as many dice as find room")
    parser.add_argument("--low", action="store_true", help="painted boards from low stands alone")
    parser.add_argument(
        "--as-they-are", action="store_true", help="stills alone, with their own dice"
    )
    asked = parser.parse_args(arguments)
    asked.out.mkdir(parents=True, exist_ok=True)
    name = (
        "held"
        if asked.held_out
        else f"learn_mined{asked.seed}"
        if asked.mined or asked.cubes
        else f"learn_s{asked.seed}"
    )
    name += "_real" if asked.as_they_are else ""
    for k in range(asked.scenes // PER_SHARD):
        path = asked.out / f"{name}_{k:04d}.npz"
        if not path.exists():
            seed = (
                asked.seed * 100_000
                + k
                + (50_000 if asked.held_out else 0)
                + (20_000 if asked.mined else 0)
            )
            stills = [
                still
                for folder in asked.stills
                for still in training_stills(folder, held_out=asked.held_out)
            ]
            save_shard(
                path,
                make_shard(
                    seed,
                    stills,
                    mined=asked.mined,
                    cubes=asked.cubes,
                    crowded=asked.crowded,
                    low=asked.low,
                    as_they_are=asked.as_they_are,
                    weights=asked.weights,
                ),
            )


if __name__ == "__main__":
    main()

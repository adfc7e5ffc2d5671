"""Faces that were cut, kept in files of a few boards each: a run that was stopped goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

SCENES: Final = 5
"""Boards in a file."""

Columns = dict[str, npt.NDArray[Any]]
"""Of a file: rows of each kind, by name."""


def cut(
    folder: Path, name: str, seed: int, scenes: int, board: Callable[[np.random.Generator], Columns]
) -> None:
    """Nothing; files of so many scenes in a folder, those that are there already left alone.
    `board` gives what `SCENES` boards show, of their own seed alone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for k in range(scenes // SCENES):
        path = folder / f"{name}{seed}_{k:04d}.npz"
        if path.exists():
            continue
        columns = board(np.random.default_rng((seed, k)))
        half = path.with_suffix(".part")
        with half.open("wb") as file:
            np.savez(file, allow_pickle=False, **columns)
        half.rename(path)


def cut_before(folder: Path, name: str) -> Columns:
    """All rows of a folder's files whose names begin so. Raises ValueError when there is none."""
    files = sorted(folder.glob(f"{name}[0-9]*.npz"))
    if not files:
        raise ValueError(f"{folder} has no {name}*.npz: cut some with --scenes")
    held = [np.load(path) for path in files]
    return {key: np.concatenate([each[key] for each in held]) for key in held[0].files}

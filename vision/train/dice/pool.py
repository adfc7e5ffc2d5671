"""Shards of a folder in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vision.train.dice.shards import Shard, load_shard


class ShardPool:
    """Shards of a folder in memory, read again when new ones have come."""

    def __init__(
        self,
        folder: Path,
        name: str,
        most: int = 400,
        *,
        tiles: bool = True,
        rendered: float = 0.4,
        mined: float = 0.2,
    ) -> None:
        self.folder, self.name, self.most, self._tiles = folder, name, most, tiles
        self._shares = rendered, mined
        self.shards: list[Shard] = []
        self.mined: list[Shard] = []
        self.real: list[Shard] = []
        self._seen: set[Path] = set()
        self.refresh()

    def refresh(self) -> None:
        """Read the shards that have come."""
        for path in sorted(self.folder.glob(f"{self.name}_*.npz")):
            if path not in self._seen and len(self.shards) < self.most:
                self._seen.add(path)
                self.shards.append(load_shard(path, tiles=self._tiles))
                if "real" in path.name:
                    self.real.append(self.shards[-1])
                elif "mined" in path.name:
                    self.mined.append(self.shards[-1])

    def pick(self, rng: np.random.Generator) -> Shard:
        """Any shard; `rendered` of the picks are of rendered dice and `mined` of mined crops, where
        there are some.
        """
        which, (rendered, mined) = rng.random(), self._shares
        some = (
            self.real
            if self.real and which < rendered
            else self.mined
            if self.mined and which > 1 - mined
            else self.shards
        )
        return some[rng.integers(len(some))]

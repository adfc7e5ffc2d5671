"""What eyes say of a cube that is known, drawn from what the real reader said of such cubes.

A cube keeps its draw until it is touched: a number that is misread stays so, frame after frame.
"""

from __future__ import annotations

import functools
import json
import random
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Final

from rules.observation import CubeOwner, CubeReading
from service.simulate.measured import CUBE_FACES, CubesJson
from service.simulate.noise import ConfusionsError

ELSEWHERE: Final = {
    CubeOwner.CENTRE: CubeOwner.WHITE,
    CubeOwner.WHITE: CubeOwner.CENTRE,
    CubeOwner.BLACK: CubeOwner.CENTRE,
    CubeOwner.FIELD: CubeOwner.CENTRE,
}
"""Where else a cube that lies here might lie, for eyes that are not sure of it."""


@functools.cache
def cubes(path: Path | None = None) -> CubesJson:
    """The readings of cubes of a confusions file; default the one that ships. Raises
    ConfusionsError.
    """
    file = (
        resources.files("service.simulate") / "data" / "confusions.json" if path is None else path
    )
    data = json.loads(file.read_text())
    if not isinstance(data, dict) or "cubes" not in data:
        raise ConfusionsError(
            "expected readings of cubes: make them with `python -m service.simulate.pictures` and"
            " `python -m service.simulate.confusions --cubes`"
        )
    found: CubesJson = data["cubes"]
    return found


@dataclass
class CubeSense:
    """Eyes that look at a cube: `reading` of how it lies."""

    pool: CubesJson
    rng: random.Random
    _lies: tuple[int, CubeOwner] | None = None
    _drawn: CubeReading | None = field(default=None)

    def reading(self, lies: tuple[int, CubeOwner] | None) -> CubeReading | None:
        """What is said of a cube with this number up at this place, None where it is not found."""
        if lies != self._lies:
            self._lies = lies
            self._drawn = None if lies is None else self._draw(*lies)
        return self._drawn

    def _draw(self, number: int, place: CubeOwner) -> CubeReading | None:
        if self.rng.random() < self.pool["missed"]:
            return None
        shown = self.rng.choice(self.pool["shown"][str(number)])
        sure = self.rng.choice(self.pool["place"])
        return CubeReading(
            dict(zip(CUBE_FACES, shown, strict=True)),
            {place: sure, ELSEWHERE[place]: round(1 - sure, 6)},
        )

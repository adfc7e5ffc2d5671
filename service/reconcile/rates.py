"""How often a table goes on otherwise than by the book, as it was counted: `rates.toml`, which
`python -m service.simulate.rates` makes. Never edited by hand.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Final


@dataclass(frozen=True, slots=True)
class Rate:
    """What happened so `often` in so many opportunities (`of`)."""

    often: float
    of: int

    @property
    def share(self) -> float:
        """How often in each opportunity."""
        return self.often / self.of

    @property
    def nats(self) -> float:
        """What a story pays for it."""
        return -math.log(self.share)


def _counted() -> Mapping[str, Rate]:
    text = resources.files("service.reconcile").joinpath("rates.toml").read_text("utf-8")
    return {name: Rate(row["often"], row["of"]) for name, row in tomllib.loads(text).items()}


RATES: Final = _counted()
"""Every rate by its name; what it is of is said in the table."""

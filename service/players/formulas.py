"""Ratings: what a match does to the two numbers. Formulas are data (`formulas.toml`)."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib import resources
from typing import Final

USUAL: Final = "fibs"
"""The formula that is used where nobody asks for another."""
_LARGEST: Final = 300.0
"""Beyond this power of ten the weaker one's chance is nothing, and a float would overflow."""


class FormulaError(ValueError):
    """A file of formulas that cannot be used: where, what was expected, what came."""


@dataclass(frozen=True, slots=True)
class RatingFormula:
    """One way to rate; its numbers are explained at the head of `formulas.toml`."""

    title: str
    start: float
    factor: float
    length_power: float
    scale: float
    ramp: float

    def changes(
        self, winner: float, loser: float, length: int, experience: tuple[int, int]
    ) -> tuple[float, float]:
        """What the winner gains and what the loser loses; `experience`: theirs before the match."""
        weight = length**self.length_power
        power = (winner - loser) * weight / self.scale
        surprise = 0.0 if power > _LARGEST else 1 / (1 + 10 ** max(power, -_LARGEST))
        gained, lost = (
            self.factor * max(1.0, self.ramp - (points + length) / 100) * weight * surprise
            for points in experience
        )
        return gained, lost


def read_formulas(text: str, where: str) -> Mapping[str, RatingFormula]:
    """The formulas of a file by name, in its order. Raises FormulaError."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormulaError(f"{where}: expected TOML: {error}") from error
    found = {}
    numbers = [field.name for field in fields(RatingFormula) if field.name != "title"]
    for name, table in tables.items():
        if not isinstance(table, dict) or not isinstance(table.get("title"), str):
            raise FormulaError(f"{where}: expected [{name}] with a title in quotes")
        strange = set(table) - {"title", *numbers}
        if strange:
            raise FormulaError(
                f"{where}: [{name}]: expected title, {', '.join(numbers)}; came {min(strange)}"
            )
        given = {}
        for key in numbers:
            value = table.get(key)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise FormulaError(f"{where}: [{name}] {key}: expected a number, came {value!r}")
            if not math.isfinite(value) or abs(value) > 1e6:
                raise FormulaError(f"{where}: [{name}] {key}: expected at most a million: {value}")
            given[key] = float(value)
        if given["scale"] <= 0 or not 0 <= given["length_power"] <= 1:
            raise FormulaError(
                f"{where}: [{name}]: expected a scale above 0 and a length_power of 0 to 1"
            )
        found[name] = RatingFormula(title=table["title"], **given)
    return found


def own_formulas() -> Mapping[str, RatingFormula]:
    """The formulas that come with the program."""
    file = resources.files("service.players") / "formulas.toml"
    return read_formulas(file.read_text(encoding="utf-8"), "formulas.toml")

"""Dice: the roll, the 21 distinct rolls and how often each comes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self


@dataclass(frozen=True, slots=True, order=True)
class Roll:
    """Two dice, the higher first:

    `Roll.of(3, 5) == Roll(5, 3)`. Raises ValueError unless both are 1-6 in that order.
    """

    high: int
    low: int

    def __post_init__(self) -> None:
        if not (1 <= self.low <= self.high <= 6):
            raise ValueError(
                f"a roll is two dice of 1-6, the higher first; got {self.high} and {self.low}"
            )

    @classmethod
    def of(cls, a: int, b: int) -> Self:
        return cls(max(a, b), min(a, b))

    @property
    def is_double(self) -> bool:
        return self.high == self.low

    @property
    def weight(self) -> int:
        """Ways out of 36."""
        return 1 if self.is_double else 2

    def pips(self, doubles: int = 4) -> int:
        """Pips to be played; a double gives `doubles` moves (ruleset axis)."""
        return self.high * doubles if self.is_double else self.high + self.low

    def __str__(self) -> str:
        return f"{self.high}{self.low}"


ROLLS: Final[tuple[Roll, ...]] = tuple(
    Roll(high, low) for high in range(1, 7) for low in range(1, high + 1)
)

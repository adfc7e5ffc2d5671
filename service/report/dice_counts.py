"""Dice counted, and how rare such dice are by chance. Pure.

Each measure is compared with what it would be with fair dice: the spread of the six numbers by the
chi-square of their counts, doubles by the exact binomial distribution, and the longest run of turns
without or with doubles by its exact chance. A chance is told as people speak of it: dice like these
or stranger in 1 evening of so many. Dice that a sensor did not read but a play was explained by are
counted apart, since they are chosen to fit.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rules.dice import Roll

FACES: Final = 6
DOUBLE: Final = 1 / 6
FEWEST: Final = 30
"""Rolls below which nothing is said of the spread of the numbers: 60 dice, ten of each."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Something counted, what fair dice give on average, and the chance of so much or more extreme,
    both ways counted; None where there is too little to say.
    """

    counted: float
    fair: float
    chance: float | None

    @property
    def one_in(self) -> int | None:
        """Such dice, or stranger, happen once in so many evenings."""
        return None if self.chance is None else max(1, round(1 / max(self.chance, 1e-9)))


@dataclass(frozen=True, slots=True)
class DiceCounts:
    """The dice of a side, a match or an evening. `faces` how often each number fell, 1 to 6."""

    rolls: int
    faces: tuple[int, ...]
    spread: Measure
    """Chi-square of the six counts."""
    doubles: Measure
    pips: Measure
    """Pips a roll, doubles four times."""
    longest_without_double: Measure


def dice_counts(rolls: Sequence[Roll]) -> DiceCounts:
    """The counts of these rolls, in the order in which they fell."""
    faces = tuple(
        sum((roll.high == face) + (roll.low == face) for roll in rolls)
        for face in range(1, FACES + 1)
    )
    count, dice = len(rolls), 2 * len(rolls)
    fair = dice / FACES
    chi = sum((n - fair) ** 2 / fair for n in faces) if dice else 0.0
    doubles = sum(roll.is_double for roll in rolls)
    mean = sum(roll.pips() for roll in rolls) / count if count else 0.0
    dry = longest_run(not roll.is_double for roll in rolls)
    return DiceCounts(
        count,
        faces,
        Measure(chi, FACES - 1, chi_square_chance(chi, FACES - 1) if count >= FEWEST else None),
        Measure(doubles, count * DOUBLE, binomial_chance(doubles, count, DOUBLE)),
        Measure(mean, 49 / 6, _mean_chance(mean, count)),
        Measure(dry, _usual_run(count, 1 - DOUBLE), run_chance(dry, count, 1 - DOUBLE)),
    )


def _mean_chance(mean: float, count: int) -> float | None:
    """The chance of a mean so far from 49/6 or farther: the sum of many rolls is normal enough."""
    if count < FEWEST:
        return None
    spread = math.sqrt(_PIPS_VARIANCE / count)
    return math.erfc(abs(mean - 49 / 6) / (spread * math.sqrt(2)))


_PIPS_VARIANCE: Final = (
    sum(
        ((a + b) * (2 if a == b else 1)) ** 2
        for a, b in itertools.product(range(1, FACES + 1), repeat=2)
    )
    / 36
    - (49 / 6) ** 2
)


def longest_run(holds: Iterable[bool]) -> int:
    """How many in a row it held at most."""
    longest = now = 0
    for one in holds:
        now = now + 1 if one else 0
        longest = max(longest, now)
    return longest


def chi_square_chance(value: float, freedom: int) -> float:
    """The chance that chi-square with an odd number of degrees of freedom is this or more."""
    assert freedom % 2 == 1
    root = math.sqrt(value)
    term = math.sqrt(2 / math.pi) * math.exp(-value / 2) * root
    total = math.erfc(root / math.sqrt(2))
    for k in range(1, (freedom - 1) // 2 + 1):
        total += term
        term *= value / (2 * k + 1)
    return min(1.0, total)


def binomial_chance(hits: int, count: int, chance: float) -> float | None:
    """The exact chance of a number of hits that is no likelier than this one."""
    if not count:
        return None
    logs = [
        math.lgamma(count + 1)
        - math.lgamma(k + 1)
        - math.lgamma(count - k + 1)
        + k * math.log(chance)
        + (count - k) * math.log1p(-chance)
        for k in range(count + 1)
    ]
    return min(1.0, math.fsum(math.exp(x) for x in logs if x <= logs[hits] + 1e-9))


def run_chance(run: int, count: int, chance: float) -> float | None:
    """The exact chance that something of this chance holds so many times in a row, or more."""
    if not count or not run:
        return None
    # without[n]: the chance of no such run among n.
    without = [1.0] * (count + 1)
    for n in range(run, count + 1):
        if n == run:
            without[n] = 1 - chance**run
        else:
            without[n] = without[n - 1] - (1 - chance) * chance**run * without[n - run - 1]
    return min(1.0, max(0.0, 1 - without[count]))


def _usual_run(count: int, chance: float) -> float:
    """The run that half of all series reach."""
    run = 0
    while run < count and (run_chance(run + 1, count, chance) or 0.0) >= 0.5:
        run += 1
    return float(run)

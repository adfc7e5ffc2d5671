"""Chances of dice: beside counting every way that they can fall."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from rules.dice import Roll
from service.report.dice_counts import (
    binomial_chance,
    chi_square_chance,
    dice_counts,
    longest_run,
    run_chance,
)


@pytest.mark.parametrize(
    ("value", "freedom", "chance"),
    [(3.8415, 1, 0.05), (11.0705, 5, 0.05), (15.0863, 5, 0.01), (0.5543, 5, 0.99), (0, 5, 1)],
)
def test_chi_square_is_the_printed_table(value: float, freedom: int, chance: float) -> None:
    assert chi_square_chance(value, freedom) == pytest.approx(chance, abs=2e-5)


@pytest.mark.parametrize("run", range(1, 8))
@pytest.mark.parametrize("count", [1, 5, 11])
def test_runs_beside_every_series(run: int, count: int) -> None:
    chance = 5 / 6
    mean = math.fsum(
        math.prod(chance if hit else 1 - chance for hit in series)
        for series in itertools.product([True, False], repeat=count)
        if longest_run(series) >= run
    )
    assert run_chance(run, count, chance) == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("hits", range(7))
def test_doubles_beside_every_series(hits: int) -> None:
    weight = [math.comb(6, k) * (1 / 6) ** k * (5 / 6) ** (6 - k) for k in range(7)]
    said = math.fsum(w for w in weight if w <= weight[hits] + 1e-12)
    assert binomial_chance(hits, 6, 1 / 6) == pytest.approx(said)


def test_fair_dice_are_rarely_called_rare() -> None:
    """Of 400 evenings of fair dice about one in ten is as rare as one in ten, by each measure."""
    rng = random.Random(4)
    rare = {"spread": 0, "pips": 0}
    for _ in range(400):
        found = dice_counts([Roll.of(rng.randint(1, 6), rng.randint(1, 6)) for _ in range(60)])
        rare["spread"] += (found.spread.chance or 0) <= 0.1
        rare["pips"] += (found.pips.chance or 0) <= 0.1
        assert sum(found.faces) == 120
    assert all(20 <= n <= 62 for n in rare.values()), rare


def test_loaded_dice_are_noticed() -> None:
    rng = random.Random(5)
    faces = [1, 2, 3, 4, 5, 6, 6, 6]
    found = dice_counts([Roll.of(rng.choice(faces), rng.choice(faces)) for _ in range(200)])
    assert found.spread.one_in is not None and found.spread.one_in > 1000


def test_few_dice_say_little() -> None:
    none = dice_counts([])
    assert (none.rolls, none.spread.chance, none.doubles.chance) == (0, None, None)
    few = dice_counts([Roll(6, 6)] * 3)
    assert few.spread.chance is None and few.longest_without_double.counted == 0
    assert few.doubles.one_in == 216

"""The one training loop, taught with a line instead of a network."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from vision.arrays import F64
from vision.train.fit import Plan, cosine, fit, linear, one_cycle


@dataclass
class Line:
    """Learns slope and height of y = a x + b by steps against the squared error."""

    weights: F64 = field(default_factory=lambda: np.zeros(2))
    pace: list[tuple[float, float]] = field(default_factory=list)
    kept: list[F64] = field(default_factory=list)

    def step(self, batch: tuple[F64, F64], rate: float, momentum: float) -> float:
        x, y = batch
        wrong = x @ self.weights - y
        self.weights = self.weights - rate * x.T @ wrong / len(y)
        self.pace.append((rate, momentum))
        return float((wrong**2).mean())

    def save(self) -> None:
        self.kept.append(self.weights.copy())


@dataclass
class Points:
    """Points of y = 3 x - 1, and what was asked of them."""

    rng: np.random.Generator
    line: Line
    refreshed: int = 0

    def batch(self) -> tuple[F64, F64]:
        x = np.c_[self.rng.uniform(-1, 1, 32), np.ones(32)]
        return x, x @ (3.0, -1.0)

    def refresh(self) -> None:
        self.refreshed += 1

    def words(self) -> str:
        return "32 points"

    def figures(self) -> str:
        return f"slope {self.line.weights[0]:.1f}"


@dataclass
class Watch:
    """A second passes whenever it is looked at."""

    now: float = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def taught(plan: Plan) -> tuple[int, Line, Points, list[str]]:
    line, said = Line(), list[str]()
    points = Points(np.random.default_rng(1), line)
    return fit(points, line, plan, Watch(), said.append), line, points, said


def test_a_line_is_learned_in_so_many_steps() -> None:
    steps, line, points, said = taught(Plan(cosine(0.8, 10), steps=400, look_every=100))
    assert steps == 400
    assert np.allclose(line.weights, (3.0, -1.0), atol=0.01)
    assert points.refreshed == 4 and len(line.kept) == 5
    assert np.array_equal(line.kept[-1], line.weights)
    assert [words for words in said if "held out" in words][-1] == "held out: slope 3.0"
    assert "step 400, loss 0.0" in said[-2] and said[-2].endswith("32 points")


def test_the_clock_ends_it_and_says_when_to_look() -> None:
    steps, line, points, _ = taught(Plan(cosine(0.1, 10), minutes=2, look_seconds=20))
    assert 20 < steps < 120
    assert points.refreshed == len(line.kept) - 1 > 2
    rates = [rate for rate, _ in line.pace]
    assert max(rates) <= 0.1 and rates[-1] < 0.02 * max(rates) + 0.003


def test_cosine_rises_then_falls_to_a_fiftieth() -> None:
    pace = cosine(2e-3, 100)
    assert pace(0, 0.0).rate == pytest.approx(2e-5)
    assert pace(99, 0.0).rate == pytest.approx(2e-3)
    assert pace(9999, 1.0).rate == pytest.approx(4e-5)


TORCH = (
    (0.00012, 0.95),
    (0.00297446, 0.85085),
    (0.00277533, 0.85749),
    (0.00240395, 0.86987),
    (0.0019105, 0.88632),
    (0.0013616, 0.90461),
    (0.000831401, 0.92229),
    (0.000391497, 0.93695),
    (0.000101303, 0.94662),
    (1.2e-08, 0.95),
)
"""Rate and first beta of torch.optim.lr_scheduler.OneCycleLR (2.13.0): 3e-3, ten steps, 15 % up."""


def test_one_cycle_as_torch_has_it() -> None:
    pace = one_cycle(3e-3, len(TORCH))
    for step, (rate, momentum) in enumerate(TORCH):
        assert pace(step, 0.0).rate == pytest.approx(rate, rel=1e-4)
        assert pace(step, 0.0).momentum == pytest.approx(momentum, rel=1e-4)


def test_linear_goes_down_in_stairs() -> None:
    pace = linear(1.0, 40, 4)
    stairs = [pace(step, 0.0).rate for step in (0, 9, 10, 20, 39)]
    assert stairs == pytest.approx([1, 1, 0.75, 0.5, 0.25])

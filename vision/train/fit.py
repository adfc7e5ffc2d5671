"""The one training loop of the room: how long, how fast, what is said and when weights are kept.

It knows nothing of torch, of pictures or of networks: a learner takes steps, lessons give batches,
a schedule says how large a step is. What each network adds stands in its own file.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

B = TypeVar("B")
B_in = TypeVar("B_in", contravariant=True)
B_out = TypeVar("B_out", covariant=True)


class Learner(Protocol[B_in]):
    """A network that learns; `learner.TorchLearner` is one."""

    def step(self, batch: B_in, rate: float, momentum: float) -> float:
        """The loss of a batch, after one step against it."""

    def save(self) -> None:
        """Keep the weights as they are now."""


class Lessons(Protocol[B_out]):
    """What a network is taught with."""

    def batch(self) -> B_out:
        """The next examples."""

    def refresh(self) -> None:
        """Take in what has come since."""

    def words(self) -> str:
        """What is worth saying beside the loss, "" for nothing."""

    def figures(self) -> str:
        """How good the network is on what it was not taught with, "" when nobody asks."""


@dataclass(frozen=True, slots=True)
class StepSize:
    """How large one step is: the learning rate, and how much of the last steps goes on in it."""

    rate: float
    momentum: float = 0.9


Schedule = Callable[[int, float], StepSize]
"""Step (from 0) and share of the time passed (0-1) -> pace."""


def cosine(rate: float, warm: int) -> Schedule:
    """Rises over `warm` steps, then falls with the time to a fiftieth."""

    def pace(step: int, passed: float) -> StepSize:
        falling = 0.5 * (1 + math.cos(math.pi * passed)) * 0.98 + 0.02
        return StepSize(rate * min(1, (step + 1) / warm) * falling)

    return pace


def one_cycle(rate: float, steps: int, rising: float = 0.15) -> Schedule:
    """Up from a 25th of `rate` over a share of the steps, down to next to nothing; momentum the
    other way about (Smith and Topin 2018, as torch's OneCycleLR has it).
    """
    top, last = rising * steps - 1, float(steps - 1)

    def between(a: float, b: float, share: float) -> float:
        return b + (a - b) / 2.0 * (1 + math.cos(math.pi * share))

    def pace(step: int, passed: float) -> StepSize:
        if step <= top:
            share = step / top
            return StepSize(between(rate / 25, rate, share), between(0.95, 0.85, share))
        share = (step - top) / (last - top)
        return StepSize(between(rate, rate / 25 / 1e4, share), between(0.85, 0.95, share))

    return pace


def linear(rate: float, steps: int, rounds: int) -> Schedule:
    """Falls to nothing in `rounds` equal stairs."""

    def pace(step: int, passed: float) -> StepSize:
        return StepSize(rate * (1 - step * rounds // steps / rounds))

    return pace


@dataclass(frozen=True, slots=True)
class Plan:
    """How long a network learns and what is done meanwhile.

    `minutes` or `steps` end it, whichever comes first. Every `say_every` steps the loss is said;
    every `look_every` steps or `look_seconds`, whichever comes first, lessons are refreshed,
    figures said and weights kept.
    """

    schedule: Schedule
    minutes: float = math.inf
    steps: float = math.inf
    say_every: int = 100
    look_every: float = math.inf
    look_seconds: float = math.inf


def fit(
    lessons: Lessons[B],
    learner: Learner[B],
    plan: Plan,
    clock: Callable[[], float],
    say: Callable[[str], None],
) -> int:
    """How many steps were taken. `clock`: seconds from anywhere. Weights are kept at the end."""
    began = looked = clock()
    step, running = 0, 0.0
    while step < plan.steps and (minutes := (clock() - began) / 60) < plan.minutes:
        pace = plan.schedule(step, max(minutes / plan.minutes, step / plan.steps))
        value = learner.step(lessons.batch(), pace.rate, pace.momentum)
        running = 0.98 * running + 0.02 * value if step else value
        step += 1
        if step % plan.say_every == 0:
            words = ", ".join(filter(None, [f"loss {running:.3f}", lessons.words()]))
            say(f"{(clock() - began) / 60:.1f} min, step {step}, {words}")
        if step % plan.look_every == 0 or clock() - looked > plan.look_seconds:
            looked = clock()
            lessons.refresh()
            if figures := lessons.figures():
                say(f"held out: {figures}")
            learner.save()
    learner.save()
    return step

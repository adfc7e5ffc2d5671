"""Every network made anew in one run: `python -m vision.train all --data DIR --minutes 480`.

DIR holds folders of rendered stills (`trace` makes them, where Blender's `bpy` is); painted boards
and dice come from here, without end. Two chains of steps run side by side, one a core: the networks
of the board, and those of dice. Each step has its share of the time, its log in DIR/out, and a mark
when it is done, so that the same command goes on where it was stopped. What is made lies in
DIR/out/weights with a card of its data; `python -m vision evaluate FOLDER --measured --weights
DIR/out/weights` says whether it is better, `python -m vision.train install --out DIR/out` ships it.

It needs no torch itself: the steps are processes.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vision.train.data_card import data_card
from vision.train.weights_folder import made_in

SCENES_A_MINUTE: Final = 60.0
"""Scenes full of dice that one core paints and cuts."""
BOARDS_OF_CUBES_A_MINUTE: Final = 90.0
BOARDS_OF_DICE_A_MINUTE: Final = 180.0
"""Boards full of cubes, crowded with dice, that one core paints and cuts."""


@dataclass(frozen=True, slots=True)
class Task:
    """One process of a run: its name, the module and its arguments."""

    name: str
    module: str
    arguments: tuple[str, ...]


Run = Callable[[Task, Path], int]
"""Does a step, its output in a file; gives the exit status."""


def stills_in(data: Path) -> list[Path]:
    """The folders of DIR that hold rendered stills, by name."""
    return sorted({p.parent for p in data.glob("*/*.json") if p.with_suffix(".jpg").exists()})


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a run was asked for, and the arguments that its steps have in common."""

    data: Path
    minutes: float
    seed: int
    stills: tuple[str, ...]

    @property
    def out(self) -> str:
        return str(self.data / "out")

    @property
    def shards(self) -> str:
        return str(self.data / "shards")

    @property
    def seeded(self) -> tuple[str, ...]:
        return ("--seed", str(self.seed), "--out", self.out)

    def seen(self, name: str = "--stills") -> tuple[str, ...]:
        return (name, *self.stills) if self.stills else ()

    def lasting(self, share: float) -> tuple[str, ...]:
        return ("--minutes", f"{self.minutes * share:.1f}", *self.seeded)

    def boards(self, share: float, a_minute: float, least: int = 40) -> tuple[str, ...]:
        return ("--scenes", str(max(least, round(self.minutes * share * a_minute))))

    def cut(self, name: str, share: float, number: int, *how: str) -> Task:
        many = self.boards(share, SCENES_A_MINUTE, 25)
        asked = (self.shards, *many, "--seed", str(self.seed + number), *how, *self.seen())
        return Task(name, "vision.train.dice.shards", asked)


def chains(data: Path, minutes: float, seed: int) -> tuple[tuple[Task, ...], tuple[Task, ...]]:
    """The steps of the board's networks and of the dice's, each chain within the minutes."""
    asked = _Asked(data, minutes, seed, tuple(map(str, stills_in(data))))
    return _board_chain(asked), (*_dice_chain(asked), *_face_chain(asked))


def _board_chain(asked: _Asked) -> tuple[Task, ...]:
    def step(name: str, share: float) -> Task:
        return Task(name, "vision.train", (name, *again(share)))

    def again(share: float) -> tuple[str, ...]:
        return (*scenes, *asked.lasting(share), "--resume")

    scenes = asked.seen("--scenes")
    return (
        Task("orientation", "vision.train", ("orientation", *asked.seeded)),
        step("finder", 0.14),
        step("field", 0.12),
        step("corners", 0.1),
        step("checkers", 0.31),
        Task("export", "vision.train", ("export", *scenes, *asked.seeded)),
        Task("bars", "vision.train", ("bars", *scenes, *asked.lasting(0.04))),
        Task("piles", "vision.train.piles", again(0.14)),
        Task("trays", "vision.train.trays", again(0.1)),
    )


def _dice_chain(asked: _Asked) -> tuple[Task, ...]:
    """What finds dice on a board and reads eleven things of each."""

    def step(network: str, share: float) -> Task:
        how = (asked.shards, "--only", network, *asked.lasting(share), "--resume", asked.out)
        return Task(f"dice-{network}", "vision.train.dice", how)

    rendered = (
        asked.cut("shards-rendered", 0.04, 2, "--as-they-are"),
        asked.cut("shards-rendered-held", 0.01, 5, "--as-they-are", "--held-out"),
    )
    weights = str(asked.data / "out" / "weights")
    return (
        asked.cut("shards", 0.1, 1),
        asked.cut("shards-held", 0.02, 3, "--held-out"),
        *(rendered if asked.stills else ()),
        step("finder", 0.25),
        asked.cut("shards-mined", 0.04, 4, "--mined", "--weights", weights),
        step("reader", 0.22),
        Task("dice-certainty", "vision.train.dice.calibrate", ("--out", asked.out, *asked.seen())),
    )


def _face_chain(asked: _Asked) -> tuple[Task, ...]:
    """What reads one face alone, of dice and of the cube."""
    of_dice, of_cubes = str(asked.data / "die-faces"), str(asked.data / "faces")
    dice = asked.boards(0.03, BOARDS_OF_DICE_A_MINUTE)
    cubes = asked.boards(0.04, BOARDS_OF_CUBES_A_MINUTE)
    seen, out = asked.seen(), ("--out", asked.out)
    return (
        Task("pips", "vision.train.dice.pips", (of_dice, *dice, *seen, *asked.lasting(0.08))),
        Task("lies", "vision.train.dice.lies", (of_dice, *seen, *asked.lasting(0.08))),
        Task("die-weights", "vision.train.dice.die_weights", (*out, *seen)),
        Task("die-certainty", "vision.train.dice.die_certainty", (*out, *seen)),
        Task("cube", "vision.train.dice.cube", (of_cubes, *cubes, *seen, *asked.lasting(0.06))),
        Task("cube-certainty", "vision.train.dice.cube_certainty", out),
    )


def as_process(step: Task, log: Path) -> int:
    """The exit status of a step's process, on one core."""
    with log.open("ab") as output:
        command = [sys.executable, "-m", step.module, *step.arguments]
        done = subprocess.run(  # noqa: S603  # our own modules, our own words
            command, stdout=output, stderr=output, check=False
        )
        return done.returncode


def make_all(
    data: Path, minutes: float, seed: int, say: Callable[[str], None], run: Run = as_process
) -> int:
    """The exit status: 0 when every step is done. Those that an earlier run finished are passed
    over; a chain ends at the first step that fails.
    """
    out = data / "out"
    out.mkdir(parents=True, exist_ok=True)
    weights = made_in(out)
    (weights / "CARD-data.md").write_text(data_card(stills_in(data)))

    def follow(chain: Sequence[Task]) -> int:
        for step in chain:
            done = out / f"{step.name}.done"
            if done.exists():
                say(f"{step.name}: done before")
                continue
            log = out / f"{step.name}.log"
            say(f"{step.name}: begun, {log}")
            if status := run(step, log):
                say(f"{step.name}: failed with {status}; see {log}, then run the same again")
                return status
            done.write_text(" ".join(step.arguments) + "\n")
            say(f"{step.name}: done")
        return 0

    with ThreadPoolExecutor(2) as both:
        return max(both.map(follow, chains(data, minutes, seed)))

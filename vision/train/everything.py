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


def chains(data: Path, minutes: float, seed: int) -> tuple[tuple[Task, ...], tuple[Task, ...]]:
    """The steps of the board's networks and of the dice's, each chain within the minutes."""
    stills, out, shards = stills_in(data), str(data / "out"), str(data / "shards")
    scenes = ("--scenes", *map(str, stills)) if stills else ()
    seen = ("--stills", *map(str, stills)) if stills else ()

    def lasting(share: float) -> tuple[str, ...]:
        return ("--minutes", f"{minutes * share:.1f}", "--seed", str(seed), "--out", out)

    def cut(name: str, share: float, number: int, *how: str) -> Task:
        many = max(25, round(minutes * share * SCENES_A_MINUTE))
        asked = (shards, "--scenes", str(many), "--seed", str(seed + number), *how, *seen)
        return Task(name, "vision.train.dice.shards", asked)

    real = (
        (
            cut("shards-rendered", 0.04, 2, "--as-they-are"),
            cut("shards-rendered-held", 0.01, 5, "--as-they-are", "--held-out"),
        )
        if stills
        else ()
    )
    board = (
        Task("orientation", "vision.train", ("orientation", "--seed", str(seed), "--out", out)),
        Task("finder", "vision.train", ("finder", *scenes, *lasting(0.14), "--resume")),
        Task("field", "vision.train", ("field", *scenes, *lasting(0.12), "--resume")),
        Task("corners", "vision.train", ("corners", *scenes, *lasting(0.1), "--resume")),
        Task("checkers", "vision.train", ("checkers", *scenes, *lasting(0.34), "--resume")),
        Task("export", "vision.train", ("export", *scenes, "--seed", str(seed), "--out", out)),
        Task("piles", "vision.train.piles", (*scenes, *lasting(0.14), "--resume")),
        Task("trays", "vision.train.trays", (*scenes, *lasting(0.1), "--resume")),
    )
    learn = ("--seed", str(seed), "--out", out, "--resume", out)
    dice = (
        cut("shards", 0.1, 1),
        cut("shards-held", 0.02, 3, "--held-out"),
        *real,
        Task(
            "dice-finder",
            "vision.train.dice",
            (shards, "--only", "finder", "--minutes", f"{minutes * 0.25:.1f}", *learn),
        ),
        cut("shards-mined", 0.04, 4, "--mined", "--weights", str(data / "out" / "weights")),
        Task(
            "dice-reader",
            "vision.train.dice",
            (shards, "--only", "reader", "--minutes", f"{minutes * 0.22:.1f}", *learn),
        ),
        Task("dice-certainty", "vision.train.dice.calibrate", ("--out", out, *seen)),
        Task(
            "pips",
            "vision.train.dice.pips",
            (
                str(data / "die-faces"),
                "--scenes",
                str(max(40, round(minutes * 0.03 * BOARDS_OF_DICE_A_MINUTE))),
                *seen,
                *lasting(0.08),
            ),
        ),
        Task("lies", "vision.train.dice.lies", (str(data / "die-faces"), *seen, *lasting(0.08))),
        Task("die-weights", "vision.train.dice.die_weights", ("--out", out, *seen)),
        Task(
            "cube",
            "vision.train.dice.cube",
            (
                str(data / "faces"),
                "--scenes",
                str(max(40, round(minutes * 0.04 * BOARDS_OF_CUBES_A_MINUTE))),
                *seen,
                *lasting(0.06),
            ),
        ),
        Task("cube-certainty", "vision.train.dice.cube_certainty", ("--out", out)),
    )
    return board, dice


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

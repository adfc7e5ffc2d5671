"""What the camera's room would take on a Raspberry Pi 5: an estimate, no measurement.

The instructions of one repetition are counted by valgrind on this machine (x86-64, vectors of up to
256 bits), as the difference of two runs. The Pi's Cortex-A76 has a clock of 2.4 GHz, takes up to
four instructions a cycle and has vectors of 128 bits (Arm, Cortex-A76 Software Optimization Guide).
So between as many instructions, where nothing is a vector, and twice as many, where everything is;
at 2.5 to 1.25 of them a cycle, which is chosen: Python, networks and pictures do not keep four
going. The truth may lie outside where memory is what is waited for.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.synthetic.scene import paint

NEEDS: Final = ("valgrind",)
CLOCK_HZ: Final = 2.4e9
"""Of a Raspberry Pi 5, as its maker publishes it."""
LEAST: Final = (1.0, 2.5)
"""Instructions there for one here, and how many a cycle: at best …"""
MOST: Final = (2.0, 1.25)
"""… and at worst."""
REPEATED: Final = {"loop": 20, "read": 2, "unchanged": 20, "find": 1}
NAMES: Final = {
    "loop": "100,000 rounds of Python",
    "read": "a full read with dice and cube",
    "unchanged": "a frame in which nothing changed",
    "find": "finding the board",
}
START: Final = {
    24: (2, 0),
    13: (5, 0),
    8: (3, 0),
    6: (5, 0),
    1: (0, 2),
    12: (0, 5),
    17: (0, 3),
    19: (0, 5),
}


@dataclass(frozen=True)
class Size:
    """Which parts are counted, with commas between; some five minutes of a core for all."""

    parts: str = "loop,read,unchanged,find"


SMALLEST: Final = Size(parts="loop")


def on_the_pi(instructions: float) -> tuple[float, float]:
    """Milliseconds on one core of a Raspberry Pi 5, at least and at most, as estimated."""
    low, high = (1000 * instructions * more / each / CLOCK_HZ for more, each in (LEAST, MOST))
    return low, high


def instructions_in(said: str) -> int:
    """The number that valgrind's cachegrind prints at its end. Raises ValueError."""
    found = re.search(r"I +refs: +([\d,]+)", said)
    if found is None:
        raise ValueError(f"expected cachegrind's line 'I refs', got {said[-500:]!r}")
    return int(found[1].replace(",", ""))


def counted(folder: Path, part: str, times: int) -> int:
    """The instructions of a whole process that does the part so many times, after once."""
    done = subprocess.run(
        [
            "valgrind",
            "--tool=cachegrind",
            "--cache-sim=no",
            f"--cachegrind-out-file={os.devnull}",
            *command(folder, part, times),
        ],
        env=os.environ | {"PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    return instructions_in(done.stderr)


def command(folder: Path, part: str, times: int) -> list[str]:
    """The words that start the process whose work is counted."""
    return [sys.executable, "-m", "tests.bench._counted", str(folder), part, str(times)]


def here(folder: Path, part: str) -> float:
    """Milliseconds of the part on this machine."""
    words = command(folder, part, REPEATED[part])
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main(size: Size) -> None:
    parts = size.parts.split(",")
    if unknown := [part for part in parts if part not in NAMES]:
        raise ValueError(f"no part {', '.join(unknown)}; there are: {', '.join(NAMES)}")
    print(
        "A Raspberry Pi 5 was not measured. ESTIMATE from instructions counted here: one to two\n"
        f"there for one here, {MOST[1]} to {LEAST[1]} of them a cycle, {CLOCK_HZ / 1e9} GHz, one"
        " core."
    )
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept)
        scene = paint(np.random.default_rng(5), START, size=(1280, 960))
        cv2.imwrite(str(folder / "picture.png"), scene.frame.pixels)
        (folder / "map.json").write_text(scene.board_map.to_json())
        for part in parts:
            times = REPEATED[part]
            each = (counted(folder, part, times + 1) - counted(folder, part, 1)) / times
            low, high = on_the_pi(each)
            print(
                f"{NAMES[part]:34} {each / 1e6:8.1f} million instructions"
                f" {here(folder, part):7.1f} ms here, estimated {low:.1f} to {high:.1f} ms",
                flush=True,
            )

"""How long the command and the parent of the family take to start, and what they weigh."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Final

MODULES = ("service.cli", "service.appliance.run")


@dataclass(frozen=True)
class Size:
    """How often each module is started."""

    starts: int = 20


SMALLEST: Final = Size(starts=1)


def started(module: str) -> tuple[float, int]:
    """Seconds until `--help` was printed, and kilobytes at most."""
    began = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", module, "--help"], stdout=subprocess.DEVNULL, env=os.environ
    )
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return time.perf_counter() - began, usage.ru_maxrss


def main(size: Size) -> None:
    for module in MODULES:
        runs = [started(module) for _ in range(size.starts)]
        seconds = sorted(took for took, _ in runs)
        print(
            f"{module} --help: median {statistics.median(seconds):.3f} s, best {seconds[0]:.3f} s,"
            f" {max(size for _, size in runs) / 1024:.1f} MB"
        )

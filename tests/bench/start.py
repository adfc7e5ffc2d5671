"""How long the command and the parent of the family take to start, and what they weigh."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time

STARTS = 20
MODULES = ("service.cli", "service.appliance.run")


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


def main() -> None:
    for module in MODULES:
        runs = [started(module) for _ in range(STARTS)]
        seconds = sorted(took for took, _ in runs)
        print(
            f"{module} --help: median {statistics.median(seconds):.3f} s, best {seconds[0]:.3f} s,"
            f" {max(size for _, size in runs) / 1024:.1f} MB"
        )


if __name__ == "__main__":
    main()

"""What one table costs: the demo recording through the whole house, in CPU seconds for each recorded second; memory; bytes kept."""

from __future__ import annotations

import os
import resource
import tempfile
import time
from pathlib import Path

from service.demo_table import FOLDER
from service.recording import Recording
from service.replay import replayed


def main() -> None:
    found = Recording(FOLDER)
    for camera, board in ((True, True), (True, False), (False, True)):
        with tempfile.TemporaryDirectory() as room:
            journal = Path(room) / "journal"
            cpu, wall = time.process_time(), time.perf_counter()
            end = replayed(found, journal, camera, board)
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            size = sum(p.stat().st_size for p in Path(room).iterdir())
        what = "+".join(name for name, used in (("camera", camera), ("board", board)) if used)
        share = cpu / found.length
        took = f"{cpu:.1f} CPU s, {wall:.1f} s for {found.length:.0f} s"
        print(f"{what:<13} {share:6.1%} of one core ({took}), {len(end.plays)} plays, {size} bytes")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory at its peak {peak:.0f} MiB; {os.cpu_count()} cores here")


if __name__ == "__main__":
    main()

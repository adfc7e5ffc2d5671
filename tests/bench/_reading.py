"""`python -m tests.bench._reading FILE`: seconds, MB at the highest and what was said of reading
one match file in this process.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rules.notation.convert import read_file
from rules.notation.errors import NotationError


def measured(path: Path) -> str:
    """`seconds megabytes what was said`."""
    data = path.read_bytes()
    began = time.process_time()
    try:
        record = read_file(data, path.name)
        said = f"read, {len(record.actions)} actions"
    except NotationError as error:
        said = str(error)[:70]
    took = time.process_time() - began
    highest = Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]
    return f"{took:.2f} {int(highest) / 1000:.0f} {said}"


if __name__ == "__main__":
    print(measured(Path(sys.argv[1])))

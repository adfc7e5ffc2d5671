"""`python -m tests.bench` runs every room's benchmark, `python -m tests.bench rules` one: each file
here has a `main()`.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path


def main(names: list[str]) -> int:
    known = sorted(p.stem for p in Path(__file__).parent.glob("*.py") if not p.stem.startswith("_"))
    unknown = [name for name in names if name not in known]
    if unknown:
        print(
            f"no benchmark named {', '.join(unknown)}; there are: {', '.join(known)}",
            file=sys.stderr,
        )
        return 2
    for name in names or known:
        print(f"== {name}", flush=True)
        importlib.import_module(f"tests.bench.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

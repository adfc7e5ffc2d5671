"""`python -m tests.bench` runs every room's benchmark, `python -m tests.bench rules` one.

Each file here has a frozen `Size`, whose defaults are the full size; `SMALLEST`, at which it takes
a few seconds; and `main(size)`. `--smallest` takes that size, and `name=value` sets one figure of
it: `python -m tests.bench hall seconds=120`. `NEEDS` names programs that are not Python's.
"""

from __future__ import annotations

import dataclasses
import importlib
import os
import shutil
import sys
from pathlib import Path
from types import ModuleType

PARTS = sorted(
    path.stem
    for path in Path(__file__).parent.glob("*.py")
    if not path.stem.startswith(("_", "test_"))
)


def main(words: list[str]) -> int:
    names = [word for word in words if "=" not in word and word != "--smallest"]
    figures = dict(word.split("=", 1) for word in words if "=" in word)
    if unknown := [name for name in names if name not in PARTS]:
        return refused(f"no benchmark named {', '.join(unknown)}; there are: {', '.join(PARTS)}")
    for name in names or PARTS:
        print(f"== {name}", flush=True)
        part = importlib.import_module(f"tests.bench.{name}")
        if missing := [p for p in getattr(part, "NEEDS", ()) if not is_here(p)]:
            return refused(f"{name} needs {', '.join(missing)}: run scripts/system-packages test")
        try:
            size = size_of(part, "--smallest" in words, figures)
        except ValueError as error:
            return refused(f"{name}: {error}")
        part.main(size)
    return 0


def size_of(part: ModuleType, smallest: bool, figures: dict[str, str]) -> object:
    """The part's size with these figures set. Raises ValueError for a figure that it has not."""
    size = part.SMALLEST if smallest else part.Size()
    known = {field.name: type(getattr(size, field.name)) for field in dataclasses.fields(size)}
    for name, text in figures.items():
        if name not in known:
            raise ValueError(f"no figure named {name}; there are: {', '.join(known)}")
        size = dataclasses.replace(size, **{name: known[name](text)})
    return size


def is_here(program: str) -> bool:
    """Whether a program can be started; servers lie where a user's path does not lead."""
    return shutil.which(program, path=f"{os.environ.get('PATH', '')}:/usr/sbin") is not None


def refused(why: str) -> int:
    print(why, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

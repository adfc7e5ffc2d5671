"""`python -m rules successors | judge | perft`: JSON lines on standard input, one line answered by
one line.

`python -m rules perft FILE ...` counts the cases of perft files instead and shows where a count is
wrong.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from rules.perft import read_cases
from rules.pipe import COMMANDS, LONGEST_LINE, reply_to


def main(argv: list[str]) -> int:
    command, *files = argv or [""]
    if command not in COMMANDS or (files and command != "perft"):
        print(
            f"usage: python -m rules {' | '.join(COMMANDS)}  (JSON lines on standard input), or"
            " perft FILE ...",
            file=sys.stderr,
        )
        return 2
    if files:
        return _count(files)
    try:
        _serve(command)
    except BrokenPipeError:
        # Whoever read us has gone; there is nobody left to tell. Python would complain once more
        # when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    return 0


def _serve(command: str) -> None:
    source, target = sys.stdin.buffer, sys.stdout
    while line := source.readline(LONGEST_LINE + 2):
        whole = line.endswith(b"\n")
        if not whole and len(line) > LONGEST_LINE:
            # Read past the rest of a line that is too long, without keeping it.
            while (rest := source.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
        target.write(reply_to(command, line.rstrip(b"\r\n") if whole else line) + "\n")
        target.flush()


def _count(files: list[str]) -> int:
    wrong = 0
    for name in files:
        try:
            cases = list(read_cases(Path(name).read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            print(f"{name}: {error}", file=sys.stderr)
            return 2
        for case in cases:
            counted = case.counted()
            if counted != case.count:
                wrong += 1
                print(f"{name}:{case.line}: expected {case.count}, counted {counted}")
                for what, count in case.split().items():
                    print(f"    {what}: {count}")
        print(f"{name}: {len(cases)} cases, {wrong} wrong so far")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

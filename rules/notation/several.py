"""One match out of a .mat file that holds several."""

from __future__ import annotations

from rules.notation.errors import LONGEST_LINE, NotationError
from rules.notation.mathead import LENGTH_ROW


def nth_match(text: str, number: int) -> str:
    """The text with one of its matches alone, counted from 1, each row where it stood before.

    Raises NotationError where the file has fewer.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    starts = []
    for at, line in enumerate(lines):
        if line and len(line) <= LONGEST_LINE and LENGTH_ROW.match(line):
            first = at
            # Its tags and remarks stand above it.
            while first and (not lines[first - 1].strip() or lines[first - 1].lstrip()[0] == ";"):
                first -= 1
            starts.append(first)
    if not 1 <= number <= len(starts):
        raise NotationError(f"match {number} was asked for, of {len(starts)} in this file")
    begin, end = ([*starts, len(lines)])[number - 1 : number + 1]
    return "\n".join(line if begin <= at < end else "" for at, line in enumerate(lines[:end]))

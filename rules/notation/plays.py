"""Plays read from text: `13/8*(2)`, `bar/22/16*`, `6/off`, and `no play`."""

from __future__ import annotations

import itertools
import re

from rules.board import BAR, OFF
from rules.move import NO_PLAY
from rules.notation.errors import NotationError

_ONE = re.compile(
    r"(?P<stops>(?:bar|off|\d{1,2})(?:\*?[-/](?:bar|off|\d{1,2}))+)"
    r"\*?(?:\((?P<count>\d{1,2})\))?\*?[!?]{0,3}",
    re.IGNORECASE,
)
_NOTHING = frozenset(
    (
        *("", NO_PLAY, "(no play)", "no move", "(no move)", "cannot move", "can't move"),
        *("can not move", "cant move", "dance", "dances", "-", "--"),
    )
)
"""How a turn in which nothing moved is written."""
_MARKS = re.compile(r"[!?]{1,3}")
"""What somebody thought of a play."""


def read_play(text: str, line: int = 0, column: int = 0) -> list[tuple[int, int]]:
    """The (source, target) pairs of a play in the mover's numbering, in order; hits are for the
    board to say.

    `no play`, `Cannot Move` and nothing at all are no pairs; `?!` is passed over. Raises
    NotationError with the place (`column` is that of the text).
    """
    found: list[tuple[int, int]] = []
    if text.strip().lower() in _NOTHING:
        return found
    for token in re.finditer(r"[^\s,]+", text):
        if _MARKS.fullmatch(token[0]):
            continue
        one = _ONE.fullmatch(token[0])
        at = column + token.start()
        if one is None:
            raise NotationError(
                f"a move such as 13/8, bar/20* or 6/off(2) was expected, got {token[0][:40]!r}",
                line,
                at,
            )
        if token[0] == "0/0":
            # A die with nothing left to move: the last checker is off.
            continue
        stops = [_number(stop.strip("*")) for stop in re.split("[-/]", one["stops"])]
        if max(stops) > BAR or len(stops) > 5:
            raise NotationError(f"points are 1 to 24, got {token[0][:40]!r}", line, at)
        if stops[-1] == BAR:
            raise NotationError(f"no checker moves to the bar, got {token[0][:40]!r}", line, at)
        count = int(one["count"] or 1)
        if not 1 <= count <= 4:
            raise NotationError(f"a move is made 1 to 4 times, got {token[0][:40]!r}", line, at)
        found.extend(list(itertools.pairwise(stops)) * count)
    return found


def _number(stop: str) -> int:
    return {"bar": BAR, "off": OFF}.get(stop.lower(), -1) if stop[0].isalpha() else int(stop)

"""Plays as text: `13/8*(2)`, `bar/22/16*`, `6/off`, and `no play`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from rules.board import BAR, OFF
from rules.notation.errors import NotationError

if TYPE_CHECKING:
    from rules.play import Move

NO_PLAY: Final = "no play"
_ONE = re.compile(
    r"(?P<stops>(?:bar|off|\d{1,2})(?:\*?/(?:bar|off|\d{1,2}))+)\*?(?:\((?P<count>\d{1,2})\))?\*?",
    re.IGNORECASE,
)


def write_play(moves: Iterable[Move]) -> str:
    """Moves in standard notation: one checker's moves run together, hits starred, equal ones
    counted.
    """
    chains: list[list[tuple[int, bool]]] = []
    for move in sorted(moves, key=lambda m: -m.source):
        chain = next((c for c in chains if c[-1][0] == move.source), None)
        if chain is None:
            chain = [(move.source, False)]
            chains.append(chain)
        chain.append((move.target, move.hit))
    counts: dict[str, tuple[int, bool]] = {}
    for chain in chains:
        # A stop on the way is said only where it hits.
        way = [chain[0], *(stop for stop in chain[1:-1] if stop[1])]
        text = "/".join(_site(site) + "*" * hit for site, hit in way) + "/" + _site(chain[-1][0])
        count, was = counts.get(text, (0, False))
        counts[text] = (count + 1, was or chain[-1][1])
    return (
        " ".join(
            text + "*" * hit + (f"({n})" if n > 1 else "") for text, (n, hit) in counts.items()
        )
        or NO_PLAY
    )


def write_moves(moves: Iterable[Move]) -> str:
    """Each move by itself, as match files want them: `24/18* 18/14`."""
    return " ".join(f"{_site(m.source)}/{_site(m.target)}{'*' * m.hit}" for m in moves)


def _site(site: int) -> str:
    return "bar" if site == BAR else "off" if site == OFF else str(site)


def read_play(text: str, line: int = 0, column: int = 0) -> list[tuple[int, int]]:
    """The (source, target) pairs of a play in the mover's numbering, in order; hits are for the
    board to say.

    `no play`, `Cannot Move` and nothing at all are no pairs. Raises NotationError with the place
    (`column` is that of the text).
    """
    found: list[tuple[int, int]] = []
    if text.strip().lower() in ("", NO_PLAY, "cannot move", "(no play)"):
        return found
    for token in re.finditer(r"\S+", text):
        one = _ONE.fullmatch(token[0])
        at = column + token.start()
        if one is None:
            raise NotationError(
                f"a move such as 13/8, bar/20* or 6/off(2) was expected, got {token[0][:40]!r}",
                line,
                at,
            )
        stops = [_number(stop.strip("*")) for stop in one["stops"].split("/")]
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

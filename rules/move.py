"""A move: one checker by one die; and how moves are written: `13/8*(2)`, `bar/22/16*`, `6/off`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rules.board import BAR, OFF

NO_PLAY: Final = "no play"


@dataclass(frozen=True, slots=True)
class Move:
    """One checker by one die, in the mover's numbering: 25 is the bar, 0 off."""

    source: int
    target: int
    hit: bool = False


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

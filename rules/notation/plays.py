"""Plays as text: `13/8*(2)`, `bar/22/16*`, `6/off`, and `no play`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rules.board import BAR, OFF

if TYPE_CHECKING:
    from rules.play import Move

NO_PLAY = "no play"


def write_play(moves: Iterable[Move]) -> str:
    """Moves in standard notation: one checker's moves run together, hits starred, equal ones counted."""
    chains: list[list[tuple[int, bool]]] = []
    for move in sorted(moves, key=lambda m: -m.source):
        chain = next((c for c in chains if c[-1][0] == move.source), None)
        if chain is None:
            chain = [(move.source, False)]
            chains.append(chain)
        chain.append((move.target, move.hit))
    texts: list[tuple[str, bool]] = []
    for chain in chains:
        # A stop on the way is said only where it hits.
        kept = [chain[0], *(stop for stop in chain[1:-1] if stop[1]), chain[-1]]
        texts.append(("/".join(_site(site) + ("*" if hit else "") for site, hit in kept[:-1]) + "/" + _site(kept[-1][0]), kept[-1][1]))
    counts: dict[str, tuple[int, bool]] = {}
    for text, hit in texts:
        count, was = counts.get(text, (0, False))
        counts[text] = (count + 1, was or hit)
    return " ".join(text + "*" * hit + (f"({n})" if n > 1 else "") for text, (n, hit) in counts.items()) or NO_PLAY


def _site(site: int) -> str:
    return "bar" if site == BAR else "off" if site == OFF else str(site)

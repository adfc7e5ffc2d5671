"""A told story, as data, and the truth of what happened in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rules.board import Placement, Side
from rules.dice import Roll


@dataclass(frozen=True)
class Story:
    """A story of a stories file, its fields as they stand there.

    `waits`: the sensors (both, camera) with which the table may wait for a person in the end,
    having said so; `unsaid`: those with which an illegal play may pass without a word, because
    what was seen is what is seen of a legal turn; `unasked`: those with which nobody is asked
    anything about the checkers.
    """

    name: str
    tells: str
    lines: str
    source: str = "own"
    ruleset: str = "backgammon"
    length: int = 7
    clock: str = "none"
    event: Mapping[str, Any] = field(default_factory=dict)
    first: str = "W"
    open: bool = False
    """Begins with the opening throw, not with the first side on roll."""
    waits: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()


@dataclass(frozen=True)
class TruePlay:
    """A turn as it truly was. `stands`: what may be said to stand there after it: with and without
    what somebody shifted unnoticed; `wrong_at`: since when it stood there against the rules.
    """

    side: Side
    roll: Roll | None
    stands: tuple[Placement, ...]
    began: float
    ended: float
    wrong_at: float | None = None


@dataclass
class Truth:
    """Everything that really happened, with its time."""

    throws: list[tuple[float, Side, Roll]] = field(default_factory=list)
    openings: list[tuple[int, int]] = field(default_factory=list)
    plays: list[TruePlay] = field(default_factory=list)
    cube: list[tuple[str, Side]] = field(default_factory=list)
    winners: list[Side] = field(default_factory=list)
    slow: set[Side] = field(default_factory=set)
    put_right: list[tuple[Side, float]] = field(default_factory=list)
    """Illegal plays that did not stay: whose, and since when they stood."""
    refused: list[str] = field(default_factory=list)
    """What the table would not take of what a player did."""
    said: list[float] = field(default_factory=list)
    """When somebody typed a play or position in that was not so."""

"""SGF as a tree: nodes of properties, the main line of every game of a file. Bounded in nesting,
nodes and values.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from rules.notation.errors import DEEPEST, LONGEST, NotationError

MOST_NODES: Final = 60_000
MOST_VALUES: Final = 500
"""Values of one node; a node that sets the board up has 30 and gnubg's analysis some 100."""
_STOP: Final = re.compile(r"[\]\\]")
_IDENT: Final = re.compile(r"[A-Za-z]{1,8}")


@dataclass(frozen=True)
class Node:
    """The properties of a node, values unescaped, and where it begins."""

    properties: Mapping[str, tuple[str, ...]]
    line: int
    column: int

    def one(self, key: str, otherwise: str = "") -> str:
        return self.properties.get(key, (otherwise,))[0]


@dataclass
class _Cursor:
    text: str
    at: int = 0
    depth: int = 0
    nodes: int = 0
    games: list[list[Node]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    """Where each line begins."""

    def __post_init__(self) -> None:
        self.starts = [0, *(match.end() for match in re.finditer("\n", self.text))]

    def place(self, at: int | None = None) -> tuple[int, int]:
        at = self.at if at is None else at
        line = bisect.bisect_right(self.starts, at)
        return line, at - self.starts[line - 1] + 1


def parse_sgf(text: str) -> list[list[Node]]:
    """The main line of every game tree.

    Raises NotationError with line and column; nesting and length are bounded.
    """
    if len(text) > LONGEST:
        raise NotationError(f"{len(text)} characters are no match; {LONGEST} at most")
    c = _Cursor(text.lstrip("\ufeff"))
    text = c.text
    # How many trees lie open, and at which depth a second tree began: everything in there is a
    # variation.
    beside = 0
    closed_at = 0
    while c.at < len(text):
        letter = text[c.at]
        if letter == "(":
            c.depth += 1
            if c.depth > DEEPEST:
                raise NotationError(
                    f"more than {DEEPEST} variations lie in one another", *c.place()
                )
            if c.depth == 1:
                c.games.append([])
                beside = 0
            elif not beside and closed_at >= c.depth:
                beside = c.depth
            closed_at = 0
            c.at += 1
        elif letter == ")":
            if not c.depth:
                raise NotationError("a bracket closes that was never opened", *c.place())
            if beside == c.depth:
                beside = 0
            closed_at = c.depth
            c.depth -= 1
            c.at += 1
        elif letter == ";":
            if not c.depth:
                raise NotationError("a node stands outside any game", *c.place())
            c.nodes += 1
            if c.nodes > MOST_NODES:
                raise NotationError(f"more than {MOST_NODES} nodes are no match", *c.place())
            node = _node(c)
            if not beside:
                c.games[-1].append(node)
        elif letter.isspace():
            c.at += 1
        elif not c.depth and not c.games:
            # FF[4] lets text stand before the first game.
            c.at += 1
        else:
            raise NotationError(f"`(`, `)` or `;` was expected, got {letter!r}", *c.place())
    if c.depth:
        raise NotationError("the file ends inside a game", *c.place(len(text)))
    return c.games


def _node(c: _Cursor) -> Node:
    text, start = c.text, c.at
    c.at += 1
    found: dict[str, list[str]] = {}
    left = MOST_VALUES
    while True:
        while c.at < len(text) and text[c.at].isspace():
            c.at += 1
        ident = _IDENT.match(text, c.at)
        if ident is None:
            return Node({key: tuple(values) for key, values in found.items()}, *c.place(start))
        c.at = ident.end()
        key = "".join(ch for ch in ident[0] if ch.isupper()) or ident[0].upper()
        values: list[str] = []
        while True:
            while c.at < len(text) and text[c.at].isspace():
                c.at += 1
            if c.at >= len(text) or text[c.at] != "[":
                break
            left -= 1
            if left < 0:
                raise NotationError(f"more than {MOST_VALUES} values are no node", *c.place(start))
            values.append(_value(c))
        if not values:
            raise NotationError(f"property {ident[0]} has no value", *c.place(ident.start()))
        found.setdefault(key, []).extend(values)


def _value(c: _Cursor) -> str:
    start = c.at
    c.at += 1
    parts: list[str] = []
    while True:
        end = _STOP.search(c.text, c.at)
        if end is None:
            raise NotationError("a value is never closed with `]`", *c.place(start))
        parts.append(c.text[c.at : end.start()])
        c.at = end.end()
        if end[0] == "]":
            return "".join(parts)
        # A backslash keeps the next letter as it is, and swallows the end of a line.
        following = c.text[c.at : c.at + 1]
        parts.append("" if following == "\n" else following)
        c.at += 1

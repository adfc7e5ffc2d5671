"""A board drawn with letters, White `X` and Black `O`, seen by White."""

from __future__ import annotations

from typing import Final

from rules.board import BAR, OFF, Placement

_DEPTH: Final = 5


def draw_position(placement: Placement) -> str:
    """The absolute board, White's point numbers around it, at most five checkers deep (a number
    says how many lie deeper).
    """
    top, bottom = range(13, 25), range(12, 0, -1)
    lines = [_numbers(top)]
    lines += [_row(placement, top, depth) for depth in range(_DEPTH)]
    lines.append("|" + " " * 18 + "|BAR|" + " " * 18 + "|" + _beside(placement))
    lines += [_row(placement, bottom, depth) for depth in reversed(range(_DEPTH))]
    lines.append(_numbers(bottom))
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _numbers(points: range) -> str:
    named = [f"{p:2d}-".replace(" ", "-") for p in points]
    return "+" + "".join(named[:6]) + "+---+" + "".join(named[6:]) + "+"


def _row(placement: Placement, points: range, depth: int) -> str:
    cells = [_cell(placement.white[p], placement.black[p], depth) for p in points]
    bar = _cell(
        placement.white[BAR] if points[0] == 13 else 0,
        placement.black[BAR] if points[0] == 12 else 0,
        depth,
    )
    return "|" + "".join(cells[:6]) + "|" + bar + "|" + "".join(cells[6:]) + "|"


def _cell(white: int, black: int, depth: int) -> str:
    count = white + black
    if depth >= count:
        return "   "
    letter = "X" if depth < white else "O"
    return f"{count:^3d}" if depth == _DEPTH - 1 and count > _DEPTH else f" {letter} "


def _beside(placement: Placement) -> str:
    off = [
        f"{letter} off {n}"
        for letter, n in (("X", placement.white[OFF]), ("O", placement.black[OFF]))
        if n
    ]
    return "  " + ", ".join(off) if off else ""

"""Boards that a .mat file tells instead of plays, as eXtreme Gammon and gnubg write them. Pure.

`; Set Pos=-b----E-C---eE---c-e----B-/0` sets a board up: an XGID's 26 letters, capitals the left
player's, and the cube, a power of two, negative where the left player owns it. A play that the
writer could not spell is `64: Illegal play (3;0;1;0;0;NAME;NAME;0;0;0;1;0;...)`: the length of the
match, four numbers, both names, four numbers on score and cube, and from the thirteenth on the
board after the play: the second name's bar, the points 1 to 24 as the first name numbers them, the
first name's bar; the first's checkers are positive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from rules.board import BAR, POINTS, Placement, Side
from rules.cube import Cube
from rules.notation.errors import NotationError
from rules.notation.matwords import TOLD, TOLD_UP_TO
from rules.notation.xgid import placement_of_letters

_SET_UP: Final = re.compile(r"\s*;\s*Set\s?Pos\s*=\s*([-A-Oa-o]{26})(?:/(-?)(\d))?\s*", re.I)
_TURN: Final = 4
_NAME: Final = 5
_BOARD: Final = 12
"""Where in such a list the turn, the names and the board begin."""


def board_set_up(line: str, cube: Cube, checkers: int) -> tuple[Placement, Cube] | None:
    """The board and the cube that a row `; Set Pos=` sets up, the cube as it is where the row does
    not say; None where the row is in no form that is known.
    """
    found = _SET_UP.fullmatch(line)
    if found is None:
        return None
    try:
        placement = placement_of_letters(found[1], checkers)
    except NotationError:
        return None
    if found[3] is None:
        return placement, cube
    power = int(found[3])
    owner = None if not power else Side.WHITE if found[2] else Side.BLACK
    return placement, replace(cube, value=1 << power, owner=owner, turned=power > 0)


def board_after_illegal(cell: str, names: Mapping[Side, str], checkers: int) -> Placement | None:
    """The board that a cell tells after `Illegal play`; None where it tells none that can be."""
    # A player's name may hold brackets too.
    said = [part.strip() for part in cell[cell.find("(") + 1 : cell.rfind(")")].split(";")]
    try:
        numbers = [int(part) for part in said[_BOARD : _BOARD + 26]]
    except ValueError:
        return None
    if len(numbers) < 26 or numbers[0] > 0 or numbers[25] < 0:
        return None
    first = _first(said, names)
    counts = {first: [0] * 26, first.other: [0] * 26}
    counts[first][BAR], counts[first.other][BAR] = numbers[25], -numbers[0]
    for point in POINTS:
        site = point if first is Side.WHITE else 25 - point
        counts[first if numbers[point] > 0 else first.other][site] = abs(numbers[point])
    for one in counts.values():
        one[0] = checkers - sum(one)
        if one[0] < 0:
            return None
    return Placement(tuple(counts[Side.WHITE]), tuple(counts[Side.BLACK]))


def _first(said: Sequence[str], names: Mapping[Side, str]) -> Side:
    """The side whose name stands first; where neither does, as gnubg takes it: the right player
    unless the turn is 1.
    """
    for side in Side:
        if said[_NAME] == names[side] != names[side.other]:
            return side
    return Side.WHITE if said[_TURN] == "1" else Side.BLACK


def without_boards(line: str) -> str:
    """A row with blanks for what boards that are told in its cells say: names and numbers of theirs
    are no cells.
    """
    at = 0
    for _ in Side:
        begun = TOLD.search(line, at)
        ended = None if begun is None else TOLD_UP_TO.search(line, begun.end())
        if begun is None or ended is None:
            break
        at = ended.end()
        line = line[: begun.end()] + "." * (at - begun.end()) + line[at:]
    return line

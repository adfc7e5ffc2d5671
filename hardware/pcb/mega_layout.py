"""The Mega's main board: it sits on the Mega, whose pins it takes by four rows from below; where
its parts lie. The Mega's USB plug and jack stay free at the left, the ribbons leave below.

Three rows of the Mega's stay empty, the power row first of all: nothing may ever feed it there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pcbnew
from hand_soldered import Places, frame, socket, solder
from layout import Board

WIDTH, DEPTH = 109.22, 107.95
CORNER: Final = (-15.24, 73.66)
"""Of the Mega, lower left, by the jack: this board begins where plug and jack end."""
PLACES: Final[Places] = {
    "A1": (*CORNER, 0),
    "J10": (10.16, 6.35, 90),
    "J5": (30.48, 6.35, 90),
    "C2": (25.4, 13.97, 180),
    "R20": (5.08, 13.97, 0),
    "R21": (5.08, 17.78, 0),
    "R22": (29.21, 13.97, 0),
    "J12": (43.18, 6.35, 90),
    "J6": (53.34, 6.35, 90),
    "J7": (72.39, 6.35, 90),
    "R23": (40.64, 13.97, 0),
    "R24": (40.64, 17.78, 0),
    "Q1": (53.34, 14.605, 0),
    "Q2": (72.39, 14.605, 0),
    "J11": (101.6, 17.78, 0),
    "J8": (101.6, 43.18, 0),
    "J9": (101.6, 60.96, 0),
    **{f"R{10 + k}": (31.75 + 3.81 * k, 88.9, 90) for k in range(8)},
    **{f"R{1 + k}": (66.04 + 3.81 * k, 81.28, 270) for k in range(5)},
    "R6": (88.9, 81.28, 270),
    **{f"J{1 + k}": (15.24 + 22.86 * k, 100.33, 90) for k in range(4)},
}


def pins() -> Iterator[tuple[int, float, float]]:
    """The Mega's pins that this board has holes for, by the netlist's numbers: D0 is 1000, A0 2000,
    AREF 3000, ground from 3001. From its lower left corner, y down.
    """
    digital, analogue = -50.8, -2.54
    # Between 8 and 7 the Mega leaves 160 mil instead of 100.
    for k, pin in enumerate((3000, 3001, *range(1013, 1007, -1))):
        yield pin, 23.876 + 2.54 * k, digital
    for k, pin in enumerate(range(1007, 999, -1)):
        yield pin, 45.72 + 2.54 * k, digital
    for k in range(8):
        yield 2000 + k, 50.8 + 2.54 * k, analogue
    for k, pin in enumerate((*range(1022, 1054), 3002, 3003)):
        yield pin, 93.98 + 2.54 * (k % 2), -48.26 + 2.54 * (k // 2)


def mega_footprint(board: pcbnew.BOARD) -> pcbnew.FOOTPRINT:
    """Three rows of eight and one of 34, soldered from above; its edges drawn below."""
    part = socket(board, "mega", pins(), square=3000)
    left = 1 - CORNER[0]
    frame(part, (left, -53.34), (101.6, 0), pcbnew.B_SilkS)
    part.Reference().SetPosition(pcbnew.wxPointMM(53, -29))
    part.Value().SetPosition(pcbnew.wxPointMM(53, -26))
    part.Value().SetLayer(pcbnew.F_SilkS)
    return part


def main_board(board: Board) -> None:
    """Every part and track."""
    board.own["mega"] = mega_footprint
    solder(board, PLACES, WIDTH, DEPTH)

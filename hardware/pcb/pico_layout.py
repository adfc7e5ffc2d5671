"""The Pico's main board: where its parts lie. The Pico's USB plug looks over the upper edge, the
ribbons leave below.
"""

from __future__ import annotations

from typing import Final

import pcbnew
from hand_soldered import Places, frame, socket, solder
from layout import Board

WIDTH, DEPTH = 114.3, 107.95
PLACES: Final[Places] = {
    "A1": (45.72, 7.62, 0),
    **{f"R{1 + k}": (40.64, 12.7 + 3.81 * k, 180) for k in range(5)},
    **{f"R{7 + k}": (40.64, 31.75 + 3.81 * k, 180) for k in range(3)},
    **{f"R{23 + k}": (40.64, 43.18 + 3.81 * k, 180) for k in range(2)},
    "R6": (31.75, 64.77, 180),
    **{f"R{10 + k}": (34.29 + 3.81 * k, 86.36, 90) for k in range(8)},
    "R22": (20.32, 27.94, 180),
    "U1": (40.64, 72.39, 90),
    "U2": (12.7, 8.89, 0),
    "C1": (62.23, 66.04, 0),
    "C2": (14.605, 36.83, 0),
    "C3": (82.55, 66.04, 0),
    "C4": (25.4, 8.89, 0),
    "Q1": (20.32, 46.99, 0),
    "Q2": (20.32, 57.15, 0),
    **{f"J{1 + k}": (15.24 + 24.13 * k, 100.33, 90) for k in range(4)},
    "J5": (5.08, 11.43, 0),
    "J10": (5.08, 24.13, 0),
    "J6": (5.08, 45.72, 0),
    "J7": (5.08, 59.69, 0),
    "J11": (109.22, 11.43, 0),
    "J8": (109.22, 31.75, 0),
    "J9": (109.22, 46.99, 0),
    "J12": (109.22, 62.23, 0),
}


def pico_footprint(board: pcbnew.BOARD) -> pcbnew.FOOTPRINT:
    """Two rows of twenty holes 17.78 mm apart, pin 1 upper left and pin 40 beside it."""
    rows = [(pin, 0, 2.54 * (pin - 1)) for pin in range(1, 21)]
    rows += [(pin, 17.78, 2.54 * (40 - pin)) for pin in range(21, 41)]
    part = socket(board, "pico", rows, square=1)
    # The Pico is 51 by 21 mm, its holes 1.37 mm from its upper edge and 1.61 from its sides.
    frame(part, (-1.61, -1.37), (17.78 + 1.61, 49.63), pcbnew.F_SilkS)
    part.Reference().SetPosition(pcbnew.wxPointMM(8.89, 24))
    return part


def pico_board(board: Board) -> None:
    """Every part and track."""
    board.own["pico"] = pico_footprint
    solder(board, PLACES, WIDTH, DEPTH)

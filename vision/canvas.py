"""The canvas: a board straightened onto one fixed grid, whatever its proportions, so that a network
finds each point at its own pixels.

    |<- 40 ->|<- six points of 16 ->|<- bar, 16 ->|<- six points of 16 ->|<- 40 ->|      288 columns
    rail, 8 rows; the field, 176 rows; rail, 8 rows                                      192 rows

The bar is stretched or squeezed to 16 columns, the field's length to 176 rows; the margins hold
trays or table. It is taken at the height of a checker's top and shows the board as the picture
does: its first row of points is the one at the picture's top.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.arrays import F32, F64, Pixels
from vision.geometry import BoardMap
from vision.prepared import PreparedMap
from vision.tables import Grid, Straightening, dense_tables

POINT: Final = 16
BAR: Final = 16
MARGIN: Final = 40
RAIL: Final = 8
FIELD_ROWS: Final = 176
CELL: Final = 8
"""Canvas pixels to a cell of the networks' inner maps."""
FIRST_CELLS: Final = (MARGIN + POINT * np.arange(12) + BAR * (np.arange(12) >= 6)) // CELL
"""The first of the two columns of cells that show each place of a row, from the left."""
COLUMNS: Final = 2 * MARGIN + 12 * POINT + BAR
ROWS: Final = 2 * RAIL + FIELD_ROWS
_GRID: Final = Grid.of(COLUMNS, ROWS, 8)


def axes(board_map: BoardMap) -> tuple[F64, F64]:
    """Board x of each column and y of each row, in the frame of the picture
    (`board_map.facing(0)`).
    """
    column = np.arange(COLUMNS) + 0.5
    half = MARGIN + 6 * POINT
    knots = [0, half, half + BAR, COLUMNS]
    outer = board_map.bar / 2 + (MARGIN + 6 * POINT) / POINT
    xs = np.interp(column, knots, [-outer, -board_map.bar / 2, board_map.bar / 2, outer])
    ys = board_map.height / 2 - (np.arange(ROWS) + 0.5 - RAIL) * board_map.height / FIELD_ROWS
    return xs, ys


def canvas_tables(board_map: BoardMap) -> tuple[F32, F32]:
    """Column and row in the picture (each ROWS x COLUMNS) that each canvas pixel shows."""
    upright = board_map.facing(0)
    xs, ys = axes(upright)
    return dense_tables(upright, xs, ys, board_map.thickness)


def canvas(pixels: Pixels, board: PreparedMap) -> Pixels:
    """The board of a picture on the grid, ROWS x COLUMNS x 3."""
    halvings = board.once(_halvings)
    for _ in range(halvings):
        board = board.half()
    return board.once(_straightening).straightened(pixels, cv2.BORDER_CONSTANT, halvings)


def _halvings(board_map: BoardMap) -> int:
    """How often a picture is halved first: one much finer than the grid would alias into moire."""
    width = float(np.linalg.norm(np.diff(board_map.corners()[:2], axis=0)))
    halvings = 0
    while (12 * POINT + BAR) / max(width, 1.0) < 0.4:
        width, halvings = width / 2, halvings + 1
    return halvings


def _straightening(board_map: BoardMap) -> Straightening:
    upright = board_map.facing(0)
    return Straightening.of(upright, *axes(upright), (board_map.thickness,), _GRID)


def to_canvas(board_map: BoardMap, points: npt.ArrayLike) -> F64:
    """Board x, y (N x 2, geometric) to canvas column, row."""
    p = np.asarray(points, np.float64).reshape(-1, 2) * (1 if board_map.orientation == 0 else -1)
    xs, ys = axes(board_map.facing(0))
    column = np.interp(p[:, 0], xs, np.arange(COLUMNS))
    row = np.interp(-p[:, 1], -ys, np.arange(ROWS))
    return np.stack([column, row], 1)


def image_index(point: int, orientation: int) -> int:
    """Place of a geometric point in the networks' order:

    0-11 the picture's upper row from its left, 12-23 the lower row from its left.
    """
    if orientation == 180:
        point = (point + 11) % 24 + 1
    return point - 13 if point >= 13 else 24 - point


POINT_ORDER: Final = {
    turned: np.array([image_index(point, turned) for point in range(1, 25)]) for turned in (0, 180)
}
"""`image_index` of each geometric point, by the map's orientation."""

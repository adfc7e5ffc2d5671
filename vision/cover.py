"""What hides the board: the checker network's cells of hands and things, laid over a picture."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from vision.arrays import F32, Mask
from vision.canvas import CELL, COLUMNS, ROWS, to_canvas
from vision.checkers import COVER
from vision.geometry import BoardMap
from vision.prepared import PreparedMap

_OVER: Final = 0.5


def covered_places(cells: F32, board: PreparedMap, size: tuple[int, int], shrink: int) -> Mask:
    """Which pixels of the picture, shrunk to `size` (width, height) by `shrink`, show a hand or a
    thing on the canvas; False beyond it.
    """
    index = board.once(_cell_index, size, shrink)
    over = np.append(np.asarray(cells[COVER] > _OVER).ravel(), False)
    return np.asarray(over[index], np.bool_)


def _cell_index(board_map: BoardMap, size: tuple[int, int], shrink: int) -> npt.NDArray[np.int64]:
    """The cell that each shrunk pixel lies in, counted row by row; -1 beyond the canvas."""
    column, row = np.meshgrid(np.arange(size[0]), np.arange(size[1]))
    pixels = np.stack([column.ravel(), row.ravel()], 1) * float(shrink) + (shrink - 1) / 2
    at = to_canvas(board_map, board_map.unproject(pixels, board_map.thickness))
    inside = (at > 0).all(1) & (at[:, 0] < COLUMNS - 1) & (at[:, 1] < ROWS - 1)
    cell = (at // CELL).astype(np.int64)
    index = np.where(inside, cell[:, 1] * (COLUMNS // CELL) + cell[:, 0], -1)
    return np.asarray(index.reshape(size[1], size[0]), np.int64)

"""Where in a picture a board may be: four corners to about a third of a point, by one network over
the whole picture.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import cv2
import numpy as np

from vision.arrays import F64, Pixels
from vision.corners import heat_peak
from vision.network import SHIPPED, Columns, OnnxNetwork, load_network, load_numbers

FINDER_SIZE: Final = (256, 192)
HEAT: Final = (64, 48)
"""Width and height of the finder's picture, and of its answer's maps."""


@dataclass(frozen=True, slots=True)
class BoardFinderNumbers:
    """What stands beside the finder's weights: its columns alone."""

    columns: Columns


@dataclass(frozen=True, slots=True, eq=False)
class BoardFinder:
    """The network that sees a board's four corners in a whole picture."""

    net: OnnxNetwork

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> Self:
        """From a folder of weights. Raises WeightsError."""
        net = load_network("finder", folder)
        columns = load_numbers(BoardFinderNumbers, "finder", folder).columns
        heat, there = (len(columns[name]) for name in ("heat", "there"))
        net.check(
            {"x": (1, 3, FINDER_SIZE[1], FINDER_SIZE[0])},
            {"heat": (1, heat, HEAT[1], HEAT[0]), "there": (1, there)},
        )
        return cls(net)


def finder_view(pixels: Pixels) -> tuple[Pixels, float]:
    """The picture shrunk into 256x192 from the top left, the rest black, and by how much it was
    shrunk.
    """
    height, width = pixels.shape[:2]
    factor = min(FINDER_SIZE[0] / width, FINDER_SIZE[1] / height)
    small = cv2.resize(
        pixels,
        (max(1, round(width * factor)), max(1, round(height * factor))),
        interpolation=cv2.INTER_AREA,
    )
    view = np.zeros((FINDER_SIZE[1], FINDER_SIZE[0], 3), np.uint8)
    view[: small.shape[0], : small.shape[1]] = small
    return view, factor


def locate(view: Pixels, finder: BoardFinder) -> tuple[F64, float]:
    """Corners TL TR BR BL in a finder view (4 x 2 pixels) and the probability that there is a
    board.
    """
    x = cv2.dnn.blobFromImage(view, 1 / 64, mean=(127.5, 127.5, 127.5)).astype(
        np.float32, copy=False
    )
    heat, there = finder.net.run({"x": x}, ["heat", "there"])
    return np.array([heat_peak(h) for h in heat[0]]) * 4 + 1.5, float(
        1 / (1 + math.exp(-float(there.ravel()[0])))
    )

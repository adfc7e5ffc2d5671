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
from vision.network import SHIPPED, Columns, OnnxNetwork, load_network, load_numbers, picture_input

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


def view_turned(pixels: Pixels, degrees: float, border: float) -> tuple[Pixels, F64]:
    """The picture turned clockwise about its middle and shrunk into 256x192 with a border of so
    much of its size around it, and the 2x3 matrix from the view back to the picture.
    """
    height, width = pixels.shape[:2]
    turn = math.radians(degrees)
    wide = abs(width * math.cos(turn)) + abs(height * math.sin(turn))
    high = abs(width * math.sin(turn)) + abs(height * math.cos(turn))
    scale = min(FINDER_SIZE[0] / wide, FINDER_SIZE[1] / high) / (1 + 2 * border)
    # Shrunk by a mean first: a warp that skips pixels would alias.
    small = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    middle = (np.array([small.shape[1], small.shape[0]]) - 1) / 2
    around = np.asarray(
        cv2.getRotationMatrix2D((float(middle[0]), float(middle[1])), -degrees, 1.0), np.float64
    )
    around[:, 2] += (np.array(FINDER_SIZE, np.float64) - 1) / 2 - middle
    view = cv2.warpAffine(small, around, FINDER_SIZE, flags=cv2.INTER_LINEAR)
    back = np.asarray(cv2.invertAffineTransform(around), np.float64)
    back[:, 2] += 0.5 - 0.5 * scale
    return np.asarray(view, np.uint8), back / scale


def locate(view: Pixels, finder: BoardFinder) -> tuple[F64, float]:
    """Corners TL TR BR BL in a finder view (4 x 2 pixels) and the probability that there is a
    board.
    """
    x = picture_input(view, 1 / 64)
    heat, there = finder.net.run({"x": x}, ["heat", "there"])
    return np.array([heat_peak(h) for h in heat[0]]) * 4 + 1.5, float(
        1 / (1 + math.exp(-float(there.ravel()[0])))
    )

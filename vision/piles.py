"""How many checkers a pile has, from a finer look than the canvas gives: one narrow strip a pile,
straightened at three heights.

A second layer of checkers hides most of the first, and is told from it by where its tops lie:
straightened at the height of the first layer's tops, those of the second are shifted and a little
large; straightened at their own height they fall onto the grid and the first layer's do not. A
strip holds the three pictures (`LAYERS`) one over the other, and a small network compares them.
Which colour the pile has, and whether it is one at all, the checker network has said already; only
its four to fifteen checkers are shared out anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import cv2
import numpy as np

from vision.arrays import F32, F64, Pixels
from vision.geometry import BoardMap
from vision.network import SHIPPED, Columns, OnnxNetwork, load_network, load_numbers, softmax
from vision.prepared import PreparedMap
from vision.tables import Grid, Straightening

UNIT: Final = 32
"""Strip pixels to a point's width."""
WIDE: Final = 48
LONG: Final = 224
BEYOND: Final = 0.4
"""Point widths of rail that a strip begins with: the tops of high piles lean outwards over it."""
LAYERS: Final = (1, 2, 3)
_GRID: Final = Grid.of(WIDE, LONG, 16, len(LAYERS))
LEAST: Final = 4
"""Fewest checkers that are called a pile."""
COUNTS: Final = 16 - LEAST
"""Answers of the network after the first, which is "fewer": LEAST to 15 checkers."""


@dataclass(frozen=True, slots=True)
class PileNumbers:
    """What was fitted beside the pile network: the temperature of its logits, a share of doubt, how
    common LEAST to 15 checkers were (COUNTS), and the exponents of `shared_out`.
    """

    columns: Columns
    temperature: float
    doubt: float
    prior: tuple[float, ...]
    blend: tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class PileNetwork:
    """The network that counts one pile, with its numbers."""

    net: OnnxNetwork
    numbers: PileNumbers

    @classmethod
    def load(cls, folder: Path = SHIPPED) -> Self:
        """From a folder of weights. Raises WeightsError."""
        net, numbers = load_network("piles", folder), load_numbers(PileNumbers, "piles", folder)
        columns = len(numbers.columns["y"])
        net.check({"x": (1, 3 * len(LAYERS), LONG, WIDE)}, {"y": (1, columns)})
        return cls(net, numbers)


def pile_strips(pixels: Pixels, board: PreparedMap, indices: list[int]) -> Pixels:
    """The strips of some points (numbers of `canvas.image_index`):

    N x 9 x LONG x WIDE, three colours of each layer, the rail at the top, towards the middle below.
    """
    halvings = board.once(_halvings)
    for _ in range(halvings):
        board = board.half()
    found = np.empty((len(indices), len(LAYERS), 3, LONG, WIDE), np.uint8)
    for strip, index in zip(found, indices, strict=True):
        straightening = board.once(_straightening, index)
        layers = straightening.in_four(pixels, cv2.BORDER_REPLICATE, halvings)
        for colour, plane in enumerate(cv2.split(layers)[:3]):
            strip[:, colour] = plane.reshape(len(LAYERS), LONG, WIDE)
    return found.reshape(len(indices), -1, LONG, WIDE)


def _halvings(board_map: BoardMap) -> int:
    """How often a picture is halved first: a strip of one much finer than itself would be made of
    every third pixel.
    """
    unit, halvings = board_map.unit_pixels, 0
    while unit > 2.2 * UNIT:
        unit, halvings = unit / 2, halvings + 1
    return halvings


def _straightening(board_map: BoardMap, index: int) -> Straightening:
    """Where each strip pixel comes from, layer below layer.

    The lower row is turned about, so that every strip begins at its rail.
    """
    upright = board_map.facing(0)
    column = index % 12
    x = column - 5.5 - upright.bar / 2 if column < 6 else column - 5.5 + upright.bar / 2
    across = (np.arange(WIDE) + 0.5 - WIDE / 2) / UNIT
    along = upright.height / 2 + BEYOND - (np.arange(LONG) + 0.5) / UNIT
    if index >= 12:
        across, along = -across, -along
    heights = [layer * upright.thickness for layer in LAYERS]
    return Straightening.of(upright, x + across, along, heights, _GRID)


def pile_input(found: Pixels) -> F32:
    """Strips as the network takes them."""
    levels = (np.arange(256, dtype=np.float32) - np.float32(127.5)) / np.float32(64)
    x = cv2.LUT(found.reshape(-1, WIDE), levels)
    return np.asarray(x, np.float32).reshape(found.shape)


def pile_likelihoods(
    pixels: Pixels, board: PreparedMap, indices: list[int], piles: PileNetwork
) -> F64:
    """How well LEAST to 15 checkers explain each strip: N x COUNTS, the best 1."""
    numbers = piles.numbers
    (logits,) = piles.net.run({"x": pile_input(pile_strips(pixels, board, indices))}, ["y"])
    probable = softmax(logits[:, 1:] / numbers.temperature).astype(np.float64)
    prior = np.array(numbers.prior, np.float64)
    likely = (probable * (1 - numbers.doubt) + numbers.doubt * prior) / prior
    return np.asarray(likely / likely.max(1, keepdims=True), np.float64)


def shared_out(row: F64, likely: F64, prior: F64, blend: tuple[float, float] = (0.0, 1.0)) -> F64:
    """The 31 probabilities of a point, or of several, with what each set has on LEAST to 15 shared
    out anew.

    By `prior` (31), by what the row says already and by `likely` (COUNTS): two looks at one
    picture, so neither counts whole; `blend` are their exponents, fitted on held-out boards.
    """
    coarse, fine = blend
    out = row.copy()
    for block in (slice(LEAST, 16), slice(15 + LEAST, 31)):
        here = row[..., block]
        share = np.maximum(here, 1e-9) ** coarse * prior[block] ** (1 - coarse) * likely**fine
        out[..., block] = here.sum(-1, keepdims=True) * share / share.sum(-1, keepdims=True)
    return out

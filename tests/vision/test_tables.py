"""Straightening: tables say where each pixel comes from, and a fourth channel changes nothing."""

from __future__ import annotations

from dataclasses import asdict, replace

import cv2
import numpy as np
import pytest

from tests.vision.weights import NETWORKS
from vision.canvas import canvas
from vision.dice.dice import look_for_dice
from vision.frame import four_channels
from vision.network import picture_input
from vision.piles import pile_strips
from vision.prepared import PreparedMap
from vision.synthetic import scene as synthetic
from vision.synthetic.truth import PaintedScene
from vision.tables import tables_at_heights


def painted(seed: int = 5, size: tuple[int, int] = (960, 720)) -> PaintedScene:
    counts = {6: (5, 0), 8: (3, 0), 13: (0, 7), 24: (0, 2)}
    return synthetic.paint(np.random.default_rng(seed), counts, size=size)


@pytest.mark.parametrize("columns", [49, 48, 50])
@pytest.mark.parametrize("lens", [(0.0,) * 5, (-0.08, 0.02, 0.001, 0.0, 0.0)])
def test_tables_say_where_each_pixel_comes_from(
    columns: int, lens: tuple[float, float, float, float, float]
) -> None:
    """To a tenth of a pixel, and to a 32nd of a step (16 columns) after the last whole one."""
    board = replace(painted().board_map, lens=lens)
    xs, ys = np.linspace(-1, 0.5, columns), np.linspace(2, -2.5, 70)
    heights = (0.0, 0.4)
    x, y = tables_at_heights(board, xs, ys, heights, 16)
    assert x.dtype == y.dtype == np.float32 and x.shape == y.shape == (2 * len(ys), columns)
    at = np.array([(a, b, z) for z in heights for b in ys for a in xs])
    assert np.abs(np.c_[x.ravel(), y.ravel()] - board.project(at)).max() < 0.6
    assert np.abs(np.c_[x.ravel(), y.ravel()] - board.project(at)).mean() < 0.1


@pytest.mark.parametrize("size", [(960, 720), (1920, 1440)])
def test_a_fourth_channel_changes_nothing_that_is_seen(size: tuple[int, int]) -> None:
    scene = painted(size=size)
    three, board = scene.frame.pixels, PreparedMap(scene.board_map)
    four = four_channels(three)
    assert four.shape == (*three.shape[:2], 4)
    assert np.array_equal(canvas(three, board), canvas(four, board))
    assert np.array_equal(pile_strips(three, board, [3, 18]), pile_strips(four, board, [3, 18]))
    seen, again = (
        look_for_dice(pixels, board, NETWORKS.dice_finder, NETWORKS.dice_reader)
        for pixels in (three, four)
    )
    assert seen and [asdict(one) for one in seen] == [asdict(one) for one in again]


def test_networks_are_shown_what_opencv_would_show_them() -> None:
    pixels = painted().frame.pixels
    for scale in (1 / 64, 1 / 255):
        shown = cv2.dnn.blobFromImage(pixels, scale, mean=(127.5, 127.5, 127.5))
        assert np.array_equal(picture_input(pixels, scale), shown)

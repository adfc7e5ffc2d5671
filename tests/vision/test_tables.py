"""Straightening: where each pixel comes from, and that a part of the picture in four channels
shows the same.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.network import picture_input
from vision.synthetic import scene as synthetic
from vision.synthetic.truth import PaintedScene
from vision.tables import Grid, Straightening, dense_tables, halved


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
    grid = Grid.of(columns, len(ys), 16, len(heights))
    it = Straightening.of(board, xs, ys, heights, grid)
    assert it.at.dtype == np.float32
    assert it.at.shape == (2 * len(ys), columns, 2)
    at = np.array([(a, b, z) for z in heights for b in ys for a in xs])
    first = np.array((it.left, it.top))
    off = np.abs(it.at.reshape(-1, 2) + first - board.project(at))
    assert off.max() < 0.6 and off.mean() < 0.1


@pytest.mark.parametrize("moved", [(0, 0), (430, 0), (-430, 300), (0, -2000)])
@pytest.mark.parametrize("border", [cv2.BORDER_CONSTANT, cv2.BORDER_REPLICATE])
def test_a_part_in_four_channels_shows_what_the_whole_does(
    moved: tuple[int, int], border: int
) -> None:
    """Of a board in the picture, half beyond its edge and wholly out of it."""
    scene = painted()
    shift = np.array([[1, 0, moved[0]], [0, 1, moved[1]], [0, 0, 1.0]])
    board, pixels = scene.board_map.warped(shift), scene.frame.pixels
    xs, ys = np.linspace(-6, 6, 97), np.linspace(5, -5, 81)
    x, y = dense_tables(board, xs, ys, 0.2)
    whole = cv2.remap(pixels, x, y, cv2.INTER_LINEAR, borderMode=border)
    it = Straightening.of(board, xs, ys, (0.2,), Grid.of(97, 81, 8))
    seen = it.straightened(pixels, border)
    assert np.array_equal(seen, whole)


def test_a_part_is_halved_as_the_whole_is() -> None:
    scene = painted()
    board, pixels = scene.board_map.scaled(0.5), scene.frame.pixels
    xs, ys = np.linspace(-6, 6, 97), np.linspace(5, -5, 81)
    it = Straightening.of(board, xs, ys, (0.2,), Grid.of(97, 81, 8))
    seen = it.straightened(pixels, cv2.BORDER_REPLICATE, 1)
    assert np.array_equal(seen, it.straightened(halved(pixels), cv2.BORDER_REPLICATE))


def test_networks_are_shown_what_opencv_would_show_them() -> None:
    pixels = painted().frame.pixels
    for scale in (1 / 64, 1 / 255):
        shown = cv2.dnn.blobFromImage(pixels, scale, mean=(127.5, 127.5, 127.5))
        assert np.array_equal(picture_input(pixels, scale), shown)

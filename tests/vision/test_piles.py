"""Piles: strips begin at their rail however the camera stands; sharing out keeps what was said of
all else.
"""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vision.weights import NETWORKS
from vision.canvas import image_index
from vision.piles import (
    BEYOND,
    COUNTS,
    LEAST,
    LONG,
    UNIT,
    WIDE,
    pile_likelihoods,
    pile_strips,
    shared_out,
)
from vision.prepared import PreparedMap
from vision.synthetic import scene as synthetic
from vision.synthetic.truth import LIGHT, PaintedScene


def board(
    counts: dict[int, tuple[int, int]],
    seed: int,
    orientation: int = 0,
    size: tuple[int, int] = (1280, 960),
) -> PaintedScene:
    return synthetic.paint(
        np.random.default_rng(seed),
        counts,
        size=size,
        orientation=orientation,
        oblique=False,
        dice=0,
    )


@pytest.mark.parametrize("orientation", [0, 180])
@pytest.mark.parametrize("point", [1, 6, 7, 12, 13, 18, 19, 24])
def test_a_strip_begins_at_its_rail(point: int, orientation: int) -> None:
    """Three checkers of a point lie in the first three checkers' length of its strip, wherever the
    point is.
    """
    scene = board({point: (3, 0)}, seed=5, orientation=orientation)
    m = scene.board_map
    painted = np.where(scene.classes == LIGHT, 255, 0).astype(np.uint8)
    seen, places = np.repeat(painted[..., None], 3, 2), [image_index(point, orientation)]
    (strip,) = pile_strips(seen, PreparedMap(m), places)
    assert strip.shape == (9, LONG, WIDE)
    filled = strip[0, :, WIDE // 2 - 8 : WIDE // 2 + 8].mean(1) / 255
    rail, three = round(BEYOND * UNIT), round((BEYOND + 2.7) * UNIT)
    assert filled[rail + 6 : three].mean() > 0.8
    assert filled[three + UNIT :].mean() < 0.05


def test_strips_of_a_sharp_and_of_a_coarse_picture_look_alike() -> None:
    scene = board({6: (7, 0)}, seed=3)
    small = cv2.resize(
        scene.frame.pixels, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA
    ).astype(np.uint8)
    a, b = (
        pile_strips(scene.frame.pixels, PreparedMap(scene.board_map), [18])[0],
        pile_strips(small, PreparedMap(scene.board_map.scaled(0.5)), [18])[0],
    )
    assert np.abs(a.astype(int) - b.astype(int)).mean() < 12


@given(
    st.lists(st.floats(1e-6, 1), min_size=31, max_size=31),
    st.lists(st.floats(1e-6, 1), min_size=COUNTS, max_size=COUNTS),
)
def test_sharing_out_moves_nothing_but_the_height_of_piles(
    row: list[float], likely: list[float]
) -> None:
    before = np.array(row) / sum(row)
    after = shared_out(before, np.array(likely), np.full(31, 1 / 31))
    assert after.sum() == pytest.approx(1)
    low = [*range(LEAST), *range(16, 15 + LEAST)]
    assert (after[low] == before[low]).all()
    assert after[LEAST:16].sum() == pytest.approx(before[LEAST:16].sum())


def test_high_piles_of_painted_boards() -> None:
    """Piles of six to twelve on boards never trained on: no true height is ruled out, and half are
    named to the checker.

    Many of these cannot be told by anybody: black on black, one checker exactly over another.
    """
    right = 0
    for seed in range(8):
        heights = [6 + (3 * seed + k) % 7 for k in range(3)]
        counts = {
            5: (heights[0], 0),
            16: (0, heights[1]),
            22: (15 - heights[0], 0),
            10: (0, heights[2]),
        }
        scene = board(counts, seed=900 + seed)
        places = [image_index(p, 0) for p in (5, 16, 10)]
        prepared = PreparedMap(scene.board_map)
        likely = pile_likelihoods(scene.frame.pixels, prepared, places, NETWORKS.piles)
        for row, height in zip(likely, heights, strict=True):
            right += LEAST + int(row.argmax()) == height
            assert row[height - LEAST] > 0.002
    assert right >= 12

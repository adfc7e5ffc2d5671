"""Where along the bar its checkers stand is told with every lesson, however it is turned."""

from __future__ import annotations

import numpy as np

from vision.canvas import ROWS
from vision.synthetic.truth import DARK, LIGHT
from vision.train.canvas_data import canvas_example, on_canvas, straight
from vision.train.data import painted_labelled


def test_checkers_on_the_bar_are_where_their_lesson_says() -> None:
    hits = total = 0
    for seed in range(12):
        item = painted_labelled(np.random.default_rng(seed), full_bar=True)
        assert len(item.bar_tops) == sum(item.bar)
        classes = straight(item)[1]
        for colour, column, row in on_canvas(item):
            total += 1
            here = classes[int(np.clip(round(row), 0, ROWS - 1)), round(column)]
            hits += here == (LIGHT, DARK)[int(colour)]
    assert total > 20 and hits > 0.75 * total


def test_rows_sum_to_what_stands_on_the_bar_however_a_lesson_is_turned() -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        item = painted_labelled(rng, full_bar=True)
        plain = canvas_example(item, None)
        assert np.allclose(plain.bar_rows.sum(1), item.bar, atol=1e-4)
        ready = straight(item)
        for _ in range(4):
            shaken = canvas_example(item, rng, ready)
            assert np.allclose(shaken.bar_rows.sum(1), shaken.bar, atol=1e-4)

"""The painter tells the truth about what it painted."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.synthetic.look import brightness
from vision.synthetic.scene import paint, random_counts
from vision.synthetic.truth import DARK, LIGHT, OCCLUDER


def test_a_seed_is_a_scene() -> None:
    a, b = (
        paint(np.random.default_rng(4), {6: (5, 0), 19: (0, 5)}, size=(320, 240)) for _ in range(2)
    )
    assert (a.frame.pixels == b.frame.pixels).all()


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.sampled_from([0, 180]))
def test_checkers_are_where_the_truth_says(seed: int, oblique: bool, orientation: int) -> None:
    rng = np.random.default_rng(seed)
    counts, bar, off = random_counts(rng)
    scene = paint(
        rng,
        counts,
        bar=bar,
        off=off,
        size=(480, 360),
        oblique=oblique,
        orientation=orientation,
        dice=0,
    )
    m, look = scene.board_map, scene.look
    assert brightness(look.light) > brightness(look.dark)
    for point, (light, _dark) in counts.items():
        s = -1 if point <= 12 else 1
        x, y = (
            m.project([(m.point_x(point), s * (m.height / 2 - 0.55), look.thickness)])[0]
            .round()
            .astype(int)
        )
        if 0 <= x < 480 and 0 <= y < 360:
            assert scene.classes[y, x] in (LIGHT, DARK)
            assert scene.classes[y, x] == (LIGHT if light else DARK)


def test_a_hand_hides_points_and_says_so() -> None:
    scene = paint(np.random.default_rng(2), {}, covered=True, size=(480, 360))
    assert (scene.classes == OCCLUDER).any()
    assert min(scene.visible) < 1.0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 100_000))
def test_random_positions_have_at_most_fifteen_a_side(seed: int) -> None:
    counts, bar, off = random_counts(np.random.default_rng(seed))
    for side in (0, 1):
        assert sum(c[side] for c in counts.values()) + bar[side] + off[side] <= 15
    assert all(not (a and b) for a, b in counts.values())

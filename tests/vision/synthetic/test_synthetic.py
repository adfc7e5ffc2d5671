"""The painter tells the truth about what it painted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.synthetic.brush import camera_eye
from vision.synthetic.look import Look, brightness, hiding, random_look
from vision.synthetic.on_bar import anywhere_on_bar
from vision.synthetic.scene import paint, random_counts
from vision.synthetic.truth import (
    DARK,
    LIGHT,
    OCCLUDER,
    UNSEEN,
    PaintedScene,
    foot_hidden,
    telling_place,
)
from vision.synthetic.viewpoint import low_camera, random_camera
from vision.train.data import with_full_bar


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


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000), st.integers(0, 5), st.integers(0, 5))
def test_checkers_stand_along_the_bar_beside_or_on_each_other(
    seed: int, light: int, dark: int
) -> None:
    rng = np.random.default_rng(seed)
    look = random_look(rng)
    board = random_camera(rng, look, (480, 360), 0, oblique=False)
    places = anywhere_on_bar(rng, board, (light, dark), look)
    sets = [colour for *_, colour in places]
    assert (sets.count(LIGHT), sets.count(DARK)) == (light, dark)
    for k, (x, y, z, _) in enumerate(places):
        assert abs(x) < look.bar / 2 and abs(y) <= board.height / 2 - look.checker / 2
        for x2, y2, z2, _ in places[:k]:
            if abs(z - z2) < 0.01:
                assert np.hypot(x - x2, y - y2) > 0.85 * look.checker


def test_a_full_bar_takes_its_checkers_from_the_points() -> None:
    rng = np.random.default_rng(3)
    most = 0
    for _ in range(40):
        counts, bar = with_full_bar({6: (5, 0), 8: (3, 0), 19: (0, 2)}, (0, 1), rng)
        assert sum(c[0] for c in counts.values()) + bar[0] == 8
        assert sum(c[1] for c in counts.values()) + bar[1] == 3
        most = max(most, *bar)
    assert most == 5


def test_a_hand_hides_points_and_says_so() -> None:
    scene = paint(np.random.default_rng(2), {}, covered=True, size=(480, 360))
    assert (scene.classes == OCCLUDER).any()
    assert min(scene.visible) < 1.0


FULL = {p: (1, 0) if p <= 12 else (0, 1) for p in range(1, 25)}


def seen_from_low(seed: int, high: float) -> PaintedScene:
    """A checker on every point, seen from a low stand over walls and a bar so high."""
    rng = np.random.default_rng(seed)
    look = replace(random_look(rng), rail_height=high, bar_height=high)
    board = low_camera(rng, look, (480, 360), 0)
    return paint(rng, FULL, look=look, board_map=board, size=(480, 360), dice=0)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 100_000))
def test_who_stands_low_does_not_see_what_is_behind_a_wall(seed: int) -> None:
    """A checker that is painted is seen, one behind a wall is not, and the truth says which."""
    low, walled = seen_from_low(seed, 0.01), seen_from_low(seed, 1.3)
    assert min(low.visible) > UNSEEN
    assert sum(walled.visible) <= sum(low.visible)
    for scene in (low, walled):
        for point in FULL:
            if scene.visible[point - 1] > UNSEEN:
                checker = np.isin(scene.classes, (LIGHT, DARK)).astype(np.uint8)
                assert foot_hidden(point, scene.board_map, checker) > 0.1


def test_a_row_is_seen_where_its_last_checker_is() -> None:
    """The wall hides one checker whole and of five the first: the fifth tells how many stand."""
    rng = np.random.default_rng(3)
    look = replace(random_look(rng), rail_height=1.3, bar_height=1.3)
    board = low_camera(rng, look, (480, 360), 0)
    shares = [
        paint(
            np.random.default_rng(3),
            dict.fromkeys(range(1, 13), (count, 0)),
            look=look,
            board_map=board,
            size=(480, 360),
            dice=0,
        ).visible
        for count in (1, 5)
    ]
    assert min(shares[0]) <= UNSEEN < min(shares[1])
    assert [telling_place(n) for n in (0, 1, 2, 5, 9)] == [1, 1, 2, 5, 5]


def test_a_high_wall_hides_the_row_behind_it_from_a_very_low_camera() -> None:
    unseen = [min(seen_from_low(seed, 1.3).visible) <= UNSEEN for seed in range(30)]
    assert 5 <= sum(unseen) <= 28


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 100_000), st.sampled_from([0, 180]))
def test_a_low_camera_has_the_whole_board_in_its_picture(seed: int, orientation: int) -> None:
    rng = np.random.default_rng(seed)
    look = random_look(rng)
    board = low_camera(rng, look, (640, 480), orientation)
    corners = board.corners()
    assert (corners > -12).all() and (corners < (652, 492)).all()
    x, y, z = camera_eye(board)
    assert z > 3 and np.hypot(x, y) < 40


def test_a_cup_on_the_field_hides_what_is_behind_it() -> None:
    hidden = [
        paint(np.random.default_rng(seed), FULL, size=(480, 360), oblique=True, things=2).visible
        for seed in range(12)
    ]
    assert sum(min(shares) < 0.9 for shares in hidden) >= 8
    assert all(max(shares) == 1.0 for shares in hidden)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 100_000))
def test_what_hides_checkers_leaves_the_lighter_set_the_lighter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    look: Look = hiding(rng, random_look(rng))
    assert brightness(look.light) - brightness(look.dark) > 9
    assert all(0 <= v <= 255 for colour in (look.light, look.dark, look.frame) for v in colour)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 100_000))
def test_random_positions_have_at_most_fifteen_a_side(seed: int) -> None:
    counts, bar, off = random_counts(np.random.default_rng(seed))
    for side in (0, 1):
        assert sum(c[side] for c in counts.values()) + bar[side] + off[side] <= 15
    assert all(not (a and b) for a, b in counts.values())

"""The map between board and picture: inverses, corners, orientation, files; and against true
cameras.
"""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision import canvas as grid
from vision.geometry import BoardMap, GeometryError, from_corners
from vision.synthetic.look import random_look
from vision.synthetic.viewpoint import random_camera


def camera(seed: int, orientation: int = 0, *, oblique: bool = False) -> BoardMap:
    rng = np.random.default_rng(seed)
    return random_camera(rng, random_look(rng), (960, 720), orientation, oblique=oblique)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0, 180]), st.booleans(), st.floats(0, 1))
def test_unproject_inverts_project(seed: int, orientation: int, oblique: bool, z: float) -> None:
    m = camera(seed, orientation, oblique=oblique)
    points = np.random.default_rng(seed).uniform(-1, 1, (12, 2)) * (m.width / 2, m.height / 2)
    back = m.unproject(m.project(np.c_[points, np.full(12, z)]), z)
    assert np.abs(back - points).max() < 0.02


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_corners_are_named_as_the_picture_shows_them(seed: int, oblique: bool) -> None:
    for orientation in (0, 180):
        tl, tr, br, bl = camera(seed, orientation, oblique=oblique).corners()
        assert tl[0] < tr[0] and bl[0] < br[0] and tl[1] < bl[1] and tr[1] < br[1]


def test_four_corners_are_enough() -> None:
    """Corners come back exactly; the tops of checkers nearer than without their height, without
    knowing the camera.
    """
    with_height, without = [], []
    for seed in range(12):
        for oblique in (False, True):
            true = camera(seed, 180 * (seed % 2), oblique=oblique)
            found = from_corners(
                true.corners(), true.size, orientation=true.orientation, bar=true.bar
            )
            assert np.abs(found.corners() - true.corners()).max() < 0.05
            tops = np.array(
                [
                    (true.point_x(p), y, true.thickness)
                    for p in (1, 6, 12, 18, 24)
                    for y in (-4.0, 0.0, 4.0)
                ]
            )
            unit = np.linalg.norm(true.corners()[1] - true.corners()[0]) / true.width
            seen = true.project(tops)
            with_height.append(np.linalg.norm(found.project(tops) - seen, axis=1).mean() / unit)
            without.append(
                np.linalg.norm(found.project(tops * (1, 1, 0)) - seen, axis=1).mean() / unit
            )
    assert np.median(with_height) < 0.6 * np.median(without)


def test_point_one_is_south_east() -> None:
    for orientation, (right, below) in ((0, (True, True)), (180, (False, False))):
        m = camera(3, orientation)
        middle = m.project([(0, 0, 0)])[0]
        at = m.point_polygon(1).mean(0)
        assert (at[0] > middle[0], at[1] > middle[1]) == (right, below)
        assert grid.image_index(1, orientation) == (23 if orientation == 0 else 0)


def test_turning_renames_and_moves_nothing() -> None:
    m = camera(5)
    turned = m.turned()
    assert turned.orientation == 180
    assert np.allclose(turned.corners(), m.corners())
    assert np.allclose(turned.point_polygon(13).mean(0), m.point_polygon(1).mean(0))
    assert turned.turned() == m


@given(st.integers(0, 10_000), st.sampled_from((0, 180)))
def test_a_quarter_turn_is_the_same_picture_on_its_side(seed: int, orientation: int) -> None:
    """Lens and all: each place lies where a turned picture has its pixel; four turns are none."""
    m = replace(camera(seed, orientation), lens=(-0.2, 0.05, 0.01, -0.02, 0.001))
    places = [(-5, 4, 0), (6, -5, 0.2), (0, 0, 0), (2, 5, 0)]
    at, turned = m.project(places), m.quarter_turned()
    there = np.stack([m.size[1] - 1 - at[:, 1], at[:, 0]], 1)
    assert np.allclose(turned.project(places), there)
    assert turned.size == m.size[::-1] and turned.lies_across() is m.lies_across()
    again = turned.quarter_turned().quarter_turned().quarter_turned()
    assert np.allclose(again.project(places), at)


def test_every_point_has_its_own_canvas_index() -> None:
    for orientation in (0, 180):
        assert sorted(grid.image_index(p, orientation) for p in range(1, 25)) == list(range(24))


def test_canvas_puts_each_point_in_its_columns() -> None:
    m = camera(7)
    for point in range(1, 25):
        column = grid.to_canvas(m, [(m.point_x(point), 0)])[0, 0]
        index = grid.image_index(point, 0) % 12
        assert column == pytest.approx(
            grid.MARGIN
            + index * grid.POINT
            + (grid.BAR if index >= 6 else 0)
            + grid.POINT / 2
            - 0.5,
            abs=0.6,
        )


def test_a_map_is_a_file() -> None:
    m = camera(13, 180)
    assert BoardMap.from_json(m.to_json()) == m


BROKEN = {
    "no json": "hello",
    "a list": "[]",
    "another format": '{"format": "other/1"}',
    "a field missing": json.dumps(
        {k: v for k, v in json.loads(camera(1).to_json()).items() if k != "camera"}
    ),
    "eleven numbers": json.dumps({**json.loads(camera(1).to_json()), "camera": [1.0] * 11}),
    "a word for a number": json.dumps({**json.loads(camera(1).to_json()), "focal": "long"}),
    "an odd turn": json.dumps({**json.loads(camera(1).to_json()), "orientation": 90}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_maps_are_refused(name: str) -> None:
    with pytest.raises(GeometryError):
        BoardMap.from_json(BROKEN[name])


CORNERS = {
    "crossed": [(0, 0), (500, 400), (500, 0), (0, 400)],
    "anticlockwise": [(0, 0), (0, 400), (500, 400), (500, 0)],
    "three": [(0, 0), (500, 0), (500, 400)],
    "a line": [(0, 0), (200, 0), (400, 0), (600, 0)],
    "tiny": [(0, 0), (9, 0), (9, 9), (0, 9)],
    "not a number": [(0, 0), (float("nan"), 0), (500, 400), (0, 400)],
    "far away": [(0, 0), (90_000, 0), (90_000, 400), (0, 400)],
}


@pytest.mark.parametrize("name", CORNERS)
def test_corners_that_are_no_board(name: str) -> None:
    with pytest.raises(GeometryError):
        from_corners(CORNERS[name], (800, 600))


def test_resizing() -> None:
    m = camera(17)
    half = m.resized((480, 360))
    assert np.abs(half.corners() - (m.corners() + 0.5) / 2 + 0.5).max() < 0.02
    with pytest.raises(GeometryError, match="find the board again"):
        m.resized((960, 540))

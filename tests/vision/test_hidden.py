"""Boards whose corners are hidden: found by the whole field, and never quite certain of it."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vision.weights import NETWORKS
from vision.calibrate import find_board
from vision.corners import half_corners
from vision.geometry import BoardMap, from_corners
from vision.hidden import settled, weighed_homography
from vision.settings import DEFAULT
from vision.synthetic.look import random_look
from vision.synthetic.scene import paint, random_counts
from vision.synthetic.truth import PaintedScene
from vision.synthetic.viewpoint import low_camera
from vision.whole_field import FIELD_SIZE, field_view, view_places

small = st.floats(-0.03, 0.03)


@given(st.lists(small, min_size=8, max_size=8))
def test_a_plane_moved_is_moved_back_exactly(by: list[float]) -> None:
    """Eight corners under any mild view are taken where they went."""
    model = half_corners(board())[:, :2]
    warp = np.append(np.eye(3).ravel()[:8] + np.array(by) * (1, 1, 9, 1, 1, 9, 0.1, 0.1), 1.0)
    moved = cv2.perspectiveTransform(model[None], warp.reshape(3, 3))[0]
    found = weighed_homography(model, moved, np.ones(8))
    assert np.allclose(cv2.perspectiveTransform(model[None], found)[0], moved, atol=1e-6)


def board() -> BoardMap:
    return from_corners([(150, 90), (500, 100), (560, 400), (90, 390)], (640, 480))


def test_the_view_shows_the_field_where_it_says() -> None:
    """A spot painted on a corner of the field is at its place in the view."""
    picture = np.zeros((480, 640, 3), np.uint8)
    seen = board()
    for x, y in seen.corners():
        cv2.circle(picture, (round(x), round(y)), 6, (255, 255, 255), -1)
    view = field_view(picture, seen)
    assert view.shape == (FIELD_SIZE[1], FIELD_SIZE[0], 3)
    for x, y in view_places(half_corners(seen)[:4]):
        assert view[round(y), round(x)].min() > 200


SIZE = (640, 480)


def walled(seed: int) -> PaintedScene:
    """A board in a folding case with high walls, before a camera on a low stand."""
    rng = np.random.default_rng(seed)
    look = replace(random_look(rng), rail_height=1.1, bar_height=1.1)
    camera = low_camera(rng, look, SIZE, 0)
    counts, bar, off = random_counts(rng)
    return paint(rng, counts, bar=bar, off=off, look=look, board_map=camera, size=SIZE)


def worst_corner(scene: PaintedScene, found: BoardMap) -> float:
    """Point widths between a corner and where a map has it, at the most."""
    true = scene.board_map
    off = true.unproject(true.corners()) - true.unproject(found.corners())
    return float(np.linalg.norm(off, axis=1).max())


@pytest.mark.parametrize("seed", [7, 12, 14, 15])
def test_a_board_whose_near_wall_hides_corners_is_found_and_not_for_certain(seed: int) -> None:
    scene = walled(seed)
    found = find_board(scene.frame, NETWORKS, orientation=0)
    assert worst_corner(scene, found) < 0.5
    assert found.sure_of_place == DEFAULT.calibrate.sure_unseen


@pytest.mark.parametrize("seed", [1, 3, 10])
def test_the_upper_edge_of_a_wall_is_no_rail(seed: int) -> None:
    """All corners along it are seen there, each in its place, one or two points from the field's:
    without the whole field such a map was believed.
    """
    scene = walled(seed)
    found = find_board(scene.frame, NETWORKS, orientation=0)
    assert worst_corner(scene, found) < 0.5
    assert found.sure_of_place == DEFAULT.calibrate.sure_unseen


def test_corners_given_on_the_upper_edge_of_a_wall_are_never_quite_certain() -> None:
    """Two points from the field's own: they are seen there, each in its place."""
    scene = walled(3)
    true = scene.board_map
    rise = np.array([(0.0, 0.0, 0.0)] * 2 + [(0.0, 2.0, 0.0)] * 2)
    on_the_wall = true.project(half_corners(true)[:4] + rise)
    found = find_board(scene.frame, NETWORKS, corners=on_the_wall, orientation=0)
    assert worst_corner(scene, found) > 1.5
    assert found.sure_of_place == DEFAULT.calibrate.sure_unseen


def test_no_board_is_settled_on_where_there_is_none() -> None:
    rng = np.random.default_rng(3)
    cloth = cv2.GaussianBlur(rng.integers(0, 255, (480, 640, 3)).astype(np.uint8), (0, 0), 3)
    assert settled(np.asarray(cloth, np.uint8), board(), NETWORKS) is None

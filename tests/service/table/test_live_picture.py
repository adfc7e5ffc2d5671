"""The live picture lies as each seat has it, wherever the camera hangs."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from rules.board import Corner, Seating, Side
from rules.observation import Condition, Observation, SiteReading, Source
from service.journal.paths import picture_path, plain_path
from service.table.outputs import LivePicture
from vision.frame import Frame
from vision.overlay import draw_observation
from vision.synthetic.look import random_look
from vision.synthetic.viewpoint import random_camera

SEATS = ((Corner.SOUTH_EAST, Side.WHITE), (Corner.NORTH_WEST, Side.BLACK))


def red_is_below(path: Path) -> bool:
    """Whether the red half of a picture, red and blue, lies below."""
    picture = cv2.imread(str(path))
    assert picture is not None
    half = len(picture) // 2
    red, blue = picture[:, :, 2].astype(int), picture[:, :, 0].astype(int)
    return bool((red - blue)[half:].sum() > (red - blue)[:half].sum())


@pytest.mark.parametrize("quarters", [0, 1, 3])
@pytest.mark.parametrize("camera_side", [0, 180])
@pytest.mark.parametrize(("home", "south"), SEATS)
def test_each_side_sees_its_own_home_below(
    home: Corner, south: Side, camera_side: int, quarters: int, tmp_path: Path
) -> None:
    """Also where the camera lies on its side, as a phone on a stand may."""
    rng = np.random.default_rng(4)
    board_map = random_camera(rng, random_look(rng), (960, 720), camera_side, oblique=False)
    pixels = np.full((720, 960, 3), (200, 0, 0), np.uint8)
    strips = [board_map.point_polygon(point) for point in range(1, 13)]
    for strip in strips:
        cv2.fillPoly(pixels, [np.round(strip).astype(np.int32)], (0, 0, 200))
    for _ in range(quarters):
        board_map = board_map.quarter_turned()
        pixels = np.asarray(cv2.rotate(pixels, cv2.ROTATE_90_CLOCKWISE), np.uint8)
    journal = tmp_path / "t1.journal"
    LivePicture(journal).show(
        Frame(pixels),
        board_map,
        Observation(Source.CAMERA, 0.0, 1),
        Seating(home=home),
    )
    assert red_is_below(picture_path(journal, south))
    assert not red_is_below(picture_path(journal, south.other))
    if not quarters:
        assert red_is_below(plain_path(journal)) is (camera_side == 0)


@pytest.mark.parametrize(
    ("condition", "covered"),
    [(Condition.AT_REST, {5}), (Condition.AT_REST, set()), (Condition.MOVING, set(range(1, 25)))],
)
def test_a_question_mark_stands_only_where_a_board_at_rest_was_not_seen(
    condition: Condition, covered: set[int]
) -> None:
    """While a hand is over the board nothing is read: a board full of '?' would say that the table
    does not know what stands there."""
    rng = np.random.default_rng(4)
    board_map = random_camera(rng, random_look(rng), (960, 720), 0, oblique=False)
    frame = Frame(np.zeros((720, 960, 3), np.uint8))
    seating = Seating()
    readings = tuple(
        SiteReading(seating.site(point), ((0, 0, 1.0),), 0.001)
        for point in sorted(set(range(1, 25)) - covered)
    )
    drawn = draw_observation(
        frame, board_map, Observation(Source.CAMERA, 0.0, 1, condition, readings), seating
    )
    red = (drawn[:, :, 2] > 200) & (drawn[:, :, 1] < 100)
    asked = set()
    for point in range(1, 25):
        place = np.zeros(red.shape, np.uint8)
        strip = np.round(board_map.point_polygon(point)).astype(np.int32)
        cv2.fillPoly(place, [strip], 255)
        if (red & (place > 0)).sum() > 10:
            asked.add(point)
    assert asked == (covered if condition is Condition.AT_REST else set())

"""What the board's networks are taught with: seatings, turned boards, hidden feet, palettes."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from vision.geometry import from_corners
from vision.orientation import HALF_TURN, MIRRORED, SEATED
from vision.synthetic.truth import foot_hidden, point_foot
from vision.train.board_views import in_order, off_field
from vision.train.data import painted_labelled
from vision.train.positions import positions
from vision.train.wide import equally_light, estranged, wanted
from vision.whole_field import FIELD_SIZE

START = np.zeros(50, np.float32)
START[[5, 7, 12, 23, 24, 35, 40, 42]] = 5, 3, 5, 2, 2, 5, 3, 5


def test_games_are_taught_with_light_near_and_its_home_east() -> None:
    taught = positions(400, 5)
    assert len(taught) == 400 and taught[:, :24].sum(1).max() <= 15
    assert any((taught == START).all(1))
    # Nard begins with light's head in the north-east, or in the south-west where dark began.
    heads = {(int(x[:24].argmax()) + 1, int(x[24:48].argmax()) + 1) for x in taught if x.max() > 13}
    assert {(24, 12)} <= heads


def test_a_board_turned_round_or_mirrored_twice_is_as_it_was() -> None:
    seen = np.arange(50)
    assert (seen[HALF_TURN][HALF_TURN] == seen).all() and (seen[MIRRORED][MIRRORED] == seen).all()
    assert (SEATED[:, HALF_TURN] == SEATED[::-1]).all()


@pytest.mark.parametrize("degrees", [-44, -20, 0, 20, 44])
@pytest.mark.parametrize("mirrored", [False, True])
def test_corners_of_a_turned_board_keep_their_names(degrees: float, mirrored: bool) -> None:
    turn = math.radians(degrees)
    flat = np.array([(-1.4, -1), (1.4, -1), (1.4, 1), (-1.4, 1)], np.float64)
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    true = flat @ rotation.T
    given = true[[1, 0, 3, 2]] if mirrored else np.roll(true, 1, 0)
    assert np.allclose(in_order(given), true)


def test_a_foot_behind_a_wall_is_hidden_and_no_other() -> None:
    board = from_corners([(300, 200), (980, 200), (1150, 800), (130, 800)], (1280, 960))
    mask = np.zeros((960, 1280), np.uint8)
    x, y = point_foot(1, board)
    column, row = np.round(board.project([(x, y, board.thickness)])[0]).astype(int)
    mask[row - 30 :, column - 40 :] = 1
    assert foot_hidden(1, board, mask) > 0.9
    assert foot_hidden(12, board, mask) == foot_hidden(24, board, mask) == 0
    assert foot_hidden(1, board, mask, place=3) == 0, "the third of a row stands before the wall"
    mask[:] = 1
    assert foot_hidden(13, board, mask) > 0.9


def test_feet_lie_where_points_are_numbered() -> None:
    board = from_corners([(300, 200), (980, 200), (1150, 800), (130, 800)], (1280, 960))
    assert point_foot(1, board)[0] > 5 > 0 > point_foot(1, board)[1]
    assert point_foot(12, board)[0] < -5 and point_foot(13, board)[0] < -5
    assert point_foot(24, board)[1] > 0


def test_equally_light_sets_differ_in_hue_alone_and_keep_their_order() -> None:
    for number in range(60):
        rng = random.Random(number)
        theme: dict[str, tuple[int, int, int]] = {"light": (0, 0, 0), "dark": (0, 0, 0)}
        equally_light(theme, rng)  # type: ignore[arg-type]
        light, dark = (
            0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2] for c in (theme["light"], theme["dark"])
        )
        assert 2 < light - dark < 32, number


def test_a_palette_and_a_scene_come_from_their_numbers_alone() -> None:
    def palette() -> object:
        return estranged(
            {
                "field": ("felt", (9, 9, 9)),
                "pts": [(1, 2, 3), (4, 5, 6)],
                "light": (200, 200, 200),
                "dark": (20, 20, 20),
                "rail": ("wood", (50, 50, 50)),
            },
            7,
        )

    assert palette() == palette()
    assert wanted(random.Random(3), ["a"]) == wanted(random.Random(3), ["a"])


def test_a_field_mirrored_keeps_the_names_of_its_corners() -> None:
    """However a lesson is mirrored, its first corner is the upper left one, and the bar's ends lie
    between.
    """
    rng = np.random.default_rng(4)
    item = painted_labelled(rng)
    seen = 0
    for _ in range(16):
        view, at = off_field(item, rng)
        assert view.shape == (FIELD_SIZE[1], FIELD_SIZE[0], 3)
        if at is not None:
            seen += 1
            assert (np.diff(at[[0, 5, 4, 1], 0]) > 0).all()
            assert (np.diff(at[[3, 6, 7, 2], 0]) > 0).all()
            assert (at[[0, 5, 4, 1], 1] < at[[3, 6, 7, 2], 1]).all()
    assert seen > 8

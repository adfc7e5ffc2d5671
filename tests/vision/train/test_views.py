"""What the board's networks are taught with: seatings, turned boards, hidden feet, palettes."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from vision.geometry import from_corners
from vision.synthetic.truth import foot_hidden, point_foot
from vision.train.board_views import in_order
from vision.train.positions import SEATINGS, features
from vision.train.wide import equally_light, estranged, wanted

START = {6: 5, 8: 3, 13: 5, 24: 2}


def judged(light: dict[int, int], dark: dict[int, int]) -> list[float]:
    """How often this very position meant that east is on the right, each 1 or 0."""
    x, y = TAUGHT
    row = np.zeros(48, np.float32)
    for points, first in ((light, 0), (dark, 24)):
        for point, number in points.items():
            row[first + point - 1] = number / 5
    return [float(v) for v in y[np.abs(x[:, :48] - row).max(1) < 1e-6]]


TAUGHT = features(3000, 5)
TURNED = {25 - p: n for p, n in START.items()}


def test_a_start_with_light_near_and_homes_east_says_which_way_round() -> None:
    right = judged(START, TURNED)
    assert len(right) > 20 and np.mean(right) > 0.85


def test_a_start_that_two_seatings_share_says_nothing() -> None:
    """Light at the top with homes east is light at the bottom with homes west, turned."""
    shared = judged(TURNED, START)
    assert len(shared) > 20 and 0.25 < np.mean(shared) < 0.75
    assert math.isclose(sum(s[2] for s in SEATINGS), 1)


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

"""What a table's camera says of a board that it cannot read."""

from __future__ import annotations

import numpy as np

from rules.board import Seating
from rules.observation import Condition
from service.session.sight import UNREAD_S, Hint, Sight, read_frame
from tests.vision.weights import NETWORKS
from vision.frame import Frame


def test_a_camera_that_sees_no_board_says_so_and_what_to_do() -> None:
    wall = np.full((480, 640, 3), 120, np.uint8)
    sight, hint = Sight(networks=NETWORKS), Hint(Seating())
    for n in range(4):
        sight, seen = read_frame(sight, Frame(wall, n * 4.0, n), hint)
        assert seen.condition is Condition.NO_BOARD and "show the whole board" in seen.note
        assert bool(sight.unread) == (n * 4.0 >= UNREAD_S)
    assert sight.unread == sight.trouble

"""A stream of painted frames: colours learned from the start, repeats when nothing changed, hands,
pushes.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rules.board import BAR, POINTS, Placement, Seating
from rules.observation import Condition, Observation
from tests.vision.weights import NETWORKS
from vision.frame import Frame
from vision.geometry import GeometryError
from vision.known import geometric_counts
from vision.reader import Eye, read_next, read_picture
from vision.synthetic.scene import paint
from vision.synthetic.truth import PaintedScene

START = {
    24: (2, 0),
    13: (5, 0),
    8: (3, 0),
    6: (5, 0),
    1: (0, 2),
    12: (0, 5),
    17: (0, 3),
    19: (0, 5),
}
PLACEMENT = Placement.of({24: 2, 13: 5, 8: 3, 6: 5}, {1: 2, 12: 5, 17: 3, 19: 5})
MOVED = {
    **{p: c for p, c in START.items() if p not in (24, 13)},
    24: (1, 0),
    13: (4, 0),
    18: (1, 0),
    11: (1, 0),
}


def scene(
    counts: dict[int, tuple[int, int]],
    seed: int = 12,
    first: PaintedScene | None = None,
    *,
    covered: bool = False,
) -> PaintedScene:
    rng = np.random.default_rng(seed)
    return paint(
        rng,
        counts,
        look=first.look if first else None,
        board_map=first.board_map if first else None,
        dice=0,
        covered=covered,
        plain_light=True,
    )


def at(pixels: np.ndarray, number: int) -> Frame:
    """The frame of a moment, with a sensor's noise."""
    shaken = pixels.astype(np.int16) + np.random.default_rng(number).integers(
        -2, 3, pixels.shape, dtype=np.int16
    )
    return Frame(np.clip(shaken, 0, 255).astype(np.uint8), number * 0.2, number)


def right(seen: Observation, counts: dict[int, tuple[int, int]]) -> int:
    likely = seen.most_likely()
    return sum((likely.white[p], likely.black[p]) == counts.get(p, (0, 0)) for p in POINTS)


def test_known_positions_as_pictures_number_them() -> None:
    assert geometric_counts(PLACEMENT, Seating()) == START


def test_start_then_a_move() -> None:
    first = scene(START)
    eye = Eye.of(first.board_map, NETWORKS)
    for number in range(4):
        eye, seen = read_next(eye, at(first.frame.pixels, number), known=PLACEMENT)
    assert eye.palette is not None
    assert right(seen, START) >= 23
    second = scene(MOVED, 13, first)
    for number in range(4, 10):
        eye, seen = read_next(eye, at(second.frame.pixels, number))
    assert seen.condition is Condition.AT_REST
    assert right(seen, MOVED) >= 19
    assert seen.at(BAR) is not None


def test_nothing_changed_repeats_the_reading_with_its_own_time() -> None:
    first = scene(START)
    eye = Eye.of(first.board_map, NETWORKS)
    for number in range(6):
        eye, before = read_next(eye, at(first.frame.pixels, number))
    eye, after = read_next(eye, at(first.frame.pixels, 6))
    assert after.sites is before.sites
    assert (after.number, after.seen_at) == (6, 6 * 0.2)


def test_a_hand_is_no_evidence() -> None:
    first = scene(START)
    eye = Eye.of(first.board_map, NETWORKS)
    for number in range(5):
        eye, _ = read_next(eye, at(first.frame.pixels, number))
    hand = scene(START, 21, first, covered=True)
    eye, seen = read_next(eye, at(hand.frame.pixels, 5))
    assert seen.condition is Condition.MOVING
    assert seen.sites == ()


def test_a_picture_of_another_shape_needs_another_map() -> None:
    first = scene(START)
    with pytest.raises(GeometryError, match="find the board again"):
        read_picture(Frame(np.zeros((480, 480, 3), np.uint8)), first.board_map, NETWORKS)


def test_the_same_camera_at_half_the_size() -> None:
    first = scene(START)
    small = Frame(np.ascontiguousarray(first.frame.pixels[::2, ::2]))
    assert len(read_picture(small, first.board_map, NETWORKS).sites) > 0


def test_a_pool_changes_nothing_that_is_said() -> None:
    rng = np.random.default_rng(21)
    made = paint(rng, START, dice=2)
    with ThreadPoolExecutor(1) as pool:
        alone = read_picture(made.frame, made.board_map, NETWORKS)
        assert read_picture(made.frame, made.board_map, NETWORKS, pool=pool) == alone
        eyes = [Eye.of(made.board_map, NETWORKS)] * 2
        for number in range(4):
            frame = at(made.frame.pixels, number)
            eyes[0], first = read_next(eyes[0], frame)
            eyes[1], second = read_next(eyes[1], frame, pool=pool)
            assert first == second
    assert alone.dice

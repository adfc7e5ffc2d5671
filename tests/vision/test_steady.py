"""Each case: pictures in, conditions out."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from rules.board import OFF
from rules.observation import Condition
from tests.vision import scenes_dice as scenes
from vision.arrays import Pixels
from vision.steady import Steady, next_steady

REST, MOVING = Condition.AT_REST, Condition.MOVING
MAP = scenes.board_map()


def run(pictures: list[Pixels], seconds: float = 0.3) -> list[Steady]:
    steady, states = Steady(), []
    for frame in scenes.frames(pictures, seconds):
        steady, condition, note = next_steady(steady, frame, MAP)
        assert (condition is REST) == (note == "") and condition is steady.condition
        states.append(steady)
    return states


def with_hand(seed: int, at: tuple[int, int] = (300, 300)) -> Pixels:
    picture = scenes.empty_board(seed)
    scenes.hand(picture, at)
    return scenes.noisy(picture, seed)


def with_checkers(seed: int, *places: tuple[float, float]) -> Pixels:
    picture = scenes.empty_board(seed)
    for x, y in places:
        scenes.checker(picture, x, y)
    return scenes.noisy(picture, seed + 100)


def shifted(picture: Pixels, dx: float, dy: float, turn: float = 0.0) -> Pixels:
    matrix = cv2.getRotationMatrix2D((320, 240), turn, 1.0)
    matrix[:, 2] += (dx, dy)
    return np.asarray(
        cv2.warpAffine(picture, matrix, scenes.SIZE, borderMode=cv2.BORDER_REFLECT), np.uint8
    )


def test_nothing_changes() -> None:
    states = run([scenes.empty_board(i) for i in range(4)])
    assert [s.condition for s in states] == [REST] * 4
    assert [s.nothing_changed for s in states] == [False, True, True, True]


def test_hand_comes_and_goes_and_leaves_a_checker() -> None:
    x, y = MAP.point_x(20), MAP.height / 2 - 0.5
    pictures = [
        scenes.empty_board(0),
        with_hand(1),
        with_hand(2, (320, 250)),
        with_checkers(3, (x, y)),
        with_checkers(4, (x, y)),
    ]
    states = run(pictures)
    assert [s.condition for s in states] == [REST, MOVING, MOVING, REST, REST]
    assert 20 in states[3].changed_sites and states[3].changed_sites <= {19, 20, 21, OFF}
    assert not states[3].nothing_changed
    assert states[4].nothing_changed


def test_something_small_moves_in_the_field() -> None:
    pictures = [with_checkers(i, (-4 + 0.4 * i, 0.0)) for i in range(5)] + [
        with_checkers(9, (-2.4, 0.0)) for _ in range(8)
    ]
    states = run(pictures, 0.05)
    assert [s.condition for s in states[1:5]] == [MOVING] * 4
    assert states[-1].condition is REST


@pytest.mark.parametrize(("dx", "dy", "turn"), [(6, 0, 0), (-3, 7, 0), (0, 0, 1.5), (1, 1, -1.2)])
def test_bumped_until_there_is_a_new_map(dx: float, dy: float, turn: float) -> None:
    board = scenes.empty_board(0)
    states = run(
        [
            board,
            scenes.noisy(board, 1),
            *(scenes.noisy(shifted(board, dx, dy, turn), k) for k in (2, 3)),
        ]
    )
    assert [s.condition for s in states] == [REST, REST, Condition.BUMPED, Condition.BUMPED]
    other = MAP.turned().turned().scaled(1.0)
    moved = type(other).from_json(other.to_json().replace('"bar": 1.0', '"bar": 1.01'))
    after, condition, _ = next_steady(
        states[-1], scenes.frames([shifted(board, dx, dy, turn)], start=200)[0], moved
    )
    assert condition is REST and after.first


def test_a_checker_in_a_corner_or_a_hand_is_no_bump() -> None:
    corner = with_checkers(
        1,
        (MAP.width / 2 - 0.5, -MAP.height / 2 + 0.5),
        (-MAP.width / 2 + 0.5, MAP.height / 2 - 0.5),
    )
    assert [
        s.condition for s in run([scenes.empty_board(0), corner, with_hand(2, (120, 400))])
    ] == [REST, REST, MOVING]


@pytest.mark.parametrize("gain", [0.6, 1.4])
def test_lamp_switched(gain: float) -> None:
    board = scenes.empty_board(0)
    lit = np.clip(board * gain, 0, 255).astype(np.uint8)
    states = run([board, scenes.noisy(board, 1), lit, scenes.noisy(lit, 2), scenes.noisy(lit, 3)])
    assert [s.condition for s in states] == [REST, REST, Condition.RELIT, REST, REST]


def test_slow_dusk_is_no_event() -> None:
    board = scenes.empty_board(0)
    states = run(
        [scenes.noisy(np.clip(board * 0.985**k, 0, 255).astype(np.uint8), k) for k in range(30)]
    )
    assert {s.condition for s in states} == {REST}


@pytest.mark.parametrize(
    ("level", "condition"), [(4, Condition.DARK), (254, Condition.OVER_EXPOSED)]
)
def test_no_light_and_too_much(level: int, condition: Condition) -> None:
    states = run(
        [scenes.empty_board(0), np.full((480, 640, 3), level, np.uint8), scenes.empty_board(2)]
    )
    assert [s.condition for s in states] == [REST, condition, REST]


def test_frozen_camera() -> None:
    board = scenes.empty_board(0)
    states = run([board] * 12 + [scenes.noisy(board, 5)], 0.5)
    assert [s.condition for s in states[:4]] == [REST] * 4
    assert states[5].condition is Condition.FROZEN and "2.5 s" in states[5].note
    assert states[-1].condition is REST


def test_hand_that_never_stirs_becomes_the_board() -> None:
    states = run([with_hand(0)] + [scenes.empty_board(k) for k in range(1, 14)], 0.4)
    assert states[1].condition is MOVING
    assert states[-1].condition is REST and states[-1].nothing_changed

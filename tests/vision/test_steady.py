"""Each case: pictures in, conditions out."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from rules.board import OFF
from rules.observation import Condition
from tests.vision import scenes_dice as scenes
from vision.arrays import Mask, Pixels
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


def over(*boxes: tuple[int, int, int, int]) -> Mask:
    """What is covered: boxes left, top, right, bottom in the picture, seen in the shrunk one."""
    covered = np.zeros((240, 320), np.bool_)
    for left, top, right, bottom in boxes:
        covered[top // 2 : bottom // 2, left // 2 : right // 2] = True
    return covered


def follow(
    pictures: list[Pixels], covers: list[Mask] | None = None, seconds: float = 0.15
) -> list[Steady]:
    """States of a stream whose reader says what covers the board in each picture."""
    steady, states = Steady(), []
    covers = covers or [over()] * len(pictures)
    for frame, covered in zip(scenes.frames(pictures, seconds), covers, strict=True):
        board_map = steady.board_map or MAP
        steady, _, _ = next_steady(steady, frame, board_map, look=covered.copy)
        states.append(steady)
    return states


def conditions(states: list[Steady]) -> list[Condition]:
    return [s.condition for s in states]


HAND = (270, 250, 640, 480)


def test_a_first_picture_with_a_hand_is_no_reference() -> None:
    """Once the hand is gone the board is read at once, and not three seconds later."""
    covers = [over(HAND)] * 2 + [over()] * 4
    states = follow([with_hand(0), with_hand(1), *map(scenes.empty_board, range(2, 6))], covers)
    assert conditions(states)[:2] == [MOVING] * 2
    assert conditions(states)[-2:] == [REST] * 2


def test_a_thing_there_from_the_beginning_is_waited_for_a_second() -> None:
    states = follow([with_hand(k) for k in range(10)], [over(HAND)] * 10)
    assert conditions(states)[0] is MOVING and conditions(states)[-1] is REST


def tray(seed: int, discs: int) -> Pixels:
    """The board with so many checkers in a tray beside a narrow rail."""
    picture = scenes.empty_board(seed)
    for k in range(discs):
        scenes.checker(picture, MAP.width / 2 + 0.9, -MAP.height / 2 + 0.6 + k)
    return scenes.noisy(picture, seed + 50)


def test_checkers_laid_in_the_tray_one_a_second_are_no_hand() -> None:
    """The camera is never blind for longer than the hand itself is in the picture."""
    pictures, covers = [scenes.empty_board(0)], [over()]
    for disc in range(1, 5):
        pictures += [with_hand(10 * disc, (560, 430)), with_hand(10 * disc + 1, (550, 440))]
        covers += [over((500, 400, 640, 480))] * 2
        pictures += [tray(10 * disc + k, disc) for k in range(2, 7)]
        covers += [over()] * 5
    states = follow(pictures, covers)
    read = [s.condition is REST for s in states[1:]]
    assert all(any(read[7 * k : 7 * k + 7]) for k in range(4))


def with_cup(seed: int, discs: int = 0) -> Pixels:
    picture = tray(seed, discs)
    cv2.circle(picture, (330, 240), 70, (30, 60, 40), -1)
    return scenes.noisy(picture, seed + 70)


def test_a_cup_is_taken_in_while_hands_move_elsewhere() -> None:
    cup = over((260, 170, 400, 310))
    pictures, covers = [scenes.empty_board(0)], [over()]
    for k in range(14):
        picture = with_cup(k + 1)
        covered = cup
        if k % 3:
            scenes.hand(picture, (540 - 10 * k, 380 + 7 * k))
            covered = cup | over((500, 300, 640, 480))
        pictures.append(picture)
        covers.append(covered)
    states = follow([*pictures, with_cup(30), with_cup(31)], [*covers, cup, cup])
    assert conditions(states)[1] is MOVING
    assert conditions(states)[-1] is REST


def test_a_shadow_that_stays_is_no_hand() -> None:
    def shaded(seed: int) -> Pixels:
        picture = scenes.empty_board(seed).astype(np.float32)
        shade = np.ones((480, 640, 1), np.float32)
        cv2.fillPoly(shade, [np.array([(300, 479), (420, 479), (400, 200), (340, 200)])], (0.5,))
        return np.asarray(picture * cv2.GaussianBlur(shade, (15, 15), 0)[..., None], np.uint8)

    states = follow([scenes.empty_board(0), *map(shaded, range(1, 11))])
    assert conditions(states)[2] is MOVING and conditions(states)[-1] is REST


@pytest.mark.parametrize(("dx", "dy", "turn"), [(150, 10, 0), (0, 0, 180), (60, -60, 20)])
def test_a_board_that_is_somewhere_else_is_said_to_be(dx: float, dy: float, turn: float) -> None:
    board = scenes.empty_board(0)
    there = shifted(board, dx, dy, turn)
    states = follow([board, *(scenes.noisy(there, k) for k in range(1, 8))])
    assert REST not in conditions(states)[1:]
    assert conditions(states)[-1] is Condition.BUMPED


def test_a_board_that_drifts_is_followed_without_a_word() -> None:
    board = scenes.empty_board(0)
    pictures = [scenes.noisy(shifted(board, 0.3 * k, 0.2 * k), k) for k in range(24)]
    states = follow(pictures, None, 0.5)
    assert set(conditions(states)) == {REST}
    board_map = states[-1].board_map
    assert board_map is not None
    off = board_map.corners() - MAP.corners() - np.array([0.3 * 23, 0.2 * 23])
    assert float(np.abs(off).max()) < 0.06 * MAP.unit_pixels


def test_a_resting_arm_is_taken_in_after_a_while() -> None:
    states = follow([scenes.empty_board(0)] + [with_hand(k) for k in range(1, 12)], None, 0.4)
    assert states[1].condition is MOVING
    assert states[-1].condition is REST and states[-1].nothing_changed

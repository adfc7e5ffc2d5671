"""Two sets told apart by colour over the whole board: equally light ones, and plain ones."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.test_checkers import START
from tests.vision.test_checkers import reading as reading_of
from vision.arrays import F64, Pixels
from vision.canvas import COLUMNS, ROWS, canvas, image_index
from vision.checkers import CheckerReading, kind_counts
from vision.networks import Networks
from vision.prepared import PreparedMap
from vision.sets import Palette, palette_of, told_apart
from vision.train.film import PaintedBoard, PaintedShot

Bgr = tuple[int, int, int]
FELT: Bgr = (60, 110, 60)
RED: Bgr = (50, 60, 190)
AZURE: Bgr = (180, 90, 40)
"""As light as the red within a hundredth or two."""
IVORY: Bgr = (190, 215, 230)
BLACK: Bgr = (30, 28, 25)


def board(
    light: Bgr, dark: Bgr, misnamed: tuple[int, ...], sure: float, orientation: int = 0
) -> tuple[Pixels, CheckerReading]:
    """A canvas of the start position in two colours, and a reading that gives the checkers of some
    points to the other set.
    """
    rng = np.random.default_rng(7)
    said = {p: (d, n) if p in misnamed else (n, d) for p, (n, d) in START.items()}
    reading = reading_of(said, sure)
    # What is not one set is likelier the other than nothing.
    for p, (n, d) in said.items():
        row, kind = reading.points[p - 1], n if n else 15 + d
        row[:] = 1e-7
        row[kind], row[d + n + (15 if n else 0)] = sure, 1 - sure
    canvas = np.empty((ROWS, COLUMNS, 3), np.float64)
    canvas[:] = FELT
    for p, (n, d) in START.items():
        index = image_index(p, orientation)
        column = 5 + 2 * (index % 12) + (2 if index % 12 >= 6 else 0)
        rows = slice(1, 1 + 2 * (n + d)) if index < 12 else slice(23 - 2 * (n + d), 23)
        reading.cells[1 if said[p][0] else 2, rows, column : column + 2] = 1.0
        shade = rng.uniform(0.9, 1.1)
        canvas[8 * rows.start : 8 * rows.stop, 8 * column : 8 * column + 16] = (
            np.array(light if n else dark) * shade
        )
    return canvas.clip(0, 255).astype(np.uint8), reading


def right(points: F64) -> list[float]:
    """How likely what truly stands there is, point by point where checkers stand."""
    kinds = {p: (n if n else 15 + d) for p, (n, d) in START.items()}
    return [float(points[p - 1, k]) for p, k in kinds.items()]


@pytest.mark.parametrize("orientation", [0, 180])
def test_equally_light_sets_are_told_apart_by_their_hue_and_named_as_learned(
    orientation: int,
) -> None:
    straight, reading = board(RED, AZURE, (6, 12, 17), 0.97, orientation)
    palette = Palette(RED, AZURE)
    points, _ = told_apart(straight, reading, orientation, palette)
    assert min(right(points)) > 0.9
    swapped = Palette(palette.dark, palette.light)
    points, _ = told_apart(straight, reading, orientation, swapped)
    assert max(right(points)) < 0.1


def test_without_colours_learned_one_set_is_named_as_a_whole_and_never_surely() -> None:
    straight, reading = board(RED, AZURE, (6, 12, 17), 0.97)
    points, _ = told_apart(straight, reading, 0)
    said = right(points)
    assert max(said) - min(said) < 0.1
    assert min(said) > 0.05 and max(said) < 0.99
    # What was counted stays counted.
    for p, (n, d) in START.items():
        assert sum(kind_counts(int(points[p - 1].argmax()))) == n + d
    assert points.sum(1) == pytest.approx(reading.points.sum(1))


def test_sets_that_are_plainly_light_and_dark_are_left_to_the_network() -> None:
    straight, reading = board(IVORY, BLACK, (), 0.97)
    points, bar = told_apart(straight, reading, 0)
    assert points is reading.points and bar is reading.bar


def test_an_empty_board_has_no_sets() -> None:
    reading = reading_of({})
    straight = np.full((ROWS, COLUMNS, 3), 90, np.uint8)
    assert told_apart(straight, reading, 0)[0] is reading.points


def test_a_lamp_at_one_end_makes_no_two_sets_of_one_that_was_learned() -> None:
    """Of the cream set six are left, of the tan one twelve, brighter the farther off: those were
    cream ones, and a whole painted film went astray.
    """
    painted, networks = PaintedBoard.of(62, oblique=True), Networks()
    board, way = PreparedMap(painted.board), painted.board.orientation

    def seen(number: int, counts: dict[int, tuple[int, int]]) -> Pixels:
        return canvas(painted.shoot(PaintedShot(0.0, counts), number).pixels, board)

    start = seen(0, START)
    palette = palette_of(start, networks.checkers.read(start, way), way, START)
    one = dict.fromkeys((1, 2, 4, 7, 12, 13, 18), (0, 1))
    late = {3: (5, 0), **one, **dict.fromkeys((19, 20, 21, 23), (0, 2))}
    points = networks.checkers.read(seen(655, late), way, palette).points
    light = {p: float(points[p - 1, 1:16].sum()) > 0.5 for p in late}
    assert light == {p: p == 3 for p in late}


CREAM: Bgr = (155, 185, 191)
TAN: Bgr = (108, 145, 162)


def test_another_light_than_that_of_the_start_is_no_other_set() -> None:
    """All is dimmer and redder than when the colours were learned."""
    straight, reading = board(CREAM, TAN, (), 0.8)
    warm = (straight * np.array([0.6, 0.68, 0.8])).clip(0, 255).astype(np.uint8)
    palette = Palette(light=CREAM, dark=TAN)
    assert min(right(told_apart(warm, reading, 0, palette)[0])) > 0.7


@pytest.mark.parametrize("light", [0.35, 0.5, 1.3], ids=["lamp out", "dusk", "lamp on"])
def test_light_checkers_in_the_dark_are_no_dark_ones(light: float) -> None:
    """The colours were learned by lamplight. When the lamp went out, light checkers were as dark as
    dark ones had been, and the sets of four points were exchanged.
    """
    painted, networks = PaintedBoard.of(3303, oblique=False), Networks()
    board, way = PreparedMap(painted.board), painted.board.orientation
    lit = painted.shoot(PaintedShot(0.0, START), 0).pixels
    straight = canvas(lit, board)
    palette = palette_of(straight, networks.checkers.read(straight, way), way, START)
    later = painted.shoot(PaintedShot(1.0, START), 1).pixels * light
    now = canvas(later.clip(0, 255).astype(np.uint8), board)
    points = networks.checkers.read(now, way, palette).points
    named = {p: float(points[p - 1, 1:16].sum()) > 0.5 for p in START}
    assert named == {p: n > 0 for p, (n, _) in START.items()}


def test_the_set_that_is_left_alone_is_not_the_other_one_in_another_light() -> None:
    """All cream checkers are borne off: tan ones may be cream ones of less light, but nobody has
    touched a lamp. The last turn of a film was lost over it.
    """
    painted, networks = PaintedBoard.of(62, oblique=True), Networks()
    board, way = PreparedMap(painted.board), painted.board.orientation
    straight = canvas(painted.shoot(PaintedShot(0.0, START), 0).pixels, board)
    palette = palette_of(straight, networks.checkers.read(straight, way), way, START)
    left = {6: (0, 1), 12: (0, 1), 18: (0, 1), **dict.fromkeys((8, 19, 20, 21, 22, 23), (0, 2))}
    now = canvas(painted.shoot(PaintedShot(0.0, left), 824).pixels, board)
    points = networks.checkers.read(now, way, palette).points
    assert max(float(points[p - 1, 1:16].sum()) for p in left) < 0.5

"""Boards found with nothing given; where none is, a reason."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from rules.board import Placement
from tests.vision.weights import NETWORKS
from vision.arrays import F64, Pixels
from vision.calibrate import BoardNotFound, find_board, found_again
from vision.canvas import canvas
from vision.checkers import CheckerReading
from vision.corners import corner_patches, half_corners, patch_places
from vision.evaluate import labelled_pictures
from vision.evaluate_corners import MOVES, NEAR, moved_corners
from vision.frame import Frame, load_picture
from vision.geometry import BoardMap, from_corners, unit_between
from vision.orientation import (
    EXCHANGED,
    HALF_TURN,
    MIRRORED,
    orientation_probability,
    sides_in_view,
    tags_orientation,
)
from vision.prediction import predict, prediction_json
from vision.prepared import PreparedMap
from vision.settings import DEFAULT
from vision.synthetic.scene import paint
from vision.train.positions import positions
from vision.verify import doubt_of_reading

BOARDS = {
    case.name: case
    for case in labelled_pictures(Path(__file__).resolve().parent.parent / "data" / "vision")
}
FRAMES = {name: Frame(load_picture(case.path)) for name, case in BOARDS.items()}


def unit(name: str) -> float:
    return unit_between(np.array(BOARDS[name].corners), DEFAULT.geometry.bar)


@pytest.mark.parametrize("name", ["board_057", "board_117"])
def test_cold(name: str) -> None:
    """Corners within a third of a point, the right way round, with nothing given."""
    case = BOARDS[name]
    found = find_board(Frame(load_picture(case.path)), NETWORKS)
    assert np.abs(found.corners() - np.array(case.corners)).max() < 0.34 * unit(name)
    assert found.orientation == case.orientation


def test_a_board_as_long_as_those_for_tournaments() -> None:
    """Some boards' fields are nearly square; the traced ones' are not, so one is stretched."""
    case = BOARDS["board_117"]
    frame = Frame(
        cv2.resize(
            load_picture(case.path), None, fx=1, fy=1.18, interpolation=cv2.INTER_LINEAR
        ).astype(np.uint8)
    )
    found = find_board(frame, NETWORKS, orientation=case.orientation)
    assert np.abs(found.corners() - np.array(case.corners) * (1, 1.18)).max() < 0.34 * unit(
        "board_117"
    )


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize(("way", "by"), MOVES)
def test_corners_given_wrongly_are_refused(name: str, way: str, by: float) -> None:
    """A tenth of a point off is read, half a point and more never, and the words say how far."""
    case, frame = BOARDS[name], FRAMES[name]
    given = moved_corners(case.corners, frame.size, way, by, name)
    if by <= NEAR:
        found = find_board(frame, NETWORKS, corners=given, orientation=case.orientation)
        assert np.abs(found.corners() - np.array(case.corners)).max() < 0.2 * unit(name)
        assert found.sure_of_place == 1
        return
    with pytest.raises(BoardNotFound, match="points from where the board is seen"):
        find_board(frame, NETWORKS, corners=given, orientation=case.orientation)


@pytest.mark.parametrize("degrees", [cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_90_COUNTERCLOCKWISE])
def test_corners_dragged_on_a_board_that_lies_across(degrees: int) -> None:
    """Whoever drags them begins at the picture's top left, whichever side of the board that is."""
    case = BOARDS["board_117"]
    lying = cv2.rotate(load_picture(case.path), degrees)
    wide, high = lying.shape[1], lying.shape[0]
    clockwise = degrees == cv2.ROTATE_90_CLOCKWISE
    true = [(wide - 1 - y, x) if clockwise else (y, high - 1 - x) for x, y in case.corners]
    dragged = [true[3], true[0], true[1], true[2]] if clockwise else [*true[1:], true[0]]
    assert np.array(dragged)[0] @ (1, 1) == np.min(np.array(dragged) @ (1, 1)), "top left first"
    found = find_board(Frame(lying.astype(np.uint8)), NETWORKS, corners=dragged)
    assert found.lies_across() == (wide > high)
    long, short = (np.linalg.norm(found.corners()[k + 1] - found.corners()[k]) for k in (0, 1))
    assert long > short
    assert {tuple(c.round()) for c in found.corners()} == {tuple(np.round(c)) for c in dragged}


def test_corners_that_the_picture_neither_shows_nor_denies_make_nothing_certain() -> None:
    """With rails and table blurred away nothing tells where the field ends: what is read on corners
    given is kept, and is no longer nearly certain.
    """
    case, frame = BOARDS["board_117"], FRAMES["board_117"]
    field = np.zeros(frame.pixels.shape[:2], np.uint8)
    cv2.fillConvexPoly(field, np.array(case.corners).round().astype(np.int32), 1)
    inner = cv2.erode(field, np.ones((45, 45)))[..., None] > 0
    blurred = cv2.GaussianBlur(frame.pixels, (0, 0), 22)
    hidden = np.where(inner, frame.pixels, blurred).astype(np.uint8)
    hidden[cv2.dilate(field, np.ones((45, 45))) == 0] = 128
    plain, unseen = (
        find_board(Frame(pixels), NETWORKS, corners=case.corners, orientation=case.orientation)
        for pixels in (frame.pixels, hidden)
    )
    sure = [
        predict(Frame(pixels), board, NETWORKS).points.max(1)
        for pixels, board in ((frame.pixels, plain), (hidden, unseen))
    ]
    assert (plain.sure_of_place, unseen.sure_of_place) == (1.0, 0.95)
    assert np.median(sure[0]) > 0.99 and sure[1].max() < 0.99 and np.median(sure[1]) > 0.9


def test_a_doubt_counts_once() -> None:
    """Where the board may lie elsewhere, and the other way round if it lies there, what is read is
    right where neither is so; a point whose other end is hidden is said as surely as that.
    """
    case, frame = BOARDS["board_117"], FRAMES["board_117"]
    found = find_board(frame, NETWORKS, corners=case.corners, orientation=case.orientation)
    sure = predict(frame, found, NETWORKS)
    doubted = replace(found, sure_of_place=0.95, sure_of_orientation=0.98)
    unsure = predict(frame, doubted, NETWORKS)
    kinds = sure.points.argmax(1)
    alone = kinds != np.roll(kinds, 12)
    at = np.arange(24)
    assert alone.any()
    there = unsure.points[at, kinds] / (0.95 * 0.98 * sure.points[at, kinds])
    assert (there[alone] >= 1 - 1e-9).all() and (unsure.points.max(1) < 0.99).all()
    confidence = prediction_json(unsure)["board"]["orientation_confidence"]
    assert confidence == pytest.approx(0.5 + 0.48 * 0.95, abs=1e-4)


def test_a_hidden_row_says_nothing_of_the_other() -> None:
    """The near row lies under a cloth; which way round is nearly sure: the far row is still said,
    and of the near one little: a plain cloth may be a field without points.
    """
    case, frame = BOARDS["board_117"], FRAMES["board_117"]
    found = find_board(frame, NETWORKS, corners=case.corners, orientation=case.orientation)
    middle, half = found.height / 2, 6 + found.bar / 2
    field = [(-half, -middle, 0), (half, -middle, 0), (half, -0.6, 0), (-half, -0.6, 0)]
    cloth = frame.pixels.copy()
    lies = found.facing(0).project(np.array(field, np.float64))
    cv2.fillConvexPoly(cloth, lies.round().astype(np.int32), (90, 120, 60))
    said = prediction_json(
        predict(Frame(cloth), replace(found, sure_of_orientation=0.98), NETWORKS)
    )["points"]
    near = [said[str(n)] for n in range(1, 13)]
    far = [said[str(n)] for n in range(13, 25)]
    assert sum(p is None for p in near) >= 6, near
    assert sum(p is not None for p in far) >= 9, far


def test_a_known_position_settles_the_orientation() -> None:
    case = BOARDS["board_057"]
    known = Placement.of(
        *({int(p): c[k] for p, c in case.truth["points"].items()} for k in ("light", "dark"))
    )
    frame = Frame(load_picture(case.path))
    assert (
        find_board(frame, NETWORKS, corners=case.corners, known=known).orientation
        == case.orientation
    )
    with pytest.raises(BoardNotFound, match="do not stand as said"):
        find_board(
            frame,
            NETWORKS,
            corners=case.corners,
            known=Placement.of(dict.fromkeys(range(2, 17), 1), {24: 15}),
        )


def test_the_bar_is_measured() -> None:
    for seed in range(3):
        scene = paint(
            np.random.default_rng(40 + seed), {6: (5, 0), 19: (0, 5)}, size=(960, 720), dice=0
        )
        found = find_board(scene.frame, NETWORKS, corners=scene.board_map.corners(), orientation=0)
        assert found.bar == pytest.approx(scene.board_map.bar, abs=0.3)


@pytest.mark.parametrize("name", ["board_055", "board_057"])
def test_a_wide_lens_is_measured(name: str) -> None:
    """A traced board through a lens that bends its rails: with the lens measured the field's middle
    lies where it is.
    """
    case = BOARDS[name]
    pixels = load_picture(case.path)
    plain = find_board(Frame(pixels), NETWORKS, corners=case.corners, orientation=0)
    wide = replace(plain, lens=(-0.3, 0.0, 0.0, 0.0, 0.0), focal=0.8 * plain.size[0])
    columns, rows = np.meshgrid(
        np.arange(wide.size[0], dtype=np.float32), np.arange(wide.size[1], dtype=np.float32)
    )
    grid = np.stack([columns, rows], 2).reshape(-1, 1, 2)
    source = cv2.undistortPoints(
        grid, wide.intrinsics, np.array(wide.lens), P=wide.intrinsics
    ).reshape(*columns.shape, 2)
    bent = cv2.remap(
        pixels,
        np.ascontiguousarray(source[..., 0]),
        np.ascontiguousarray(source[..., 1]),
        cv2.INTER_LINEAR,
    ).astype(np.uint8)
    straight = from_corners(wide.corners(), wide.size, bar=wide.bar)
    found = find_board(Frame(bent), NETWORKS, corners=wide.corners(), orientation=0)

    def off(m: BoardMap) -> float:
        spots = [(x, y) for x in (-5.0, -1.5, 1.5, 5.0) for y in (-0.45, -0.2, 0.2, 0.45)]
        seen = m.project(np.array([(x, y * m.height, 0.0) for x, y in spots]))
        true = wide.project(np.array([(x, y * wide.height, 0.0) for x, y in spots]))
        return float(np.linalg.norm(seen - true, axis=1).mean())

    assert found.lens[0] < -0.05
    assert off(found) < 0.6 * off(straight)


def test_tags_say_which_way_round() -> None:
    sheet = np.full((480, 640, 3), 200, np.uint8)
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    for number, (x, y) in enumerate([(30, 30), (560, 40), (550, 400), (20, 410)]):
        sheet[y : y + 48, x : x + 48] = cv2.aruco.generateImageMarker(family, number, 48)[..., None]
    assert tags_orientation(sheet) == 0
    assert tags_orientation(np.ascontiguousarray(sheet[::-1, ::-1])) == 180
    assert tags_orientation(load_picture(BOARDS["board_117"].path)) is None


def test_patches_are_centred_on_the_corners_they_are_of() -> None:
    case = BOARDS["board_117"]
    pixels = load_picture(case.path)
    m = from_corners(case.corners, (pixels.shape[1], pixels.shape[0]))
    patches, frames = corner_patches(pixels, m)
    assert patches.shape == (8, 56, 56, 3)
    assert np.allclose(patch_places(half_corners(m), frames), 27.5)


@pytest.mark.parametrize(("points", "half_turn"), [(0.4, False), (3.0, False), (0.0, True)])
def test_a_moved_board_is_found_again(points: float, half_turn: bool) -> None:
    """Pushed a little or far, or seen by a camera that was turned round: what stood where before
    says which way round it lies."""
    case = BOARDS["board_117"]
    pixels = load_picture(case.path)
    right = from_corners(
        case.corners, (pixels.shape[1], pixels.shape[0]), orientation=case.orientation
    )
    stood = NETWORKS.checkers.read(canvas(pixels, PreparedMap(right)), case.orientation).points
    width, height = right.size
    move = np.array([[1, 0, -points * right.unit_pixels], [0, 1, 0]])
    if half_turn:
        move = np.array([[-1.0, 0, width - 1], [0, -1, height - 1]])
    moved = cv2.warpAffine(pixels, move, right.size, borderMode=cv2.BORDER_REPLICATE)
    found, why = found_again(Frame(np.asarray(moved, np.uint8)), right, stood, NETWORKS)
    assert found is not None, why
    assert found.orientation == (180 - case.orientation if half_turn else case.orientation)
    there = cv2.transform(np.array([case.corners]), move)[0]
    there = np.roll(there, 2, 0) if half_turn else there
    assert np.abs(found.corners() - there).max() < 0.34 * unit("board_117")


def test_corners_that_are_no_board_are_a_reason() -> None:
    frame = Frame(load_picture(BOARDS["board_117"].path))
    with pytest.raises(BoardNotFound, match="cross or run the wrong way"):
        find_board(frame, NETWORKS, corners=[(0, 0), (0, 10), (10, 10), (10, 0)])


def pictured(name: str, move: F64, size: tuple[int, int]) -> tuple[Pixels, F64]:
    """A board's picture warped by a 2x3 matrix, and where its corners are then."""
    case = BOARDS[name]
    pixels = cv2.warpAffine(load_picture(case.path), move, size, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(pixels, np.uint8), cv2.transform(np.array([case.corners]), move)[0].astype(
        np.float64
    )


@pytest.mark.parametrize("degrees", [35.0, 90.0, 270.0])
def test_a_turned_board_is_found(degrees: float) -> None:
    width, height = size = load_picture(BOARDS["board_117"].path).shape[1::-1]
    move = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 0.72).astype(np.float64)
    pixels, there = pictured("board_117", move, size)
    found = find_board(Frame(pixels), NETWORKS, orientation=0).corners()
    off = min(np.abs(np.roll(found, k, 0) - there).max() for k in range(4))
    assert off < 0.2 * 0.72 * unit("board_117")


@pytest.mark.parametrize("points", [2.0, 4.0])
def test_a_board_partly_out_of_the_picture_is_found_or_refused_with_what_to_do(
    points: float,
) -> None:
    case = BOARDS["board_117"]
    left = np.array(case.corners)[:, 0].min() + points * unit("board_117")
    cut = load_picture(case.path)[:, int(left) :]
    try:
        found = find_board(Frame(np.ascontiguousarray(cut)), NETWORKS)
    except BoardNotFound as refused:
        assert "show the whole board" in str(refused) or "move the camera back" in str(refused)
    else:
        off = np.abs(found.corners() + np.array((int(left), 0)) - np.array(case.corners)).max()
        assert off < 0.5 * unit("board_117")


def test_more_than_fifteen_of_a_set_cannot_stand_there() -> None:
    points = np.zeros((24, 31))
    points[:, 0] = 1.0
    reading = CheckerReading(points, np.zeros(24), np.eye(6)[[0, 0]], 0.5, np.zeros((5, 24, 36)))
    assert doubt_of_reading(reading, DEFAULT.calibrate) == ""
    for point in range(11):
        points[point] = np.eye(31)[2]
    assert "22 checkers" in doubt_of_reading(reading, DEFAULT.calibrate)


def test_trays_that_are_cut_off_say_nothing_of_the_way_round() -> None:
    case = BOARDS["board_117"]
    pixels = load_picture(case.path)
    whole = from_corners(case.corners, (pixels.shape[1], pixels.shape[0]))
    assert sides_in_view(whole)
    right = int(np.array(case.corners)[:, 0].max() + 0.4 * whole.unit_pixels)
    assert not sides_in_view(from_corners(case.corners, (right, pixels.shape[0])))


@pytest.mark.parametrize(
    ("right", "turned_right", "beside", "low", "high"),
    [
        (0.9999, 0.9999, True, 0.5, 0.5),
        (0.9999, 0.0001, True, 0.99, 0.9935),
        (0.9999, 0.0001, False, 0.5, 0.5),
        (0.2, 0.8, True, 0.15, 0.25),
    ],
)
def test_trays_that_say_the_same_of_a_board_turned_round_know_nothing(
    right: float, turned_right: float, beside: bool, low: float, high: float
) -> None:
    """East at the right in the picture, and in the same picture turned round; an empty board."""
    points = np.zeros((24, 31))
    points[:, 0] = 1.0
    bar, cells = np.eye(6)[[0, 0]], np.zeros((5, 24, 36), np.float32)
    upright, turned = (
        CheckerReading(points, np.zeros(24), bar, east, cells) for east in (right, turned_right)
    )
    judge = NETWORKS.orientation
    said = orientation_probability(upright, turned, judge, 0.0, beside=beside)
    assert low - 1e-6 <= said <= high + 1e-6


FLIPPED = np.r_[np.arange(24)[::-1], np.arange(24, 48)[::-1], 48, 49]
"""A board as its mirror image shows it, far side near."""
START = np.zeros(50, np.float32)
START[[5, 7, 12, 23, 24, 35, 40, 42]] = 5, 3, 5, 2, 2, 5, 3, 5


@pytest.mark.parametrize(
    ("seating", "low", "high"),
    [("near, east", 0.99, 1.0), ("near, west", 0.92, 0.95), ("far, east", 0.05, 0.08)],
)
def test_the_usual_seating_says_which_way_round_and_no_other_does_for_certain(
    seating: str, low: float, high: float
) -> None:
    """Light far and home east may be a board turned round with light near and home west."""
    row = {"near, east": START, "near, west": START[MIRRORED], "far, east": START[FLIPPED]}[seating]
    said = 1 / (1 + math.exp(-NETWORKS.orientation.odds(row)))
    turned = 1 / (1 + math.exp(-NETWORKS.orientation.odds(row[HALF_TURN])))
    assert low <= said <= high and math.isclose(turned, 1 - said, abs_tol=1e-5)


def test_sets_that_may_be_named_wrongly_say_less_of_the_way_round() -> None:
    """With names exchanged a start is light far, home east: perhaps a board turned round."""
    certain, doubtful = (NETWORKS.orientation.odds(START, named) for named in (1.0, 0.67))
    assert certain > 4.5 and abs(doubtful) < 2.2
    assert math.isclose(
        NETWORKS.orientation.odds(START, 0.0),
        NETWORKS.orientation.odds(START[EXCHANGED]),
        abs_tol=1e-4,
    )


def test_of_thousands_of_positions_misread_no_more_are_turned_than_was_said() -> None:
    """Positions that were not taught, seated and turned as often as boards are."""
    rng = np.random.default_rng(11)
    prior = NETWORKS.checkers.numbers.upright_prior
    said: list[tuple[float, bool]] = []
    for row in positions(3000, 77):
        way = (np.arange(50), MIRRORED, FLIPPED)[rng.choice(3, p=(0.78, 0.207, 0.013))]
        seen = row[way] * (rng.random(50) > 0.03)
        seen = (seen + rng.normal(0, 0.08, 50)).astype(np.float32)
        turned = bool(rng.random() < 1 / (1 + math.exp(prior)))
        odds = prior + NETWORKS.orientation.odds(seen[HALF_TURN] if turned else seen)
        said.append((1 / (1 + math.exp(-abs(odds))), (odds < 0) != turned))
    bold = [(p, wrong) for p, wrong in said if p >= 0.9]
    certain = [wrong for p, wrong in said if p >= 0.99]
    assert len(bold) > 2000 and sum(wrong for _, wrong in bold) <= sum(1 - p for p, _ in bold)
    assert len(certain) > 1400 and sum(certain) <= len(certain) / 200

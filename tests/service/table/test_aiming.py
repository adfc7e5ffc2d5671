"""What is said to whoever holds the camera."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from rules.board import Seating
from service.recording.format import Recording
from service.session.sight import Corners, Hint, Sight, read_frame
from service.table.aiming import aim
from service.table.sources import Seen
from service.table.world import corners_in
from tests.service.tables import CLIP0
from vision.arrays import Pixels
from vision.frame import Frame


@pytest.fixture(scope="module")
def seen() -> Seen:
    """The first picture of the recording that comes with the program, read."""
    found = Recording(Path(CLIP0))
    _, pixels = next(iter(found.pictures()))
    frame = Frame(pixels, 0.0, 1)
    sight = Sight(None, corners_in(found.header))
    sight, observation = read_frame(sight, frame, Hint(Seating(), None, None))
    return Seen(frame, sight, observation)


def with_pixels(seen: Seen, pixels: Pixels) -> Seen:
    return replace(seen, frame=Frame(pixels, 0.0, 1))


def test_a_board_that_is_seen_well_is_good_and_outlined(seen: Seen) -> None:
    told = aim(seen, 0.1)
    assert told["advice"] == "good" and len(told["outline"]) == 4
    assert all(0 < x < 1 and 0 < y < 1 for x, y in told["outline"])


def test_nothing_is_said_of_a_picture_that_is_not_there_or_old(seen: Seen) -> None:
    assert aim(None, 0.0)["advice"] == aim(seen, 9.0)["advice"] == "waiting"


def test_dark_and_glare_are_told_apart(seen: Seen) -> None:
    pixels = seen.frame.pixels
    assert aim(with_pixels(seen, (pixels * 0.15).astype(np.uint8)), 0.1)["advice"] == "dark"
    glaring = pixels.copy()
    glaring[250:400, 300:500] = 255
    assert aim(with_pixels(seen, glaring), 0.1)["advice"] == "glare"


def test_a_board_that_is_not_found_is_asked_for(seen: Seen) -> None:
    lost = replace(seen, sight=Sight())
    assert aim(lost, 0.1) == {"outline": [], "advice": "no_board"}


def test_an_edge_that_is_cut_off_asks_for_height() -> None:
    found = Recording(Path(CLIP0))
    _, whole = next(iter(found.pictures()))
    dragged = corners_in(found.header)
    assert dragged is not None
    left = int(min(x for x, _ in dragged.points))
    pixels = np.ascontiguousarray(whole[:, left:])
    moved = tuple((max(0.0, x - left), y) for x, y in dragged.points)
    corners = Corners(moved, (pixels.shape[1], pixels.shape[0]))
    frame = Frame(pixels, 0.0, 1)
    sight, observation = read_frame(Sight(None, corners), frame, Hint(Seating(), None, None))
    assert aim(Seen(frame, sight, observation), 0.1)["advice"] == "higher"


@pytest.mark.parametrize(
    ("size", "word"), [((1280, 1024), "closer"), ((1024, 1280), "turn")], ids=["along", "across"]
)
def test_a_small_board_across_the_picture_asks_for_a_quarter_turn(
    size: tuple[int, int], word: str
) -> None:
    """A phone that stands on end over a board that lies: closer would cut its ends off."""
    found = Recording(Path(CLIP0))
    dragged = corners_in(found.header)
    assert dragged is not None
    _, pixels = next(iter(found.pictures()))
    width, height = size
    picture = np.full((height, width, 3), 60, np.uint8)
    picture[:512, :819] = cv2.resize(pixels, (819, 512))
    sight = Sight(None, Corners(tuple((0.8 * x, 0.8 * y) for x, y in dragged.points), size))
    frame = Frame(picture, 0.0, 1)
    sight, observation = read_frame(sight, frame, Hint(Seating(), None, None))
    assert aim(Seen(frame, sight, observation), 0.1)["advice"] == word

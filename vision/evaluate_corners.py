"""What becomes of boards whose corners are given wrongly: `python -m vision evaluate DIR --moved`.

Every picture of known corners is given five times: with them a tenth of a point off, which must be
read, and half a point, three quarters and a whole point off, which must be refused: all corners
moved together, one alone, or all outwards, as somebody gives them who takes the frame for the
field.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from vision.arrays import F64
from vision.calibrate import BoardNotFound, find_board
from vision.claims import Counts, count_claim
from vision.corners import half_corners
from vision.evaluate import LabelledPicture, labelled, says
from vision.frame import Frame, load_scaled, rescaled
from vision.geometry import from_corners
from vision.networks import Networks
from vision.prediction import predict, prediction_json

NEAR: Final = 0.1
"""Point widths by which somebody who drags corners with care errs."""
MOVES: Final = (
    ("together", NEAR),
    ("outwards", NEAR),
    ("together", 0.5),
    ("one", 0.75),
    ("outwards", 1.0),
)


def moved_corners(
    corners: npt.ArrayLike, size: tuple[int, int], way: str, by: float, name: str
) -> F64:
    """The corners (4 x 2 pixels) of a picture moved on the board by so many point widths. `name`
    chooses direction and corner, so that every machine moves them alike.
    """
    board = from_corners(corners, size)
    model = half_corners(board)[:4, :2]
    chosen = zlib.crc32(f"{name} {way} {by}".encode())
    angle = math.radians(chosen % 360)
    shift = np.tile(by * np.array([math.cos(angle), math.sin(angle)]), (4, 1))
    if way == "one":
        shift[np.arange(4) != chosen // 360 % 4] = 0
    elif way == "outwards":
        shift = np.sign(model) * by / math.sqrt(2)
    return board.project(np.c_[model + shift, np.zeros(4)])


def measure_moved(cases: Iterable[LabelledPicture], networks: Networks) -> Counts:
    """Counts of what was refused and read, and of the claims made where it was read."""
    counts = Counts()
    for case in cases:
        pixels, factor = load_scaled(case.path)
        frame = Frame(pixels)
        corners = [rescaled(corner, 1 / factor) for corner in case.corners]
        for way, by in MOVES:
            given = moved_corners(corners, frame.size, way, by, case.name)
            kind = "moved_near" if by <= NEAR else "moved_far"
            counts.add(kind)
            try:
                found = find_board(frame, networks, corners=given, orientation=case.orientation)
            except BoardNotFound:
                counts.add(f"{kind}_refused")
                continue
            counts.add(f"{kind}_read")
            counts.add(f"{kind}_unsure", int(found.sure_of_place < 1))
            said = prediction_json(predict(frame, found, networks))["points"]
            for number, pair in said.items():
                if pair is not None and labelled(case.truth, number):
                    right = says(pair, case.truth["points"][number])
                    count_claim(counts, pair["confidence"], right=right, in_view=True)
    return counts

"""What would make a camera see the board better, one thing at a time: for its holder. Pure."""

from __future__ import annotations

from typing import Final, TypedDict

import cv2
import numpy as np

from service.table.sources import Seen
from vision.arrays import Pixels

SMALL: Final = 320
"""The picture is judged at this width."""
DARK: Final = 55.0
"""Mean brightness of the board below which dice are read badly, of 255."""
GLARE: Final = 0.03
"""Share of the board that is white beyond reading."""
FAR: Final = 0.22
"""Share of the picture that the playing field should fill at least."""
EDGE: Final = 0.01
"""How near a corner of the field may come to the picture's edge, of its width."""


class Aim(TypedDict):
    """Where the field lies, each corner as shares of width and height; and a word of advice:
    waiting, no_board, dark, turn, higher, closer, glare or good.
    """

    outline: list[list[float]]
    advice: str


def aim(seen: Seen | None, age: float) -> Aim:
    """What to tell whoever holds the camera; `age`: seconds since its newest picture."""
    if seen is None or age > 4.0:
        return {"outline": [], "advice": "waiting"}
    grey = _small(seen.frame.pixels)
    found = seen.sight.board_map
    if found is None:
        return {"outline": [], "advice": "dark" if float(grey.mean()) < DARK else "no_board"}
    corners = np.asarray(found.corners(), np.float64) / np.asarray(found.size, np.float64)
    outline = [[round(float(x), 4), round(float(y), 4)] for x, y in corners]
    return {"outline": outline, "advice": _advice(grey, corners, found.lies_across())}


def _advice(grey: Pixels, corners: np.ndarray, across: bool) -> str:
    height, width = grey.shape
    field = np.zeros_like(grey)
    cv2.fillPoly(field, [np.round(corners * (width, height)).astype(np.int32)], (255,))
    inside = grey[field > 0]
    if inside.size == 0:
        return "no_board"
    if corners.min() < EDGE or corners.max() > 1 - EDGE:
        return "turn" if across else "higher"
    if float(inside.mean()) < DARK:
        return "dark"
    if inside.size / grey.size < FAR:
        return "turn" if across else "closer"
    if float((inside >= 252).mean()) > GLARE:
        return "glare"
    return "good"


def _small(pixels: Pixels) -> Pixels:
    height, width = pixels.shape[:2]
    size = (SMALL, max(1, round(SMALL * height / width)))
    shrunk = cv2.resize(pixels, size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(shrunk, cv2.COLOR_BGR2GRAY), np.uint8)

"""What was believed, drawn on the picture: field, points with their counts, dice, cube."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from rules.board import BAR, OFF, Colour, Seating, Side
from rules.observation import Condition, CubeReading, DieReading, DieStatus, Observation
from vision.arrays import Pixels
from vision.frame import Frame
from vision.geometry import BoardMap
from vision.prediction import Prediction, off_json
from vision.settings import DEFAULT, Thresholds

_LIGHT: Final = (255, 255, 255)
_DARK: Final = (40, 40, 40)
_EDGE: Final = (0, 220, 255)
_UNSURE: Final = (60, 60, 255)
_MOVED: Final = (12, 138, 255)
STACKED: Final = 5
"""Checkers of a stack that lie beside each other."""


def draw_observation(
    frame: Frame | Pixels,
    board_map: BoardMap,
    observation: Observation,
    seating: Seating | None = None,
) -> Pixels:
    """The frame with an Observation drawn on it: each site's likeliest checkers, '?' where not
    seen. The frame stays as it is.
    """
    seating = seating or Seating()
    image = _field(frame.pixels if isinstance(frame, Frame) else frame, board_map)
    if observation.condition is not Condition.AT_REST:
        # Nothing was read while a hand is over the board: that is no doubt about what stands there.
        return image
    for point in range(1, 25):
        reading = observation.at(seating.site(point))
        if reading is None or not reading.outcomes:
            _label(image, board_map, point, "?", None, 0.0)
            continue
        white, black, _ = max(reading.outcomes, key=lambda o: o[2])
        second = max(
            (p for w, b, p in reading.outcomes if (w, b) != (white, black)), default=reading.floor
        )
        light, dark = (white, black) if seating.white is Colour.LIGHT else (black, white)
        _label(
            image,
            board_map,
            point,
            str(light + dark) if light + dark else "",
            light >= dark,
            1 / (1 + second),
        )
    bar = observation.at(BAR)
    if bar is not None and bar.outcomes:
        white, black, _ = max(bar.outcomes, key=lambda o: o[2])
        _bar(
            image,
            board_map,
            *((white, black) if seating.side_of(Colour.LIGHT) is Side.WHITE else (black, white)),
        )
    off = observation.at(OFF)
    if off is not None and off.outcomes:
        white, black, _ = max(off.outcomes, key=lambda o: o[2])
        _off(
            image,
            board_map,
            *((white, black) if seating.side_of(Colour.LIGHT) is Side.WHITE else (black, white)),
        )
    _dice(image, observation.dice or ())
    _cube(image, observation.cube)
    return image


def turned_to(
    side: Side, pixels: Pixels, board_map: BoardMap, observation: Observation, seating: Seating
) -> tuple[Pixels, BoardMap, Observation]:
    """The picture, its map and what was seen in it as they lie for whoever sits on that side: their
    home below. A camera may hang on any side of a table.
    """
    side_is_south = (side is Side.WHITE) is seating.home.value.startswith("south")
    quarters = _to_upright(board_map)
    if (board_map.orientation == 0) is not side_is_south:
        quarters += 2
        board_map = replace(board_map, orientation=180 - board_map.orientation)
    for _ in range(quarters % 4):
        bottom = pixels.shape[0] - 1
        pixels = np.asarray(cv2.rotate(pixels, cv2.ROTATE_90_CLOCKWISE), np.uint8)
        board_map, observation = board_map.quarter_turned(), _quarter_turned(observation, bottom)
    return pixels, board_map, observation


def _to_upright(board_map: BoardMap) -> int:
    """By how many quarters, clockwise, the picture must turn so that the field's first long side
    is on top.
    """
    top_left, top_right, bottom_right, bottom_left = board_map.corners()
    x, y = (bottom_left + bottom_right) - (top_left + top_right)
    if abs(y) >= abs(x):
        return 0 if y > 0 else 2
    return 1 if x > 0 else 3


def _quarter_turned(observation: Observation, bottom: int) -> Observation:
    """What was seen, its pixels where they are in the picture turned clockwise."""

    def there(pixel: tuple[float, float] | None) -> tuple[float, float] | None:
        return pixel and (bottom - pixel[1], pixel[0])

    dice, cube = observation.dice, observation.cube
    return replace(
        observation,
        dice=dice and tuple(replace(die, pixel=there(die.pixel)) for die in dice),
        cube=cube and replace(cube, pixel=there(cube.pixel)),
    )


@dataclass(frozen=True, slots=True)
class CheckerPlace:
    """A checker in the picture: its geometric point, and how many lie below it in its stack."""

    point: int
    below: int


def ring(image: Pixels, board_map: BoardMap, spots: tuple[CheckerPlace, ...]) -> None:
    """Draw a ring around each of these checkers, into the picture itself."""
    turn = np.linspace(0, 2 * np.pi, 40)
    for spot in spots:
        sign = -1 if spot.point <= 12 else 1
        x = board_map.point_x(spot.point)
        # The sixth checker of a stack lies on the first.
        y = sign * (board_map.height / 2 - 0.5 - spot.below % STACKED)
        circle = np.column_stack(
            (x + 0.5 * np.cos(turn), y + 0.5 * np.sin(turn), np.full(40, board_map.thickness))
        )
        line = np.round(board_map.project(circle)).astype(np.int32)
        cv2.polylines(image, [line], True, (0, 0, 0), 2 * _thick(image) + 2, cv2.LINE_AA)
        cv2.polylines(image, [line], True, _MOVED, 2 * _thick(image), cv2.LINE_AA)


def draw_prediction(frame: Frame, prediction: Prediction, settings: Thresholds = DEFAULT) -> Pixels:
    """The same for what `takhte read` believes."""
    image = _field(frame.pixels, prediction.board_map)
    for point in range(1, 25):
        light, dark, confidence = prediction.point(point)
        if not prediction.visible[point - 1] or confidence < settings.checkers.confident:
            _label(image, prediction.board_map, point, "?", None, 0.0)
        else:
            _label(
                image,
                prediction.board_map,
                point,
                str(light + dark) if light + dark else "",
                light >= dark,
                confidence,
            )
    _bar(image, prediction.board_map, *(int(row.argmax()) for row in prediction.bar))
    off = off_json(prediction.off, settings)
    _off(image, prediction.board_map, *((off["light"], off["dark"]) if off else (0, 0)))
    _dice(image, prediction.dice)
    _cube(image, prediction.cube)
    return image


def _field(pixels: Pixels, board_map: BoardMap) -> Pixels:
    image = pixels.copy()
    corners = np.round(board_map.corners()).astype(np.int32)
    cv2.polylines(image, [corners], True, _EDGE, _thick(image))
    half, y = board_map.bar / 2, board_map.height / 2
    for x in (-half, half):
        a, b = (
            tuple(int(v) for v in p) for p in np.round(board_map.project([(x, y, 0), (x, -y, 0)]))
        )
        cv2.line(image, a, b, _EDGE, 1, cv2.LINE_AA)
    at = board_map.project([(board_map.point_x(1), -y - 0.35, 0)])[0]
    _text(image, (float(at[0]), float(at[1])), "1", _EDGE)
    return image


def _thick(image: Pixels) -> int:
    return max(1, int(image.shape[1] / 640 + 0.5))


def _text(image: Pixels, at: tuple[float, float], text: str, colour: tuple[int, int, int]) -> None:
    scale = image.shape[1] / 1600
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, _thick(image))
    place = (int(at[0] - width / 2), int(at[1] + height / 2))
    edge = (0, 0, 0) if sum(colour) > 300 else (255, 255, 255)
    cv2.putText(
        image, text, place, cv2.FONT_HERSHEY_SIMPLEX, scale, edge, _thick(image) + 2, cv2.LINE_AA
    )
    cv2.putText(
        image, text, place, cv2.FONT_HERSHEY_SIMPLEX, scale, colour, _thick(image), cv2.LINE_AA
    )


def _label(
    image: Pixels, board_map: BoardMap, point: int, text: str, light: bool | None, confidence: float
) -> None:
    s = -1 if point <= 12 else 1
    at = board_map.project(
        [(board_map.point_x(point), s * (board_map.height / 2 - 0.5), board_map.thickness)]
    )[0]
    colour = _UNSURE if light is None or confidence < 0.9 else _LIGHT if light else _DARK
    if text:
        _text(image, (float(at[0]), float(at[1])), text, colour)


def _bar(image: Pixels, board_map: BoardMap, light: int, dark: int) -> None:
    for count, y, colour in ((light, -0.4, _LIGHT), (dark, 0.4, _DARK)):
        if count:
            at = board_map.project([(0, y, 0.4)])[0]
            _text(image, (float(at[0]), float(at[1])), str(count), colour)


def _off(image: Pixels, board_map: BoardMap, light: int, dark: int) -> None:
    for count, side, colour in ((light, -1, _LIGHT), (dark, 1, _DARK)):
        if count:
            at = board_map.project(
                [(board_map.width / 2 + 0.85, side * (board_map.height / 2 + 0.4), 0.4)]
            )[0]
            _text(image, (float(at[0]), float(at[1])), f"{count} off", colour)


def _dice(image: Pixels, dice: tuple[DieReading, ...]) -> None:
    for die in dice:
        if die.pixel is None:
            continue
        status = max(die.status, key=lambda s: die.status[s])
        value = max(range(6), key=lambda v: die.values[v]) + 1
        half = (die.size or 20) * 0.7
        x, y = die.pixel
        colour = (80, 220, 80) if status is DieStatus.FLAT else (40, 120, 255)
        cv2.rectangle(
            image,
            (int(x - half), int(y - half)),
            (int(x + half), int(y + half)),
            colour,
            _thick(image),
        )
        _text(
            image,
            (x, y - half * 1.6),
            str(value) if status is DieStatus.FLAT else f"{value} {status.value}",
            colour,
        )


def _cube(image: Pixels, cube: CubeReading | None) -> None:
    if cube is not None and cube.pixel is not None:
        _text(image, cube.pixel, f"[{max(cube.shown, key=lambda v: cube.shown[v])}]", (255, 200, 0))

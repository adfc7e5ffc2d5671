"""Frame: one picture with the instant it was taken; and pictures from bytes, bounded in time and
memory.

Pixels are BGR, 8 bits, rows from the top; pixel (0, 0) is the centre of the first pixel (OpenCV's
convention).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from vision.arrays import Pixels

MIN_EDGE = 64
"""Below this no checker could be told from noise (a point would be under five pixels wide)."""
MAX_PIXELS = 100_000_000
WORKING_PIXELS = 9_000_000
"""Larger pictures are decoded at a half, a quarter or an eighth: no reading gets better above this,
memory does get scarce.
"""


class PictureError(ValueError):
    """The bytes or the array are no picture that can be read; the message says what was expected,
    what came and what to do.
    """


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """`pixels`: HxWx3 uint8 BGR; `seen_at`: monotonic host seconds; `number`: count of frames of
    this source.

    Raises PictureError for any other shape or type: use `as_picture` for arrays of unknown make.
    """

    pixels: Pixels
    seen_at: float = 0.0
    number: int = 0

    def __post_init__(self) -> None:
        p = self.pixels
        if not isinstance(p, np.ndarray) or p.ndim != 3 or p.shape[2] != 3 or p.dtype != np.uint8:
            what = f"{p.dtype} {p.shape}" if isinstance(p, np.ndarray) else type(p).__name__
            raise PictureError(
                f"a frame needs height x width x 3 pixels of uint8 (BGR), got {what}: convert it"
                " with vision.frame.as_picture"
            )
        if min(p.shape[:2]) < MIN_EDGE:
            raise PictureError(
                f"a frame needs at least {MIN_EDGE} pixels a side, got {p.shape[1]}x{p.shape[0]}:"
                " take a larger picture"
            )

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) in pixels."""
        return self.pixels.shape[1], self.pixels.shape[0]


def as_picture(array: npt.NDArray[np.generic]) -> Pixels:
    """Any grey, BGR or BGRA array of 8 or 16 bits or of floats 0-1 as HxWx3 uint8.

    Raises PictureError for anything else.
    """
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if (
        array.ndim not in (2, 3)
        or (array.ndim == 3 and array.shape[2] not in (3, 4))
        or 0 in array.shape
    ):
        raise PictureError(f"a picture has 1, 3 or 4 channels, got an array of shape {array.shape}")
    if array.dtype == np.uint16:
        # Twelve-bit sensors store 16-bit words: stretch by what is there, or all is black.
        top = max(int(array.max()), 255)
        small: Pixels = (array.astype(np.float32) * (255.0 / top)).astype(np.uint8)
    elif array.dtype == np.uint8:
        small = array.astype(np.uint8, copy=False)
    elif np.issubdtype(array.dtype, np.floating):
        small = (np.clip(np.nan_to_num(array.astype(np.float32)), 0, 1) * 255).astype(np.uint8)
    else:
        raise PictureError(f"a picture has 8 or 16 bits or floats a channel, got {array.dtype}")
    if small.ndim == 2:
        return np.repeat(small[:, :, None], 3, axis=2)
    return np.ascontiguousarray(small[:, :, :3])


def announced_size(data: bytes) -> tuple[int, int] | None:
    """(width, height) that a JPEG or PNG announces in its header, None for other formats or a
    header cut off.
    """
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data[:2] != b"\xff\xd8":
        return None
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
    return None


def decode(data: bytes, name: str = "picture") -> Pixels:
    """A picture file's bytes as HxWx3 uint8, EXIF orientation applied, shrunk to `WORKING_PIXELS`
    or less.

    Raises PictureError for bytes that are no picture, a JPEG cut off (its lower part would be read
    as an empty grey board), a picture that announces over `MAX_PIXELS` or is under `MIN_EDGE` a
    side.
    """
    size = announced_size(data)
    if data[:2] == b"\xff\xd8" and b"\xff\xd9" not in data[-4096:]:
        raise PictureError(
            f"{name}: the JPEG is cut off ({len(data)} bytes, no end marker): send it again"
        )
    flag = cv2.IMREAD_UNCHANGED
    if size is not None:
        if size[0] * size[1] > MAX_PIXELS:
            raise PictureError(
                f"{name}: {size[0]}x{size[1]} pixels is over {MAX_PIXELS // 1_000_000} million:"
                " shrink it first"
            )
        for step, reduced in (
            (1, cv2.IMREAD_COLOR),
            (2, cv2.IMREAD_REDUCED_COLOR_2),
            (4, cv2.IMREAD_REDUCED_COLOR_4),
        ):
            flag = reduced
            if size[0] * size[1] <= WORKING_PIXELS * step * step:
                break
        if data[:4] == b"\x89PNG" and size[0] * size[1] <= WORKING_PIXELS:
            flag = cv2.IMREAD_UNCHANGED
    try:
        array = cv2.imdecode(np.frombuffer(data, np.uint8), flag) if data else None
    except cv2.error:
        array = None
    if array is None:
        raise PictureError(
            f"{name}: not a picture OpenCV can read ({len(data)} bytes): JPEG and PNG are safe"
            " choices"
        )
    pixels = as_picture(array)
    if min(pixels.shape[:2]) < MIN_EDGE:
        raise PictureError(
            f"{name}: {pixels.shape[1]}x{pixels.shape[0]} pixels, at least {MIN_EDGE} a side are"
            " needed: take a larger picture"
        )
    return pixels


def load_picture(path: Path) -> Pixels:
    """`decode` for a file. Raises PictureError, also when the file cannot be read."""
    return load_scaled(path)[0]


def load_scaled(path: Path) -> tuple[Pixels, float]:
    """`load`, and how many of the file's pixels one of these is wide:

    1, or more where the picture was shrunk. Raises PictureError.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise PictureError(f"{path}: cannot be read ({error.strerror})") from error
    pixels = decode(data, path.name)
    size = announced_size(data)
    return pixels, 1.0 if size is None else max(1.0, max(size) / max(pixels.shape[:2]))


def rescaled(point: tuple[float, float] | list[float], factor: float) -> tuple[float, float]:
    """A place in a picture as a place in the same picture `factor` times as large (pixel centres at
    whole numbers).
    """
    return (point[0] + 0.5) * factor - 0.5, (point[1] + 0.5) * factor - 0.5

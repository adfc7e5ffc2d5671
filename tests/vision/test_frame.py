"""Pictures from bytes: everything a person may hand in is read or refused with words, in bounded
memory.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.frame import (
    MAX_PIXELS,
    WORKING_PIXELS,
    Frame,
    PictureError,
    announced_size,
    as_picture,
    decode,
    load_picture,
)


def encoded(extension: str, array: np.ndarray) -> bytes:
    ok, packed = cv2.imencode(extension, array)
    assert ok
    return packed.tobytes()


GREY16 = (np.arange(100 * 120).reshape(100, 120) % 4096).astype(np.uint16)
COLOUR = np.random.default_rng(0).integers(0, 255, (90, 130, 3), dtype=np.uint8)

READABLE = {
    "jpeg": (encoded(".jpg", COLOUR), (90, 130)),
    "png": (encoded(".png", COLOUR), (90, 130)),
    "png with alpha": (encoded(".png", np.dstack([COLOUR, COLOUR[..., 0]])), (90, 130)),
    "16 bit grey png": (encoded(".png", GREY16), (100, 120)),
    "grey jpeg": (encoded(".jpg", COLOUR[..., 0]), (90, 130)),
}


@pytest.mark.parametrize("name", READABLE)
def test_readable(name: str) -> None:
    data, (height, width) = READABLE[name]
    pixels = decode(data)
    assert pixels.shape == (height, width, 3)
    assert pixels.dtype == np.uint8
    assert pixels.std() > 20, "a 12-bit grey picture must not come out black"


JPEG = READABLE["jpeg"][0]
REFUSED = {
    "nothing": (b"", "not a picture"),
    "text": (b"hello board" * 20, "not a picture"),
    "half a jpeg": (JPEG[: len(JPEG) // 2], "cut off"),
    "half a png": (READABLE["png"][0][:60], "not a picture"),
    "one pixel": (encoded(".png", COLOUR[:1, :1]), "at least 64"),
    "a slit": (encoded(".png", COLOUR[:8]), "at least 64"),
    "announces a billion pixels": (
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x80\0\0\0\x80\0\x08\x02\0\0\0" + b"\0" * 99,
        "million",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_words(name: str) -> None:
    data, word = REFUSED[name]
    with pytest.raises(PictureError, match=word):
        decode(data, "p.jpg")


def test_forty_million_pixels_are_shrunk() -> None:
    data = encoded(".jpg", np.full((5000, 8000, 3), 90, np.uint8))
    assert announced_size(data) == (8000, 5000)
    pixels = decode(data)
    assert pixels.shape[0] * pixels.shape[1] <= WORKING_PIXELS < 8000 * 5000 < MAX_PIXELS


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((80, 80, 2), np.uint8),
        np.zeros((0, 80), np.uint8),
        np.zeros((80, 80), np.int64),
        np.zeros(80, np.uint8),
    ],
)
def test_arrays_that_are_no_pictures(array: np.ndarray) -> None:
    with pytest.raises(PictureError):
        as_picture(array)


def test_frame_checks_its_pixels() -> None:
    assert Frame(as_picture(np.zeros((64, 70), np.float32))).size == (70, 64)
    for wrong in (
        np.zeros((64, 64), np.uint8),
        np.zeros((64, 64, 3), np.uint16),
        np.zeros((20, 64, 3), np.uint8),
    ):
        with pytest.raises(PictureError):
            Frame(wrong)  # type: ignore[arg-type]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match=r"none\.jpg"):
        load_picture(tmp_path / "none.jpg")

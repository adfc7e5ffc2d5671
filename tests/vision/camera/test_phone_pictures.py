"""Pictures from a phone: their own times, the newest first, and nothing decoded that is no picture
of ours.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
import pytest

from rules.observation import AWAITED
from service.web.phones import HEAD as SENT
from service.web.phones import MARK as SENT_MARK
from vision.camera.camera import open_camera
from vision.camera.phone import (
    HEAD,
    LARGEST_JPEG,
    MARK,
    SCHEME,
    NoPhoneError,
    PhonePictures,
    RefusedPictureError,
    jpeg_size,
)

T = TypeVar("T")


def jpeg(level: int = 90, size: tuple[int, int] = (128, 96)) -> bytes:
    done, packed = cv2.imencode(".jpg", np.full((size[1], size[0], 3), level, np.uint8))
    assert done
    return packed.tobytes()


def framed(data: bytes, taken: float) -> bytes:
    return HEAD.pack(MARK, taken, len(data)) + data


@pytest.fixture
def pictures(tmp_path: Path) -> Iterator[PhonePictures]:
    source = PhonePictures(tmp_path / "p")
    yield source
    source.close()


def line(tmp_path: Path) -> socket.socket:
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    door.connect(str(tmp_path / "p"))
    return door


def patient_line(tmp_path: Path, end: float) -> socket.socket:
    """A line to another process, which names its socket a moment before it listens there."""
    while True:
        try:
            return line(tmp_path)
        except (FileNotFoundError, ConnectionRefusedError):
            assert time.monotonic() < end
            time.sleep(0.02)


def test_both_rooms_speak_of_pictures_alike() -> None:
    assert (SENT.format, SENT_MARK) == (HEAD.format, MARK)


def test_a_picture_keeps_the_time_at_which_it_was_taken(
    pictures: PhonePictures, tmp_path: Path
) -> None:
    with line(tmp_path) as phone:
        phone.sendall(framed(jpeg(90), 12.25))
        shown, taken = pictures.read()
        assert (shown.shape, taken) == ((96, 128, 3), 12.25)
        # Older than what was shown already: not shown again.
        phone.sendall(framed(jpeg(10), 12.0))
        phone.sendall(framed(jpeg(200), 13.0))
        shown, taken = pictures.read()
        assert taken == 13.0 and shown[0, 0, 0] > 150


def test_a_phone_that_comes_again_takes_the_place_of_the_one_before(
    pictures: PhonePictures, tmp_path: Path
) -> None:
    with line(tmp_path) as first:
        first.sendall(framed(jpeg(), 1.0))
        pictures.read()
        with line(tmp_path) as second:
            second.sendall(framed(jpeg(), 2.0))
            assert pictures.read()[1] == 2.0
            assert first.recv(1) == b""


def _with_size(width: int, height: int) -> bytes:
    data = bytearray(jpeg())
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = struct.pack(">HH", height, width)
    return bytes(data)


HOSTILE = [
    b"",
    b"\xff\xd8",
    b"GIF89a" + b"\0" * 400,
    b"\xff\xd8\xff" + b"\0" * 400,
    b"\xff\xd8\xff\xe0\x00\x00" * 50,
    b"\xff\xd8\xff\xe0\xff\xff" + b"\0" * 200,
    _with_size(65_000, 65_000),
    _with_size(4096, 4096),
    _with_size(2, 2),
    jpeg() + b"\xff\xda" * 40,
    jpeg() + b"\0" * LARGEST_JPEG,
]


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_picture_is_never_decoded(
    data: bytes, pictures: PhonePictures, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(RefusedPictureError):
        jpeg_size(data)
    decoded: list[int] = []
    decode = cv2.imdecode
    monkeypatch.setattr(
        "vision.camera.phone.cv2.imdecode",
        lambda buffer, how: decoded.append(len(buffer)) or decode(buffer, how),
    )
    good = jpeg()
    with line(tmp_path) as phone:
        if len(data) <= LARGEST_JPEG:
            phone.sendall(framed(data, 1.0))
            phone.sendall(framed(good, 2.0))
            assert pictures.read()[1] == 2.0 and decoded == [len(good)]


def test_a_cut_or_foreign_stream_leaves_the_next_phone_alone(
    pictures: PhonePictures, tmp_path: Path
) -> None:
    for words in (framed(jpeg(), 1.0)[:-5], b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 64):
        with line(tmp_path) as phone:
            phone.sendall(words)
    with line(tmp_path) as phone:
        phone.sendall(framed(jpeg(), 5.0))
        assert pictures.read()[1] == 5.0


def test_no_phone_is_said_and_waited_for(
    pictures: PhonePictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vision.camera.phone.SILENCE_S", 0.05)
    with pytest.raises(NoPhoneError, match="open the camera's page"):
        pictures.read()


def once_said(ask: Callable[[], T | None], end: float) -> T:
    """What another process says of itself, as soon as it does."""
    while (said := ask()) is None:
        assert time.monotonic() < end
        time.sleep(0.02)
    return said


def test_the_cameras_own_process_hands_the_pictures_on(tmp_path: Path) -> None:
    with open_camera(f"{SCHEME}{tmp_path / 'p'}") as camera:
        end = time.monotonic() + 60
        with patient_line(tmp_path, end) as phone:
            none_yet = f"{AWAITED}no phone sends pictures"
            once_said(lambda: (camera.problem or "").startswith(none_yet) or None, end)
            taken = time.monotonic() - 0.5
            phone.sendall(framed(jpeg(), taken))
            frame = once_said(camera.latest, end)
            assert frame.seen_at == taken and camera.problem is None
            why = once_said(lambda: camera.problem, end)
        assert why.startswith("no phone sends pictures"), "what was there before is lost"

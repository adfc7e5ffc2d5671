"""Pictures that a phone sends, handed on by the page over a socket of this machine.  (E)

What comes from outside is hostile until it was looked at: its size and its dimensions are checked
before anything is decoded, and one thread decodes, one picture at a time, the newest. A picture
keeps the time at which the phone took it.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import threading
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.arrays import Pixels
from vision.camera.memory import MAX_PIXELS
from vision.frame import MIN_EDGE

SCHEME: Final = "phone:"
"""How a source begins that is a phone; the socket's path follows."""
LARGEST_JPEG: Final = 600_000
"""Bytes of one picture: 1920 pixels at good quality have some 400 kB."""
LONGEST_EDGE: Final = 4096
MOST_SCANS: Final = 16
"""Scans of a progressive JPEG; hundreds would keep the decoder busy for seconds."""
HEAD: Final = struct.Struct("<4sdI")
"""Of each picture on the socket: mark, monotonic time at which it was taken, bytes that follow."""
MARK: Final = b"tkp1"
SILENCE_S: Final = 2.0
"""Seconds without a picture after which it is said that none comes."""


class NoPhoneError(Exception):
    """No picture came for a while; the socket stays open, and the next may come at any moment."""


class RefusedPictureError(ValueError):
    """Bytes that are no picture of ours; the message says what was expected and what came."""


def jpeg_size(data: bytes) -> tuple[int, int]:
    """Width and height as the head of a JPEG says them, without decoding it.

    Raises RefusedPictureError for what is none, too large, too small or made to be slow.
    """
    if len(data) > LARGEST_JPEG:
        raise RefusedPictureError(f"expected at most {LARGEST_JPEG} bytes, got {len(data)}")
    if not data.startswith(b"\xff\xd8\xff"):
        raise RefusedPictureError("expected a JPEG picture, got other bytes")
    if data.count(b"\xff\xda") > MOST_SCANS:
        raise RefusedPictureError(f"expected at most {MOST_SCANS} scans in a picture, got more")
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        kind, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4])
        if kind in (0xC0, 0xC1, 0xC2):
            height, width = struct.unpack_from(">HH", data, at + 5)
            small = min(width, height) < MIN_EDGE
            if small or max(width, height) > LONGEST_EDGE or width * height > MAX_PIXELS:
                break
            return width, height
        if kind == 0xDA or length < 2:
            raise RefusedPictureError("expected a picture with its size, got one without")
        at += 2 + length
    raise RefusedPictureError(f"expected {MIN_EDGE} to {LONGEST_EDGE} pixels a side, got another")


class PhonePictures:
    """The pictures that come over the socket at `path`; whoever connects last is the phone."""

    live = True

    def __init__(self, path: Path) -> None:
        """Listen. Raises OSError."""
        self._path = path
        self._fresh = threading.Condition()
        self._newest: tuple[bytes, float] | None = None
        self._line: socket.socket | None = None
        self._last = 0.0
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        self._door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        mask = os.umask(0o177)
        try:
            self._door.bind(str(path))
        finally:
            os.umask(mask)
        self._door.listen(4)
        threading.Thread(target=self._accept, name="phone", daemon=True).start()

    def read(self) -> tuple[Pixels, float]:
        """The newest picture and when it was taken. Raises NoPhoneError while none comes."""
        while True:
            with self._fresh:
                if not self._fresh.wait_for(lambda: self._newest is not None, SILENCE_S):
                    raise NoPhoneError(
                        "no phone sends pictures: open the camera's page on it and keep it in"
                        " front; it goes on by itself"
                    )
                assert self._newest is not None
                (data, taken), self._newest = self._newest, None
            if taken <= self._last:
                continue
            array = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
            if array is not None:
                self._last = taken
                return np.asarray(array, np.uint8), taken

    def close(self) -> None:
        """Stop listening; nothing is left behind."""
        self._door.close()
        if self._line is not None:
            self._line.close()
        self._path.unlink(missing_ok=True)

    def _accept(self) -> None:
        while True:
            try:
                line, _ = self._door.accept()
            except OSError:
                return
            before, self._line = self._line, line
            if before is not None:
                with contextlib.suppress(OSError):
                    before.shutdown(socket.SHUT_RDWR)
            threading.Thread(target=self._take, args=(line,), name="phone", daemon=True).start()

    def _take(self, line: socket.socket) -> None:
        with contextlib.suppress(OSError), line, line.makefile("rb") as incoming:
            while len(head := incoming.read(HEAD.size)) == HEAD.size:
                mark, taken, size = HEAD.unpack(head)
                if mark != MARK or size > LARGEST_JPEG:
                    return
                data = incoming.read(size)
                try:
                    jpeg_size(data)
                except RefusedPictureError:
                    continue
                if len(data) == size:
                    with self._fresh:
                        self._newest = (data, taken)
                        self._fresh.notify_all()

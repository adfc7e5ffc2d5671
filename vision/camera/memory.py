"""The newest picture, handed from the camera process to its reader through one anonymous file.

The memory has no name: it is an unlinked file whose descriptor the child inherits, so nothing is
left behind however either side dies. One writer, any number of readers, no locks: three slots in
turn, each stamped before and after it is written (a seqlock). A reader that was overtaken while
copying sees unequal stamps and takes the newer slot.
"""

from __future__ import annotations

import mmap
import os
import struct
import tempfile
import zlib
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np

from vision.arrays import Pixels
from vision.frame import Frame

MAX_PIXELS: Final = 16_000_000
"""Larger pictures are shrunk before they are handed on: nothing in the house reads more than this.
"""

_MAGIC: Final = b"takhte1\0"
_SLOTS: Final = 3
_HEADER: Final = 4096
_SLOT_HEADER: Final = 4096
_SLOT: Final = _SLOT_HEADER + MAX_PIXELS * 3
_SIZE: Final = _HEADER + _SLOTS * _SLOT
_PUBLISHED: Final = 8
_STATUS: Final = 64
_TEXT_MAX: Final = 600
_STAMP = struct.Struct("<QQQdII")  # begun, number, (reserved), seen_at, height, width
_STATUS_HEAD = struct.Struct(
    "<IIII"
)  # state, port of the picture server, bytes of text, CRC of it all


class FeedState(IntEnum):
    """How the source is doing."""

    STARTING = 0
    RUNNING = 1
    ENDED = 2
    """A file or folder was played to its end."""
    TROUBLE = 3
    """No pictures just now; it tries again by itself."""
    FAILED = 4
    """No pictures, and trying again would not help."""


@dataclass(frozen=True, slots=True)
class FeedStatus:
    """How the source is doing, with what to say of it."""

    state: FeedState
    text: str = ""
    port: int = 0
    """TCP port on the loopback where the pictures are handed on, 0 = nowhere."""


def create_memory() -> int:
    """A descriptor of fresh anonymous memory; pages that are never written cost nothing."""
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("takhte-camera", os.MFD_CLOEXEC)
    else:
        with tempfile.TemporaryFile() as file:
            fd = os.dup(file.fileno())
    os.ftruncate(fd, _SIZE)
    return fd


class PictureMemory:
    """Either end of the memory behind a descriptor from `create_memory`."""

    def __init__(self, fd: int) -> None:
        self._map = mmap.mmap(fd, _SIZE)
        self._bytes = np.frombuffer(self._map, np.uint8)
        self._map[:8] = _MAGIC

    def close(self) -> None:
        """Nothing; this end lets go of the memory."""
        self._bytes = np.empty(0, np.uint8)
        self._map.close()

    def publish(self, frame: Frame) -> None:
        """Make this the newest picture. Raises ValueError above MAX_PIXELS."""
        height, width = frame.pixels.shape[:2]
        if height * width > MAX_PIXELS:
            raise ValueError(
                f"pictures of at most {MAX_PIXELS} pixels can be handed on, got {width}x{height}"
            )
        turn = self._published() + 1
        base = _HEADER + (turn % _SLOTS) * _SLOT
        _STAMP.pack_into(self._map, base, turn, frame.number, 0, frame.seen_at, height, width)
        start = base + _SLOT_HEADER
        np.copyto(self._bytes[start : start + height * width * 3], frame.pixels.reshape(-1))
        struct.pack_into("<Q", self._map, base + _STAMP.size, turn)
        struct.pack_into("<Q", self._map, _PUBLISHED, turn)

    def newest(self) -> Frame | None:
        """The newest whole picture, a copy; None before the first."""
        for _ in range(8):
            turn = self._published()
            if turn == 0:
                return None
            base = _HEADER + (turn % _SLOTS) * _SLOT
            begun, number, _, seen_at, height, width = _STAMP.unpack_from(self._map, base)
            if begun != turn or height * width > MAX_PIXELS:
                continue
            start = base + _SLOT_HEADER
            pixels: Pixels = (
                self._bytes[start : start + height * width * 3].reshape(height, width, 3).copy()
            )
            (ended,) = struct.unpack_from("<Q", self._map, base + _STAMP.size)
            if ended == turn and _STAMP.unpack_from(self._map, base)[0] == turn:
                return Frame(pixels, seen_at, number)
        return None

    def seen_at(self) -> float | None:
        """When the newest picture was taken, without copying it."""
        turn = self._published()
        if turn == 0:
            return None
        seen: float = _STAMP.unpack_from(self._map, _HEADER + (turn % _SLOTS) * _SLOT)[3]
        return seen

    def number(self) -> int:
        """Number of the newest picture, 0 before the first; a child that takes over counts on from
        it.
        """
        turn = self._published()
        number: int = (
            _STAMP.unpack_from(self._map, _HEADER + (turn % _SLOTS) * _SLOT)[1] if turn else 0
        )
        return number

    def say(self, status: FeedStatus) -> None:
        """Nothing; the other end reads this status from now on."""
        text = status.text.encode()[:_TEXT_MAX]
        crc = zlib.crc32(text, int(status.state) + (status.port << 8))
        self._map[_STATUS + 16 : _STATUS + 16 + len(text)] = text
        _STATUS_HEAD.pack_into(self._map, _STATUS, int(status.state), status.port, len(text), crc)

    def status(self) -> FeedStatus:
        """What the child last said; the checksum tells a half-written word, which reads as
        STARTING.
        """
        for _ in range(8):
            state, port, length, crc = _STATUS_HEAD.unpack_from(self._map, _STATUS)
            text = self._map[_STATUS + 16 : _STATUS + 16 + min(length, _TEXT_MAX)]
            if crc == zlib.crc32(text, state + (port << 8)) and state <= FeedState.FAILED:
                return FeedStatus(FeedState(state), text.decode(errors="replace"), port)
        return FeedStatus(FeedState.STARTING)

    def _published(self) -> int:
        turn: int = struct.unpack_from("<Q", self._map, _PUBLISHED)[0]
        return turn

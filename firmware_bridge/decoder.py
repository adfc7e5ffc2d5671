"""Bytes in, messages out, whatever the bytes are: `feed(bytes)`, then `next()` until it says
NEED_DATA.

Never raises on what came over the wire: damage is counted and skipped up to the next zero. Memory
is bounded by one frame plus what was fed and not yet asked for.
"""

from __future__ import annotations

import enum
from collections import deque
from dataclasses import dataclass
from typing import Final

from firmware_bridge.errors import DamagedFrame, UnknownMessage
from firmware_bridge.frames import MAX_ENCODED, decode
from firmware_bridge.messages import Message, unpack


class Need(enum.Enum):
    DATA = "data"


NEED_DATA: Final = Need.DATA


@dataclass(frozen=True, slots=True)
class Received:
    number: int
    message: Message


@dataclass(slots=True)
class DecoderCounts:
    bytes: int = 0
    frames: int = 0
    damaged: int = 0
    unknown: int = 0


class Decoder:
    """One direction of one wire.

    The bytes before the first zero may be the tail of a frame and are forgiven silently when
    damaged.
    """

    def __init__(self) -> None:
        self.counts = DecoderCounts()
        self.last_problem = ""
        self._rest = b""
        self._overlong = False
        self._chunks: deque[bytes] = deque()
        self._first = True

    def feed(self, data: bytes) -> None:
        self.counts.bytes += len(data)
        *chunks, rest = (self._rest + data).split(b"\0")
        if chunks and self._overlong:
            chunks.pop(0)
            self._overlong = False
        self._chunks.extend(chunks)
        if len(rest) > MAX_ENCODED:
            # No frame is so long: note it once and wait for the zero, keeping nothing.
            if not self._overlong:
                self._note(f"more than {MAX_ENCODED} bytes without a zero")
            self._overlong, rest = True, b""
        self._rest = rest

    def next(self) -> Received | Need:
        """The next whole message, or NEED_DATA."""
        while self._chunks:
            chunk = self._chunks.popleft()
            first, self._first = self._first, False
            if not chunk:
                continue
            try:
                frame = decode(chunk)
                message = unpack(frame.kind, frame.payload)
            except DamagedFrame as error:
                if not first:
                    self._note(str(error))
                continue
            except UnknownMessage as error:
                self.counts.unknown += 1
                self.last_problem = str(error)
                continue
            self.counts.frames += 1
            return Received(frame.number, message)
        return NEED_DATA

    def _note(self, problem: str) -> None:
        self.counts.damaged += 1
        self.last_problem = problem

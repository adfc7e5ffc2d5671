"""Wire frames: `COBS(type, number, payload, CRC-32 little-endian)`, ended by a zero byte.

COBS (Cheshire and Baker, 1999) keeps zero out of the body, so that one zero re-synchronises after
any damage or a plug pushed in mid-stream. CRC-32 (ISO-HDLC, that of zlib) rather than a CRC-16: a
16 bit sum lets one damaged frame in 65,536 through, which a noisy cable reaches within an hour; 32
bits make it one in 4 thousand million.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Final

from cobs import cobs

from firmware_bridge.errors import DamagedFrame
from firmware_bridge.wire import MAX_PAYLOAD

OVERHEAD: Final = 2 + 4
MAX_BODY: Final = MAX_PAYLOAD + OVERHEAD
MAX_ENCODED: Final = MAX_BODY + 1
"""Bytes between two zeros at most: COBS adds one, since a body is shorter than 254."""


@dataclass(frozen=True, slots=True)
class WireFrame:
    """One frame as it travelled.

    `number` 0-255: a command's own, echoed by its answer; or the count of frames the board sent
    unasked.
    """

    kind: int
    number: int
    payload: bytes


def encode(frame: WireFrame) -> bytes:
    """The bytes of a frame, closing zero included."""
    body = bytes((frame.kind, frame.number)) + frame.payload
    return bytes(cobs.encode(body + zlib.crc32(body).to_bytes(4, "little"))) + b"\0"


def decode(chunk: bytes) -> WireFrame:
    """The frame between two zeros (neither included). Raises DamagedFrame."""
    if len(chunk) > MAX_ENCODED:
        raise DamagedFrame(f"{len(chunk)} bytes without a zero; a frame has {MAX_ENCODED} at most")
    try:
        body = cobs.decode(chunk)
    except cobs.DecodeError as error:
        raise DamagedFrame(f"the stuffing does not add up: {error}") from error
    if len(body) < OVERHEAD:
        raise DamagedFrame(f"{len(body)} bytes are too few for a frame; {OVERHEAD} at least")
    if zlib.crc32(body[:-4]) != int.from_bytes(body[-4:], "little"):
        raise DamagedFrame("the checksum is wrong")
    return WireFrame(body[0], body[1], bytes(body[2:-4]))

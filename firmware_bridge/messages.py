"""Every message of the wire as a frozen value. The layouts come from `protocol.toml` by way of
`wire.py`; a test holds the two together.

`pack(message)` gives the payload, `unpack(type, payload)` the message. Neither knows frames,
sequence numbers or time.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, fields
from typing import ClassVar, Final, TypeAlias

from firmware_bridge import wire
from firmware_bridge.errors import MisuseError, UnknownMessage
from firmware_bridge.wire import Type


@dataclass(frozen=True, slots=True)
class HelloAsk:
    TYPE: ClassVar[Type] = Type.HELLO_ASK
    protocol: int = wire.VERSION


@dataclass(frozen=True, slots=True)
class Stream:
    TYPE: ClassVar[Type] = Type.STREAM
    flags: int
    threshold: int
    keyframe_ms: int


@dataclass(frozen=True, slots=True)
class Leds:
    """`each`: (red, green, blue, pattern) of LEDs `first`, `first` + 1, and so on; at most
    `wire.LEDS_PER_COMMAND`.
    """

    TYPE: ClassVar[Type] = Type.LEDS
    first: int
    show: int
    each: tuple[tuple[int, int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Lamps:
    TYPE: ClassVar[Type] = Type.LAMPS
    lit: int
    blink: int


@dataclass(frozen=True, slots=True)
class Ping:
    TYPE: ClassVar[Type] = Type.PING
    token: int


@dataclass(frozen=True, slots=True)
class KeyframeAsk:
    TYPE: ClassVar[Type] = Type.KEYFRAME_ASK


@dataclass(frozen=True, slots=True)
class Reset:
    TYPE: ClassVar[Type] = Type.RESET
    word: int = wire.RESET_WORD


@dataclass(frozen=True, slots=True)
class EdgesSeen:
    TYPE: ClassVar[Type] = Type.EDGES_SEEN
    nonce: int
    upto: int


@dataclass(frozen=True, slots=True)
class Face:
    TYPE: ClassVar[Type] = Type.FACE
    brightness: int
    segments: bytes


@dataclass(frozen=True, slots=True)
class Buzz:
    TYPE: ClassVar[Type] = Type.BUZZ
    hz: int
    ms: int


@dataclass(frozen=True, slots=True)
class Hello:
    """Who the board is. `uid` 8 bytes for ever, `nonce` for this boot, `cause` the chip's reset
    bits.
    """

    TYPE: ClassVar[Type] = Type.HELLO
    magic: bytes
    protocol: int
    firmware: int
    build: int
    uid: bytes
    nonce: int
    ms: int
    sensors: int
    leds: int
    buttons: int
    features: int
    cause: int
    cpu_hz: int
    max_payload: int
    led_cap_ma: int
    oldest_edge: int


@dataclass(frozen=True, slots=True)
class Keyframe:
    """Sensors `first` .. `first` + 31 at board time `ms`; `packed` as in `protocol.toml`."""

    TYPE: ClassVar[Type] = Type.KEYFRAME
    scan: int
    ms: int
    first: int
    packed: bytes

    @classmethod
    def of(cls, scan: int, ms: int, first: int, values: tuple[int, ...]) -> Keyframe:
        packed = bytearray()
        for low, high in zip(values[::2], values[1::2], strict=True):
            packed += bytes((low & 255, low >> 8 | (high & 15) << 4, high >> 4))
        return cls(scan, ms, first, bytes(packed))

    @property
    def values(self) -> tuple[int, ...]:
        found: list[int] = []
        for a, b, c in zip(self.packed[::3], self.packed[1::3], self.packed[2::3], strict=True):
            found += (a | (b & 15) << 8, b >> 4 | c << 4)
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Delta:
    """`each`: (sensor, value) of those that moved."""

    TYPE: ClassVar[Type] = Type.DELTA
    scan: int
    ms: int
    each: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Edge:
    TYPE: ClassVar[Type] = Type.EDGE
    nonce: int
    number: int
    button: int
    down: int
    ms: int


@dataclass(frozen=True, slots=True)
class Ack:
    TYPE: ClassVar[Type] = Type.ACK
    command: int
    status: int


@dataclass(frozen=True, slots=True)
class Pong:
    TYPE: ClassVar[Type] = Type.PONG
    token: int
    ms: int


@dataclass(frozen=True, slots=True)
class BoardStatus:
    """Counters wrap at 65,536: take differences. `down`: buttons held now, one bit each."""

    TYPE: ClassVar[Type] = Type.STATUS
    ms: int
    nonce: int
    scans: int
    rx_ok: int
    rx_bad: int
    rx_overrun: int
    tx_dropped: int
    edges_lost: int
    edges_waiting: int
    down: int
    led_ma: int


@dataclass(frozen=True, slots=True)
class Levels:
    """`each`: (value,) of every multiplexer's line, the highest since the last report while it was
    switched off.
    """

    TYPE: ClassVar[Type] = Type.LEVELS
    scans: int
    each: tuple[tuple[int], ...]


FromHost: TypeAlias = (
    HelloAsk | Stream | Leds | Lamps | Ping | KeyframeAsk | Reset | EdgesSeen | Face | Buzz
)
FromBoard: TypeAlias = Hello | Keyframe | Delta | Edge | Ack | Pong | BoardStatus | Levels
Message: TypeAlias = FromHost | FromBoard

KINDS: Final[dict[Type, type[Message]]] = {
    kind.TYPE: kind
    for kind in (
        HelloAsk, Stream, Leds, Lamps, Ping, KeyframeAsk, Reset, EdgesSeen, Face, Buzz,
        Hello, Keyframe, Delta, Edge, Ack, Pong, BoardStatus, Levels,
    )
}  # fmt: skip
_NAMES: Final = {
    kind: tuple(field.name for field in fields(KINDS[kind]) if field.name != "each")
    for kind in Type
}


def pack(message: Message) -> bytes:
    """The payload of a message.

    Raises MisuseError when a field does not fit its place on the wire.
    """
    kind = message.TYPE
    try:
        payload = struct.pack(wire.LAYOUT[kind], *(getattr(message, name) for name in _NAMES[kind]))
        if isinstance(message, (Leds, Delta, Levels)):
            payload += b"".join(struct.pack(wire.EACH[kind], *record) for record in message.each)
    except struct.error as error:
        raise MisuseError(
            f"{message} does not fit its layout {wire.LAYOUT[kind]}: {error}"
        ) from error
    if len(payload) > wire.MAX_PAYLOAD:
        raise MisuseError(
            f"{kind.name} would need {len(payload)} bytes of payload; a frame holds"
            f" {wire.MAX_PAYLOAD}: send it in parts"
        )
    return payload


def unpack(kind: int, payload: bytes) -> Message:
    """The message of a payload.

    Raises UnknownMessage for a type or length this version does not know.
    """
    try:
        known = Type(kind)
    except ValueError:
        raise UnknownMessage(
            f"message type 0x{kind:02X} is not in protocol version {wire.VERSION}; is the firmware"
            " newer than takhte?"
        ) from None
    fixed = struct.calcsize(wire.LAYOUT[known])
    each = wire.EACH.get(known)
    rest = len(payload) - fixed
    if rest < 0 or (rest and (each is None or rest % struct.calcsize(each))):
        raise UnknownMessage(
            f"{known.name} has {len(payload)} bytes of payload, its layout {wire.LAYOUT[known]}"
            f" wants {fixed}"
        )
    values: list[object] = list(struct.unpack(wire.LAYOUT[known], payload[:fixed]))
    if each is not None:
        values.append(tuple(struct.iter_unpack(each, payload[fixed:])))
    # Layouts and fields are held together by a test.
    return KINDS[known](*values)  # type: ignore[arg-type]

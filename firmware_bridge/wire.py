"""Generated from firmware_bridge/protocol.toml by `python -m firmware_bridge.generate`:
change that, not this."""

from __future__ import annotations

import enum
from typing import Final

VERSION: Final = 3
BAUD: Final = 250000
MAX_PAYLOAD: Final = 200
MAGIC: Final = b"tkht"
RESET_WORD: Final = 1414746708
SENSORS: Final = 128
LEDS: Final = 56
BUTTONS: Final = 7
LINES: Final = 8
DIGITS: Final = 8
KEYFRAME_VALUES: Final = 32
VALUE_BITS: Final = 12
LEDS_PER_COMMAND: Final = 12
EDGE_QUEUE: Final = 64
EDGE_RESEND_MS: Final = 40
EDGE_WINDOW: Final = 8
STATUS_MS: Final = 250
DEBOUNCE_MS: Final = 8
HOST_SILENT_MS: Final = 3000
STATUS_OK: Final = 0
STATUS_BAD_ARGUMENTS: Final = 1
STATUS_BUSY: Final = 2
STATUS_UNKNOWN: Final = 255
STREAM_DELTAS: Final = 1
STREAM_KEYFRAMES: Final = 2
FEATURE_DISPLAYS: Final = 1
FEATURE_LAMPS: Final = 2
FEATURE_BUZZER: Final = 4
FEATURE_LEVELS: Final = 8
PATTERN_STEADY: Final = 0
PATTERN_BLINK: Final = 1
PATTERN_FAST: Final = 2
PATTERN_DOUBLE: Final = 3
CAUSE_POWER: Final = 1
CAUSE_EXTERNAL: Final = 2
CAUSE_BROWN_OUT: Final = 4
CAUSE_WATCHDOG: Final = 8


class Type(enum.IntEnum):
    """The first byte of every frame."""

    HELLO_ASK = 0x01
    STREAM = 0x02
    LEDS = 0x03
    LAMPS = 0x04
    PING = 0x05
    KEYFRAME_ASK = 0x06
    RESET = 0x07
    EDGES_SEEN = 0x08
    FACE = 0x09
    BUZZ = 0x0A
    HELLO = 0x81
    KEYFRAME = 0x82
    DELTA = 0x83
    EDGE = 0x84
    ACK = 0x85
    PONG = 0x86
    STATUS = 0x87
    LEVELS = 0x88


LAYOUT: Final[dict[Type, str]] = {
    Type.HELLO_ASK: "<B",
    Type.STREAM: "<BBH",
    Type.LEDS: "<BB",
    Type.LAMPS: "<BB",
    Type.PING: "<I",
    Type.KEYFRAME_ASK: "<",
    Type.RESET: "<I",
    Type.EDGES_SEEN: "<IH",
    Type.FACE: "<B8s",
    Type.BUZZ: "<HH",
    Type.HELLO: "<4sBHI8sIIHBBBBIBHH",
    Type.KEYFRAME: "<HIB48s",
    Type.DELTA: "<HI",
    Type.EDGE: "<IHBBI",
    Type.ACK: "<BB",
    Type.PONG: "<II",
    Type.STATUS: "<IIHHHHHHBBH",
    Type.LEVELS: "<H",
}
"""`struct` format of the fixed part of each payload."""

EACH: Final[dict[Type, str]] = {
    Type.LEDS: "<BBBB",
    Type.DELTA: "<BH",
    Type.LEVELS: "<H",
}
"""`struct` format of the record that repeats to the end of the frame."""

FIELDS: Final[dict[Type, tuple[str, ...]]] = {
    Type.HELLO_ASK: ("protocol",),
    Type.STREAM: ("flags", "threshold", "keyframe_ms"),
    Type.LEDS: ("first", "show"),
    Type.LAMPS: ("lit", "blink"),
    Type.PING: ("token",),
    Type.KEYFRAME_ASK: (),
    Type.RESET: ("word",),
    Type.EDGES_SEEN: ("nonce", "upto"),
    Type.FACE: ("brightness", "segments"),
    Type.BUZZ: ("hz", "ms"),
    Type.HELLO: (
        "magic",
        "protocol",
        "firmware",
        "build",
        "uid",
        "nonce",
        "ms",
        "sensors",
        "leds",
        "buttons",
        "features",
        "cause",
        "cpu_hz",
        "max_payload",
        "led_cap_ma",
        "oldest_edge",
    ),
    Type.KEYFRAME: ("scan", "ms", "first", "packed"),
    Type.DELTA: ("scan", "ms"),
    Type.EDGE: ("nonce", "number", "button", "down", "ms"),
    Type.ACK: ("command", "status"),
    Type.PONG: ("token", "ms"),
    Type.STATUS: (
        "ms",
        "nonce",
        "scans",
        "rx_ok",
        "rx_bad",
        "rx_overrun",
        "tx_dropped",
        "edges_lost",
        "edges_waiting",
        "down",
        "led_ma",
    ),
    Type.LEVELS: ("scans",),
}
"""Names of the fixed fields, in order."""

"""The board's side of the wire in Python: what `hardware/firmware/core` does in C, for demos and
tests without a compiler.

Sans-IO like the link: `receive(bytes, now)`, `run(now) -> bytes`. Its clock drifts as a ceramic
resonator does. A test feeds the same bytes to this and to the C core and compares the answers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from firmware_bridge import wire
from firmware_bridge.board_spec import BoardSpec
from firmware_bridge.decoder import NEED_DATA, Decoder
from firmware_bridge.frames import WireFrame, encode
from firmware_bridge.lights import DARK, Led, current_ma
from firmware_bridge.messages import (
    Ack,
    BoardStatus,
    Buzz,
    Delta,
    Edge,
    EdgesSeen,
    Face,
    FromBoard,
    Hello,
    HelloAsk,
    Keyframe,
    KeyframeAsk,
    Lamps,
    Leds,
    Levels,
    Message,
    Ping,
    Pong,
    Reset,
    Stream,
    pack,
)
from firmware_bridge.physics import F64

SCAN_MS: Final = 1000 / 125.7
TICK_MS: Final = 4
TX_BUFFER: Final = 1024
BYTES_PER_MS: Final = wire.BAUD / 10_000
JUMP: Final = 32
"""A sensor that moved further than this (wire units) is believed at once; smaller steps are
smoothed.
"""
FEATURES: Final = (
    wire.FEATURE_DISPLAYS | wire.FEATURE_LAMPS | wire.FEATURE_BUZZER | wire.FEATURE_LEVELS
)
FIRMWARE: Final = 0x0102


@dataclass(frozen=True, slots=True)
class Outputs:
    """What the board shows now."""

    leds: tuple[Led, ...]
    lit: int
    blink: int
    segments: bytes
    brightness: int
    tones: tuple[tuple[int, int], ...]


class SimulatedFirmware:
    """`millivolts()` is asked for once a scan; `noise` (mV, 1 sigma) is added to each value."""

    def __init__(
        self,
        board: BoardSpec,
        millivolts: Callable[[], F64],
        rng: np.random.Generator,
        uid: bytes,
        noise: float,
    ) -> None:
        self._board, self._millivolts, self._rng, self._noise = board, millivolts, rng, noise
        self.uid = uid
        self._drift = 1 + float(rng.uniform(-0.5, 0.5)) * board.clock_tolerance
        self._boots = 0
        self.levels = [0] * board.multiplexers
        """What each multiplexer's line reads while it is off (wire units): ground, until spoilt."""
        self._now: float | None = None
        self.restart(wire.CAUSE_POWER)

    def restart(self, cause: int) -> None:
        """Power on, or a reset: everything but the UID and the count of boots is forgotten."""
        self._boots += 1
        self.nonce = (
            int.from_bytes(self.uid[:4], "little") ^ (self._boots * 0x9E3779B1)
        ) & 0xFFFFFFFF
        self._cause = cause
        self._ms = self._scan_due = self._line_free = 0.0
        self._scan = 0
        n = len(self._board.sensors.places)
        self._filtered: F64 | None = None
        self._sent = np.zeros(n, dtype=np.int64)
        self._values = np.zeros(n, dtype=np.int64)
        self._decoder = Decoder()
        self._bad = self._ok = self._dropped = self._edges_lost = 0
        self._out: deque[tuple[float, bytes]] = deque()
        self._queued = 0
        self._frame_number = 0
        self._last_command: int | None = None
        self._flags = self._threshold = 0
        self._key_every, self._key_due, self._key_next = 1000.0, 0.0, 0
        self._status_due = 0.0
        self._heard: float | None = None
        self._edges: deque[Edge] = deque()
        self._edge_number, self._edges_due, self._edges_said = 1, 0.0, 0
        self._down = 0
        self._stored: list[Led] = [DARK] * self._board.leds.count
        self.outputs = Outputs(tuple(self._stored), 0, 0, bytes(8), 0, ())

    @property
    def ms(self) -> int:
        return int(self._ms) & 0xFFFFFFFF

    @property
    def link_lost(self) -> bool:
        """No host for three seconds: the board shows so by itself."""
        return self._heard is None or self._ms - self._heard > wire.HOST_SILENT_MS

    def press(self, button: int, down: bool) -> None:
        """A button that does not bounce: the edge is stamped now."""
        bit = 1 << button
        if bool(self._down & bit) is down:
            return
        self._down ^= bit
        if len(self._edges) >= wire.EDGE_QUEUE:
            self._edges_lost = (self._edges_lost + 1) & 0xFFFF
            return
        edge = Edge(self.nonce, self._edge_number, button, int(down), self.ms)
        self._edge_number = (self._edge_number + 1) & 0xFFFF
        self._edges.append(edge)
        if len(self._edges) == 1:
            self._edges_due = self._ms + wire.EDGE_RESEND_MS
        self._say_edges(self._edges_said)

    def receive(self, data: bytes, now: float) -> None:
        """Bytes from the host. Call `run(now)` for the answer."""
        self._advance(now)
        before = self._decoder.counts.damaged
        self._decoder.feed(data)
        while (received := self._decoder.next()) is not NEED_DATA:
            self._ok = (self._ok + 1) & 0xFFFF
            self._heard = self._ms
            self._obey(received.number, received.message)
        self._bad = (self._bad + self._decoder.counts.damaged - before) & 0xFFFF

    def run(self, now: float) -> bytes:
        """Let time pass up to `now` (host seconds) and take what the wire has carried by then."""
        self._advance(now)
        ready = bytearray()
        while self._out and self._out[0][0] <= self._ms:
            _, data = self._out.popleft()
            self._queued -= len(data)
            ready += data
        return bytes(ready)

    # Time

    def _advance(self, now: float) -> None:
        if self._now is None:
            self._now = now
        end = self._ms + max(0.0, now - self._now) * 1000 * self._drift
        self._now = max(now, self._now)
        while self._ms + TICK_MS <= end:
            self._ms += TICK_MS
            self._tick()
        self._ms = max(self._ms, end)

    def _tick(self) -> None:
        if self._ms >= self._scan_due:
            self._scan_due += SCAN_MS
            self._measure()
        if self._edges and self._ms >= self._edges_due:
            self._edges_due = self._ms + wire.EDGE_RESEND_MS
            self._say_edges(0)
        if not self.link_lost and self._ms >= self._status_due:
            self._status_due = self._ms + wire.STATUS_MS
            led_ma = int(current_ma(self.outputs.leds, self._board.leds))
            self._say(
                BoardStatus(
                    self.ms,
                    self.nonce,
                    self._scan,
                    self._ok,
                    self._bad,
                    0,
                    self._dropped,
                    self._edges_lost,
                    len(self._edges),
                    self._down,
                    led_ma,
                )
            )
            self._say(Levels(self._scan, tuple((value,) for value in self.levels)))

    def _measure(self) -> None:
        sensor = self._board.sensor
        raw = self._millivolts() + self._rng.normal(0, self._noise, len(self._values))
        eighths = sensor.reference_eighths
        full_mv = sensor.supply_mv * eighths / 8
        converted = np.clip(np.round(raw * sensor.adc_steps / full_mv), 0, sensor.adc_steps)
        steps = np.floor(converted * eighths / 2)
        if self._filtered is None:
            self._filtered = steps
        else:
            jump = np.abs(steps - self._filtered) > JUMP
            self._filtered = np.where(jump, steps, self._filtered + (steps - self._filtered) / 4)
        self._values = np.round(self._filtered).astype(np.int64)
        self._scan = (self._scan + 1) & 0xFFFF
        if self.link_lost:
            return
        if self._flags & wire.STREAM_DELTAS:
            moved = np.nonzero(np.abs(self._values - self._sent) > self._threshold)[0][:60]
            if len(moved) and self._say(
                Delta(self._scan, self.ms, tuple((int(i), int(self._values[i])) for i in moved))
            ):
                self._sent[moved] = self._values[moved]
        if self._flags & wire.STREAM_KEYFRAMES and self._ms >= self._key_due:
            parts = len(self._values) // wire.KEYFRAME_VALUES
            self._key_due = self._ms + self._key_every / parts
            self._say_keyframe(self._key_next)
            self._key_next = (self._key_next + 1) % parts

    # Wire

    def _say_keyframe(self, part: int) -> None:
        first = part * wire.KEYFRAME_VALUES
        here = slice(first, first + wire.KEYFRAME_VALUES)
        if self._say(
            Keyframe.of(self._scan, self.ms, first, tuple(int(v) for v in self._values[here]))
        ):
            self._sent[here] = self._values[here]

    def _say_edges(self, first: int) -> None:
        """The waiting edges of the window, from the `first` on."""
        for edge in list(self._edges)[first : wire.EDGE_WINDOW]:
            self._say(edge)
        self._edges_said = max(self._edges_said, min(len(self._edges), wire.EDGE_WINDOW))

    def _say(self, message: FromBoard) -> bool:
        """Send unasked, counted; False when the line is too full."""
        if not self._put(message, self._frame_number):
            return False
        self._frame_number = (self._frame_number + 1) & 0xFF
        return True

    def _put(self, message: FromBoard, number: int) -> bool:
        data = encode(WireFrame(message.TYPE, number, pack(message)))
        if self._queued + len(data) > TX_BUFFER:
            self._dropped = (self._dropped + 1) & 0xFFFF
            return False
        self._queued += len(data)
        self._line_free = max(self._line_free, self._ms) + len(data) / BYTES_PER_MS
        self._out.append((self._line_free, data))
        return True

    def _ack(self, number: int, command: Message, status: int = wire.STATUS_OK) -> None:
        self._put(Ack(command.TYPE, status), number)

    def _obey(self, number: int, message: Message) -> None:
        match message:
            case HelloAsk():
                self._flags, self._last_command, self._frame_number = 0, None, 0
                self._put(self._hello(), number)
            case Ping():
                self._put(Pong(message.token, self.ms), number)
            case EdgesSeen():
                if message.nonce == self.nonce:
                    while (
                        self._edges
                        and (message.upto - self._edges[0].number) & 0xFFFF < wire.EDGE_QUEUE
                    ):
                        self._edges.popleft()
                        self._edges_said = max(0, self._edges_said - 1)
                    self._say_edges(self._edges_said)
            case Stream() | Leds() | Lamps() | KeyframeAsk() | Reset() | Face() | Buzz():
                if number == self._last_command:
                    self._ack(number, message)
                elif self._carry_out(message):
                    self._last_command = number
                    self._ack(number, message)
                    if isinstance(message, Reset):
                        self.restart(wire.CAUSE_WATCHDOG)
                else:
                    self._ack(number, message, wire.STATUS_BAD_ARGUMENTS)
            case _:
                self._ack(number, message, wire.STATUS_UNKNOWN)

    def _carry_out(self, command: Message) -> bool:
        o = self.outputs
        match command:
            case Stream():
                self._flags, self._threshold, self._key_every = (
                    command.flags,
                    command.threshold,
                    max(100.0, float(command.keyframe_ms)),
                )
            case KeyframeAsk():
                for part in range(len(self._values) // wire.KEYFRAME_VALUES):
                    self._say_keyframe(part)
            case Leds():
                if not command.each or command.first + len(command.each) > len(self._stored):
                    return False
                self._stored[command.first : command.first + len(command.each)] = command.each
                if command.show:
                    self.outputs = Outputs(
                        tuple(self._stored), o.lit, o.blink, o.segments, o.brightness, o.tones
                    )
            case Lamps():
                self.outputs = Outputs(
                    o.leds, command.lit & 3, command.blink & 3, o.segments, o.brightness, o.tones
                )
            case Face():
                self.outputs = Outputs(
                    o.leds, o.lit, o.blink, command.segments, min(command.brightness, 8), o.tones
                )
            case Buzz():
                self.outputs = Outputs(
                    o.leds,
                    o.lit,
                    o.blink,
                    o.segments,
                    o.brightness,
                    (*o.tones[-15:], (command.hz, command.ms)),
                )
            case Reset():
                return command.word == wire.RESET_WORD
        return True

    def _hello(self) -> Hello:
        plan = self._board.leds
        oldest = self._edges[0].number if self._edges else self._edge_number
        return Hello(
            wire.MAGIC, wire.VERSION, FIRMWARE, 0, self.uid, self.nonce, self.ms,
            len(self._values), plan.count, wire.BUTTONS, FEATURES,
            self._cause, 16_000_000, wire.MAX_PAYLOAD, int(plan.cap_ma), oldest,
        )  # fmt: skip

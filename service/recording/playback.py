"""A recording in the world's place: its pictures come when they came, its board answers on a pty (E
at the bottom).

Only the world is played: the table reads the pictures with the real reader and the bytes through a
real port. A recorded wire cannot simply be poured out again, since a host that joins late, or was
killed and came back, greets anew and waits for answers; so the recorded board's frames are sent in
their time, and what the host asks is answered as any board answers. One clock paces both, and it
waits for whoever reads slowly: a recording has no reason to run away from a busy machine.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import select
import threading
import time
import tty
from collections import deque
from dataclasses import dataclass
from typing import Final

from firmware_bridge import wire
from firmware_bridge.decoder import NEED_DATA, Decoder
from firmware_bridge.frames import WireFrame, encode
from firmware_bridge.messages import (
    Ack,
    BoardStatus,
    Delta,
    Edge,
    EdgesSeen,
    FromBoard,
    Hello,
    HelloAsk,
    Keyframe,
    KeyframeAsk,
    Ping,
    Pong,
    Stream,
    pack,
)
from service.recording.format import BytesTaken, Recording
from vision.frame import Frame

AHEAD: Final = 0.3
"""Seconds that the recording may run past a picture nobody has taken yet."""
STATUS_S: Final = 0.25
AFTER_S: Final = 3.0
"""Seconds that a recording goes on after the last thing in it: the last verdict may be on its
way."""
AGAIN_S: Final = 1.0
"""How often a board without a link repeats itself after the end of its recording."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One frame that the recorded board sent unasked, and when."""

    at: float
    message: Keyframe | Delta | Edge | BoardStatus


def unasked(recording: Recording) -> tuple[Hello | None, tuple[Heard, ...]]:
    """The recorded board's greeting, None for a recording without a board; and what it sent
    unasked, each button edge once.
    """
    decoder, hello, heard, edges = Decoder(), None, list[Heard](), set[tuple[int, int]]()
    for item in recording.items:
        if not isinstance(item, BytesTaken):
            continue
        decoder.feed(item.data)
        while (received := decoder.next()) is not NEED_DATA:
            message = received.message
            if isinstance(message, Hello):
                hello = hello or message
            elif isinstance(message, Keyframe | Delta | BoardStatus):
                heard.append(Heard(item.at, message))
            elif isinstance(message, Edge) and (message.nonce, message.number) not in edges:
                edges.add((message.nonce, message.number))
                heard.append(Heard(item.at, message))
    return hello, tuple(heard)


def has_board(recording: Recording) -> bool:
    """Whether the recording has a board's bytes that can be played."""
    if recording.header.scheme:
        return any(isinstance(item, BytesTaken) for item in recording.items)
    return unasked(recording)[0] is not None


class BoardPlayer:
    """The board's side of the wire.

    `position` is the time in the recording; it never runs backwards.
    """

    def __init__(self, recording: Recording, position: float = 0.0) -> None:
        hello, self._heard = unasked(recording)
        self.present = hello is not None
        self._hello = hello
        self._decoder = Decoder()
        self._number = self._next = 0
        self._streaming = False
        self._status_at = position
        self._status: BoardStatus | None = None
        self._values = [0] * (hello.sensors if hello else 0)
        self._unsent: list[Edge] = []
        self._out = bytearray()
        while self._next < len(self._heard) and self._heard[self._next].at < position:
            self._note(self._heard[self._next].message)
            self._next += 1
        self._unsent.clear()

    def receive(self, data: bytes, position: float) -> None:
        """What the host wrote."""
        self._decoder.feed(data)
        while (received := self._decoder.next()) is not NEED_DATA:
            self._answer(received.number, received.message, position)

    def unplugged(self) -> None:
        """Nobody has the port: what is pressed now is kept until somebody greets again."""
        self._streaming = False

    def run(self, position: float) -> bytes:
        """What the board sends up to `position`."""
        while self._next < len(self._heard) and self._heard[self._next].at <= position:
            message = self._heard[self._next].message
            self._next += 1
            self._note(message)
            if self._streaming and not isinstance(message, Edge):
                self._send(message)
        if self._streaming:
            for edge in self._unsent:
                self._send(edge)
            self._unsent.clear()
            if (
                position - self._status_at >= STATUS_S
                and self._next == len(self._heard)
                and self._status is not None
            ):
                # The recording is over; the board lives on, at rest.
                self._status_at = position
                self._send(dataclasses.replace(self._status, ms=self._ms(position)))
        data = bytes(self._out)
        self._out.clear()
        return data

    def _note(self, message: FromBoard) -> None:
        match message:
            case Keyframe():
                self._values[message.first : message.first + len(message.values)] = message.values
            case Delta():
                for index, value in message.each:
                    self._values[index] = value
            case Edge():
                self._unsent.append(message)
            case BoardStatus():
                self._status = message

    def _answer(self, number: int, message: object, position: float) -> None:
        match message:
            case HelloAsk() if self._hello is not None:
                self._streaming = False
                self._number = 0
                self._send(
                    dataclasses.replace(
                        self._hello, ms=self._ms(position), oldest_edge=self._oldest_edge()
                    ),
                    number,
                )
            case Ping():
                self._send(Pong(message.token, self._ms(position)), number)
            case EdgesSeen():
                pass
            case KeyframeAsk() | Stream():
                self._streaming = self._streaming or isinstance(message, Stream)
                self._keyframes(position)
                self._send(Ack(message.TYPE, wire.STATUS_OK), number)
            case _ if hasattr(message, "TYPE"):
                self._send(Ack(message.TYPE, wire.STATUS_OK), number)

    def _keyframes(self, position: float) -> None:
        for first in range(0, len(self._values), wire.KEYFRAME_VALUES):
            values = tuple(self._values[first : first + wire.KEYFRAME_VALUES])
            self._send(Keyframe.of(0, self._ms(position), first, values))

    def _oldest_edge(self) -> int:
        ahead = (h.message.number for h in self._heard[self._next :] if isinstance(h.message, Edge))
        seen = (
            h.message.number + 1
            for h in reversed(self._heard[: self._next])
            if isinstance(h.message, Edge)
        )
        return (self._unsent[0].number if self._unsent else next(ahead, next(seen, 0))) & 0xFFFF

    def _ms(self, position: float) -> int:
        """The recorded board's own clock."""
        assert self._hello is not None
        first = next((h for h in self._heard if not isinstance(h.message, Edge)), None)
        start, ms = (first.at, first.message.ms) if first else (0.0, self._hello.ms)
        return int(ms + (position - start) * 1000) & 0xFFFFFFFF

    def _send(self, message: FromBoard, number: int | None = None) -> None:
        if number is None:
            number, self._number = self._number, (self._number + 1) & 0xFF
        self._out += encode(WireFrame(message.TYPE, number, pack(message)))


class Stage:
    """The recording's own time (E): it stands until `go`, may be paused, waits for pictures that
    nobody has taken yet, and ends `AFTER_S` after the last thing that was recorded.

    A table that plays a recording lives by this time, so nobody's clock runs while the film stands.
    """

    def __init__(self, recording: Recording, position: float = 0.0, speed: float = 1.0) -> None:
        self._lock = threading.Lock()
        self._position, self._then = position, time.monotonic()
        self._waits = deque(f.at for f in recording.frames if f.at >= position)
        self._runs = False
        self.speed = speed
        """Seconds of the recording in a second of the world's."""
        self.length = recording.length
        self.about = recording.header.about

    @property
    def position(self) -> float:
        """Seconds of the recording that were played; never runs backwards."""
        with self._lock:
            now = time.monotonic()
            if self._runs:
                most = self.length + AFTER_S
                if self._waits:
                    most = min(most, self._waits[0] + AHEAD)
                ahead = self._position + (now - self._then) * self.speed
                self._position = max(self._position, min(ahead, most))
            self._then = now
            return self._position

    @property
    def paused(self) -> bool:
        """Whether it stands before its end."""
        return not self._runs and not self.over

    @property
    def over(self) -> bool:
        """Whether everything was played."""
        return self.position >= self.length + AFTER_S

    def go(self) -> None:
        """Play from here on."""
        self._set(runs=True)

    def pause(self) -> None:
        """Stand where it is."""
        self._set(runs=False)

    def _set(self, *, runs: bool) -> None:
        _ = self.position  # What has passed until now, passed as it was.
        with self._lock:
            self._runs = runs

    def taken(self) -> None:
        """The next picture was taken."""
        with self._lock:
            if self._waits:
                self._waits.popleft()

    def no_pictures(self) -> None:
        """Nobody will take pictures: wait for none."""
        with self._lock:
            self._waits.clear()


class RecordedCamera:
    """The pictures of a recording as a camera: each once, in order, not before its time (E)."""

    def __init__(self, recording: Recording, stage: Stage) -> None:
        self.source = str(recording.folder)
        self._recording, self._stage = recording, stage
        self._pictures = recording.pictures(stage.position)
        self._next: tuple[float, Frame] | None = None
        self._latest: Frame | None = None
        self._fetch()

    @property
    def problem(self) -> str | None:
        return self._recording.problem

    @property
    def ended(self) -> bool:
        """Whether pictures are missing: that a recording comes to its end is no lost camera."""
        return self._next is None and self.problem is not None

    def latest(self) -> Frame | None:
        if self._next is not None and self._stage.position >= self._next[0]:
            frame = self._next[1]
            # The table's time stands on this picture from now on.
            self._latest = Frame(frame.pixels, self._stage.position, frame.number)
            self._stage.taken()
            self._fetch()
        return self._latest

    def age(self, now: float) -> float:
        """A recording's pictures never grow stale: they come when they came."""
        return 0.0

    def close(self) -> None:
        self._next = None

    def _fetch(self) -> None:
        found = next(self._pictures, None)
        if found is None:
            self._next = None
            self._stage.no_pictures()
            return
        taken, pixels = found
        self._next = (taken.at, Frame(pixels, taken.seen_at, taken.number))


class RecordedBoard:
    """The board of a recording on a pty: `address` is a port like any other (E)."""

    def __init__(self, recording: Recording, stage: Stage) -> None:
        self._player = BoardPlayer(recording, stage.position)
        self.present = self._player.present
        self._stage = stage
        self._ours, self._theirs = os.openpty()
        tty.setraw(self._theirs)
        self.address = os.ttyname(self._theirs)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="recorded-board", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Pull the cable."""
        if self._closed.is_set():
            return
        self._closed.set()
        self._thread.join(2)
        for end in (self._ours, self._theirs):
            with contextlib.suppress(OSError):
                os.close(end)

    def _serve(self) -> None:
        while not self._closed.is_set():
            try:
                ready, _, _ = select.select([self._ours], [], [], 0.02)
                position = self._stage.position
                if ready:
                    self._player.receive(os.read(self._ours, 4096), position)
                if data := self._player.run(position):
                    os.write(self._ours, data)
            except OSError:
                return


class RecordedPort:
    """The readings of a recorded board without a link as a port, each in its time (E).

    After the last one it is given again each second: the recording is over, the board lies there.
    """

    def __init__(self, recording: Recording, stage: Stage) -> None:
        self._stage = stage
        since = stage.position
        items = [item for item in recording.items if isinstance(item, BytesTaken)]
        before = [item for item in items if item.at < since]
        self._coming = deque((*before[-1:], *items[len(before) :]))
        self._last, self._given_at = b"", since

    def read(self) -> bytes:
        position = self._stage.position
        if self._coming and self._coming[0].at <= position:
            self._last = self._coming.popleft().data
        elif self._coming or position - self._given_at < AGAIN_S:
            return b""
        self._given_at = position
        return self._last

    def write(self, data: bytes) -> None:
        """What was recorded takes nothing."""

    def wait(self, seconds: float) -> None:
        time.sleep(max(0.0, seconds))

    def close(self) -> None:
        self._coming.clear()

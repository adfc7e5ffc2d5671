"""What comes in: a camera and a board's port, each in a thread of its own, onto the table's one
queue (E).

Neither thread knows the game. The camera's waits for the table's hint before it reads a picture, so
what was known then is on record; the port's moves bytes and nothing else. Both outlive whatever
they are connected to.
"""

from __future__ import annotations

import contextlib
import logging
import math
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from firmware_bridge.transport import (
    KeptPort,
    Port,
    PortGone,
    PortOpened,
    find_boards,
    open_board,
)
from rules.observation import AWAITED, Observation
from service.session.sight import Corners, Hint, Sight, read_frame
from vision.camera.camera import CameraError
from vision.frame import Frame

log = logging.getLogger(__name__)

POLL_S: Final = 0.02
REOPEN_S: Final = 5.0
STRANGER_S: Final = 5.0
"""A port where something else answered is tried again after so long: somebody may have plugged the
board in there meanwhile.
"""


class CameraLike(Protocol):
    """`vision.camera.camera.Camera`, or a recording in its place."""

    def latest(self) -> Frame | None: ...
    def age(self, now: float) -> float: ...
    @property
    def problem(self) -> str | None: ...
    @property
    def ended(self) -> bool: ...
    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class NewFrame:
    """There is a picture to read: `feed` reads it once it is told to (`CameraFeed.read`)."""

    frame: Frame
    feed: CameraFeed


@dataclass(frozen=True, slots=True)
class Read:
    """To a camera's feed: read this picture, with what the game knew of the board then."""

    frame: Frame
    hint: Hint


@dataclass(frozen=True, slots=True)
class Seen:
    """A picture was read."""

    frame: Frame
    sight: Sight
    observation: Observation


@dataclass(frozen=True, slots=True)
class CameraState:
    """Pictures come (`ok`), or stopped coming and why."""

    ok: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Bytes:
    data: bytes


@dataclass(frozen=True, slots=True)
class PortState:
    """The port was opened, or is gone and why."""

    ok: bool
    reason: str


FeedEvent: TypeAlias = NewFrame | Seen | CameraState | PortState | Bytes
"""What the feeds put into the table's queue."""
Put = Callable[[FeedEvent], None]
CameraOpener = Callable[[], CameraLike]


class CameraFeed:
    """Reads the newest picture, again and again; slow reading drops pictures, never queues them."""

    def __init__(
        self,
        opener: CameraOpener,
        put: Put,
        sight: Sight,
        period: float,
        stale_after: float,
        watched: Callable[[Seen], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock`: the time that the camera's pictures carry."""
        self._opener, self._put, self._watched, self._clock = opener, put, watched, clock
        self._sight, self._period, self._stale = sight, period, stale_after
        self._stop = threading.Event()
        self._reads: queue.SimpleQueue[Read] = queue.SimpleQueue()
        self._ok: bool | None = None
        self._aimed: Corners | None = None
        self.camera: CameraLike | None = None
        """The camera that is open now."""
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()

    def aim(self, corners: Corners) -> None:
        """From any thread: from the next picture on, look afresh for a board that lies there."""
        self._aimed = corners

    def read(self, given: Read) -> None:
        """From any thread: the answer to a `NewFrame` of this feed."""
        self._reads.put(given)

    def close(self) -> None:
        self._stop.set()
        self._thread.join(5)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                camera = self._opener()
            except CameraError as e:
                self._say(ok=False, reason=str(e))
                self._stop.wait(REOPEN_S)
                continue
            self.camera = camera
            try:
                self._follow(camera)
            finally:
                self.camera = None
                camera.close()

    def _follow(self, camera: CameraLike) -> None:
        number, next_at = -1, 0.0
        while not self._stop.wait(POLL_S):
            frame = camera.latest()
            now = self._clock()
            self._tell(camera, now)
            if frame is None or frame.number == number or now < next_at:
                continue
            number, next_at = frame.number, now + self._period
            try:
                self._look(frame)
            except Exception:
                # A picture that breaks the reader must not end the match: it is logged, and the
                # next one is read afresh.
                log.exception("picture %s could not be read; the next one is tried", number)
                self._sight = self._sight.afresh()

    def _look(self, frame: Frame) -> None:
        self._put(NewFrame(frame, self))
        while not self._stop.is_set():
            with contextlib.suppress(queue.Empty):
                told = self._reads.get(timeout=0.2)
                aimed, self._aimed = self._aimed, None
                if aimed is not None:
                    self._sight = self._sight.afresh(aimed)
                self._sight, observation = read_frame(self._sight, told.frame, told.hint)
                seen = Seen(told.frame, self._sight, observation)
                self._put(seen)
                self._watched(seen)
                return

    def _tell(self, camera: CameraLike, now: float) -> None:
        """Whether pictures come: by the age of the newest, not by whether some process is alive."""
        age = camera.age(now)
        if camera.ended:
            self._say(
                ok=False,
                reason=camera.problem or "the pictures have come to their end; the last one stays",
            )
        elif age <= self._stale:
            # Pictures in which no board can be read are as good as none.
            self._say(ok=not self._sight.unread, reason=self._sight.unread)
        elif camera.problem or math.isfinite(age):
            self._say(
                ok=False,
                reason=camera.problem
                or f"no new picture for {age:.0f} s: is the camera's cable in?",
            )

    def _say(self, ok: bool, reason: str) -> None:
        if ok is not self._ok:
            self._ok = ok
            self._put(CameraState(ok, reason))


class PortFeed:
    """Keeps a port open: bytes in to the queue, bytes out from `send`."""

    def __init__(
        self, address: str | None, put: Put, opener: Callable[[str | None], Port] = open_board
    ) -> None:
        self._port, self._put = KeptPort(address, opener), put
        self._stop, self._drop = threading.Event(), threading.Event()
        self._out: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._ok: bool | None = None
        self._thread = threading.Thread(target=self._run, name="port", daemon=True)
        self._thread.start()

    @property
    def where(self) -> str | None:
        """The address of the port that is open; None where none is."""
        return self._port.where

    def send(self, data: bytes) -> None:
        self._out.put(data)

    def let_go(self) -> None:
        """What answers there is no board of ours: close the port, and look again later."""
        self._drop.set()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(3)

    def _run(self) -> None:
        while not self._stop.is_set():
            while not self._out.empty():
                self._port.write(self._out.get_nowait())
            match self._port.poll(POLL_S):
                case PortOpened():
                    self._opened()
                case PortGone(why):
                    self._say(PortState(ok=False, reason=str(why)))
                case data:
                    if data:
                        self._put(Bytes(data))
            if self._drop.is_set() and self._port.is_open:
                self._port.let_go(STRANGER_S)
        self._port.let_go(0.0)

    def _opened(self) -> None:
        self._port.works()
        self._drop.clear()
        while not self._out.empty():
            # Meant for whoever was there before.
            self._out.get_nowait()
        self._say(PortState(ok=True, reason=""))

    def _say(self, state: PortState) -> None:
        """Each change once; a port that opens is always news, for the board must be greeted."""
        if self._ok is None and not state.ok:
            state = PortState(ok=False, reason=f"{AWAITED}{state.reason}")
        if state.ok or self._ok is not False:
            self._put(state)
        self._ok = state.ok


def board_address(wanted: str) -> str | None:
    """The port's address for `open_board`: None searches by USB id."""
    return None if wanted == "auto" else wanted


__all__ = [
    "Bytes",
    "CameraFeed",
    "CameraLike",
    "CameraState",
    "NewFrame",
    "PortFeed",
    "PortState",
    "Seen",
    "board_address",
    "find_boards",
]

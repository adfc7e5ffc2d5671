"""What goes out, after the commit: pictures kept as evidence, the live picture for the page, tones
(E).

Each may fail without harm to the game: a failure is logged once, and told again when it has passed.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from rules.board import Seating
from rules.observation import Observation
from service.journal.paths import picture_paths, plain_path
from service.referee.event import keeps_whole_pictures
from service.referee.state import MatchState
from service.table.pictures import PictureStore, PictureStoreError
from vision.arrays import Pixels
from vision.frame import Frame
from vision.geometry import BoardMap
from vision.overlay import CheckerPlace, draw_observation, ring, turned_to

log = logging.getLogger(__name__)

TONES: Final = {"ask": (880, 120), "error": (220, 400), "flag": (440, 1200), "done": (660, 80)}
"""Sound -> (Hz, ms)."""
LIVE_S: Final = 0.4
"""The page's picture is made at most this often."""
LIVE_WIDTH: Final = 1280
EXPIRE_S: Final = 600.0
MARGIN: Final = 0.06
"""Of the field's length, kept around it: the rails, no more of the room than needs be."""


def box_of(board_map: BoardMap, width: int, height: int) -> tuple[int, int, int, int]:
    """Left, top, width and height of the board and its rails in a picture of that size, inside it.

    Width or height 0: not in it.
    """
    corners = np.asarray(board_map.corners(), np.float64) * (width / board_map.size[0])
    margin = MARGIN * float(np.ptp(corners[:, 0]))
    limit = np.array([width, height])
    left, top = np.floor(corners.min(axis=0) - margin).clip(0, limit).astype(int).tolist()
    right, bottom = np.ceil(corners.max(axis=0) + margin).clip(0, limit).astype(int).tolist()
    return left, top, max(0, right - left), max(0, bottom - top)


def cropped(pixels: Pixels, board_map: BoardMap | None) -> Pixels:
    """The board and its rails, no faces; nothing where no board was found."""
    if board_map is None:
        return pixels[:0]
    left, top, width, height = box_of(board_map, pixels.shape[1], pixels.shape[0])
    return pixels[top : top + height, left : left + width] if width and height else pixels


def jpeg(pixels: Pixels, quality: int) -> bytes:
    """Compressed; empty where OpenCV cannot."""
    ok, packed = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return packed.tobytes() if ok else b""


@dataclass(frozen=True, slots=True)
class Keeping:
    """What may be kept: for so many hours, 0 for not at all; `whole` beyond the board."""

    hours: float
    whole: bool = False

    @classmethod
    def of(cls, match: MatchState, hours: float) -> Keeping:
        """As the event of the match says; `hours` are the machine's own, where it says nothing."""
        said = match.event.evidence_hours
        return cls(hours if said is None else said, keeps_whole_pictures(match))


@dataclass(frozen=True, slots=True)
class _Keep:
    picture: str
    pixels: Pixels
    keeping: Keeping
    board_map: BoardMap | None


def _kept_part(job: _Keep) -> Pixels:
    return job.pixels if job.keeping.whole else cropped(job.pixels, job.board_map)


class Pictures:
    """Keeps evidence pictures from a thread of its own, so that no disk holds up the game."""

    def __init__(self, store: PictureStore, quality: int, hours: Callable[[], float]) -> None:
        """`hours`: for how long pictures are kept as things stand, asked from that thread."""
        self._store, self._quality, self._hours = store, quality, hours
        self._queue: queue.Queue[_Keep | None] = queue.Queue(maxsize=64)
        self._failed = False
        self._thread = threading.Thread(target=self._run, name="pictures", daemon=True)
        self._thread.start()

    def keep(
        self, picture: str, frame: Frame | None, board_map: BoardMap | None, keeping: Keeping
    ) -> None:
        """Keep this frame under that id, soon; without a camera, or a board where nothing else may
        be kept, there is nothing to keep.
        """
        if frame is None or keeping.hours <= 0 or (board_map is None and not keeping.whole):
            return
        with contextlib.suppress(queue.Full):
            self._queue.put_nowait(_Keep(picture, frame.pixels, keeping, board_map))

    def close(self) -> None:
        """Keep what waits, then stop."""
        self._queue.put(None)
        self._thread.join(5)

    def _run(self) -> None:
        due = 0.0
        while True:
            if time.monotonic() >= due:
                # Also where nothing is played: no picture stays because the table stands still.
                due = time.monotonic() + EXPIRE_S
                self._expire()
            try:
                job = self._queue.get(timeout=max(0.0, due - time.monotonic()))
            except queue.Empty:
                continue
            if job is None:
                return
            try:
                self._store.keep(job.picture, jpeg(_kept_part(job), self._quality), time.time())
            except (PictureStoreError, OSError) as e:
                if not self._failed:
                    log.error("%s; the record goes on without pictures", e)
                self._failed = True
            else:
                if self._failed:
                    log.warning("pictures are kept again")
                self._failed = False

    def _expire(self) -> None:
        try:
            self._store.expire(time.time(), self._hours())
        except OSError as e:
            log.error("pictures whose hours are over cannot be deleted: %s", e)


class LivePicture:
    """The newest picture as JPEGs for the page: with what was believed drawn on it, as it lies for
    each side, and plain as the camera sees it.

    Replaced whole, never half-written.
    """

    def __init__(self, journal: Path) -> None:
        self._drawn = picture_paths(journal)
        self._plain = plain_path(journal)
        self._next = 0.0
        self._failed = False

    def show(
        self,
        frame: Frame,
        board_map: BoardMap | None,
        observation: Observation,
        seating: Seating,
        moved: tuple[CheckerPlace, ...] = (),
    ) -> None:
        """Called from the camera's thread; `moved`: checkers to draw a ring around."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + LIVE_S
        plain = _small(frame.pixels)
        try:
            for side, path in self._drawn.items():
                if board_map is None:
                    _replace(path, plain)
                    continue
                lying = turned_to(side, frame.pixels, board_map, observation, seating)
                pixels = draw_observation(*lying, seating)
                ring(pixels, lying[1], moved)
                _replace(path, _small(pixels))
            _replace(self._plain, plain)
            self._failed = False
        except OSError as e:
            if not self._failed:
                log.error("the live picture cannot be written (%s); the game goes on", e)
            self._failed = True

    def remove(self) -> None:
        """Nothing live is left behind: an old picture would look like a new one."""
        for path in (*self._drawn.values(), self._plain):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)


def _small(pixels: Pixels) -> bytes:
    height, width = pixels.shape[:2]
    if width > LIVE_WIDTH:
        pixels = np.asarray(
            cv2.resize(
                pixels,
                (LIVE_WIDTH, round(height * LIVE_WIDTH / width)),
                interpolation=cv2.INTER_AREA,
            ),
            np.uint8,
        )
    return jpeg(pixels, 80)


def _replace(path: Path, data: bytes) -> None:
    part = path.with_name(path.name + ".part")
    part.write_bytes(data)
    part.replace(path)

"""The newest picture of a camera, a video file, a folder or an address, never a queue.  (E)

OpenCV captures in a process of its own (`vision.camera.process`), so a driver that hangs or crashes
never stops the table. The newest picture lies in memory without a name (`vision.camera.memory`).
The child ends when its standard input does, that is with its parent, however that one died. A child
that died is started again with back-off.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final, Self

from vision.camera.memory import FeedState, FeedStatus, PictureMemory, create_memory
from vision.camera.sources import SourceError, check_source
from vision.camera.stream import CropBox
from vision.frame import Frame

_RESTART: Final = (0.5, 15.0)
"""Seconds between attempts to start a child that died: first and longest."""


class CameraError(Exception):
    """The source cannot be opened, and trying again would not help: the message says what to do."""


class Camera:
    """One source of pictures. Made by `open_camera`; close it, or use it as a context manager."""

    def __init__(self, source: str, arguments: list[str]) -> None:
        self.source = source
        self._arguments = arguments
        self._fd = create_memory()
        self._memory = PictureMemory(self._fd)
        self._wait = _RESTART[0]
        self._next_start = 0.0
        self._died = ""
        self._closed = False
        self._box: CropBox | None = None
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        # An installed project is found anyway; run from elsewhere the child must see the same
        # packages as this process.
        home = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = os.environ | {
            "PYTHONPATH": path,
            "OPENCV_LOG_LEVEL": "SILENT",
            "OPENCV_FFMPEG_LOGLEVEL": "-8",
        }
        command = [sys.executable, "-m", "vision.camera.process", str(self._fd), *self._arguments]
        return subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=(self._fd,),
            env=environment,
        )

    def latest(self) -> Frame | None:
        """The newest picture, None before the first.

        The same frame comes again until there is a newer one: compare `number`.
        """
        self._watch()
        return self._memory.newest()

    def age(self, now: float) -> float:
        """Seconds since the newest picture was taken, infinite before the first; `now` =
        time.monotonic().
        """
        seen = self._memory.seen_at()
        return math.inf if seen is None else max(0.0, now - seen)

    @property
    def problem(self) -> str | None:
        """Why there are no new pictures and what to do, in one line; None while all is well or the
        source was played to its end.
        """
        self._watch()
        if self._died:
            return self._died
        status = self._memory.status()
        return status.text if status.state in (FeedState.TROUBLE, FeedState.FAILED) else None

    @property
    def ended(self) -> bool:
        """A file or folder was played to its end; the last picture stays."""
        return self._memory.status().state is FeedState.ENDED

    @property
    def broadcast(self) -> str | None:
        """Address of the same pictures as MJPEG for the broadcast, None when not asked for or not
        ready yet.
        """
        port = self._memory.status().port
        return f"http://127.0.0.1:{port}/stream.mjpg" if port else None

    def hold(self) -> None:
        """Hold exposure, focus and white balance at what they are now (at the start of a match)."""
        self._tell("hold")

    def release(self) -> None:
        """Give exposure, focus and white balance back to the camera's own automatic."""
        self._tell("release")

    def crop(self, box: CropBox | None) -> None:
        """Hand on for the broadcast what lies in this box of the picture (left, top, width, height
        in pixels), None: nothing. Only for a camera opened with `cropped`."""
        if box != self._box:
            self._box = box
            self._tell(_crop(box))

    @property
    def shows(self) -> bool:
        """Whether there is a box whose pictures are handed on."""
        return self._box is not None

    def close(self) -> None:
        """End the child and free the memory. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._memory.close()
        os.close(self._fd)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _tell(self, word: str) -> None:
        if self._process.stdin and self._process.poll() is None:
            try:
                self._process.stdin.write(word.encode() + b"\n")
                self._process.stdin.flush()
            except BrokenPipeError:
                return

    def _watch(self) -> None:
        """Start a dead child again, unless it ended because its work was done."""
        code = self._process.poll()
        if self._closed or code is None:
            if code is None and self._memory.status().state is FeedState.RUNNING:
                self._died, self._wait = "", _RESTART[0]
            return
        if self._memory.status().state in (FeedState.ENDED, FeedState.FAILED):
            return
        now = time.monotonic()
        if not self._died:
            self._died = (
                f"the camera process for {self.source} died (code {code}); it is being started"
                " again"
            )
            self._next_start = now + self._wait
        if now >= self._next_start:
            self._wait = min(self._wait * 2, _RESTART[1])
            self._next_start = now + self._wait
            if self._process.stdin:
                self._process.stdin.close()
            self._memory.say(FeedStatus(FeedState.STARTING))
            self._process = self._start()
            self._tell(_crop(self._box))


def _crop(box: CropBox | None) -> str:
    return " ".join(["crop", *map(str, box or ())])


def open_camera(
    source: str,
    *,
    broadcast: bool = False,
    cropped: float | None = None,
    pace: float | None = None,
    hold_after: float | None = None,
) -> Camera:
    """Open a source of pictures in a process of its own; the first picture comes a moment later.

    `source`: a device (`0`, `/dev/video0`), a video file (played by its own time stamps), a folder
    of pictures (`pace` seconds apart, default 0.5), or an address (`rtsp://…` or `http://…`).
    Files and folders end; devices and addresses are tried again.
    `broadcast`: hand the pictures on as MJPEG (`Camera.broadcast`), since a V4L2 device opens once.
    `cropped`: hand on at most so many pictures a second, and of them only what `Camera.crop` names;
    nothing before it names anything.
    `hold_after`: seconds after which a device's exposure, focus and white balance are held.
    Raises CameraError with cause and next step when the source can never work: no such file, no
    pictures in it, no permission.
    """
    try:
        check_source(source)
    except SourceError as error:
        if not error.retry:
            raise CameraError(str(error)) from None
    arguments = [source]
    if broadcast:
        arguments.append("--broadcast")
        if cropped is not None:
            if not 0 < cropped <= 60:
                raise CameraError(
                    "the broadcast's rate is above 0 and at most 60 pictures a second, got"
                    f" {cropped}"
                )
            arguments += ["--cropped", str(cropped)]
    if pace is not None:
        if not 0 <= pace <= 3600:
            raise CameraError(f"the pace of a folder is 0 to 3600 seconds a picture, got {pace}")
        arguments += ["--pace", str(pace)]
    if hold_after is not None:
        arguments += ["--hold-after", str(hold_after)]
    return Camera(source, arguments)

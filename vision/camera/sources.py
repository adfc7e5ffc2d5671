"""What pictures are read from: a device, a video file, a folder, a network address.  (E)

Each source is opened by `open_source` and yields pictures through `read()`; every failure is a
SourceError of one line: what was expected, what came, what to do next, and whether trying again may
help.
"""

from __future__ import annotations

import os
import platform
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

import cv2
import numpy as np
import numpy.typing as npt

from vision.arrays import Pixels
from vision.camera.memory import MAX_PIXELS
from vision.camera.phone import SCHEME as PHONE
from vision.camera.phone import PhonePictures
from vision.frame import MIN_EDGE, PictureError, as_picture

PICTURES: Final = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
_MAX_PART: Final = 32_000_000
"""Bytes of one JPEG in a stream; a server that sends more is not sending pictures."""
_TIMEOUT: Final = 8.0
"""Seconds without a byte before an address counts as lost."""


class SourceError(Exception):
    """Why no picture comes. `retry`: it may come back by itself."""

    def __init__(self, message: str, *, retry: bool) -> None:
        super().__init__(message)
        self.retry = retry


class PictureSource(Protocol):
    """`live` sources give the picture of this moment; the others are played by `due`, seconds from
    their start.
    """

    live: bool

    def read(self) -> tuple[Pixels, float] | None:
        """The next picture and when it is due; None at the end. Of a live source: when it was
        taken, by this machine's monotonic clock, 0 for now.

        Raises SourceError.
        """

    def close(self) -> None: ...


def is_address(source: str) -> bool:
    """Whether a source is a network address."""
    return re.match(r"[a-z][a-z0-9+.-]*://", source) is not None


def device_path(source: str) -> Path | None:
    """The device file of `0`, `12` or `/dev/video0`; None when the source is no device."""
    if re.fullmatch(r"\d{1,3}", source):
        return Path(f"/dev/video{source}")
    return Path(source) if source.startswith("/dev/") else None


def check_source(source: str) -> None:
    """Raise SourceError for what can be known without opening: cheap, and the user hears it at
    once.
    """
    if not source:
        raise SourceError(
            "no camera was named: give a number (0), a device, a video file, a folder or an"
            " address",
            retry=False,
        )
    if source.startswith(PHONE):
        return
    if is_address(source):
        scheme = source.split(":", 1)[0]
        if scheme not in ("http", "https", "rtsp", "rtsps", "rtmp", "udp", "tcp"):
            raise SourceError(
                f"cannot read pictures from {scheme}://: expected http, https, rtsp, rtmp, udp"
                " or tcp",
                retry=False,
            )
        return
    device = device_path(source)
    if device is not None:
        _check_device(device)
        return
    path = Path(source)
    if not path.exists():
        raise SourceError(
            f"there is no {source}: expected a camera number, a video file, a folder of pictures or"
            " an address",
            retry=False,
        )
    if not os.access(path, os.R_OK):
        raise SourceError(
            f"no permission to read {source}: allow it to this user (chmod u+r) and start again",
            retry=False,
        )
    if path.is_dir() and not _pictures_in(path):
        raise SourceError(
            f"the folder {source} holds no pictures ({', '.join(sorted(PICTURES))}): name one that"
            " does",
            retry=False,
        )


def _check_device(device: Path) -> None:
    if platform.system() != "Linux":
        raise SourceError(
            f"expected a camera that this system gives by its number, and {platform.system()} gives"
            f" none ({device}): use a phone (--camera phone), a file, a folder or an address",
            retry=False,
        )
    if not device.exists():
        others = sorted(str(p) for p in Path("/dev").glob("video*"))
        there = (
            f"cameras here: {', '.join(others)}" if others else "there is no camera on this machine"
        )
        raise SourceError(
            f"no camera at {device} ({there}): plug it in; it is looked for again by itself",
            retry=True,
        )
    if not os.access(device, os.R_OK | os.W_OK):
        raise SourceError(
            f"no permission for {device}: add this user to the group video (sudo usermod -aG video"
            " $USER), log in again",
            retry=False,
        )


def _pictures_in(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.suffix.lower() in PICTURES and p.is_file())


def bounded_picture(array: npt.NDArray[np.generic]) -> Pixels:
    """Eight-bit BGR of at most MAX_PIXELS, whatever came: grey, alpha, 16 bits.

    Raises SourceError for what is no picture.
    """
    try:
        pixels = as_picture(array)
    except PictureError as error:
        raise SourceError(f"{error}: choose another format", retry=False) from None
    height, width = pixels.shape[:2]
    if min(height, width) < MIN_EDGE:
        raise SourceError(
            f"expected pictures of at least {MIN_EDGE} pixels a side, got {width}x{height}: choose"
            " a larger format",
            retry=False,
        )
    if height * width <= MAX_PIXELS:
        return pixels
    scale = (MAX_PIXELS / (height * width)) ** 0.5
    size = (max(MIN_EDGE, int(width * scale)), max(MIN_EDGE, int(height * scale)))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)


class _Folder:
    live = False

    def __init__(self, folder: Path, pace: float) -> None:
        self._files, self._pace, self._index = _pictures_in(folder), pace, 0
        self._read_one = False

    def read(self) -> tuple[Pixels, float] | None:
        while self._index < len(self._files):
            due, path = self._index * self._pace, self._files[self._index]
            self._index += 1
            got = cv2.imread(str(path))
            if got is not None:
                self._read_one = True
                return bounded_picture(got), due
        if not self._read_one:
            raise SourceError(
                "not one of the files in the folder is a picture that can be read: check them",
                retry=False,
            )
        return None

    def close(self) -> None:
        return


class _Video:
    """A video file through OpenCV, played by its own time stamps."""

    live = False

    def __init__(self, path: Path) -> None:
        self._path = path
        self._capture = cv2.VideoCapture(str(path))
        self._count, self._last = 0, 0.0
        if not self._capture.isOpened():
            raise SourceError(
                f"{path} is not a video that can be read: expected mp4, mkv, avi or the like; check"
                " what it is with `file`",
                retry=False,
            )
        rate = self._capture.get(cv2.CAP_PROP_FPS)
        self._step = 1 / rate if 0.1 <= rate <= 1000 else 1 / 25

    def read(self) -> tuple[Pixels, float] | None:
        got, array = self._capture.read()
        if not got:
            if self._count == 0:
                raise SourceError(
                    f"{self._path} opens but holds no picture: it may be cut short; record or"
                    " convert it again",
                    retry=False,
                )
            return None
        # Some containers give no stamps (0 for ever) or run backwards: then the nominal rate is all
        # there is.
        stamp = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
        due = (
            stamp
            if self._last <= stamp <= self._last + 60 and (stamp > 0 or self._count == 0)
            else self._last + self._step
        )
        self._count, self._last = self._count + 1, due
        return bounded_picture(array), due

    def close(self) -> None:
        self._capture.release()


class _Live:
    """A device or a network address through OpenCV."""

    live = True

    def __init__(self, source: str, name: str) -> None:
        self.name = name
        if is_address(source):
            limits = [
                cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
                int(_TIMEOUT * 1000),
                cv2.CAP_PROP_READ_TIMEOUT_MSEC,
                int(_TIMEOUT * 1000),
            ]
            self.capture = cv2.VideoCapture(source, cv2.CAP_FFMPEG, limits)
        else:
            self.capture = cv2.VideoCapture(source, cv2.CAP_V4L2)
            self.capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        if not self.capture.isOpened():
            raise SourceError(
                f"{name} does not answer: is it switched on, and not in use by another program? It"
                " is tried again by itself",
                retry=True,
            )

    def read(self) -> tuple[Pixels, float] | None:
        got, array = self.capture.read()
        if not got:
            raise SourceError(
                f"{self.name} stopped sending pictures: check cable and power; it is tried again by"
                " itself",
                retry=True,
            )
        return bounded_picture(array), 0.0

    def close(self) -> None:
        self.capture.release()


class _HttpPictures:
    """MJPEG over HTTP (multipart/x-mixed-replace), read directly:

    FFmpeg probes a slow stream for seconds and queues old pictures.
    """

    live = True

    def __init__(self, address: str) -> None:
        self._address = address
        try:
            # The scheme was checked.
            self._response = urllib.request.urlopen(address, timeout=_TIMEOUT)  # noqa: S310
        except (urllib.error.URLError, OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise SourceError(
                f"{address} does not answer ({reason}): check address and network; it is tried"
                " again by itself",
                retry=True,
            ) from None
        self.kind = str(self._response.headers.get_content_type())
        self._parts = self._jpegs()

    def _jpegs(self) -> Iterator[bytes]:
        """JPEGs between their own start and end marks; boundaries and part headers differ between
        makers, the marks do not.
        """
        held = b""
        while True:
            chunk = self._response.read1(65536)
            if not chunk:
                return
            held += chunk
            while True:
                start = held.find(b"\xff\xd8\xff")
                end = held.find(b"\xff\xd9", start + 3) if start >= 0 else -1
                if end < 0:
                    held = held[start:] if start >= 0 else held[-2:]
                    break
                yield held[start : end + 2]
                held = held[end + 2 :]
            if len(held) > _MAX_PART:
                raise SourceError(
                    f"{self._address} sends no JPEG pictures (32 MB without an end): expected an"
                    " MJPEG stream",
                    retry=False,
                )

    def read(self) -> tuple[Pixels, float] | None:
        try:
            for jpeg in self._parts:
                array = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
                if array is not None:
                    return bounded_picture(array), 0.0
        except OSError as error:
            raise SourceError(
                f"{self._address} was lost ({error}): check the network; it is tried again by"
                " itself",
                retry=True,
            ) from None
        raise SourceError(
            f"{self._address} ended its stream; it is tried again by itself", retry=True
        )

    def close(self) -> None:
        self._response.close()


def open_source(source: str, pace: float = 0.5) -> PictureSource:
    """Open what `open_camera` names. Raises SourceError."""
    check_source(source)
    if source.startswith(PHONE):
        try:
            return PhonePictures(Path(source.removeprefix(PHONE)))
        except OSError as error:
            raise SourceError(
                f"{source}: the phone's socket cannot be made ({error.strerror}); give a journal in"
                " a folder of your own",
                retry=True,
            ) from None
    if is_address(source):
        if source.startswith(("http://", "https://")):
            stream = _HttpPictures(source)
            if stream.kind in ("multipart/x-mixed-replace", "image/jpeg", "multipart/mixed"):
                return stream
            stream.close()
        return _Live(source, source)
    device = device_path(source)
    if device is not None:
        return _Live(str(device), str(device))
    path = Path(source)
    if path.is_dir():
        return _Folder(path, pace)
    if path.suffix.lower() in PICTURES:
        return _Still(path)
    return _Video(path)


class _Still:
    """One picture, shown once."""

    live = False

    def __init__(self, path: Path) -> None:
        array = cv2.imread(str(path))
        if array is None:
            raise SourceError(
                f"{path} is not a picture that can be read: expected JPEG, PNG, BMP, WebP or TIFF",
                retry=False,
            )
        self._picture: Pixels | None = bounded_picture(array)

    def read(self) -> tuple[Pixels, float] | None:
        shown, self._picture = self._picture, None
        return None if shown is None else (shown, 0.0)

    def close(self) -> None:
        return


def wait_until(due: float, asked: float) -> None:
    """Sleep until monotonic `due`, at most `asked` seconds at once so that a closing reader is
    noticed.
    """
    time.sleep(max(0.0, min(asked, due - time.monotonic())))

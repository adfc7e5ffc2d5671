"""Raw recording: everything a table took in, in the order it took it, so that a later version can
be given the same again.

A recording is a folder. `recording.json` says what it is; `log.jsonl` has one line for each thing
taken in, with the table time at which it was taken; the pictures are a video beside it. Nothing in
it was understood: pictures as the camera gave them, bytes as the wire brought them.

Two kinds of video: `frames.mjpeg` (JPEG after JPEG; each log line says where its picture starts, so
a file cut anywhere loses only its tail) is what `Writer` makes; any file that OpenCV decodes, its
pictures in order, is what a script may make. A table that records reads the picture that it
recorded, not the one before compression: same input, same entries.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

import cv2
import numpy as np
import numpy.typing as npt

from service.recording.log import (
    FORMAT,
    LARGEST_PICTURE,
    LONGEST_LINE,
    VERSION,
    BytesTaken,
    FrameRead,
    FrameTaken,
    Header,
    OrderTaken,
    PressTaken,
    RecordedLog,
    RecordingError,
    SourceTaken,
    Taken,
    TickTaken,
    decode_taken,
    encode_taken,
)

__all__ = [
    "FORMAT",
    "LARGEST_PICTURE",
    "LONGEST_LINE",
    "VERSION",
    "BytesTaken",
    "FrameRead",
    "FrameTaken",
    "Header",
    "OrderTaken",
    "Pixels",
    "PressTaken",
    "Recording",
    "RecordingError",
    "SourceTaken",
    "Taken",
    "TickTaken",
    "Writer",
    "decode_taken",
    "encode_taken",
]

PORT: Final = "port"
"""What a log calls the board's port where that came or went; a device is called by its own name."""

Pixels = npt.NDArray[np.uint8]


class Recording(RecordedLog):
    """A recording opened for reading, with its pictures."""

    def pictures(self, since: float = 0.0) -> Iterator[tuple[FrameTaken, Pixels]]:
        """Every picture taken at `since` or later, decoded, H x W x 3 BGR; stops where the video
        was cut, and `problem` says so.

        A picture of a video may be taken many times: a still camera sees the same again. Nobody may
        write into the pixels.
        """
        wanted = [f for f in self.frames if f.at >= since]
        path = self.folder / self.header.video
        try:
            yield from (
                self._jpegs(path, wanted) if path.suffix == ".mjpeg" else self._video(path, wanted)
            )
        except OSError as e:
            self.problem = (
                f"{path}: cannot be read ({e.strerror}); the pictures are missing, the rest plays"
            )

    def _jpegs(self, path: Path, wanted: list[FrameTaken]) -> Iterator[tuple[FrameTaken, Pixels]]:
        with path.open("rb") as file:
            for frame in wanted:
                file.seek(frame.start)
                data = file.read(frame.size)
                pixels = (
                    cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
                    if len(data) == frame.size > 0
                    else None
                )
                if pixels is None:
                    self.problem = (
                        f"{path}: cut at picture {frame.index}; what follows it has no pictures"
                    )
                    return
                yield frame, pixels.astype(np.uint8, copy=False)

    def _video(self, path: Path, wanted: list[FrameTaken]) -> Iterator[tuple[FrameTaken, Pixels]]:
        path.open("rb").close()
        film = cv2.VideoCapture(str(path))
        try:
            at, pixels = 0, np.empty(0, np.uint8)
            for frame in wanted:
                while at <= frame.index:
                    ok, found = film.read()
                    if not ok:
                        self.problem = (
                            f"{path}: ends at picture {at}, the log has {wanted[-1].index + 1};"
                            " what follows it has no pictures"
                        )
                        return
                    at, pixels = at + 1, found.astype(np.uint8, copy=False)
                yield frame, pixels
        finally:
            film.release()


class Writer:
    """Writes a recording as the table runs.

    A full disk or the limit stops the recording and is told once; it never stops the match.
    """

    def __init__(
        self, folder: Path, header: Header, quality: int = 92, limit: float = math.inf
    ) -> None:
        """Make the folder. `quality` is JPEG's, `limit` bytes for the whole recording. Raises
        RecordingError when it cannot be made.
        """
        self.folder = folder
        self.problem: str | None = None
        self._quality, self._limit, self._index, self._written = quality, limit, 0, 0
        self._open: list[BinaryIO] = []
        try:
            folder.mkdir(parents=True)
            (folder / "recording.json").write_text(header.to_json(), encoding="utf-8")
            self._open = [(folder / "log.jsonl").open("xb"), (folder / "frames.mjpeg").open("xb")]
        except OSError as e:
            raise RecordingError(
                f"{folder}: cannot record there ({e.strerror}); give a new folder on a disk with"
                " room"
            ) from None

    def frame(self, at: float, number: int, seen_at: float, pixels: Pixels) -> Pixels:
        """Record a picture and give back the picture to read: the recorded one."""
        if not self._open:
            return pixels
        ok, packed = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, self._quality])
        read_back = cv2.imdecode(packed, cv2.IMREAD_COLOR) if ok else None
        if read_back is None:
            return pixels
        data = packed.tobytes()
        item = FrameTaken(at, self._index, number, seen_at, self._open[1].tell(), len(data))
        if self._write(1, data):
            self.take(item)
            self._index += 1
        return read_back.astype(np.uint8, copy=False)

    def take(self, item: Taken) -> None:
        self._write(0, encode_taken(item))

    def _write(self, which: int, data: bytes) -> bool:
        if not self._open:
            return False
        self._written += len(data)
        if self._written > self._limit:
            self._stop(
                f"{self.folder}: the recording reached its limit of {self._limit / 1e9:.2f} GB and"
                " stopped; the match goes on"
            )
            return False
        try:
            self._open[which].write(data)
            self._open[which].flush()
        except OSError as e:
            self._stop(
                f"{self.folder}: the recording stopped ({e.strerror}); the match goes on; free some"
                " room before the next"
            )
            return False
        return True

    def _stop(self, problem: str | None) -> None:
        self.problem = problem
        files, self._open = self._open, []
        for file in files:
            try:
                file.close()
            except OSError as e:
                self.problem = (
                    self.problem
                    or f"{self.folder}: the end of the recording is lost ({e.strerror})"
                )

    def close(self) -> None:
        self._stop(self.problem)

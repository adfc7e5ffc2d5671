"""Writes a raw recording as the table runs (E)."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import BinaryIO

import cv2
import numpy as np

from service.recording.format import (
    FORMAT,
    VERSION,
    FrameTaken,
    Header,
    Pixels,
    RecordingError,
    Taken,
    encode_taken,
)


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
        row = {"format": FORMAT, "version": VERSION} | {
            k: getattr(header, k)
            for k in Header.__dataclass_fields__
            if k != "scheme" or header.scheme
        }
        try:
            folder.mkdir(parents=True)
            (folder / "recording.json").write_text(
                json.dumps(row, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
            )
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
